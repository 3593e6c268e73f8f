"""Intervals from resampling whole clusters: clients or roles, never single sessions."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.agreement.matrix import Floats
from core.errors import DataError

NAN = float("nan")
Rows = NDArray[np.intp]


@dataclass(frozen=True)
class Interval:
    """The middle 95 % (by default) of the resampled values; ``kept`` of ``draws`` gave a value."""

    low: float
    high: float
    clusters: int
    draws: int
    kept: int


def percentiles(values: Floats, level: float) -> tuple[float, float]:
    """The middle ``level`` of the values, nan left out."""
    known = values[np.isfinite(values)]
    if not len(known):
        return NAN, NAN
    tail = (1 - level) / 2
    low, high = np.quantile(known, [tail, 1 - tail])
    return float(low), float(high)


def cluster_interval(
    clusters: Sequence[Hashable], statistic: Callable[[Rows], float], rng: np.random.Generator,
    draws: int = 2000, level: float = 0.95,
) -> Interval:  # fmt: skip
    """Percentile interval of a statistic when clusters are drawn with replacement.

    Args:
        clusters: the cluster (client, role) of each row, shape (n_rows,).
        statistic: gives the value for an array of row numbers; a cluster drawn twice brings its rows twice.
        rng: seeded by the caller.
        draws: resamples. level: share of the resampled values inside the interval, in (0, 1).
    Returns:
        nan ends with fewer than 2 clusters, or where under nine tenths of the draws gave a value.
    Raises:
        DataError: draws below 1 or level outside (0, 1).
    Source: cluster bootstrap, Davison & Hinkley (1997), section 3.8.
    """
    if draws < 1 or not 0 < level < 1:
        raise DataError(
            "Give at least one draw and a level between 0 and 1; {draws} and {level} were given.",
            draws=draws,
            level=level,
        )
    rows: dict[Hashable, list[int]] = {}
    for row, cluster in enumerate(clusters):
        rows.setdefault(cluster, []).append(row)
    groups = [np.array(found, dtype=np.intp) for found in rows.values()]
    if len(groups) < 2:
        return Interval(NAN, NAN, len(groups), draws, 0)
    values = np.array([statistic(one_draw(groups, rng)) for _ in range(draws)])
    kept = int(np.isfinite(values).sum())
    low, high = percentiles(values, level) if kept >= 0.9 * draws else (NAN, NAN)
    return Interval(low, high, len(groups), draws, kept)


def one_draw(groups: Sequence[Rows], rng: np.random.Generator) -> Rows:
    picked = rng.integers(0, len(groups), len(groups))
    return np.concatenate([groups[i] for i in picked])


def draw_weights(clusters: int, draws: int, rng: np.random.Generator) -> Floats:
    """How often each cluster is drawn in each resample, shape (draws, clusters); rows sum to ``clusters``."""
    return rng.multinomial(clusters, [1 / clusters] * clusters, size=draws).astype(float)


def resampled_means(values: Floats, weights: Floats) -> Floats:
    """Means over the clusters of every column, for all resamples at once.

    Args:
        values: shape (n_clusters, n_columns), nan where a cluster has no value.
        weights: from ``draw_weights``, shape (draws, n_clusters).
    Returns:
        shape (draws, n_columns); nan where a resample holds no value of a column.
    """
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        means: Floats = (weights @ np.where(known, values, 0.0)) / (weights @ known.astype(float))
    return means
