"""Reviews for what persons confirmed in an older store: of the words as they are now, since none were kept.

``created`` is when they said so where that was kept, else empty.
"""

import json
from typing import Any

from sqlalchemy import Connection

from storage.migrations.update_0002.statements import rows, run
from storage.reviewed import TEXTS, session_text_hash, text_hash

CONFIRMED, SYNTHETIC = 2, 3  # clearances as they were stored
TABLES = {"report": "report", "note": "note", "role": "role_card"}
LISTS = ("goals", "techniques", "steps", "stressor", "demographics", "life_events", "traits", "profile")


def keep(connection: Connection, known: dict[str, int]) -> None:
    for kind in TABLES:
        of_texts(connection, kind, known)
    of_sessions(connection)
    # built here, and lowered since: somebody typed in it
    run(connection, "UPDATE role_card SET edited_by = 'person' WHERE clearance < 3 AND edited_by = '' AND NOT elsewhere AND sampling IN ('stratified', 'paper')")


def of_texts(connection: Connection, kind: str, known: dict[str, int]) -> None:
    """Reports and notes that were confirmed; role cards only where a person said that they are made up."""
    told = "review" if kind == "role" else "'{}' AS review"
    sql = f"SELECT id, clearance, {', '.join(TEXTS[kind])}, {told} FROM {TABLES[kind]} WHERE clearance >= {CONFIRMED}"
    for row in rows(connection, sql):
        held = row._mapping
        by, at = who(held["review"])
        if kind == "role" and not by:
            continue
        words = {name: read(name, held[name]) for name in TEXTS[kind]}
        add(connection, kind, held["id"], text_hash(kind, words), held["clearance"], known.get(by), at)


def who(review: Any) -> tuple[str, str]:
    """Whose review it was, and when; empty where nobody's."""
    try:
        told = json.loads(review)
    except (TypeError, ValueError):
        return "", ""
    found = [told.get(name) for name in ("by", "at")] if isinstance(told, dict) else ["", ""]
    by, at = (one if isinstance(one, str) else "" for one in found)
    return by.strip() and by, at


def read(name: str, value: Any) -> Any:
    return json.loads(value) if name in LISTS and isinstance(value, str) else value


def of_sessions(connection: Connection) -> None:
    """Sessions that a person read, and dialogues rebuilt from a confirmed report. Never what a person said in a seat here."""
    sql = (
        f"SELECT id, clearance, title FROM session WHERE clearance = {CONFIRMED} AND (origin <> 'live' OR elsewhere) "
        f"OR clearance = {SYNTHETIC} AND origin IN ('imported', 'reconstructed')"
    )
    turns = "SELECT position, seat, text FROM turn WHERE session_id = :id AND state = 'complete' ORDER BY position"
    for id, clearance, title in rows(connection, sql):
        said = [tuple(row) for row in rows(connection, turns, id=id)]
        add(connection, "session", id, session_text_hash(title, said), clearance, None, "")


def add(connection: Connection, kind: str, id: int, hash: str, clearance: int, person: int | None, at: str) -> None:
    says = "synthetic" if clearance == SYNTHETIC else "confirmed"
    run(
        connection,
        "INSERT INTO review (kind, record_id, hash, says, person_id, created) VALUES (:kind, :id, :hash, :says, :person, :at)",
        kind=kind, id=id, hash=hash, says=says, person=person, at=at,
    )  # fmt: skip
