"""Who may take which free seat, and what sitting in one makes one's own."""

from typing import Any

import pytest

from core.errors import NotAllowed
from core.llm.agents import ensure_shipped
from core.people import reviews, rights
from core.people import service as people
from core.reports import service as reports
from core.sessions import service as sessions
from storage import tables
from storage.store import Store

HELD = ("see", "export", "delete", "confirm", "rate", "change")


@pytest.fixture
def client(store: Store) -> tables.Person:
    return people.begin(store, "secret-k", {"client": []}, "C-01")


@pytest.fixture
def counselor(store: Store) -> tables.Person:
    return people.begin(store, "secret-t", {"counselor": []}, "T-01")


def begun(store: Store, **fields: Any) -> tables.Session:
    """A session between two agents with a role that was made up, ready to be held."""
    ensure_shipped(store)
    role = store.roles.find(title="Noor") or store.roles.add(tables.RoleCard(title="Noor", sampling="paper", text="You lost your job."))
    agents = [store.agents.find(seat=seat) for seat in ("client", "counselor")]
    session = sessions.begin(store, role, *agents)
    return store.sessions.update(session.id or 0, **fields) if fields else session


def taken(store: Store, person: tables.Person, session: tables.Session) -> list[str]:
    """The seats a person may take."""
    return [seat for seat in ("client", "counselor") if rights.may_take(store, person, session, seat)]


def said(store: Store, session: tables.Session, person: tables.Person | None, seat: str = "counselor", speaker: str = "person") -> None:
    n = len(store.sessions.turns(session.id or 0)) + 1
    turn = tables.Turn(
        session_id=session.id or 0, position=n, seat=seat, text="Hello.", speaker=speaker, person_id=person.id if person else None
    )
    store.sessions.add_turn(turn)


def test_a_client_takes_a_seat_where_nobody_s_words_stand(store: Store, client: tables.Person, counselor: tables.Person) -> None:
    session = begun(store)
    assert taken(store, client, session) == ["client"] and rights.may(store, client, "sit", session)
    said(store, session, None, speaker="agent")
    assert taken(store, client, session) == ["client"], "what an agent says is nobody's"
    for state in ("ended", "stopped"):
        assert taken(store, client, store.sessions.update(session.id or 0, state=state)) == []
    spoken = begun(store, counselor_code="T-01")
    said(store, spoken, counselor)
    assert taken(store, client, spoken) == [] and not rights.may(store, client, "sit", spoken)
    assert taken(store, client, store.sessions.update(spoken.id or 0, client_code="C-01")) == ["client"], "it was begun for them"


@pytest.mark.parametrize("fields", [{"origin": "imported"}, {"origin": "reconstructed"}, {"elsewhere": True}])
def test_nobody_sits_down_with_what_was_brought_in(store: Store, client: tables.Person, counselor: tables.Person, fields: dict[str, Any]) -> None:
    session = begun(store, client_code="C-01", counselor_code="T-09", **fields)
    assert taken(store, client, session) == taken(store, counselor, session) == []
    assert not rights.may(store, client, "sit", session) and not rights.may(store, counselor, "sit", session)


def test_nobody_sits_down_in_somebody_else_s_branch(store: Store, client: tables.Person, counselor: tables.Person) -> None:
    other = people.begin(store, "secret-o", {"counselor": []}, "T-09")
    parent = begun(store, origin="imported", counselor_code="T-09", client_code="C-07", state="ended")
    branch = sessions.branch(store, parent.id or 0, 1, other)
    assert branch.state == "paused" and taken(store, client, branch) == taken(store, counselor, branch) == []
    assert taken(store, other, branch) == ["client", "counselor"], "their own series"


def test_a_role_that_may_be_about_somebody_keeps_the_seat_from_others(store: Store, client: tables.Person) -> None:
    session = begun(store)
    card = store.roles.add(tables.RoleCard(title="Real", sampling="written", text="A nurse."))
    session = store.sessions.update(session.id or 0, role_id=card.id)
    assert taken(store, client, session) == []
    researcher = people.begin(store, "secret-r")
    reviews.review(store, researcher, "role", card.id or 0, "synthetic", reviews.shown(store, "role", card.id or 0))
    assert taken(store, client, session) == ["client"] and taken(store, researcher, session) == ["client", "counselor"]


def test_a_counselor_sits_in_sessions_of_their_own_series(store: Store, counselor: tables.Person) -> None:
    assert taken(store, counselor, begun(store)) == taken(store, counselor, begun(store, counselor_code="T-09")) == []
    assert not rights.may(store, counselor, "sit", begun(store))
    assert taken(store, counselor, begun(store, counselor_code="T-01")) == ["client", "counselor"]


def test_who_sat_but_said_nothing_owns_nothing(store: Store, counselor: tables.Person) -> None:
    session = begun(store)
    id = session.id or 0
    sessions.take_seat(store, id, "counselor", counselor)
    assert rights.may(store, counselor, "see", store.sessions.get(id)), "who sits in it reads it"
    assert not [what for what in HELD[1:] if rights.may(store, counselor, what, store.sessions.get(id))]  # type: ignore[arg-type]
    sessions.leave_seat(store, id, "counselor", counselor)
    left = store.sessions.get(id)
    assert left.counselor_code == "" and not [what for what in HELD if rights.may(store, counselor, what, left)]  # type: ignore[arg-type]


def test_who_spoke_gives_the_session_their_code_and_owns_it(store: Store, counselor: tables.Person) -> None:
    session = begun(store)
    id = session.id or 0
    sessions.take_seat(store, id, "counselor", counselor)
    said(store, session, None, "client", "agent")
    sessions.say(store, id, "counselor", "What makes it hard?", counselor)
    sessions.leave_seat(store, id, "counselor", counselor)
    held = store.sessions.get(id)
    assert held.counselor_code == "T-01" and all(rights.may(store, counselor, what, held) for what in HELD)  # type: ignore[arg-type]
    assert rights.may_take(store, counselor, held, "counselor"), "back into the seat they spoke in"


def test_who_sits_in_one_seat_does_not_take_the_other(store: Store, client: tables.Person) -> None:
    session = begun(store)
    id = session.id or 0
    sessions.take_seat(store, id, "client", client)
    assert taken(store, client, store.sessions.get(id)) == ["client"]
    with pytest.raises(NotAllowed, match="seat"):
        rights.require_seat(store, client, store.sessions.get(id), "counselor")


def test_a_seat_somebody_holds_is_nobody_else_s(store: Store, client: tables.Person) -> None:
    session = begun(store)
    sessions.take_seat(store, session.id or 0, "client", people.begin(store, "secret-r"))
    assert taken(store, client, store.sessions.get(session.id or 0)) == []


def test_a_counselor_without_a_code_brings_in_no_report(store: Store) -> None:
    nobody = people.begin(store, "secret-n", {"counselor": []}, "N-01")
    people.set_roles(store, nobody.id or 0, {"counselor": []}, counselor_codes=[])
    taken = None
    text = "Case brief\nShe slept badly.\n\nConsultation process\nThey met.\n"
    with pytest.raises(Exception, match="no counselor code yet"):
        taken = reports.take_report(store, "a.txt", text, store.persons.get(nobody.id or 0))
    assert taken is None and store.reports.count() == 0


def test_a_report_bears_the_code_of_any_browser_of_its_counselor(store: Store, counselor: tables.Person) -> None:
    second = people.begin(store, "secret-2", {"counselor": []}, "T-01b")
    people.set_roles(store, second.id or 0, {"counselor": []}, counselor_codes=[])
    people.join(store, counselor.id or 0, second.id or 0)
    text = "Case brief\nShe slept badly.\n\nConsultation process\nThey met.\n"
    (saved,) = reports.take_report(store, "a.txt", text, store.persons.get(second.id or 0)).reports
    assert saved.counselor_code == "T-01"
