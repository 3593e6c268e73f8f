"""Opening the database: pragmas, migrations, and plain words when it cannot be opened."""

import os
import shutil
import sqlite3
import stat
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event, inspect, make_url, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import DatabaseError, OperationalError

from core.errors import StoreError

HEAD = "0001"  # the newest migration; a test holds it against the migration folder
MIGRATIONS = Path(__file__).parent / "migrations"
BUSY_MS = 15_000


def database_url(given: str | Path | None = None) -> URL:
    """The database to open: as given (URL or path), else RAPPORT_DATABASE_URL, else ``data/rapport.db``."""
    wanted = str(given or os.environ.get("RAPPORT_DATABASE_URL") or "data/rapport.db")
    return make_url(wanted if "://" in wanted else f"sqlite:///{wanted}")


def sqlite_path(url: URL) -> Path | None:
    """The file behind a SQLite URL; ``None`` for a database in memory or another kind of database."""
    if url.get_backend_name() != "sqlite" or not url.database or url.database == ":memory:":
        return None
    return Path(url.database)


def open_database(url: URL) -> Engine:
    """A ready engine: folder and file made private, schema brought up to date.

    Raises:
        StoreError: read-only, locked, not a database, or written by a newer version. Nothing was changed.
    """
    path = sqlite_path(url)
    if path is not None:
        make_private(path)
    engine = create_engine(url, connect_args={"check_same_thread": False} if path else {})
    if path is not None:
        event.listen(engine, "connect", set_pragmas)
    try:
        migrate(engine, path)
    except (OperationalError, DatabaseError, sqlite3.Error, OSError) as error:
        engine.dispose()
        raise readable(error, url) from error
    return engine


def make_private(path: Path) -> None:
    """Folder 0700 and file 0600: the texts inside are not encrypted."""
    try:
        if not path.parent.exists():
            path.parent.mkdir(parents=True, mode=0o700)
        if path.parent.name == "data":
            path.parent.chmod(stat.S_IRWXU)
        if not path.exists():
            path.touch(mode=0o600)
        elif os.access(path, os.W_OK):
            path.chmod(stat.S_IRUSR | stat.S_IWUSR)
    except OSError as error:
        raise StoreError(
            "The database {path} cannot be created: {why}. Choose a folder you may write to in "
            "RAPPORT_DATABASE_URL; nothing was lost.",
            path=str(path),
            why=error.strerror or str(error),
        ) from error


def set_pragmas(connection: sqlite3.Connection, _record: Any) -> None:
    """WAL for many readers; FULL so that what was shown as saved survives a power cut."""
    for pragma in (
        f"busy_timeout={BUSY_MS}",
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
        "secure_delete=ON",
    ):
        connection.execute(f"PRAGMA {pragma}")


def revision(engine: Engine) -> str:
    """The revision the database stands at; empty for a new one."""
    with engine.connect() as connection:
        if not inspect(connection).has_table("alembic_version"):
            return ""
        return connection.execute(text("SELECT version_num FROM alembic_version")).scalar() or ""


def migrate(engine: Engine, path: Path | None) -> None:
    """Bring the schema to ``HEAD``; an older file is copied beside itself first."""
    standing = revision(engine)
    if standing == HEAD:
        check_writable(path)
        return
    if standing and not any(MIGRATIONS.glob(f"versions/{standing}_*.py")):
        raise StoreError(
            "The database {url} was written by a newer version of Rapport (its schema is {standing}, this version "
            "knows up to {head}). Update Rapport, or point RAPPORT_DATABASE_URL to another file; nothing was changed.",
            url=engine.url.database,
            standing=standing,
            head=HEAD,
        )
    check_writable(path)
    if standing and path is not None:
        shutil.copy2(path, path.with_suffix(f".before-{HEAD}.db"))
    upgrade(engine)


def check_writable(path: Path | None) -> None:
    if path is not None and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        raise StoreError(
            "The database {path} is read-only for you. Give this account write access to the file and its folder, "
            "or point RAPPORT_DATABASE_URL to another file; nothing was changed.",
            path=str(path),
        )


def upgrade(engine: Engine) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


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
