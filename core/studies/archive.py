"""A zip of an exported study: packed for a browser, and unpacked with a limit on what comes out."""

import io
import json
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from core.errors import DataError, WorkbenchError
from core.private_files import private_file, private_folder
from core.studies.exported import MANIFEST, VERSION, files_of, too_large

MOST_UNPACKED = 1_000_000_000  # bytes of all files together
MOST_ENTRIES = 10_000
BLOCK = 1_000_000


def packed(folder: Path) -> bytes:
    """A folder as a zip that holds it under its own name, closed to others when it is unpacked."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in [folder, *sorted(folder.rglob("*"))]:
            archive.write(path, path.relative_to(folder.parent))
    return data.getvalue()


def records_in(exported: bytes | Path) -> dict[str, list[int]]:
    """Whose words are in an export that was just written, as its manifest says: ids by kind."""
    if isinstance(exported, Path):
        told = (exported / MANIFEST).read_bytes()
    else:
        with zipfile.ZipFile(io.BytesIO(exported)) as archive:
            name = next(name for name in archive.namelist() if PurePosixPath(name).name == MANIFEST)
            told = archive.read(name)
    found: dict[str, list[int]] = json.loads(told)["records"]
    return found


@contextmanager
def unpacked(data: bytes) -> Iterator[Path]:
    """The files of an export out of a zip, in a private folder that is gone afterwards.

    Raises:
        DataError: it is no zip, or damaged; it holds a file twice, or more than an export can.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = private_folder(Path(name))
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                unpack(archive, folder)
        except WorkbenchError:
            raise
        except Exception as error:  # a damaged zip makes its readers raise anything: struct.error, zlib.error, EOFError, …
            raise DataError(
                "This is not a zip of an exported study, or it is damaged ({why}). Choose the file that export gave; nothing "
                "was saved.",
                why=(str(error) or type(error).__name__)[:200],
            ) from error
        yield folder


def unpack(archive: zipfile.ZipFile, folder: Path) -> None:
    """The files of an export by their own names, wherever in the zip they lie; nothing else is written."""
    wanted, left, seen = {MANIFEST, *files_of(VERSION)}, MOST_UNPACKED, set[str]()
    entries = archive.infolist()
    if len(entries) > MOST_ENTRIES:
        raise too_large("zip")
    for entry in entries:
        name = PurePosixPath(entry.filename).name
        if name not in wanted or entry.is_dir():
            continue
        if name in seen:
            raise DataError("The zip holds {name} more than once, so it is no export. Nothing was saved.", name=name)
        seen.add(name)
        with archive.open(entry) as packed_file, private_file(folder / name) as file:
            while block := packed_file.read(BLOCK):
                left -= len(block)
                if left < 0:
                    raise too_large(name)
                file.write(block)
