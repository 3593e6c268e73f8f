"""Persons, what they agreed to, what they read and confirmed, and where they looked: named operations."""

import json
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from sqlmodel import col, select

from storage import standing, tables
from storage.ledger import insert
from storage.records import Records
from storage.standing import Tally


class Persons(Records[tables.Person]):
    def of_secret(self, hash: str) -> tables.Person | None:
        """The person whose browser holds this secret; nobody for an empty hash."""
        return self.root(found.id or 0) if hash and (found := self.find(secret_hash=hash)) else None

    def of_sign_in(self, name: str) -> tables.Person | None:
        return self.root(found.id or 0) if name and (found := self.find(sign_in=name)) else None

    def root(self, id: int) -> tables.Person:
        """The row that stands for a person, however many browsers they have.

        Raises:
            NotFound: no such person.
        """
        found, seen = self.get(id), {id}
        while found.joined_to is not None and found.joined_to not in seen:
            seen.add(found.joined_to)
            found = self.get(found.joined_to)
        return found

    def add_signed_in(self, row: tables.Person) -> tables.Person:
        """Save a person known by a sign-in, unless two windows of theirs came at once: then the row that was first."""
        words = [row.code, json.dumps(row.roles), row.sign_in, row.origin, row.created]
        add = (
            "INSERT INTO person (code, roles, counselor_codes, client_codes, sign_in, secret_hash, origin, created) "
            "SELECT ?1, ?2, '[]', '[]', ?3, '', ?4, ?5 WHERE NOT EXISTS (SELECT 1 FROM person WHERE sign_in = ?3)"
        )
        self.database.write(lambda connection: connection.execute(add, words))
        return self.of_sign_in(row.sign_in) or row

    def tally(self) -> dict[int, Tally]:
        """What is theirs, for each person (by the row that stands for them)."""
        return self.database.read(standing.tally)

    def members(self, id: int) -> frozenset[int]:
        """The ids of all rows that are this person."""
        return self.database.read(lambda connection: standing.members(connection, id))

    def seats(self, ids: Iterable[int], session_id: int | None = None) -> dict[int, frozenset[str]]:
        """The seats these rows of a person sit in or spoke in, by session; of one session, or of all."""
        return self.database.read(lambda connection: standing.seats(connection, ids, session_id))

    def spoken_seats(self, ids: Iterable[int], session_id: int | None = None) -> dict[int, frozenset[str]]:
        """The seats these rows of a person spoke in, by session; of one session, or of all."""
        return self.database.read(lambda connection: standing.spoken_seats(connection, ids, session_id))

    def everyone(self) -> list[tables.Person]:
        """All persons, each once, in the order they came."""
        return [person for person in self.all() if person.joined_to is None]

    def names(self) -> dict[int, str]:
        """The code to show for each row, of the person it stands for."""
        rows = {person.id or 0: person for person in self.all()}

        def shown(person: tables.Person, left: int = 50) -> str:
            onto = rows.get(person.joined_to or 0)
            return person.code if onto is None or not left else shown(onto, left - 1)

        return {id: shown(person) for id, person in rows.items()}


class Consents(Records[tables.Consent]):
    def of_person(self, ids: Iterable[int]) -> list[tables.Consent]:
        """All rows of a person, oldest first."""
        query = select(tables.Consent).where(col(tables.Consent.person_id).in_(list(ids))).order_by(col(tables.Consent.id))
        return self.database.run(lambda session: list(session.exec(query).all()))


def add_consents(connection: sqlite3.Connection, rows: Iterable[tables.Consent]) -> None:
    for row in rows:
        row.id = insert(connection, tables.Consent, row.model_dump())


def end_consents(connection: sqlite3.Connection, ids: Iterable[int], at: str) -> None:
    """Date the withdrawal of rows that are not withdrawn yet."""
    sql = "UPDATE consent SET withdrawn = ? WHERE id = ? AND withdrawn = ''"
    connection.executemany(sql, [(at, id) for id in ids])


def let_go(connection: sqlite3.Connection, table: Literal["session", "report"], ids: Iterable[int]) -> None:
    """A use of these records was withdrawn: what is being asked about them is not kept."""
    connection.executemany(f"UPDATE {table} SET edition = edition + 1 WHERE id = ?", [(id,) for id in ids])


def hide(connection: sqlite3.Connection, hidden: set[int], at: str) -> None:
    """Mark the sessions that somebody withdrew, and only these."""
    marked = {row[0] for row in connection.execute("SELECT id FROM session WHERE withdrawn <> ''")}
    connection.executemany("UPDATE session SET withdrawn = '' WHERE id = ?", [(id,) for id in marked - hidden])
    sql = "UPDATE session SET withdrawn = ?, edition = edition + 1 WHERE id = ?"
    connection.executemany(sql, [(at, id) for id in hidden - marked])


class Looks(Records[tables.Look]):
    def newest(self, most: int) -> list[tables.Look]:
        query = select(tables.Look).order_by(col(tables.Look.id).desc()).limit(most)
        return self.database.run(lambda session: list(session.exec(query).all()))

    def of_records(self, kind: str, ids: Iterable[int]) -> list[tables.Look]:
        """Who opened these records, newest first."""
        look: Any = tables.Look
        query = select(look).where(look.kind == kind, look.record_id.in_(list(ids))).order_by(look.id.desc())
        return self.database.run(lambda session: list(session.exec(query).all()))


def join(connection: sqlite3.Connection, one: int, other: int) -> tuple[int, int]:
    """Let the row that stands for one person name the row of another; at once, so that no two ever name each other.

    Returns:
        the ids of both rows, first the one that stands for itself no more; the same id twice: they are one already; 0
        where there is no such person.
    """
    joined, onto = (standing.root(connection, id) for id in (one, other))
    if joined and onto and joined != onto:
        connection.execute("UPDATE person SET joined_to = ? WHERE id = ?", (onto, joined))
    return joined, onto


def part(connection: sqlite3.Connection, id: int) -> None:
    connection.execute("UPDATE person SET joined_to = NULL WHERE id = ?", (id,))


PLACE = ("client_code", "counselor_code", "number", "date")


def set_fields(connection: sqlite3.Connection, kind: str, id: int, fields: Mapping[str, Any]) -> None:
    """Codes of a session or report, and its place in a series."""
    for name in fields:
        if name not in PLACE:
            raise ValueError(name)
    table = {"session": "session", "report": "report"}[kind]
    for name, value in fields.items():
        if kind == "report":  # dialogues rebuilt from it bear its codes, unless they were given others
            old = f"(SELECT {name} FROM report WHERE id = ?)"
            sql = f"UPDATE session SET {name} = ? WHERE report_id = ? AND origin = 'reconstructed' AND {name} = {old}"
            connection.execute(sql, (value, id, id))
        connection.execute(f"UPDATE {table} SET {name} = ? WHERE id = ?", (value, id))
