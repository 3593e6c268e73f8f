"""Files for spreadsheets: Chinese stays readable, and no cell runs as a formula."""

from pathlib import Path

import pandas as pd

from core.csv_files import csv_bytes, read_rows


def test_formulas_are_defused_and_come_back_as_they_were(tmp_path: Path) -> None:
    texts = ["=1+1", "+49 30", "-x", "@name", "\tindented", "'quoted", "平常", "-3.5"]
    path = tmp_path / "out.csv"
    path.write_bytes(csv_bytes(pd.DataFrame({"text": texts[:4], "score": [-1.5, 2, 3, 4]})))
    raw = path.read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf") and b"'=1+1,-1.5" in raw
    assert [row["text"] for row in read_rows(path, ["text", "score"])] == texts[:4]
