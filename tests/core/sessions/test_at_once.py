"""Two people (or two windows) say something at the same moment: one is kept, the other is told so, nobody's words vanish."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest

from core.errors import DataError
from core.people import service as people
from core.sessions import service
from storage import tables
from storage.store import Store

Agents = dict[str, tables.Agent]


@pytest.fixture
def ana(store: Store) -> tables.Person:
    return people.begin(store, "secret-a", {"client": []}, "A-01")


@pytest.fixture
def ben(store: Store) -> tables.Person:
    return people.begin(store, "secret-b", {"counselor": []}, "T-01")


@pytest.fixture
def talk(store: Store, role: tables.RoleCard, agents: Agents, ana: tables.Person, ben: tables.Person) -> int:
    """A session between two people; the opening line stands, and the client's turn is next."""
    id = service.begin(store, role, agents["client"], agents["counselor"]).id or 0
    service.take_seat(store, id, "client", ana)
    service.take_seat(store, id, "counselor", ben)
    return id


def at_once(*works: Callable[[], Any]) -> list[Any]:
    """What each gives, or the refusal it met, all begun at the same moment."""
    gate = Barrier(len(works))

    def one(work: Callable[[], Any]) -> Any:
        gate.wait(5)
        try:
            return work()
        except DataError as error:
            return error

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(one, works))


@pytest.mark.parametrize("partial", [False, True], ids=["free place", "over a turn that broke off"])
def test_of_two_windows_in_one_seat_one_is_kept_and_the_other_told(store: Store, talk: int, ana: tables.Person, partial: bool) -> None:
    for round in range(4):
        seen = store.sessions.turns(talk)[-1].position
        if partial:
            store.sessions.add_turn(tables.Turn(session_id=talk, position=seen + 1, seat="client", text="So mu", state="partial"))
        done = at_once(
            lambda: service.say(store, talk, "client", f"from the desk {round}", ana, seen),  # noqa: B023 - run at once
            lambda: service.say(store, talk, "client", f"from the couch {round}", ana, seen),  # noqa: B023
        )
        (kept,) = [one for one in done if isinstance(one, tables.Turn)]
        (told,) = [str(one) for one in done if isinstance(one, DataError)]
        assert f"you spoke in another window (turn {seen + 1} of session {talk})" in told and "were not sent" in told
        assert [(t.position, t.text, t.state) for t in store.sessions.turns(talk)][-1] == (seen + 1, kept.text, "complete")
        store.sessions.add_turn(tables.Turn(session_id=talk, position=seen + 2, seat="counselor", text="Go on."))


def test_who_wrote_before_the_other_spoke_is_told_who_spoke(store: Store, talk: int, ana: tables.Person, ben: tables.Person) -> None:
    service.say(store, talk, "client", "It is my son.", ana, 1)
    service.say(store, talk, "counselor", "What about him?", ben, 2)
    with pytest.raises(DataError, match=rf"While you wrote here, you spoke in another window \(turn 2 of session {talk}\)"):
        service.say(store, talk, "client", "It is my job.", ana, 1)  # another window, which still showed the opening line
    with pytest.raises(DataError, match="While you wrote, the client spoke"):
        service.say(store, talk, "counselor", "Hello?", ben, 1)
    assert [turn.text for turn in store.sessions.turns(talk)][1:] == ["It is my son.", "What about him?"]


def test_both_seats_at_the_same_moment_never_lose_a_turn(store: Store, talk: int, ana: tables.Person, ben: tables.Person) -> None:
    done = at_once(
        lambda: service.say(store, talk, "client", "It is my son.", ana, 1), lambda: service.say(store, talk, "counselor", "Well?", ben, 1)
    )
    assert isinstance(done[0], tables.Turn) and isinstance(done[1], DataError)
    assert [turn.text for turn in store.sessions.turns(talk)][1:] == ["It is my son."]


@pytest.mark.parametrize("state", ["ended", "stopped"])
def test_nothing_is_said_in_a_session_that_ended_meanwhile(store: Store, talk: int, ana: tables.Person, state: str) -> None:
    store.sessions.update(talk, state=state)
    with pytest.raises(DataError, match="has ended, so your words were not sent"):
        service.say(store, talk, "client", "Wait!", ana, 1)
    assert len(store.sessions.turns(talk)) == 1


def test_an_agents_turn_does_not_go_over_what_a_person_said_there(store: Store, talk: int) -> None:
    turn = store.sessions.add_turn(tables.Turn(session_id=talk, position=2, seat="client", text="So mu", state="partial"))
    assert store.sessions.complete_turn(turn.id or 0, text="So much.", state="complete").text == "So much."
    with pytest.raises(DataError, match="Somebody else spoke at turn 2"):
        store.sessions.complete_turn(turn.id or 0, text="Other words.", state="complete")
    with pytest.raises(DataError, match="Somebody else spoke at turn 2"):
        store.sessions.add_turn(tables.Turn(session_id=talk, position=2, seat="client", text="Other words."))
    assert [one.text for one in store.sessions.turns(talk)][1:] == ["So much."]
