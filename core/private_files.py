"""Files and folders that only their owner can open: texts of people leave the store through these alone."""

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

FOLDER, FILE = stat.S_IRWXU, stat.S_IRUSR | stat.S_IWUSR


def private_folder(path: Path) -> Path:
    """The folder; where it is not there it is made, open to its owner only. One that is there keeps its rights: its
    owner may share it, and what is written into it is a ``private_file``.

    Raises:
        OSError: it cannot be made, or something else has this name.
    """
    made = [one for one in (path, *path.parents) if not one.exists()]
    path.mkdir(mode=FOLDER, parents=True, exist_ok=True)
    for one in made:
        one.chmod(FOLDER)
    return path


@contextmanager
def private_file(path: Path) -> Iterator[IO[bytes]]:
    """A new file in the place of whatever has this name, whole or not at all, open to its owner only.

    Raises:
        OSError: it cannot be written; what was there before is as it was.
    """
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)  # 0600, and never a link's target
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        os.chmod(name, FILE)
        os.replace(name, path)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(name)
        raise
