"""Intervals of scores over roles: which kind, and its ends."""

import numpy as np
import pytest
from scipy import stats

from core.agreement.comparing import RoleScore
from core.agreement.intervals import binomial_bounds, score_bounds, tail
from core.agreement.winning import role_shares, stage_scores

SIX = [0.5, 2 / 3, 1 / 3, 5 / 6, 0.5, 2 / 3]


def stage(scores: list[float], draws: int = 400):  # type: ignore[no-untyped-def]
    own = {("x", "y"): [RoleScore(r, s, 3, 3) for r, s in enumerate(scores)]}
    return stage_scores(own, np.random.default_rng(1), draws)


def test_six_roles_have_the_t_interval_and_say_so() -> None:
    pair = stage(SIX).pairs[0]
    assert (pair.low, pair.high) == pytest.approx(stats.t.interval(0.95, 5, np.mean(SIX), stats.sem(SIX)))
    assert (pair.kind, pair.roles, pair.supported) == ("t", 6, False)
    score = stage(SIX).agents["x"]
    assert (score.low, score.high, score.kind, score.roles) == (pair.low, pair.high, "t", 6)


def test_what_six_roles_drawn_would_have_called_supported_is_not() -> None:
    """Their percentiles were .53 to .81: one of eight such results was there without any difference."""
    pair = stage([0.5, 0.5, 1.0, 0.5, 2 / 3, 5 / 6]).pairs[0]
    assert pair.score == pytest.approx(2 / 3) and pair.low < 0.5 and not pair.supported


def test_twenty_roles_are_drawn_a_little_beyond_the_percentiles() -> None:
    rng = np.random.default_rng(2)
    scores = list(rng.choice([0, 1 / 3, 2 / 3, 1], 20))
    assert stage(scores[:19]).pairs[0].kind == "t"
    pair = stage(scores, 4000).pairs[0]
    assert pair.kind == "drawn"
    assert (pair.low, pair.high) == pytest.approx(
        stats.t.interval(0.95, 19, np.mean(scores), stats.sem(scores)), abs=0.02
    )
    assert tail(20) == pytest.approx(0.0159, abs=1e-4) and tail(10**6) == pytest.approx(0.025, abs=1e-5)


def test_roles_that_all_agree_have_binomial_bounds() -> None:
    pair = stage([1.0] * 6).pairs[0]
    assert pair.kind == "binomial" and pair.high == 1.0 and pair.low == pytest.approx(0.025 ** (1 / 6))
    assert binomial_bounds(3, 10).low == pytest.approx(stats.binomtest(3, 10).proportion_ci().low)


def test_close_to_one_an_interval_is_not_narrower_than_with_two_even_roles() -> None:
    """Eleven roles of 1 and one of 5/6 say less than t thinks: a role of 0 may just not have come."""
    values = np.array([1.0] * 11 + [5 / 6])
    bounds = score_bounds(values, np.zeros(0))
    more = [*values, 0.5, 0.5]
    assert bounds.low == pytest.approx(stats.t.interval(0.95, 13, np.mean(more), stats.sem(more))[0])
    assert bounds.low < stats.t.interval(0.95, 11, values.mean(), stats.sem(values))[0] and bounds.high == 1.0


def test_a_role_that_met_few_opponents_counts_as_much_as_it_moves_the_mean() -> None:
    whole = np.array([[0.0, 0.5], [1.0, 0.5], [0.5, 1.0]])
    assert role_shares(whole) == pytest.approx(whole.mean(axis=1))
    gaps = np.array([[0.0, np.nan], [1.0, 0.5], [0.5, 1.0], [np.nan, np.nan]])
    assert len(role_shares(gaps)) == 3
    assert role_shares(gaps).mean() == pytest.approx((0.5 + 0.75) / 2)
    assert role_shares(np.full((2, 2), np.nan)).size == 0
