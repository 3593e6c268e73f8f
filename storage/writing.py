"""What a worker writes while it asks: bodies of jobs for ``storage.ledger``, each on the ledger's connection."""

import hashlib
import json
import sqlite3
import zlib
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from storage import tables
from storage.ledger import columns, insert, row_values
from storage.units import Waiting

SHARED_ENDS = ("</session>\n", "</transcript>\n")


def claim(connection: sqlite3.Connection, unit: Waiting) -> tuple[int, str, str] | None:
    """Mark a unit as running before its first call; or give (id, state, result) of an answer that came meanwhile."""
    if unit.key:
        found = connection.execute(
            "SELECT id, state, result FROM unit WHERE key = ? AND state = 'done' AND id <> ? LIMIT 1",
            (unit.key, unit.id),
        ).fetchone()
        if found is not None:
            return found
    connection.execute("UPDATE unit SET state = 'running', attempts = attempts + 1 WHERE id = ?", (unit.id,))
    return None


def finish(
    connection: sqlite3.Connection, unit_id: int, state: str, reason: str, result: Mapping[str, Any]
) -> None:
    connection.execute(
        "UPDATE unit SET state = ?, reason = ?, result = ? WHERE id = ?",
        (state, reason, json.dumps(result, ensure_ascii=False), unit_id),
    )


def note_result(connection: sqlite3.Connection, unit_id: int, result: Mapping[str, Any]) -> None:
    """What a unit works on, while it runs: it goes on there if the worker dies."""
    connection.execute("UPDATE unit SET result = ? WHERE id = ?", (json.dumps(result, ensure_ascii=False), unit_id))


def release(connection: sqlite3.Connection, unit_id: int) -> None:
    """Give back a unit that was not being asked; nothing was in flight."""
    connection.execute("UPDATE unit SET state = 'planned' WHERE id = ? AND state = 'running'", (unit_id,))


def forget_rows(connection: sqlite3.Connection, table: str, unit_id: int, study_id: int) -> None:
    """Drop the unscored rows a unit left, before its next attempt's rows take their place; its calls stay."""
    connection.execute(f"DELETE FROM {table} WHERE unit_id = ? AND study_id = ?", (unit_id, study_id))


def keep_learned(connection: sqlite3.Connection, endpoint_id: int, learned: Mapping[str, Any]) -> None:
    """What an endpoint taught; it may have been deleted meanwhile."""
    connection.execute("UPDATE endpoint SET learned = ? WHERE id = ?", (json.dumps(learned), endpoint_id))


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


class Packed(NamedTuple):
    """A call ready to be written: its row, and its texts."""

    row: dict[str, Any]
    texts: list[Text]


def pack_call(fields: Mapping[str, Any], messages: Iterable[Mapping[str, str]], raw: str) -> Packed:
    texts, named = [hashed(raw)], []
    for message in messages:
        for n, part in enumerate(parts_of(message["content"])):
            texts.append(hashed(part))
            named.append({"role": message["role"], "hash": texts[-1].hash} | ({"joined": True} if n else {}))
    return Packed(row_values(tables.Call, dict(fields) | {"messages": named, "raw": texts[0].hash}), texts)


def save_call(
    connection: sqlite3.Connection, packed: Packed, known: "set[str] | frozenset[str]" = frozenset()
) -> int:
    """Write a call and those of its texts that are not known to be there; returns its id."""
    for hash, data in packed.texts:
        if hash not in known:
            connection.execute(
                "INSERT INTO text_part (hash, data) VALUES (?, ?) ON CONFLICT DO NOTHING",
                (hash, zlib.compress(data)),
            )
    return int(connection.execute(columns(tables.Call).sql, packed.row).lastrowid or 0)


def save_turn(connection: sqlite3.Connection, turn: Mapping[str, Any]) -> int:
    """Write a turn, over the partial one that has its id; returns the id."""
    if turn["id"] is None:
        return insert(connection, tables.Turn, turn)
    values = row_values(tables.Turn, turn) | {"id": turn["id"]}
    connection.execute(
        "UPDATE turn SET text = :text, state = :state, stage = :stage, risk = :risk, call_id = :call_id WHERE id = :id",
        values,
    )
    return int(turn["id"])


def save_rows(connection: sqlite3.Connection, table: Any, rows: Iterable[Mapping[str, Any]]) -> None:
    for row in rows:
        insert(connection, table, row)
