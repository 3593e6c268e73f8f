"""Reading an exported study: its manifest, its files line by line, each row checked. Nothing here saves anything.

The files are looked at twice, to check and to save, and never held as a whole.
"""

import json
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, NoReturn

from pydantic import ValidationError

from core.errors import DataError, msg
from core.studies.exported_rows import FORMS, STUDY, Part, checked

FORMAT, VERSION, MANIFEST = "rapport study", 3, "manifest.json"
SINCE = {"notes": 2}  # the version a table is in exports from
MOST_BYTES = 4_000_000_000  # of all files of an export together
MOST_LINE = 16_000_000  # bytes of one row
DEEPEST = 40  # levels of JSON
Row = dict[str, Any]


@dataclass(frozen=True)
class Exported:
    """A folder that was found to be an export, whole and unchanged."""

    folder: Path
    version: int
    study: Row
    store: str = ""  # the identity of the store it was exported from, where it is told

    def rows(self, name: str) -> Iterator[Row]:
        """The checked rows of a table, in their order; ids are given once.

        Raises:
            DataError: a line does not fit; the sentence names it.
        """
        if self.version < SINCE.get(name, 1):
            return
        file, seen = f"{name}.jsonl", set[int]()
        for number, line in lines(self.folder / file):
            row = fitting(FORMS[name], file, number, parsed(file, number, line))
            if row["id"] in seen:
                raise unfit(file, number, msg("its id is there twice"))
            seen.add(row["id"])
            yield row


def read_export(folder: Path) -> Exported:
    """The export in a folder, its manifest and every row of it checked.

    Raises:
        DataError: it is no export, of a newer version, was changed or is damaged. Nothing was saved.
    """
    version, store = check_manifest(folder)
    found = Exported(folder, version, fitting(STUDY, "study.json", 1, read_object(folder / "study.json")), store)
    for name in FORMS:
        for _row in found.rows(name):
            pass
    return found


def files_of(version: int) -> list[str]:
    """The files an export of this version has, as far as they are read."""
    return ["study.json", *(f"{name}.jsonl" for name in FORMS if version >= SINCE.get(name, 1))]


def check_manifest(folder: Path) -> tuple[int, str]:
    """The version of an export whose files are as they were written, and the identity of the store that wrote them."""
    manifest = read_object(folder / MANIFEST)
    hashes, version = manifest.get("files"), manifest.get("version")
    if manifest.get("format") != FORMAT or not isinstance(hashes, dict) or type(version) is not int or version < 1:
        raise DataError("{name} is not an exported study. Choose the folder that export wrote; nothing was saved.", name=str(folder))
    if version > VERSION:
        raise DataError(
            "{name} was exported by a newer version of Rapport (format {version}; this one reads up to {known}). Update "
            "Rapport, then try again; nothing was saved.",
            name=str(folder), version=version, known=VERSION,
        )  # fmt: skip
    left = MOST_BYTES
    for file in files_of(version):
        if file not in hashes:
            raise DataError("{name} lacks {file}. Export the study again; nothing was saved.", name=str(folder), file=file)
        found, size = hash_of(folder / file, left)
        left -= size
        if found != hashes[file]:
            raise DataError("{file} was changed after the export. Export the study again; nothing was saved.", file=file)
    return version, str(manifest.get("store") or "")


def hash_of(path: Path, most: int) -> tuple[str, int]:
    """A file's sha256 and its size.

    Raises:
        DataError: it is larger than ``most`` bytes.
    """
    found, size = sha256(), 0
    with opened(path) as file:
        for block in iter(lambda: reading(path, file, 1_000_000), b""):
            size += len(block)
            if size > most:
                raise too_large(path.name)
            found.update(block)
    return found.hexdigest(), size


def opened(path: Path) -> IO[bytes]:
    """An ordinary file, opened to be read; links are not followed, since they lead out of the export."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        if path.is_symlink():
            raise OSError("it is a link")
        handle = os.open(path, flags)
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise OSError("it is no file")
        return os.fdopen(handle, "rb")
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error


def reading(path: Path, file: IO[bytes], size: int) -> bytes:
    try:
        return file.read(size)
    except OSError as error:
        raise unreadable(path, error) from error


def lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Lines that are not blank, with their numbers. Only a line feed ends one: texts hold the other breaks."""
    with opened(path) as file:
        number = 0
        while True:
            try:
                line = file.readline(MOST_LINE + 1)
            except OSError as error:
                raise unreadable(path, error) from error
            if not line:
                return
            number += 1
            if len(line) > MOST_LINE:
                raise too_large(path.name)
            if line.strip():
                yield number, line


def read_object(path: Path) -> Row:
    """A file that is one JSON object."""
    with opened(path) as file:
        data = reading(path, file, MOST_LINE + 1)
    if len(data) > MOST_LINE:
        raise too_large(path.name)
    found = parsed(path.name, 1, data)
    if not isinstance(found, dict):
        raise DataError("{name} is not an object with fields. Export the study again; nothing was saved.", name=path.name)
    return found


def fitting(form: type[Part], file: str, number: int, row: Any) -> Row:
    try:
        return checked(form, row)
    except ValidationError as error:
        said = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors(include_input=False)[:3])
        raise unfit(file, number, said[:500]) from error


def parsed(file: str, number: int, data: bytes) -> Any:
    """A line's JSON, with nothing in it that a database cannot keep."""
    try:
        value = json.loads(data.decode("utf-8"), parse_constant=refuse)
        check_value(value)
        return value
    except RecursionError as error:
        raise unfit(file, number, msg("it is nested too deeply")) from error
    except ValueError as error:  # not UTF-8, not JSON, a number without end
        raise unfit(file, number, str(error)[:300]) from error


def refuse(said: str) -> NoReturn:
    raise ValueError(f"{said} is not a number")


def check_value(value: Any, depth: int = 0) -> None:
    """Raises ValueError: too deep, a number out of range, or half a character."""
    if depth > DEEPEST:
        raise ValueError("it is nested too deeply")
    if isinstance(value, str):
        value.encode("utf-8")
    elif isinstance(value, dict):
        for name, one in value.items():
            name.encode("utf-8")
            check_value(one, depth + 1)
    elif isinstance(value, list):
        for one in value:
            check_value(one, depth + 1)
    elif isinstance(value, int | float) and not -(2**63) <= value < 2**63:
        raise ValueError("a number is too large")


def unfit(file: str, number: int, why: str) -> DataError:
    return DataError("{file}, line {number} does not fit: {why}. Export the study again; nothing was saved.", file=file, number=number, why=why)


def too_large(name: str) -> DataError:
    return DataError("{name} is too large to be an export. Nothing was saved.", name=name)


def unreadable(path: Path, error: Exception) -> DataError:
    return DataError(
        "{name} cannot be read: {why}. Choose the folder that export wrote; nothing was saved.",
        name=str(path).encode("utf-8", "replace").decode(), why=getattr(error, "strerror", None) or str(error),
    )  # fmt: skip
