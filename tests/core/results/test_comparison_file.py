"""`rapport compare COMPARISONS.csv`: a researcher gives comparisons in both orders and reads win scores."""

import itertools
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from core.cli import app
from core.errors import DataError
from core.results.comparison_file import compare_of

HEAD = "role,agent_a,agent_b,dimension,stage,order,verdict"
AGENTS = ["Hill-4o-mini", "Hill-8B", "Hill-3B", "plain-4o-mini", "plain-8B", "plain-3B"]
WINS = [  # ESC-Judge, Figure 4, Exploration
    [0, 11, 10, 22, 21, 21],
    [10, 0, 9, 25, 21, 22],
    [13, 10, 0, 23, 24, 19],
    [0, 0, 1, 0, 10, 7],
    [3, 1, 1, 12, 0, 6],
    [4, 2, 4, 17, 14, 0],
]


def write(folder: Path, lines: list[str]) -> Path:
    path = folder / "comparisons.csv"
    path.write_text("\n".join([HEAD, *lines]), "utf-8")
    return path


def both(
    role: str, a: str, b: str, dimension: str, ab: str, ba: str, stage: str = "Exploration"
) -> list[str]:
    return [f"{role},{a},{b},{dimension},{stage},ab,{ab}", f"{role},{a},{b},{dimension},{stage},ba,{ba}"]


def published() -> list[str]:
    lines = []
    for i, j in itertools.combinations(range(6), 2):
        verdicts = [AGENTS[i]] * WINS[i][j] + [AGENTS[j]] * WINS[j][i]
        verdicts += ["tie"] * (25 - len(verdicts))
        for role, verdict in enumerate(verdicts):
            for dimension in ("empathy", "emotion", "thoughts"):
                lines += both(f"R{role}", AGENTS[i], AGENTS[j], dimension, verdict, verdict)
    return lines


def test_published_matrix_through_the_command(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["compare", str(write(tmp_path, published())), "--json"])
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)
    stage = told["stages"]["Exploration"]
    assert [round(stage["scores"][a]["value"], 3) for a in AGENTS] == [
        0.720,
        0.752,
        0.756,
        0.176,
        0.232,
        0.364,
    ]
    assert set(told["counts"]) == {"decided", "tie", "orders_disagree", "undecided", "skipped"}
    pair = stage["pairs"][0]
    assert set(pair) == {
        "a", "b", "score", "low", "high", "majority_score", "wins", "losses", "ties", "roles", "left_out",
        "decision", "supported",
    }  # fmt: skip
    assert (pair["a"], pair["b"], pair["wins"], pair["losses"], pair["ties"]) == (
        "Hill-4o-mini",
        "Hill-8B",
        11,
        10,
        4,
    )
    assert pair["decision"] == "Hill-4o-mini" and pair["supported"] is False
    drawn, agreed = told["notes"]
    assert drawn.startswith("Exploration: 95 % intervals: drawing roles, 10,000 draws (Hill-4o-mini – Hill-8B, ")
    assert agreed == "Exploration: 95 % intervals: binomial bounds, all roles agree (Hill-8B – plain-4o-mini)."
    sums = sum(stage["bradley_terry"].values())
    assert sums == pytest.approx(0, abs=1e-9)
    assert max(stage["bradley_terry"], key=stage["bradley_terry"].get) == "Hill-3B"


def test_kinds_of_no_win_are_counted_apart(tmp_path: Path) -> None:
    lines = [
        *both("r1", "x", "y", "d1", "x", "x"), *both("r1", "x", "y", "d2", "x", "y"),
        *both("r1", "x", "y", "d3", "Tie", "tie"), *both("r2", "x", "y", "d1", "", "y"),
        *both("r2", "x", "y", "d2", "", ""), "r2,x,y,d3,Exploration,ab,y",
    ]  # fmt: skip
    told = compare_of(write(tmp_path, lines))
    assert told["counts"] == {"decided": 1, "tie": 1, "orders_disagree": 1, "undecided": 2, "skipped": 1}
    (pair,) = told["stages"]["Exploration"]["pairs"]
    assert (pair["score"], pair["roles"], pair["left_out"]) == (pytest.approx(2 / 3), 1, 1)
    assert pair["low"] is None and any("fewer than two roles" in note for note in told["notes"])
    json.dumps(told, allow_nan=False)


def test_a_pair_named_the_other_way_round_is_the_same_pair(tmp_path: Path) -> None:
    lines = ["r1,y,x,d1,Action,ab,x", "r1,x,y,d1,Action,ab,x"]  # once y was shown first, once x
    (pair,) = compare_of(write(tmp_path, lines))["stages"]["Action"]["pairs"]
    assert (pair["a"], pair["b"], pair["score"], pair["losses"]) == ("y", "x", 0.0, 1)


def test_agents_with_names_that_look_like_gaps(tmp_path: Path) -> None:
    told = compare_of(write(tmp_path, both("NA", "None", "null", "d1", "None", "None")))
    assert told["stages"]["Exploration"]["pairs"][0]["decision"] == "None"


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (["r,x,y,d,Action,ab,z"], "line 2: the verdict “z” is neither x nor y nor tie"),
        (["r,x,y,d,Action,first,x"], "line 2: the order is “first”"),
        (["r,x,x,d,Action,ab,x"], "compared with itself"),
        (["r,x,tie,d,Action,ab,x"], "cannot be called “tie”"),
        (["r,x,y,d,Action,ab,x", "r,x,y,d,Insight,ba,x"], "under the stages Action and Insight"),
        (["r,x,y,d,Action,ab,x", "r,y,x,d,Action,ba,x"], "more than once in the same order"),
        (["r,x,y,,Action,ab,x"], "the column dimension is blank"),
    ],
)
def test_a_wrong_row_is_named(tmp_path: Path, lines: list[str], sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        compare_of(write(tmp_path, lines))
