"""ICC and correlation with intervals from resampling clients or roles, all resamples at once."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from core.agreement.correlation import pearson
from core.agreement.icc import SAME, quick_icc
from core.agreement.matrix import Floats
from core.agreement.resampling import draw_weights, percentiles

NAN = float("nan")
ENOUGH = 0.9  # share of the resamples that must give a value


@dataclass(frozen=True)
class Clustered:
    """A value with its 95 % interval, the targets ``n`` behind it and the clusters they belong to."""

    value: float
    low: float
    high: float
    n: int
    clusters: int


def row_weights(clusters: Sequence[Hashable], draws: int, rng: np.random.Generator) -> Floats:
    """How often each row is drawn in each resample of clusters, shape (draws, n_rows)."""
    names = {name: at for at, name in enumerate(dict.fromkeys(clusters))}
    weights: Floats = draw_weights(len(names), draws, rng)[:, [names[name] for name in clusters]]
    return weights


def clustered_icc(
    table: Floats, clusters: Sequence[Hashable], form: str, rng: np.random.Generator, draws: int = 1000
) -> Clustered:
    """One form of the ICC, its interval from resampling clusters.

    Args:
        table: complete scores, shape (n_targets, n_raters).
        clusters: the client or role of each target, shape (n_targets,).
        form: one of ``icc.FORMS``. rng: seeded by the caller. draws: resamples.
    Returns:
        nan ends with fewer than 2 clusters or where the resamples give no value.
    Source: McGraw & Wong (1996); cluster bootstrap, Davison & Hinkley (1997).
    """
    value = quick_icc(table, form)
    n, k = table.shape
    names = len(set(clusters))
    if np.isnan(value) or names < 2 or k < 2:
        return Clustered(value, NAN, NAN, n, names)
    resampled = weighted_icc(table - table.mean(), row_weights(clusters, draws, rng), form)
    return Clustered(value, *ends(resampled), n, names)


def weighted_icc(table: Floats, weights: Floats, form: str) -> Floats:
    """The ICC of every resample, shape (draws,); ``table`` is centred so that nothing cancels."""
    k = table.shape[1]
    n = weights.sum(axis=1)
    columns = weights @ table / n[:, None]
    grand = columns.mean(axis=1)
    total = weights @ (table**2).sum(axis=1) - n * k * grand**2
    between = k * (weights @ table.mean(axis=1) ** 2 - n * grand**2)
    across = n * ((columns - grand[:, None]) ** 2).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        targets = between / (n - 1)
        within = (total - between) / (n * (k - 1))
        raters = across / (k - 1)
        rest = np.maximum(total - between - across, 0.0) / ((n - 1) * (k - 1))
        upper, lower = {
            "ICC(1,1)": (targets - within, targets + (k - 1) * within),
            "ICC(A,1)": (targets - rest, targets + (k - 1) * rest + k * (raters - rest) / n),
            "ICC(C,1)": (targets - rest, targets + (k - 1) * rest),
            "ICC(1,k)": (targets - within, targets),
            "ICC(A,k)": (targets - rest, targets + (raters - rest) / n),
            "ICC(C,k)": (targets - rest, targets),
        }[form]
        found: Floats = np.where(np.abs(lower) > SAME, upper / lower, np.nan)
    return found


def clustered_pearson(
    first: Floats, second: Floats, clusters: Sequence[Hashable], rng: np.random.Generator, draws: int = 1000
) -> Clustered:
    """Pearson's r, its interval from resampling clusters.

    Args:
        first, second: scores, shape (n_targets,), complete, same order. clusters: shape (n_targets,).
    Returns:
        nan ends with fewer than 2 clusters or where the resamples give no value.
    """
    value, names = pearson(first, second), len(set(clusters))
    if np.isnan(value) or names < 2:
        return Clustered(value, NAN, NAN, len(first), names)
    a, b = first - first.mean(), second - second.mean()
    weights = row_weights(clusters, draws, rng)
    n = weights.sum(axis=1)
    mean_a, mean_b = weights @ a / n, weights @ b / n
    with np.errstate(invalid="ignore", divide="ignore"):
        spread_a = np.maximum(weights @ a**2 / n - mean_a**2, 0.0)
        spread_b = np.maximum(weights @ b**2 / n - mean_b**2, 0.0)
        size = np.sqrt(spread_a * spread_b)
        resampled = np.where(size > SAME, (weights @ (a * b) / n - mean_a * mean_b) / size, np.nan)
    return Clustered(value, *ends(resampled), len(first), names)


def ends(resampled: Floats) -> tuple[float, float]:
    if float(np.isfinite(resampled).mean()) < ENOUGH:
        return NAN, NAN
    return percentiles(resampled, 0.95)
