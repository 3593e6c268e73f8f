"""Correlations of two raters over the same targets."""

import numpy as np
from numpy.typing import ArrayLike

from core.agreement.matrix import Floats
from core.errors import DataError

NAN = float("nan")
FEWEST = 3  # two points always lie on a line


def paired(first: ArrayLike, second: ArrayLike) -> tuple[Floats, Floats]:
    """Both series where both have a value.

    Raises:
        DataError: their lengths differ.
    """
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if a.shape != b.shape:
        raise DataError(
            "The two series have {first} and {second} values. Give one value of each rater for every target.",
            first=a.size,
            second=b.size,
        )
    both = ~(np.isnan(a) | np.isnan(b))
    return a[both], b[both]


def pearson(first: ArrayLike, second: ArrayLike) -> float:
    """Pearson's r over the targets both raters scored.

    Args:
        first, second: scores, shape (n_targets,), same order of targets; nan where missing.
    Returns:
        Between −1 and 1; nan with fewer than 3 pairs or when one series is constant.
    Raises:
        DataError: lengths differ.
    Source: Pearson (1895); tests compare with scipy.
    """
    a, b = paired(first, second)
    if len(a) < FEWEST:
        return NAN
    a, b = a - a.mean(), b - b.mean()
    size = float(np.sqrt((a @ a) * (b @ b)))
    scale = max(1.0, float(np.abs(a).max()), float(np.abs(b).max()))
    if size <= 1e-12 * scale:
        return NAN
    return float(np.clip(float(a @ b) / size, -1.0, 1.0))


def spearman(first: ArrayLike, second: ArrayLike) -> float:
    """Spearman's rank correlation: Pearson's r of the ranks, equal values sharing the mean rank.

    Args, returns, raises: as ``pearson``.
    Source: Spearman (1904); tests compare with scipy.
    """
    from scipy.stats import rankdata

    a, b = paired(first, second)
    return pearson(rankdata(a), rankdata(b)) if len(a) else NAN
