"""Who looked: opening a session or report of somebody is kept, and shown to that person and to researchers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from core import clearance
from core.clearance import Clearance, Source
from storage import tables
from storage.store import Store


class Opened(NamedTuple):
    """A record that was opened: a session or a report, and its id."""

    kind: str
    id: int


@dataclass(frozen=True)
class Looked:
    """Who looked: code, when, on which page (or *export*, *command line*)."""

    code: str
    when: str
    page: str
    record: Opened


def note(store: Store, person: tables.Person, kind: str, id: int, page: str) -> tables.Look | None:
    """Keep that a person opened a record, unless nobody stands behind it (made up) or it is their own.

    A page calls it once for each opening, not for each rerun.
    """
    kept = note_all(store, person, [Opened(kind, id)], page)
    return kept[0] if kept else None


def note_all(store: Store, person: tables.Person, opened: Iterable[Opened], page: str) -> list[tables.Look]:
    """``note`` for many records at once, as an export opens them; those that are gone are left out."""
    seats = store.persons.seats(store.persons.members(person.id or 0))
    others = [one for one in dict.fromkeys(opened) if one.kind != "session" or one.id not in seats]
    rows = [
        tables.Look(kind=one.kind, record_id=one.id, person_id=person.id or 0, page=page)
        for one in of_somebody(store, others)
    ]  # fmt: skip
    store.looks.add_many(rows)
    return rows


def note_records(store: Store, person: tables.Person, records: Mapping[str, Iterable[int]], page: str) -> None:
    """``note_all`` for the records an export or a call holds, by kind; only sessions and reports are of somebody."""
    note_all(store, person, [Opened(kind, id) for kind in ("session", "report") for id in records.get(kind, ())], page)


def of_somebody(store: Store, records: Iterable[Opened]) -> list[Opened]:
    """Those a person stands behind: whatever was not made up, and whatever somebody spoke in."""
    asked = list(records)
    found: list[clearance.Standing | None] = store.database.read(
        lambda connection: [
            clearance.of_session(connection, one.id) if one.kind == "session" else clearance.of_text(connection, Source(one.kind, one.id))
            for one in asked
        ],
    )
    return [one for one, now in zip(asked, found, strict=True) if now is not None and of_a_person(now)]


def of_a_person(now: clearance.Standing) -> bool:
    spoken = now.everybody is not None and now.everybody.spoke
    return now.clearance is not Clearance.SYNTHETIC or spoken


def at(store: Store, records: Iterable[Opened]) -> list[Looked]:
    """Who opened these records, newest first."""
    asked = list(records)
    names = store.persons.names()
    found = [
        look for kind in ("session", "report")
        for look in store.looks.of_records(kind, [one.id for one in asked if one.kind == kind])
    ]  # fmt: skip
    found.sort(key=lambda look: look.id or 0, reverse=True)
    return [Looked(names.get(look.person_id, ""), look.created, look.page, Opened(look.kind, look.record_id)) for look in found]


def at_mine(store: Store, person: tables.Person) -> list[Looked]:
    """Who opened the sessions this person sits or spoke in, newest first; themselves left out."""
    ids = store.persons.members(person.id or 0)
    return at(store, [Opened("session", id) for id in store.persons.seats(ids)])


def newest(store: Store, most: int = 50) -> list[Looked]:
    """Who opened anything, newest first."""
    names = store.persons.names()
    return [Looked(names.get(one.person_id, ""), one.created, one.page, Opened(one.kind, one.record_id)) for one in store.looks.newest(most)]
