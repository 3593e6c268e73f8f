"""From tidy scores to a targets × raters table."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.errors import DataError

Floats = NDArray[np.float64]
Cell = tuple[Hashable, Hashable, float | None]


@dataclass(frozen=True)
class Scores:
    """Scores of one item, a row for each target and a column for each rater; nan where a cell is missing."""

    values: Floats
    targets: tuple[Hashable, ...]
    raters: tuple[Hashable, ...]

    @property
    def complete(self) -> Floats:
        """Only the targets that every rater scored, shape (n complete, n_raters)."""
        return self.values[~np.isnan(self.values).any(axis=1)] if self.raters else self.values[:0]

    @property
    def dropped(self) -> int:
        """How many targets lack a score of at least one rater."""
        return len(self.values) - len(self.complete)


def scores_of(cells: Iterable[Cell]) -> Scores:
    """Arrange (target, rater, score) triples; a score of ``None`` or nan is missing.

    Targets and raters keep the order in which they first occur. A rater without a single score is left out.

    Raises:
        DataError: a rater scored the same target twice.
    """
    given: dict[tuple[Hashable, Hashable], float] = {}
    targets: dict[Hashable, int] = {}
    raters: dict[Hashable, int] = {}
    for target, rater, score in cells:
        if (target, rater) in given:
            raise DataError(
                "Rater {rater} scored target {target} more than once on the same item, so it is not clear "
                "which score counts. Keep one row for each target, rater and item.",
                rater=rater,
                target=target,
            )
        value = np.nan if score is None else float(score)
        given[target, rater] = value
        targets.setdefault(target, len(targets))
        if not np.isnan(value):
            raters.setdefault(rater, len(raters))
    values = np.full((len(targets), len(raters)), np.nan)
    for (target, rater), value in given.items():
        if rater in raters:
            values[targets[target], raters[rater]] = value
    return Scores(values, tuple(targets), tuple(raters))
