"""How often two raters give the same verdict."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from core.agreement.clustered import SAME, Clustered, ends
from core.agreement.comparing import TIE
from core.agreement.kappa import kappa
from core.agreement.resampling import draw_weights

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
    verdicts: Iterable[tuple[Hashable | None, Hashable | None, Hashable]], clusters: Sequence[Hashable],
    rng: np.random.Generator, draws: int = 1000,
) -> tuple[Clustered, Clustered]:  # fmt: skip
    """Match rate with tie as a class, and kappa, with 95 % intervals from resampling clusters, all at once.

    Args:
        verdicts: as for ``match_rates``, all readable. clusters: the role or client of each.
    Returns:
        (rate, kappa); nan ends with fewer than 2 clusters or where the resamples give no value.
    """
    rows = list(verdicts)
    whole = match_rates(rows)
    names = {name: at for at, name in enumerate(dict.fromkeys(clusters))}
    if len(names) < 2:
        return tuple(Clustered(v, NAN, NAN, len(rows), len(names)) for v in (whole.with_ties, whole.kappa))  # type: ignore[return-value]
    counts = np.zeros((len(names), 3, 3))
    for (a, b, side), cluster in zip(rows, clusters, strict=True):
        counts[names[cluster], code(a, side), code(b, side)] += 1
    tables = np.tensordot(draw_weights(len(names), draws, rng), counts, axes=1)
    n = tables.sum(axis=(1, 2))
    agreed = np.trace(tables, axis1=1, axis2=2) / n
    chance = (tables.sum(axis=1) * tables.sum(axis=2)).sum(axis=1) / n**2
    with np.errstate(invalid="ignore", divide="ignore"):
        kappas = np.where(1 - chance > SAME, (agreed - chance) / (1 - chance), np.nan)
    return (
        Clustered(whole.with_ties, *ends(agreed), len(rows), len(names)),
        Clustered(whole.kappa, *ends(kappas), len(rows), len(names)),
    )


def code(verdict: Hashable | None, side: Hashable) -> int:
    """0 first, 1 second, 2 tie."""
    return 2 if verdict == TIE else int(verdict != side)
