"""What a deletion does to files: exports and copies under the data folder go, and freed space is overwritten."""

import json
import shutil
import sqlite3
from collections.abc import Iterator, Mapping, Set
from contextlib import closing
from pathlib import Path
from typing import Any

from storage.copies import copies
from storage.database import set_pragmas

UNFINISHED = "cleaning unfinished"  # setting: what was deleted may still stand in the file or its log
PATIENCE_MS = 5_000
TABLES = {"session": "sessions.jsonl", "report": "reports.jsonl", "role": "roles.jsonl"}


def reclaim(path: Path) -> bool:
    """Overwrite what was freed: empty the log and rebuild the file. False while others read or write it."""
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            set_pragmas(connection, None)
            connection.execute(f"PRAGMA busy_timeout={PATIENCE_MS}")
            connection.execute("VACUUM")
            busy: int = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            return busy == 0
    except sqlite3.OperationalError:
        return False


def exports_naming(folder: Path, gone: Mapping[str, Set[int]]) -> Iterator[Path]:
    """Exported studies in the data folder that hold one of these records (ids by kind)."""
    for manifest in sorted(folder.glob("**/manifest.json")):
        if any(names(manifest.parent / file, gone.get(kind, frozenset())) for kind, file in TABLES.items()):
            yield manifest.parent


def names(file: Path, ids: Set[int]) -> bool:
    """Whether a table of an export has a row of one of these ids; a damaged one is taken to have."""
    if not ids or not file.exists():
        return False
    try:
        with file.open(encoding="utf-8") as lines:
            return any(row_id(json.loads(line)) in ids for line in lines)
    except (OSError, ValueError):
        return True


def row_id(row: Any) -> int | None:
    return row.get("id") if isinstance(row, dict) else None


def remove_files(path: Path, gone: Mapping[str, Set[int]]) -> int:
    """Remove exports that hold deleted records, and copies of the whole database; returns how many."""
    found = [*exports_naming(path.parent, gone), *copies(path)]
    for one in found:
        if one.is_dir():
            shutil.rmtree(one, ignore_errors=True)
        else:
            one.unlink(missing_ok=True)
    return sum(not one.exists() for one in found)
