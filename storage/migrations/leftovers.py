"""What an older store needs once, when its schema is brought to 0002: who spoke each turn, and ids above all named."""

from typing import Any

from sqlalchemy import Connection, text

Rows = list[Any]


def tidy(connection: Connection) -> None:
    """Everything of this update that is not schema. Runs inside its transaction."""
    name_speakers(connection)
    number_above(connection)


def rows(connection: Connection, sql: str, **values: Any) -> Rows:
    return list(connection.execute(text(sql), values).all())


def name_speakers(connection: Connection) -> None:
    """A turn with a call was its agent's; one without, in a session people sat in, a person's, known or not."""
    run = connection.exec_driver_sql
    for seat in ("client", "counselor"):
        run(
            f"UPDATE turn SET speaker = 'agent', agent_id = (SELECT s.{seat}_agent_id FROM session s WHERE s.id = session_id) "
            f"WHERE seat = '{seat}' AND (call_id IS NOT NULL AND session_id IN (SELECT id FROM session WHERE origin IN ('simulated', 'live')) "
            "OR session_id IN (SELECT id FROM session WHERE origin = 'simulated') AND stage <> 'opener')"
        )
        # whoever sat there first gave the seat its code; where it is still theirs, nobody else has spoken from it
        known = f"s.{seat}_person <> '' AND s.{seat}_person = s.{seat}_code"
        run(
            f"UPDATE turn SET speaker = 'person', person = (SELECT s.{seat}_person FROM session s WHERE s.id = session_id) "
            f"WHERE seat = '{seat}' AND speaker = 'text' AND stage <> 'opener' "
            f"AND session_id IN (SELECT s.id FROM session s WHERE s.origin = 'live' AND s.parent_id IS NULL AND {known})"
        )
    run(
        "UPDATE turn SET speaker = 'unknown person' WHERE speaker = 'text' AND stage <> 'opener' "
        "AND session_id IN (SELECT id FROM session WHERE origin = 'live' AND parent_id IS NULL)"
    )
    for id, parent, at in rows(connection, "SELECT id, parent_id, branch_turn FROM session WHERE parent_id IS NOT NULL ORDER BY id"):
        follow_parent(connection, id, parent, at or 0)


def follow_parent(connection: Connection, id: int, parent: int, at: int) -> None:
    """The turns a branch began with were spoken by whoever spoke them in its parent."""
    same = "p.session_id = :parent AND p.position = turn.position AND p.text = turn.text"
    for column in ("speaker", "agent_id", "person"):
        connection.execute(
            text(
                f"UPDATE turn SET {column} = (SELECT p.{column} FROM turn p WHERE {same}) "
                f"WHERE session_id = :id AND position <= :at AND EXISTS (SELECT 1 FROM turn p WHERE {same})"
            ),
            {"id": id, "parent": parent, "at": at},
        )
    connection.execute(
        text(
            "UPDATE turn SET speaker = 'unknown person' WHERE session_id = :id AND speaker = 'text' AND stage <> 'opener' "
            "AND EXISTS (SELECT 1 FROM session s WHERE s.id = :id AND s.origin = 'live')"
        ),
        {"id": id},
    )


# The columns, and the fields of JSON, that name a record of each table.
NAMED: dict[str, tuple[str, ...]] = {
    "session": (
        "SELECT max(session_id) FROM turn", "SELECT max(session_id) FROM rating", "SELECT max(first_id) FROM comparison",
        "SELECT max(second_id) FROM comparison", "SELECT max(parent_id) FROM session",
        "SELECT max(CAST(payload ->> 'session' AS INTEGER)) FROM unit", "SELECT max(session_id) FROM unit",
        "SELECT max(first_id) FROM unit", "SELECT max(second_id) FROM unit",
        "SELECT max(CAST(substr(purpose, 9) AS INTEGER)) FROM call WHERE purpose LIKE 'session %'",
        "SELECT max(CAST(substr(purpose, 19) AS INTEGER)) FROM call WHERE purpose LIKE 'rating of session %'",
        "SELECT max(CAST(substr(purpose, instr(purpose, ' and ') + 5) AS INTEGER)) FROM call WHERE purpose LIKE 'comparison of session %'",
        "SELECT max(CAST(substr(purpose, 23) AS INTEGER)) FROM call WHERE purpose LIKE 'comparison of session %'",
    ),
    "role_card": ("SELECT max(CAST(payload ->> 'role' AS INTEGER)) FROM unit", "SELECT max(role_id) FROM unit"),
    "report": ("SELECT max(CAST(payload ->> 'report' AS INTEGER)) FROM unit", "SELECT max(report_id) FROM unit"),
    "note": ("SELECT max(CAST(payload ->> 'note' AS INTEGER)) FROM unit", "SELECT max(note_id) FROM unit"),
    "unit": (
        "SELECT max(unit_id) FROM rating", "SELECT max(unit_id) FROM comparison", "SELECT max(unit_id) FROM call",
        "SELECT max(CAST(result ->> 'source' AS INTEGER)) FROM unit",
    ),
    "study": ("SELECT max(study_id) FROM call", "SELECT max(study_id) FROM rating"),
    "call": (
        "SELECT max(call_id) FROM turn", "SELECT max(call_id) FROM rating", "SELECT max(call_id) FROM comparison",
        "SELECT max(call_id) FROM note",
    ),
    "agent": (
        "SELECT max(CAST(payload ->> 'judge' AS INTEGER)) FROM unit", "SELECT max(CAST(payload ->> 'writer' AS INTEGER)) FROM unit",
        "SELECT max(CAST(payload ->> 'client' AS INTEGER)) FROM unit",
        "SELECT max(CAST(payload ->> 'counselor' AS INTEGER)) FROM unit",
    ),
}  # fmt: skip


def number_above(connection: Connection) -> None:
    """Counters above every id named anywhere, so that no new record bears the number of one that was deleted."""
    for (table,) in rows(connection, "SELECT name FROM sqlite_master WHERE sql LIKE '%AUTOINCREMENT%'"):
        most = rows(connection, f'SELECT coalesce(max(id), 0) FROM "{table}"')[0][0]
        for sql in NAMED.get(table, ()):
            most = max(most, rows(connection, sql)[0][0] or 0)
        connection.execute(text("DELETE FROM sqlite_sequence WHERE name = :table"), {"table": table})
        connection.execute(text("INSERT INTO sqlite_sequence (name, seq) VALUES (:table, :most)"), {"table": table, "most": most})
