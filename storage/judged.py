"""Ratings and comparisons made elsewhere: whose they are, what is here of them already, saving them and taking them back.

Each function works on the connection of one transaction.
"""

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from core.errors import NotFound
from storage import deletion, tables
from storage.bringing import free_name
from storage.ledger import insert

TABLES: dict[str, Any] = {"rating": tables.Rating, "comparison": tables.Comparison}
# What a row is about, and what it says of it. People are asked about a pair once, whichever session is shown first.
ABOUT = {
    "rating": ("session_id", "instrument", "item", "instrument_version"),
    "comparison": ("min(first_id, second_id)", "max(first_id, second_id)", "instrument", "dimension", "instrument_version"),
}
SAYS = {"rating": "value", "comparison": "CASE verdict WHEN 'won' THEN winner_id WHEN 'tie' THEN 'tie' END"}
BROUGHT = (  # a name proves nothing: neither a person who rated here nor one of another workbench's study is meant
    "SELECT p.code, a.id FROM rater a JOIN person p ON p.id = a.person_id WHERE a.kind = 'person' AND p.origin = 'imported' "
    "AND NOT EXISTS (SELECT 1 FROM rating r JOIN study s ON s.id = r.study_id WHERE r.rater_id = a.id) "
    "AND NOT EXISTS (SELECT 1 FROM comparison r JOIN study s ON s.id = r.study_id WHERE r.rater_id = a.id) ORDER BY a.id"
)


def brought(connection: sqlite3.Connection, kind: str) -> list[tuple[str, int]]:
    """The names that tables gave to raters of a kind, with the rater's id, oldest first.

    A person's is the code, as the table wrote it: their rater bears a number where the name was taken.
    """
    sql = BROUGHT if kind == "person" else "SELECT name, id FROM rater WHERE kind = ? AND agent_hash = '' ORDER BY id"
    return [(str(name), int(id)) for name, id in connection.execute(sql, () if kind == "person" else (kind,))]


def add_rater(connection: sqlite3.Connection, kind: str, name: str) -> int:
    """A rater from elsewhere; a person among them as a person without a secret. A name that is taken gets a number."""
    person = insert(connection, tables.Person, {"code": name, "origin": "imported"}) if kind == "person" else None
    free = free_name(connection, tables.Rater, "name", name, kind=kind, agent_hash="")
    return insert(connection, tables.Rater, {"kind": kind, "name": free, "person_id": person})


def said(connection: sqlite3.Connection, table: str, rater_id: int) -> dict[tuple[Any, ...], Any]:
    """What a rater said at first asking: what it is about (``ABOUT``) → value, winner's id or *tie*; ``None`` where blank."""
    sql = (
        f"SELECT {', '.join(ABOUT[table])}, {SAYS[table]} FROM {table} WHERE rater_id = ? AND repeat = 1 "
        "AND superseded_by IS NULL ORDER BY id"
    )
    found: dict[tuple[Any, ...], Any] = {}
    for *about, value in connection.execute(sql, (rater_id,)):
        if value is not None or tuple(about) not in found:
            found[tuple(about)] = value
    return found


def save(connection: sqlite3.Connection, table: str, rows: Iterable[Mapping[str, Any]]) -> list[int]:
    """Insert the rows; their ids."""
    return [insert(connection, TABLES[table], row) for row in rows]


# ---- taking back ---------------------------------------------------------------------------------------------------

OF_TABLES = "study_id IS NULL AND unit_id IS NULL AND call_id IS NULL"  # rows that no study and no call stands behind


@dataclass(frozen=True)
class ImportedRater:
    """A rater that tables brought in, with what is here of them from tables."""

    id: int
    kind: str  # person | reference
    name: str
    ratings: int
    comparisons: int
    instruments: tuple[str, ...]  # ids, by name


def all_brought(connection: sqlite3.Connection) -> list[ImportedRater]:
    """The raters that tables brought in, people first; never one who rated here."""
    raters = [(kind, name, id) for kind in ("person", "reference") for name, id in brought(connection, kind)]
    found = [ImportedRater(id, kind, name, *counts(connection, id), instruments_of(connection, id)) for kind, name, id in raters]
    return [one for one in found if one.ratings or one.comparisons]


def counts(connection: sqlite3.Connection, rater_id: int) -> tuple[int, int]:
    """Ratings and comparisons that a rater has from tables."""
    one, two = (connection.execute(f"SELECT count(*) FROM {table} WHERE rater_id = ? AND {OF_TABLES}", (rater_id,)).fetchone()[0] for table in TABLES)
    return int(one), int(two)


def instruments_of(connection: sqlite3.Connection, rater_id: int) -> tuple[str, ...]:
    sql = " UNION ".join(f"SELECT instrument FROM {table} WHERE rater_id = :id AND {OF_TABLES}" for table in TABLES)
    return tuple(sorted(row[0] for row in connection.execute(sql, {"id": rater_id})))


def take_back(connection: sqlite3.Connection, rater_id: int) -> deletion.Going:
    """Delete what tables brought of a rater, and the rater where nothing else is of them. Nothing else goes.

    Raises:
        NotFound: no table brought in such a rater, or it is gone.
    """
    one = next((one for one in all_brought(connection) if one.id == rater_id), None)
    if one is None:
        raise NotFound("There is no imported rater {id}. Only what came from a table can be taken back; nothing was deleted.", id=rater_id)
    going = deletion.Going()
    for table in TABLES:
        going.removed[table] = connection.execute(f"DELETE FROM {table} WHERE rater_id = ? AND {OF_TABLES}", (rater_id,)).rowcount
    (person,) = connection.execute("SELECT person_id FROM rater WHERE id = ?", (rater_id,)).fetchone()
    for table, id in (("rater", rater_id), ("person", person)):
        if id is not None and not named_elsewhere(connection, table, id):
            going.removed[table] = connection.execute(f'DELETE FROM "{table}" WHERE id = ?', (id,)).rowcount
    return going


def named_elsewhere(connection: sqlite3.Connection, table: str, id: int) -> bool:
    """Whether a row of any table names this one."""
    others = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()]
    links = [(other, row[3]) for other in others for row in connection.execute(f'PRAGMA foreign_key_list("{other}")') if row[2] == table]
    return any(connection.execute(f'SELECT 1 FROM "{other}" WHERE {column} = ? LIMIT 1', (id,)).fetchone() for other, column in links)
