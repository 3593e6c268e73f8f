"""Match rate and kappa with intervals over clusters."""

import random

import numpy as np
import pytest
from scipy import stats

from core.agreement.comparing import TIE
from core.agreement.matching import clustered_matches, match_rates

SAID = ("x", "y", TIE)


def rows(n: int = 90) -> list[tuple[str, str, str]]:
    rng = random.Random(1)
    first = [rng.choice(SAID) for _ in range(n)]
    return [(a, a if rng.random() < 0.6 else rng.choice(SAID), "x") for a in first]


def test_values_are_those_of_the_plain_rates_and_intervals_those_of_leaving_out_each_role() -> None:
    said, clusters = rows(), [i // 6 for i in range(90)]
    rate, kappa = clustered_matches(said, clusters)
    whole = match_rates(said)
    assert (rate.value, kappa.value) == (whole.with_ties, whole.kappa) and (rate.n, rate.clusters) == (90, 15)
    less = [match_rates([row for row, at in zip(said, clusters, strict=True) if at != c]) for c in range(15)]

    def half(values: list[float]) -> float:
        found = np.array(values)
        return float(stats.t.ppf(0.975, 14) * np.sqrt(14 / 15 * ((found - found.mean()) ** 2).sum()))

    z, wide = float(np.arctanh(kappa.value)), half([float(np.arctanh(one.kappa)) for one in less])
    assert (kappa.low, kappa.high) == pytest.approx((np.tanh(z - wide), np.tanh(z + wide)))
    at = float(np.log(rate.value / (1 - rate.value)))
    wide = half([float(np.log(one.with_ties / (1 - one.with_ties))) for one in less])
    assert (rate.low, rate.high) == pytest.approx((1 / (1 + np.exp(wide - at)), 1 / (1 + np.exp(-wide - at))))


def test_raters_who_always_agree_have_binomial_bounds_of_the_roles() -> None:
    """At first: from 1 to 1, however few the roles."""
    rate, kappa = clustered_matches([(a, a, "x") for a, _b, _side in rows(30)], [i // 5 for i in range(30)])
    assert (rate.value, rate.high, rate.kind) == (1.0, 1.0, "binomial")
    assert rate.low == pytest.approx(stats.beta.ppf(0.025, 6, 1))
    assert kappa.value == 1.0 and np.isnan(kappa.low)


def test_two_clusters_have_no_interval() -> None:
    rate, kappa = clustered_matches(rows(6), ["one"] * 3 + ["two"] * 3)
    assert np.isnan(rate.low) and np.isnan(kappa.high) and rate.clusters == 2
