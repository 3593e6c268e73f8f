"""How often two raters give the same verdict."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from core.agreement.clustered import Clustered, with_ends
from core.agreement.comparing import TIE
from core.agreement.icc import SAME
from core.agreement.intervals import FEWEST, binomial_bounds, cluster_sums, effective, jackknife_bounds
from core.agreement.kappa import kappa
from core.agreement.matrix import Floats

NAN = float("nan")


@dataclass(frozen=True)
class MatchRates:
    """Match rates with ties discarded and with tie as a third class, each with its n; kappa of the latter."""

    without_ties: float
    n_without_ties: int
    with_ties: float
    n_with_ties: int
    kappa: float


def match_rates(verdicts: Iterable[tuple[Hashable | None, Hashable | None, Hashable]]) -> MatchRates:
    """Agreement of two raters on comparisons.

    Args:
        verdicts: (first rater's, second rater's, side) for each comparison, where a verdict is a winner,
            ``TIE`` or ``None`` (not readable, left out), and ``side`` is the winner that counts as *first*
            (kappa needs the same classes in all comparisons: first, second, tie).
    Returns:
        Shares in [0, 1]; *without ties* counts only comparisons where neither gave a tie. nan where n is 0.
    Source: ESC-Judge §4.3 discards ties; tie as a class and Cohen's (1960) kappa are shown beside it.
    """
    both = [
        (a if a == TIE else a == side, b if b == TIE else b == side)
        for a, b, side in verdicts
        if a is not None and b is not None
    ]
    decided = [(a, b) for a, b in both if TIE not in (a, b)]
    return MatchRates(
        share(decided), len(decided), share(both), len(both),
        kappa([a for a, _ in both], [b for _, b in both], [True, False, TIE]),
    )  # fmt: skip


def share(pairs: Sequence[tuple[object, object]]) -> float:
    return sum(a == b for a, b in pairs) / len(pairs) if pairs else NAN


def clustered_matches(
    verdicts: Iterable[tuple[Hashable | None, Hashable | None, Hashable]], clusters: Sequence[Hashable]
) -> tuple[Clustered, Clustered]:
    """Match rate with tie as a class, and kappa, with 95 % intervals over clusters.

    From leaving out one cluster after the other, the rate on the logit scale and kappa on that of Fisher's z,
    by t. A rate that has no finite logit with or without some cluster has the exact binomial bounds of as
    many judgments as there are clusters.

    Args:
        verdicts: as for ``match_rates``, all readable. clusters: the role or client of each.
    Returns:
        (rate, kappa); nan ends with fewer than 3 clusters, and for a kappa that is ±1 without some cluster.
    Source: Efron & Tibshirani (1993), chapter 11; Clopper & Pearson (1934).
    """
    rows = list(verdicts)
    whole = match_rates(rows)
    sums = cluster_sums(cells_of(rows), clusters)
    n, names = len(rows), len(sums)
    if names < FEWEST:
        return Clustered(whole.with_ties, NAN, NAN, n, names), Clustered(whole.kappa, NAN, NAN, n, names)
    df = effective(sums.sum(axis=1)) - 1
    rates, kappas = rate_and_kappa(sums.sum(axis=0) - sums)
    low, high = jackknife_bounds(float(logit(np.array(whole.with_ties))), logit(rates), df)
    rate = Clustered(whole.with_ties, share_of(low), share_of(high), n, names, "t")
    if low != low:
        bounds = binomial_bounds(whole.with_ties * names, names)
        rate = Clustered(whole.with_ties, bounds.low, bounds.high, n, names, bounds.kind)
    with np.errstate(invalid="ignore", divide="ignore"):
        low, high = np.tanh(jackknife_bounds(float(np.arctanh(whole.kappa)), np.arctanh(kappas), df))
    return rate, with_ends(whole.kappa, float(low), float(high), n, names)


def cells_of(rows: Sequence[tuple[Hashable | None, Hashable | None, Hashable]]) -> Floats:
    """Which cell of first's verdict × second's each question falls in, shape (n_questions, 9)."""
    cells = np.zeros((len(rows), 9))
    for row, (a, b, side) in enumerate(rows):
        cells[row, 3 * code(a, side) + code(b, side)] = 1
    return cells


def rate_and_kappa(cells: Floats) -> tuple[Floats, Floats]:
    """Of each row of counts (first's verdict × second's, 3 × 3)."""
    tables = cells.reshape(-1, 3, 3)
    with np.errstate(invalid="ignore", divide="ignore"):
        n = tables.sum(axis=(1, 2))
        agreed: Floats = np.trace(tables, axis1=1, axis2=2) / n
        chance = (tables.sum(axis=1) * tables.sum(axis=2)).sum(axis=1) / n**2
        kappas: Floats = np.where(1 - chance > SAME, (agreed - chance) / (1 - chance), np.nan)
    return agreed, kappas


def logit(shares: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = np.log(shares / (1 - shares))
    return found


def share_of(logit: float) -> float:
    return float(1 / (1 + np.exp(-logit)))


def code(verdict: Hashable | None, side: Hashable) -> int:
    """0 first, 1 second, 2 tie."""
    return 2 if verdict == TIE else int(verdict != side)
