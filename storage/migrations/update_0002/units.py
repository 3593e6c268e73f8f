"""Units whose record was deleted, and perhaps its number given to another one: they answer for nothing any more."""

import json
from typing import Any

from sqlalchemy import Connection

from storage.migrations.update_0002.statements import rows, run

ENDED = "('done', 'reused', 'unscored', 'failed')"


def mark_gone(connection: Connection) -> int:
    """Set such units to *gone*; returns how many. Ratings of units that are not theirs lose the unit's number."""
    for table in ("rating", "comparison"):
        run(
            connection,
            f"UPDATE {table} SET unit_id = NULL WHERE unit_id IS NOT NULL AND NOT EXISTS "
            f"(SELECT 1 FROM unit u WHERE u.id = {table}.unit_id AND u.study_id = {table}.study_id)",
        )
    gone = [unit for study in studies(connection) for unit in gone_of(connection, *study)]
    for id in gone:
        run(connection, "UPDATE unit SET state = 'gone', key = '', reason = '', result = '{}' WHERE id = :id", id=id)
    return len(gone)


def studies(connection: Connection) -> list[Any]:
    return rows(connection, "SELECT id, created FROM study ORDER BY id")


def gone_of(connection: Connection, study: int, created: str) -> list[int]:
    """The units of a study whose records are not the ones they were about."""
    sql = f"SELECT id, kind, state, key, payload, result FROM unit WHERE study_id = :study AND state IN {ENDED} ORDER BY position"
    units = [(id, kind, state, key, json.loads(payload), json.loads(result)) for id, kind, state, key, payload, result in rows(connection, sql, study=study)]
    if any(state in ("done", "reused") and not key for _, _, state, key, _, _ in units):
        return brought_in(connection, units)
    made = {r["session"] for _, kind, state, _, p, r in units if kind in ("session", "dialogue") and is_own(connection, kind, p, r, created)}
    gone = []
    for id, kind, state, _key, payload, result in units:
        if kind in ("rating", "comparison"):
            fine = judged(connection, id, kind, state, result, made, created)
        else:
            fine = state == "failed" or is_own(connection, kind, payload, result, created)
        if not fine:
            gone.append(id)
    return gone


def brought_in(connection: Connection, units: list[Any]) -> list[int]:
    """Units of a study from elsewhere: only their sessions were given numbers of this store; the rest is dropped."""
    gone = []
    for id, kind, _state, _key, _payload, result in units:
        kept = {name: result[name] for name in ("session", "first", "second") if name in result}
        if all(there(connection, "session", session) for session in kept.values()) and (kept or kind in ("role", "note")):
            run(connection, "UPDATE unit SET result = :result WHERE id = :id", id=id, result=json.dumps(kept))
        else:
            gone.append(id)
    return gone


def is_own(connection: Connection, kind: str, payload: dict[str, Any], result: dict[str, Any], created: str) -> bool:
    """Whether the record a unit names is the one it made: by origin, makers or seed, and not older than a reuse explains."""
    if kind == "session":
        sql = "SELECT origin, role_id, client_agent_id, counselor_agent_id FROM session WHERE id = :id"
        found = rows(connection, sql, id=result.get("session"))
        return bool(found) and tuple(found[0][1:]) == (result.get("role"), payload.get("client"), payload.get("counselor"))
    if kind == "dialogue":
        found = rows(connection, "SELECT origin, report_id, created FROM session WHERE id = :id", id=result.get("session"))
        return bool(found) and found[0][0] == "reconstructed" and found[0][1] == payload.get("report") and same_report(connection, payload, created)
    if kind == "note":
        found = rows(connection, "SELECT report_id FROM note WHERE id = :id", id=result.get("note"))
        return bool(found) and found[0][0] == payload.get("report") and same_report(connection, payload, created)
    found = rows(connection, "SELECT seed, sampling FROM role_card WHERE id = :id", id=result.get("role"))
    return bool(found) and found[0][0] == payload.get("seed")


def same_report(connection: Connection, payload: dict[str, Any], created: str) -> bool:
    """A report is there before the study that works on it."""
    return bool(rows(connection, "SELECT 1 FROM report WHERE id = :id AND created <= :at", id=payload.get("report"), at=created))


def judged(connection: Connection, id: int, kind: str, state: str, result: dict[str, Any], made: set[int], created: str) -> bool:
    """Whether the sessions are the ones that were judged: made by this study, or there before it; with rows to show."""
    names = ("session",) if kind == "rating" else ("first", "second")
    for session in (result.get(name) for name in names):
        older = rows(connection, "SELECT 1 FROM session WHERE id = :id AND created <= :at", id=session, at=created)
        if session not in made and not older:
            return False
    if state == "failed":
        return True
    where = "session_id = :session" if kind == "rating" else "first_id = :first AND second_id = :second"
    source = int(result.get("source", id))
    return bool(rows(connection, f"SELECT 1 FROM {kind} WHERE unit_id = :unit AND {where} LIMIT 1", unit=source, **{n: result[n] for n in names}))


def there(connection: Connection, table: str, id: Any) -> bool:
    return bool(rows(connection, f'SELECT 1 FROM "{table}" WHERE id = :id', id=id))
