"""What people agree to, refuse and withdraw, and what follows at once: sessions are hidden, waiting units end."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core import clearance
from core.clearance import lacking
from core.consent import OUTSIDE, PURPOSES, RATED, same
from core.errors import DataError
from storage import stopping, tables
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

    def fields(self) -> dict[str, object]:
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
    store.consents.change(rows, [], at)
    follow(store)
    return rows


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
    store.consents.change(noted, [row.id or 0 for row in mine], at)
    follow(store)


def follow(store: Store) -> None:
    """Let everything follow what is agreed now: hidden sessions, and units that may not be asked any more.

    Called after each change of consents, of who is who, and of codes.
    """
    hidden = clearance.withdrawn(store)
    store.consents.hide(hidden, now())
    stopping.stop_waiting(store, lacking(store, RATED) | hidden, lambda url: lacking(store, OUTSIDE, url))


