"""From a judge's answer to ratings and comparisons: what can be read is scored, the rest is unscored with its reason."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.instruments import NOT_APPLICABLE
from core.judging.evidence import Transcript, Turns, match_all
from core.judging.orders import winner
from core.judging.replies import InstrumentRating, ItemRating, NamedRating, UnreadRating, Verdict
from core.judging.values import OFF_SCALE, item_name, level_of
from core.llm.seam import Answer

# Version of how replies are read, stored with each row. 1 took true for 1, and the last of two ratings.
READER = 2
LEFT_OUT = "the reply leaves this item out"
NO_RATING = "the reply gives no rating"


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
        return Compared("unscored", None, why_not(answer), "")
    verdict = answer.value
    quotes: list[dict[str, Any]] = []
    for letter, session in (("A", first), ("B", second)):
        said_in = Transcript(turns[session])
        for side in ("for", "against"):
            said = [q.quote for q in verdict.evidence if q.session == letter and q.side == side]
            quotes += [quote | {"session": session} for quote in match_all(said, side, said_in)]
    won = winner(verdict.verdict, first, second)
    return Compared("won" if won is not None else "tie", won, "", verdict.reasoning, quotes)


def read_ratings(answer: Answer, items: Sequence[dict[str, Any]], turns: Turns) -> list[Rated]:
    """One reading for each item asked about, in the order asked, whatever came back."""
    if not answer.usable or answer.value is None:
        return [Rated(item["id"], None, why_not(answer), "") for item in items]
    said_in = Transcript(turns)
    if isinstance(answer.value, InstrumentRating):
        given = by_item(answer.value.ratings)
        missing = LEFT_OUT + (
            ", and rates what was not asked" if given.keys() - {i["id"] for i in items} else ""
        )
        return [read_one_of(item, given.get(item["id"], []), said_in, missing) for item in items]
    return [read_item(item, answer.value, said_in) for item in items]


def code_of(reason: str) -> str:
    """What kind of reason one item's is: *missing*, *off_scale* or *unreadable*."""
    if reason.startswith((LEFT_OUT, NO_RATING)):
        return "missing"
    return "off_scale" if OFF_SCALE in reason else "unreadable"


def why_not(answer: Answer) -> str:
    return answer.reason or answer.state


def by_item(ratings: Iterable[NamedRating]) -> dict[str, list[NamedRating]]:
    found: dict[str, list[NamedRating]] = {}
    for rating in ratings:
        found.setdefault(rating.item, []).append(rating)
    return found


def read_one_of(
    item: dict[str, Any], given: Sequence[NamedRating], said_in: Transcript, missing: str
) -> Rated:
    """One item of several; the same item twice is unscored, even where both agree."""
    if len(given) != 1:
        return Rated(item["id"], None, "the reply rates this item more than once" if given else missing, "")
    if isinstance(given[0], UnreadRating):
        return Rated(item["id"], None, given[0].reason, given[0].reasoning)
    return read_item(item, given[0], said_in)


def read_item(item: dict[str, Any], given: ItemRating, said_in: Transcript) -> Rated:
    """A rating off the scale is unscored, never moved to the nearest level."""
    quotes = match_all(given.evidence, "for", said_in) + match_all(given.counter_evidence, "against", said_in)
    value, reason = None, NOT_APPLICABLE if item.get("not_applicable") else NO_RATING
    if given.rating is not None:
        value, reason = level_of(given.rating, [float(level["value"]) for level in item["levels"]])
    if value is not None and names_another(given, item["id"]):
        value, reason = None, "the reply rates another item than the one asked about"
    return Rated(item["id"], value, reason, given.reasoning, quotes)


def names_another(given: ItemRating, asked: str) -> bool:
    """Whether a reply names an item of its own accord, and not the one asked about (alone or before its text)."""
    if isinstance(given, NamedRating) or given.names is None:
        return False
    named = str(item_name(given.names))
    return not named.startswith(asked) or named[len(asked) : len(asked) + 1].isalnum()
