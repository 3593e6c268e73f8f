"""``rapport compare``: win scores from a table of pairwise comparisons in both orders."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from core import files
from core.agreement.comparing import TIE, Reading, RoleScore, outcomes, role_scores, tally
from core.agreement.notes import Note
from core.agreement.strength import strengths
from core.agreement.winning import DRAWS, Pair, StageScores, stage_scores
from core.csv_files import jsonable, needed, rows_of
from core.errors import DataError, msg

COLUMNS = ("role", "agent_a", "agent_b", "dimension", "stage", "order", "verdict")
PAIR_FIELDS = (
    "a", "b", "score", "low", "high", "majority_score", "wins", "losses", "ties", "roles", "left_out",
    "decision", "supported",
)  # fmt: skip
SEED = 7
PairScores = Mapping[tuple[str, str], Sequence[RoleScore]]


@dataclass(frozen=True)
class Compared:
    """The file, read: readings, the dimensions of each stage, and each pair as the file first names it."""

    readings: list[Reading]
    dimensions: dict[str, int]
    pairs: list[tuple[str, str]]


def compare_of(path: Path | str, say: Callable[[Note], str] = str) -> dict[str, Any]:
    """Counts of outcomes, and scores per stage.

    Args:
        path: CSV with the columns role, agent_a, agent_b, dimension, stage, order, verdict. Order ``ab`` or
            ``ba`` says who was shown first; the verdict names the winning agent, is ``tie``, or is blank
            where the judge could not be read. An order that has no row counts as unreadable.
    Returns:
        The JSON of the design, "The command line", with ``notes``; not-a-number is ``None``. Scores are in
        [0, 1]; the notes name the kind of their intervals; Bradley–Terry strengths are natural logs with mean 0.
    Raises:
        DataError: unreadable file, missing column, blank name, or a row that cannot be what it says.
    """
    path = Path(path)
    return compare_of_rows(path.name, files.read_file(path), say)


def compare_of_rows(name: str, data: bytes, say: Callable[[Note], str] = str) -> dict[str, Any]:
    """The same for the bytes of a file; errors as there."""
    read = read_comparisons(name, data)
    found = outcomes(read.readings)
    scores = role_scores(found, read.dimensions)
    stages: dict[str, Any] = {}
    notes: list[str] = []
    for stage in read.dimensions:
        own = oriented({(a, b): each for (at, a, b), each in scores.items() if at == stage}, read.pairs)
        stages[stage], said = stage_of(own)
        notes += [f"{stage}: {say(note)}" for note in said]
    result: dict[str, Any] = jsonable({"counts": tally(found), "stages": stages, "notes": notes})
    return result


def read_comparisons(name: str, data: bytes) -> Compared:
    readings: list[Reading] = []
    stage_of_dimension: dict[str, str] = {}
    pairs: dict[tuple[str, str], None] = {}
    for row in rows_of(name, data, COLUMNS):
        reading, pair = reading_of(row, name)
        if (pair[1], pair[0]) not in pairs:
            pairs.setdefault(pair)
        if stage_of_dimension.setdefault(reading.dimension, reading.stage) != reading.stage:
            raise DataError(
                "{name}, line {line}: the dimension {dimension} stands under the stages {one} and {two}. "
                "A dimension belongs to one stage.",
                name=name, line=row["line"], dimension=reading.dimension,
                one=stage_of_dimension[reading.dimension], two=reading.stage,
            )  # fmt: skip
        readings.append(reading)
    stages = list(stage_of_dimension.values())
    return Compared(readings, {stage: stages.count(stage) for stage in dict.fromkeys(stages)}, list(pairs))


def reading_of(row: dict[str, str], name: str) -> tuple[Reading, tuple[str, str]]:
    """One row as a reading, and its pair as (agent_a, agent_b)."""
    role, a, b, dimension, stage, order = (needed(row, column, name) for column in COLUMNS[:-1])
    at = {"name": name, "line": row["line"]}
    if TIE in (a.casefold(), b.casefold()):
        raise DataError(
            "{name}, line {line}: an agent cannot be called “tie”, since the verdict says so for a tie. Rename it.",
            **at,
        )
    if a == b:
        raise DataError(
            "{name}, line {line}: {agent} is compared with itself. Give two agents.", agent=a, **at
        )
    if order.casefold() not in ("ab", "ba"):
        raise DataError(
            "{name}, line {line}: the order is “{order}”. Write ab if agent_a was shown first, ba if agent_b was.",
            order=order, **at,
        )  # fmt: skip
    verdict = row["verdict"]
    winner = TIE if verdict.casefold() == TIE else verdict or None
    if winner not in (a, b, TIE, None):
        raise DataError(
            "{name}, line {line}: the verdict “{verdict}” is neither {a} nor {b} nor tie. Correct it, or leave it "
            "blank where the judge could not be read.",
            verdict=verdict, a=a, b=b, **at,
        )  # fmt: skip
    first, second = (a, b) if order.casefold() == "ab" else (b, a)
    return Reading(role, first, second, dimension, stage, winner), (a, b)


def oriented(scores: PairScores, pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], list[RoleScore]]:
    """The scores with each pair the way round, and in the order, in which the file names it."""
    turned = {}
    for a, b in pairs:
        if (a, b) in scores:
            turned[a, b] = list(scores[a, b])
        elif (b, a) in scores:
            turned[a, b] = [RoleScore(r.role, 1 - r.score, r.judged, r.dimensions) for r in scores[b, a]]
    return turned


def stage_of(scores: PairScores) -> tuple[dict[str, Any], list[Note]]:
    """One stage as JSON values, and its notes."""
    found = stage_scores(scores, np.random.default_rng(SEED))
    strength = {
        agent: s.value for agent, s in strengths(scores, np.random.default_rng(SEED), draws=0).items()
    }
    told = {
        "scores": {
            agent: {"value": s.value, "low": s.low, "high": s.high} for agent, s in found.agents.items()
        },
        "pairs": [pair_of(pair) for pair in found.pairs],
        "bradley_terry": strength,
    }
    return told, stage_notes(found, strength)


def pair_of(pair: Pair) -> dict[str, Any]:
    return {field: getattr(pair, field) for field in PAIR_FIELDS}


def stage_notes(found: StageScores, strength: Mapping[str, float]) -> list[Note]:
    notes = kind_notes(found)
    if any(pair.roles < 2 for pair in found.pairs):
        notes.append(Note("No interval where fewer than two roles have half their dimensions judged."))
    if any(np.isnan(value) for value in strength.values()):
        notes.append(
            Note("No finite Bradley–Terry strengths: some agents won, or lost, everything against the rest.")
        )
    return notes


KINDS = {
    "t": msg("95 % intervals: t over roles ({scores})."),
    "drawn": msg("95 % intervals: drawing roles, {draws} draws ({scores})."),
    "binomial": msg("95 % intervals: binomial bounds, all roles agree ({scores})."),
}


def kind_notes(found: StageScores) -> list[Note]:
    """Which scores have which kind of interval."""
    named = [(f"{pair.a} – {pair.b}", pair.kind) for pair in found.pairs]
    named += [(agent, score.kind) for agent, score in found.agents.items()]
    return [
        Note(words, draws=f"{DRAWS:,}", scores=", ".join(name for name, own in named if own == kind))
        for kind, words in KINDS.items()
        if any(own == kind for _name, own in named)
    ]
