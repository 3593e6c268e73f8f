"""Bringing a database's schema up to date: all of it or nothing, one process at a time, after a copy."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Engine, inspect, text
from sqlalchemy.exc import OperationalError

from core.errors import StoreError
from storage import tables
from storage.copies import copy_before

if TYPE_CHECKING:
    from alembic.config import Config

TURN_MS = 60_000  # how long one process waits while another upgrades
VERSIONS = "alembic_version"


def migrate(engine: Engine, path: Path | None, migrations: Path, head: str) -> None:
    """Bring the schema to ``head``; an older file is copied beside itself first.

    Raises:
        StoreError: written by a newer version or another program, read-only, or its records do not fit together.
            Nothing was changed.
    """
    with engine.connect() as connection:
        standing = revision(connection)
    if standing == head:
        return
    check_known(engine, standing, migrations, head)
    check_writable(path)
    with alone(engine) as connection:
        standing = revision(connection)
        if standing == head:
            return  # another process was quicker
        check_known(engine, standing, migrations, head)
        if not standing:
            clear_unfinished(connection)
            create(connection, migrations, head)
            return
        if path is not None:
            copy_before(path, head)
        before = broken_links(connection)
        upgrade(connection, migrations)
        check_links(connection, broken_links(connection) - before)


@contextmanager
def alone(engine: Engine) -> Iterator[Connection]:
    """One transaction beside which nobody writes, from its first statement on: all of it is saved, or nothing.

    Left to itself, Python's SQLite commits at each change of a schema; so it is told neither to begin nor to commit.
    Foreign keys are off meanwhile: a table is rebuilt by dropping the old one, which would take along all rows that
    refer to it. They can be switched off only before the transaction.
    """
    if engine.dialect.name != "sqlite":
        with engine.begin() as connection:
            yield connection
        return
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        usual = connection.exec_driver_sql("PRAGMA busy_timeout").scalar()
        connection.exec_driver_sql(f"PRAGMA busy_timeout={TURN_MS}")
        connection.exec_driver_sql("PRAGMA foreign_keys=OFF")
        begin(connection)
        try:
            yield connection
            connection.exec_driver_sql("COMMIT")
        except BaseException:
            connection.connection.rollback()
            raise
        connection.exec_driver_sql("PRAGMA foreign_keys=ON")
        connection.exec_driver_sql(f"PRAGMA busy_timeout={usual}")


def begin(connection: Connection) -> None:
    try:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    except OperationalError as error:
        if "locked" not in str(error.orig):
            raise
        raise StoreError(
            "The database {path} has to be brought up to date, but another program kept it locked for {seconds} "
            "seconds. Close that program, or wait if it is Rapport doing just this, then reload; nothing was lost.",
            path=connection.engine.url.database,
            seconds=TURN_MS // 1000,
        ) from error


def revision(connection: Connection) -> str:
    """The revision the database stands at; empty for a new one."""
    if not inspect(connection).has_table(VERSIONS):
        return ""
    return connection.execute(text(f"SELECT version_num FROM {VERSIONS}")).scalar() or ""


def create(connection: Connection, migrations: Path, head: str) -> None:
    """The tables of a new database as they are now; a test holds them against what the migrations make."""
    from alembic import command

    tables.SQLModel.metadata.create_all(connection)
    command.stamp(configured(connection, migrations), head)


def upgrade(connection: Connection, migrations: Path) -> None:
    """Run what is missing, on this connection and in its transaction."""
    from alembic import command

    command.upgrade(configured(connection, migrations), "head")


def configured(connection: Connection, migrations: Path) -> "Config":
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(migrations).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


# ---- what may stand in the way ---------------------------------------------------------------------------------


def check_known(engine: Engine, standing: str, migrations: Path, head: str) -> None:
    if standing and not any(migrations.glob(f"versions/{standing}_*.py")):
        raise StoreError(
            "The database {url} was written by a newer version of Rapport (its schema is {standing}, this version "
            "knows up to {head}). Update Rapport, or point RAPPORT_DATABASE_URL to another file; nothing was changed.",
            url=engine.url.database,
            standing=standing,
            head=head,
        )


def check_writable(path: Path | None) -> None:
    if path is not None and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        raise StoreError(
            "The database {path} is read-only for you. Give this account write access to the file and its folder, "
            "or point RAPPORT_DATABASE_URL to another file; nothing was changed.",
            path=str(path),
        )


def clear_unfinished(connection: Connection) -> None:
    """Drop the empty tables that a first start left behind when it was killed before its end.

    Raises:
        StoreError: tables of another program, or rows in a store that does not say which version wrote it.
    """
    names = [name for name in inspect(connection).get_table_names() if name != VERSIONS]
    path = connection.engine.url.database
    if strange := [name for name in names if name not in tables.SQLModel.metadata.tables]:
        raise StoreError(
            "The database {path} is of another program (it holds {tables}). Point RAPPORT_DATABASE_URL to another "
            "file; nothing was changed.",
            path=path,
            tables=", ".join(strange[:3]),
        )
    if any(connection.execute(text(f'SELECT EXISTS (SELECT 1 FROM "{name}")')).scalar() for name in names):
        raise StoreError(
            "The database {path} holds records, but does not say which version of Rapport wrote it, so it was not "
            "opened. Put your last copy of it in its place, or point RAPPORT_DATABASE_URL to another file; nothing "
            "was changed.",
            path=path,
        )
    for name in names:
        connection.execute(text(f'DROP TABLE "{name}"'))


def broken_links(connection: Connection) -> set[tuple[str, int, str]]:
    """(table, row, table it names) of rows that name a record which is not there."""
    if connection.dialect.name != "sqlite":
        return set()
    return {(row[0], row[1], row[2]) for row in connection.exec_driver_sql("PRAGMA foreign_key_check")}


def check_links(connection: Connection, broken: set[tuple[str, int, str]]) -> None:
    if broken:
        table, row, parent = min(broken)
        raise StoreError(
            "The database {path} could not be brought up to date: {n} rows would name records that are not there "
            "(the first: row {row} of {table}, a {parent}). It is as it was; keep using the version that wrote it, "
            "and report this sentence.",
            path=connection.engine.url.database,
            n=len(broken),
            row=row,
            table=table,
            parent=parent,
        )
