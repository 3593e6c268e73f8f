"""What a person may do here: one question, asked by every page, download and action.

As long as the workbench is not shared, roles guard against accidents only: a new browser is a new person, a
researcher unless they choose otherwise.
"""

from typing import Any, Literal

from core.clearance import standing_of
from core.consent import SUPERVISION
from storage import tables
from storage.store import Store

Role = Literal["researcher", "supervisor", "counselor", "rater", "client"]
ROLES: tuple[Role, ...] = ("researcher", "supervisor", "counselor", "rater", "client")
What = Literal[
    "see", "confirm", "change", "delete", "delete words", "rate", "export", "import", "hold", "answer for others", "study",
    "endpoints", "groups", "people", "settings",
]  # fmt: skip
OWN = ("see", "confirm", "change", "delete", "rate")  # what a counselor may do with own series
COUNSELORS = ("import", "hold")  # without a record: bring in or begin something of their own


def may(store: Store, person: tables.Person, what: What, record: Any = None) -> bool:
    """Whether a person may do this, with this record (a session or report) or at all.

    Nobody reads a session that was withdrawn; a researcher may delete it, and who spoke in it may delete their words.
    """
    if isinstance(record, tables.Session):
        if what == "delete words":
            return spoke_in(store, person, record) or "researcher" in person.roles
        if record.withdrawn:
            return what == "delete" and "researcher" in person.roles
    if "researcher" in person.roles:
        return True
    if record is None:
        return what in COUNSELORS and "counselor" in person.roles
    if isinstance(record, tables.Session | tables.Report):
        return may_own(store, person, what, record)
    return False


def may_own(store: Store, person: tables.Person, what: What, record: tables.Session | tables.Report) -> bool:
    """What somebody who is no researcher may do with a session or report: with their own, or one they supervise."""
    own = record.counselor_code and record.counselor_code in person.counselor_codes
    seated = isinstance(record, tables.Session) and (sits_in(store, person, record) or spoke_in(store, person, record))
    if "counselor" in person.roles and own and what in OWN:
        return True
    if seated and what in ("see", "hold"):
        return True
    if "supervisor" in person.roles and what == "see" and record.counselor_code in person.roles["supervisor"]:
        return supervised(store, record)
    return False


def supervised(store: Store, record: tables.Session | tables.Report) -> bool:
    kind = "session" if isinstance(record, tables.Session) else "report"
    asked = standing_of(store, kind, record.id or 0).everybody
    return asked is None or asked.allow(SUPERVISION)


def sits_in(store: Store, person: tables.Person, session: tables.Session) -> bool:
    """Whether the person sits in one of the session's seats now."""
    return bool({session.client_person_id, session.counselor_person_id} & store.persons.members(person.id or 0))


def spoke_in(store: Store, person: tables.Person, session: tables.Session) -> bool:
    """Whether the person said something in the session."""
    ids = store.persons.members(person.id or 0)
    return any(turn.person_id in ids for turn in store.sessions.turns(session.id or 0) if turn.person_id is not None)
