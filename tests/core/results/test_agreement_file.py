"""`rapport agreement RATINGS.csv`: a researcher gives a table of ratings and reads how far raters agree."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from core.cli import app
from core.errors import DataError
from core.results.agreement_file import agreement_of

SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


def write(folder: Path, lines: list[str], name: str = "ratings.csv", encoding: str = "utf-8") -> Path:
    path = folder / name
    path.write_bytes("\r\n".join(["target,rater,item,score", *lines]).encode(encoding))
    return path


def shrout_fleiss(item: str = "Q1") -> list[str]:
    return [f"s{t},r{r},{item},{score}" for t, row in enumerate(SHROUT_FLEISS) for r, score in enumerate(row)]


def test_published_table_through_the_command(tmp_path: Path) -> None:
    path = write(tmp_path, [*shrout_fleiss(), "s9,r0,Q1,", "s9,r1,Q1,3"], encoding="utf-8-sig")
    result = CliRunner().invoke(app, ["agreement", str(path), "--json"])
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)
    q1 = told["items"]["Q1"]
    assert (q1["n_targets"], q1["n_raters"], q1["dropped_targets"]) == (6, 4, 1)
    assert set(q1) == {"n_targets", "n_raters", "dropped_targets", "icc", "krippendorff", "notes"}
    absolute = q1["icc"]["ICC(A,k)"]
    assert set(absolute) == {"value", "low", "high", "f", "df1", "df2", "p"}
    assert absolute["value"] == pytest.approx(0.6201, abs=1e-4) and absolute["low"] == pytest.approx(
        0.071137, abs=1e-5
    )
    assert set(q1["icc"]) == {f"ICC({form},{mean})" for form in "1AC" for mean in "1k"}
    assert set(q1["krippendorff"]) == {"nominal", "ordinal", "interval"}
    pair = next(p for p in told["pairs"] if (p["a"], p["b"]) == ("r0", "r1"))
    assert set(pair) == {"a", "b", "item", "n", "pearson", "spearman", "kappa", "weighted_kappa"}
    assert pair["n"] == 6 and pair["pearson"] == pytest.approx(0.7453, abs=1e-4)
    assert len(told["pairs"]) == 6


def test_what_cannot_be_computed_is_null_with_a_note(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        ["s1,r1,same,3", "s1,r2,same,3", "s2,r1,same,3", "s2,r2,same,3", "s1,r1,alone,2", "s2,r1,alone,4"],
    )
    told = agreement_of(path)
    same, alone = told["items"]["same"], told["items"]["alone"]
    assert same["icc"]["ICC(1,1)"]["value"] is None and same["krippendorff"]["ordinal"] is None
    assert any("without variance" in note for note in same["notes"])
    assert alone["n_raters"] == 1 and any("Fewer than two raters" in note for note in alone["notes"])
    assert told["pairs"][0]["kappa"] is None
    json.dumps(told, allow_nan=False)


def test_a_measure_without_levels_has_no_kappa(tmp_path: Path) -> None:
    lines = [f"s{i},r{j},total,{i * 1.37 + j * 0.21:.3f}" for i in range(20) for j in range(2)]
    told = agreement_of(write(tmp_path, lines))
    assert told["pairs"][0]["kappa"] is None and told["pairs"][0]["pearson"] == pytest.approx(1.0)
    assert any("few levels" in note for note in told["items"]["total"]["notes"])


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (["s1,r1,Q1,good"], "line 2: “good” in the column score is not a number"),
        (["s1,,Q1,2"], "line 2: the column rater is blank"),
        (["s1,r1,Q1,2", "s1,r1,Q1,3"], "line 3: rater r1 has already scored target s1 on item Q1 in line 2"),
        (["s1,r1,Q1,inf"], "is not a number"),
        ([], "no rows"),
    ],
)
def test_a_wrong_file_is_named_with_its_line(tmp_path: Path, lines: list[str], sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        agreement_of(write(tmp_path, lines))


def test_missing_column_empty_file_no_file(tmp_path: Path) -> None:
    short = tmp_path / "short.csv"
    short.write_text("target,rater,score\ns,r,1\n")
    with pytest.raises(DataError, match="lacks the column item"):
        agreement_of(short)
    empty = tmp_path / "empty.csv"
    empty.write_text("")
    with pytest.raises(DataError, match="is empty"):
        agreement_of(empty)
    result = CliRunner().invoke(app, ["agreement", str(tmp_path / "none.csv")])
    assert result.exit_code == 2 and "cannot be read" in result.stderr


def test_spreadsheets_of_other_places_are_read(tmp_path: Path) -> None:
    path = tmp_path / "cn.csv"
    rows = [
        "Target;Rater;Item;Score;备注",
        "来访者甲;督导王;目标一致;3;好",
        "来访者乙;督导王;目标一致;4;",
        "来访者甲;督导李;目标一致;NA;",
    ]
    path.write_bytes("\n".join(rows).encode("gb18030"))
    told = agreement_of(path)
    assert told["items"]["目标一致"]["n_raters"] == 1  # the second one gave no score at all
    assert any("Fewer than two raters" in note for note in told["items"]["目标一致"]["notes"])
