"""Grouped commits: writes of many units wait a moment for each other and share one transaction.

A job is a function of the connection that may be run again: when a job of a group fails, the group is rolled
back and its jobs are run one by one, so that one bad job never takes another with it. ``await`` returns after
the commit, with ``synchronous=FULL``.
"""

import asyncio
import concurrent.futures
import json
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import JSON, Boolean, Table
from sqlmodel import SQLModel

from core.errors import StoreError
from storage.database import set_pragmas

WINDOW = 0.006  # seconds a group waits for company; the design allows 0.02
MOST = 400  # jobs in one group
Job = Callable[[sqlite3.Connection], Any]
PASSING = ("locked", "busy", "full", "disk i/o")


class Entry(NamedTuple):
    job: Job
    future: "asyncio.Future[Any] | concurrent.futures.Future[Any]"
    loop: asyncio.AbstractEventLoop | None


class Ledger:
    """The one writer of a worker.

    Args:
        patience: seconds to go on trying while the database is locked or the disk is full.
        limit_pages: ``PRAGMA max_page_count`` for this connection (tests use it to fill the disk).
    """

    def __init__(self, path: Path, patience: float = 600.0, limit_pages: int = 0) -> None:
        self.path, self.patience, self.limit_pages = path, patience, limit_pages
        self.trouble = ""  # in words, while writing does not succeed
        self.commits = 0
        self._waiting: queue.SimpleQueue[Entry | None] = queue.SimpleQueue()
        self._ready: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="ledger", daemon=True)
        self._thread.start()
        if (error := self._ready.get()) is not None:
            raise self._words(error) from error

    async def write(self, job: Job) -> Any:
        """The job's value, after its commit.

        Raises:
            StoreError: the database stayed locked or full beyond ``patience``.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        self._waiting.put(Entry(job, future, loop))
        return await future

    def write_now(self, job: Job) -> Any:
        """``write`` for code outside an event loop."""
        future: concurrent.futures.Future[Any] = concurrent.futures.Future()
        self._waiting.put(Entry(job, future, None))
        return future.result()

    def post(self, job: Job) -> None:
        """``write`` without waiting for it; ``close`` waits for all that was posted."""
        self._waiting.put(Entry(job, concurrent.futures.Future(), None))

    def close(self) -> None:
        """Commit what waits, then let go of the database."""
        self._waiting.put(None)
        self._thread.join(timeout=30)

    def _run(self) -> None:
        try:
            connection = sqlite3.connect(str(self.path), isolation_level=None, cached_statements=256)
            set_pragmas(connection, None)
            self._limit(connection)
        except sqlite3.Error as error:
            self._ready.put(error)
            return
        self._ready.put(None)
        open_ = True
        while open_:
            group, open_ = self._group()
            if group:
                self._settle(connection, group)
        connection.close()

    def _group(self) -> tuple[list[Entry], bool]:
        """The first job that comes, and those that come within the window."""
        first = self._waiting.get()
        if first is None:
            return [], False
        time.sleep(WINDOW)
        group = [first]
        while len(group) < MOST:
            try:
                entry = self._waiting.get_nowait()
            except queue.Empty:
                break
            if entry is None:
                return group, False
            group.append(entry)
        return group, True

    def _settle(self, connection: sqlite3.Connection, group: list[Entry]) -> None:
        try:
            values = self._commit(connection, [entry.job for entry in group])
        except BaseException as error:  # noqa: BLE001 - handed to whoever waits for the job
            if len(group) > 1 and not _may_pass(error):
                for entry in group:
                    self._settle(connection, [entry])
                return
            told = self._words(error) if isinstance(error, sqlite3.OperationalError) else error
            tell([(entry, None, told) for entry in group])
            return
        tell([(entry, value, None) for entry, value in zip(group, values, strict=True)])

    def _commit(self, connection: sqlite3.Connection, jobs: list[Job]) -> list[Any]:
        """Run the jobs in one transaction, trying again while the trouble may pass.

        Once patience has run out, what comes after is tried once, until a commit succeeds.
        """
        until = time.monotonic() + (0.0 if self.trouble else self.patience)
        while True:
            try:
                connection.execute("BEGIN IMMEDIATE")
                values = [job(connection) for job in jobs]
                connection.execute("COMMIT")
                self.commits += 1
                self.trouble = ""
                return values
            except BaseException as error:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                if not _may_pass(error) or time.monotonic() > until:
                    raise
                self.trouble = str(self._words(error))
                time.sleep(0.2)
                self._limit(connection)

    def _limit(self, connection: sqlite3.Connection) -> None:
        if self.limit_pages:
            connection.execute(f"PRAGMA max_page_count={int(self.limit_pages)}")

    def _words(self, error: BaseException) -> StoreError:
        from sqlalchemy import make_url

        from storage.database import readable

        return readable(error, make_url(f"sqlite:///{self.path}"))


Told = tuple[Entry, Any, BaseException | None]


def tell(told: list[Told]) -> None:
    """Settle the futures, waking each event loop once."""
    loops: dict[asyncio.AbstractEventLoop | None, list[Told]] = {}
    for one in told:
        loops.setdefault(one[0].loop, []).append(one)
    for loop, ones in loops.items():
        if loop is None:
            settle(ones)
            continue
        try:
            loop.call_soon_threadsafe(settle, ones)
        except RuntimeError:  # the loop is gone, and with it whoever waited
            continue


def settle(told: list[Told]) -> None:
    for entry, value, error in told:
        if entry.future.done():
            continue
        if error is not None:
            entry.future.set_exception(error)
        else:
            entry.future.set_result(value)


def _may_pass(error: BaseException) -> bool:
    return isinstance(error, sqlite3.OperationalError) and any(w in str(error).lower() for w in PASSING)


class Columns(NamedTuple):
    """A table's columns as plain SQL needs them."""

    sql: str
    defaults: dict[str, Any]
    made: dict[str, Callable[[], Any]]
    json: tuple[str, ...]
    boolean: tuple[str, ...]


@cache
def columns(table: type[SQLModel]) -> Columns:
    """The INSERT of a table with named places, and what its columns are when not given."""
    core: Table = table.__table__  # type: ignore[attr-defined]
    names = [c.name for c in core.columns if c.name != "id" and c.computed is None]
    fields = table.model_fields
    made = {n: f.default_factory for n in names if (f := fields[n]).default_factory is not None}
    places = ", ".join(f":{name}" for name in names)
    return Columns(
        sql=f'INSERT INTO "{core.name}" ({", ".join(names)}) VALUES ({places})',
        defaults={n: None if fields[n].is_required() else fields[n].default for n in names if n not in made},
        made=made,  # type: ignore[arg-type]
        json=tuple(c.name for c in core.columns if isinstance(c.type, JSON)),
        boolean=tuple(c.name for c in core.columns if isinstance(c.type, Boolean)),
    )


def row_values(table: type[SQLModel], fields: Mapping[str, Any]) -> dict[str, Any]:
    """One row as plain SQL takes it: defaults filled in, JSON written out."""
    known = columns(table)
    row = known.defaults | {name: make() for name, make in known.made.items() if name not in fields}
    row |= {name: value for name, value in fields.items() if name != "id"}
    for name in known.json:
        row[name] = json.dumps(row[name], ensure_ascii=False)
    for name in known.boolean:
        row[name] = int(row[name])
    return row


def insert(connection: sqlite3.Connection, table: type[SQLModel], fields: Mapping[str, Any]) -> int:
    """Insert one row; returns its id."""
    return int(connection.execute(columns(table).sql, row_values(table, fields)).lastrowid or 0)


def insert_many(
    connection: sqlite3.Connection, table: type[SQLModel], rows: Iterable[Mapping[str, Any]]
) -> None:
    connection.executemany(columns(table).sql, (row_values(table, row) for row in rows))
