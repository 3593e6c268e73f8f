"""The repair turn: an unreadable reply is asked for once more, as a question of its own. Pure.

So both replies are kept with what they cost, each request is paced and paid for, and a first reply that is in the
store already is not asked for again.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from core.llm.parsing import objects
from core.llm.seam import Answer, Message, Question
from core.llm.thinking import without_thinking

LOOSE = re.compile(r'"(\w{1,40})"\s*:\s*(-?\d{1,12}(?:\.\d{1,12})?|"[^"\n]{1,16}")\s*[,}\]\n]')
LONGEST_WORD = 16  # characters of a value (a verdict, a letter); what is longer is reasoning and may differ
MOST_SAID = 6


def repair_question(question: Question, first: Answer) -> Question | None:
    """The question that asks for the reply again; ``None`` where nothing can be repaired."""
    if first.state != "unreadable" or question.reply is None or question.repair:
        return None
    ask = f"That reply could not be read: {first.reason}. Send the whole reply again as one JSON object with exactly the keys asked for, and nothing else."
    turn = (Message("assistant", first.raw), Message("user", ask))
    return replace(question, messages=question.messages + turn, repair=True)


def repaired(first: Answer, second: Answer) -> Answer:
    """The second reply as the answer; values that the first one gave differently are said in its reason."""
    if not second.usable:
        return second
    changed = differing(first.raw, second.raw)
    reason = f"the first reply said otherwise: {'; '.join(changed)}" if changed else ""
    return replace(second, state="repaired", reason=reason)


def differing(first: str, second: str) -> list[str]:
    """Values that both replies give and that differ, as *place: first → second*."""
    after = told(second)[-1]
    found: dict[str, None] = {}
    for before in told(first):
        for place, value in before.items():
            if place in after and after[place] != value:
                found[f"{place}: {value} → {after[place]}"] = None
    return list(found)[:MOST_SAID]


def told(raw: str) -> list[dict[str, str]]:
    """The values of each object in a reply, by their place; of a broken one, what stands under a name used once."""
    text = without_thinking(raw) or ""
    found = objects(text)
    if found is not None and found.found:
        return [dict(values(one)) for one in found.found]
    pairs = LOOSE.findall(text)
    often = Counter(name for name, _ in pairs)
    return [{name: value.strip('"') for name, value in pairs if often[name] == 1}]


def values(node: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Numbers and short words of a reply by their place; entries of a list by the item they are about."""
    if isinstance(node, dict):
        for name, inner in node.items():
            yield from values(inner, f"{place}.{name}" if place else str(name))
    elif isinstance(node, list):
        for number, inner in enumerate(node):
            named = inner.get("item") if isinstance(inner, dict) else None
            if isinstance(inner, dict):
                yield from values(inner, f"{place} {named if named is not None else number}")
    elif isinstance(node, bool | int | float):
        yield place, f"{node:g}" if not isinstance(node, bool) else str(node).lower()
    elif isinstance(node, str) and node.strip() and len(node.strip()) <= LONGEST_WORD:
        yield place, node.strip()
