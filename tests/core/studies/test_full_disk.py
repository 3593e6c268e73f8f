"""The database cannot be written for a while: calls wait, answers are kept, and the study says why."""

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable

import pytest

from core.errors import StoreError
from core.studies import service
from core.studies.lock import WorkerLock
from core.studies.worker import Worker
from storage.ledger import Ledger
from storage.store import Store
from tests.core.studies.faulty import answered, begin, checked, hurried
from tests.servers.handle import Misbehaving

Meddle = Callable[[Worker], None]


def work_with(store: Store, patience: float, limit_pages: int = 0, meddle: Meddle = lambda worker: None) -> None:
    """Work the studies off with a ledger of one's own."""

    async def run() -> None:
        worker = Worker(store, 0.0, **hurried())
        worker.workshop.ledger.close()
        worker.workshop.ledger = Ledger(worker.path, patience, limit_pages)
        meddle(worker)
        await worker.run()

    assert store.path is not None
    lock = WorkerLock(store.path)
    assert lock.take()
    try:
        asyncio.run(run())
    finally:
        lock.let_go()


def pages(store: Store) -> int:
    assert store.path is not None
    with sqlite3.connect(store.path) as connection:
        return int(connection.execute("PRAGMA page_count").fetchone()[0])


def test_a_full_disk_stops_the_study_and_keeps_what_was_saved(store: Store) -> None:
    with Misbehaving(latency=0.01) as server:
        study = begin(store, server, 400, 20)
        work_with(store, patience=0.5, limit_pages=pages(store) + 60)
        status = checked(store, study)
        saved, seen = answered(store, study), server.seen()
        assert status["state"] == "failed" and "disk is full" in status["reason"]
        assert 0 < saved < 400 and seen["answered"] - saved <= 20, "only answers in flight are lost"
        service.start(store, study, worker=False)
        service.work_off(store, **hurried())
        status, seen = checked(store, study), server.seen()
    assert status["units"]["done"] == 400 and status["state"] == "finished"
    assert seen["repeated"] <= status["asked_twice"] <= 20


def test_a_disk_that_is_freed_in_time_costs_nothing(store: Store) -> None:
    def free_later(worker: Worker) -> None:
        def free() -> None:
            until = time.monotonic() + 20
            while not worker.workshop.ledger.trouble and time.monotonic() < until:
                time.sleep(0.02)
            told.append(worker.workshop.ledger.trouble)
            time.sleep(0.5)
            worker.workshop.ledger.limit_pages = 1_000_000

        threading.Thread(target=free, daemon=True).start()

    told: list[str] = []
    with Misbehaving(latency=0.01) as server:
        study = begin(store, server, 300, 20)
        work_with(store, 30.0, pages(store) + 60, free_later)
        status, seen = checked(store, study), server.seen()
    assert "disk is full" in told[0]
    assert status["units"]["done"] == 300 == seen["asked"] and status["asked_twice"] == 0


def test_a_database_locked_by_another_process_is_waited_for(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("storage.database.BUSY_MS", 300)
    store.database.engine.dispose()  # new connections wait a fiftieth of what they would
    with Misbehaving(latency=0.02) as server:
        study = begin(store, server, 300, 20)
        assert store.path is not None
        other = sqlite3.connect(store.path, isolation_level=None, check_same_thread=False)
        held: list[int] = []

        def hold() -> None:
            while answered(store, study) < 40:
                time.sleep(0.02)
            other.execute("BEGIN EXCLUSIVE")
            before = server.seen()["asked"]
            time.sleep(2.0)
            held.append(server.seen()["asked"] - before)
            other.execute("COMMIT")

        holder = threading.Thread(target=hold)
        holder.start()
        work_with(store, patience=60.0)
        holder.join()
        other.close()
        status, seen = checked(store, study), server.seen()
    assert held[0] <= 20, "no call is sent whose answer could not be kept"
    assert status["units"]["done"] == 300 == seen["asked"] and status["asked_twice"] == 0


def test_one_bad_job_takes_no_other_with_it(store: Store) -> None:
    assert store.path is not None
    ledger = Ledger(store.path)

    async def both() -> list[object]:
        good = ledger.write(lambda c: c.execute("SELECT 7").fetchone()[0])
        bad = ledger.write(lambda c: c.execute("SELECT no_such_column").fetchone())
        return await asyncio.gather(good, bad, return_exceptions=True)

    found = asyncio.run(both())
    ledger.close()
    assert found[0] == 7 and isinstance(found[1], StoreError)
