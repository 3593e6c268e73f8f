"""Reasons why nothing could be read, known again: stored as English sentences, shown as messages with their values.

A reason is stored with a rating and never changes, so it is recognized by its wording. What is not in the list (a
library's own words, an endpoint's) stays as it was stored. Pure.
"""

import re
from functools import cache

from core.errors import FIELD, WorkbenchError, msg
from core.llm.refusals import MESSAGES

JOINED = "; "
LONGEST = 1_000  # characters of a reason that are looked at: what is imported may be of any length
REASONS = (
    msg("{n} of {all} items: {why}"),
    msg("it holds several objects, and not all can be read: {why}"),
    msg("{said} is not a level of the scale from {lowest} to {highest}, but lies between two of them"),
    msg("{said} is not a level of the scale from {lowest} to {highest}"),
    msg("{said} is a fraction, and not of the scale's top {highest}"),
    msg("the reply leaves this item out, and rates what was not asked"),
    msg("the reply leaves this item out"),
    msg("the reply gives no rating"),
    msg("not applicable"),
    msg("the reply rates this item more than once"),
    msg("the reply rates another item than the one asked about"),
    msg("true or false stands where a number belongs"),
    msg("what stands where a number belongs is no number"),
    msg("a key stands in it more than once"),
    msg("a second key in it says something else"),
    msg("a key stands in the reply's JSON object more than once"),
    msg("the reply's thinking has no end, so there is no answer after it"),
    msg("the reply is empty but for its thinking"),
    msg("the reply is empty"),
    msg("the reply holds no JSON object that is whole"),
    msg("the reply holds no JSON object that can be read: it is nested too deeply"),
    msg("the reply holds no JSON object"),
    msg("the reply says different things: its objects differ in what counts"),
    msg("the reply holds another object beside the answer that may change it"),
    msg("the reply holds words around the object that may change it"),
    msg("the endpoint did not say how the reply ended"),
    msg("the reply was cut at the length limit"),
    msg("the endpoint's content filter held the reply back"),
    msg("the reply did not end by itself ({name})"),
    msg("the model refused to answer"),
)
PLACE = re.compile(r"([A-Za-z_][\w.]*): (.+)", re.DOTALL)  # of a reply's part: "rating: …"


@cache
def patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Each message with the expression its sentences fit."""
    messages = (*REASONS, *(message for _kind, message in MESSAGES.values()))
    return tuple((message, re.compile(expression(message), re.DOTALL)) for message in messages)


def expression(message: str) -> str:
    """A message as a regular expression; a value is as short as the words after it allow."""
    parts, at = [], 0
    for field in FIELD.finditer(message):
        parts += [re.escape(message[at : field.start()]), f"(?P<{field[1]}>.{{1,2000}}?)"]
        at = field.end()
    return "".join([*parts, re.escape(message[at:])])


def known(reason: str) -> WorkbenchError | None:
    """The message and values of a stored reason; ``None`` where its words are not ours."""
    if len(reason) > LONGEST:
        return None
    for message, pattern in patterns():
        if found := pattern.fullmatch(reason):
            return WorkbenchError(message, **found.groupdict())
    return None
