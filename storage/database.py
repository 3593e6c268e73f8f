"""Opening the database: its address, its pragmas, and plain words when it cannot be opened."""

import os
import sqlite3
import stat
import time
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event, make_url
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError

from core.errors import StoreError
from storage.upgrading import check_writable, migrate

HEAD = "0005"  # the newest migration; a test holds it against the migration folder
MIGRATIONS = Path(__file__).parent / "migrations"
BUSY_MS = 15_000


def database_url(given: str | Path | None = None) -> URL:
    """The database to open: as given (URL or path), else RAPPORT_DATABASE_URL, else ``data/rapport.db``.

    A file's path comes back absolute and without symbolic links, so that every process that is handed it, from
    whatever folder, opens, locks and meets at the same file.
    """
    wanted = str(given or os.environ.get("RAPPORT_DATABASE_URL") or "data/rapport.db")
    url = make_url(wanted if "://" in wanted else f"sqlite:///{wanted}")
    path = sqlite_path(url)
    return url if path is None else url.set(database=str(path))


def sqlite_path(url: URL) -> Path | None:
    """The file behind a SQLite URL; ``None`` for a database in memory or another kind of database."""
    named = url.database or ""
    if url.get_backend_name() != "sqlite" or named in ("", ":memory:") or named.startswith("file:"):
        return None
    return Path(named).resolve()


def open_database(url: URL) -> Engine:
    """A ready engine: folder and file made private, schema brought up to date.

    Raises:
        StoreError: read-only, locked, not a database, or written by a newer version. Nothing was changed.
    """
    path = sqlite_path(url)
    if path is not None:
        make_private(path)
    engine = create_engine(
        url, hide_parameters=True, connect_args={"check_same_thread": False} if path else {}
    )
    if path is not None:
        event.listen(engine, "connect", set_pragmas)
    try:
        migrate(engine, path, MIGRATIONS, HEAD)
        check_writable(path)
    except (DBAPIError, sqlite3.Error, OSError) as error:
        engine.dispose()
        raise readable(error, url) from error
    except BaseException:
        engine.dispose()
        raise
    return engine


def make_private(path: Path) -> None:
    """Folder 0700, the file and what SQLite keeps beside it 0600: the texts inside are not encrypted."""
    try:
        path.parent.mkdir(parents=True, mode=0o700, exist_ok=True)
        if path.parent.name == "data":
            path.parent.chmod(stat.S_IRWXU)
        if not path.exists():
            path.touch(mode=0o600)
        for file in (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")):
            if os.access(file, os.W_OK):
                file.chmod(stat.S_IRUSR | stat.S_IWUSR)
    except OSError as error:
        raise StoreError(
            "The database {path} cannot be created: {why}. Choose a folder you may write to in "
            "RAPPORT_DATABASE_URL; nothing was lost.",
            path=str(path),
            why=error.strerror or str(error),
        ) from error


def set_pragmas(connection: sqlite3.Connection, _record: Any) -> None:
    """WAL for many readers; FULL so that what was shown as saved survives a power cut; no copies in /tmp."""
    connection.execute(f"PRAGMA busy_timeout={BUSY_MS}")
    keep_a_log(connection)
    for pragma in ("synchronous=FULL", "foreign_keys=ON", "secure_delete=ON", "temp_store=MEMORY"):
        connection.execute(f"PRAGMA {pragma}")


def keep_a_log(connection: sqlite3.Connection) -> None:
    """Switch to the write-ahead log. SQLite does not wait for its turn here, so two that open at once would clash."""
    until = time.monotonic() + BUSY_MS / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.02)


def readable(error: BaseException, url: URL) -> StoreError:
    """A database error as a sentence."""
    why = str(getattr(error, "orig", None) or error)
    if "locked" in why or "busy" in why:
        return StoreError(
            "The database {path} is in use by another program and stayed locked for {seconds} seconds. Close the other "
            "program or wait, then reload; nothing was lost.",
            path=url.database,
            seconds=BUSY_MS // 1000,
        )
    if "readonly" in why or "read-only" in why:
        return StoreError(
            "The database {path} is read-only. Give this account write access to the file and its folder; "
            "nothing was changed.",
            path=url.database,
        )
    if "full" in why:
        return StoreError(
            "The disk is full: the database {path} cannot grow. Free some space and try again; "
            "what was saved before is safe.",
            path=url.database,
        )
    return StoreError(
        "The database {path} cannot be opened: {why}. If it is not a Rapport database, point RAPPORT_DATABASE_URL to "
        "another file; nothing was changed.",
        path=url.database,
        why=why,
    )
