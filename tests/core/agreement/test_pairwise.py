"""Two raters at a time, and the mean over several pairs of them."""

import random

import numpy as np
import pytest

from core.agreement.clustered import clustered_icc, clustered_pearson
from core.agreement.comparing import TIE
from core.agreement.matching import clustered_matches
from core.agreement.pairwise import Two, mean_icc, mean_matches, mean_pearson, two_verdicts


def scores(seed: int, n: int = 40, noise: float = 0.7) -> Two:
    rng, truth = np.random.default_rng(seed), np.random.default_rng(1).normal(3, 1, n)
    return Two(range(n), truth[:, None] + rng.normal(0, noise, (n, 2)), [f"client {s % 12}" for s in range(n)])


def verdicts(seed: int, wrong: float = 0.2) -> tuple[list[tuple[str, str, str]], list[str]]:
    rng = random.Random(seed)
    rows = [(v, v if rng.random() > wrong else rng.choice(["x", "y", TIE]), "x") for v in rng.choices(["x", "y", TIE], k=60)]
    return rows, [f"role {n % 12}" for n in range(60)]


def test_of_one_pair_it_is_what_clusters_say_of_two_raters() -> None:
    two = scores(2)
    assert mean_icc([two]).value == pytest.approx(clustered_icc(two.values, two.clusters, "ICC(A,1)").value, abs=1e-12)
    for mine, other in (
        (mean_icc([two]), clustered_icc(two.values, two.clusters, "ICC(A,1)")),
        (mean_pearson([two]), clustered_pearson(*two.values.T, two.clusters)),
    ):
        assert (mine.low, mine.high) == pytest.approx((other.low, other.high), abs=1e-12) and (mine.n, mine.clusters) == (40, 12)
    rows, roles = verdicts(3)
    for mine, other in zip(mean_matches([two_verdicts(range(60), rows, roles)]), clustered_matches(rows, roles), strict=True):
        assert (mine.value, mine.low, mine.high) == pytest.approx((other.value, other.low, other.high), abs=1e-12)


def test_a_mean_over_pairs_has_the_interval_of_the_mean() -> None:
    first, other = scores(2), scores(5)
    mean = mean_icc([first, other])
    assert mean.value == pytest.approx((mean_icc([first]).value + mean_icc([other]).value) / 2)
    again = mean_icc([first, first])
    assert (again.low, again.high) == pytest.approx((mean_icc([first]).low, mean_icc([first]).high)), "said twice is no news"
    wide = [one.high - one.low for one in (mean_icc([first]), mean_icc([other]))]
    assert mean.high - mean.low < max(wide)


def test_pairs_without_variance_are_left_aside_and_few_clusters_have_no_interval() -> None:
    flat = Two(range(10), np.full((10, 2), 3.0), ["a", "b"] * 5)
    assert np.isnan(mean_icc([flat]).value) and np.isnan(mean_pearson([]).value)
    assert mean_icc([flat, scores(2)]).value == mean_icc([scores(2)]).value
    narrow = mean_icc([Two(range(10), scores(2).values[:10], ["a", "b"] * 5)])
    assert narrow.clusters == 2 and np.isnan(narrow.low) and narrow.value == narrow.value
    rate, _kappa = mean_matches([two_verdicts(range(8), [("x", "x", "x")] * 8, list("abcdefgh"))])
    assert rate.value == 1 and rate.kind == "binomial" and 0.5 < rate.low < rate.high == 1
