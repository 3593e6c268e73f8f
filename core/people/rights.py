"""What a person may do here: one question, asked by every page, download and action.

As long as the workbench is not shared, roles guard against accidents only: a new browser is a new person, a
researcher unless they choose otherwise.

``MAY`` is the whole answer, as a table: what may be done with which record, by whom. *By whom* is how a person stands
to the record (``STANDS``), which the rest of this module finds out.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeVar

from core import clearance
from core.clearance import Clearance, kind_of, lacking, standing_of
from core.consent import SUPERVISION
from core.errors import DataError, NotAllowed, Several, msg
from storage import tables
from storage.store import Store

Role = Literal["researcher", "supervisor", "counselor", "rater", "client"]
ROLES: tuple[Role, ...] = ("researcher", "supervisor", "counselor", "rater", "client")
What = Literal[
    "see", "see ratings", "change", "confirm", "delete", "delete words", "rate", "export", "hold", "sit", "import", "study",
    "agents", "endpoints", "groups", "people", "settings", "answer for others",
]  # fmt: skip
STANDS = {
    "researcher": "a researcher",
    "own": "the counselor whose series it is in, or who spoke in it as the counselor",
    "in it": "whoever sits or spoke in it",
    "supervisor": "a supervisor of its counselor, where everybody who spoke in it agreed to supervision; reports are not theirs",
    "has rated": "a rater who has rated it",
    "may sit": "whoever may take a free seat in it",
    "themselves": "the person it is about or of",
    "counselor": "a counselor",
    "everybody": "everybody",
}
MAY: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "session": {
        "see": ("researcher", "own", "in it", "supervisor"),
        "see ratings": ("researcher", "own", "supervisor", "has rated"),
        "change": ("researcher", "own"),
        "confirm": ("researcher", "own"),
        "delete": ("researcher", "own"),
        "delete words": ("researcher", "in it"),
        "rate": ("researcher", "own"),
        "export": ("researcher", "own"),
        "hold": ("researcher", "own", "in it"),
        "sit": ("researcher", "own", "in it", "may sit"),
    },
    "report": {
        "see": ("researcher", "own"),
        "change": ("researcher", "own"),
        "confirm": ("researcher", "own"),
        "delete": ("researcher", "own"),
        "export": ("researcher", "own"),
    },
    "role card": {  # one that may be about a real person is the researcher's: see ``stands_to_card``
        "see": ("researcher", "everybody"),
        "hold": ("researcher", "counselor"),
        "export": ("researcher",),
        "change": ("researcher",),
        "confirm": ("researcher",),
        "delete": ("researcher",),
    },
    "study": {
        "see": ("researcher", "themselves"),
        "study": ("researcher", "themselves"),  # start, stop, resume
        "change": ("researcher",),
        "export": ("researcher",),
        "delete": ("researcher",),
    },
    "agent": {
        "see": ("researcher", "everybody"),
        "rate": ("researcher", "counselor"),  # one that was released: see ``stands_to_agent``
        "agents": ("researcher",),
    },
    "endpoint": {"see": ("researcher",), "endpoints": ("researcher",)},
    "person": {"see": ("researcher", "themselves"), "change": ("researcher", "themselves"), "people": ("researcher",)},
    "consent": {"see": ("researcher", "themselves"), "change": ("researcher", "themselves"), "answer for others": ("researcher",)},
    "look": {"see": ("researcher", "themselves")},
    "": {  # without a record
        "import": ("researcher", "counselor"),
        "hold": ("researcher", "counselor"),
        "confirm": ("researcher",),
        "change": ("researcher",),
        "delete": ("researcher",),
        "rate": ("researcher",),
        "export": ("researcher",),
        "see ratings": ("researcher",),
        "study": ("researcher",),
        "agents": ("researcher",),
        "endpoints": ("researcher",),
        "groups": ("researcher",),
        "people": ("researcher",),
        "settings": ("researcher",),
        "answer for others": ("researcher",),
    },
}
SEATS = ("client", "counselor")
WITHDRAWN: Mapping[str, tuple[str, ...]] = {"delete": ("researcher",), "delete words": ("researcher", "in it")}
Row = TypeVar("Row")


@dataclass(frozen=True)
class Me:
    """A person as far as rights ask: joined browsers count as one."""

    ids: frozenset[int]
    roles: Mapping[str, list[str]]
    counselor_codes: frozenset[str]
    client_codes: frozenset[str] = frozenset()

    def __contains__(self, role: str) -> bool:
        return role in self.roles

    @property
    def supervised(self) -> frozenset[str]:
        """The counselor codes of those this person supervises."""
        return frozenset(self.roles.get("supervisor", ()))


def me_of(store: Store, person: tables.Person) -> Me:
    ids = store.persons.members(person.id or 0)
    rows = [person, *(store.persons.get(id) for id in sorted(ids) if id != person.id)]
    counselor, client = (frozenset(code for row in rows for code in getattr(row, f"{seat}_codes") if code) for seat in ("counselor", "client"))
    return Me(ids, person.roles, counselor, client)


# ---- one record ----------------------------------------------------------------------------------------------------


def may(store: Store, person: tables.Person, what: What, record: Any = None) -> bool:
    """Whether a person may do this, with this record or at all.

    Nobody reads what was withdrawn; a researcher may delete it, and who spoke in it may delete their words.
    """
    me = me_of(store, person)
    noun = noun_of(record)
    allowed = MAY[noun].get(what, ())
    if hidden(store, noun, record):
        allowed = tuple(one for one in WITHDRAWN.get(what, ()) if one in allowed)
    if not allowed:
        return False
    stands = FINDERS[noun](store, me, record)
    if what == "see ratings" and noun == "session" and not before_others(stands, me):
        return False
    return any(one in stands for one in allowed)


def before_others(stands: "Stands", me: Me) -> bool:
    """A rater sees what others said of a session once they have rated it themselves."""
    return "rater" not in me or "researcher" in me or "has rated" in stands


def require(store: Store, person: tables.Person, what: What, record: Any = None) -> None:
    """Raises NotAllowed: the person may not do this; the sentence names nobody else, and nothing of the record."""
    if may(store, person, what, record):
        return
    noun = noun_of(record)
    if hidden(store, noun, record):
        raise NotAllowed(
            "Somebody who has a say in {noun} {id} withdrew it, so nobody reads it any more. A researcher can delete it; what "
            "you said yourself you can delete on Data and privacy.",
            noun=noun, id=record.id,
        )  # fmt: skip
    if noun in NOT_YOURS:
        raise NotAllowed(NOT_YOURS[noun], role=roles_of(person))
    if noun:
        raise NotAllowed(
            "This {noun} is not yours to see or change as {role}. Ask a researcher; nothing was changed.",
            noun=noun, role=roles_of(person),
        )  # fmt: skip
    raise NotAllowed("This is the researcher's, and you are here as {role}. Ask a researcher; nothing was changed.", role=roles_of(person))


def roles_of(person: tables.Person) -> Several:
    return Several(STANDING_WORDS[role] for role in ROLES if role in person.roles)


STANDING_WORDS: Mapping[str, str] = {
    "researcher": msg("researcher"), "supervisor": msg("supervisor"), "counselor": msg("counselor"), "rater": msg("rater"),
    "client": msg("client"),
}  # fmt: skip


NOT_YOURS: Mapping[str, str] = {
    "session": msg("This session is not yours: as {role} you cannot read or change it. Open one of your own, or ask a researcher; nothing was changed."),
    "report": msg("This report is not yours: as {role} you cannot read or change it. Open one of your own, or ask a researcher; nothing was changed."),
}  # fmt: skip


def noun_of(record: Any) -> str:
    return NOUNS[type(record)] if record is not None else ""


NOUNS: Mapping[type, str] = {
    tables.Session: "session", tables.Report: "report", tables.RoleCard: "role card", tables.Study: "study",
    tables.Agent: "agent", tables.Endpoint: "endpoint", tables.Person: "person", tables.Consent: "consent", tables.Look: "look",
}  # fmt: skip


def hidden(store: Store, noun: str, record: Any) -> bool:
    """Whether somebody withdrew what this record holds."""
    if noun == "session":
        return bool(record.withdrawn)
    return noun == "report" and standing_of(store, "report", record.id or 0).withdrawn


# ---- how a person stands to a record -------------------------------------------------------------------------------


class Stands:
    """How a person stands to a record; each way is found out when it is asked for."""

    def __init__(self, **ways: Callable[[], bool]) -> None:
        self.ways = ways

    def __contains__(self, way: str) -> bool:
        return way in self.ways and self.ways[way]()


def stands_to_session(store: Store, me: Me, session: tables.Session) -> Stands:
    id, code = session.id or 0, session.counselor_code
    seats = store.persons.seats(me.ids, id).get(id, frozenset())
    return Stands(**{
        "researcher": lambda: "researcher" in me,
        "own": lambda: is_own(me, code, store.persons.spoken_seats(me.ids, id).get(id, ())),
        "in it": lambda: bool(seats),
        "supervisor": lambda: code in me.supervised and agreed(store, "session", id, SUPERVISION),
        "has rated": lambda: "rater" in me and store.raters.rated(me.ids, id),
        "may sit": lambda: may_sit(store, me, session),
    })  # fmt: skip


def is_own(me: Me, code: str, spoken: Iterable[str]) -> bool:
    """Whether it is a counselor's own: by its code, or because they spoke in the counselor's seat. Sitting there is not enough."""
    return "counselor" in me and (code in me.counselor_codes or "counselor" in spoken)


def agreed(store: Store, kind: str, id: int, purpose: str) -> bool:
    """Whether everybody who has a say in a session or report agreed to a use of it."""
    asked = standing_of(store, kind, id).everybody
    return asked is None or asked.allow(purpose)


def may_sit(store: Store, me: Me, session: tables.Session) -> bool:
    """Whether there is a free seat for a client or counselor that they may take."""
    return any(seat_is_open(store, me, session, seat) for seat in SEATS)


def seat_is_open(store: Store, me: Me, session: tables.Session, seat: str) -> bool:
    """Whether a seat is free for somebody who sees nothing of the session before: it holds no words of anybody else.

    A counselor sits down in their own series only; a client where nobody has spoken, or in a session begun for them.
    What was brought in, rebuilt or branched off holds words of others, as does a role that may be about a real person.
    """
    if seat not in me or session.state not in ("running", "paused") or getattr(session, f"{seat}_person_id") is not None:
        return False
    if session.origin not in ("simulated", "live") or session.elsewhere or session.parent_id or session.report_id:
        return False
    theirs = getattr(session, f"{seat}_code") in getattr(me, f"{seat}_codes")
    if seat == "counselor" and not theirs:
        return False
    spoke = {turn.seat for turn in store.sessions.turns(session.id or 0) if turn.speaker in ("person", "unknown person")}
    if seat in spoke or (spoke and not theirs):
        return False
    return session.role_id is None or safe_card(store, store.roles.get(session.role_id))


def may_take(store: Store, person: tables.Person, session: tables.Session, seat: str) -> bool:
    """Whether a person may sit down in this seat: whose session it is in each, others back where they spoke or in one
    that is open to them.
    """
    me, id = me_of(store, person), session.id or 0
    if session.withdrawn or getattr(session, f"{seat}_person_id") not in (None, *me.ids):
        return False
    stands = stands_to_session(store, me, session)
    held = store.persons.seats(me.ids, id).get(id, frozenset())
    return "researcher" in stands or "own" in stands or seat in held or seat_is_open(store, me, session, seat)


def require_seat(store: Store, person: tables.Person, session: tables.Session, seat: str) -> None:
    """Raises NotAllowed: the person may not sit down in this seat."""
    if not may_take(store, person, session, seat):
        raise NotAllowed(
            "The {seat}'s seat of session {id} is not open to you as {role}: somebody sits in it, or the session holds what others "
            "said. Ask a researcher to begin one for you; nothing was saved.",
            seat=seat, id=session.id, role=roles_of(person),
        )  # fmt: skip


def stands_to_report(store: Store, me: Me, report: tables.Report) -> Stands:
    return Stands(researcher=lambda: "researcher" in me, own=lambda: is_own(me, report.counselor_code, ()))


def stands_to_card(store: Store, me: Me, role: tables.RoleCard) -> Stands:
    made_up = partial(safe_card, store, role)
    return Stands(
        researcher=lambda: "researcher" in me, everybody=made_up, counselor=lambda: "counselor" in me and made_up()
    )  # fmt: skip


def safe_card(store: Store, role: tables.RoleCard) -> bool:
    """Whether nobody can be recognized in a role card: it was made up, or a person read and confirmed it."""
    return kind_of(store, "role", role.id or 0) is not Clearance.UNCONFIRMED


def stands_to_agent(store: Store, me: Me, agent: tables.Agent) -> Stands:
    return Stands(
        researcher=lambda: "researcher" in me, everybody=lambda: True,
        counselor=lambda: "counselor" in me and agent.released and agent.seat == "judge",
    )  # fmt: skip


def stands_to_own(store: Store, me: Me, record: Any) -> Stands:
    """Records that name a person: studies, consents, endpoints (which name none)."""
    named = getattr(record, "person_id", None)
    return Stands(researcher=lambda: "researcher" in me, themselves=lambda: named in me.ids)


def stands_to_person(store: Store, me: Me, person: tables.Person) -> Stands:
    return Stands(researcher=lambda: "researcher" in me, themselves=lambda: person.id in me.ids)


def stands_to_look(store: Store, me: Me, look: tables.Look) -> Stands:
    """Whoever spoke in what was opened sees who looked."""
    def theirs() -> bool:
        return look.kind == "session" and look.record_id in store.persons.seats(me.ids, look.record_id)

    return Stands(researcher=lambda: "researcher" in me, themselves=theirs)


def stands_here(store: Store, me: Me, _record: None) -> Stands:
    return Stands(researcher=lambda: "researcher" in me, counselor=lambda: "counselor" in me)


FINDERS: Mapping[str, Callable[[Store, Me, Any], Stands]] = {
    "session": stands_to_session, "report": stands_to_report, "role card": stands_to_card, "study": stands_to_own,
    "agent": stands_to_agent, "endpoint": stands_to_own, "person": stands_to_person, "consent": stands_to_own,
    "look": stands_to_look, "": stands_here,
}  # fmt: skip


# ---- many records at once ------------------------------------------------------------------------------------------


def visible(store: Store, person: tables.Person, rows: Iterable[Row], kind: Literal["session", "report", "role card"] = "session") -> list[Row]:
    """Those a person may see, in their order: a few queries, however many rows.

    Args:
        rows: records, or rows of a list with at least ``id`` and ``counselor_code``.
    """
    me, listed = me_of(store, person), list(rows)
    if kind == "role card":
        safe = None if "researcher" in me else safe_cards(store, listed)
        return [row for row in listed if safe is None or field(row, "id") in safe]
    gone = gone_reports(store, listed) if kind == "report" else frozenset()
    shown = [row for row in listed if not field(row, "withdrawn") and field(row, "id") not in gone]
    if "researcher" in me:
        return shown
    if kind == "report":
        return [row for row in shown if is_own(me, str(field(row, "counselor_code") or ""), ())]
    seats = store.persons.seats(me.ids)
    barred = lacking(store, SUPERVISION) if any(field(row, "counselor_code") in me.supervised for row in shown) else set()

    def mine(row: Row) -> bool:
        id, code = int(field(row, "id") or 0), str(field(row, "counselor_code") or "")
        return id in seats or is_own(me, code, ()) or (code in me.supervised and id not in barred)

    return [row for row in shown if mine(row)]


def field(row: Any, name: str) -> Any:
    return row.get(name) if isinstance(row, Mapping) else getattr(row, name, None)


def safe_cards(store: Store, rows: Iterable[Any]) -> frozenset[int]:
    found = clearance.standings(store, [clearance.Source("role", int(field(row, "id"))) for row in rows])
    return frozenset(int(one.named) for one in found if one.clearance is not Clearance.UNCONFIRMED)


def gone_reports(store: Store, rows: Iterable[Any]) -> frozenset[int]:
    """Reports that somebody whose code they bear withdrew."""
    asked = [clearance.Source("report", int(field(row, "id"))) for row in rows if field(row, "counselor_code") or field(row, "client_code")]
    return frozenset(int(one.named) for one in clearance.standings(store, asked) if one.withdrawn)


# ---- what is somebody's own ----------------------------------------------------------------------------------------


def series_of(store: Store, person: tables.Person) -> tuple[str, ...]:
    """The counselor codes under which what this person begins or brings in is their own; none for a researcher.

    Raises:
        DataError: a counselor has no code, so nothing could be theirs.
    """
    me = me_of(store, person)
    if "researcher" in me:
        return ()
    if not me.counselor_codes:
        raise DataError(
            "You have no counselor code yet, so nothing can be kept as yours. Ask a researcher to enter one for you; nothing "
            "was saved."
        )
    own = sorted(me.counselor_codes)
    return tuple(sorted(own, key=lambda code: code != person.code))
