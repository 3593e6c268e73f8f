"""What studies that an earlier version brought in need once: a mark, and units without ids of the other store."""

import json

from sqlalchemy import Connection, text

NAMED = ("role", "session", "first", "second", "report", "note", "judge", "writer", "client", "counselor")
KEPT = ("session", "first", "second")  # of a result, these were translated when the study was brought in

# A unit that was asked here has a key unless its record was deleted; one that was brought in never has.
FOREIGN = (
    "SELECT DISTINCT study_id FROM unit WHERE key = '' AND state <> 'gone' "
    "AND (state IN ('done', 'reused', 'unscored') OR attempts > 0)"
)


def mark(connection: Connection) -> None:
    """Runs inside the update's transaction."""
    for (study,) in list(connection.execute(text(FOREIGN)).all()):
        connection.execute(text("UPDATE study SET origin = 'elsewhere' WHERE id = :id"), {"id": study})
        sql = "SELECT id, state, payload, result FROM unit WHERE study_id = :id"
        for id, state, payload, result in list(connection.execute(text(sql), {"id": study}).all()):
            ended = state not in ("planned", "running")
            kept = {name: value for name, value in json.loads(result).items() if name in KEPT and ended}
            asked = {
                name: kept.get(name, value) for name, value in json.loads(payload).items()
                if name not in NAMED or name in kept or isinstance(value, dict)
            }  # fmt: skip
            connection.execute(
                text("UPDATE unit SET payload = :payload, result = :result WHERE id = :id"),
                {"id": id, "payload": json.dumps(asked, ensure_ascii=False), "result": json.dumps(kept)},
            )
