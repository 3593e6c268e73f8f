"""One-way ICC with as many raters as each target happens to have."""

import numpy as np
import pytest

from core.agreement.clustered import clustered_icc
from core.agreement.icc import quick_icc
from core.agreement.oneway import one_way, stepped

NAN = float("nan")
# Shrout & Fleiss (1979), table 2: six targets, four judges; ICC(1,1) .17, ICC(1,4) .44
PUBLISHED = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], dtype=float
)


def test_with_as_many_raters_everywhere_it_is_the_published_one() -> None:
    found = one_way(PUBLISHED, list(range(6)))
    assert (round(found.single.value, 2), round(found.mean.value, 2)) == (0.17, 0.44)
    assert found.single.value == pytest.approx(quick_icc(PUBLISHED, "ICC(1,1)"))
    whole = clustered_icc(PUBLISHED, list(range(6)), "ICC(1,1)")
    assert (found.single.low, found.single.high) == pytest.approx((whole.low, whole.high))
    assert (found.raters, found.fewest, found.most, found.alone) == (4.0, 4, 4, 0)


def test_two_of_four_people_a_session_are_enough() -> None:
    """No session was rated by all four, so that the complete cases are none."""
    rng = np.random.default_rng(3)
    true = rng.normal(size=60)
    table = np.full((60, 4), NAN)
    for at in range(60):
        for rater in rng.choice(4, 2 + at % 2, replace=False):
            table[at, rater] = true[at] + rng.normal(scale=0.5)
    found = one_way(table, [at // 3 for at in range(60)])
    assert np.isnan(table).any(axis=1).all() and (found.single.n, found.single.clusters) == (60, 20)
    assert found.raters == 2.5 and (found.fewest, found.most) == (2, 3)
    assert found.single.low < 0.8 < found.single.high and found.mean.value > found.single.value
    assert found.mean.value == pytest.approx(stepped(found.single.value, 2.5))


def test_mean_squares_by_hand() -> None:
    rows = [[1.0, 2.0], [4.0, 5.0, 6.0], [3.0, 3.0, 2.0, 4.0]]
    table = np.array([row + [NAN] * (4 - len(row)) for row in rows])
    every = [value for row in rows for value in row]
    n, grand = len(every), np.mean(every)
    between = sum(len(row) * (np.mean(row) - grand) ** 2 for row in rows) / 2
    within = sum((value - np.mean(row)) ** 2 for row in rows for value in row) / (n - 3)
    k0 = (n - sum(len(row) ** 2 for row in rows) / n) / 2
    found = one_way(table, [1, 2, 3]).single
    assert found.value == pytest.approx((between - within) / (between + (k0 - 1) * within))
    assert found.few


def test_a_session_with_one_rater_is_left_out_and_counted() -> None:
    more = np.vstack([PUBLISHED, [NAN, 3.0, NAN, NAN]])
    found = one_way(more, list(range(7)))
    assert found.alone == 1 and found.single == one_way(PUBLISHED, list(range(6))).single
    none = one_way(np.array([[1.0, NAN], [NAN, 2.0]]), [1, 2])
    assert np.isnan(none.single.value) and none.alone == 2
    assert np.isnan(one_way(np.full((5, 2), 3.0), list(range(5))).single.value)
    against = one_way(np.array([[1.0, 5.0, NAN], [NAN, 5.0, 1.0]] * 4), list(range(8)))
    assert np.isnan([against.single.value, against.mean.value]).all() and (against.raters, against.fewest) == (2.0, 2)
