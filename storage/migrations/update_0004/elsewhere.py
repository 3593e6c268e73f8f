"""Records that came with a study from elsewhere are marked: nobody here has read them, and nobody here spoke in them."""

from sqlalchemy import Connection

from storage.migrations.update_0002.statements import run

BROUGHT = "FROM unit u JOIN study y ON y.id = u.study_id WHERE y.origin = 'elsewhere'"
SESSIONS = " UNION ".join(f"SELECT u.{column}_id {BROUGHT}" for column in ("session", "first", "second"))
# Made here, a simulated session is unconfirmed only where its role is.
UNEXPLAINED = (
    "origin = 'simulated' AND clearance = 0 AND NOT EXISTS (SELECT 1 FROM role_card r WHERE r.id = session.role_id AND r.clearance = 0)"
)


def mark(connection: Connection) -> None:
    """Sessions always come as records of their own; a report, note or role may be one that was here, and confirmed."""
    run(connection, f"UPDATE session SET elsewhere = 1 WHERE id IN ({SESSIONS}) OR {UNEXPLAINED}")
    for table, column in (("role_card", "role_id"), ("report", "report_id"), ("note", "note_id")):
        run(connection, f"UPDATE {table} SET elsewhere = 1 WHERE clearance = 0 AND id IN (SELECT u.{column} {BROUGHT})")
    run(connection, "UPDATE note SET elsewhere = 1 WHERE clearance = 0 AND report_id IN (SELECT id FROM report WHERE elsewhere)")
    run(connection, "UPDATE role_card SET elsewhere = 1 WHERE clearance = 0 AND id IN (SELECT role_id FROM session WHERE elsewhere)")
