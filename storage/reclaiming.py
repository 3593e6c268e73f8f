"""What a deletion does to files: exports that hold the record and copies of the database go, freed space is overwritten.

What must go is noted with the deletion itself, so that a kill in between, a busy database or a locked file only puts
it off to the next start.
"""

import json
import os
import sqlite3
import stat
import zipfile
from collections.abc import Iterator, Mapping, Set
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

from storage.copies import copies
from storage.database import set_pragmas

UNFINISHED = "cleaning unfinished"  # setting: records (ids by kind) whose files and freed pages are still to go
PATIENCE_MS = 5_000
STUDIES = "studies by name"  # beside them: (name, created) of deleted studies, which former exports are known by
MANIFEST = "manifest.json"
FORMER = {"session": "sessions.jsonl", "report": "reports.jsonl", "role": "roles.jsonl"}  # of exports without a list
Records = Mapping[str, Set[int]]


def reclaim(path: Path) -> bool:
    """Overwrite what was freed: empty the log and rebuild the file. False while others read or write it."""
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            set_pragmas(connection, None)
            connection.execute(f"PRAGMA busy_timeout={PATIENCE_MS}")
            connection.execute("VACUUM")
            busy: int = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            return busy == 0
    except (sqlite3.OperationalError, MemoryError):
        return False


def remove_files(path: Path, gone: Records, own: "Own") -> tuple[int, int]:
    """Remove exports of this store that hold deleted records, and copies of the whole database.

    Only files that an export's own manifest lists are removed, one by one; a folder only when it is empty then.

    Returns:
        how many exports and copies went, and how many are still there.
    """
    found = [*exports_holding(path.parent, gone, own), *copies(path)]
    left = sum(not remove_export(one) if one.name == MANIFEST else not remove(one) for one in found)
    return len(found) - left, left


class Own:
    """What tells an export of this store: its identity, and for former exports the studies there are (name, created),
    or were until they were ``deleted``."""

    def __init__(self, identity: str, studies: Set[tuple[str, str]], deleted: Set[tuple[str, str]]) -> None:
        self.identity, self.studies, self.deleted = identity, studies, deleted

    def made(self, manifest: Mapping[str, Any], study: Mapping[str, Any]) -> bool:
        if "store" in manifest:
            return bool(manifest["store"] == self.identity)
        return named(study) in self.studies | self.deleted


def named(study: Mapping[str, Any]) -> tuple[str, str]:
    return str(study.get("name")), str(study.get("created"))


def exports_holding(folder: Path, gone: Records, own: Own) -> Iterator[Path]:
    """Manifests of exported folders, and zips of them, in the data folder that hold one of these records."""
    manifests, packs = exports_in(folder)
    for found in manifests:
        if holds(partial(beside, found), gone, own):
            yield found
    for found in packs:
        with suppress(OSError, zipfile.BadZipFile), zipfile.ZipFile(found) as packed:
            inside = {Path(name).name: name for name in packed.namelist()}
            if MANIFEST in inside and holds(partial(member, packed, inside), gone, own):
                yield found


def exports_in(folder: Path) -> tuple[list[Path], list[Path]]:
    """Manifests and zips beneath a folder: regular files only, as reading a pipe may wait for ever. No link to a folder
    is followed."""
    manifests, packs = [], []
    for at, _folders, names in os.walk(folder):
        manifests += [Path(at, name) for name in names if name == MANIFEST]
        packs += [Path(at, name) for name in names if name.endswith(".zip")]
    return sorted(filter(is_regular, manifests)), sorted(filter(is_regular, packs))


def is_regular(file: Path) -> bool:
    """Whether it is a regular file itself, and no link, pipe or device."""
    with suppress(OSError):
        return stat.S_ISREG(file.lstat().st_mode)
    return False


def beside(manifest: Path, name: str) -> bytes:
    """A file of an exported folder. Raises FileNotFoundError: it is missing, or no regular file."""
    file = manifest.parent / name
    if not is_regular(file):
        raise FileNotFoundError(name)
    return file.read_bytes()


def member(packed: zipfile.ZipFile, inside: Mapping[str, str], name: str) -> bytes:
    """A file of a zipped export, wherever in it it lies. Raises KeyError: it has none."""
    return packed.read(inside[name])


def holds(read: Any, gone: Records, own: Own) -> bool:
    """Whether an export is of this store and has one of these records; one that cannot be read is left alone."""
    try:
        manifest = json.loads(read(MANIFEST))
        if not isinstance(manifest, dict) or manifest.get("format") != "rapport study":
            return False
        study = json.loads(read("study.json").splitlines()[0])
        if not own.made(manifest, study):
            return False
        if "store" not in manifest and named(study) in own.deleted:
            return True
        if isinstance(records := manifest.get("records"), dict):
            return any(set(records.get(kind, ())) & ids for kind, ids in gone.items())
        return any(ids_in(read, file) & gone.get(kind, frozenset()) for kind, file in FORMER.items()) or names_unit(read, gone)
    except (OSError, KeyError, ValueError, IndexError, TypeError, AttributeError):
        return False


def ids_in(read: Any, file: str) -> set[int]:
    return {row["id"] for row in map(json.loads, read(file).splitlines()) if isinstance(row, dict)}


def names_unit(read: Any, gone: Records) -> bool:
    """Whether a unit of a former export worked on one of these reports: its calls hold their text."""
    rows = [row for row in map(json.loads, read("units.jsonl").splitlines()) if isinstance(row, dict)]
    named = {part.get("report") for row in rows for part in (row.get("payload") or {}, row.get("result") or {})}
    return bool(named & gone.get("report", frozenset()))


def remove_export(manifest: Path) -> bool:
    """Remove the files a manifest lists, the manifest last, and folders that are empty then; false if one stays."""
    folder = manifest.parent
    try:
        listed = [folder / str(name) for name in json.loads(manifest.read_bytes())["files"]]
    except (OSError, ValueError, KeyError, TypeError):
        return False
    inside = [file for file in listed if folder.resolve() in file.resolve().parents]
    stayed = [file for file in inside if not remove(file)]
    if stayed or not remove(manifest):
        return False
    within = {parent for file in inside for parent in file.parents if folder in (parent, *parent.parents)}
    for parent in sorted(within, key=lambda part: len(part.parts), reverse=True):
        with suppress(OSError):  # not empty: something else lies there
            parent.rmdir()
    return True


def remove(file: Path) -> bool:
    """Remove a file; whether it is gone."""
    with suppress(OSError):
        file.unlink(missing_ok=True)
    return not file.exists()
