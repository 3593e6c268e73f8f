"""Reading a reply: from raw text to a checked value, or the reason it cannot be read.

Pure, so that stored raw replies can be read again by a newer version without new calls. Whatever the text is, a
reading comes back and nothing is raised; the time is linear in the reply.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from pydantic import BaseModel, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from core.llm.around import MAY_CHANGE, may_change
from core.llm.leading import answer_in
from core.llm.thinking import without_thinking

SURROGATE = re.compile("[\ud800-\udfff]")  # half a character: no file and no database takes it
ESCAPE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\."
)
BRACE = re.compile(r"[{}]")
MEANT = re.compile(r'\{\s*["}]')  # a brace that begins JSON, not prose
LONGEST = 300  # digits: a longer whole number is beyond every scale, and beyond what Python converts


@dataclass(frozen=True)
class Reading:
    """``value`` is ``None`` when the text cannot be read; then ``reason`` says why."""

    value: Any
    reason: str = ""


class Twice(dict[str, Any]):
    """A JSON object in which a key stands more than once, so that one cannot know which was meant."""


class Objects(NamedTuple):
    """The JSON objects of a text, the words before and between them, and the words after the last."""

    found: list[dict[str, Any]]
    before: str
    after: str


class Once(BaseModel):
    """A part of a reply that says something once: no key twice in any case, and (by ``says``) one verdict in the whole
    reply, with no words around it that may change it."""

    @model_validator(mode="before")
    @classmethod
    def _no_key_twice(cls, value: Any) -> Any:
        if isinstance(value, Twice) or (isinstance(value, dict) and differ_in_case_only(value)):
            raise PydanticCustomError("twice", "a key stands in it more than once")
        if isinstance(value, dict):
            for key, other in value.items():
                if cls.says_otherwise(one_case(key), other, value):
                    raise PydanticCustomError("twice", "a second key in it says something else")
        return value

    @classmethod
    def says_otherwise(cls, name: str, value: Any, given: Mapping[str, Any]) -> bool:
        """Whether a key (``name`` in one case) gives a second value for what counts, and another one."""
        return False

    def says(self) -> Any:
        """What counts in it: two objects in one reply may differ in the rest."""
        return self.model_dump()

    def counts(self) -> str | dict[str, float | None]:
        """The verdict, or the ratings by item (one without a name under ``""``)."""
        return {}


def read_reply(raw: str, reply: type[BaseModel] | None) -> Reading:
    """Read plain text (``reply`` is ``None``) or the JSON object that fits ``reply``."""
    text = SURROGATE.sub("\ufffd", raw).strip()
    try:
        if reply is not None and (alone := lone_object(text)):
            return read_objects(
                Objects([alone], "", ""), reply
            )  # tags inside its strings are its words, not its thinking
        judged = reply is not None and issubclass(reply, Once)
        said = answer_in(text, spoken=reply is None) if judged or reply is None else without_thinking(text)
        if said is None:
            return Reading(None, "the reply's thinking has no end, so there is no answer after it")
        if not said:
            return Reading(None, "the reply is empty" + (" but for its thinking" if text else ""))
        if reply is None:
            return Reading(said)
        found = objects(said)
        if found is None:
            return Reading(None, "the reply holds no JSON object that is whole")
        return read_objects(found, reply)
    except RecursionError:
        return Reading(None, "the reply holds no JSON object that can be read: it is nested too deeply")


def read_objects(said: Objects, reply: type[BaseModel]) -> Reading:
    """The value of a reply's JSON objects. What says one thing (``Once``) must say it in all of them, with no words
    around them that may change it; of other replies the last object counts."""
    if not said.found:
        return Reading(None, "the reply holds no JSON object")
    try:
        if issubclass(reply, Once):
            return one_verdict(said, reply)
        if doubled(said.found[-1]):
            return Reading(None, "a key stands in the reply's JSON object more than once")
        return Reading(reply.model_validate(said.found[-1]))
    except ValidationError as error:
        several = "it holds several objects, and not all can be read: " if len(said.found) > 1 else ""
        return Reading(None, several + in_words(error))


def one_verdict(said: Objects, reply: type["Once"]) -> Reading:
    """What all objects of a reply say together.

    Raises:
        ValidationError: one that speaks of what was asked cannot be read.
    """
    about = [one for one in said.found if one.keys() & reply.model_fields.keys()] or said.found[-1:]
    values = [reply.model_validate(one) for one in about]
    if any(value.says() != values[0].says() for value in values):
        return Reading(None, "the reply says different things: its objects differ in what counts")
    if len(about) != len(said.found):
        return Reading(None, "the reply holds another object beside the answer that may change it")
    if may_change(said.before, said.after, values[-1].counts()):
        return Reading(None, f"the reply holds {MAY_CHANGE}")
    return Reading(values[-1])


def json_object(raw: str) -> dict[str, Any] | None:
    """The last JSON object a reply gives, its thinking cut off; ``None`` where there is none that is whole."""
    text = SURROGATE.sub("\ufffd", raw).strip()
    try:
        found = objects(without_thinking(text) or "")
        return lone_object(text) or (found.found[-1] if found and found.found else None)
    except RecursionError:
        return None


def lone_object(text: str) -> dict[str, Any] | None:
    """The JSON object that a reply is from end to end, in a code fence or not."""
    inner = text.strip("`")
    inner = inner.removeprefix("json").strip() if inner != text else text
    if not MEANT.match(inner):
        return None
    found = objects(inner)
    alone = found is not None and len(found.found) == 1 and not found.after and inner.endswith("}")
    return found.found[0] if found and alone else None


def objects(text: str) -> Objects | None:
    """The JSON objects of a text and the words around them; ``None`` if one is broken.

    An object inside a broken one is never taken for an answer: it may be a draft or an example.
    """
    decoder = json.JSONDecoder(object_pairs_hook=once_or_twice, parse_int=whole_number, strict=False)
    text = ESCAPE.sub(lambda found: "\\ufffd" if found[1] else found[0], text)
    found: list[dict[str, Any]] = []
    before: list[str] = []
    at = end = depth = 0
    while brace := BRACE.search(text, at):
        at = brace.end()
        if brace[0] == "}":
            depth = max(0, depth - 1)
        elif depth or not MEANT.match(text, brace.start()):
            depth += 1
        else:
            try:
                value, at = decoder.raw_decode(text, brace.start())
            except ValueError:
                return None
            if value:
                found.append(value)
                before.append(text[end : brace.start()])
                end = at
    return Objects(found, "\n".join(before), text[end:].strip("` \t\r\n"))


def once_or_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    return made if len(made) == len(pairs) else Twice(made)


def one_case(key: str) -> str:
    """A key without case, width, spaces and strokes."""
    return re.sub(r"[\s_-]+", "", unicodedata.normalize("NFKC", key).casefold())


def differ_in_case_only(given: Mapping[str, Any]) -> bool:
    """Whether two keys are one but for their case, and say different things."""
    seen: dict[str, tuple[bool, Any]] = {}
    said = ((one_case(key), (isinstance(value, bool), value)) for key, value in given.items())
    return any(seen.setdefault(key, value) != value for key, value in said)


def whole_number(digits: str) -> float:
    return int(digits) if len(digits) <= LONGEST else float(digits)


def doubled(value: Any) -> bool:
    """Whether a key stands twice in any object of a value."""
    waiting: list[Any] = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Twice):
            return True
        inner: Iterable[Any] = one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
        waiting.extend(inner)
    return False


def in_words(error: ValidationError) -> str:
    """What does not fit, field by field, without the text itself."""
    places = [f"{'.'.join(map(str, item['loc'])) or 'reply'}: {item['msg']}" for item in error.errors()[:4]]
    return "; ".join(places)


@cache
def strict_schema(reply: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a reply in the strict form: every property required, no others allowed; made once."""
    tightened: dict[str, Any] = tighten(reply.model_json_schema())
    return tightened


def tighten(node: Any) -> Any:
    """One node of a schema made strict; names of properties are kept whatever they are."""
    if isinstance(node, list):
        return [tighten(item) for item in node]
    if not isinstance(node, dict):
        return node
    out: dict[str, Any] = {}
    for key, value in node.items():
        if key in ("properties", "$defs"):
            out[key] = {name: tighten(inner) for name, inner in value.items()}
        elif key not in ("default", "title"):
            out[key] = tighten(value)
    if "properties" in out:
        out |= {"additionalProperties": False, "required": list(out["properties"])}
    return out
