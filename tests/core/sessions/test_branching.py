"""A branch can always go on, also behind what ended the session it is branched off from."""

import asyncio
from typing import Any

import pytest

from core.errors import DataError
from core.people import service as people
from core.sessions import seating, service
from storage import tables
from storage.store import Store

Agents = dict[str, tables.Agent]
TALK = ("It is hard.", "Yes.", "I see.", "Thank you. Goodbye.")
REPLIES = ("Tell me more.", "I hear you.", "That matters.", "Take care. See you next week.")


@pytest.fixture
def ana(store: Store) -> tables.Person:
    return people.begin(store, "secret-a", {"client": [], "counselor": []}, "A-01")


def held(store: Store, session: tables.Session, client: Any, counselor: Any) -> tables.Session:
    return asyncio.run(service.converse(store, client, counselor, session.id or 0))


def last(store: Store, session: tables.Session) -> int:
    return store.sessions.turns(session.id or 0)[-1].position


def test_behind_the_limit_there_is_room_for_more(
    store: Store, role: tables.RoleCard, agents: Agents, scripted: Any, ana: tables.Person
) -> None:
    parent = held(store, service.begin(store, role, agents["client"], agents["counselor"], most_turns=4), scripted("Hard."), scripted("Go on."))
    assert parent.ended_by == "limit"
    child = service.branch(store, parent.id or 0, last(store, parent), ana)
    assert (child.state, child.most_turns) == ("paused", 4 + seating.MORE_TURNS)
    done = held(store, child, scripted("And then."), scripted("What then?"))
    said = [turn.text for turn in store.sessions.turns(done.id or 0)]
    assert (done.ended_by, len(said)) == ("limit", 5 + seating.MORE_TURNS) and said[5:7] == ["And then.", "What then?"]


def test_a_farewell_before_the_branch_neither_ends_it_nor_cuts_it_for_the_judge(
    store: Store, role: tables.RoleCard, agents: Agents, scripted: Any, ana: tables.Person
) -> None:
    parent = held(store, service.begin(store, role, agents["client"], agents["counselor"]), scripted(*TALK), scripted(*REPLIES))
    assert parent.ended_by == "farewell"
    child = service.branch(store, parent.id or 0, last(store, parent), ana, most_turns=11)
    done = held(store, child, scripted("Thank you. One more thing.", "It is my son."), scripted("Which one?"))
    assert (done.ended_by, last(store, done), done.cut_at) == ("limit", 12, None)
    again = service.branch(store, parent.id or 0, last(store, parent), ana)
    done = held(store, again, scripted("It is my son.", "Thanks, goodbye."), scripted("What about him?", "Goodbye, take care."))
    assert (done.ended_by, last(store, done), done.cut_at) == ("farewell", 13, None)


@pytest.mark.parametrize("seat", ["client", "counselor"])
def test_a_person_goes_on_in_the_seat_they_sat_in(
    store: Store, role: tables.RoleCard, agents: Agents, scripted: Any, ana: tables.Person, seat: str
) -> None:
    parent = service.begin(store, role, agents["client"], agents["counselor"], most_turns=2, first=seating.other(seat))
    service.take_seat(store, parent.id or 0, seat, ana)
    service.say(store, parent.id or 0, seat, "It began in spring.", ana)
    engines = [None if one == seat else scripted("Go on.") for one in seating.SEATS]
    ended = held(store, parent, *engines)
    assert (ended.state, ended.ended_by) == ("ended", "limit")
    child = service.branch(store, parent.id or 0, last(store, ended), ana)
    service.say(store, child.id or 0, seat, "One more thing.", ana)
    after = held(store, child, *engines)
    said = [turn.text for turn in store.sessions.turns(child.id or 0)][-2:]
    assert (after.state, after.ended_by) == ("paused", "waiting") and said == ["One more thing.", "Go on."]


def test_in_the_middle_the_limit_of_the_parent_holds(
    store: Store, role: tables.RoleCard, agents: Agents, scripted: Any, ana: tables.Person
) -> None:
    parent = held(store, service.begin(store, role, agents["client"], agents["counselor"], most_turns=6), scripted("Hard."), scripted("Go on."))
    child = service.branch(store, parent.id or 0, 3, ana)
    assert (child.most_turns, held(store, child, scripted("So."), scripted("Yes?")).ended_by, last(store, child)) == (6, "limit", 7)


def test_a_limit_that_leaves_nothing_to_say_is_said(
    store: Store, role: tables.RoleCard, agents: Agents, scripted: Any, ana: tables.Person
) -> None:
    parent = held(store, service.begin(store, role, agents["client"], agents["counselor"], most_turns=4), scripted("Hard."), scripted("Go on."))
    before = store.sessions.count()
    with pytest.raises(DataError, match="begins with 4 turns"):
        service.branch(store, parent.id or 0, 5, ana, most_turns=4)
    assert store.sessions.count() == before
