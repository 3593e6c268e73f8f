"""Krippendorff's alpha and Cronbach's alpha."""

import warnings
from typing import Literal

import numpy as np

from core.agreement.matrix import Floats, Scores

Level = Literal["nominal", "ordinal", "interval"]
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")
NAN = float("nan")


def krippendorff_alpha(scores: Scores, level: Level) -> float:
    """Krippendorff's alpha; missing cells are allowed, a target needs two scores to count.

    Args:
        scores: one item, shape (n_targets, n_raters), nan where missing.
        level: which differences count: nominal, ordinal or interval.
    Returns:
        1 full agreement, 0 chance, below 0 worse than chance; nan with one rater or without any variance.
    Source: Krippendorff (2004), chapter 11; computed by the krippendorff library.
    """
    import krippendorff

    values = scores.values
    paired = values[(~np.isnan(values)).sum(axis=1) >= 2]
    if not len(paired) or np.nanmax(paired) == np.nanmin(paired):
        return NAN
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        return float(krippendorff.alpha(reliability_data=paired.T, level_of_measurement=level))


def cronbach_alpha(table: Floats) -> float:
    """Internal consistency of several items: how far they move together.

    Args:
        table: scores, shape (n_targets, n_items), complete.
    Returns:
        At most 1; nan with fewer than two targets or items, or without variance of the sum.
    Source: Cronbach (1951); equal to ICC(C,k) with items as raters, which the tests check.
    """
    n, k = table.shape
    if n < 2 or k < 2:
        return NAN
    total = float(np.var(table.sum(axis=1), ddof=1))
    if total <= 1e-12:
        return NAN
    return k / (k - 1) * (1 - float(np.var(table, axis=0, ddof=1).sum()) / total)
