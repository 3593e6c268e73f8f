"""What somebody agreed to, as it stands now: session by session, and for all of theirs. What a page shows them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from core.consent import OUTSIDE, PURPOSES, TAKING_PART, Stands, same, stands
from core.people.agreements import Who
from storage import standing, tables
from storage.store import Receipt, Store

Answer = Literal["yes", "no", "withdrawn"]


@dataclass(frozen=True)
class Line:
    """One purpose: the answer, since when, by which form; ``general`` where it was said for all of theirs.

    ``entered_by`` is the id of whoever entered what was given on paper.
    """

    purpose: str
    answer: Answer
    since: str
    form_version: int
    endpoint: str = ""
    general: bool = False
    entered_by: int | None = None


@dataclass(frozen=True)
class Group:
    """What somebody said about one session, or (``None``) about all of theirs."""

    session: tables.Session | None
    lines: Sequence[Line]
    spoke: bool = False  # whether words of theirs stand in it

    @property
    def id(self) -> int | None:
        return self.session.id if self.session is not None else None


def groups(store: Store, who: Who) -> list[Group]:
    """What stands, for all of theirs first (where it was said), then the newest session first."""
    rows = who.rows(store)
    spoken = set(store.sessions.spoken_by(store.persons.members(who.person.id or 0))) if who.person else set()
    ids = sorted(spoken | {row.session_id for row in rows if row.session_id is not None}, reverse=True)
    general = lines(rows, ())
    found = [Group(None, general)] if general else []
    for id in ids:
        about = lines(rows, store.database.read(partial(standing.family, id=id)))
        found.append(Group(store.sessions.get(id), about, id in spoken and has_words(store, who, id)))
    return found


def has_words(store: Store, who: Who, session_id: int) -> bool:
    """Whether words of a person stand in a session, and are not deleted."""
    ids = store.persons.members(who.person.id or 0) if who.person else frozenset()
    return any(turn.person_id in ids and turn.state != "deleted" for turn in store.sessions.turns(session_id))


def once_withdrew(store: Store, who: Who) -> bool:
    """Whether somebody withdrew something for all of theirs: a later yes for all gives none of it back."""
    return any(row.counts and row.withdrawn and row.session_id is None for row in who.rows(store))


def withdrew(store: Store, who: Who, session_id: int) -> bool:
    """Whether it was they who withdrew from a session, by itself or with all of theirs."""
    about = lines(who.rows(store), store.database.read(partial(standing.family, id=session_id)))
    return any(one.purpose == TAKING_PART and one.answer == "withdrawn" for one in about)


def without_effect(store: Store, who: Who) -> int:
    """How many answers are from before answers named a session: they are kept, and grant nothing."""
    return sum(not row.counts for row in who.rows(store))


def lines(rows: Sequence[tables.Consent], family: Collection[int]) -> list[Line]:
    """How each purpose stands that somebody spoke of; *outside endpoint* for each address."""
    addresses = {same(row.endpoint) for row in rows if row.purpose == OUTSIDE and row.counts}
    asked = [(purpose, "") for purpose in PURPOSES if purpose != OUTSIDE]
    asked[2:2] = [(OUTSIDE, url) for url in sorted(addresses - {""} or addresses) if not family or named(rows, url, family)]
    found = [(purpose, url, stands(rows, purpose, family, url)) for purpose, url in asked]
    return [line(purpose, url, one) for purpose, url, one in found if one is not None]


def named(rows: Sequence[tables.Consent], url: str, family: Collection[int]) -> bool:
    """Whether somebody spoke of an address outside for one of these sessions, or said yes to it for all of theirs."""
    about = [row for row in rows if row.purpose == OUTSIDE and same(row.endpoint) in (url, "")]
    return any(row.session_id in family or (row.session_id is None and row.endpoint and row.agreed) for row in about)


def line(purpose: str, url: str, one: Stands) -> Line:
    answer: Answer = "yes" if one.agreed else "withdrawn" if one.withdrawn else "no"
    row = one.row
    return Line(purpose, answer, one.withdrawn or row.given, row.form_version, url, row.session_id is None, row.entered_by)


def delete_words(store: Store, person: tables.Person, session_id: int) -> Receipt:
    """Delete what a person said in a session and its branches, and what engines replied, also where it was withdrawn.

    Raises:
        NotFound: they said nothing in it.
    """
    return store.delete_words(person.id or 0, session_id)
