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
    repaired: AnswerState = "repaired" if row["state"] == "repaired" else "read"
    state: AnswerState = "unreadable" if reading.value is None else repaired
    return Answer(
        value=reading.value, state=state, text=row["raw"], raw=row["raw"], reason=reading.reason,
        usage=Usage(row["tokens_in"], row["tokens_out"], row["tokens_cached"], bool(row["tokens_estimated"])),
        finish_reason=row["finish_reason"], attempts=(), engine=row["engine"], engine_version=row["engine_version"],
        model=row["model_answered"], sent=row["sent"], dropped=tuple(row["dropped"]),
    )  # fmt: skip


Key = tuple[str, int, str]
ENDED = ("unreadable", "cut", "filtered", "empty")  # replies that are no answers


def stored_calls(connection: Any, unit_id: int) -> dict[Key, dict[str, Any]]:
    """Committed calls of a unit that need not be asked again, by what was asked: answers, and unreadable first replies
    whose repair is still to come."""
    connection.row_factory, before = _as_dict, connection.row_factory
    try:
        rows = connection.execute(
            "SELECT call.*, text_part.data AS raw_text FROM call JOIN text_part ON text_part.hash = call.raw "
            f"WHERE unit_id = ? AND state IN ('read', 'repaired', {', '.join(map(repr, ENDED))}) ORDER BY call.id",
            (unit_id,),
        ).fetchall()
    finally:
        connection.row_factory = before
    found: dict[Key, dict[str, Any]] = {}
    for row in rows:
        row["raw"] = zlib.decompress(row["raw_text"]).decode()
        row |= {name: json.loads(row[name]) for name in ("sent", "dropped", "messages")}
        found[row["prompt_hash"], row["seed"], "".join(m["hash"][:16] for m in row["messages"])] = row
    return {
        key: row for key, row in found.items() if row["state"] not in ENDED or awaits_repair(row, key, found)
    }


def awaits_repair(row: Mapping[str, Any], key: Key, found: Mapping[Key, Any]) -> bool:
    """Whether an unreadable reply is a first one whose repair has not come to an end (its messages begin with those of
    the first question). One without a reason could be read, and only could not be dealt with."""

    def begins(shorter: Key, longer: Key) -> bool:
        return shorter != longer and shorter[:2] == longer[:2] and longer[2].startswith(shorter[2])

    if row["state"] != "unreadable" or not row["reason"] or any(begins(other, key) for other in found):
        return False
    return not any(begins(key, other) and found[other]["state"] in ENDED for other in found)


def _as_dict(cursor: Any, row: Any) -> dict[str, Any]:
    return {column[0]: value for column, value in zip(cursor.description, row, strict=True)}
