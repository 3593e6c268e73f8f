"""Ratings and comparisons made elsewhere: whose they are, what is here of them already, and saving them.

Each function works on the connection of one transaction.
"""

import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

from storage import tables
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
