"""What a worker writes while it asks: bodies of jobs for ``storage.ledger``, each on the ledger's connection."""

import hashlib
import json
import sqlite3
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from core.errors import NotFound
from storage import tables
from storage.ledger import columns, insert, row_values
from storage.waiting import Waiting

FIGURES = (
    "calls", "requests", "repaired", "tokens_in", "tokens_out", "tokens_cached", "estimated", "cost", "unpriced"
)  # fmt: skip
TABLES = ("rating", "comparison")  # kinds of units whose answers are rows of these tables
STILL_THERE = {
    True: "(EXISTS (SELECT 1 FROM rating WHERE unit_id = unit.id) OR EXISTS (SELECT 1 FROM comparison WHERE unit_id = unit.id))",
    False: " AND ".join(
        f"(unit.{column} IS NULL OR EXISTS (SELECT 1 FROM {table} WHERE id = unit.{column}))"
        for column, table in (("session_id", "session"), ("role_id", "role_card"), ("note_id", "note"))
    ),
}
READ = (  # what was withdrawn answers for nothing
    "NOT EXISTS (SELECT 1 FROM session s WHERE s.id IN (unit.session_id, unit.first_id, unit.second_id) AND s.withdrawn <> '')"
)
ANY_EDITION = -1
SHARED_ENDS = ("</session>\n", "</transcript>\n")


def claim(connection: sqlite3.Connection, unit: Waiting) -> tuple[int, str, str] | None:
    """Mark a unit as running before its first call; or give (id, state, result) of an answer that came meanwhile."""
    if unit.key:
        found = connection.execute(
            "SELECT id, state, result FROM unit WHERE key = ? AND state = 'done' AND reason = '' AND id <> ? "
            f"AND {STILL_THERE[unit.kind in TABLES]} AND {READ} LIMIT 1",
            (unit.key, unit.id),
        ).fetchone()
        if found is not None and not unit.result.get("partly"):
            return found
    not_gone(connection, unit.id)
    connection.execute("UPDATE unit SET state = 'running', attempts = attempts + 1 WHERE id = ?", (unit.id,))
    return None


def not_gone(connection: sqlite3.Connection, unit_id: int) -> None:
    """Raises NotFound: a record of this unit was deleted, so nothing about it may be written any more."""
    found = connection.execute("SELECT state FROM unit WHERE id = ?", (unit_id,)).fetchone()
    if found is None or found[0] == "gone":
        raise NotFound("A record that unit {id} worked on was deleted. Nothing about it was kept.", id=unit_id)


def finish(
    connection: sqlite3.Connection, unit_id: int, state: str, reason: str, result: Mapping[str, Any]
) -> None:
    connection.execute(
        "UPDATE unit SET state = ?, reason = ?, result = ? WHERE id = ? AND state <> 'gone'",
        (state, reason, json.dumps(result, ensure_ascii=False), unit_id),
    )


def release(connection: sqlite3.Connection, unit_id: int) -> None:
    """Give back a unit that was not being asked; nothing was in flight."""
    connection.execute("UPDATE unit SET state = 'planned' WHERE id = ? AND state = 'running'", (unit_id,))


def forget_rows(
    connection: sqlite3.Connection, table: str, unit_id: int, study_id: int, items: Sequence[str] = ()
) -> None:
    """Drop the unscored rows a unit left, before its next attempt's rows take their place; its calls stay.

    Args:
        items: the items that are asked again; the readings of others stay.
    """
    places = f" AND item IN ({', '.join('?' * len(items))})" if items else ""
    sql = f"DELETE FROM {table} WHERE unit_id = ? AND study_id = ?{places}"
    connection.execute(sql, (unit_id, study_id, *items))


def keep_learned(connection: sqlite3.Connection, endpoint_id: int, learned: Mapping[str, Any]) -> None:
    """What an endpoint taught, beside what a person allowed meanwhile; it may have been deleted."""
    taught = {name: value for name, value in learned.items() if name != "http_allowed"}
    connection.execute(
        "UPDATE endpoint SET learned = json_patch(learned, ?) WHERE id = ?", (json.dumps(taught), endpoint_id)
    )


def keep_setting(connection: sqlite3.Connection, name: str, value: Any) -> None:
    sql = "INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
    connection.execute(sql, (name, json.dumps(value)))


class Text(NamedTuple):
    hash: str
    text: bytes


def parts_of(content: str) -> list[str]:
    """A message in the parts it shares with others: up to the end of the transcript, and the rest."""
    at = max(content.rfind(end) + len(end) if end in content else 0 for end in SHARED_ENDS)
    return [content[:at], content[at:]] if 0 < at < len(content) else [content]


def hashed(content: str) -> Text:
    data = content.encode("utf-8", "replace")
    return Text(hashlib.sha256(data).hexdigest(), data)


class About(NamedTuple):
    """A record whose words a call carries or made; ``hash`` of these words, where it is known."""

    kind: str
    id: int
    edition: int = 0
    hash: str = ""


class Packed(NamedTuple):
    """A call ready to be written: its row, its texts, and the records these come from."""

    row: dict[str, Any]
    texts: list[Text]
    about: tuple[About, ...] = ()


def pack_call(fields: Mapping[str, Any], messages: Iterable[Mapping[str, str]], raw: str) -> Packed:
    """``fields`` are columns of the call, and ``about``."""
    texts, named = [hashed(raw)], []
    for message in messages:
        for n, part in enumerate(parts_of(message["content"])):
            texts.append(hashed(part))
            named.append({"role": message["role"], "hash": texts[-1].hash} | ({"joined": True} if n else {}))
    row = {name: value for name, value in fields.items() if name != "about"} | {"messages": named, "raw": texts[0].hash}
    return Packed(row_values(tables.Call, row), texts, tuple(About(*one) for one in fields.get("about", ())))


def save_call(connection: sqlite3.Connection, packed: Packed) -> int:
    """Write a call, those of its texts that are not there, and its links; returns its id.

    Where a record it is about was deleted while it was asked, nothing of its words is written: its figures are
    added to its study's, and the id is 0.
    """
    if is_gone(connection, packed.row["unit_id"]) or not all(is_there(connection, one.kind, one.id, one.edition) for one in packed.about):
        keep_figures(connection, packed.row["study_id"], figures_of([packed.row]))
        return 0
    for hash, data in packed.texts:
        if connection.execute("SELECT 1 FROM text_part WHERE hash = ?", (hash,)).fetchone() is None:
            connection.execute("INSERT INTO text_part (hash, data) VALUES (?, ?)", (hash, zlib.compress(data)))
    id = int(connection.execute(columns(tables.Call).sql, packed.row).lastrowid or 0)
    link_call(connection, id, packed.about)
    return id


def copy_call(connection: sqlite3.Connection, call_id: int, about: Iterable[About]) -> int:
    """A call again, for other records with the same words: of no study and no unit, and without cost."""
    blank = {"study_id": "NULL", "unit_id": "NULL", "cost": "NULL"}
    names = [column.name for column in tables.Call.__table__.columns if column.name != "id"]  # type: ignore[attr-defined]
    chosen = ", ".join(blank.get(name, name) for name in names)
    sql = f"INSERT INTO call ({', '.join(names)}) SELECT {chosen} FROM call WHERE id = ?"
    made = connection.execute(sql, (call_id,))
    if made.rowcount < 1:
        return 0
    link_call(connection, int(made.lastrowid or 0), about)
    return int(made.lastrowid or 0)


RECORDS = {"report": "report", "note": "note", "role": "role_card", "session": "session"}


def is_there(connection: sqlite3.Connection, kind: str, id: int, edition: int = 0) -> bool:
    """Whether a record is there, in the edition that a call carried the words of (or in any)."""
    same = f" AND edition = {int(edition)}" if kind in ("session", "report") and edition != ANY_EDITION else ""
    return connection.execute(f'SELECT 1 FROM "{RECORDS[kind]}" WHERE id = ?{same}', (id,)).fetchone() is not None


def are_there(connection: sqlite3.Connection, about: Iterable[About]) -> bool:
    """Whether all these records are there, in whatever edition."""
    named = [(RECORDS[one.kind], one.id) for one in about]
    return all(connection.execute(f'SELECT 1 FROM "{table}" WHERE id = ?', (id,)).fetchone() for table, id in named)


def is_gone(connection: sqlite3.Connection, unit_id: int | None) -> bool:
    """Whether what a unit worked on was deleted meanwhile."""
    found = connection.execute("SELECT state FROM unit WHERE id = ?", (unit_id,)).fetchone()
    return found is not None and found[0] == "gone"


def link_call(connection: sqlite3.Connection, call_id: int, about: Iterable[About]) -> None:
    """Name the records a call's texts come from."""
    connection.executemany(
        "INSERT OR IGNORE INTO call_record (call_id, kind, record_id, hash) SELECT id, ?, ?, ? FROM call WHERE id = ?",
        [(one.kind, one.id, one.hash, call_id) for one in about],
    )


def link_made(connection: sqlite3.Connection, kind: str, record_id: int, calls: Iterable[int]) -> None:
    """Name the record that was made from these calls: their replies hold its words, or others for it.

    Earlier attempts of the same unit at the same go with them.
    """
    for call in calls:
        same = (
            "SELECT id FROM call WHERE id = :call UNION SELECT b.id FROM call a JOIN call b ON b.unit_id = a.unit_id "
            "AND b.prompt = a.prompt WHERE a.id = :call"
        )
        for (id,) in connection.execute(same, {"call": call}).fetchall():
            link_call(connection, id, [About(kind, record_id)])


def figures_of(calls: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """Sums over calls (rows as they are stored), by the names of ``units.Figures``."""
    sums = dict.fromkeys(FIGURES, 0.0)
    for call in calls:
        sums["calls"] += call["state"] != "failed"
        sums["requests"] += len(json.loads(call["attempts"]))
        sums["repaired"] += call["state"] == "repaired"
        sums["estimated"] += bool(call["tokens_estimated"])
        sums["unpriced"] += call["cost"] is None
        for name in ("tokens_in", "tokens_out", "tokens_cached", "cost"):
            sums[name] += call[name] or 0
    return sums


def keep_figures(connection: sqlite3.Connection, study_id: int | None, sums: Mapping[str, float]) -> None:
    """Add the figures of calls that go to those their study keeps: what was paid stays counted."""
    found = connection.execute("SELECT deleted FROM study WHERE id = ?", (study_id,)).fetchone()
    if found is not None:
        before = json.loads(found[0])
        total = {name: before.get(name, 0) + sums.get(name, 0) for name in FIGURES}
        connection.execute("UPDATE study SET deleted = ? WHERE id = ?", (json.dumps(total), study_id))


def save_turn(connection: sqlite3.Connection, turn: Mapping[str, Any]) -> int:
    """Write a turn, over the partial one that has its id; returns the id."""
    if turn["id"] is None:
        return insert(connection, tables.Turn, turn)
    values = row_values(tables.Turn, turn) | {"id": turn["id"]}
    connection.execute(
        "UPDATE turn SET text = :text, state = :state, stage = :stage, risk = :risk, call_id = :call_id, "
        "speaker = :speaker, agent_id = :agent_id, person_id = :person_id WHERE id = :id",
        values,
    )
    return int(turn["id"])


def save_rows(connection: sqlite3.Connection, table: Any, rows: Iterable[Mapping[str, Any]]) -> None:
    for row in rows:
        insert(connection, table, row)
