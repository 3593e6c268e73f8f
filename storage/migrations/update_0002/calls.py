"""Calls of an older store get links to the records they are about; those of deleted records go, what they cost stays.

What tells a call's records, strongest first: the rows that name it, the sessions its purpose names, the unit it was asked
for, its words. What is gone by its purpose or its unit stays gone.
"""

import json
import re
import sqlite3
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection

from storage import deletion
from storage.migrations.update_0002.arrivals import NEVER, Arrivals
from storage.migrations.update_0002.rows_of_calls import About, by_rows
from storage.migrations.update_0002.statements import rows, run
from storage.migrations.update_0002.texts_of_calls import Words

ONE = re.compile(r"^(?:rating of )?session (\d+)$")
TWO = re.compile(r"^comparison of session (\d+) and (\d+)$")


def settle(connection: Connection, there: Arrivals) -> dict[str, int]:
    """Link every call, or remove it, or (where nothing ties it to a record) empty it; returns how many of the last two."""
    linked, gone = by_rows(connection), set[int]()
    prove(connection, linked, there)
    units, words = by_units(connection), Words(connection, there)
    sql = "SELECT id, purpose, prompt, unit_id, study_id, created, messages, raw FROM call ORDER BY id"
    for id, purpose, prompt, unit, study, created, messages, raw_text in rows(connection, sql):
        here, named = unit is not None or study is None, sessions_in(purpose)
        if here and named:
            about = {("session", session) for session in named}
            if all(there["session"].get(session, NEVER) <= created for session in named):
                linked.setdefault(id, set()).update(about)
            elif about - linked.get(id, set()):
                gone.add(id)
        elif id in linked:
            continue
        elif unit in units:
            if not units[unit]:
                gone.add(id)
            else:
                linked[id] = units[unit]
        elif found := words.records_in(prompt, [*(part["hash"] for part in json.loads(messages)), raw_text], created, here):
            linked[id] = found
    for id in gone:
        linked.pop(id, None)
    raw: Any = connection.connection.dbapi_connection
    raw.executemany(
        "INSERT OR IGNORE INTO call_record (call_id, kind, record_id) VALUES (?, ?, ?)",
        [(id, kind, record) for id, about in linked.items() for kind, record in about],
    )
    deletion.delete_calls(raw, gone)
    return {"calls": len(gone), "emptied": empty(connection, raw, linked.keys())}


def sessions_in(purpose: str) -> list[int]:
    match = ONE.match(purpose) or TWO.match(purpose)
    return [int(id) for id in match.groups()] if match else []


def prove(connection: Connection, linked: dict[int, About], there: Arrivals) -> None:
    """A session whose row names a call made here about it was there when that call was made."""
    for id, purpose, created in rows(connection, "SELECT id, purpose, created FROM call WHERE unit_id IS NOT NULL OR study_id IS NULL"):
        for session in sessions_in(purpose):
            if ("session", session) in linked.get(id, ()):
                there["session"][session] = min(there["session"].get(session, NEVER), created)


def by_units(connection: Connection) -> dict[int, About]:
    """The records of units that make roles, notes and dialogues, none for those that are gone."""
    found: dict[int, About] = {}
    for id, state, payload, result in rows(connection, "SELECT id, state, payload, result FROM unit WHERE kind IN ('role', 'note', 'dialogue')"):
        named = json.loads(payload) | json.loads(result)
        about = {(kind, named[kind]) for kind in ("role", "note", "report", "session") if isinstance(named.get(kind), int)}
        if state == "gone" or about:
            found[id] = set() if state == "gone" else about
    return found


def empty(connection: Connection, raw: sqlite3.Connection, linked: Iterable[int]) -> int:
    """Calls that nothing ties to a record lose their words; what they cost stays where it is."""
    known = set(linked)
    loose = [id for (id,) in rows(connection, "SELECT id FROM call") if id not in known]
    for id in loose:
        run(connection, "UPDATE call SET messages = '[]', raw = '', reason = '', attempts = '[]' WHERE id = :id", id=id)
    deletion.delete_orphans(raw, [hash for (hash,) in rows(connection, "SELECT hash FROM text_part")])
    return len(loose)
