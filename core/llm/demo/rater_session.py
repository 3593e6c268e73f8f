"""What the rules see in a session: each feature, in which turns, with the sentence it fired in.

Some features need the turn before: a *confirmation* is a yes to something the counselor said back, *withholding*
is a nod in answer to an open question, *uptake* takes up the client's words.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from core.llm.demo.features import LONGEST_TURN, Reading, content_of, quote_of, read_turn
from core.llm.demo.text import folded, sentences, tokens

Turns = tuple[tuple[str, str], ...]  # (seat, text), in order
FEWEST = 8  # turns a density is taken over at least, so that one turn alone proves little
RELEVANT = 4  # words shared with the history from which an answer clearly belongs to it
SHARED = 2  # words in common from which one turn takes up another
MOST_TURNS = 2000
OFFERED = {"directive", "steps_jointly", "options", "confronts", "minimises", "interprets"}
SAID_BACK = ("reflects", "summary", "checks", "feeling_named", "validates", "interprets")
LONG = {"en": 50, "zh": 50}  # CPsyCoun's aim for one utterance: words or characters
LEAK = re.compile(r"[\w.+-]+@[\w-]+\.\w{2,}|(?<!\d)(?:\+?\d[ -]?){10,13}(?!\d)|(?<!\d)\d{17}[\dXx](?!\d)")
STAGES = (
    ("introduces", "goal_talk"),
    ("assesses", "feeling_asked"),
    ("technique", "steps_jointly"),
    ("consolidates",),
)
BETTER = ("hopes", "insight", "gratitude", "takes_up", "commits")


def turns_of(session: Sequence[Mapping[str, Any]]) -> Turns:
    """The turns as the rules read them."""
    return tuple((str(turn["seat"]), str(turn["text"])) for turn in session)


@dataclass(frozen=True)
class Spot:
    """Where a feature was seen: the number of the turn and the exact sentence."""

    turn: int
    quote: str


@dataclass(frozen=True)
class Observed:
    """A session's features. ``seats`` counts each seat's turns of more than a nod."""

    spots: Mapping[str, tuple[Spot, ...]]
    seats: Mapping[str, int]
    owner: Mapping[str, str]
    fixed: Mapping[str, float]
    fewest: int = FEWEST

    def count(self, feature: str) -> int:
        return len(self.spots.get(feature, ()))

    def among(self, feature: str) -> int:
        """The number of turns a feature's density is taken over."""
        return self.seats.get(self.owner.get(feature, "counselor"), 0)

    def strength(self, feature: str, full: float) -> float:
        """0 for unseen to 1 for substantial."""
        if feature in self.fixed:
            return self.fixed[feature]
        return min(1.0, self.count(feature) / max(self.fewest, self.among(feature)) / full)


@lru_cache(maxsize=4096)
def observe(turns: Turns) -> Observed:
    """All features of a session, in one pass."""
    turns = turns[:MOST_TURNS]
    readings = [read_turn(seat, text) for seat, text in turns]
    spots: dict[str, list[Spot]] = {}
    owner: dict[str, str] = {}
    before: dict[str, Reading] = {}
    for number, (reading, (seat, text)) in enumerate(zip(readings, turns, strict=True)):
        seen = dict(reading.features)
        _add_context(seen, reading, before, text)
        for feature, quote in seen.items():
            spots.setdefault(feature, []).append(Spot(number, quote))
            owner.setdefault(feature, seat)
        if reading.substantial or seat not in before:
            before[seat] = reading
    _add_early_advice(spots, owner, readings)
    _add_repeats(spots, owner, turns, readings)
    counts = {
        seat: sum(1 for r in readings if r.seat == seat and (r.substantial or r.features))
        for seat in ("client", "counselor")
    }
    kept = {feature: tuple(found) for feature, found in spots.items()}
    return Observed(kept, counts, owner, _fixed(kept, owner, readings))


@lru_cache(maxsize=1024)
def observe_last(turns: Turns) -> Observed:
    """The features of the last counselor turn alone, read against everything before it (CPsyCoun's extrinsic form)."""
    last = max((n for n, (seat, _) in enumerate(turns) if seat == "counselor"), default=None)
    if last is None:
        return observe(turns)
    seen = observe(turns[: last + 1])
    spots = {name: tuple(s for s in found if s.turn == last) for name, found in seen.spots.items()}
    spots = {name: found for name, found in spots.items() if found}
    history = frozenset[str]().union(
        *(read_turn(seat, text).content for seat, text in turns[:last] if seat == "client")
    )
    shared = len(read_turn(*turns[last]).content & history)
    if shared:
        spots["relevant"] = (Spot(last, _whole(turns[last][1])),)
    owner = {**seen.owner, "relevant": "counselor"}
    return Observed(
        spots, {"client": 0, "counselor": 1}, owner, {"relevant": min(1.0, shared / RELEVANT)}, fewest=1
    )


def _whole(text: str) -> str:
    """The turn's first sentence, as a quote."""
    first = next(iter(sentences(text)), None)
    return quote_of(first) if first else text[:80]


def _sharing(text: str, content: frozenset[str], language: str) -> str:
    """The sentence of a turn that shares most with what was said before."""
    pieces = sentences(text[:LONGEST_TURN])
    best = max(pieces, key=lambda piece: len(content_of(tokens(piece.text), language) & content))
    return quote_of(best)


def _add_context(seen: dict[str, str], reading: Reading, before: Mapping[str, Reading], text: str) -> None:
    other = before.get("client" if reading.seat == "counselor" else "counselor")
    if reading.seat == "counselor":
        _counselor_context(seen, reading, other, text)
    elif other is not None:
        _client_context(seen, reading, other, text)
    if reading.size > LONG[reading.language]:
        seen["long_turn"] = _whole(text)
    if LEAK.search(folded(text)):
        seen["leaks"] = _whole(text)


def _counselor_context(seen: dict[str, str], reading: Reading, client: Reading | None, text: str) -> None:
    if client is None or not reading.substantial:
        return
    shared = len(reading.content & client.content)
    if shared >= SHARED:
        shared_in = _sharing(text, client.content, reading.language)
        seen["uptake"] = shared_in
        if not reading.question and "directive" not in seen and 2 * shared >= len(reading.content):
            seen.setdefault("reflects", shared_in)


def _client_context(seen: dict[str, str], reading: Reading, counselor: Reading, text: str) -> None:
    said_back = next((name for name in SAID_BACK if name in counselor.features), None)
    yes = next((name for name in ("agrees_strongly", "agrees") if name in seen), None)
    refusal = seen.get("disagrees") or seen.get("says_no")
    if said_back and yes and "disagrees" not in seen:
        seen["confirms"] = seen[yes]
    if said_back and refusal and not yes and not counselor.question:
        seen["corrects"] = refusal
    if "says_no" in seen and not counselor.question:
        seen.setdefault("disagrees", seen["says_no"])
    if "says_but" in seen and counselor.features.keys() & OFFERED:
        seen.setdefault("disagrees", seen["says_but"])
    asked = counselor.features.keys() & {"open_question", "feeling_asked"}
    if asked and not reading.substantial and not yes:
        seen["withholds"] = _whole(text)
    if (asked or said_back) and "elaborates" in seen:
        seen["opens_up"] = seen["elaborates"]
    if (
        reading.substantial
        and len(reading.content) >= 4
        and len(reading.content & counselor.content) >= 0.8 * len(reading.content)
    ):
        seen["echoes"] = _whole(text)


def _add_early_advice(
    spots: dict[str, list[Spot]], owner: dict[str, str], readings: Sequence[Reading]
) -> None:
    """Advice in the first third of a session, before the client could tell much."""
    early = [spot for spot in spots.get("directive", []) if 3 * spot.turn < len(readings)]
    if early:
        spots["early_advice"] = early
        owner["early_advice"] = "counselor"


def _add_repeats(
    spots: dict[str, list[Spot]], owner: dict[str, str], turns: Turns, readings: Sequence[Reading]
) -> None:
    """Client turns that say again what was said, word for word."""
    said: set[str] = set()
    for number, (reading, (seat, text)) in enumerate(zip(readings, turns, strict=True)):
        if seat != "client" or not reading.substantial:
            continue
        plain = folded(text)
        if plain in said:
            spots.setdefault("repeats", []).append(Spot(number, _whole(text)))
            owner["repeats"] = "client"
        said.add(plain)


def _fixed(
    spots: dict[str, tuple[Spot, ...]], owner: dict[str, str], readings: Sequence[Reading]
) -> dict[str, float]:
    """Features of the whole session, with a strength of their own."""
    fixed: dict[str, float] = {}
    half = len(readings) / 2
    hurt = [s for s in spots.get("feeling_owned", ()) if s.turn < half]
    better = [s for name in BETTER for s in spots.get(name, ()) if s.turn >= half]
    if hurt and better:
        spots["emotion_shift"] = (hurt[0], max(better, key=lambda s: s.turn))
        owner["emotion_shift"] = "client"
        fixed["emotion_shift"] = min(1.0, (min(2, len(hurt)) + min(2, len(better))) / 4)
    stages = [_middle(spots, names) for names in STAGES]
    present = [s for s in stages if s is not None]
    if len(present) >= 2:
        pairs = [(a, b) for n, a in enumerate(present) for b in present[n + 1 :]]
        right = sum(1 for a, b in pairs if a[0] <= b[0]) / len(pairs)
        spots["stage_order"] = tuple(s[1] for s in present)
        owner["stage_order"] = "counselor"
        fixed["stage_order"] = right * len(present) / len(STAGES)
    return fixed


def _middle(spots: Mapping[str, tuple[Spot, ...]], names: Sequence[str]) -> tuple[float, Spot] | None:
    """The mean place of a stage's features and the first of them."""
    found = sorted((s for name in names for s in spots.get(name, ())), key=lambda s: s.turn)
    return (sum(s.turn for s in found) / len(found), found[0]) if found else None
