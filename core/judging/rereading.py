"""Stored replies read again by the reader of today, without a call.

What would change is listed first; only what was listed is applied. A newer reading is a new row with the reader's
version; the row it supersedes is kept beside it and counts no more.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

from core.errors import DataError, PromptError
from core.instruments import Instrument, load
from core.judging.readings import READER, code_of, read_comparison, read_ratings
from core.judging.replies import InstrumentRating, ItemRating, Verdict
from core.llm.endings import ending
from core.llm.parsing import Reading, read_reply
from core.llm.seam import Answer, AnswerState
from storage import rereading as kept
from storage.store import Store
from storage.units import shown_sessions

FORMS: dict[str, type[BaseModel]] = {
    "judge/item": ItemRating, "judge/instrument": InstrumentRating, "judge/compare": Verdict
}  # fmt: skip
Row = dict[str, Any]
Turns = Mapping[int, list[Row]]


@dataclass(frozen=True)
class Change:
    """One row that reads differently today. ``before`` and ``after`` are a rating's value, or of a comparison the id
    of the session that won or *tie*; ``None`` is unscored, with the reason."""

    table: str
    id: int
    study_id: int | None
    sessions: tuple[int, ...]
    instrument: str
    about: str
    rater: str
    before: float | int | str | None
    after: float | int | str | None
    reason_before: str
    reason_after: str
    fields: Row

    def listed(self) -> Row:
        """As it is shown: everything but the new row."""
        return {name: value for name, value in vars(self).items() if name != "fields"}


@dataclass(frozen=True)
class Rereading:
    """What reading again comes to: rows read, rows left (their form or instrument is not here any more), changes, and
    the rows (table, id) that say the same."""

    read: int
    left: int
    changes: tuple[Change, ...]
    same: tuple[tuple[str, int], ...] = ()

    @property
    def mark(self) -> str:
        """Names exactly these changes."""
        told = json.dumps([change.listed() for change in self.changes], default=str)
        return hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()[:16]


def older(store: Store, study_id: int) -> int:
    """How many rows of a study a former reader read from a reply."""
    return kept.count_older(store, READER, study_id)


def preview(store: Store, study_id: int | None = None) -> Rereading:
    """What would change, of one study (with what it reuses) or of all; nothing is written.

    Raises:
        NotFound: no such study.
    """
    if study_id is not None:
        store.studies.get(study_id)
    found, left = groups(store, study_id)
    changed = [group for group in found if any(differs(*pair) for pair in group.again({}))]
    ids = sorted({id for group in changed for row in group.rows for id in sessions_of(group.table, row)})
    turns = {id: said for id, (_, said) in shown_sessions(store, ids).items()}
    pairs = [(group.table, *pair) for group in changed for pair in group.again(turns) if differs(*pair)]
    changes = tuple(change_of(*pair) for pair in pairs)
    changing = {(change.table, change.id) for change in changes}
    every = [(group.table, int(row["id"])) for group in found for row in group.rows]
    return Rereading(len(every), left, changes, tuple(one for one in every if one not in changing))


def apply(store: Store, study_id: int | None, mark: str) -> int:
    """Write the changes that were listed under ``mark``, in one transaction; returns how many rows are new.

    Rows that say the same keep their place and bear this reader's version from now on.

    Raises:
        DataError: by now something else would change; nothing was written.
    """
    found = preview(store, study_id)
    if found.mark != mark:
        raise DataError(
            "What would change is not what was listed any more. Look at the list again; nothing was changed."
        )
    newer = [kept.Newer(c.table, c.id, c.fields) for c in found.changes]
    return kept.supersede(store, newer, code_of, found.same, READER)


@dataclass(frozen=True)
class Group:
    """Rows that one reply gave about the same sessions."""

    table: str
    rows: Sequence[Row]
    reply: kept.Reply
    instrument: Instrument

    def again(self, turns: Turns) -> list[tuple[Row, Row]]:
        """Each row with what it would be today. Quotes are matched to the turns; without them, to nothing."""
        answer, first = answer_of(self.reply), self.rows[0]
        if self.table == "comparison":
            shown = {id: turns.get(id, []) for id in sessions_of(self.table, first)}
            read = vars(read_comparison(answer, first["first_id"], first["second_id"], dict(shown)))
            return [(row, row | read | {"reader": READER}) for row in self.rows]
        inputs = self.instrument.item_inputs
        asked = [inputs(row["item"], row["language"], row["setting"]) for row in self.rows]
        reads = read_ratings(answer, asked, turns.get(first["session_id"], []))
        pairs = zip(self.rows, reads, strict=True)
        return [(row, row | rated(self.instrument, vars(one))) for row, one in pairs]


def groups(store: Store, study_id: int | None) -> tuple[list[Group], int]:
    """The rows of a former reader by reply and sessions, and how many cannot be read again here."""
    rows = [(table, row) for table in kept.TABLES for row in kept.older(store, table, READER, study_id)]
    replies = kept.replies(store, (row["call_id"] for _, row in rows))
    here = Here()
    by_reply: dict[tuple[Any, ...], list[Row]] = {}
    for table, row in rows:
        reply = replies.get(row["call_id"])
        if reply is not None and reply.prompt in FORMS and here.has(table, row):
            by_reply.setdefault((table, row["call_id"], *sessions_of(table, row)), []).append(row)
    found = [
        Group(table, some, replies[call], here.instrument(some[0]["instrument"], some[0]["instrument_version"]))
        for (table, call, *_), some in by_reply.items()
    ]
    return found, len(rows) - sum(len(group.rows) for group in found)


class Here:
    """The instruments that are here. Of a former version the words are gone; its items and levels are those of today."""

    def __init__(self) -> None:
        self.instrument = lru_cache(maxsize=64)(load)

    def has(self, table: str, row: Row) -> bool:
        """Whether the instrument that a row was judged with is here in that version."""
        try:
            instrument = self.instrument(row["instrument"], row["instrument_version"])
            if table == "rating":
                instrument.item(row["item"])
        except (PromptError, DataError):
            return False
        return row["instrument_version"] <= self.instrument(row["instrument"]).version


def answer_of(reply: kept.Reply) -> Answer:
    """A stored reply as an answer, read by the reader of today; one that did not end by itself is none."""
    how, why = ending(reply.finish_reason) if reply.engine == "openai" else ("whole", "")
    reading = read_reply(reply.raw, FORMS[reply.prompt]) if how == "whole" else Reading(None, why)
    state: AnswerState = "unreadable" if reading.value is None else "read"
    return Answer(value=reading.value, state=state, text=reply.raw, raw=reply.raw, reason=reading.reason)


def rated(instrument: Instrument, read: Row) -> Row:
    """The columns of a rating that come from the reply."""
    score = None if read["value"] is None else instrument.scored(read["item"], read["value"])
    return read | {"score": score, "reader": READER}


def sessions_of(table: str, row: Row) -> tuple[int, ...]:
    return (row["session_id"],) if table == "rating" else (row["first_id"], row["second_id"])


def says(row: Row) -> tuple[Any, str]:
    """What a row counts for, and why it counts for nothing."""
    if "verdict" not in row:
        return row["value"], row["reason"]
    return {"won": row["winner_id"], "tie": "tie"}.get(row["verdict"]), row["reason"]


def differs(old: Row, new: Row) -> bool:
    return says(old) != says(new)


def change_of(table: str, old: Row, new: Row) -> Change:
    (before, reason_before), (after, reason_after) = says(old), says(new)
    made = ("id", "rater", "created", "superseded_by")
    return Change(
        table=table, id=old["id"], study_id=old["study_id"], sessions=sessions_of(table, old),
        instrument=old["instrument"], about=old["item"] if table == "rating" else old["dimension"],
        rater=old["rater"], before=before, after=after, reason_before=reason_before, reason_after=reason_after,
        fields={name: value for name, value in new.items() if name not in made},
    )  # fmt: skip
