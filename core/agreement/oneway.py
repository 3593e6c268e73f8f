"""One-way ICC where targets have different numbers of raters, not always the same ones."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from core.agreement.clustered import Clustered, from_z, to_z, with_ends
from core.agreement.icc import SAME, alike
from core.agreement.intervals import FEWEST, cluster_sums, effective, jackknife_bounds
from core.agreement.matrix import Floats

NAN = float("nan")
FORM = "ICC(1,1)"


@dataclass(frozen=True)
class OneWay:
    """ICC(1,1), and ICC(1,k) of the mean of as many raters as a target has on average; targets of one rater are ``alone``."""

    single: Clustered
    mean: Clustered
    raters: float
    fewest: int
    most: int
    alone: int


def one_way(table: Floats, clusters: Sequence[Hashable]) -> OneWay:
    """One-way ICC of all targets that at least two raters scored.

    Args:
        table: scores, shape (n_targets, n_raters), nan where a rater did not score a target.
        clusters: the client or role of each target.
    Returns:
        values at most 1; nan with fewer than two such targets or where these do not differ, ends as ``clustered_icc``.
    Source: Donner (1986), the analysis-of-variance estimator with k0; with as many raters everywhere it is that
        of Shrout & Fleiss (1979). Stepped up by Spearman (1910) and Brown (1910).
    """
    counted = (~np.isnan(table)).sum(axis=1)
    kept = counted >= 2
    own, each = table[kept], counted[kept]
    names = [name for name, there in zip(clusters, kept, strict=True) if there]
    alone = int((counted == 1).sum())
    nothing = Clustered(NAN, NAN, NAN, len(own), len(set(names)))
    if len(own) < 2:
        return OneWay(nothing, nothing, NAN, 0, 0, alone)
    k = float(each.mean())
    if alike(own):
        return OneWay(nothing, nothing, k, int(each.min()), int(each.max()), alone)
    sums = cluster_sums(parts(own - np.nanmean(own)), names)
    (value,), (k0,) = icc_and_k0(sums.sum(axis=0)[None, :])
    single = Clustered(float(value), NAN, NAN, len(own), len(sums))
    if np.isfinite(value) and len(sums) >= FEWEST:
        left_out = to_z(*icc_and_k0(sums.sum(axis=0) - sums), FORM)
        z = float(to_z(np.array(value), k0, FORM))
        low, high = jackknife_bounds(z, left_out, (effective(sums[:, 0]) - 1) / 2)
        single = with_ends(
            float(value), from_z(low, k0, FORM), from_z(high, k0, FORM), len(own), len(sums)
        )
    value, low, high = (stepped(x, k) for x in (single.value, single.low, single.high))
    mean = with_ends(value, low, high, single.n, single.clusters)
    return OneWay(single, mean, k, int(each.min()), int(each.max()), alone)


def parts(table: Floats) -> Floats:
    """What the analysis of variance needs of each target, to be added up."""
    m = (~np.isnan(table)).sum(axis=1).astype(float)
    total = np.nansum(table, axis=1)
    return np.column_stack([np.ones(len(table)), m, m**2, total, np.nansum(table**2, axis=1), total**2 / m])


def icc_and_k0(sums: Floats) -> tuple[Floats, Floats]:
    """ICC(1,1) and the number of raters it reckons with, of each row of added up ``parts``."""
    n, ratings, squared, total, squares, means = sums.T
    with np.errstate(invalid="ignore", divide="ignore"):
        k0: Floats = (ratings - squared / ratings) / (n - 1)
        between = (means - total**2 / ratings) / (n - 1)
        within = (squares - means) / (ratings - n)
        below = between + (k0 - 1) * within
        value: Floats = np.where(np.abs(below) > SAME, (between - within) / below, np.nan)
    return value, k0


def stepped(value: float, k: float) -> float:
    """The ICC of the mean of ``k`` raters from that of one."""
    below = 1 + (k - 1) * value
    return k * value / below if below > SAME else NAN
