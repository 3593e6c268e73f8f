"""Intervals from resampling clusters."""

import numpy as np
import pytest

from core.agreement.resampling import cluster_interval, draw_weights, resampled_means
from core.errors import DataError


def test_same_seed_same_interval() -> None:
    values = np.random.default_rng(0).normal(size=40)
    clusters = [i // 4 for i in range(40)]
    one, two = (
        cluster_interval(clusters, lambda rows: float(values[rows].mean()), np.random.default_rng(9), 200)
        for _ in range(2)
    )
    assert one == two and one.clusters == 10 and one.low < values.mean() < one.high


def test_clusters_widen_what_single_rows_would_narrow() -> None:
    rng = np.random.default_rng(1)
    values = np.repeat(rng.normal(size=12), 10) + rng.normal(scale=0.1, size=120)
    clients, rows = [i // 10 for i in range(120)], list(range(120))

    def mean(picked: np.ndarray) -> float:
        return float(values[picked].mean())

    wide = cluster_interval(clients, mean, np.random.default_rng(2), 500)
    narrow = cluster_interval(rows, mean, np.random.default_rng(2), 500)
    assert wide.high - wide.low > 2 * (narrow.high - narrow.low)


def test_one_cluster_or_an_undefined_statistic_gives_no_interval() -> None:
    assert np.isnan(cluster_interval(["a"] * 5, lambda rows: 1.0, np.random.default_rng(0)).low)
    assert np.isnan(cluster_interval([1, 2, 3], lambda rows: float("nan"), np.random.default_rng(0), 50).high)
    with pytest.raises(DataError, match="at least one draw"):
        cluster_interval([1, 2], lambda rows: 1.0, np.random.default_rng(0), 0)


def test_weights_bring_whole_clusters_and_leave_gaps_out() -> None:
    weights = draw_weights(5, 300, np.random.default_rng(3))
    assert set(weights.sum(axis=1)) == {5.0}
    table = np.array([[1.0, np.nan]] * 4 + [[1.0, 2.0]])
    means = resampled_means(table, weights)
    assert set(means[:, 0]) == {1.0} and np.nanmax(means[:, 1]) == 2.0
    assert np.isnan(means[weights[:, 4] == 0, 1]).all()
