"""What people agree to, refuse and withdraw, and what follows at once: sessions are hidden, waiting units end."""

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from core.addresses import is_here
from core.clearance import asked_in, asked_of_reports, spoken_in
from core.consent import OUTSIDE, PURPOSES, RATED, TAKING_PART, same
from core.errors import DataError
from storage import people, standing, stopping, tables, writing
from storage.store import Store
from storage.tables import now

FORM_VERSION = 2
Result = TypeVar("Result")


@dataclass(frozen=True)
class Who:
    """Whose answer it is: a person's, or that of a client or counselor known by code (then a researcher enters it)."""

    person: tables.Person | None = None
    seat: str = ""
    code: str = ""
    entered_by: tables.Person | None = None

    def fields(self) -> dict[str, Any]:
        if (self.person is None) == (not self.code):
            raise DataError("A consent is of a person, or of a client's or counselor's code. Choose one; nothing was saved.")
        entered = self.entered_by.id if self.entered_by is not None else None
        return {"person_id": self.person.id if self.person else None, "seat": self.seat, "code": self.code, "entered_by": entered}

    def rows(self, store: Store) -> list[tables.Consent]:
        if self.person is not None:
            return store.consents.of_person(store.persons.members(self.person.id or 0))
        return [row for row in store.consents.all(seat=self.seat) if standing.same_code(row.code) == standing.same_code(self.code)]


def answer(
    store: Store, who: Who, answers: Mapping[str, bool], session_id: int | None, *, endpoint: str = "", language: str = "en",
) -> list[tables.Consent]:  # fmt: skip
    """Keep what somebody agreed to and what not: a row a purpose.

    Args:
        answers: purpose → yes or no. session_id: one session, or ``None`` for all of theirs.
        endpoint: base URL, for *outside endpoint*.
    """
    rows = rows_of(who, answers, session_id, endpoint, language)
    changing(store, lambda connection: people.add_consents(connection, rows), of_person=who.person is not None)
    return rows


def rows_of(who: Who, answers: Mapping[str, bool], session_id: int | None, endpoint: str, language: str) -> list[tables.Consent]:
    if answers.get(OUTSIDE) and not endpoint.strip():
        raise DataError("A yes to an endpoint outside is for one address. Name it; nothing was saved.")
    at = now()
    return [
        tables.Consent(
            **who.fields(), session_id=session_id, purpose=purpose, endpoint=same(endpoint) if purpose == OUTSIDE else "",
            agreed=yes, form_version=FORM_VERSION, language=language, given=at,
        )
        for purpose, yes in answers.items()
    ]  # fmt: skip


def take_part(
    store: Store, person: tables.Person, session_id: int, purposes: Mapping[str, bool], *, endpoint: str = "",
    general: bool = False, language: str = "en",
) -> None:  # fmt: skip
    """Keep what a person answers as they take a seat: they take part, and each purpose, yes or no.

    Args:
        endpoint: base URL outside that their words go to from this seat, which they agreed to.
        general: for all of theirs. Where they spoke of this very session before, or once withdrew for all, it is said
            of this session too: the narrower answer wins, and a yes for all brings back nothing.
    """
    who = Who(person)
    said = {TAKING_PART: True, **purposes} | ({OUTSIDE: True} if endpoint else {})
    family = store.database.read(lambda connection: standing.family(connection, session_id))
    before = any(row.session_id in family or (row.session_id is None and row.withdrawn) for row in who.rows(store))
    scopes = [*([None] if general else []), *([session_id] if before or not general else [])]
    rows = [row for about in scopes for row in rows_of(who, said, about, endpoint, language)]
    changing(store, lambda connection: people.add_consents(connection, rows), of_person=True)


def withdraw(
    store: Store, who: Who, purposes: Iterable[str] = tuple(PURPOSES), session_id: int | None = None, endpoint: str = ""
) -> None:
    """End one use, or (with all purposes) all of them: for one session, or for all of theirs.

    Withdrawing *taking part* hides what they said everywhere. Units that wait for one of these uses are not asked.
    With everything, only uses that a person was asked about are noted: to the others they never said yes.
    """
    at, wanted, address, rows = now(), set(purposes), same(endpoint), who.rows(store)
    if TAKING_PART in wanted and who.person is not None:
        wanted &= {TAKING_PART, *(row.purpose for row in rows)}
    mine = [
        row.id or 0 for row in rows
        if row.purpose in wanted and (session_id is None or row.session_id == session_id) and (not address or same(row.endpoint) == address)
    ]  # fmt: skip
    noted = rows_of(who, dict.fromkeys(sorted(wanted), False), session_id, address, "en")
    for row in noted:
        row.given = row.withdrawn = at

    def both(connection: sqlite3.Connection) -> None:
        people.end_consents(connection, mine, at)
        people.add_consents(connection, noted)

    changing(store, both, of_person=who.person is not None)


@dataclass(frozen=True)
class Barred:
    """Sessions that may not be used now: withdrawn ones, and by base URL (empty: here) those nothing may judge there."""

    hidden: set[int]
    judged: dict[str, set[int]]
    reports: dict[str, set[int]]  # reports that may not be used now, likewise

    def about(self, named: Mapping[str, Any]) -> bool:
        """Whether one of the sessions a unit names was withdrawn, or may not be judged."""
        return bool({named.get(name) for name in ("session", "first", "second")} & self.judged[""])

    def at(self, url: str) -> set[int]:
        """Sessions that nothing may judge at this base URL."""
        return self.judged.get(same(url), set())


def barred(store: Store) -> Barred:
    """What may not be used as things stand."""
    return store.database.read(barred_in)


def barred_in(connection: sqlite3.Connection, spoken: Sequence[standing.SessionFacts] | None = None) -> Barred:
    """The same in a transaction; ``spoken``: the sessions in which somebody may have a say, if they are at hand."""
    said = asked_in(connection, spoken)
    hidden = {id for id, who in said.items() if who.withdrew}
    unrated = hidden | {id for id, who in said.items() if not who.allow(RATED)}
    addresses = {same(url) for url in standing.addresses(connection) if not is_here(url)}
    sent = {url: {id for id, who in said.items() if not who.allow(OUTSIDE, url)} | hidden for url in addresses}
    return Barred(hidden, {"": unrated} | sent, reports_in(connection, addresses))


def reports_in(connection: sqlite3.Connection, addresses: set[str]) -> dict[str, set[int]]:
    said = asked_of_reports(connection)
    hidden = {id for id, who in said.items() if who.withdrew}
    return {"": hidden} | {url: hidden | {id for id, who in said.items() if not who.allow(OUTSIDE, url)} for url in addresses}


def barred_since(before: dict[str, set[int]], after: dict[str, set[int]]) -> set[int]:
    """Records that may not be used any more for one of the uses they could be used for."""
    return {id for url, ids in after.items() for id in ids - before.get(url, set())}


def refused_units(store: Store, study_id: int) -> set[int]:
    """Units of a study that ended because somebody refused, and still does: asking again would be in vain."""

    def find(connection: sqlite3.Connection) -> set[int]:
        now_barred = barred_in(connection)
        return stopping.still_refused(connection, study_id, now_barred.judged[""], now_barred.at)

    return store.database.read(find)


def changing(store: Store, write: Callable[[sqlite3.Connection], Result], of_person: bool = False) -> Result:
    """Write what bears on consent (answers, who is who, codes), and let everything follow in the same transaction:
    hidden sessions, units that may not be asked any more. What is under way about sessions barred since is not kept.

    Args:
        of_person: only answers of a person are written: who has a say in which session stays, and is read once.
    """

    def both(connection: sqlite3.Connection) -> Result:
        spoken = spoken_in(connection)
        before = barred_in(connection, spoken)
        done = write(connection)
        after = barred_in(connection, spoken if of_person else None)
        people.let_go(connection, "session", barred_since(before.judged, after.judged) - after.hidden)
        people.let_go(connection, "report", barred_since(before.reports, after.reports))
        people.hide(connection, after.hidden, now())
        stopping.stop_waiting(connection, after.judged[""], after.at)
        return done

    return store.database.write(both)


def settle(store: Store) -> None:
    """Let all follow for records that came in after something was said of their codes."""
    if store.consents.count():
        changing(store, lambda _connection: None)


def set_codes(store: Store, kind: str, id: int, **fields: Any) -> None:
    """Whose a session or report is, by code, with what else is said of its place in a series; then all follows."""
    changing(store, lambda connection: people.set_fields(connection, kind, id, fields))


def ask_codes(store: Store, wanted: bool) -> None:
    """Whether imported and rebuilt text needs a yes recorded for one of its codes before it leaves."""
    changing(store, lambda connection: writing.keep_setting(connection, "ask codes", wanted))
