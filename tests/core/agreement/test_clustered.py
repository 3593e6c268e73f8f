"""Intervals of ICC and r from resampling clusters, all resamples at once."""

import numpy as np
import pytest

from core.agreement.clustered import clustered_icc, clustered_pearson, row_weights, weighted_icc
from core.agreement.icc import FORMS, quick_icc
from core.agreement.resampling import cluster_interval


def table(n: int = 36, k: int = 3, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.repeat(rng.normal(size=n // 4), 4)[:, None] + rng.normal(size=(n, k)) + 3


@pytest.mark.parametrize("form", FORMS)
def test_weights_of_one_give_the_plain_value(form: str) -> None:
    scores = table()
    found = weighted_icc(scores - scores.mean(), np.ones((1, len(scores))), form)
    assert found[0] == pytest.approx(quick_icc(scores, form))


def test_weights_equal_repeated_rows() -> None:
    scores, clusters = table(), [i // 4 for i in range(36)]
    weights = row_weights(clusters, 20, np.random.default_rng(1))
    found = weighted_icc(scores - scores.mean(), weights, "ICC(A,1)")
    for w, value in zip(weights, found, strict=True):
        assert value == pytest.approx(quick_icc(np.repeat(scores, w.astype(int), axis=0), "ICC(A,1)"))


def test_interval_is_that_of_the_plain_resampling() -> None:
    scores, clusters = table(80), [i // 4 for i in range(80)]
    quick = clustered_icc(scores, clusters, "ICC(C,1)", np.random.default_rng(2), 2000)
    slow = cluster_interval(
        clusters, lambda rows: quick_icc(scores[rows], "ICC(C,1)"), np.random.default_rng(3), 1000
    )
    assert (quick.low, quick.high) == pytest.approx((slow.low, slow.high), abs=0.05)
    assert (quick.n, quick.clusters) == (80, 20)


def test_correlation_interval_is_wider_by_client_than_by_session() -> None:
    """On the whole: single small samples of clients may by chance look steadier than their sessions do."""
    widths = []
    for seed in range(12):
        scores = table(80, 2, seed)
        by_client, by_session = (
            clustered_pearson(scores[:, 0], scores[:, 1], clusters, np.random.default_rng(4))
            for clusters in ([i // 4 for i in range(80)], list(range(80)))
        )
        assert by_client.value == by_session.value and (by_client.clusters, by_session.clusters) == (20, 80)
        widths.append((by_client.high - by_client.low, by_session.high - by_session.low))
    wider, narrower = np.array(widths).mean(axis=0)
    assert wider > 1.1 * narrower


def test_what_has_no_interval() -> None:
    scores = table(8)
    assert np.isnan(clustered_icc(scores, ["one"] * 8, "ICC(A,1)", np.random.default_rng(0)).low)
    assert np.isnan(
        clustered_icc(np.full((8, 2), 3.0), list(range(8)), "ICC(A,1)", np.random.default_rng(0)).value
    )
    assert np.isnan(
        clustered_pearson(np.full(8, 3.0), scores[:, 0], list(range(8)), np.random.default_rng(0)).value
    )
