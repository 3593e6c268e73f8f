"""Intervals of 95 %: t, binomial and jackknifed; ``benchmarks/coverage.py`` measures what each of them covers."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from core.agreement.matrix import Floats
from core.agreement.resampling import percentiles

Scale = tuple[float, float]  # the lowest and the highest a value can be
Kind = Literal["t", "drawn", "binomial", ""]  # "" where there is none
NAN = float("nan")
LEVEL = 0.95
MANY = 20  # clusters from which drawing them is as good as t
FEWEST = 3  # clusters; below, no interval of a mean, an ICC, r, a match rate or kappa
FEW = 10  # clusters; below, an interval is shown with a caution
EVEN = 1e-9


@dataclass(frozen=True)
class Bounds:
    """The ends of an interval and its kind; nan ends where there is none."""

    low: float = NAN
    high: float = NAN
    kind: Kind = ""


NONE = Bounds()


@lru_cache(maxsize=4096)
def quantile(df: float) -> float:
    """How many standard errors half a 95 % interval is, by Student's t."""
    from scipy.stats import t

    return float(t.ppf((1 + LEVEL) / 2, df))


def t_bounds(values: Floats) -> Bounds:
    """Of the mean of independent values, with n − 1 degrees of freedom; none under two values or without spread.

    Source: Student (1908).
    """
    n = len(values)
    if n < 2 or float(np.ptp(values)) < EVEN:
        return NONE
    middle, half = float(values.mean()), quantile(n - 1) * float(values.std(ddof=1)) / n**0.5
    return Bounds(middle - half, middle + half, "t")


def binomial_bounds(won: float, n: int) -> Bounds:
    """Exact bounds of a share, ``won`` (whole or not) of ``n``.

    Source: Clopper & Pearson (1934).
    """
    from scipy.stats import beta

    low = float(beta.ppf(0.025, won, n - won + 1)) if won > EVEN else 0.0
    high = float(beta.ppf(0.975, won + 1, n - won)) if n - won > EVEN else 1.0
    return Bounds(low, high, "binomial")


def score_bounds(values: Floats, resampled: Floats) -> Bounds:
    """Of a mean of scores in [0, 1], one for each role.

    Under ``MANY`` roles the t interval, from there the percentiles of the resampled means (a little outside
    of 2.5 and 97.5, as many as t with n − 1 would ask: percentiles of n values are too near by that); exact
    binomial bounds where all roles agree. Close to 0 and 1 scores are skewed and both are too narrow, so that
    an interval reaches at least as far as that of t with two even roles added.

    Args:
        values: one score for each role. resampled: means of the roles drawn with replacement.
    Returns:
        none with fewer than two roles; ends in [0, 1].
    Source: Hesterberg (2015) for the wider percentiles; Agresti & Caffo (2000) for the roles added.
    """
    n = len(values)
    if n < 2:
        return NONE
    if float(np.ptp(values)) < EVEN:
        return binomial_bounds(float(values.sum()), n)
    return at_least_even(values, t_bounds(values) if n < MANY else drawn_bounds(resampled, n))


def mean_bounds(values: Floats, scale: Scale | None) -> Bounds:
    """Of the mean of independent values, by t; on a scale with two ends as ``score_bounds`` does it.

    Near an end of a scale values are skewed, and t with 15 clients covers 81 to 86 % where most of them are at it.

    Args:
        values: one for each client or role, in ``scale``. scale: ``None`` where values have no ends.
    Returns:
        ends in ``scale``; none with fewer than two values, or where they are all the same and there is no scale.
    """
    if scale is None or len(values) < 2:
        return t_bounds(values)
    lowest, span = scale[0], scale[1] - scale[0]
    shares = (values - lowest) / span
    alike = float(np.ptp(shares)) < EVEN
    found = binomial_bounds(float(shares.sum()), len(shares)) if alike else at_least_even(shares, t_bounds(shares))
    return Bounds(lowest + span * found.low, lowest + span * found.high, found.kind)


def at_least_even(shares: Floats, own: Bounds) -> Bounds:
    """An interval in [0, 1] that reaches as far as that of t with two values of ½ added."""
    even = t_bounds(np.append(shares, [0.5, 0.5]))
    return Bounds(max(min(own.low, even.low), 0.0), min(max(own.high, even.high), 1.0), own.kind)


def drawn_bounds(resampled: Floats, n: int) -> Bounds:
    return Bounds(*percentiles(resampled, 1 - 2 * tail(n)), "drawn")


@lru_cache(maxsize=1024)
def tail(n: int) -> float:
    """The share of resampled values to leave out at each end, for ``n`` clusters; 2.5 % when they are many.

    Source: Hesterberg (2015), expanded percentile interval.
    """
    from scipy.stats import norm

    return float(norm.cdf(-quantile(n - 1) * (n / (n - 1)) ** 0.5))


def cluster_sums(parts: Floats, clusters: Sequence[Hashable]) -> Floats:
    """Sums of the rows of each cluster, shape (n_clusters, n_columns)."""
    names = {name: at for at, name in enumerate(dict.fromkeys(clusters))}
    sums = np.zeros((len(names), parts.shape[1]))
    np.add.at(sums, [names[name] for name in clusters], parts)
    return sums


def effective(sizes: Floats) -> float:
    """How many clusters of one size say as much as these do."""
    return float(sizes.sum() ** 2 / (sizes**2).sum())


def jackknife_bounds(value: float, left_out: Floats, df: float) -> tuple[float, float]:
    """A value ± t standard errors, these from leaving out one cluster after the other.

    Args:
        value: on a scale where its spread does not depend on it (a z). left_out: the same without each cluster.
        df: degrees of freedom.
    Returns:
        nan where any of them is not finite.
    Source: Efron & Tibshirani (1993), chapter 11.
    """
    if not (np.isfinite(value) and np.isfinite(left_out).all()):
        return NAN, NAN
    g = len(left_out)
    spread = float(np.sqrt((g - 1) / g * ((left_out - left_out.mean()) ** 2).sum()))
    if spread < EVEN:
        return NAN, NAN
    return value - quantile(df) * spread, value + quantile(df) * spread
