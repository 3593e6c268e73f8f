"""Who sits in a seat speaks from it, and nobody else; what they say goes where everybody who spoke agreed."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from core import instruments
from core.clearance import Clearance, kind_of
from core.errors import DataError, NotFound, Refused
from core.people import agreements, reviews
from core.people import service as people
from core.people.agreements import Who
from core.sessions import service
from core.sessions.importing import import_transcripts
from storage import tables
from storage.store import Store
from tests import judging

Agents = dict[str, tables.Agent]
X, Y = "https://models.example/v1", "https://other.example/v1"


@pytest.fixture
def ana(store: Store) -> tables.Person:
    return people.begin(store, "secret-a", {"client": []}, "A-01")


@pytest.fixture
def ben(store: Store) -> tables.Person:
    return people.begin(store, "secret-b", {"counselor": []}, "T-01")


def begun(store: Store, role: tables.RoleCard, agents: Agents, most: int = 20) -> int:
    return service.begin(store, role, agents["client"], agents["counselor"], most_turns=most).id or 0


def spoken(
    store: Store, id: int, seat: str, person: tables.Person, text: str, agrees: Sequence[str] = (), at: Sequence[str] = ()
) -> None:
    """A person sits down, agrees to these purposes for this session (and to these addresses), and speaks."""
    service.take_seat(store, id, seat, person)
    answers = {purpose: purpose in agrees for purpose in ("rated here", "supervision", "group figures", "export")}
    agreements.answer(store, Who(person), {"taking part": True} | answers, id)
    for url in at:
        agreements.answer(store, Who(person), {"outside endpoint": True}, id, endpoint=url)
    service.say(store, id, seat, text, person)


def answered(store: Store, id: int, engine: Any) -> None:
    """The agent in the other seat answers once."""
    asyncio.run(service.converse(store, None, engine, id))


def compared(store: Store, first: int, second: int, engine: Any) -> tables.Comparison:
    rater = store.raters.ensure("model", "judge")
    pair = store.sessions.get(first), store.sessions.get(second)
    scale = instruments.load("hill")
    return asyncio.run(judging.judge_comparison(store, engine, rater, scale, scale.dimensions[0].id, *pair))


VERDICT = '{"reasoning": "Warmer.", "evidence": [], "verdict": "A"}'


def test_nobody_speaks_from_a_seat_that_is_not_theirs(
    store: Store, role: tables.RoleCard, agents: Agents, ana: tables.Person, ben: tables.Person
) -> None:
    id = begun(store, role, agents)
    with pytest.raises(DataError, match="do not sit"):
        service.say(store, id, "client", "It is me.", ana)
    service.take_seat(store, id, "client", ana)
    for tried in (
        lambda: service.say(store, id, "client", "It is not me.", ben), lambda: service.take_seat(store, id, "client", ben),
        lambda: service.leave_seat(store, id, "client", ben),
    ):  # fmt: skip
        with pytest.raises(DataError, match="Somebody else sits"):
            tried()
    turn = service.say(store, id, "client", "It is me.", ana)
    assert (turn.speaker, turn.person_id) == ("person", ana.id)
    assert store.sessions.get(id).client_person_id == ana.id and store.sessions.get(id).client_code == "A-01"


def test_a_seat_is_left_by_its_owner_or_freed_by_a_researcher(
    store: Store, role: tables.RoleCard, agents: Agents, ana: tables.Person, ben: tables.Person
) -> None:
    id, researcher = begun(store, role, agents), people.begin(store, "secret-r")
    for frees in (ana, researcher):
        service.take_seat(store, id, "client", ana)
        service.leave_seat(store, id, "client", frees)
        assert store.sessions.get(id).client_person_id is None
    service.take_seat(store, id, "client", ben)
    assert store.sessions.get(id).client_person_id == ben.id


def test_two_who_sit_down_at_once_do_not_both_sit(
    store: Store, role: tables.RoleCard, agents: Agents, ana: tables.Person, ben: tables.Person, monkeypatch: Any
) -> None:
    """Ben's click was looked at before Ana's was saved."""
    id = begun(store, role, agents)
    before = store.sessions.get(id)
    service.take_seat(store, id, "client", ana)
    monkeypatch.setattr(service, "check_free", lambda *_: before)
    with pytest.raises(DataError, match="Somebody else sits"):
        service.take_seat(store, id, "client", ben)
    assert store.sessions.get(id).client_person_id == ana.id


def test_the_same_person_in_another_browser_sits_in_their_seat(
    store: Store, role: tables.RoleCard, agents: Agents, ana: tables.Person
) -> None:
    id, laptop = begun(store, role, agents), people.begin(store, "secret-a2", {"client": []}, "A-01")
    service.take_seat(store, id, "client", ana)
    with pytest.raises(DataError, match="Somebody else sits"):  # the same code is no proof
        service.say(store, id, "client", "It is me.", laptop)
    people.join(store, laptop.id or 0, ana.id or 0)
    assert service.say(store, id, "client", "It is me.", laptop).speaker == "person"


def test_a_branch_keeps_who_spoke_and_seats_nobody_but_who_made_it(
    store: Store, role: tables.RoleCard, agents: Agents, ana: tables.Person, ben: tables.Person, scripted: Any
) -> None:
    id = begun(store, role, agents)
    spoken(store, id, "client", ana, "anaword")
    theirs, own = service.branch(store, id, 2, ben), service.branch(store, id, 2, ana)
    assert (theirs.client_person_id, own.client_person_id) == (None, ana.id)
    assert [t.person_id for t in store.sessions.turns(theirs.id or 0)] == [None, ana.id]
    engine = scripted("Hello.", base_url=X)
    with pytest.raises(Refused, match=f"session {theirs.id}"):
        answered(store, theirs.id or 0, engine)
    assert engine.asked == []
    agreements.answer(store, Who(ana), {"outside endpoint": True}, id, endpoint=X)  # for the session it began with
    answered(store, theirs.id or 0, engine)
    assert len(engine.asked) == 1


def test_words_of_a_person_need_their_consent_to_the_address(
    store: Store, role: tables.RoleCard, agents: Agents, ana: tables.Person, scripted: Any
) -> None:
    id, outside = begun(store, role, agents), scripted("Hello.", base_url=X)
    spoken(store, id, "client", ana, "It is me now.", at=[Y])
    with pytest.raises(Refused, match=f"session {id}"):
        answered(store, id, outside)
    assert outside.asked == []
    agreements.answer(store, Who(ana), {"outside endpoint": True}, id, endpoint=X)
    answered(store, id, outside)
    assert len(outside.asked) == 1


def test_two_sessions_are_compared_where_everybody_in_both_agreed(
    store: Store, role: tables.RoleCard, agents: Agents, ana: tables.Person, ben: tables.Person, scripted: Any
) -> None:
    first, second, judge = begun(store, role, agents), begun(store, role, agents), scripted(VERDICT, base_url=X)
    spoken(store, first, "client", ana, "anaword", ["rated here"], [X])
    spoken(store, second, "client", ben, "benword", ["rated here"])
    for pair in ((first, second), (second, first)):
        with pytest.raises(Refused, match=f"session {second}"):
            compared(store, *pair, judge)
    assert judge.asked == [] and store.calls.count() == 0
    agreements.answer(store, Who(ben), {"outside endpoint": True}, second, endpoint=X)
    assert compared(store, first, second, judge).verdict == "won"


def test_who_sits_down_next_does_not_answer_for_who_sat_there(
    store: Store, role: tables.RoleCard, agents: Agents, ana: tables.Person, ben: tables.Person, scripted: Any
) -> None:
    id, outside = begun(store, role, agents), scripted("Hello.", base_url=Y)
    spoken(store, id, "client", ana, "anaword")
    service.leave_seat(store, id, "client", ana)
    spoken(store, id, "counselor", ben, "benword", ["rated here"], [Y])
    with pytest.raises(Refused, match="this address"):
        asyncio.run(service.converse(store, outside, None, id))
    with pytest.raises(Refused, match="being rated"):
        compared(store, id, id, scripted(VERDICT))
    agreements.withdraw(store, Who(ben))
    agreements.answer(store, Who(ben), {"taking part": True}, id)
    assert outside.asked == [] and next(row.agreed for row in Who(ana).rows(store)), "Ana's rows are hers"
    assert not any(row.withdrawn for row in Who(ana).rows(store))


def test_what_is_withdrawn_is_not_sent_again(
    store: Store, role: tables.RoleCard, agents: Agents, ana: tables.Person, scripted: Any
) -> None:
    id, other, judge = begun(store, role, agents), begun(store, role, agents), scripted(VERDICT, base_url=X)
    for one in (id, other):
        spoken(store, one, "client", ana, "anaword", ["rated here"], [X])
    compared(store, id, other, judge)
    agreements.withdraw(store, Who(ana), ["outside endpoint"], id, X)
    with pytest.raises(Refused, match=f"session {id} agreed to this address"):
        compared(store, id, other, judge)
    agreements.withdraw(store, Who(ana), ["rated here"])
    with pytest.raises(Refused, match="being rated"):
        compared(store, other, other, scripted(VERDICT))
    assert len(judge.asked) == 1


@pytest.mark.parametrize("purpose", ["rated here", "outside endpoint", "taking part"])
def test_an_answer_that_comes_after_the_withdrawal_is_no_rating(
    store: Store, role: tables.RoleCard, agents: Agents, ana: tables.Person, scripted: Any, purpose: str
) -> None:
    id = begun(store, role, agents)
    spoken(store, id, "client", ana, "anaword", ["rated here"], [X])
    store.endpoints.add(tables.Endpoint(name="x", base_url=X + "/", model="m"))

    def withdraws(question: Any) -> str:
        agreements.withdraw(store, Who(ana), [purpose], id)
        return '{"reasoning": "Warm.", "evidence": [], "rating": 4}'

    judge, scale = scripted(withdraws, base_url=X), instruments.load("wai-o-s")
    rater, session = store.raters.ensure("model", "judge"), store.sessions.get(id)
    with pytest.raises(NotFound, match="withdrawn meanwhile"):
        asyncio.run(judging.rate_session(store, judge, rater, scale, session, [scale.items[0].id]))
    assert len(judge.asked) == 1
    assert (store.ratings.count(), store.calls.count()) == (0, 0), "neither a rating nor the words that were sent"


def test_no_review_lifts_what_a_person_said(
    store: Store, role: tables.RoleCard, agents: Agents, ana: tables.Person, scripted: Any
) -> None:
    researcher, outside = people.begin(store, "secret-r"), scripted("Hello.", base_url=X)
    typed = store.roles.add(tables.RoleCard(title="Typed", sampling="written", text="You live at 4 Elm Street."))
    id = begun(store, typed, agents)
    spoken(store, id, "client", ana, "anaword", ["rated here"])
    assert kind_of(store, "session", id) is Clearance.UNCONFIRMED
    reviews.review(store, researcher, "session", id, "confirmed", reviews.shown(store, "session", id))
    assert kind_of(store, "session", id) is Clearance.LIVE, "the rest of it was read; hers stay hers"
    with pytest.raises(Refused, match="agreed to this address"):
        answered(store, id, outside)
    agreements.answer(store, Who(ana), {"outside endpoint": True}, id, endpoint=X)
    answered(store, id, outside)
    service.leave_seat(store, id, "client", ana)
    with pytest.raises(Refused, match="personal data"):  # its role goes along now, which nobody read
        asyncio.run(service.converse(store, outside, outside, id))


def test_a_seat_taken_in_what_was_imported_makes_it_no_more_shareable(
    store: Store, role: tables.RoleCard, agents: Agents, ana: tables.Person, scripted: Any
) -> None:
    brought = import_transcripts(store, "case.txt", b"Client: I live at 4 Elm Street.\n\nCounselor: Go on.\n")
    child = service.branch(store, brought.saved[0], 1, ana, counselor_agent=agents["counselor"], most_turns=20).id or 0
    store.sessions.add_turn(tables.Turn(session_id=child, position=2, seat="counselor", text="Go on."))
    spoken(store, child, "client", ana, "anaword", ["rated here"], [X])
    assert store.sessions.get(child).origin == "imported"
    outside = scripted("Hello.", base_url=X)
    with pytest.raises(Refused, match="personal data"):
        answered(store, child, outside)
    assert outside.asked == []
