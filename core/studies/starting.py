"""Starting the worker's process, and giving up on one that cannot live."""

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from core import sentences
from core.errors import StoreError, WorkbenchError
from core.studies.lock import WorkerLock, meeting_place
from storage import tables, units
from storage.store import Store
from storage.tables import now

ROOT = Path(__file__).parents[2]
RUNNING = ("running", "stopping")
MOST_DEATHS = 3
SHORT = 600.0  # seconds within which so many deaths mean that a worker cannot live here
LOG = "worker.log"
_started: list["subprocess.Popen[bytes]"] = []


class CannotLive(StoreError):
    """The worker died again and again."""


def running_studies(store: Store) -> list[tables.Study]:
    return [study for state in RUNNING for study in store.studies.all(state=state)]


def start_worker_if_needed(store: Store) -> bool:
    """Start the worker's process if studies run and no worker is at them; true if one was started.

    Where a worker cannot live, the studies fail, saying so.

    Raises:
        StoreError: there is no private place to meet the worker in; nothing was started.
    """
    if store.path is None or WorkerLock(store.path).held() or not running_studies(store):
        return False
    with suppress(CannotLive):
        return start_worker(store)
    return False


def start_worker(store: Store) -> bool:
    """Start the worker's process unless one is there or on its way; true if one was started.

    Raises:
        CannotLive: it died three times within ten minutes and is not started again. Studies that ran have failed,
            saying so; a person may start them again.
        StoreError: there is no private place to meet the worker in; nothing was started.
    """
    if store.path is None:
        return False
    here = [process for process in _started if process.poll() is None]
    _started[:] = here
    if WorkerLock(store.path).held() or any(
        getattr(one, "database", None) == store.path.resolve() for one in here
    ):
        return False
    if len(deaths(store.path)) >= MOST_DEATHS:
        raise give_up(store)
    process = spawn(store.path.resolve(), store.folder.resolve() / LOG)
    _started.append(process)
    note_start(store.path, process.pid)
    return True


def spawn(database: Path, log: Path) -> "subprocess.Popen[bytes]":
    """The worker for this database, in this interpreter, whatever folder anyone is in."""
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    more: dict[str, Any] = {"start_new_session": True} if os.name != "nt" else {"creationflags": 0x00000208}
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", "core.studies.worker", "--database", str(database), "--log", str(log)],
            cwd=ROOT, stdin=subprocess.DEVNULL, stdout=file, stderr=file, **more,
        )  # fmt: skip
    finally:
        os.close(file)
    process.database = database  # type: ignore[attr-defined]
    return process


# Starts that did not end well: a file each, named by its process, taken away by a worker that ends by itself


def starts(database: Path) -> Path:
    folder = meeting_place(database) / "starts"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def note_start(database: Path, pid: int) -> None:
    (starts(database) / str(pid)).touch(mode=0o600)


def ended_well(database: Path) -> None:
    """The worker of this process ends by itself: its start was no death."""
    with suppress(OSError, StoreError):
        (starts(database) / str(os.getpid())).unlink(missing_ok=True)


def deaths(database: Path) -> list[Path]:
    """Starts of the last minutes whose process is gone without having ended by itself."""
    found = []
    for start in starts(database).iterdir():
        with suppress(OSError, ValueError):
            if time.time() - start.stat().st_mtime > SHORT:
                start.unlink()
            elif not alive(int(start.name)):
                found.append(start)
    return found


def alive(pid: int) -> bool:
    """Whether the process is there; Windows has no harmless way to ask, so there only our own are known."""
    if any(process.pid == pid and process.poll() is None for process in _started):
        return True
    if os.name == "nt":
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def give_up(store: Store) -> CannotLive:
    """The studies stop and say why; the next start by a person counts anew."""
    reason = CannotLive(
        "The worker ended {deaths} times within {minutes:.0f} minutes without finishing, so it is not started again by "
        "itself. Everything answered is saved. The log {log} says why; resume the study to try again.",
        deaths=MOST_DEATHS, minutes=SHORT / 60, log=str(store.folder.resolve() / LOG),
    )  # fmt: skip
    for study in running_studies(store):
        ended = "stopped" if study.state == "stopping" else "failed"
        with suppress(WorkbenchError):  # deleted meanwhile
            store.studies.update(study.id or 0, state=ended, reason=sentences.written(reason), ended=now())
            units.rest_sessions(store, study.id or 0)
    for start in deaths(store.path) if store.path is not None else []:
        start.unlink(missing_ok=True)
    return reason
