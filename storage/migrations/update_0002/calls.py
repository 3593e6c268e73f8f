"""Calls of an older store get links to the records they are about; those of deleted records go, what they cost stays."""

import json
import re
import sqlite3
import zlib
from collections.abc import Callable, Iterable
from typing import Any

from sqlalchemy import Connection

from storage import deletion
from storage.migrations.update_0002.statements import rows, run

ONE = re.compile(r"^(?:rating of )?session (\d+)$")
TWO = re.compile(r"^comparison of session (\d+) and (\d+)$")
LONG = 24  # letters of a stretch that tells a record
About = set[tuple[str, int]]
Mark = tuple[tuple[str, int], Callable[[Iterable[bool]], bool], list[str]]  # record, how many of its stretches tell it


def settle(connection: Connection) -> dict[str, int]:
    """Link every call, or remove it, or (where nothing ties it to a record) empty it; returns how many of the last two."""
    linked, gone = by_rows(connection), set[int]()
    sql = "SELECT id, purpose, unit_id, study_id, created FROM call ORDER BY id"
    for id, purpose, unit, study, created in rows(connection, sql):
        from_elsewhere = study is not None and unit is None
        if id in linked or from_elsewhere:
            continue
        named = sessions_in(purpose)
        if named and all(was_there(connection, session, created) for session in named):
            linked[id] = {("session", session) for session in named}
        elif named:
            gone.add(id)
    by_text(connection, linked, gone)
    raw: Any = connection.connection.dbapi_connection
    raw.executemany(
        "INSERT OR IGNORE INTO call_record (call_id, kind, record_id) VALUES (?, ?, ?)",
        [(id, kind, record) for id, about in linked.items() for kind, record in about],
    )
    deletion.delete_calls(raw, gone - linked.keys())
    return {"calls": len(gone - linked.keys()), "emptied": empty(connection, raw, linked.keys())}


def by_rows(connection: Connection) -> dict[int, About]:
    """Calls that a turn, a judgment or a note names, with all their records."""
    found: dict[int, About] = {}
    for sql in (
        "SELECT t.call_id, 'session', t.session_id FROM turn t", "SELECT t.call_id, 'role', s.role_id FROM turn t JOIN session s ON s.id = t.session_id",
        "SELECT t.call_id, 'report', s.report_id FROM turn t JOIN session s ON s.id = t.session_id",
        "SELECT call_id, 'session', session_id FROM rating", "SELECT call_id, 'session', first_id FROM comparison",
        "SELECT call_id, 'session', second_id FROM comparison", "SELECT call_id, 'report', report_id FROM note",
    ):  # fmt: skip
        for call, kind, id in rows(connection, sql):
            if call and id:
                found.setdefault(call, set()).add((kind, id))
    known = {id for (id,) in rows(connection, "SELECT id FROM call")}
    return {call: about for call, about in found.items() if call in known}


def sessions_in(purpose: str) -> list[int]:
    match = ONE.match(purpose) or TWO.match(purpose)
    return [int(id) for id in match.groups()] if match else []


def was_there(connection: Connection, session: int, created: str) -> bool:
    """A call older than the session that bears its number now was about a deleted one."""
    return bool(rows(connection, "SELECT 1 FROM session WHERE id = :id AND created <= :at", id=session, at=created))


# ---- by text -------------------------------------------------------------------------------------------------------


def by_text(connection: Connection, linked: dict[int, About], gone: set[int]) -> None:
    """Tie the other calls to records whose words they carry."""
    marks = [*report_marks(connection), *role_marks(connection), *session_marks(connection)]
    for id, messages, raw in rows(connection, "SELECT id, messages, raw FROM call ORDER BY id"):
        if id in linked:
            continue
        text = text_of(connection, [*(part["hash"] for part in json.loads(messages)), raw])
        about = {record for record, enough, stretches in marks if stretches and enough(stretch in text for stretch in stretches)}
        if about:
            linked[id] = about
            gone.discard(id)


def text_of(connection: Connection, hashes: Iterable[str]) -> str:
    """All a call carried, as it was written and as JSON writes it."""
    parts = [zlib.decompress(row[0]).decode("utf-8", "replace") for hash in hashes for row in rows(connection, "SELECT data FROM text_part WHERE hash = :hash", hash=hash)]
    whole = "\n".join(parts)
    return whole + "\n" + whole.replace("\\n", "\n").replace('\\"', '"')


def report_marks(connection: Connection) -> Iterable[Mark]:
    """The longest stretch of each line that no mask covers, since a call may have carried it unmasked; one is enough."""
    for id, *parts in rows(connection, "SELECT id, case_brief, consultation_process, experience_thoughts FROM report"):
        masks = [row[0] for row in rows(connection, "SELECT replacement FROM mask WHERE report_id = :id AND replacement <> ''", id=id)]
        cut = re.compile("|".join(map(re.escape, sorted(masks, key=len, reverse=True))) or r"(?!)")
        stretches = [max(cut.split(line), key=len).strip() for part in parts for line in part.splitlines() or [""]]
        yield ("report", id), any, [stretch for stretch in stretches if len(stretch) >= LONG]


def role_marks(connection: Connection) -> Iterable[Mark]:
    """A role's text, persona and events, which the calls that built it carried one by one."""
    for id, text, person, events in rows(connection, "SELECT id, text, demographics, life_events FROM role_card"):
        words = [text, str(json.loads(person).get("persona") or ""), *map(str, json.loads(events))]
        yield ("role", id), any, [one.strip() for one in words if len(one.strip()) >= LONG]


def session_marks(connection: Connection) -> Iterable[Mark]:
    """All turns of a session, as a judge was shown them: openings and goodbyes are the same in many."""
    for (id,) in rows(connection, "SELECT id FROM session"):
        sql = (
            "SELECT t.text FROM turn t JOIN session s ON s.id = t.session_id WHERE s.id = :id AND t.state = 'complete' "
            "AND t.position <= coalesce(s.cut_at, t.position)"
        )
        said = [row[0].strip() for row in rows(connection, sql, id=id)]
        yield ("session", id), all, said if sum(map(len, said)) >= LONG else []


def empty(connection: Connection, raw: sqlite3.Connection, linked: Iterable[int]) -> int:
    """Calls that nothing ties to a record lose their words; what they cost stays where it is."""
    known = set(linked)
    loose = [id for (id,) in rows(connection, "SELECT id FROM call") if id not in known]
    for id in loose:
        run(connection, "UPDATE call SET messages = '[]', raw = '', reason = '', attempts = '[]' WHERE id = :id", id=id)
    deletion.delete_orphans(raw, [hash for (hash,) in rows(connection, "SELECT hash FROM text_part")])
    return len(loose)
