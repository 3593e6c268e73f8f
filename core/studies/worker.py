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
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from core import sentences
from core.errors import StoreError, WorkbenchError, msg, place_of
from core.studies import keyring, logs
from core.studies.lock import WorkerLock, meeting_place
from core.studies.running import GRACE, StudyRun, Workshop
from core.studies.starting import ended_well, running_studies
from storage import tables, units
from storage.ledger import Ledger
from storage.store import Store, open_store
from storage.tables import now

IDLE = 3.0  # seconds without work after which the worker ends
LOOK = 0.3  # seconds between two looks at the studies
TELL = 1.0  # seconds between two notes of what is being done
KEPT = 60.0  # seconds for which keys wait for their study to be set running
BROKEN = msg(
    "The study stopped because of a fault in Rapport itself ({fault}). Everything answered is saved; the worker's log has where."
)
log = logging.getLogger("rapport.worker")


class Worker:
    """Works off all running studies of one store."""

    def __init__(self, store: Store, idle: float = IDLE, **workshop: Any) -> None:
        if store.path is None:
            raise StoreError(
                "Studies need a database in a file. Set RAPPORT_DATABASE_URL to one; nothing was started."
            )
        self.store, self.idle = store, idle
        self.workshop = Workshop(store, Ledger(store.path), **workshop)
        self.handed: dict[int, float] = {}  # when each study's keys came
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
                if await self.look() or self.awaits_studies():
                    quiet_since = time.monotonic()
                elif time.monotonic() - quiet_since >= self.idle:
                    self.leaving.set()
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
                self.runs[id][0].end("stopped")
            elif study.state == "stopping":
                await self.note(id, "stopped")
            elif id not in self.runs:
                await self.take_up(study)
        known = {study.id for study in studies}
        for id, (run, _) in self.runs.items():
            if id not in known:
                run.end("stopped")
        return bool(self.runs)

    async def take_up(self, study: tables.Study) -> None:
        """Begin with a study; one whose design does not fit ends in words, and the others go on."""
        id = study.id or 0
        try:
            run = await asyncio.to_thread(StudyRun, self.workshop, study)
        except WorkbenchError as error:
            await self.note(id, "failed", error)
        except Exception as error:  # noqa: BLE001 - logged by ``broken``
            await self.note(id, "failed", broken(id, error))
        else:
            self.runs[id] = (run, asyncio.create_task(self.work(run)))

    async def work(self, run: StudyRun) -> None:
        """One study to its end; what nobody foresaw stops this study in words and is logged."""
        id = run.study.id or 0
        began = time.monotonic()
        reason: WorkbenchError | None = None
        try:
            state, reason = await run.run()
        except asyncio.CancelledError:
            raise
        except Exception as error:  # noqa: BLE001 - logged by ``broken``
            state, reason = "failed", broken(id, error)
        try:
            if state == "needs the key" and self.handed.get(id, 0.0) > began:
                state = "leaving"  # they came while it ended for want of them: it is taken up again
            if state != "leaving":
                await self.note(id, state, reason)
                self.forget(id)
        finally:
            self.workshop.leave(id)
            self.runs.pop(id, None)  # only now: a study that still reads *running* would be taken up again
            self.stirred.set()

    def go(self) -> None:
        """A signal says to go."""
        self.leaving.set()
        self.stirred.set()

    async def note(self, id: int, state: str, reason: WorkbenchError | None = None) -> None:
        """Write the study's new state, patiently: the database may be locked or full just now."""
        until = time.monotonic() + self.workshop.ledger.patience
        words = sentences.written(reason) if reason is not None else ""
        while True:
            try:
                await asyncio.to_thread(self.write_state, id, state, words)
                return
            except StoreError as error:
                if time.monotonic() > until:
                    log.error("study %s is %s, which could not be written: %s", id, state, error)
                    return
                await asyncio.sleep(1.0)
            except WorkbenchError:
                return  # deleted meanwhile

    def write_state(self, id: int, state: str, reason: str) -> None:
        self.store.studies.update(id, state=state, reason=reason, ended=now())
        units.rest_sessions(self.store, id)

    def take_keys(self, study_id: int, keys: dict[str, str]) -> bool:
        """Keys typed for a study: it runs, is about to, or waits for them and goes on; false when leaving."""
        if self.leaving.is_set():
            return False
        self.workshop.keys.keep(study_id, keys)
        self.handed[study_id] = time.monotonic()
        if study_id not in self.runs:
            with contextlib.suppress(StoreError):  # locked just now: whoever gave the key sets it running
                units.go_on_with_key(self.store, study_id)
        self.stirred.set()
        return True

    def awaits_studies(self) -> bool:
        """Whether keys came lately for a study that is not set running yet; older ones are dropped."""
        waiting = {id: at for id, at in self.handed.items() if id not in self.runs}
        for id, at in waiting.items():
            if time.monotonic() - at > KEPT:
                self.forget(id)
        return any(id in self.handed for id in waiting)

    def forget(self, study_id: int) -> None:
        """The study has ended, and its keys with it."""
        self.workshop.keys.drop(study_id)
        self.handed.pop(study_id, None)

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
            run.end("leaving")
        if self.runs:
            await asyncio.wait([task for _, task in self.runs.values()], timeout=self.workshop.grace + 5)
        await asyncio.to_thread(self.workshop.ledger.close)


def broken(study_id: int, error: Exception) -> WorkbenchError:
    """What nobody foresaw, logged with its place and without what it says: that may quote a text."""
    log.error("study %s stopped: %s", study_id, place_of(error, whole=True))
    return WorkbenchError(BROKEN, fault=place_of(error))


def status_path(database: Path) -> Path:
    return meeting_place(database) / "status.json"


def doing(store: Store, study_id: int) -> Mapping[str, Any]:
    """What the worker says it does for a study; empty when no worker is at it."""
    if store.path is None:
        return {}
    with contextlib.suppress(OSError, ValueError, StoreError):
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
            worker = Worker(store, idle, keys=keyring.Keys(keys), **workshop)
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


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Work off the units of running studies.")
    parser.add_argument("--database", default=None)
    parser.add_argument(
        "--log", type=Path, default=None, help="a file for what goes wrong; else it is shown here"
    )
    parser.add_argument("--grace", type=float, default=GRACE, help="seconds calls under way may still answer")
    given = parser.parse_args(arguments if arguments is not None else [])
    logs.begin(given.log)
    try:
        store = open_store(given.database)
        work_patiently(store, given.grace)
    except WorkbenchError as error:
        log.error("%s", error)
        return 2
    if store.path is not None:
        ended_well(store.path)
    return 0


def work_patiently(store: Store, grace: float) -> None:
    """Work until nothing is left; a worker that is just leaving holds the lock for a moment."""
    for _ in range(20):
        ended = work_here(store, idle=IDLE, grace=grace)
        if ended == "told to go" or (ended == "done" and not running_studies(store)):
            return  # what still runs is for the next worker
        if ended == "taken":
            time.sleep(0.2)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
