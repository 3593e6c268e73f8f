"""The worker: a process of its own that works studies off, so that pages stay quick and closing one stops nothing.

``python -m core.studies.worker``. One for each SQLite database, held by a lock that dies with it; it ends when
nothing is left to do.
"""

import argparse
import asyncio
import contextlib
import gc
import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from core.errors import StoreError, WorkbenchError
from core.studies import keyring
from core.studies.lock import WorkerLock, meeting_place
from core.studies.running import GRACE, StudyRun, Workshop
from storage import tables
from storage.ledger import Ledger
from storage.store import Store, open_store
from storage.tables import now

ROOT = Path(__file__).parents[2]
IDLE = 3.0  # seconds without work after which the worker ends
LOOK = 0.3  # seconds between two looks at the studies
TELL = 1.0  # seconds between two notes of what is being done
RUNNING = ("running", "stopping")
log = logging.getLogger("rapport.worker")
_started: list["subprocess.Popen[bytes]"] = []


class Worker:
    """Works off all running studies of one store."""

    def __init__(self, store: Store, idle: float = IDLE, **workshop: Any) -> None:
        if store.path is None:
            raise StoreError(
                "Studies need a database in a file. Set RAPPORT_DATABASE_URL to one; nothing was started."
            )
        self.store, self.idle = store, idle
        self.workshop = Workshop(store, Ledger(store.path), **workshop)
        self.runs: dict[int, tuple[StudyRun, asyncio.Task[None]]] = {}
        self.leaving = asyncio.Event()
        self.stirred = asyncio.Event()  # a study ended, or a signal came: look at once

    async def run(self) -> None:
        """Until nothing is left to do, or a signal says to go."""
        listener = keyring.Listener(self.path, self.take_keys)
        await listener.start()
        quiet_since, told = time.monotonic(), 0.0
        try:
            while not self.leaving.is_set():
                busy = await self.look()
                if busy:
                    quiet_since = time.monotonic()
                elif time.monotonic() - quiet_since >= self.idle:
                    return
                if time.monotonic() - told >= TELL:
                    self.tell()
                    told = time.monotonic()
                with contextlib.suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(self.stirred.wait(), LOOK)
                self.stirred.clear()
        finally:
            await self.leave()
            await listener.stop()
            status_path(self.path).unlink(missing_ok=True)

    @property
    def path(self) -> Path:
        assert self.store.path is not None  # checked when the worker was made
        return self.store.path

    async def look(self) -> bool:
        """Take up studies that wait, tell those to stop that a person stops; true while any runs."""
        try:
            studies = await asyncio.to_thread(running_studies, self.store)
        except StoreError as error:
            log.warning("%s", error)
            return True
        for study in studies:
            id = study.id or 0
            if study.state == "stopping" and id in self.runs:
                self.runs[id][0].end("stopped", "")
            elif study.state == "stopping":
                await self.note(id, "stopped", "")
            elif id not in self.runs:
                run = StudyRun(self.workshop, study)
                self.runs[id] = (run, asyncio.create_task(self.work(run)))
        known = {study.id for study in studies}
        for id, (run, _) in self.runs.items():
            if id not in known:
                run.end("stopped", "")
        return bool(self.runs)

    async def work(self, run: StudyRun) -> None:
        """One study to its end; what nobody foresaw stops the study in words and is logged."""
        id = run.study.id or 0
        try:
            state, reason = await run.run()
        except asyncio.CancelledError:
            raise
        except Exception:
            log.exception("study %s", id)
            state, reason = (
                "failed",
                "The study stopped because of a fault in Rapport itself; the worker's log has it.",
            )
        try:
            if state != "leaving":
                await self.note(id, state, reason)
        finally:
            self.runs.pop(id, None)  # only now: a study that still reads *running* would be taken up again
            self.stirred.set()

    def go(self) -> None:
        """A signal says to go."""
        self.leaving.set()
        self.stirred.set()

    async def note(self, id: int, state: str, reason: str) -> None:
        """Write the study's new state, patiently: the database may be locked or full just now."""
        until = time.monotonic() + self.workshop.ledger.patience
        while True:
            try:
                await asyncio.to_thread(
                    self.store.studies.update, id, state=state, reason=reason, ended=now()
                )
                return
            except StoreError as error:
                if time.monotonic() > until:
                    log.error("study %s is %s, which could not be written: %s", id, state, error)
                    return
                await asyncio.sleep(1.0)
            except WorkbenchError:
                return  # deleted meanwhile

    def take_keys(self, keys: dict[str, str]) -> None:
        """Keys typed in a browser: for studies that wait for them, and those to come."""
        self.workshop.keys |= keys

    def tell(self) -> None:
        """What is being done just now, for the pages; a full disk must not stop anything."""
        told = {str(id): dict(run.doing()) for id, (run, _) in self.runs.items()}
        path = status_path(self.path)
        with contextlib.suppress(OSError):
            path.with_suffix(".new").write_text(json.dumps(told))
            os.replace(path.with_suffix(".new"), path)

    async def leave(self) -> None:
        """Let calls under way answer, save what came, and go; running studies go on with the next worker."""
        for run, _ in self.runs.values():
            run.end("leaving", "")
        if self.runs:
            await asyncio.wait([task for _, task in self.runs.values()], timeout=self.workshop.grace + 5)
        await asyncio.to_thread(self.workshop.ledger.close)


def running_studies(store: Store) -> list[tables.Study]:
    return [study for state in RUNNING for study in store.studies.all(state=state)]


def status_path(database: Path) -> Path:
    return meeting_place(database) / "status.json"


def doing(store: Store, study_id: int) -> Mapping[str, Any]:
    """What the worker says it does for a study; empty when no worker is at it."""
    if store.path is None:
        return {}
    with contextlib.suppress(OSError, ValueError):
        told = json.loads(status_path(store.path).read_text())
        return dict(told.get(str(study_id), {}))
    return {}


def work_off(store: Store, keys: Mapping[str, str] | None = None, idle: float = 0.0, **workshop: Any) -> bool:
    """Work here, in this process, until nothing is left; false if another worker is at it."""
    return work_here(store, keys, idle, **workshop) != "taken"


def work_here(
    store: Store, keys: Mapping[str, str] | None = None, idle: float = 0.0, **workshop: Any
) -> Literal["taken", "told to go", "done"]:
    """``work_off``, and how it ended: another worker is at it, a signal said to go, or nothing is left."""
    if store.path is None:
        return "taken"
    lock, told_to_go = WorkerLock(store.path), False
    if not lock.take():
        return "taken"
    try:

        async def all_of_it() -> None:
            nonlocal told_to_go
            worker = Worker(store, idle, **workshop)
            worker.workshop.keys |= dict(keys or {})
            for name in (signal.SIGTERM, signal.SIGINT):
                with contextlib.suppress(NotImplementedError, ValueError, RuntimeError):
                    asyncio.get_running_loop().add_signal_handler(name, worker.go)
            await worker.run()
            told_to_go = worker.leaving.is_set()

        with fewer_sweeps():
            asyncio.run(all_of_it())
    finally:
        lock.let_go()
    return "told to go" if told_to_go else "done"


@contextlib.contextmanager
def fewer_sweeps() -> Iterator[None]:
    """What was loaded is left out of garbage collection, which else takes a tenth of the time of small calls."""
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(5000, 20, 20)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def start_worker_if_needed(store: Store) -> bool:
    """Start the worker's process if studies run and no worker is at them; true if one was started."""
    _started[:] = [process for process in _started if process.poll() is None]
    if store.path is None or not running_studies(store) or WorkerLock(store.path).held():
        return False
    if any(getattr(process, "database", None) == str(store.path) for process in _started):
        return False  # it is on its way
    log_file = os.open(store.folder / "worker.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    more: dict[str, Any] = {"start_new_session": True} if os.name != "nt" else {"creationflags": 0x00000208}
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", "core.studies.worker", "--database", store.url.render_as_string(hide_password=False)],
            cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log_file, stderr=log_file, **more,
        )  # fmt: skip
    finally:
        os.close(log_file)
    process.database = str(store.path)  # type: ignore[attr-defined]
    _started.append(process)
    return True


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Work off the units of running studies.")
    parser.add_argument("--database", default=None)
    parser.add_argument("--grace", type=float, default=GRACE, help="seconds calls under way may still answer")
    given = parser.parse_args(arguments if arguments is not None else [])
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    try:
        store = open_store(given.database)
        for _ in range(20):  # a worker that is just leaving holds the lock for a moment
            if not running_studies(store):
                return 0
            ended = work_here(store, idle=IDLE, grace=given.grace)
            if ended == "told to go":
                return 0  # what still runs is for the next worker
            if ended == "taken":
                time.sleep(0.2)
    except WorkbenchError as error:
        print(str(error), file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
