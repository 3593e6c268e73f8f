"""Cohen's kappa of two raters, plain and with quadratic weights."""

from collections.abc import Hashable, Sequence

import numpy as np

from core.agreement.matrix import Floats
from core.errors import DataError

NAN = float("nan")


def counts(first: Sequence[Hashable], second: Sequence[Hashable], levels: Sequence[Hashable]) -> Floats:
    """How often each pair of levels was given, shape (n_levels, n_levels).

    Raises:
        DataError: lengths differ, fewer than 2 levels, or a rating that is not a level.
    """
    if len(first) != len(second):
        raise DataError(
            "The two raters have {first} and {second} ratings. Give one rating of each for every target.",
            first=len(first),
            second=len(second),
        )
    if len(set(levels)) < 2:
        raise DataError("A kappa needs a scale with at least two levels; {n} given.", n=len(set(levels)))
    place = {level: i for i, level in enumerate(levels)}
    table = np.zeros((len(levels), len(levels)))
    for a, b in zip(first, second, strict=True):
        for value in (a, b):
            if value not in place:
                raise DataError(
                    "The rating {value} is not a level of the scale ({levels}). Correct it, or give all levels.",
                    value=value,
                    levels=", ".join(map(str, levels)),
                )
        table[place[a], place[b]] += 1
    return table


def chance_corrected(table: Floats, weights: Floats) -> float:
    """1 − observed over expected disagreement; nan where none is expected or nothing was rated."""
    n = table.sum()
    if n == 0:
        return NAN
    expected = float((weights * np.outer(table.sum(axis=1), table.sum(axis=0))).sum()) / n
    return NAN if expected == 0 else 1 - float((weights * table).sum()) / expected


def kappa(first: Sequence[Hashable], second: Sequence[Hashable], levels: Sequence[Hashable]) -> float:
    """Cohen's kappa for two raters and unordered levels.

    Args:
        first, second: ratings, shape (n_targets,), same order of targets.
        levels: all levels of the scale (from the instrument, not the data).
    Returns:
        1 full agreement, 0 chance; nan if both raters give one and the same level throughout.
    Raises:
        DataError: lengths differ, fewer than 2 levels, or a rating off the scale.
    Source: Cohen (1960); tests compare with scikit-learn.
    """
    return chance_corrected(counts(first, second, levels), 1 - np.eye(len(levels)))


def weighted_kappa(first: Sequence[float], second: Sequence[float], levels: Sequence[float]) -> float:
    """Cohen's kappa with quadratic weights, for two raters and ordered levels.

    Args:
        first, second: ratings, shape (n_targets,), same order of targets.
        levels: all levels of the scale (from the instrument, not the data); a disagreement weighs the square
            of the distance between the two levels' values.
    Returns:
        1 full agreement, 0 chance; nan if both raters give one and the same level throughout.
    Raises:
        DataError: lengths differ, fewer than 2 levels, or a rating off the scale.
    Source: Cohen (1968); tests compare with scikit-learn.
    """
    values = np.asarray(levels, dtype=np.float64)
    return chance_corrected(counts(first, second, levels), np.square(np.subtract.outer(values, values)))
