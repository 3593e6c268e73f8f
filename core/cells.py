"""Cells of tables that spreadsheets open: a text that one would run as a formula is marked, and unmarked on the way in.

Pure. Every table that leaves the workbench, and every one that comes in, passes here.
"""

import json
import re
from typing import Any

# Spreadsheets leave out blanks and marks without width before a formula, and some read full-width signs as well.
FORMULA = re.compile(r"'*(?:[\t\r\n]|[\s\x00-\x1f\u200b-\u200f\u2060\ufeff]*[=+\-@＝＋－＠])")
NUMBER = re.compile(r"[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?\Z", re.ASCII)


def cell(value: Any) -> Any:
    """The value as a spreadsheet may safely open it: text that would be run gets a leading ``'``.

    Numbers stay numbers, also those written as text; lists and objects become JSON.
    """
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, str) and FORMULA.match(value) and not NUMBER.match(value):
        return "'" + value
    return value


def uncell(text: str) -> str:
    """The text as it was before ``cell``."""
    return text[1:] if text.startswith("'") and FORMULA.match(text) else text
