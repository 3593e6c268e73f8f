"""Intraclass correlations: six forms, through the one place that knows pingouin."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from core.agreement.matrix import Floats, Scores
from core.agreement.notes import Note

FORMS = ("ICC(1,1)", "ICC(A,1)", "ICC(C,1)", "ICC(1,k)", "ICC(A,k)", "ICC(C,k)")
NAN = float("nan")
LEAST_SCORES = 5  # below, the analysis of variance has nothing to divide by
SAME = 1e-10  # relative size below which a spread counts as none: sums of squares carry rounding


@dataclass(frozen=True)
class Estimate:
    """A value with its 95 % interval and, for an ICC, its F test; nan where it cannot be told."""

    value: float = NAN
    low: float = NAN
    high: float = NAN
    f: float = NAN
    df1: float = NAN
    df2: float = NAN
    p: float = NAN


@dataclass(frozen=True)
class Icc:
    """All six forms for one item; ``spread`` is the standard deviation of the targets' means."""

    forms: Mapping[str, Estimate]
    n_targets: int
    n_raters: int
    dropped: int
    spread: float
    notes: tuple[Note, ...] = field(default=())


@dataclass(frozen=True)
class Squares:
    """Mean squares of a two-way layout with one score a cell: targets, raters, residual, within targets."""

    targets: float
    raters: float
    residual: float
    within: float


def icc(scores: Scores) -> Icc:
    """Intraclass correlations of the targets every rater scored.

    Args:
        scores: one item, shape (n_targets, n_raters), any unit; a target with a missing cell is dropped, counted.
    Returns:
        The six forms named as by McGraw and Wong, each at most 1, with F, its degrees of freedom, p and the
        95 % interval; nan and a note where the targets do not differ, one rater, or fewer than two targets.
    Source: Shrout & Fleiss (1979); McGraw & Wong (1996); computed by pingouin, intervals at full precision.
    """
    table = scores.complete
    n, k = len(table), len(scores.raters)
    spread = float(np.std(table.mean(axis=1), ddof=1)) if n > 1 and k > 0 else NAN
    notes: list[Note] = []
    if scores.dropped:
        one = Note("One target was dropped because a score is missing.")
        notes.append(one if scores.dropped == 1 else Note("{n} targets were dropped because a score is missing.", n=scores.dropped))
    why = undefined(table, k)
    if why is not None:
        return Icc({form: Estimate() for form in FORMS}, n, k, scores.dropped, spread, (*notes, why))
    if same(np.ptp(table, axis=1).max(), table):
        notes.append(Note("All raters gave the same scores: the ICC is 1 and has no interval."))
        return Icc({form: Estimate(1.0) for form in FORMS}, n, k, scores.dropped, spread, tuple(notes))
    if alike(table):
        notes.append(Note("The targets do not differ on average: their raters contradict each other throughout, and there is no ICC."))
        return Icc({form: Estimate() for form in FORMS}, n, k, scores.dropped, spread, tuple(notes))
    forms = {form: sound(found) for form, found in ask_pingouin(table).items()}
    if any(np.isnan(e.value) for e in forms.values()):
        notes.append(Note("An ICC is left out where its formula gives no value on the scale for these scores."))
    if any(np.isnan(e.low) and not np.isnan(e.value) for e in forms.values()):
        notes.append(Note("An interval is left out where its formula has no solution for these scores."))
    return Icc(forms, n, k, scores.dropped, spread, tuple(notes))


def undefined(table: Floats, raters: int) -> Note | None:
    """Why no ICC can be computed, or ``None``."""
    if raters < 2:
        return Note("Fewer than two raters, so there is nothing to agree on.")
    if len(table) < 2:
        return Note("Fewer than two targets were scored by all raters, so no ICC can be computed.")
    if table.size < LEAST_SCORES:
        return Note("Fewer than {n} scores, so no ICC can be computed.", n=LEAST_SCORES)
    if same(float(np.ptp(table)), table):
        return Note("All scores are the same: without variance there is no ICC.")
    return None


def same(difference: float, table: Floats) -> bool:
    return bool(difference <= SAME * max(1.0, float(np.abs(table).max())))


def alike(table: Floats) -> bool:
    """Whether all targets have the same mean: what varies is then the raters' alone, and no form tells targets apart.

    Args:
        table: shape (n_targets, n_raters); nan where a rater did not score a target.
    """
    return same(float(np.ptp(np.nanmean(table, axis=1))), table[~np.isnan(table)])


def ask_pingouin(table: Floats) -> dict[str, Estimate]:
    """The adapter: a complete table in, one estimate for each form out (pingouin 0.7's names and columns)."""
    import pandas as pd
    import pingouin

    pingouin.options["round.column.CI95"] = None  # else intervals come rounded to two digits
    n, k = table.shape
    frame = pd.DataFrame(
        {"target": np.repeat(np.arange(n), k), "rater": np.tile(np.arange(k), n), "score": table.ravel()}
    )
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pandas deprecations inside the library
        found = pingouin.intraclass_corr(frame, "target", "rater", "score")
    return {
        row.Type: Estimate(
            float(row.ICC), float(row.CI95[0]), float(row.CI95[1]), float(row.F), float(row.df1), float(row.df2),
            float(row.pval),
        )
        for row in found.itertuples()
    }  # fmt: skip


def sound(found: Estimate) -> Estimate:
    """The estimate without what its formulas could not give: a value off the scale, an interval turned around."""
    if not np.isfinite(found.value) or not -1 / SAME < found.value <= 1 + SAME:
        return Estimate(f=found.f, df1=found.df1, df2=found.df2, p=found.p)
    low, high = found.low, found.high
    if not (
        np.isfinite(low) and np.isfinite(high) and low <= found.value + SAME and found.value <= high + SAME
    ):
        low = high = NAN
    return Estimate(found.value, low, high, found.f, found.df1, found.df2, found.p)


def mean_squares(table: Floats) -> Squares:
    """Mean squares of a complete table, shape (n_targets ≥ 2, n_raters ≥ 2)."""
    n, k = table.shape
    grand = table.mean()
    between = k * float(((table.mean(axis=1) - grand) ** 2).sum())
    columns = n * float(((table.mean(axis=0) - grand) ** 2).sum())
    total = float(((table - grand) ** 2).sum())
    rest = max(total - between - columns, 0.0)
    return Squares(
        between / (n - 1), columns / (k - 1), rest / ((n - 1) * (k - 1)), (total - between) / (n * (k - 1))
    )


def quick_icc(table: Floats, form: str) -> float:
    """One form of the ICC without interval, quick enough to be computed for thousands of resamples.

    Args:
        table: complete scores, shape (n_targets, n_raters).
        form: one of ``FORMS``.
    Returns:
        At most 1; nan where the targets have all the same mean, or the formula leaves the scale.
    Source: McGraw & Wong (1996), table 4; tests hold it against pingouin.
    """
    n, k = table.shape
    if n < 2 or k < 2 or alike(table):
        return NAN
    ms = mean_squares(table)
    upper, lower = {
        "ICC(1,1)": (ms.targets - ms.within, ms.targets + (k - 1) * ms.within),
        "ICC(A,1)": (
            ms.targets - ms.residual,
            ms.targets + (k - 1) * ms.residual + k * (ms.raters - ms.residual) / n,
        ),
        "ICC(C,1)": (ms.targets - ms.residual, ms.targets + (k - 1) * ms.residual),
        "ICC(1,k)": (ms.targets - ms.within, ms.targets),
        "ICC(A,k)": (ms.targets - ms.residual, ms.targets + (ms.raters - ms.residual) / n),
        "ICC(C,k)": (ms.targets - ms.residual, ms.targets),
    }[form]
    value = upper / lower if abs(lower) > SAME else NAN
    return value if value <= 1 + SAME else NAN
