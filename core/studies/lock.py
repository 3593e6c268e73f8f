"""One worker for each SQLite database: a lock on a file beside it that dies with whoever holds it."""

import os
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import Any


class WorkerLock:
    """Held by an open file: a killed process lets go of it, whatever it was doing."""

    def __init__(self, database: Path) -> None:
        self.path = database.with_name(database.name + ".worker")
        self._file: Any = None

    def take(self) -> bool:
        """Take the lock if nobody holds it."""
        file = open(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600), "r+")  # noqa: SIM115 - open as long as held
        try:
            _lock(file)
        except OSError:
            file.close()
            return False
        file.seek(0)
        file.truncate()
        file.write(str(os.getpid()))
        file.flush()
        self._file = file
        return True

    def let_go(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def held(self) -> bool:
        """Whether some process works for this database now."""
        if self._file is not None:
            return True
        probe = WorkerLock.__new__(WorkerLock)
        probe.path, probe._file = self.path, None
        if not self.path.exists():
            return False
        try:
            with open(self.path, "r+") as file:
                _lock(file)
        except OSError:
            return True
        return False


def _lock(file: Any) -> None:
    """Raises OSError when another process holds it."""
    if os.name == "nt":
        import msvcrt

        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
    else:
        import fcntl

        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)


def meeting_place(database: Path) -> Path:
    """A private folder for the worker's socket and status; short, since socket paths may not be long."""
    user = os.getuid() if hasattr(os, "getuid") else "user"
    name = sha256(str(database.resolve()).encode()).hexdigest()[:16]
    place = Path(tempfile.gettempdir()) / f"rapport-{user}" / name
    place.parent.mkdir(mode=0o700, exist_ok=True)
    if hasattr(os, "getuid") and place.parent.stat().st_uid != os.getuid():
        raise PermissionError(f"{place.parent} belongs to somebody else")
    place.parent.chmod(0o700)
    place.mkdir(mode=0o700, exist_ok=True)
    return place
