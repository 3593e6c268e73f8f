"""Drawing named samples: seeded, stratified, and the same again whatever order the store lists things in."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from core.errors import DataError
from core.studies.design import Sample

Thing = TypeVar("Thing")


@dataclass(frozen=True)
class Drawn:
    """What was drawn: ids in their order, how many of each stratum, and which strata fell short."""

    ids: tuple[int, ...]
    strata: Mapping[str, int] = field(default_factory=dict)
    short: Mapping[str, int] = field(default_factory=dict)


def shuffled(things: Iterable[Thing], seed: int, name: Any = str) -> list[Thing]:
    """The things in an order that depends on the seed and on each thing's own name, and nothing else."""
    return sorted(things, key=lambda thing: hashlib.sha256(f"{seed}:{name(thing)}".encode()).digest())


def draw(name: str, sample: Sample, rows: Sequence[Mapping[str, Any]]) -> Drawn:
    """Draw the sample from rows that carry ``id`` and the strata's columns.

    Raises:
        DataError: nothing fits, or a column asked for is not one of these records'.
    """
    for column in [*sample.where, *([sample.per] if sample.per else [])]:
        if rows and column not in rows[0]:
            raise DataError(
                "The sample {name} asks for {column}, which {of} do not have. Choose another field; nothing was started.",
                name=name,
                column=column,
                of=sample.of,
            )
    fitting = [
        row for row in rows if all(str(row[column]) in values for column, values in sample.where.items())
    ]
    if not fitting:
        raise DataError(
            "The sample {name} is empty: no {of} in the store fit it. Change the sample or add {of}; nothing was started.",
            name=name,
            of=sample.of,
        )
    strata: dict[str, list[int]] = {}
    for row in fitting:
        strata.setdefault(str(row[sample.per]) if sample.per else "all", []).append(row["id"])
    picked = {
        stratum: sorted(shuffled(ids, sample.seed)[: sample.count]) for stratum, ids in sorted(strata.items())
    }
    return Drawn(
        ids=tuple(id for ids in picked.values() for id in ids),
        strata={stratum: len(ids) for stratum, ids in picked.items()},
        short={s: len(ids) for s, ids in picked.items() if sample.count and len(ids) < sample.count},
    )
