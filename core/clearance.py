"""Who may send what: how far the words of a question may travel, derived from all their sources when they are sent.

Nothing stores a clearance. It follows from where words come from, from reviews of these very words, and from what
everybody who spoke agreed to; so an edit lowers it by itself, and a withdrawal counts from the next request on.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, partial
from typing import Any, Literal, NamedTuple

from core.consent import Everybody
from core.errors import NotFound, msg
from storage import standing
from storage.store import Store

Use = Literal["writing", "session", "rating"]


class Clearance(StrEnum):
    """What kind of words these are. Kinds, not degrees: each has its own condition for leaving."""

    SYNTHETIC = "synthetic"  # made up; no person behind it
    CONFIRMED = "confirmed"  # a person read this very text: nobody can be recognized
    UNCONFIRMED = "unconfirmed"  # may hold personal data: this machine only
    LIVE = "live"  # said here by persons, who have to agree


class Source(NamedTuple):
    """A record whose words a question holds.

    ``edition`` is a session's (raised when words in it are deleted); ``hash`` the words of a report as the question
    holds them, since a report changes in its place.
    """

    kind: str  # report | note | role | session
    id: int
    edition: int = 0
    hash: str = ""


@dataclass(frozen=True)
class Typed:
    """Words that are in no record yet: a draft. ``made_up``: a person said so of these very words."""

    name: str
    made_up: bool = False


@dataclass(frozen=True)
class Standing:
    """How one source stands now: the kind of its words, and who else has a say."""

    noun: str  # report | note | role | session | draft
    named: int | str  # its id, or the name of a draft
    clearance: Clearance
    everybody: Everybody | None = None

    @property
    def withdrawn(self) -> bool:
        return self.everybody is not None and self.everybody.withdrew


GONE = msg("What was asked about ({records}) was deleted meanwhile, so nothing was sent. Nothing else was lost.")


def standings(store: Store, sources: Iterable[Source | Typed]) -> list[Standing]:
    """How each source stands at this moment.

    Raises:
        NotFound: one of them was deleted.
    """
    listed = list(sources)
    return [typed(one) for one in listed if isinstance(one, Typed)] + store.database.read(
        lambda connection: [of(connection, one) for one in listed if isinstance(one, Source)]
    )


def typed(draft: Typed) -> Standing:
    return Standing("draft", f"“{draft.name}”", Clearance.SYNTHETIC if draft.made_up else Clearance.UNCONFIRMED)


def of(connection: sqlite3.Connection, source: Source) -> Standing:
    found = of_session(connection, source.id) if source.kind == "session" else of_text(connection, source)
    if found is None:
        raise NotFound(GONE, records=f"{source.kind} {source.id}")
    return found


def of_session(connection: sqlite3.Connection, id: int) -> Standing | None:
    facts = standing.session_facts(connection, id)
    if facts is None:
        return None
    return Standing("session", id, words_of_session(connection, facts), everybody(connection, facts))


def words_of_session(connection: sqlite3.Connection, facts: standing.SessionFacts) -> Clearance:
    """The kind of the words that no person said in a seat here: of agents, imported or rebuilt ones."""
    own = derived(connection, facts)
    if own is Clearance.UNCONFIRMED and (said := standing.reviews(connection, "session", facts.id)):
        return Clearance(said.get(standing.session_hash(connection, facts.id), Clearance.UNCONFIRMED))
    return own


def derived(connection: sqlite3.Connection, facts: standing.SessionFacts) -> Clearance:
    if facts.elsewhere or facts.origin == "imported":
        return Clearance.UNCONFIRMED
    if facts.origin == "reconstructed":
        return lowest(made_of(connection, facts.made_from)) if facts.made_from else Clearance.UNCONFIRMED
    role = Source("role", facts.role_id) if facts.role_id else None
    return Clearance.SYNTHETIC if role is None else clearance_of(connection, role)


def made_of(connection: sqlite3.Connection, made_from: Sequence[Sequence[Any]]) -> list[Clearance]:
    return [clearance_of(connection, Source(kind, id, 0, hash)) for kind, id, hash in made_from]


def clearance_of(connection: sqlite3.Connection, source: Source) -> Clearance:
    """The kind of the words of a report, note or role version; of one that is gone, *unconfirmed*."""
    facts = standing.text_facts(connection, source.kind, source.id)
    return Clearance.UNCONFIRMED if facts is None else words_of_text(connection, source, facts)


def words_of_text(connection: sqlite3.Connection, source: Source, facts: standing.TextFacts) -> Clearance:
    if source.hash and source.hash != facts.hash:
        return Clearance.UNCONFIRMED  # somebody changed it since: what they took out may stand in what was made from it
    said = standing.reviews(connection, source.kind, source.id).get(facts.hash)
    if own := own_words(source.kind, facts, said):
        return own
    return lowest(made_of(connection, facts.made_from)) if facts.made_from else Clearance.UNCONFIRMED


def own_words(kind: str, facts: standing.TextFacts, said: str | None) -> Clearance | None:
    """The kind of a text by itself: what a person said of it, else how it came to be; ``None`` where that is what it is made from."""
    if said is not None:
        return Clearance(said)
    if kind == "role" and not (facts.elsewhere or facts.edited) and facts.sampling in ("stratified", "paper"):
        return Clearance.SYNTHETIC
    return None if kind == "note" and not (facts.elsewhere or facts.edited) else Clearance.UNCONFIRMED


def lowest(kinds: Iterable[Clearance]) -> Clearance:
    """What derives from several: unconfirmed if one is, else confirmed if one is."""
    found = set(kinds)
    return next((k for k in (Clearance.UNCONFIRMED, Clearance.LIVE, Clearance.CONFIRMED) if k in found), Clearance.SYNTHETIC)


def of_text(connection: sqlite3.Connection, source: Source) -> Standing | None:
    facts = standing.text_facts(connection, source.kind, source.id)
    if facts is None:
        return None
    codes = codes_of(connection, source.kind, source.id if source.kind == "report" else facts.report_id)
    return Standing(source.kind, source.id, words_of_text(connection, source, facts), codes)


def codes_of(connection: sqlite3.Connection, kind: str, id: int | None) -> Everybody | None:
    """Those whose codes a report bears; for a note, the report it is of."""
    if kind not in ("report", "note") or id is None:
        return None
    borne = standing.report_codes(connection, id).get(id)
    return None if borne is None else coded(connection, borne, standing.must_ask(connection))


def coded(connection: sqlite3.Connection, codes: Iterable[tuple[str, str]], must_ask: bool) -> Everybody:
    return Everybody(frozenset(), (), by_codes(connection, codes), False, must_ask)


class Said:
    """Who is who and what they agreed to, read once for many sessions."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.members = cache(partial(standing.members, connection))
        self.rows = cache(partial(standing.agreed_by, connection))


def everybody(connection: sqlite3.Connection, facts: standing.SessionFacts, said: Said | None = None) -> Everybody | None:
    """All who have a say in a session; ``None`` where nobody has."""
    said = said or Said(connection)
    brought = facts.elsewhere or facts.origin in ("imported", "reconstructed")
    ours = facts.speakers - {None} if facts.elsewhere else facts.speakers  # who spoke there is nobody here
    if not (brought or ours or facts.report_id or facts.client_code or facts.counselor_code):
        return None
    persons = {said.members(id) for id in ours if id is not None}
    return Everybody(
        standing.family(connection, facts.id), [said.rows(ids) for ids in persons],
        by_codes(connection, set(codes_in(connection, facts))), None in ours,
        brought and standing.must_ask(connection), facts.elsewhere and None in facts.speakers,
    )  # fmt: skip


def codes_in(connection: sqlite3.Connection, facts: standing.SessionFacts) -> list[tuple[str, str]]:
    """The seats and codes a session bears, and its report: a dialogue is its report's client's, whatever it bears itself."""
    own = [(seat, code) for seat, code in (("client", facts.client_code), ("counselor", facts.counselor_code)) if code]
    report = standing.report_codes(connection, facts.report_id) if facts.report_id else {}
    return [*own, *report.get(facts.report_id or 0, [])]


def by_codes(connection: sqlite3.Connection, codes: Iterable[tuple[str, str]]) -> list[list[standing.Agreed]]:
    found = [standing.agreed_for(connection, seat, code) for seat, code in sorted(codes)]
    return [rows for rows in found if rows]


# ---- what pages, studies and exports ask ------------------------------------------------------------------------


def standing_of(store: Store, kind: str, id: int) -> Standing:
    """How a record stands now.

    Raises:
        NotFound: it is not there.
    """
    return store.database.read(lambda connection: of(connection, Source(kind, id)))


def kind_of(store: Store, kind: str, id: int) -> Clearance:
    """The kind of a record's words; *live* where persons spoke in a session and the rest of it may travel."""
    now: Standing = standing_of(store, kind, id)
    spoken = now.everybody is not None and now.everybody.spoke
    return Clearance.LIVE if spoken and now.clearance is not Clearance.UNCONFIRMED else now.clearance


def asked(store: Store) -> dict[int, Everybody]:
    """All who have a say, by session; of sessions in which nobody has, none."""

    return store.database.read(asked_in)


def asked_in(connection: sqlite3.Connection, spoken: Sequence[standing.SessionFacts] | None = None) -> dict[int, Everybody]:
    """The same in a transaction.

    Args:
        spoken: ``spoken_in``, if it is at hand and stands.
    """
    said = Said(connection)
    found = {one.id: everybody(connection, one, said) for one in (spoken_in(connection) if spoken is None else spoken)}
    return {id: who for id, who in found.items() if who is not None}


def spoken_in(connection: sqlite3.Connection) -> list[standing.SessionFacts]:
    """The sessions in which somebody may have a say."""
    facts = (standing.session_facts(connection, id) for id in standing.spoken_sessions(connection))
    return [one for one in facts if one is not None]


def asked_of_reports(connection: sqlite3.Connection) -> dict[int, Everybody]:
    """Those whose codes reports bear, by report."""
    must = standing.must_ask(connection)
    bearing = ((id, coded(connection, codes, must)) for id, codes in standing.report_codes(connection).items() if codes or must)
    return {id: who for id, who in bearing if who.codes or who.must_ask}


def kinds(store: Store, kind: Literal["report", "role"]) -> dict[int, Clearance]:
    """The kind of each report's, or each role version's, words, by id; in few queries, for lists."""

    def find(connection: sqlite3.Connection) -> dict[int, Clearance]:
        said = standing.all_reviews(connection, kind)
        facts = standing.all_text_facts(connection, kind)
        return {id: own_words(kind, one, said.get(id, {}).get(one.hash)) or Clearance.UNCONFIRMED for id, one in facts.items()}

    return store.database.read(find)


def lacking(store: Store, purpose: str, endpoint: str = "") -> set[int]:
    """Sessions that may not be used for a purpose, because somebody in them did not agree, or withdrew."""
    return {id for id, who in asked(store).items() if who.withdrew or not who.allow(purpose, endpoint)}


def withdrawn(store: Store) -> set[int]:
    """Sessions that nobody reads any more, because somebody who has a say in them withdrew."""
    return {id for id, who in asked(store).items() if who.withdrew}
