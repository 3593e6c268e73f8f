"""Which server lets which sessions go on: a list for each server in the store, and a lock that dies with the server."""

import json
import time
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

from sqlalchemy import text

from storage.locks import FileLock, beside
from storage.store import Store

PREFIX = "live sessions "  # setting: ids of sessions that the server of this name holds
BEFORE = "live_sessions"  # the one list of all servers, before each had its own
FRESH = 60.0  # seconds for which a lock's file is left alone: its server may be starting just now
LISTS = "SELECT name, value FROM setting WHERE name = :before OR name LIKE :prefix"


class Holding:
    """The sessions that one server lets go on. Safe to call from any thread."""

    def __init__(self, store: Store) -> None:
        self.store, self.name = store, uuid4().hex[:12]
        self._lock = None if store.path is None else FileLock(beside(store.path, f"live-{self.name}"))
        while self._lock is not None and not self._lock.take():
            time.sleep(0.01)  # another server looked whether it is held

    def take(self, session_id: int) -> str:
        """Hold the session from now on; else who does: ``server`` (another one) or ``study``.

        One transaction that writes before it reads, so that of two servers one gets it.
        """

        def work(session: Any) -> str:
            connection = session.connection()
            self._write(connection, [*self._mine(connection, lock=True), session_id])
            holder = self._holder(connection, session_id)
            if holder:
                self._write(connection, [id for id in self._mine(connection) if id != session_id])
            return holder

        return str(self.store.database.run(work))

    def let_go(self, session_id: int) -> None:
        def work(session: Any) -> None:
            connection = session.connection()
            self._write(connection, [id for id in self._mine(connection, lock=True) if id != session_id])

        self.store.database.run(work)

    def holder(self, session_id: int) -> str:
        """Who else lets it go on: ``server`` or ``study``; empty when nobody does."""
        return str(self.store.database.run(lambda session: self._holder(session.connection(), session_id)))

    def recover(self) -> list[int]:
        """Sessions that stand at *running* and that nobody lets go on; lists of servers that are gone go too."""

        def work(session: Any) -> list[int]:
            connection = session.connection()
            for name, _ in self._lists(connection):
                if not self._lives(name):
                    connection.execute(text("DELETE FROM setting WHERE name = :name"), {"name": name})
            running = connection.execute(
                text("SELECT id FROM session WHERE state = 'running' ORDER BY id")
            ).all()
            return [id for (id,) in running if not self._holder(connection, id)]

        found = self.store.database.run(work)
        self._sweep()
        return list(found)

    def ids(self) -> list[int]:
        """The sessions it holds."""
        return list(self.store.database.run(lambda session: self._mine(session.connection())))

    def close(self) -> None:
        sql = text("DELETE FROM setting WHERE name = :name")
        self.store.database.run(
            lambda session: session.connection().execute(sql, {"name": PREFIX + self.name})
        )
        if self._lock is not None:
            self._lock.path.unlink(missing_ok=True)
            self._lock.let_go()

    # On one connection

    def _mine(self, connection: Any, lock: bool = False) -> list[int]:
        name = {"name": PREFIX + self.name}
        if lock:  # a write comes first: what is read after it cannot change until the commit
            connection.execute(
                text(
                    "INSERT INTO setting (name, value) VALUES (:name, '[]') ON CONFLICT (name) DO UPDATE SET value = value"
                ),
                name,
            )
        found = connection.execute(text("SELECT value FROM setting WHERE name = :name"), name).first()
        return [] if found is None else list(json.loads(found[0]))

    def _write(self, connection: Any, ids: list[int]) -> None:
        values = {"name": PREFIX + self.name, "value": json.dumps(sorted(set(ids)))}
        connection.execute(text("UPDATE setting SET value = :value WHERE name = :name"), values)

    def _lists(self, connection: Any) -> list[tuple[str, list[int]]]:
        """Lists of other servers."""
        rows = connection.execute(text(LISTS), {"before": BEFORE, "prefix": PREFIX + "%"}).all()
        return [(name, json.loads(value)) for name, value in rows if name != PREFIX + self.name]

    def _lives(self, name: str) -> bool:
        """Whether the server with this list is there."""
        path = self.store.path
        return (
            name != BEFORE
            and path is not None
            and FileLock(beside(path, f"live-{name[len(PREFIX) :]}")).held()
        )

    def _holder(self, connection: Any, session_id: int) -> str:
        if any(session_id in ids and self._lives(name) for name, ids in self._lists(connection)):
            return "server"
        sql = "SELECT 1 FROM unit WHERE kind = 'session' AND state = 'running' AND session_id = :id"
        asked = connection.execute(text(sql), {"id": session_id}).first() is not None
        return "study" if asked and self._worker_lives() else ""

    def _worker_lives(self) -> bool:
        return self.store.path is not None and FileLock(beside(self.store.path, "worker")).held()

    def _sweep(self) -> None:
        """Files of locks that nobody holds."""
        if self.store.path is None:
            return
        pattern: Path = beside(self.store.path, "live-*")
        for file in pattern.parent.glob(pattern.name):
            with suppress(OSError):
                if time.time() - file.stat().st_mtime > FRESH and not FileLock(file).held():
                    file.unlink()
