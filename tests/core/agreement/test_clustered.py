"""Means, ICC and r over clients or roles, held against leaving out each of them by hand."""

import numpy as np
import pytest
from scipy import stats

from core.agreement.clustered import (
    clustered_icc,
    clustered_mean,
    clustered_pearson,
    from_z,
    icc_of_sums,
    icc_parts,
    to_z,
)
from core.agreement.icc import FORMS, quick_icc


def table(n: int = 48, k: int = 3, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.repeat(rng.normal(size=n // 4), 4)[:, None] + rng.normal(size=(n, k)) + 3


def by_hand(z: float, left_out: list[float], df: float) -> tuple[float, float]:
    g, found = len(left_out), np.array(left_out)
    half = stats.t.ppf(0.975, df) * np.sqrt((g - 1) / g * ((found - found.mean()) ** 2).sum())
    return z - half, z + half


@pytest.mark.parametrize("form", FORMS)
def test_an_icc_of_sums_is_the_plain_one_and_its_scale_goes_both_ways(form: str) -> None:
    scores = table()
    found = icc_of_sums(icc_parts(scores - scores.mean()).sum(axis=0)[None, :], 3, form)
    assert found[0] == pytest.approx(quick_icc(scores, form))
    assert from_z(float(to_z(found, 3, form)[0]), 3, form) == pytest.approx(found[0])


@pytest.mark.parametrize("form", FORMS)
def test_interval_of_an_icc_is_that_of_leaving_out_each_client(form: str) -> None:
    scores, clients = table(), np.arange(48) // 4
    found = clustered_icc(scores, list(clients), form)
    left_out = [float(to_z(np.array(quick_icc(scores[clients != c], form)), 3, form)) for c in range(12)]
    low, high = by_hand(float(to_z(np.array(found.value), 3, form)), left_out, 11 / 2)
    assert (found.low, found.high) == pytest.approx((from_z(low, 3, form), from_z(high, 3, form)))
    assert (found.n, found.clusters, found.kind, found.few) == (48, 12, "t", False)


def test_interval_of_r_is_that_of_leaving_out_each_client() -> None:
    scores, clients = table(40, 2), np.arange(40) // 4
    found = clustered_pearson(scores[:, 0], scores[:, 1], list(clients))
    left_out = [float(np.arctanh(stats.pearsonr(*scores[clients != c].T)[0])) for c in range(10)]
    ends = np.tanh(by_hand(float(np.arctanh(found.value)), left_out, 9))
    assert (found.low, found.high) == pytest.approx(tuple(ends))


def test_interval_of_a_mean_is_that_of_t_over_client_means() -> None:
    clients = ["a", "a", "a", "b", "c", "c"]
    found = clustered_mean(np.array([1.0, 1.0, 4.0, 5.0, 2.0, 4.0]), clients)
    ends = stats.t.interval(0.95, 2, 10 / 3, stats.sem([2, 5, 3]))
    assert found.value == pytest.approx(10 / 3) and (found.low, found.high) == pytest.approx(ends)
    assert found.few and (found.n, found.clusters) == (6, 3)


def test_two_clients_have_no_interval_and_ten_no_caution() -> None:
    """At first two clients had one, which held the true mean in half of the cases."""
    two = clustered_mean(np.array([1.0, 1.0, 2.0, 5.0]), ["a", "a", "b", "b"])
    assert two.value == 2.25 and np.isnan(two.low) and not two.few
    scores = table(40, 2)
    for count in (2, 9, 10):
        clients = [i % count for i in range(40)]
        values = (
            clustered_mean(scores[:, 0], clients),
            clustered_icc(scores, clients, "ICC(A,1)"),
            clustered_pearson(scores[:, 0], scores[:, 1], clients),
        )
        assert {np.isfinite(one.low) for one in values} == {count > 2}
        assert {one.few for one in values} == {count == 9}


def test_correlation_interval_is_wider_by_client_than_by_session() -> None:
    """On the whole: single small samples of clients may by chance look steadier than their sessions do."""
    widths = []
    for seed in range(12):
        scores = table(80, 2, seed)
        by_client, by_session = (
            clustered_pearson(scores[:, 0], scores[:, 1], clusters)
            for clusters in ([i // 4 for i in range(80)], list(range(80)))
        )
        assert by_client.value == by_session.value and (by_client.clusters, by_session.clusters) == (20, 80)
        widths.append((by_client.high - by_client.low, by_session.high - by_session.low))
    wider, narrower = np.array(widths).mean(axis=0)
    assert wider > 1.1 * narrower


def test_what_has_no_interval() -> None:
    scores = table(8)
    assert np.isnan(clustered_icc(scores, ["one"] * 8, "ICC(A,1)").low)
    assert np.isnan(clustered_icc(np.full((8, 2), 3.0), list(range(8)), "ICC(A,1)").value)
    assert np.isnan(clustered_pearson(np.full(8, 3.0), scores[:, 0], list(range(8))).value)
    same = np.repeat(scores[:, :1], 2, axis=1)
    agreed = clustered_icc(same, list(range(8)), "ICC(A,1)")
    assert agreed.value == pytest.approx(1) and np.isnan(agreed.low) and agreed.kind == ""
    assert np.isnan(clustered_pearson(same[:, 0], same[:, 1], list(range(8))).low)
    assert np.isnan(clustered_mean(np.full(8, 3.0), list(range(8))).low)


def test_a_mean_near_an_end_of_its_scale_is_widened_and_stays_on_it() -> None:
    """Nine clients of 5 and one of 1: by t alone 3.70–5.50 on a scale of 1–5."""
    values = np.array([5.0] * 9 + [1.0])
    found = clustered_mean(values, list(range(10)), (1, 5))
    more = [*values, 3, 3]
    even = stats.t.interval(0.95, 11, np.mean(more), stats.sem(more))
    own = stats.t.interval(0.95, 9, values.mean(), stats.sem(values))
    assert found.value == pytest.approx(4.6) and (found.low, found.high) == pytest.approx((min(own[0], even[0]), 5.0))
    assert own[1] > 5.4 and found.kind == "t"
    fourteen = clustered_mean(np.array([5.0] * 14 + [4.0]), list(range(15)), (1, 5))
    assert fourteen.low < 4.5 < clustered_mean(np.array([5.0] * 14 + [4.0]), list(range(15))).low


def test_a_mean_in_the_middle_of_its_scale_keeps_its_interval() -> None:
    values = np.array([2.0, 3, 4, 3, 2, 4, 3, 3, 2, 4])
    found, plain = (clustered_mean(values, list(range(10)), scale) for scale in ((1, 5), None))
    assert (found.low, found.high) == (plain.low, plain.high)


def test_clients_who_all_agree_have_binomial_bounds_on_their_scale() -> None:
    found = clustered_mean(np.array([5.0] * 12), list(range(12)), (1, 5))
    assert found.kind == "binomial" and found.high == 5 and found.low == pytest.approx(1 + 4 * 0.025 ** (1 / 12))
    assert np.isnan(clustered_mean(np.array([5.0, 5.0]), [1, 2], (1, 5)).low)


@pytest.mark.parametrize(
    ("levels", "shares", "scale"),
    [([5, 4, 2], [0.85, 0.1, 0.05], (1, 5)), ([0, 1, 4], [0.85, 0.1, 0.05], (0, 4)), ([1, 0], [0.9, 0.1], (0, 1))],
)
@pytest.mark.parametrize("clients", [15, 20, 50])
def test_means_near_an_end_cover_what_they_say(
    levels: list[float], shares: list[float], scale: tuple[float, float], clients: int
) -> None:
    rng, truth = np.random.default_rng(clients), float(np.dot(levels, shares))
    found = [clustered_mean(rng.choice(levels, size=clients, p=shares).astype(float), list(range(clients)), scale) for _ in range(400)]
    assert np.mean([one.low <= truth <= one.high for one in found]) >= 0.93
