"""Stores that former versions wrote, as database files."""

import sqlite3
from contextlib import closing
from pathlib import Path

STORES = Path(__file__).parent / "storage" / "stores"


def old_store(path: Path, name: str = "before_0002") -> Path:
    """The store ``name`` in a new file at ``path``, with the schema it was written with."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((STORES / f"{name}.sql").read_text("utf-8"))
    return path
