"""Two browsers type into one live session: whoever comes second is told what was said, and keeps their words in the field."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.errors import DataError
from core.llm import engines
from core.llm.agents import ensure_shipped
from core.sessions import live, service
from pages.components import session_view
from storage import tables
from storage.store import Store
from tests.pages.conftest import AsPerson, Open, shown


@pytest.fixture
def held(store: Store) -> Iterator[Callable[..., int]]:
    """``held(first="counselor")``: a session between a person in the client's seat (or both) and an agent."""
    ensure_shipped(store)
    role = store.roles.add(tables.RoleCard(title="R-014", text="You lost your job."))
    agents = [store.agents.find(seat=seat) for seat in ("client", "counselor")]

    def begun(client: tables.Person, counselor: tables.Person | None = None, **more: Any) -> int:
        id = service.begin(store, role, *agents, **more).id or 0
        for seat, person in (("client", client), ("counselor", counselor)):
            if person is not None:
                live.of(store).take_seat(id, seat, person)
        return id

    yield begun
    live.close(store)


def settled(store: Store, id: int) -> None:
    end = time.monotonic() + 5
    while live.of(store).view(id).running:
        assert time.monotonic() < end
        time.sleep(0.01)


def box(page: AppTest) -> str:
    """What stands in the field without having been sent."""
    return str(page.chat_input(key="live_say").proto.value)


def said(store: Store, id: int) -> list[str]:
    return [turn.text for turn in store.sessions.turns(id)]


def test_a_second_window_of_one_person_keeps_its_words_and_is_told(
    store: Store, open_page: Open, held: Callable[..., int], scripted: Any, monkeypatch: pytest.MonkeyPatch, researcher: tables.Person
) -> None:
    monkeypatch.setattr(engines, "demo_engine", lambda pace=0.0: scripted("What about him?"))
    id = held(researcher)
    desk, couch = open_page("live.py", session=id), open_page("live.py", session=id)
    desk.chat_input(key="live_say").set_value("It is my son.").run()
    settled(store, id)
    before = said(store, id)
    couch.chat_input(key="live_say").set_value("It is my job, more or less.").run()
    assert said(store, id) == before and before[-2:] == ["It is my son.", "What about him?"]
    assert f"you spoke in another window (turn 2 of session {id})" in shown(couch)
    assert "What about him?" in shown(couch) and box(couch) == "It is my job, more or less."
    couch.chat_input(key="live_say").set_value("It is my job after all.").run()  # read, mended, and sent
    settled(store, id)
    assert said(store, id)[3] == "It is my job after all." and box(couch.run()) == ""


def test_words_for_a_seat_whose_turn_it_is_no_more_stand_on_the_page(
    store: Store, open_page: Open, held: Callable[..., int], as_person: AsPerson
) -> None:
    """Both seats are people's: the client's second window sends while the counselor is about to answer."""
    ben = as_person({"counselor": []}, "T-01")
    ana = as_person({"client": []}, "A-01")
    id = held(ana, ben)
    window = open_page("live.py", session=id)
    service.say(store, id, "client", "It is my son.", ana)
    window.chat_input(key="live_say").set_value("It is my job.").run()
    assert said(store, id)[1:] == ["It is my son."] and not window.chat_input
    assert "you spoke in another window" in shown(window) and "It is my job." in shown(window)
    service.say(store, id, "counselor", "What about him?", ben)
    window.run()
    assert box(window) == "It is my job."  # their turn again
    window.run()
    assert "you spoke in another window" not in shown(window)


def test_two_people_in_two_seats_and_a_page_that_is_behind(
    store: Store, open_page: Open, held: Callable[..., int], as_person: AsPerson
) -> None:
    """The counselor's page still shows the field of an earlier turn, because they spoke there from their telephone."""
    ana = as_person({"client": []}, "A-01")
    ben = as_person({"counselor": []}, "T-01")
    id = held(ana, ben, first="client")
    page = open_page("live.py", session=id)
    service.say(store, id, "counselor", "Go on.", ben)
    service.say(store, id, "client", "It is my son.", ana)
    page.chat_input(key="live_say").set_value("Tell me more.").run()
    assert said(store, id)[1:] == ["Go on.", "It is my son."] and box(page) == "Tell me more."
    assert "It is my son." in shown(page)


def test_words_for_a_session_that_was_ended_meanwhile_can_be_read_and_thrown_away(
    store: Store, open_page: Open, held: Callable[..., int], researcher: tables.Person
) -> None:
    id = held(researcher)
    page = open_page("live.py", session=id)
    live.of(store).stop(id)
    page.chat_input(key="live_say").set_value("Wait, one more thing.").run()
    assert "has ended, so your words were not sent" in shown(page) and "Wait, one more thing." in shown(page)
    page.button(key="live_unsent_away").click().run()
    assert "Wait, one more thing." not in shown(page)


def test_words_are_kept_where_the_other_side_cannot_be_asked(
    store: Store, open_page: Open, held: Callable[..., int], researcher: tables.Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(session: tables.Session, pace: float) -> Any:
        raise DataError("The endpoint of the counselor is gone.")

    id = held(researcher)
    page = open_page("live.py", session=id)
    monkeypatch.setattr(session_view, "engines_of", gone)
    page.chat_input(key="live_say").set_value("It is my son.").run()
    assert "The endpoint of the counselor is gone." in shown(page) and box(page) == "It is my son." and len(said(store, id)) == 1


def test_a_branch_behind_the_last_turn_goes_on(
    store: Store, open_page: Open, held: Callable[..., int], scripted: Any, monkeypatch: pytest.MonkeyPatch, researcher: tables.Person
) -> None:
    monkeypatch.setattr(engines, "demo_engine", lambda pace=0.0: scripted("Go on."))
    id = held(researcher, most_turns=2)
    page = open_page("live.py", session=id)
    page.chat_input(key="live_say").set_value("It is my son.").run()
    settled(store, id)
    page.run()
    assert store.sessions.get(id).ended_by == "limit"
    page.button(key="live_branch").click().run()
    child = store.sessions.find(parent_id=id)
    assert child is not None and child.most_turns == 12
    page.run()
    page.chat_input(key="live_say").set_value("One more thing.").run()
    settled(store, child.id or 0)
    assert said(store, child.id or 0)[-2:] == ["One more thing.", "Go on."] and store.sessions.get(child.id or 0).state == "paused"
