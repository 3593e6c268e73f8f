"""Answers that were committed before a worker died: read again from their calls, never asked again."""

import json
import zlib
from collections.abc import Mapping
from typing import Any

from core.llm.parsing import read_reply
from core.llm.seam import Answer, AnswerState, Question, Usage
from storage import writing


def stored_key(prompt_hash: str, seed: int, messages: list[dict[str, str]]) -> tuple[str, int, str]:
    return (
        prompt_hash,
        seed,
        "".join(writing.hashed(part).hash[:16] for m in messages for part in writing.parts_of(m["content"])),
    )


def answer_again(row: Mapping[str, Any], question: Question) -> Answer:
    """The answer a stored call holds, read anew; no request is made.

    A reply that an older reader took for an answer may be none for this one.
    """
    reading = read_reply(row["raw"], question.reply)
    state: AnswerState = row["state"] if reading.value is not None else "unreadable"
    return Answer(
        value=reading.value, state=state, text=row["raw"], raw=row["raw"], reason=reading.reason,
        usage=Usage(row["tokens_in"], row["tokens_out"], row["tokens_cached"], bool(row["tokens_estimated"])),
        finish_reason=row["finish_reason"], attempts=(), engine=row["engine"], engine_version=row["engine_version"],
        model=row["model_answered"], sent=row["sent"], dropped=tuple(row["dropped"]),
    )  # fmt: skip


def stored_calls(connection: Any, unit_id: int) -> dict[tuple[str, int, str], dict[str, Any]]:
    """Usable committed calls of a unit, by what was asked."""
    connection.row_factory, before = _as_dict, connection.row_factory
    try:
        rows = connection.execute(
            "SELECT call.*, text_part.data AS raw_text FROM call JOIN text_part ON text_part.hash = call.raw "
            "WHERE unit_id = ? AND state IN ('read', 'repaired')",
            (unit_id,),
        ).fetchall()
    finally:
        connection.row_factory = before
    found: dict[tuple[str, int, str], dict[str, Any]] = {}
    for row in rows:
        row["raw"] = zlib.decompress(row["raw_text"]).decode()
        row |= {name: json.loads(row[name]) for name in ("sent", "dropped", "messages")}
        key = row["prompt_hash"], row["seed"], "".join(m["hash"][:16] for m in row["messages"])
        found[key] = row
    return found


def _as_dict(cursor: Any, row: Any) -> dict[str, Any]:
    return {column[0]: value for column, value in zip(cursor.description, row, strict=True)}
