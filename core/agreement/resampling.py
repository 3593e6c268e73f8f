"""Resampling whole clusters: clients or roles, never single sessions."""

from functools import lru_cache

import numpy as np

from core.agreement.matrix import Floats

NAN = float("nan")


def percentiles(values: Floats, level: float) -> tuple[float, float]:
    """The middle ``level`` of the values, nan left out."""
    known = values[np.isfinite(values)]
    if not len(known):
        return NAN, NAN
    tail = (1 - level) / 2
    low, high = np.quantile(known, [tail, 1 - tail])
    return float(low), float(high)


def draw_weights(clusters: int, draws: int, rng: np.random.Generator | int) -> Floats:
    """How often each cluster is drawn in each resample, shape (draws, clusters); rows sum to ``clusters``.

    Args:
        rng: or a seed, whose draws are the same each time and are made once.
    """
    if isinstance(rng, int):
        return _seeded(clusters, draws, rng).astype(float)
    return rng.multinomial(clusters, [1 / clusters] * clusters, size=draws).astype(float)


@lru_cache(maxsize=4)
def _seeded(clusters: int, draws: int, seed: int) -> np.ndarray:
    """Draws of a fresh generator, in two bytes each: 10,000 of 500 roles take 10 MB."""
    drawn = np.random.default_rng(seed).multinomial(clusters, [1 / clusters] * clusters, size=draws)
    return drawn.astype(np.uint16 if clusters < 2**16 else np.int64)


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
