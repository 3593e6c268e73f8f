"""Two seats make turns: saved one by one, resumable, ended by farewell or limit, never more than asked."""

import asyncio
from typing import Any

import pytest

from core.errors import DataError, ModelError
from core.people import service as people
from core.sessions import seating, service
from core.sessions.detector import Detector
from storage import tables
from storage.store import Store

Agents = dict[str, tables.Agent]


def held(store: Store, session: tables.Session, client: Any, counselor: Any, **more: Any) -> tables.Session:
    return asyncio.run(service.converse(store, client, counselor, session.id or 0, **more))


def test_two_agents_speak_to_the_limit(
    store: Store, role: tables.RoleCard, agents: Agents, scripted: Any
) -> None:
    client, counselor = scripted("I lost my job."), scripted("Tell me more.")
    session = service.begin(store, role, agents["client"], agents["counselor"], most_turns=4, seed=7)
    done = held(store, session, client, counselor)
    turns = store.sessions.turns(done.id or 0)
    assert (done.state, done.ended_by, done.cut_at) == ("ended", "limit", None)
    assert [t.seat for t in turns] == ["counselor", "client", "counselor", "client", "counselor"]
    assert turns[0].stage == seating.OPENER and turns[0].call_id is None
    assert all(turn.call_id for turn in turns[1:])
    assert len(client.asked) == len(counselor.asked) == 2


def test_questions_carry_the_role_the_turns_and_the_papers_settings(
    store: Store, role: tables.RoleCard, agents: Agents, scripted: Any
) -> None:
    client, counselor = scripted("I lost my job."), scripted("Tell me more.")
    session = service.begin(store, role, agents["client"], agents["counselor"], most_turns=4, seed=7)
    held(store, session, client, counselor)
    first, second = client.asked[0], counselor.asked[0]
    assert first.inputs["role"]["stressor"]["label"] == "Job loss" and "most_turns" not in first.inputs
    assert second.inputs["most_turns"] == 5 and len(second.inputs["turns"]) == 2
    assert (first.settings.temperature, first.settings.top_p, first.settings.max_tokens) == (0.7, 0.9, 512)
    assert first.seed == seating.turn_seed(7, 2) != second.seed
    assert {(one.kind, one.id) for one in first.about} == {("role", role.id), ("session", session.id)} and first.use == "session"


def test_a_mutual_farewell_ends_the_session(
    store: Store, role: tables.RoleCard, agents: Agents, scripted: Any
) -> None:
    client = scripted("It is hard.", "Yes.", "I see.", "Thank you. Goodbye.")
    counselor = scripted("Tell me more.", "I hear you.", "That matters.", "Take care. See you next week.")
    session = service.begin(store, role, agents["client"], agents["counselor"])
    done = held(store, session, client, counselor)
    assert (done.ended_by, len(store.sessions.turns(done.id or 0))) == ("farewell", 9)


def test_words_about_a_goodbye_and_a_goodbye_in_danger_end_nothing(
    store: Store, role: tables.RoleCard, agents: Agents, scripted: Any
) -> None:
    for line in ("He sent me goodbye texts.", "This is goodbye."):
        client = scripted("It is hard.", "Yes.", "I see.", line, "I am still here.")
        counselor = scripted("Tell me more.", "I hear you.", "That matters.", "Thank you. Take care, goodbye.", "I am glad.")
        session = service.begin(store, role, agents["client"], agents["counselor"], most_turns=10)
        done = held(store, session, client, counselor)
        assert (done.ended_by, done.cut_at, len(store.sessions.turns(done.id or 0))) == ("limit", None, 11)


@pytest.mark.parametrize("trained", [None, Detector({}, intercept=9.0)], ids=["rules", "detector"])
def test_after_a_sign_of_danger_agents_say_goodbye_in_vain(
    store: Store, role: tables.RoleCard, agents: Agents, scripted: Any, trained: Detector | None
) -> None:
    """By neither way of noticing an ending, however long ago it was said: only the limit, or a person, ends it."""
    client = scripted("I want to kill myself.", "At home.", "I don't know.", "Yes.", "Thank you. Goodbye.", "Bye.")
    counselor = scripted("Where are you?", "Is somebody there?", "Stay with me.", "I hear you.", "Take care, goodbye.", "Goodbye.")
    session = service.begin(store, role, agents["client"], agents["counselor"], most_turns=12)
    done = held(store, session, client, counselor, detector=trained)
    assert (done.ended_by, done.cut_at, len(store.sessions.turns(done.id or 0))) == ("limit", None, 13)


def test_a_failure_keeps_the_turns_and_the_session_goes_on_there(
    store: Store, role: tables.RoleCard, agents: Agents, scripted: Any
) -> None:
    session = service.begin(store, role, agents["client"], agents["counselor"], most_turns=4)
    broken = scripted("One.", ModelError("The endpoint refused the key."), "Two.")
    counselor = scripted("Go on.")
    with pytest.raises(ModelError):
        held(store, session, broken, counselor)
    paused = store.sessions.get(session.id or 0)
    assert (paused.state, paused.ended_by) == ("paused", "error")
    assert paused.faults[0]["turn"] == 4 and "refused the key" in paused.faults[0]["message"]
    kept = [t.text for t in store.sessions.turns(session.id or 0)]
    done = held(store, session, broken, counselor)
    assert [t.text for t in store.sessions.turns(session.id or 0)][: len(kept)] == kept
    assert done.state == "ended" and [t.position for t in store.sessions.turns(done.id or 0)] == [
        1,
        2,
        3,
        4,
        5,
    ]


class Slow:
    """Speaks two words and then takes for ever."""

    def __init__(self, scripted: Any) -> None:
        inner = scripted("x")
        self.endpoint, self.version = inner.endpoint, inner.version

    async def ask(self, question: Any, on_text: Any = None) -> Any:
        for word in ("So ", "much"):
            on_text(word)
        await asyncio.sleep(60)


def test_cancelling_keeps_a_partial_turn_that_is_said_again_whole(
    store: Store, role: tables.RoleCard, agents: Agents, scripted: Any
) -> None:
    session = service.begin(store, role, agents["client"], agents["counselor"], most_turns=2)
    heard: list[str] = []

    async def leave() -> None:
        work = asyncio.create_task(
            service.converse(store, Slow(scripted), scripted("Go on."), session.id or 0, on_text=heard.append)
        )
        while len(heard) < 2:
            await asyncio.sleep(0.01)
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)

    asyncio.run(leave())
    partial = store.sessions.turns(session.id or 0)[-1]
    assert (partial.text, partial.state, partial.position) == ("So much", "partial", 2)
    assert store.sessions.get(session.id or 0).ended_by == "paused"
    counselor = scripted("Go on.")
    held(store, session, scripted("So much has changed."), counselor)
    turns = store.sessions.turns(session.id or 0)
    assert [(t.text, t.state) for t in turns[1:]] == [
        ("So much has changed.", "complete"),
        ("Go on.", "complete"),
    ]
    assert turns[1].id == partial.id


def test_without_an_opener_the_first_seat_speaks_for_itself(
    store: Store, role: tables.RoleCard, agents: Agents, scripted: Any
) -> None:
    session = service.begin(
        store, role, agents["client"], agents["counselor"], most_turns=2, opener="", first="counselor"
    )
    held(store, session, scripted("Hello."), scripted("Welcome."))
    assert [(t.seat, t.text) for t in store.sessions.turns(session.id or 0)] == [
        ("counselor", "Welcome."),
        ("client", "Hello."),
    ]


def test_the_session_waits_for_a_person(
    store: Store, role: tables.RoleCard, agents: Agents, scripted: Any
) -> None:
    ana = people.begin(store, "secret-a", {"counselor": []}, "T-01")
    session = service.begin(store, role, agents["client"], None, most_turns=4)
    id = session.id or 0
    service.take_seat(store, id, "counselor", ana)
    waiting = held(store, session, scripted("I lost my job."), None)
    assert (waiting.state, waiting.ended_by, waiting.origin) == ("paused", "waiting", "live")
    turn = service.say(store, id, "counselor", "  What was that like?  ", ana)
    assert (turn.speaker, turn.person_id) == ("person", ana.id)
    held(store, session, scripted("Bad."), None)
    assert [t.text for t in store.sessions.turns(id)][-2:] == ["What was that like?", "Bad."]
    with pytest.raises(DataError, match="1 to 4000"):
        service.say(store, id, "counselor", " ", ana)
    service.take_seat(store, id, "client", ana)
    with pytest.raises(DataError, match="counselor speaks next"):
        service.say(store, id, "client", "And now me.", ana)


def test_a_risk_sign_is_marked_where_the_client_says_it(
    store: Store, role: tables.RoleCard, agents: Agents, scripted: Any
) -> None:
    session = service.begin(store, role, agents["client"], agents["counselor"], most_turns=2)
    held(store, session, scripted("Some days I want to die."), scripted("You want to die, you say."))
    marked = [t.risk for t in store.sessions.turns(session.id or 0)]
    assert [m["kind"] for m in marked[1]] == ["suicide"] and marked[2] == []


def test_a_branch_begins_alike_and_goes_its_own_way(
    store: Store, role: tables.RoleCard, agents: Agents, scripted: Any
) -> None:
    parent = service.begin(store, role, agents["client"], agents["counselor"], most_turns=4)
    held(store, parent, scripted("I lost my job."), scripted("Tell me more."))
    someone = people.begin(store, "secret-a")
    child = service.branch(store, parent.id or 0, 3, someone)
    assert (child.parent_id, child.branch_turn, child.state) == (parent.id, 3, "paused")
    assert child.seed != parent.seed
    held(store, child, scripted("It was in spring."), scripted("In spring."))
    ours, theirs = store.sessions.turns(child.id or 0), store.sessions.turns(parent.id or 0)
    assert [t.text for t in ours[:3]] == [t.text for t in theirs[:3]] and ours[3].text != theirs[3].text
    assert ours[1].call_id is None
    with pytest.raises(DataError, match="no complete turn 9"):
        service.branch(store, parent.id or 0, 9, someone)


def test_agents_sit_where_they_belong(store: Store, role: tables.RoleCard, agents: Agents) -> None:
    with pytest.raises(DataError, match="made for the seat counselor"):
        service.begin(store, role, agents["counselor"], agents["client"])
    with pytest.raises(DataError, match="needs a role card"):
        service.begin(store, None, agents["client"], agents["counselor"])
    with pytest.raises(DataError, match="2 to 200"):
        service.begin(store, role, agents["client"], agents["counselor"], most_turns=1)
