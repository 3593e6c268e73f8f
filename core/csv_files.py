"""Tables as CSV files: read with plain words about what is wrong, written so that spreadsheets run nothing."""

import re
from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core import files
from core.cells import cell
from core.errors import DataError, msg

if TYPE_CHECKING:
    import pandas as pd

NUMBER = re.compile(r"[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?\Z")
MISSING = {"", "na", "nan", "null", "n/a"}


def csv_bytes(table: "pd.DataFrame") -> bytes:
    """A table as UTF-8 with a byte order mark, so that spreadsheets show Chinese; cells and headings are guarded."""
    import pandas as pd

    safe = table.copy()
    safe.columns = [cell(str(name)) for name in table.columns]
    for at, (_, column) in enumerate(table.items()):
        if not pd.api.types.is_numeric_dtype(column):
            safe.isetitem(at, column.map(cell).array)
    return bytes(safe.to_csv(index=False, lineterminator="\r\n").encode("utf-8-sig"))


def read_rows(path: Path | str, columns: Sequence[str]) -> list[dict[str, str]]:
    """The rows of a CSV file; as ``rows_of``."""
    path = Path(path)
    return rows_of(path.name, files.read_file(path), columns)


def rows_of(name: str, data: bytes, columns: Sequence[str], further: Sequence[str] = ()) -> list[dict[str, str]]:
    """The rows of a CSV table as stripped texts, with ``line`` (the heading is line 1) beside the columns.

    Comma, semicolon or tab; UTF-8 or another encoding that can be told. Other columns are left aside.

    Args:
        further: columns that may be absent; then their cells are blank.
    Raises:
        DataError: empty, not a table of text, too large, or a column is missing; the sentence says which.
    """
    name = files.shown(name)
    with files.edge(
        msg(
            "{name} is not a table that can be read: it is damaged, or another kind of file under this name. Save it as "
            "CSV (UTF-8) and try again."
        ), name=name,
    ):  # fmt: skip
        text, _dropped = files.cleaned(files.decode(name, data).text)
        lines = files.table(name, text)
    heads = [head.strip().casefold() for head in lines[0][1]]
    absent = [column for column in columns if column not in heads]
    if absent:
        raise DataError(
            "{name} lacks the column {absent}. It has: {found}. Needed are: {needed}.",
            name=name, absent=", ".join(absent), found=", ".join(heads)[:200], needed=", ".join(columns),
        )  # fmt: skip
    places = {column: heads.index(column) for column in (*columns, *further) if column in heads}
    rows = [
        dict.fromkeys(further, "") | {head: cells[at].strip() if at < len(cells) else "" for head, at in places.items()}
        | {"line": str(line)}
        for line, cells in lines[1:]
    ]
    if not rows:
        raise DataError("{name} has a heading but no rows. Add the data and try again.", name=name)
    return rows


def needed(row: dict[str, str], column: str, name: str) -> str:
    """A cell that must not be blank."""
    if not row[column]:
        raise DataError(
            "{name}, line {line}: the column {column} is blank. Fill it in and try again.",
            name=name, line=row["line"], column=column,
        )  # fmt: skip
    return row[column]


def number(row: dict[str, str], column: str, name: str) -> float | None:
    """A number, or ``None`` for a blank cell."""
    text = row[column]
    if text.casefold() in MISSING:
        return None
    if not NUMBER.match(text) or not isfinite(float(text)):
        raise DataError(
            "{name}, line {line}: “{text}” in the column {column} is not a number. Correct it, or leave the cell "
            "blank if there is no score.",
            name=name, line=row["line"], text=text, column=column,
        )  # fmt: skip
    return float(text)


def jsonable(value: Any) -> Any:
    """Plain JSON values: not-a-number and infinity become ``None``; numpy's numbers become Python's."""
    if isinstance(value, dict):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [jsonable(item) for item in value]
    if isinstance(value, bool) or value is None or isinstance(value, str | int):
        return value
    number = float(value)
    return number if abs(number) < float("inf") else None
