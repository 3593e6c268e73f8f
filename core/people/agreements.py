"""What people agree to, refuse and withdraw, and what follows at once: sessions are hidden, waiting units end."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from core.addresses import is_here
from core.clearance import asked, read
from core.consent import OUTSIDE, PURPOSES, RATED, TAKING_PART, same
from core.errors import DataError
from storage import standing, stopping, tables
from storage.store import Store
from storage.tables import now

FORM_VERSION = 2


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
        return store.consents.all(seat=self.seat, code=self.code)


def answer(
    store: Store, who: Who, answers: Mapping[str, bool], session_id: int | None, *, endpoint: str = "", language: str = "en",
) -> list[tables.Consent]:  # fmt: skip
    """Keep what somebody agreed to and what not: a row a purpose.

    Args:
        answers: purpose → yes or no. session_id: one session, or ``None`` for all of theirs.
        endpoint: base URL, for *outside endpoint*.
    """
    at = now()
    rows = [
        tables.Consent(
            **who.fields(), session_id=session_id, purpose=purpose, endpoint=same(endpoint) if purpose == OUTSIDE else "",
            agreed=yes, form_version=FORM_VERSION, language=language, given=at,
        )
        for purpose, yes in answers.items()
    ]  # fmt: skip
    before = barred(store)
    store.consents.change(rows, [], at)
    follow(store, before)
    return rows


def take_part(
    store: Store, person: tables.Person, session_id: int, purposes: Mapping[str, bool], *, endpoint: str = "",
    general: bool = False, language: str = "en",
) -> None:  # fmt: skip
    """Keep what a person answers as they take a seat: they take part, and each purpose, yes or no.

    Args:
        endpoint: base URL outside that their words go to from this seat, which they agreed to.
        general: for all of theirs. Where they spoke of this very session before, it is said of this session too,
            since the narrower answer wins.
    """
    who = Who(person)
    said = {TAKING_PART: True, **purposes} | ({OUTSIDE: True} if endpoint else {})
    family = read(store, lambda connection: standing.family(connection, session_id))
    before = any(row.session_id in family for row in who.rows(store))
    for about in [*([None] if general else []), *([session_id] if before or not general else [])]:
        answer(store, who, said, about, endpoint=endpoint, language=language)


def withdraw(
    store: Store, who: Who, purposes: Iterable[str] = tuple(PURPOSES), session_id: int | None = None, endpoint: str = ""
) -> None:
    """End one use, or (with all purposes) all of them: for one session, or for all of theirs.

    Withdrawing *taking part* hides what they said everywhere. Units that wait for one of these uses are not asked.
    """
    at, wanted, address = now(), set(purposes), same(endpoint)
    mine = [
        row for row in who.rows(store)
        if row.purpose in wanted and (session_id is None or row.session_id == session_id) and (not address or row.endpoint == address)
    ]  # fmt: skip
    noted = [
        tables.Consent(
            **who.fields(), session_id=session_id, purpose=purpose, endpoint=address if purpose == OUTSIDE else "", agreed=False,
            form_version=FORM_VERSION, given=at, withdrawn=at,
        )
        for purpose in sorted(wanted)
    ]  # fmt: skip
    before = barred(store)
    store.consents.change(noted, [row.id or 0 for row in mine], at)
    follow(store, before)


@dataclass(frozen=True)
class Barred:
    """Sessions that may not be used now: withdrawn ones, and by base URL (empty: here) those nothing may judge there."""

    hidden: set[int]
    judged: dict[str, set[int]]

    def about(self, named: Mapping[str, Any]) -> bool:
        """Whether one of the sessions a unit names was withdrawn, or may not be judged."""
        return bool({named.get(name) for name in ("session", "first", "second")} & self.judged[""])

    def at(self, url: str) -> set[int]:
        """Sessions that nothing may judge at this base URL."""
        return self.judged.get(same(url), set())


def barred(store: Store) -> Barred:
    """What may not be used as things stand."""
    said = asked(store)
    hidden = {id for id, who in said.items() if who.withdrew}
    unrated = hidden | {id for id, who in said.items() if not who.allow(RATED)}
    addresses = {same(one.base_url) for one in store.endpoints.all() if not is_here(one.base_url)}
    sent = {url: {id for id, who in said.items() if not who.allow(OUTSIDE, url)} | hidden for url in addresses}
    return Barred(hidden, {"": unrated} | sent)


def follow(store: Store, before: Barred | None = None) -> None:
    """Let everything follow what is agreed now: hidden sessions, units that may not be asked, answers under way.

    Called after each change of consents, of who is who, and of codes.

    Args:
        before: what was barred before the change. What is under way about sessions barred since is not kept.
    """
    at, now_barred = now(), barred(store)
    if before is not None:
        since = {id for url, ids in now_barred.judged.items() for id in ids - before.judged.get(url, set())}
        store.consents.let_go(since - now_barred.hidden)
    store.consents.hide(now_barred.hidden, at)
    stopping.stop_waiting(store, now_barred.judged[""], now_barred.at)


def set_codes(store: Store, kind: str, id: int, **fields: Any) -> None:
    """Whose a session or report is, by code, with what else is said of its place in a series; then all follows."""
    before = barred(store)
    records: Any = store.sessions if kind == "session" else store.reports
    records.update(id, **fields)
    follow(store, before)


def ask_codes(store: Store, wanted: bool) -> None:
    """Whether imported and rebuilt text needs a yes recorded for one of its codes before it leaves."""
    before = barred(store)
    store.settings.set("ask codes", wanted)
    follow(store, before)
