"""Reviews for what persons confirmed in an older store: of the words as they are now, since none were kept."""

import json
from typing import Any

from sqlalchemy import Connection

from storage.migrations.update_0002.statements import rows, run
from storage.reviewed import TEXTS, text_hash, turns_hash

CONFIRMED, SYNTHETIC = 2, 3  # clearances as they were stored
TABLES = {"report": "report", "note": "note", "role": "role_card"}
LISTS = ("goals", "techniques", "steps", "stressor", "demographics", "life_events", "traits", "profile")


def keep(connection: Connection, known: dict[str, int]) -> None:
    for kind in TABLES:
        of_texts(connection, kind, known)
    of_sessions(connection)
    mark_elsewhere(connection)


def of_texts(connection: Connection, kind: str, known: dict[str, int]) -> None:
    """Reports and notes that were confirmed; role cards only where a person said that they are made up."""
    who = ", review ->> 'by' AS by" if kind == "role" else ", '' AS by"
    only = "AND coalesce(review ->> 'by', '') <> ''" if kind == "role" else ""
    sql = f"SELECT id, clearance, {', '.join(TEXTS[kind])}{who} FROM {TABLES[kind]} WHERE clearance >= {CONFIRMED} {only}"
    for row in rows(connection, sql):
        held = row._mapping
        words = {name: read(name, held[name]) for name in TEXTS[kind]}
        add(connection, kind, held["id"], text_hash(kind, words), held["clearance"], known.get(held["by"]))


def read(name: str, value: Any) -> Any:
    return json.loads(value) if name in LISTS and isinstance(value, str) else value


def of_sessions(connection: Connection) -> None:
    """Imported sessions that a person read, and dialogues rebuilt from a confirmed report."""
    sql = f"SELECT id, clearance FROM session WHERE origin IN ('imported', 'reconstructed') AND clearance >= {CONFIRMED}"
    turns = "SELECT position, seat, text FROM turn WHERE session_id = :id AND state = 'complete' ORDER BY position"
    for id, clearance in rows(connection, sql):
        said = [tuple(row) for row in rows(connection, turns, id=id)]
        add(connection, "session", id, turns_hash(said), clearance, None)


def mark_elsewhere(connection: Connection) -> None:
    """Records that came with a study from elsewhere: unread here, as they were."""
    for table, column in (("role_card", "role_id"), ("report", "report_id"), ("note", "note_id")):
        sql = (
            f"UPDATE {table} SET elsewhere = 1 WHERE clearance = 0 AND id IN (SELECT u.{column} FROM unit u JOIN study y ON y.id = u.study_id "
            "WHERE y.origin = 'elsewhere')"
        )
        run(connection, sql)
    run(connection, "UPDATE role_card SET elsewhere = 1 WHERE clearance = 0 AND id IN (SELECT role_id FROM session WHERE elsewhere)")
    run(connection, "UPDATE role_card SET edited_by = 'person' WHERE clearance < 3 AND edited_by = '' AND NOT elsewhere AND sampling IN ('stratified', 'paper')")


def add(connection: Connection, kind: str, id: int, hash: str, clearance: int, person: int | None) -> None:
    says = "synthetic" if clearance == SYNTHETIC else "confirmed"
    run(
        connection,
        "INSERT INTO review (kind, record_id, hash, says, person_id, created) VALUES (:kind, :id, :hash, :says, :person, "
        "strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now'))",
        kind=kind, id=id, hash=hash, says=says, person=person,
    )  # fmt: skip
