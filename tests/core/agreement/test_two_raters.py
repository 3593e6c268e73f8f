"""Alpha, correlations, kappas and match rates against cited examples and independent libraries."""

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from core.agreement.alpha import cronbach_alpha, krippendorff_alpha
from core.agreement.comparing import TIE
from core.agreement.correlation import pearson, spearman
from core.agreement.icc import quick_icc
from core.agreement.kappa import kappa, weighted_kappa
from core.agreement.matching import match_rates
from core.agreement.matrix import Scores
from core.errors import DataError

NO = np.nan
# Krippendorff (2011), Computing Krippendorff's alpha-reliability, section C: four observers, twelve units.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NO, NO, NO],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NO, 3],
    [NO, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NO],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NO],
]


def scores(by_rater: list[list[float]]) -> Scores:
    values = np.array(by_rater, dtype=float).T
    return Scores(values, tuple(range(len(values))), tuple(range(values.shape[1])))


def test_krippendorff_published_example() -> None:
    found = scores(OBSERVERS)
    assert krippendorff_alpha(found, "nominal") == pytest.approx(0.743, abs=5e-4)
    assert krippendorff_alpha(found, "ordinal") == pytest.approx(0.815, abs=5e-4)
    assert krippendorff_alpha(found, "interval") == pytest.approx(0.849, abs=5e-4)


def test_krippendorff_without_variance_or_pairs() -> None:
    assert np.isnan(krippendorff_alpha(scores([[3, 3, 3], [3, 3, 3]]), "ordinal"))
    assert np.isnan(krippendorff_alpha(scores([[1, 2, 3]]), "interval"))
    assert np.isnan(krippendorff_alpha(scores([[1, NO], [NO, 2]]), "nominal"))


def test_cronbach_is_consistency_of_the_sum() -> None:
    table = np.random.default_rng(2).normal(size=(30, 1)) + np.random.default_rng(3).normal(size=(30, 4))
    assert cronbach_alpha(table) == pytest.approx(quick_icc(table, "ICC(C,k)"))
    assert np.isnan(cronbach_alpha(np.ones((5, 3))))


def test_correlations_equal_scipy_where_both_are_known() -> None:
    rng = np.random.default_rng(4)
    a, b = rng.integers(1, 6, 40).astype(float), rng.integers(1, 6, 40).astype(float)
    gaps_a, gaps_b = a.copy(), b.copy()
    gaps_a[3] = gaps_b[7] = NO
    known = np.setdiff1d(np.arange(40), [3, 7])
    assert pearson(gaps_a, gaps_b) == pytest.approx(stats.pearsonr(a[known], b[known]).statistic)
    assert spearman(gaps_a, gaps_b) == pytest.approx(stats.spearmanr(a[known], b[known]).statistic)


def test_correlation_that_cannot_be_told() -> None:
    assert np.isnan(pearson([1, 2], [2, 1]))
    assert np.isnan(pearson([3, 3, 3, 3], [1, 2, 3, 4]))
    assert np.isnan(spearman([], []))
    assert np.isnan(pearson([3.3] * 5, [1.1, 2.2, 3.3, 4.4, 5.5]))
    with pytest.raises(DataError, match="2 and 3 values"):
        pearson([1, 2], [1, 2, 3])


def test_kappas_equal_scikit_learn() -> None:
    rng = np.random.default_rng(6)
    a, b = rng.integers(1, 5, 60).tolist(), rng.integers(1, 5, 60).tolist()
    levels = [1, 2, 3, 4, 5]  # nobody gave a 5: the levels come from the scale
    assert kappa(a, b, levels) == pytest.approx(cohen_kappa_score(a, b))
    assert weighted_kappa(a, b, levels) == pytest.approx(
        cohen_kappa_score(a, b, labels=levels, weights="quadratic")
    )


def test_cohen_published_example() -> None:
    """Cohen (1960), table 1: two judges, three categories, 200 cases, kappa .492."""
    table = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]
    pairs = [(i, j) for i in range(3) for j in range(3) for _ in range(table[i][j])]
    assert kappa([i for i, _ in pairs], [j for _, j in pairs], [0, 1, 2]) == pytest.approx(0.492, abs=5e-4)


def test_kappa_that_cannot_be_told() -> None:
    assert np.isnan(kappa([2, 2, 2], [2, 2, 2], [1, 2, 3]))
    assert np.isnan(weighted_kappa([], [], [1, 2]))
    with pytest.raises(DataError, match="not a level"):
        kappa([1, 9], [1, 1], [1, 2])
    with pytest.raises(DataError, match="at least two levels"):
        kappa([1], [1], [1])


def test_match_rates_with_ties_apart_and_as_a_class() -> None:
    verdicts = [
        ("a", "a", "a"),
        ("a", "b", "a"),
        ("d", "d", "c"),
        (TIE, TIE, "a"),
        (TIE, "a", "a"),
        (None, "a", "a"),
    ]
    found = match_rates(verdicts)
    assert (found.without_ties, found.n_without_ties) == (pytest.approx(2 / 3), 3)
    assert (found.with_ties, found.n_with_ties) == (pytest.approx(3 / 5), 5)
    classes = [(1, 1), (1, 0), (0, 0), (2, 2), (2, 1)]
    assert found.kappa == pytest.approx(cohen_kappa_score(*zip(*classes, strict=True)))


def test_match_rates_of_nothing() -> None:
    found = match_rates([])
    assert np.isnan(found.with_ties) and found.n_with_ties == 0 and np.isnan(found.kappa)
