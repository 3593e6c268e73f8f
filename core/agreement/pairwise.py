"""One rater with one other, and the mean of that over several pairs of raters; its interval is that of the mean."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from core.agreement.clustered import (
    Clustered,
    icc_of_sums,
    icc_parts,
    pearson_of_sums,
    pearson_parts,
)
from core.agreement.intervals import FEWEST, Kind, binomial_bounds, cluster_sums, effective, jackknife_bounds
from core.agreement.matching import cells_of, logit, rate_and_kappa, share_of
from core.agreement.matrix import Floats

NAN = float("nan")
Verdict = tuple[Hashable | None, Hashable | None, Hashable]


@dataclass(frozen=True)
class Two:
    """What two raters said of the same targets: their scores, shape (n, 2), or cells of verdicts, shape (n, 9)."""

    targets: Sequence[Hashable]
    values: Floats
    clusters: Sequence[Hashable]  # the client or role of each target


@dataclass(frozen=True)
class PairMean(Clustered):
    """A mean over pairs of raters; ``of`` are the places of those that have a value, and ``n`` counts their targets."""

    of: tuple[int, ...] = ()


@dataclass(frozen=True)
class LeftOut:
    """The mean over the pairs of raters that have a value, the same without each cluster, and what they rest on."""

    value: float
    without: Floats
    sizes: Floats  # judgments of each cluster, over these pairs
    n: int  # targets, each once
    clusters: int
    of: tuple[int, ...]  # places of these pairs

    def with_ends(self, low: float = NAN, high: float = NAN, kind: Kind = "t") -> PairMean:
        return PairMean(self.value, low, high, self.n, self.clusters, kind if low == low else "", self.of)


def mean_icc(pairs: Sequence[Two]) -> PairMean:
    """Mean ICC(A,1) of two raters, over pairs of raters; pairs without variance are left aside.

    The interval is from leaving out one cluster (with what every pair said of it) after the other, on the scale
    and with the degrees of freedom of ``clustered.clustered_icc``.

    Returns:
        nan without any pair; nan ends with fewer than 3 clusters or where a part has no value.
    """
    found = left_out([(icc_parts(two.values - two.values.mean()), two) for two in pairs], lambda sums: icc_of_sums(sums, 2, "ICC(A,1)"))
    return by_z(found, (effective(found.sizes) - 1) / 2 if len(found.sizes) else 0.0)


def mean_pearson(pairs: Sequence[Two]) -> PairMean:
    """Mean r of two raters, over pairs of raters; interval as for ``mean_icc``, by t of clusters − 1."""
    found = left_out([(pearson_parts(*(two.values - two.values.mean(axis=0)).T), two) for two in pairs], pearson_of_sums)
    return by_z(found, effective(found.sizes) - 1 if len(found.sizes) else 0.0)


def mean_matches(pairs: Sequence[Two]) -> tuple[PairMean, PairMean]:
    """Mean match rate (tie as a class) and mean kappa of two raters, over pairs of raters.

    Args:
        pairs: values from ``matching.cells_of``.
    Returns:
        (rate, kappa), intervals as for ``matching.clustered_matches``.
    """
    parts = [(two.values, two) for two in pairs]
    rates = left_out(parts, lambda sums: rate_and_kappa(sums)[0])
    kappas = left_out(parts, lambda sums: rate_and_kappa(sums)[1])
    df = effective(rates.sizes) - 1 if len(rates.sizes) else 0.0
    rate = rates.with_ends()
    if rates.clusters >= FEWEST and rates.value == rates.value:
        low, high = jackknife_bounds(float(logit(np.array(rates.value))), logit(rates.without), df)
        rate = rates.with_ends(share_of(low), share_of(high))
        if low != low:
            bounds = binomial_bounds(rates.value * rates.clusters, rates.clusters)
            rate = rates.with_ends(bounds.low, bounds.high, bounds.kind)
    return rate, by_z(kappas, df)


def left_out(parts: Sequence[tuple[Floats, Two]], statistic: Callable[[Floats], Floats]) -> LeftOut:
    """A statistic of added up parts, for each pair of raters, and its mean over the pairs that have one.

    Targets and clusters are counted of these; of all where no pair has one.
    """
    values = [float(statistic(rows.sum(axis=0, keepdims=True))[0]) for rows, _two in parts]
    of = tuple(at for at, value in enumerate(values) if np.isfinite(value))
    counted = [parts[at] for at in of] or list(parts)
    names = {name: at for at, name in enumerate(dict.fromkeys(name for _rows, two in counted for name in two.clusters))}
    n = len({target for _rows, two in counted for target in two.targets})
    if not of:
        return LeftOut(NAN, np.zeros(0), np.zeros(0), n, len(names), of)
    without, sizes = [], np.zeros(len(names))
    for rows, two in counted:
        own = list(dict.fromkeys(two.clusters))
        sums = np.zeros((len(names), rows.shape[1]))
        sums[[names[name] for name in own]] = cluster_sums(rows, two.clusters)
        without.append(statistic(sums.sum(axis=0) - sums))
        sizes += np.bincount([names[name] for name in two.clusters], minlength=len(names))
    return LeftOut(float(np.mean([values[at] for at in of])), np.mean(without, axis=0), sizes, n, len(names), of)


def by_z(found: LeftOut, df: float) -> PairMean:
    """The mean with its ends by Fisher's z (for two raters ½ ln F of an ICC(A,1) is the same)."""
    if found.value != found.value or found.clusters < FEWEST:
        return found.with_ends()
    with np.errstate(invalid="ignore", divide="ignore"):
        low, high = np.tanh(jackknife_bounds(float(np.arctanh(found.value)), np.arctanh(found.without), df))
    return found.with_ends(float(low), float(high))


def two_verdicts(targets: Sequence[Hashable], verdicts: Sequence[Verdict], clusters: Sequence[Hashable]) -> Two:
    """Two raters' readable verdicts on the same questions."""
    return Two(targets, cells_of(verdicts), clusters)
