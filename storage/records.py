"""The operations every noun has, each in one short transaction of its own."""

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, TypeVar

from sqlalchemy import Engine, func, insert
from sqlalchemy.exc import IntegrityError, OperationalError
from sqlmodel import Session, SQLModel, select

from core.errors import DataError, NotFound
from storage.database import readable

Row = TypeVar("Row", bound=SQLModel)
Result = TypeVar("Result")


class Database:
    """One engine; every operation opens a short session, since each page visit runs in its own thread."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def run(self, work: Callable[[Session], Result], alone: bool = False) -> Result:
        """Do the work in one transaction; rows stay readable afterwards.

        Args:
            alone: nobody else writes between what it reads and what it saves.
        Raises:
            StoreError: the database is locked, read-only or full. What was saved before is safe.
        """
        try:
            with Session(self.engine, expire_on_commit=False) as session, session.begin():
                if alone:
                    session.connection().exec_driver_sql("BEGIN IMMEDIATE")
                return work(session)
        except OperationalError as error:
            raise readable(error, self.engine.url) from error

    def read(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """Do some reading in plain SQL, all of it of one moment.

        Raises:
            StoreError: as ``run``.
        """
        return self._plain("BEGIN", work, "ROLLBACK")

    def write(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """Do the work in plain SQL, in one transaction that holds the write lock from its beginning.

        Raises:
            StoreError: as ``run``.
        """
        return self._plain("BEGIN IMMEDIATE", work, "COMMIT")

    def _plain(self, begin: str, work: Callable[[sqlite3.Connection], Result], end: str) -> Result:
        raw = self.engine.raw_connection()
        connection: Any = raw.dbapi_connection
        before, connection.isolation_level = connection.isolation_level, None
        try:
            connection.execute(begin)
            done = work(connection)
            connection.execute(end)
            return done
        except sqlite3.OperationalError as error:
            raise readable(error, self.engine.url) from error
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            connection.isolation_level = before
            raw.close()


class Records(Generic[Row]):
    """Add, get, find, list, count and update rows of one table."""

    def __init__(self, database: Database, table: type[Row], noun: str) -> None:
        self.database = database
        self.table: Any = table
        self.noun = noun

    def add(self, row: Row) -> Row:
        """Save a new row and return it with its id.

        Raises:
            DataError: a unique name is already in use.
        """
        try:
            self.database.run(lambda session: session.add(row))
        except IntegrityError as error:
            raise self._clash(row, error) from error
        return row

    def add_whole(self, row: Row, parts: Mapping[str, Iterable[SQLModel]], also: Callable[[Session, int], None] | None = None) -> Row:
        """A record with what belongs to it, in one transaction.

        Args:
            parts: rows that belong to it, by their column that names it. also: what else is saved with it, given its id.
        Raises:
            DataError: as ``add``; nothing was saved.
        """

        def whole(session: Session) -> None:
            session.add(row)
            session.flush()
            id: int = row.id  # type: ignore[attr-defined]
            for column, rows in parts.items():
                for part in rows:
                    setattr(part, column, id)
                    session.add(part)
            if also is not None:
                also(session, id)

        try:
            self.database.run(whole)
        except IntegrityError as error:
            raise self._clash(row, error) from error
        return row

    def add_many(self, rows: Iterable[Row]) -> None:
        values = [row.model_dump(exclude={"id"}) for row in rows]
        if values:
            self.database.run(lambda session: session.execute(insert(self.table), values))

    def get(self, id: int) -> Row:
        found = self.database.run(lambda session: session.get(self.table, id))
        if found is None:
            raise NotFound(
                "There is no {noun} {id}. It may have been deleted; choose another one.",
                noun=self.noun,
                id=id,
            )
        return found

    def all(self, **equals: Any) -> list[Row]:
        """Rows whose columns equal the given values, in the order they were made."""
        query = select(self.table).filter_by(**equals).order_by(self.table.id)
        return self.database.run(lambda session: list(session.exec(query).all()))

    def brief(self, *columns: str, **equals: Any) -> list[Any]:
        """These columns of the rows that ``all`` gives: nothing else of them is read."""
        query = select(*(getattr(self.table, name) for name in columns)).filter_by(**equals).order_by(self.table.id)
        return self.database.run(lambda session: list(session.exec(query).all()))

    def distinct(self, column: str) -> set[Any]:
        """The values that stand in a column."""
        query = select(getattr(self.table, column)).distinct()
        return set(self.database.run(lambda session: session.exec(query).all()))

    def per(self, column: str, **equals: Any) -> dict[Any, int]:
        """How many rows there are of each value of a column."""
        of = getattr(self.table, column)
        query = select(of, func.count()).filter_by(**equals).group_by(of)
        return dict(self.database.run(lambda session: [tuple(row) for row in session.exec(query)]))

    def find(self, **equals: Any) -> Row | None:
        query = select(self.table).filter_by(**equals).order_by(self.table.id).limit(1)
        return self.database.run(lambda session: session.exec(query).first())

    def count(self, **equals: Any) -> int:
        query = select(func.count()).select_from(self.table).filter_by(**equals)
        return int(self.database.run(lambda session: session.exec(query).one()))

    def update(self, id: int, **fields: Any) -> Row:
        """Change some columns of one row."""

        def change(session: Session) -> Row | None:
            row = session.get(self.table, id)
            if row is not None:
                for name, value in fields.items():
                    setattr(row, name, value)
                session.add(row)
            return row

        try:
            row = self.database.run(change)
        except IntegrityError as error:
            raise self._clash(None, error, fields) from error
        if row is None:
            raise NotFound(
                "There is no {noun} {id}. It may have been deleted; choose another one.",
                noun=self.noun,
                id=id,
            )
        return row

    def _clash(
        self, row: Row | None, error: IntegrityError, fields: dict[str, Any] | None = None
    ) -> DataError:
        values = fields or (row.model_dump() if row is not None else {})
        name = values.get("name") or values.get("title") or values.get("content_hash") or ""
        if "UNIQUE" in str(error.orig) or "unique" in str(error.orig):
            return DataError(
                "A {noun} “{name}” is already in the store. Choose another name, or open the one that is "
                "there; nothing was changed.",
                noun=self.noun,
                name=name,
            )
        return DataError(
            "The {noun} could not be saved, because a record it belongs to is gone ({why}). Reload and try "
            "again; nothing was changed.",
            noun=self.noun,
            why=str(error.orig),
        )
