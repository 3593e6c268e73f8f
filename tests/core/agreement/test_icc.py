"""Intraclass correlations against the published table, a second formula, and the cases that have none."""

from collections.abc import Sequence

import numpy as np
import pytest

from core.agreement.icc import FORMS, icc, quick_icc
from core.agreement.matrix import Cell, Scores, scores_of
from core.errors import DataError

# Shrout & Fleiss (1979), Table 2: six targets, four judges.
SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
PUBLISHED = {  # their Table 4; the A and C forms are their (2, ·) and (3, ·)
    "ICC(1,1)": 0.17, "ICC(A,1)": 0.29, "ICC(C,1)": 0.71, "ICC(1,k)": 0.44, "ICC(A,k)": 0.62, "ICC(C,k)": 0.91,
}  # fmt: skip


def scores(table: Sequence[Sequence[float]]) -> Scores:
    values = np.array(table, dtype=float)
    return Scores(values, tuple(range(len(values))), tuple(range(values.shape[1])))


def test_shrout_and_fleiss_worked_example() -> None:
    found = icc(scores(SHROUT_FLEISS))
    assert {form: round(e.value, 2) for form, e in found.forms.items()} == PUBLISHED
    assert (found.n_targets, found.n_raters, found.dropped) == (6, 4, 0)
    one_way, two_way = found.forms["ICC(1,1)"], found.forms["ICC(A,1)"]
    assert (one_way.df1, one_way.df2, two_way.df2) == (5, 18, 15)
    assert one_way.f == pytest.approx(11.24 / 6.26, abs=0.01)  # mean squares of their Table 3
    assert two_way.f == pytest.approx(11.24 / 1.02, abs=0.02)


def test_intervals_are_not_rounded() -> None:
    """R's irr::icc gives .0188 to .761 for the two-way absolute single form of this table."""
    found = icc(scores(SHROUT_FLEISS)).forms["ICC(A,1)"]
    assert (found.low, found.high) == pytest.approx((0.018787, 0.761084), abs=1e-6)


@pytest.mark.parametrize("form", FORMS)
def test_quick_form_equals_the_library(form: str) -> None:
    rng = np.random.default_rng(3)
    for n, k in ((5, 2), (12, 3), (40, 5)):
        table = rng.normal(size=(n, 1)) + rng.normal(size=(n, k)) + rng.normal(size=(1, k))
        assert quick_icc(table, form) == pytest.approx(
            icc(scores(table.tolist())).forms[form].value, abs=1e-9
        )


def test_relabelled_repeats_change_the_two_way_forms_only() -> None:
    rng = np.random.default_rng(5)
    table = rng.integers(1, 6, size=(20, 3)).astype(float)
    shuffled = np.array([rng.permutation(row) for row in table])
    before, after = icc(scores(table.tolist())).forms, icc(scores(shuffled.tolist())).forms
    assert after["ICC(1,k)"].value == pytest.approx(before["ICC(1,k)"].value)
    assert after["ICC(A,k)"].value != pytest.approx(before["ICC(A,k)"].value, abs=1e-6)


def test_missing_cell_drops_the_target_and_counts_it() -> None:
    cells: list[Cell] = [(t, r, float(SHROUT_FLEISS[t][r])) for t in range(6) for r in range(4)]
    cells += [("late", 0, 3.0), ("late", 1, None), ("never", 2, None)]
    found = icc(scores_of(cells))
    assert found.dropped == 2 and found.n_targets == 6
    assert found.forms["ICC(A,k)"].value == pytest.approx(0.62, abs=0.005)
    assert "2 targets were dropped" in str(found.notes[0])


def test_the_same_target_scored_twice_by_a_rater_is_refused() -> None:
    with pytest.raises(DataError, match="Rater r1 scored target s1 more than once"):
        scores_of([("s1", "r1", 2.0), ("s1", "r1", 3.0)])


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ([[3.0, 3.0], [3.0, 3.0], [3.0, 3.0]], "without variance"),
        ([[1.0], [2.0], [3.0]], "Fewer than two raters"),
        ([[1.0, 2.0]], "Fewer than two targets"),
    ],
)
def test_no_icc_is_said_not_guessed(table: list[list[float]], why: str) -> None:
    found = icc(scores(table))
    assert all(np.isnan(e.value) for e in found.forms.values())
    assert any(why in str(note) for note in found.notes)


def test_no_score_at_all() -> None:
    found = icc(scores_of([("s1", "r1", None), ("s2", "r1", None)]))
    assert (found.n_targets, found.n_raters) == (0, 0) and np.isnan(found.spread)


def test_full_agreement_is_one_without_interval() -> None:
    found = icc(scores([[1.1, 1.1], [2.2, 2.2], [4.7, 4.7]]))
    assert {e.value for e in found.forms.values()} == {1.0}
    assert np.isnan(found.forms["ICC(A,k)"].low)


CONTRADICTING = [
    [[1.1, 3.3], [3.3, 1.1], [2.2, 2.2]],
    [[1.0, 5.0], [5.0, 1.0]] * 6,
    [[2.0, 3.0, 4.0], [3.0, 4.0, 2.0], [4.0, 2.0, 3.0]],
]


@pytest.mark.parametrize("table", CONTRADICTING)
def test_raters_who_contradict_each_other_throughout_have_no_icc(table: list[list[float]]) -> None:
    """The formulas give 6.00 and -1.50 and the like for targets that have all the same mean."""
    found = icc(scores(table))
    assert all(np.isnan(e.value) for e in found.forms.values())
    assert "contradict each other throughout" in str(found.notes[0])
    assert all(np.isnan(quick_icc(np.array(table), form)) for form in FORMS)


@pytest.mark.parametrize("form", FORMS)
def test_no_icc_lies_above_its_scale(form: str) -> None:
    """Nearly so: with hardly a difference between targets a denominator turns negative, and the ratio lies above 1."""
    table = [[1.0, 5.0], [5.0, 1.0], [1.0, 5.0], [5.0, 1.01]]
    found = icc(scores(table))
    assert not found.forms[form].value > 1 and not quick_icc(np.array(table), form) > 1
    assert np.isnan(found.forms["ICC(A,k)"].value) and "no value on the scale" in str(found.notes)


def test_intervals_always_hold_their_value() -> None:
    rng = np.random.default_rng(11)
    for _ in range(100):
        table = rng.integers(1, 6, size=(int(rng.integers(3, 9)), int(rng.integers(2, 4)))).astype(float)
        for found in icc(scores(table.tolist())).forms.values():
            if not np.isnan(found.low):
                assert found.low - 1e-9 <= found.value <= found.high + 1e-9
