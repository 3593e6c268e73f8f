"""From a number down to what it was made of: questions behind a cell, ratings behind a value."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.agreement.comparing import Outcome
from core.results.reading import Held
from core.results.wins import Contest

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Question:
    """One dimension of one pair of sessions: its outcome, and the comparisons (one per order) behind it."""

    outcome: Outcome
    sessions: tuple[int, int]
    rows: tuple[int, ...]


def questions(
    contest: Contest, frame: "pd.DataFrame", held: Mapping[int, Held], stage: str, a: str, b: str
) -> dict[str, list[Question]]:
    """Role (or client) → the questions about ``a`` and ``b`` in a stage, dimensions in their order."""
    order = {dimension: at for at, dimension in enumerate(contest.dimensions)}
    behind = rows_behind(frame, held)
    found: dict[str, list[Question]] = {}
    for outcome in contest.outcomes:
        if (
            outcome.stage != stage
            or {outcome.a, outcome.b} != {a, b}
            or not isinstance(outcome.repeat, tuple)
        ):
            continue
        one, other, repeat = outcome.repeat
        mine = (one, other) if held[one].counselor == a else (other, one)
        rows = tuple(behind.get((one, other, outcome.dimension, repeat), ()))
        found.setdefault(str(outcome.role), []).append(Question(outcome, mine, rows))
    for questions_of_role in found.values():
        questions_of_role.sort(key=lambda q: order.get(q.outcome.dimension, len(order)))
    return found


def rows_behind(
    frame: "pd.DataFrame", held: Mapping[int, Held]
) -> dict[tuple[int, int, str, int], list[int]]:
    """Ids of comparisons by (lower session, higher session, dimension, repeat)."""
    found: dict[tuple[int, int, str, int], list[int]] = {}
    columns = ("id", "first", "second", "dimension", "repeat")
    for id, first, second, dimension, repeat in zip(*(frame[c] for c in columns), strict=True):
        if int(first) in held and int(second) in held:
            key = (min(int(first), int(second)), max(int(first), int(second)), dimension, int(repeat))
            found.setdefault(key, []).append(int(id))
    return found


def ratings_behind(frame: "pd.DataFrame", item: str, session: int | None = None) -> list[int]:
    """Ids of the ratings of an item, lowest score first (unscored last); of one session if given."""
    own = frame[frame["item"] == item]
    if session is not None:
        own = own[own["session"] == session]
    return [int(id) for id in own.sort_values(["score", "session", "repeat"], na_position="last")["id"]]
