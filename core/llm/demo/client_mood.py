"""How far a client trusts by now, read from the counselor's turns each time the client speaks."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.llm.demo.client_card import Card
from core.llm.demo.moves import Move

EARLY = 4  # advice before this many turns of the counselor is early
START = {"positive_experience": 0.8, "negative_experience": -0.6, "resistant": -0.5, "extroverted": 0.3}
GAINS = {"reflection": 0.8, "support": 0.4, "interpretation": 0.3, "reassures": 0.2, "open": 0.5}
LOSSES = {"pressure": 0.9, "disorder": 0.4}
DEPTH = {"impact": -0.5, "wish": 0.0, "feeling": 0.6, "thought": 1.0, "event": 1.4, "deep": 3.2}


@dataclass(frozen=True)
class Mood:
    """``trust``: below 0 is closed, above 3 open; ``cold``: turns in a row that pushed; ``pushed``: how many in all."""

    trust: float
    cold: int
    pushed: int

    def allows(self, kind: str) -> bool:
        """Whether a fact of this kind is told by now."""
        return self.trust >= DEPTH.get(kind, -9.0)


def mood_of(card: Card, moves: Sequence[Move]) -> Mood:
    """Trust after the counselor's turns; a resistant client gains more slowly, a reactive one loses more quickly."""
    trust = card.yields - 2.6 + sum(START.get(variant, 0.0) for variant in card.traits.values())
    warm = 0.6 if card.has("resistant") or card.yields < 2 else 1.4 if card.has("easily_reassured") else 1.0
    hurt = 1.5 if card.trait("response_style") == "emotionally_reactive" else 1.0
    cold = pushed = 0
    for number, move in enumerate(moves):
        change = step(card, move, early=number < EARLY)
        trust += change * (warm if change > 0 else hurt)
        trust = min(6.0, max(-3.0, trust))
        cold = cold + 1 if change < 0 else 0
        pushed += change < 0
    return Mood(trust, cold, pushed)


def step(card: Card, move: Move, early: bool) -> float:
    """What one turn of the counselor does to the client's trust."""
    if pushes(move, early):
        change = -0.3 if card.has("easily_reassured", "traditional") else -0.8
    else:
        change = max((GAINS[name] for name in GAINS if name in move), default=0.0)
        change += 0.3 if "explains" in move and card.has("needs_logic") else 0.0
    return change - (sum(LOSSES[name] for name in LOSSES if name in move) if presses(move) else 0.0)


def presses(move: Move) -> bool:
    """Whether a turn presses or labels in the counselor's own words; the client's "should" said back does not."""
    return bool(move.features & LOSSES.keys()) and not move.features & {"reflection", "interpretation"}


def pushes(move: Move, early: bool) -> bool:
    """Whether a turn advises before it has listened, or advises without asking anything."""
    return "advice" in move and (early or "question" not in move) and "reflection" not in move
