"""No cell of a table runs as a formula, and each comes back as it was."""

import csv
import io
import tomllib
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pytest

from core import files
from core.cells import FORMULA, cell, uncell
from core.csv_files import csv_bytes
from core.sessions.tabular import read_csv
from core.sessions.transcripts import Transcript
from pages.components import charts

FORMULAS = [
    "=1+1", "+49 30", "-x", "@name", "\tindented", "\r=1", "\n=1", "＝1+1", "＋1", "－1", "＠x", "  =1+1", "\u3000=1", "\u00a0@x",
    "\ufeff=1", "\u200b=1", "\x00=1", "'=1", "''＝1", "-2+3", "=-1", "-1 2",
]  # fmt: skip
HARMLESS = ["plain", "平常", "'quoted", "a=b", "1-2", "", "  spaced", "‘=1’"]
NUMBERS = ["-3.5", "+2", "-1e-3", "7", ".5"]


@pytest.mark.parametrize("text", FORMULAS)
def test_formulas_are_marked_and_come_back(text: str) -> None:
    assert cell(text) == "'" + text
    assert uncell(cell(text)) == text


@pytest.mark.parametrize("text", [*HARMLESS, *NUMBERS])
def test_other_texts_and_numbers_stay(text: str) -> None:
    assert cell(text) == text == uncell(text)


@pytest.mark.parametrize("value", [-1, -2.5, None, True])
def test_values_that_are_no_text_stay(value: Any) -> None:
    assert cell(value) is value


@pytest.mark.parametrize("write", [charts.csv, csv_bytes])
def test_every_table_that_leaves_is_guarded(write: Any) -> None:
    table = pd.DataFrame({"＝head": FORMULAS, "n": [-1.5] * len(FORMULAS)})
    rows = list(csv.reader(io.StringIO(write(table).decode("utf-8-sig"), newline="")))
    assert rows[0] == ["'＝head", "n"]
    assert [row[0] for row in rows[1:]] == ["'" + text for text in FORMULAS]
    assert {row[1] for row in rows[1:]} == {"-1.5"}


def test_workbook_holds_no_formula() -> None:
    book = openpyxl.Workbook()
    for text in FORMULAS:
        if not any(letter in text for letter in "\x00"):  # no letter of a workbook
            book.active.append([cell(text)])  # type: ignore[union-attr]
    assert {row[0].data_type for row in book.active.iter_rows()} == {"s"}  # type: ignore[union-attr]


def test_guards_are_taken_off_wherever_a_table_comes_in() -> None:
    said = "=) she smiled"
    rows = [["speaker", "text"], ["client", said], ["counselor", "-- and then?"]]
    text = "\n".join(",".join(str(cell(one)) for one in row) for row in rows)
    assert "'=)" in text
    assert [row for _line, row in files.table("a.csv", text)] == rows
    session = next(one for one in read_csv("a.csv", text) if isinstance(one, Transcript))
    assert [turn["text"] for turn in session.turns] == [said, "-- and then?"]


def test_tables_on_pages_have_no_download_of_their_own() -> None:
    """Streamlit's button cannot be guarded, so it is off; the button beside a table is ours."""
    settings = tomllib.loads((Path(__file__).parents[2] / ".streamlit" / "config.toml").read_text("utf-8"))
    assert settings["client"]["disableDataExport"] is True


def test_time_is_linear_in_the_text() -> None:
    assert FORMULA.match("'" * 200_000 + " " * 200_000) is None
