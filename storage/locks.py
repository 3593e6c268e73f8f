"""Locks on files beside the database: each dies with the process that holds it, whatever it was doing.

They stand beside the real file, so that a database reached through a link has the same ones.
"""

import os
from pathlib import Path
from typing import Any


class FileLock:
    """Held by an open file; no other process, and no other holder in this one, has it meanwhile."""

    def __init__(self, path: Path) -> None:
        self.path = path
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
        """Whether some process holds it now."""
        if self._file is not None:
            return True
        try:
            with open(self.path, "r+") as file:
                _lock(file)
        except FileNotFoundError:
            return False
        except OSError:
            return True
        return False


def beside(database: Path, name: str) -> Path:
    """The file of this name beside the database itself, not beside a link to it."""
    real = database.resolve()
    return real.with_name(f"{real.name}.{name}")


def _lock(file: Any) -> None:
    """Raises OSError when another process holds it."""
    if os.name == "nt":
        import msvcrt

        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
    else:
        import fcntl

        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
