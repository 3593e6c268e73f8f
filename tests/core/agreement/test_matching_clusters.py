"""Match rate and kappa with intervals from resampling clusters, all resamples at once."""

import random

import numpy as np
import pytest

from core.agreement.comparing import TIE
from core.agreement.matching import clustered_matches, match_rates
from core.agreement.resampling import cluster_interval

SAID = ("x", "y", TIE)


def rows(n: int = 90) -> list[tuple[str, str, str]]:
    rng = random.Random(1)
    first = [rng.choice(SAID) for _ in range(n)]
    return [(a, a if rng.random() < 0.6 else rng.choice(SAID), "x") for a in first]


def test_values_are_those_of_the_plain_rates_and_intervals_those_of_the_plain_resampling() -> None:
    said, clusters = rows(), [i // 6 for i in range(90)]
    rate, kappa = clustered_matches(said, clusters, np.random.default_rng(2), 4000)
    whole = match_rates(said)
    assert (rate.value, kappa.value) == (whole.with_ties, whole.kappa) and (rate.n, rate.clusters) == (90, 15)
    slow = cluster_interval(
        clusters, lambda drawn: match_rates([said[i] for i in drawn]).kappa, np.random.default_rng(3), 1500
    )
    assert (kappa.low, kappa.high) == pytest.approx((slow.low, slow.high), abs=0.04)
    assert rate.low < rate.value < rate.high


def test_one_cluster_has_no_interval() -> None:
    rate, kappa = clustered_matches(rows(6), ["one"] * 6, np.random.default_rng(0))
    assert np.isnan(rate.low) and np.isnan(kappa.high) and rate.clusters == 1
