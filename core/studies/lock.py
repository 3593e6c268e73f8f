"""One worker for each SQLite database, and the private place where it is met."""

import os
import tempfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from core.errors import StoreError
from storage.locks import FileLock, beside

LONGEST = 90  # bytes of a meeting place: the path of a socket in it may not be longer than about 104


class WorkerLock(FileLock):
    """Held by the process that works for this database; a killed one lets go of it."""

    def __init__(self, database: Path) -> None:
        super().__init__(beside(database, "worker"))


def meeting_place(database: Path) -> Path:
    """A private folder for the worker's socket and status: the first of several places that is this account's own.

    Raises:
        StoreError: there is none.
    """
    real = database.resolve()
    name = sha256(str(real).encode()).hexdigest()[:16]
    for own in places(real):
        place = own / name
        if len(os.fsencode(place)) <= LONGEST and private(own) and private(place):
            return place
    raise StoreError(
        "The worker has no private folder to be met in: {places} belong to somebody else, cannot be made, or have too "
        "long a path. Set TMPDIR to a folder of your own and start Rapport again; nothing was lost.",
        places=", ".join(map(str, places(real))),
    )


def places(database: Path) -> Iterator[Path]:
    """Where to meet, in this order."""
    user = os.getuid() if hasattr(os, "getuid") else "user"
    yield Path(tempfile.gettempdir()) / f"rapport-{user}"
    if runtime := os.environ.get("XDG_RUNTIME_DIR"):
        yield Path(runtime) / "rapport"
    yield database.with_name(f".{database.name}.worker")


def private(folder: Path) -> bool:
    """Make the folder for this account alone; false where somebody else owns it, or it is only a link."""
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        if hasattr(os, "getuid") and found.st_uid != os.getuid():
            return False
        if folder.is_symlink() or not folder.is_dir():
            return False
        folder.chmod(0o700)
    except OSError:
        return False
    return True
