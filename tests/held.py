"""All that a store holds, as one text to search: rows, compressed texts, the bytes of its files, and every file beside it."""

import json
import sqlite3
import zlib
from contextlib import closing

from storage.store import Store


def everything_in(store: Store, copies: bool = True) -> str:
    """Rows of every table, all texts of calls, and every file of the data folder (log, exports and locks included)."""
    assert store.path is not None
    with closing(sqlite3.connect(store.path)) as connection:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = [list(map(str, row)) for name in names if name != "text_part" for row in connection.execute(f'SELECT * FROM "{name}"')]
        texts = [zlib.decompress(row[0]).decode() for row in connection.execute("SELECT data FROM text_part")]
    files = [file for file in store.path.parent.rglob("*") if file.is_file() and (copies or ".before-" not in file.name)]
    read = [file.read_bytes().decode("utf-8", "replace") for file in files]
    return "\n".join([json.dumps(rows, ensure_ascii=False), *texts, *read])
