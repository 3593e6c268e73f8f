"""Copies of the database beside it, made before an upgrade changes anything."""

import filecmp
import glob
import os
import sqlite3
from contextlib import closing
from pathlib import Path


def copies(path: Path) -> list[Path]:
    """The copies made of this database before upgrades."""
    return sorted(path.parent.glob(f"{glob.escape(path.stem)}.before-*.db"))


def copy_before(path: Path, head: str) -> Path:
    """A private copy of the database as it stands, with all that is committed; one like it is not made twice.

    An older copy is never written over: after a return to the former version it may be all there is of something.
    """
    fresh = path.with_suffix(f".before-{head}.new")
    try:
        write_copy(path, fresh)
        for known in copies(path):
            if filecmp.cmp(known, fresh, shallow=False):
                return known
        kept = path.with_suffix(f".before-{head}.db")
        number = 1
        while kept.exists():
            number += 1
            kept = path.with_suffix(f".before-{head}-{number}.db")
        return fresh.rename(kept)
    finally:
        fresh.unlink(missing_ok=True)


def write_copy(path: Path, to: Path) -> None:
    """Copy with SQLite's backup, which sees what still stands in the log beside the file; on the disk when it returns."""
    to.unlink(missing_ok=True)
    to.touch(mode=0o600)
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(to)) as target:
        target.execute("PRAGMA journal_mode=OFF")
        source.backup(target)
    with to.open("rb+") as written:
        os.fsync(written.fileno())
