"""Drawing whole clusters."""

import numpy as np
import pytest

from core.agreement.resampling import draw_weights, percentiles, resampled_means


def test_weights_bring_whole_clusters_and_leave_gaps_out() -> None:
    weights = draw_weights(5, 300, np.random.default_rng(3))
    assert set(weights.sum(axis=1)) == {5.0}
    table = np.array([[1.0, np.nan]] * 4 + [[1.0, 2.0]])
    means = resampled_means(table, weights)
    assert set(means[:, 0]) == {1.0} and np.nanmax(means[:, 1]) == 2.0
    assert np.isnan(means[weights[:, 4] == 0, 1]).all()


def test_same_seed_same_draws_and_percentiles_of_what_is_known() -> None:
    one, two = (draw_weights(4, 50, np.random.default_rng(9)) for _ in range(2))
    assert (one == two).all()
    assert percentiles(np.array([np.nan, *range(101)]), 0.9) == pytest.approx((5, 95))
    assert np.isnan(percentiles(np.array([np.nan]), 0.9)[0])
