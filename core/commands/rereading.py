"""`rapport reread`: what stored replies say to the reader of today."""

from typing import Any

from core.judging import rereading
from core.judging.readings import READER
from storage.store import Store


def reread(store: Store, study_id: int | None, apply: bool) -> dict[str, Any]:
    """What would change, and with ``apply`` how many rows were made."""
    found = rereading.preview(store, study_id)
    made = rereading.apply(store, study_id, found.mark) if apply else 0
    return {
        "study": study_id, "reader": READER, "read": found.read, "left": found.left,
        "changes": [change.listed() for change in found.changes], "applied": made,
    }  # fmt: skip


def in_lines(result: dict[str, Any]) -> str:
    """One line a change, then what was done."""
    lines = [
        f"{one['table']} {one['id']}, {one['rater']}, session {' and '.join(map(str, one['sessions']))}, {one['about']}: "
        f"{said(one['before'], one['reason_before'])} → {said(one['after'], one['reason_after'])}"
        for one in result["changes"]
    ]
    end = f"{result['read']} read again, {len(lines)} say something else now"
    if result["left"]:
        end += f", {result['left']} cannot be read again (their instrument is not here in that version)"
    if lines:
        end += "; these count now" if result["applied"] else "; nothing was changed (--apply lets them count)"
    return "\n".join([*lines, end + "."])


def said(value: Any, reason: str) -> str:
    if value is None:
        return f"unscored ({reason})"
    return (
        f"{value:g}"
        if isinstance(value, float)
        else f"session {value}"
        if isinstance(value, int)
        else str(value)
    )
