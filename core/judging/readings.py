"""From a judge's answer to ratings and comparisons: what can be read is scored, the rest is unscored with its reason."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from core.judging.evidence import match_all
from core.judging.orders import winner
from core.judging.replies import InstrumentRating, ItemRating, Verdict
from core.llm.seam import Answer

Turns = Sequence[dict[str, Any]]
STEP = 1e-9


@dataclass(frozen=True)
class Compared:
    """One comparison read: ``verdict`` won | tie | unscored; the winner is a session, never a letter."""

    verdict: str
    winner_id: int | None
    reason: str
    reasoning: str
    quotes: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Rated:
    """One item read: ``value`` is ``None`` when unscored (then ``reason`` says why)."""

    item: str
    value: float | None
    reason: str
    reasoning: str
    quotes: list[dict[str, Any]] = field(default_factory=list)


def read_comparison(answer: Answer, first: int, second: int, turns: dict[int, Turns]) -> Compared:
    """The comparison of session ``first`` (shown as A) with ``second`` (shown as B)."""
    if not answer.usable or not isinstance(answer.value, Verdict):
        return Compared("unscored", None, answer.reason or answer.state, "")
    verdict = answer.value
    quotes: list[dict[str, Any]] = []
    for letter, session in (("A", first), ("B", second)):
        for side in ("for", "against"):
            said = [q.quote for q in verdict.evidence if q.session == letter and q.side == side]
            quotes += [quote | {"session": session} for quote in match_all(said, side, turns[session])]
    won = winner(verdict.verdict, first, second)
    return Compared("won" if won is not None else "tie", won, "", verdict.reasoning, quotes)


def read_ratings(answer: Answer, items: Sequence[dict[str, Any]], turns: Turns) -> list[Rated]:
    """One reading for each item asked about, in the order asked, whatever came back."""
    if not answer.usable:
        return [Rated(item["id"], None, answer.reason or answer.state, "") for item in items]
    if isinstance(answer.value, InstrumentRating):
        given = {rating.item: rating for rating in answer.value.ratings}
        return [read_item(item, given.get(item["id"]), turns) for item in items]
    return [read_item(item, answer.value, turns) for item in items]


def read_item(item: dict[str, Any], given: ItemRating | None, turns: Turns) -> Rated:
    """A rating off the scale is unscored, never moved to the nearest level."""
    if given is None:
        return Rated(item["id"], None, "the reply leaves this item out", "")
    quotes = match_all(given.evidence, "for", turns) + match_all(given.counter_evidence, "against", turns)
    value, reason = given.rating, ""
    if value is None:
        reason = "not applicable" if item.get("not_applicable") else "the reply gives no rating"
    if value is not None and not on_scale(value, item["levels"]):
        value, reason = None, f"{given.rating:g} is not a level of the scale"
    return Rated(item["id"], value, reason, given.reasoning, quotes)


def on_scale(value: float, levels: Sequence[dict[str, Any]]) -> bool:
    return any(abs(value - float(level["value"])) < STEP for level in levels)
