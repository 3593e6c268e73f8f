"""Stores that former versions wrote, as database files."""

import hashlib
import json
import sqlite3
import zlib
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from alembic import command
from sqlalchemy import create_engine

from storage.database import MIGRATIONS
from storage.store import Store, open_store
from storage.upgrading import alone, configured

STORES = Path(__file__).parent / "storage" / "stores"


def old_store(path: Path, name: str = "before_0002") -> Path:
    """The store ``name`` in a new file at ``path``, with the schema it was written with."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((STORES / f"{name}.sql").read_text("utf-8"))
    return path


@cache
def brought_to(schema: str) -> bytes:
    """The old store as it was written, or brought up to this schema as the version of that time did: the file's bytes."""
    with TemporaryDirectory() as folder:
        path = old_store(Path(folder) / "rapport.db")
        if schema:
            engine = create_engine(f"sqlite:///{path}")
            with alone(engine) as connection:
                command.upgrade(configured(connection, MIGRATIONS), schema)
            engine.dispose()
        return path.read_bytes()


class Old:
    """The old store, to be changed before it is opened."""

    def __init__(self, folder: Path, schema: str = "") -> None:
        self.path = folder / "data" / "rapport.db"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_bytes(brought_to(schema))
        self.connection = sqlite3.connect(self.path)
        self.run = self.connection.execute

    def again(self, table: str, id: int, /, **changed: Any) -> int:
        """A further row like this one, with some columns changed; its id."""
        found = self.run(f'SELECT * FROM "{table}" WHERE id = ?', (id,))
        names = [column[0] for column in found.description]
        most = self.run(f'SELECT max(id) FROM "{table}"').fetchone()[0]
        row = dict(zip(names, found.fetchone(), strict=True)) | {"id": most + 1} | changed
        self.run(f'INSERT INTO "{table}" ({", ".join(names)}) VALUES ({", ".join("?" * len(names))})', [row[name] for name in names])
        return int(row["id"])

    def add(self, table: str, /, **row: Any) -> int:
        """A row with these columns alone; its id."""
        made = self.run(f'INSERT INTO "{table}" ({", ".join(row)}) VALUES ({", ".join("?" * len(row))})', list(row.values()))
        return int(made.lastrowid or 0)

    def call(self, purpose: str, prompt: str, words: str, created: str, study: int | None = None, unit: int | None = None) -> int:
        hash = hashlib.sha256(words.encode()).hexdigest()
        self.run("INSERT OR IGNORE INTO text_part VALUES (?, ?)", (hash, zlib.compress(words.encode())))
        messages = json.dumps([{"role": "user", "hash": hash}])
        return self.again(
            "call", 63, purpose=purpose, prompt=prompt, messages=messages, raw=hash, created=created, study_id=study, unit_id=unit,
            reason="", attempts="[]",
        )  # fmt: skip

    def opened(self) -> Store:
        self.connection.commit()
        self.connection.close()
        return open_store(self.path)
