"""Means, ICC and correlation of sessions that belong to clients or roles, with intervals over these."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from core.agreement.correlation import pearson
from core.agreement.icc import SAME, quick_icc
from core.agreement.intervals import (
    FEW,
    FEWEST,
    NONE,
    Kind,
    Scale,
    cluster_sums,
    effective,
    jackknife_bounds,
    mean_bounds,
)
from core.agreement.matrix import Floats

NAN = float("nan")


@dataclass(frozen=True)
class Clustered:
    """A value with its 95 % interval, the targets ``n`` behind it and the clusters they belong to."""

    value: float
    low: float
    high: float
    n: int
    clusters: int
    kind: Kind = ""

    @property
    def few(self) -> bool:
        """Whether there is an interval that rests on few clusters and may be too narrow."""
        return self.low == self.low and self.clusters < FEW


def clustered_mean(values: Floats, clusters: Sequence[Hashable], scale: Scale | None = None) -> Clustered:
    """The mean of cluster means, so that a client with many sessions counts once; t with clusters − 1.

    Args:
        values: shape (n_sessions,), complete. clusters: the client or role of each.
        scale: the ends of the scale the values are on, where it has any; see ``intervals.mean_bounds``.
    Returns:
        no interval with fewer than 3 clusters, or where their means are all the same and there is no scale.
    """
    sums = cluster_sums(np.column_stack([values, np.ones(len(values))]), clusters)
    each = sums[:, 0] / sums[:, 1]
    bounds = mean_bounds(each, scale) if len(each) >= FEWEST else NONE
    return Clustered(float(each.mean()), bounds.low, bounds.high, len(values), len(each), bounds.kind)


def clustered_icc(table: Floats, clusters: Sequence[Hashable], form: str) -> Clustered:
    """One form of the ICC; its interval from leaving out one cluster after the other.

    On the scale of ½ ln F, with half as many degrees of freedom as there are clusters less one (counted by
    their sizes): a ratio of variances is skewed, and its jackknifed spread is itself less certain than that
    of a mean. ``benchmarks/coverage.py`` decided for half.

    Args:
        table: complete scores, shape (n_targets, n_raters).
        clusters: the client or role of each target, shape (n_targets,).
        form: one of ``icc.FORMS``.
    Returns:
        nan ends with fewer than 3 clusters, without disagreement, or where a part has no value.
    Source: McGraw & Wong (1996); the scale as in Ukoumunne and others (2003).
    """
    value = quick_icc(table, form)
    n, k = table.shape
    names = len(set(clusters))
    if np.isnan(value) or names < FEWEST or k < 2:
        return Clustered(value, NAN, NAN, n, names)
    sums = cluster_sums(icc_parts(table - table.mean()), clusters)
    left_out = to_z(icc_of_sums(sums.sum(axis=0) - sums, k, form), k, form)
    low, high = jackknife_bounds(
        float(to_z(np.array(value), k, form)), left_out, (effective(sums[:, 0]) - 1) / 2
    )
    return with_ends(value, from_z(low, k, form), from_z(high, k, form), n, names)


def icc_parts(centred: Floats) -> Floats:
    """What an ICC needs of each target, to be added up: 1, its scores, their squares' sum, its mean squared."""
    return np.column_stack(
        [np.ones(len(centred)), centred, (centred**2).sum(axis=1), centred.mean(axis=1) ** 2]
    )


def icc_of_sums(sums: Floats, k: int, form: str) -> Floats:
    """The ICC of each row of added up ``icc_parts``; the table was centred, so that nothing cancels."""
    n, squares, means = sums[:, 0], sums[:, 1 + k], sums[:, 2 + k]
    with np.errstate(invalid="ignore", divide="ignore"):
        columns = sums[:, 1 : 1 + k] / n[:, None]
        grand = columns.mean(axis=1)
        total = squares - n * k * grand**2
        between = k * (means - n * grand**2)
        across = n * ((columns - grand[:, None]) ** 2).sum(axis=1)
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


def to_z(values: Floats, k: float | Floats, form: str) -> Floats:
    """½ ln F of an ICC: Fisher's z for one of ``k`` raters or for their mean; infinite or nan at its ends."""
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = 1 / (1 - values) if form.endswith("k)") else (1 + (k - 1) * values) / (1 - values)
        found: Floats = np.log(ratio) / 2
    return found


def from_z(z: float, k: float, form: str) -> float:
    """The ICC of a z; the ends of the scale where it is far out."""
    least = np.exp(-2 * min(max(z, -300.0), 300.0)) if z == z else NAN  # 1 / F
    return float(1 - least if form.endswith("k)") else (1 - least) / (1 + (k - 1) * least))


def clustered_pearson(first: Floats, second: Floats, clusters: Sequence[Hashable]) -> Clustered:
    """Pearson's r; its interval from leaving out one cluster after the other, on Fisher's z.

    Args:
        first, second: scores, shape (n_targets,), complete, same order. clusters: shape (n_targets,).
    Returns:
        nan ends with fewer than 3 clusters, at r = ±1, or where a part has no value.
    Source: Fisher (1921) for z; Efron & Tibshirani (1993) for the jackknife.
    """
    value, names = pearson(first, second), len(set(clusters))
    if np.isnan(value) or names < FEWEST:
        return Clustered(value, NAN, NAN, len(first), names)
    a, b = first - first.mean(), second - second.mean()
    sums = cluster_sums(pearson_parts(a, b), clusters)
    with np.errstate(invalid="ignore", divide="ignore"):
        left_out = np.arctanh(pearson_of_sums(sums.sum(axis=0) - sums))
        z = float(np.arctanh(value))
    low, high = jackknife_bounds(z, left_out, effective(sums[:, 0]) - 1)
    return with_ends(value, float(np.tanh(low)), float(np.tanh(high)), len(first), names)


def pearson_parts(a: Floats, b: Floats) -> Floats:
    """What r needs of each target, to be added up; both centred, so that nothing cancels."""
    return np.column_stack([np.ones(len(a)), a, b, a * b, a**2, b**2])


def pearson_of_sums(sums: Floats) -> Floats:
    """The r of each row of added up ``pearson_parts``; nan without variance."""
    n, a, b, ab, aa, bb = sums.T
    with np.errstate(invalid="ignore", divide="ignore"):
        size = np.sqrt(np.maximum(aa - a**2 / n, 0.0) * np.maximum(bb - b**2 / n, 0.0))
        found: Floats = np.where(size > SAME, (ab - a * b / n) / size, np.nan)
    return found


def with_ends(value: float, low: float, high: float, n: int, clusters: int) -> Clustered:
    return Clustered(value, low, high, n, clusters, "t" if low == low else "")
