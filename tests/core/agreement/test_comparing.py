"""Comparisons: both orders, stage scores per role, majorities, and the published ESC-Judge matrix."""

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize

from core.agreement.comparing import TIE, Reading, RoleScore, combine, outcomes, role_scores, tally
from core.agreement.strength import ends, fit, fit_or_infinite, strengths
from core.agreement.winning import StageScores, stage_scores
from core.errors import DataError

AGENTS = ["Hill 4o-mini", "Hill 8B", "Hill 3B", "plain 4o-mini", "plain 8B", "plain 3B"]
# ESC-Judge, Figure 4, Exploration: of 25 roles, how many the row wins over the column.
WINS = [
    [0, 11, 10, 22, 21, 21],
    [10, 0, 9, 25, 21, 22],
    [13, 10, 0, 23, 24, 19],
    [0, 0, 1, 0, 10, 7],
    [3, 1, 1, 12, 0, 6],
    [4, 2, 4, 17, 14, 0],
]


def published() -> dict[tuple[str, str], list[RoleScore]]:
    scores = {}
    for i, j in itertools.combinations(range(6), 2):
        won, lost = WINS[i][j], WINS[j][i]
        each = [1.0] * won + [0.0] * lost + [0.5] * (25 - won - lost)
        scores[AGENTS[i], AGENTS[j]] = [RoleScore(role, score, 3, 3) for role, score in enumerate(each)]
    return scores


def staged(draws: int = 500) -> StageScores:
    return stage_scores(published(), np.random.default_rng(7), draws)


def test_published_mean_scores() -> None:
    found = staged()
    assert [round(found.agents[agent].value, 3) for agent in AGENTS] == [
        0.720,
        0.752,
        0.756,
        0.176,
        0.232,
        0.364,
    ]


def test_published_hill_against_plain() -> None:
    between = [p for p in staged().pairs if p.a in AGENTS[:3] and p.b in AGENTS[3:]]
    assert len(between) == 9
    wins, losses, ties = (sum(getattr(p, kind) for p in between) for kind in ("wins", "losses", "ties"))
    assert (wins, losses, ties) == (198, 16, 11)
    assert round((wins + ties / 2) / (wins + losses + ties), 3) == 0.904


def test_decision_and_support_are_two_things() -> None:
    pairs = {(p.a, p.b): p for p in staged(2000).pairs}
    close, clear = pairs["Hill 4o-mini", "Hill 8B"], pairs["Hill 4o-mini", "plain 8B"]
    assert close.decision == "Hill 4o-mini" and not close.supported
    assert clear.decision == "Hill 4o-mini" and clear.supported
    assert (close.wins, close.losses, close.ties, close.roles) == (11, 10, 4, 25)
    assert close.majority_score == pytest.approx(0.52)


@pytest.mark.parametrize(
    ("one", "other", "state"),
    [
        ("a", "a", ("decided", "a")),
        (TIE, TIE, ("tie", None)),
        ("a", "b", ("orders_disagree", None)),
        ("a", TIE, ("orders_disagree", None)),
        ("a", None, ("undecided", None)),
        (None, TIE, ("undecided", None)),
        (None, None, ("skipped", None)),
    ],
)
def test_two_orders_make_one_outcome(
    one: str | None, other: str | None, state: tuple[str, str | None]
) -> None:
    assert combine(one, other) == state


def both(
    role: str, dimension: str, ab: str | None, ba: str | None, a: str = "x", b: str = "y"
) -> list[Reading]:
    return [Reading(role, a, b, dimension, "Insight", ab), Reading(role, b, a, dimension, "Insight", ba)]


def test_states_are_counted_apart_and_only_judged_ones_score() -> None:
    readings = [
        *both("r1", "d1", "x", "x"), *both("r1", "d2", "x", "y"), *both("r1", "d3", None, "x"),
        *both("r2", "d1", TIE, TIE), *both("r2", "d2", None, None), *both("r2", "d3", None, "y"),
    ]  # fmt: skip
    found = outcomes(readings)
    assert tally(found) == {"decided": 1, "tie": 1, "orders_disagree": 1, "undecided": 2, "skipped": 1}
    first, second = role_scores(found, {"Insight": 3})["Insight", "x", "y"]
    assert (first.score, first.judged, first.counted) == (0.75, 2, True)
    assert (second.judged, second.counted) == (1, False)
    pair = stage_scores({("x", "y"): [first, second]}, np.random.default_rng(0), 100).pairs[0]
    assert (pair.roles, pair.left_out, pair.score) == (1, 1, 0.75)
    assert np.isnan(pair.low) and not pair.supported  # one role says nothing about others


def test_score_and_majority_may_disagree() -> None:
    each = [RoleScore("r1", 1.0, 3, 3), RoleScore("r2", 1 / 3, 3, 3), RoleScore("r3", 1 / 3, 3, 3)]
    pair = stage_scores({("x", "y"): each}, np.random.default_rng(0), 100).pairs[0]
    assert pair.decision == "x" and pair.majority_score == pytest.approx(1 / 3)


def test_a_single_order_is_undecided_unless_asked_for() -> None:
    one = [Reading("r", "x", "y", "d", "Insight", "y")]
    assert outcomes(one)[0].state == "undecided"
    assert outcomes(one, both_orders=False)[0].winner == "y"


def test_repeats_average_within_their_dimension() -> None:
    readings = []
    for repeat, winner in enumerate(("x", "x", "y"), start=1):
        readings += [
            Reading("r", "x", "y", "d1", "Action", winner, repeat),
            Reading("r", "y", "x", "d1", "Action", winner, repeat),
        ]
    readings += [Reading("r", "x", "y", "d2", "Action", "y"), Reading("r", "y", "x", "d2", "Action", "y")]
    (score,) = role_scores(outcomes(readings), {"Action": 2})["Action", "x", "y"]
    assert score.score == pytest.approx((2 / 3 + 0) / 2)


def test_what_cannot_be_a_comparison_is_refused() -> None:
    with pytest.raises(DataError, match="more than once in the same order"):
        outcomes([*both("r", "d", "x", "x"), Reading("r", "x", "y", "d", "Insight", "x")])
    with pytest.raises(DataError, match="names neither"):
        outcomes([Reading("r", "x", "y", "d", "Insight", "z")])
    with pytest.raises(DataError, match="with itself"):
        outcomes([Reading("r", "x", "x", "d", "Insight", "x")])


def test_few_unanimous_roles_do_not_support_a_claim() -> None:
    """Three roles of three say less than an interval of no width would claim; ten of ten are enough."""
    for roles, supported in ((3, False), (5, False), (10, True)):
        pair = stage_scores(
            {("x", "y"): [RoleScore(r, 1.0, 3, 3) for r in range(roles)]}, np.random.default_rng(0), 200
        ).pairs[0]
        assert pair.supported is supported and pair.high == 1.0 and pair.low < 1.0


def test_interval_holds_the_truth_about_as_often_as_it_says() -> None:
    rng, held = np.random.default_rng(1), 0
    for _ in range(200):
        each = [
            RoleScore(r, float(s), 3, 3)
            for r, s in enumerate(rng.choice([0, 1 / 3, 2 / 3, 1], 25, p=[0.1, 0.2, 0.3, 0.4]))
        ]
        pair = stage_scores({("x", "y"): each}, rng, 400).pairs[0]
        held += pair.low <= 2 / 3 <= pair.high
    assert 0.89 <= held / 200 <= 0.99


def test_bradley_terry_equals_a_direct_maximum_likelihood_fit() -> None:
    found = strengths(published(), np.random.default_rng(7), 200)
    wins = np.array(WINS, dtype=float)
    ties = 25 - wins - wins.T
    np.fill_diagonal(ties, 0)
    wins += ties / 2

    def loss(s: np.ndarray) -> float:
        return float((wins * np.log1p(np.exp(s[None, :] - s[:, None]))).sum())

    fitted = minimize(loss, np.zeros(6), method="BFGS", options={"gtol": 1e-8}).x
    assert [found[a].value for a in AGENTS] == pytest.approx(list(fitted - fitted.mean()), abs=1e-4)
    assert all(found[a].low < found[a].value < found[a].high for a in AGENTS)


def test_bradley_terry_without_a_finite_answer() -> None:
    won_all = {("x", "y"): [RoleScore(r, 1.0, 3, 3) for r in range(8)]}
    assert np.isnan(strengths(won_all, np.random.default_rng(0), 20)["x"].value)
    assert strengths({}, np.random.default_rng(0), 20) == {}


def test_strengths_have_no_interval_where_an_end_is_infinite() -> None:
    """Eleven roles of twelve won: every third draw has no loss at all, so that there is no upper end."""
    won = {("x", "y"): [RoleScore(r, float(r > 0), 3, 3) for r in range(12)]}
    found = strengths(won, np.random.default_rng(0), 400)
    assert found["x"].value == pytest.approx(np.log(11) / 2) and found["y"].value == -found["x"].value
    assert all(np.isnan([one.low, one.high]).all() for one in found.values())


@pytest.mark.parametrize(("infinite", "shown"), [(0.0, True), (0.02, True), (0.04, False)])
def test_infinite_draws_count_as_infinite_and_are_not_left_out(infinite: float, shown: bool) -> None:
    """At first up to one in twenty was left out, which drew the ends inward."""
    drawn = np.linspace(-1, 1, 1000)
    drawn[drawn > 1 - 2 * infinite] = np.inf
    low, high = ends(drawn, 10_000)
    assert np.isfinite(low) == np.isfinite(high) == shown
    if shown:
        assert high == pytest.approx(0.95, abs=0.005)


def test_strengths_are_infinite_in_a_draw_for_those_who_won_or_lost_all() -> None:
    wins = np.array([[0, 3, 3], [0, 0, 2], [0, 1, 0]], dtype=float)
    assert list(fit_or_infinite(wins[None])[0]) == [np.inf, -np.inf, -np.inf]
    chain = np.array([[0, 3, 3], [0, 0, 2], [0, 0, 0]], dtype=float)
    first, middle, last = fit_or_infinite(chain[None])[0]
    assert (first, last) == (np.inf, -np.inf) and np.isnan(middle)


def test_strengths_of_many_tables_are_those_of_each() -> None:
    wins = np.random.default_rng(5).integers(0, 9, size=(40, 4, 4)).astype(float)
    wins[:, np.arange(4), np.arange(4)] = 0
    wins[0] = [[0, 900, 1, 1], [1, 0, 900, 1], [1, 1, 0, 900], [1, 1, 1, 0]]
    for table, values in zip(wins, fit_or_infinite(wins), strict=True):
        if np.isfinite(values).all():
            assert values == pytest.approx(fit(table), abs=1e-5)
        else:
            assert np.isnan(fit(table)).all()


def test_strengths_of_nine_roles_have_no_interval() -> None:
    for roles, shown in ((9, False), (10, True)):
        half = {("x", "y"): [RoleScore(r, float(r % 2), 3, 3) for r in range(roles)]}
        assert np.isfinite(strengths(half, np.random.default_rng(0), 400)["x"].low) == shown


def test_strengths_of_a_single_role_are_even_and_have_no_interval() -> None:
    found = strengths({("a", "b"): [RoleScore("r", 0.5, 3, 3)]}, np.random.default_rng(7))
    assert found["a"].value == pytest.approx(0) and np.isnan([found["a"].low, found["a"].high]).all()
