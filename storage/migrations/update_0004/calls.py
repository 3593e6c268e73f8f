"""Calls are linked to the dialogue or note that was made from them, as those of today are when it is saved."""

from sqlalchemy import Connection

from storage.migrations.update_0002.statements import run

MADE = (
    "SELECT c.id, 'session', s.id FROM session s JOIN turn t ON t.session_id = s.id JOIN call c ON c.id = t.call_id WHERE s.origin = 'reconstructed'",
    "SELECT c.id, 'note', n.id FROM note n JOIN call c ON c.id = n.call_id",
    "SELECT c.id, 'session', s.id FROM unit u JOIN session s ON s.id = u.session_id JOIN call c ON c.unit_id = u.id WHERE u.kind = 'dialogue'",
    "SELECT c.id, 'note', n.id FROM unit u JOIN note n ON n.id = u.note_id JOIN call c ON c.unit_id = u.id WHERE u.kind = 'note'",
)


def link(connection: Connection) -> None:
    """In whose words a report stood in them is not known, so they leave only when unconfirmed text is asked for."""
    for made in MADE:
        run(connection, f"INSERT OR IGNORE INTO call_record (call_id, kind, record_id, hash) SELECT *, '' FROM ({made})")
