"""Counters above every id named anywhere, so that no new record bears the number of one that was deleted."""

import json
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from storage.migrations.update_0002.statements import rows, run

# The columns, and the fields of JSON, that name a record of each table.
NAMED: dict[str, tuple[str, ...]] = {
    "session": (
        "SELECT max(session_id) FROM turn", "SELECT max(session_id) FROM rating", "SELECT max(first_id) FROM comparison",
        "SELECT max(second_id) FROM comparison", "SELECT max(parent_id) FROM session",
        "SELECT max(CAST(payload ->> 'session' AS INTEGER)) FROM unit", "SELECT max(session_id) FROM unit",
        "SELECT max(CAST(payload ->> 'first' AS INTEGER)) FROM unit", "SELECT max(CAST(payload ->> 'second' AS INTEGER)) FROM unit",
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


LISTED = {"sessions": "session", "roles": "role_card", "reports": "report"}  # what a step or a sample lists
EXPORTED = {"session": "sessions", "role_card": "roles", "report": "reports", "unit": "units", "call": "calls", "rating": "ratings", "comparison": "comparisons"}


def highest(connection: Connection) -> dict[str, int]:
    """The highest id of each table that anything names: rows, units, purposes, and exports in the data folder."""
    found: dict[str, int] = {}
    for (table,) in rows(connection, "SELECT name FROM sqlite_master WHERE sql LIKE '%AUTOINCREMENT%'"):
        most = rows(connection, f'SELECT coalesce(max(id), 0) FROM "{table}"')[0][0]
        found[table] = max([most, *(rows(connection, sql)[0][0] or 0 for sql in NAMED.get(table, ()))])
    for named in (in_studies(connection), in_exports(connection.engine.url.database)):
        for table, most in named.items():
            found[table] = max(found.get(table, 0), most)
    return found


def in_studies(connection: Connection) -> dict[str, int]:
    """The highest ids that designs list and samples drew; the pairs of a comparison are sessions."""
    found: dict[str, int] = {}
    for design, samples in rows(connection, "SELECT design, samples FROM study"):
        lists: list[tuple[Any, Any]] = [(name, step.get(name)) for step in (json.loads(design) or {}).get("steps", []) for name in LISTED]
        for drawn in (json.loads(samples) or {}).values():
            if isinstance(drawn, dict):
                lists.append((drawn.get("of"), drawn.get("ids")))
            else:
                lists += [("sessions", pair) for pair in drawn]
        for name, listed in lists:
            if name in LISTED and isinstance(listed, list):
                ids = [id for id in listed if isinstance(id, int)]
                found[LISTED[name]] = max([found.get(LISTED[name], 0), *ids])
    return found


def in_exports(database: str | None) -> dict[str, int]:
    """The highest ids in exports beside the database; what cannot be read names nothing."""
    found: dict[str, int] = {}
    folder = Path(database).parent if database else Path("nowhere")
    for manifest in folder.glob("**/manifest.json"):
        for table, name in EXPORTED.items():
            found[table] = max(found.get(table, 0), highest_in(manifest.parent / f"{name}.jsonl"))
    return found


def highest_in(file: Path) -> int:
    """The highest id in the lines of a file; a damaged line names nothing, the others do."""
    try:
        lines = file.read_bytes().decode("utf-8", "replace").splitlines()
    except OSError:
        return 0
    ids = [row.get("id") for line in lines if isinstance(row := read(line), dict)]
    return max((id for id in ids if isinstance(id, int) and id < 2**53), default=0)


def read(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def number_above(connection: Connection, highest: dict[str, int]) -> None:
    """Let each table count on from above these ids."""
    for table, most in highest.items():
        run(connection, "DELETE FROM sqlite_sequence WHERE name = :table", table=table)
        run(connection, "INSERT INTO sqlite_sequence (name, seq) VALUES (:table, :most)", table=table, most=most)
