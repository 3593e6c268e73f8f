"""Pairwise comparisons: from two readings in two orders to one outcome, and to scores per role."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from core.errors import DataError

TIE = "tie"
State = Literal["decided", "tie", "orders_disagree", "undecided", "skipped"]
STATES: tuple[State, ...] = ("decided", "tie", "orders_disagree", "undecided", "skipped")
COVERED = 0.5  # a role needs at least this share of its dimensions judged
EVEN = 1e-9


@dataclass(frozen=True)
class Reading:
    """What the judge said in one order: ``winner`` names an agent, is ``TIE``, or ``None`` where unreadable."""

    role: Hashable
    first: str  # the agent shown first
    second: str
    dimension: str
    stage: str
    winner: str | None
    repeat: Hashable = 1


@dataclass(frozen=True)
class Outcome:
    """One dimension of one pair and role, both orders taken together; ``a`` sorts before ``b``."""

    role: Hashable
    a: str
    b: str
    dimension: str
    stage: str
    repeat: Hashable
    state: State
    winner: str | None

    @property
    def judged(self) -> bool:
        return self.state in ("decided", "tie", "orders_disagree")

    @property
    def w(self) -> float:
        """1 if ``a`` won, 0 if ``b`` won, ½ for every kind of tie; nan where not judged."""
        if not self.judged:
            return float("nan")
        return {self.a: 1.0, self.b: 0.0}.get(self.winner or "", 0.5)


@dataclass(frozen=True)
class RoleScore:
    """The score of ``a`` against ``b`` with one role in one stage, and how many dimensions were judged."""

    role: Hashable
    score: float
    judged: int
    dimensions: int

    @property
    def coverage(self) -> float:
        return self.judged / self.dimensions

    @property
    def counted(self) -> bool:
        """Whether at least half its dimensions were judged; otherwise the role is left out, and counted so."""
        return self.judged > 0 and self.coverage >= COVERED

    @property
    def majority(self) -> float:
        """1 where more dimensions went to ``a`` than to ``b``, 0 where fewer, ½ where as many."""
        return 0.5 if abs(self.score - 0.5) < EVEN else float(self.score > 0.5)


def combine(one: str | None, other: str | None) -> tuple[State, str | None]:
    """Both orders of one question, each an agent, ``TIE`` or ``None`` (unreadable).

    Returns:
        (state, winner): the same agent twice is *decided*; two ties are a *tie*; a win against the other side
        or against a tie is *orders_disagree* (a tie that is marked); one unreadable is *undecided*, both are
        *skipped*. Only *decided* has a winner.
    Source: ESC-Judge §3.4; the kinds of non-win are kept apart.
    """
    if one is None and other is None:
        return "skipped", None
    if one is None or other is None:
        return "undecided", None
    if one != other:
        return "orders_disagree", None
    return ("tie", None) if one == TIE else ("decided", one)


def single(verdict: str | None) -> tuple[State, str | None]:
    """A question that was put in one order only, as people are asked: unreadable means skipped."""
    if verdict is None:
        return "skipped", None
    return ("tie", None) if verdict == TIE else ("decided", verdict)


def outcomes(readings: Iterable[Reading], both_orders: bool = True) -> list[Outcome]:
    """One outcome for each role, pair, dimension and repeat.

    An order that is not there counts as unreadable: with ``both_orders`` a single reading is *undecided*. Where both
    are there, both count, also without.

    Raises:
        DataError: two readings of the same order, or a verdict that names neither agent.
    """
    told: dict[tuple[Hashable, str, str, str, str, Hashable], dict[str, str | None]] = {}
    for r in readings:
        check(r)
        a, b = sorted((r.first, r.second))
        orders = told.setdefault((r.role, a, b, r.dimension, r.stage, r.repeat), {})
        if r.first in orders:
            raise DataError(
                "Role {role}, {first} against {second} on {dimension} was compared more than once in the same "
                "order. Keep one row for each role, pair, dimension and order.",
                role=r.role, first=r.first, second=r.second, dimension=r.dimension,
            )  # fmt: skip
        orders[r.first] = r.winner
    found = []
    for (role, a, b, dimension, stage, repeat), orders in told.items():
        state, winner = (
            combine(orders.get(a), orders.get(b)) if both_orders or len(orders) > 1 else single(*orders.values())
        )
        found.append(Outcome(role, a, b, dimension, stage, repeat, state, winner))
    return found


def check(reading: Reading) -> None:
    """An agent is not compared with itself, and the verdict names one of the two."""
    if reading.first == reading.second:
        raise DataError(
            "{agent} is compared with itself (role {role}, {dimension}). Give two different agents.",
            agent=reading.first, role=reading.role, dimension=reading.dimension,
        )  # fmt: skip
    if reading.winner not in (reading.first, reading.second, TIE, None):
        raise DataError(
            "The verdict “{verdict}” (role {role}, {dimension}) names neither {first} nor {second}, and is not "
            "“tie”. Correct it, or leave it blank where the judge could not be read.",
            verdict=reading.winner, role=reading.role, dimension=reading.dimension,
            first=reading.first, second=reading.second,
        )  # fmt: skip


def tally(found: Iterable[Outcome]) -> dict[str, int]:
    """How many outcomes stand in each state; every state is named."""
    counted = Counter(outcome.state for outcome in found)
    return {state: counted[state] for state in STATES}


def role_scores(
    found: Sequence[Outcome], dimensions: Mapping[str, int]
) -> dict[tuple[str, str, str], list[RoleScore]]:
    """Scores of ``a`` against ``b`` per (stage, a, b), one for each role.

    Args:
        found: outcomes of any stages and pairs.
        dimensions: how many dimensions each stage has.
    Returns:
        For each role the mean of w ∈ {1, 0, ½} over the judged dimensions (repeats of a dimension averaged
        first); nan where none was judged.
    Source: ESC-Judge §3.4, aggregation of judgements.
    """

    def place(o: Outcome) -> tuple[str, str, str, str]:
        return (o.stage, o.a, o.b, repr(o.role))

    scores: dict[tuple[str, str, str], list[RoleScore]] = {}
    for (stage, a, b, _), group in groupby(sorted(found, key=place), key=place):
        members = list(group)
        by_dimension: dict[str, list[float]] = {}
        for outcome in members:
            if outcome.judged:
                by_dimension.setdefault(outcome.dimension, []).append(outcome.w)
        means = [sum(values) / len(values) for values in by_dimension.values()]
        score = sum(means) / len(means) if means else float("nan")
        asked = max(dimensions.get(stage, 0), len({o.dimension for o in members}))
        scores.setdefault((stage, a, b), []).append(RoleScore(members[0].role, score, len(means), asked))
    return scores
