"""How often two raters give the same verdict."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from core.agreement.comparing import TIE
from core.agreement.kappa import kappa

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
