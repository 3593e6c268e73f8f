"""Deleting a record with all that follows from it by its links, in one transaction, and saying what went.

Each function works on the connection of that transaction. What happens to files is in ``storage.reclaiming``.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.errors import DataError, NotFound
from storage import reclaiming, writing
from storage.standing import members

KINDS = ("session", "report", "role", "study", "client", "counselor")
SOME = 400  # ids in one statement
OF_SESSIONS = (("rating", "session_id"), ("comparison", "first_id"), ("comparison", "second_id"), ("feedback", "session_id"))  # what was said of them


@dataclass
class Going:
    """What a deletion takes with it, and the rows it has removed so far, by table."""

    reports: set[int] = field(default_factory=set)
    notes: set[int] = field(default_factory=set)
    roles: set[int] = field(default_factory=set)  # versions of cards
    sessions: set[int] = field(default_factory=set)
    studies: set[int] = field(default_factory=set)
    clients: set[str] = field(default_factory=set)
    studies_named: set[tuple[str, str]] = field(default_factory=set)  # (name, created)
    removed: Counter[str] = field(default_factory=Counter)

    def by_kind(self) -> dict[str, set[int]]:
        return {"report": self.reports, "note": self.notes, "role": self.roles, "session": self.sessions, "study": self.studies}


def remove(connection: sqlite3.Connection, kind: str, id: int | str, branches: bool = True) -> Going:
    """Remove a record and what follows from it; returns what went.

    Args:
        id: of the record; for a role card that of the card; a code for ``client`` and ``counselor``.
        branches: whether sessions that were branched off go too; else they stay, with the words they began with.
    Raises:
        DataError: this kind cannot be deleted. NotFound: no such record.
    """
    if kind not in KINDS:
        raise DataError("A {kind} cannot be deleted on its own. Delete the report, role, session or study it belongs to.", kind=kind)
    going = named(connection, kind, id)
    follow(connection, going, branches)
    for some in parts(going.studies):
        going.studies_named |= set(connection.execute(f"SELECT name, created FROM study WHERE id IN ({places(some)})", some))
    empty_units(connection, going)
    delete_calls(connection, calls_of(connection, going), going.removed)
    for table, column, ids in (
        *((table, column, going.sessions) for table, column in OF_SESSIONS),
        ("consent", "session_id", going.sessions), ("turn", "session_id", going.sessions), ("session", "id", going.sessions), ("note", "id", going.notes),
        ("mask", "report_id", going.reports), ("report", "id", going.reports), ("role_card", "id", going.roles),
        ("unit", "study_id", going.studies), ("study", "id", going.studies),
    ):  # fmt: skip
        going.removed[table] += delete_where(connection, table, column, ids)
    for kind, gone in going.by_kind().items():  # what was said of, and who looked at, words that are no more
        for table in ("review", "look"):
            for some in parts(gone):
                sql = f"DELETE FROM {table} WHERE kind = ? AND record_id IN ({places(some)})"
                going.removed[table] += connection.execute(sql, (kind, *some)).rowcount
    going.removed["outcome"] += delete_where(connection, "outcome", "client_code", going.clients)
    return going


def named(connection: sqlite3.Connection, kind: str, id: int | str) -> Going:
    """What the person named. Raises NotFound: no such record."""
    going = Going()
    if kind in ("client", "counselor"):
        going.sessions = ids(connection, f"SELECT id FROM session WHERE {kind}_code = ?", str(id))
        if kind == "client" and ids(connection, "SELECT id FROM outcome WHERE client_code = ?", str(id)):
            going.clients = {str(id)}
    elif kind == "role":
        going.roles = ids(connection, "SELECT id FROM role_card WHERE card_id = ?", int(id))
    else:
        own = {"session": going.sessions, "report": going.reports, "study": going.studies}[kind]
        own |= ids(connection, f'SELECT id FROM "{kind}" WHERE id = ?', int(id))
    if not (going.sessions or going.reports or going.roles or going.studies or going.clients):
        raise NotFound("There is no {noun} {id}. It may have been deleted already.", noun=kind, id=id)
    return going


def follow(connection: sqlite3.Connection, going: Going, branches: bool) -> None:
    """The records made from what goes: notes and dialogues of reports, sessions of roles, and branches."""
    going.notes |= linked(connection, "note", "report_id", going.reports)
    going.sessions |= linked(connection, "session", "report_id", going.reports)
    going.sessions |= linked(connection, "session", "role_id", going.roles)
    while branches and (more := linked(connection, "session", "parent_id", going.sessions) - going.sessions):
        going.sessions |= more


def branches_of(connection: sqlite3.Connection, kind: str, id: int | str) -> set[int]:
    """Sessions branched off from what would go with a record, beyond what goes anyway; empty where it is gone."""
    try:
        going, whole = named(connection, kind, id), named(connection, kind, id)
    except NotFound:
        return set()
    follow(connection, going, branches=False)
    follow(connection, whole, branches=True)
    return whole.sessions - going.sessions


def calls_of(connection: sqlite3.Connection, going: Going) -> set[int]:
    """Calls that carried the words of what goes, whatever came of them, and those of the studies that go."""
    calls: set[int] = set()
    for kind, wanted in going.by_kind().items():
        for some in parts(wanted):
            sql = f"SELECT call_id FROM call_record WHERE kind = ? AND record_id IN ({places(some)})"
            calls |= ids(connection, sql, kind, *some)
    for table, column, wanted in (
        ("turn", "session_id", going.sessions), ("rating", "session_id", going.sessions),
        ("comparison", "first_id", going.sessions), ("comparison", "second_id", going.sessions), ("note", "id", going.notes),
    ):  # fmt: skip
        calls |= linked(connection, table, column, wanted, "call_id")
    return calls | linked(connection, "call", "study_id", going.studies)


def empty_units(connection: sqlite3.Connection, going: Going) -> None:
    """Units that worked on or made what goes are *gone*: they answer for nothing and quote nothing any more."""
    units: set[int] = set()
    for column, wanted in (
        ("session_id", going.sessions), ("first_id", going.sessions), ("second_id", going.sessions),
        ("role_id", going.roles), ("note_id", going.notes), ("report_id", going.reports),
    ):  # fmt: skip
        units |= linked(connection, "unit", column, wanted)
    for some in parts(units):
        studies = ids(connection, f"SELECT DISTINCT study_id FROM unit WHERE id IN ({places(some)})", *some)
        connection.execute(f"UPDATE unit SET state = 'gone', key = '', reason = '', result = '{{}}' WHERE id IN ({places(some)})", some)
        for study in studies:  # its last trouble may quote what an endpoint said of a text
            connection.execute("UPDATE study SET reason = '' WHERE id = ?", (study,))


def delete_calls(connection: sqlite3.Connection, calls: Iterable[int], removed: "Counter[str] | None" = None) -> None:
    """Delete calls with the texts only they carry; their figures stay with their studies."""
    connection.row_factory, before = sqlite3.Row, connection.row_factory
    removed = Counter() if removed is None else removed
    texts: set[str] = set()
    try:
        for some in parts(calls):
            rows = connection.execute(f"SELECT * FROM call WHERE id IN ({places(some)})", some).fetchall()
            for study in {row["study_id"] for row in rows} - {None}:
                writing.keep_figures(connection, study, writing.figures_of(r for r in rows if r["study_id"] == study))
            for row in rows:
                texts |= {row["raw"], *(message["hash"] for message in json.loads(row["messages"]))}
            for table in ("turn", "rating", "comparison", "note"):
                connection.execute(f"UPDATE {table} SET call_id = NULL WHERE call_id IN ({places(some)})", some)
            removed["call"] += delete_where(connection, "call", "id", some)
    finally:
        connection.row_factory = before
    removed["text_part"] += delete_orphans(connection, texts)


def delete_orphans(connection: sqlite3.Connection, texts: Iterable[str]) -> int:
    """Delete those of these texts that no call carries any more; returns how many."""
    connection.execute("CREATE TEMP TABLE IF NOT EXISTS leaving (hash TEXT PRIMARY KEY)")
    connection.execute("DELETE FROM leaving")
    connection.executemany("INSERT OR IGNORE INTO leaving VALUES (?)", ((hash,) for hash in texts))
    connection.execute(
        "DELETE FROM leaving WHERE hash IN (SELECT raw FROM call UNION ALL "
        "SELECT part.value ->> 'hash' FROM call, json_each(call.messages) part)"
    )
    return connection.execute("DELETE FROM text_part WHERE hash IN (SELECT hash FROM leaving)").rowcount


def note_unfinished(connection: sqlite3.Connection, going: Going) -> None:
    """Note, with the deletion itself, whose files and freed pages are still to go."""
    row = connection.execute("SELECT value FROM setting WHERE name = ?", (reclaiming.UNFINISHED,)).fetchone()
    before = json.loads(row[0]) if row else {}
    before = before if isinstance(before, dict) else {}
    noted: dict[str, Any] = {kind: sorted(set(before.get(kind, ())) | ids) for kind, ids in going.by_kind().items()}
    known = {(str(name), str(created)) for name, created in before.get(reclaiming.STUDIES, ())}
    noted[reclaiming.STUDIES] = sorted(known | going.studies_named)
    writing.keep_setting(connection, reclaiming.UNFINISHED, noted)


# ---- a person's own words ------------------------------------------------------------------------------------------


def remove_words(connection: sqlite3.Connection, person_id: int, session_id: int) -> Going:
    """Delete what a person said in a session, there and in its branches; what other people said stays.

    What an engine said after the person's first words goes too, as it was made from them and may quote them. Turns keep
    their place with the state *deleted*. What was judged from these words, and every call that carried them, goes; such
    a session is never judged again.

    Raises:
        NotFound: the person said nothing in this session.
    """
    family = {session_id}
    while more := linked(connection, "session", "parent_id", family) - family:
        family |= more
    own = sorted(members(connection, person_id))
    theirs = f"speaker = 'person' AND person_id IN ({places(own)})"
    spoke = ids(
        connection,
        f"SELECT DISTINCT session_id FROM turn WHERE {theirs} AND session_id IN ({places(sorted(family))})",
        *own, *sorted(family),
    )  # fmt: skip
    if not spoke:
        raise NotFound("This person said nothing in session {id}; nothing was deleted.", id=session_id)
    going = Going(sessions=spoke)
    removed = going.removed
    delete_calls(connection, calls_of(connection, going), removed)
    empty_units(connection, going)
    for table, column in OF_SESSIONS:
        removed[table] += delete_where(connection, table, column, spoke)
    for some in parts(spoke):  # faults may quote; the edition tells calls under way that they carry deleted words
        connection.execute(f"UPDATE session SET edition = edition + 1, faults = '[]' WHERE id IN ({places(some)})", some)
        for counted, which in (("turn", theirs), ("reply", REPLIES.format(own=places(own)))):
            removed[counted] += empty_turns(connection, which, own, some)
    return going


REPLIES = (
    "speaker = 'agent' AND position > (SELECT MIN(first.position) FROM turn first WHERE first.session_id = turn.session_id "
    "AND first.speaker = 'person' AND first.person_id IN ({own}))"
)


def empty_turns(connection: sqlite3.Connection, which: str, own: Sequence[int], sessions: Sequence[int]) -> int:
    """Empty turns of these sessions; returns how many held something."""
    return connection.execute(
        f"UPDATE turn SET text = '', risk = '[]', state = 'deleted', call_id = NULL WHERE state != 'deleted' AND {which} "
        f"AND session_id IN ({places(sessions)})",
        (*own, *sessions),
    ).rowcount


# ---- statements ----------------------------------------------------------------------------------------------------


def parts(wanted: Iterable[Any]) -> Iterator[list[Any]]:
    listed = sorted(wanted)
    for start in range(0, len(listed), SOME):
        yield listed[start : start + SOME]


def places(some: Sequence[Any]) -> str:
    return ", ".join("?" * len(some))


def ids(connection: sqlite3.Connection, sql: str, *values: int | str) -> set[int]:
    return {int(row[0]) for row in connection.execute(sql, values) if row[0] is not None}


def linked(connection: sqlite3.Connection, table: str, column: str, wanted: Iterable[int], what: str = "id") -> set[int]:
    """The ids (or another column) of rows that name one of these records."""
    found: set[int] = set()
    for some in parts(wanted):
        found |= ids(connection, f'SELECT {what} FROM "{table}" WHERE {column} IN ({places(some)})', *some)
    return found


def delete_where(connection: sqlite3.Connection, table: str, column: str, wanted: Iterable[int | str]) -> int:
    gone = 0
    for some in parts(wanted):
        gone += connection.execute(f'DELETE FROM "{table}" WHERE {column} IN ({places(some)})', some).rowcount
    return gone
