"""Live session, as people use it: what is missing is said, two agents speak, a person takes a seat, nothing is lost."""

import html
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.errors import DataError, ModelError, Refused
from core.llm import engines
from core.llm.agents import ensure_shipped
from core.people import agreements
from core.people import service as people
from core.people.agreements import Who
from core.roles import service as roles
from core.sessions import live, seating, service
from pages.components import session_view
from storage import tables
from storage.store import Store, open_store
from tests.pages.conftest import AsPerson, Open, shown

FRAME = str(Path(__file__).parents[2] / "pages" / "frame.py")


@pytest.fixture
def role(store: Store) -> Iterator[tables.RoleCard]:
    ensure_shipped(store)
    yield store.roles.add(
        tables.RoleCard(
            title="R-014",
            stressor={"label": "Job loss <b>now</b>"},
            demographics={"age": 41, "occupation": "planner"},
            life_events=["moved city at 30"],
            traits={"extraversion": "introverted"},
            text="You lost your job.",
        )
    )
    live.close(store)


@pytest.fixture
def speaks(scripted: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Let every demo agent say the given lines."""

    def prepare(*lines: Any) -> Any:
        engine = scripted(*lines)
        monkeypatch.setattr(engines, "demo_engine", lambda pace=0.0: engine)
        return engine

    return prepare


def opened(session: int | None = None, name: str = "live.py") -> AppTest:
    page = AppTest.from_file(FRAME, default_timeout=20)
    page.switch_page(name)
    if session is not None:
        page.query_params["session"] = str(session)
    return page.run()


def seen(page: AppTest) -> str:
    """Everything on the page that is words."""
    kinds = ("html", "text", "markdown", "title", "error", "caption", "header")
    return " ".join(
        str(getattr(e, "value", "") or getattr(e, "body", "")) for k in kinds for e in page.get(k)
    )


def settled(store: Store, id: int) -> None:
    end = time.monotonic() + 5
    while live.of(store).view(id).running:
        assert time.monotonic() < end
        time.sleep(0.01)


def paused(store: Store, role: tables.RoleCard, **more: Any) -> int:
    agents = [store.agents.find(seat=seat) for seat in ("client", "counselor")]
    return service.begin(store, role, agents[0], agents[1], **more).id or 0


def test_page_says_what_is_missing(store: Store) -> None:
    page = opened()
    assert "No role card yet" in seen(page) and page.button(key="live_empty")
    live.close(store)


def test_researcher_runs_a_session(store: Store, role: tables.RoleCard, speaks: Callable[..., Any]) -> None:
    speaks("It is <b>hard</b>.")
    page = opened()
    page.number_input(key="live_turns").set_value(4)
    page.button(key="live_start").click().run()
    session = store.sessions.all()[0]
    assert page.query_params["session"] == str(session.id)
    assert (session.state, session.ended_by, len(store.sessions.turns(session.id or 0))) == (
        "ended",
        "limit",
        5,
    )
    page.run()
    words = seen(page)
    assert f"Live session {session.id}" in words and "limit of 4 turns" in words
    assert "It is &lt;b&gt;hard&lt;/b&gt;." in words and "<b>hard</b>" not in words
    assert "Opening line" in words and "Hill" in words and "R-014" in words


def test_refresh_and_another_tab_show_the_same_session(
    store: Store, role: tables.RoleCard, speaks: Callable[..., Any]
) -> None:
    speaks("It is hard.")
    id = paused(store, role, most_turns=2)
    one, two = opened(id), opened(id)
    one.button(key="live_continue").click().run()
    settled(store, id)
    two.run()
    assert "It is hard." in seen(two) and seen(two).count("turn-3") == seen(one.run()).count("turn-3") == 1


def test_model_failure_keeps_saved_turns(
    store: Store, role: tables.RoleCard, speaks: Callable[..., Any]
) -> None:
    speaks("It is hard.", ModelError("The endpoint refused the key."), "Go on.")
    id = paused(store, role, most_turns=2)
    page = opened(id)
    page.button(key="live_continue").click().run()
    settled(store, id)
    page.run()
    words = page.error[0].value
    assert "rests at turn 3" in words and "refused the key" in words and "It is hard." in seen(page)
    page.button(key="live_continue").click().run()
    settled(store, id)
    assert [t.text for t in store.sessions.turns(id)][1:] == ["It is hard.", "Go on."]


def test_a_person_takes_the_counselors_seat_and_speaks(
    store: Store, role: tables.RoleCard, speaks: Callable[..., Any], researcher: tables.Person
) -> None:
    speaks("It is hard.")
    id = paused(store, role, most_turns=10)
    page = opened(id)
    page.button(key="live_take_counselor").click().run()
    page.button(key="live_consent_1_begin").click().run()
    page.button(key="live_continue").click().run()
    settled(store, id)
    page.run()
    page.chat_input(key="live_say").set_value("What makes it hard?").run()
    settled(store, id)
    turns = store.sessions.turns(id)
    assert [(t.seat, t.text) for t in turns[2:]] == [
        ("counselor", "What makes it hard?"),
        ("client", "It is hard."),
    ]
    session = store.sessions.get(id)
    assert (session.counselor_person_id, session.counselor_code) == (researcher.id, researcher.code)
    assert f"Counselor · {researcher.code}" in seen(page)


def test_the_clients_seat_needs_the_notice_and_a_risk_sign_brings_the_crisis_panel(
    store: Store, role: tables.RoleCard, speaks: Callable[..., Any], researcher: tables.Person
) -> None:
    engine = speaks("I hear you.")
    id = paused(store, role, most_turns=10)
    page = opened(id)
    page.button(key="live_take_client").click().run()
    assert store.sessions.get(id).client_person_id is None and page.button(key="live_consent_1_begin").disabled
    for box in page.checkbox:
        box.check()
    page.run()
    page.button(key="live_consent_1_begin").click().run()
    assert store.sessions.get(id).client_person_id == researcher.id
    page.run()
    page.chat_input(key="live_say").set_value("I want to die.").run()
    page.run()
    assert engine.asked == [] and "No program can help with that" in seen(page)
    assert store.sessions.get(id).ended_by == "risk"
    page.button(key="live_risk_on").click().run()
    settled(store, id)
    assert len(engine.asked) == 1


def test_a_simulated_risk_sign_is_marked_and_the_session_goes_on(
    store: Store, role: tables.RoleCard, speaks: Callable[..., Any]
) -> None:
    speaks("Some days I want to die.", "I hear you.")
    id = paused(store, role, most_turns=2)
    page = opened(id)
    page.button(key="live_continue").click().run()
    settled(store, id)
    page.run()
    assert "sign of risk was noticed in turn 2" in seen(page) and store.sessions.get(id).state == "ended"


def test_branching_opens_a_session_with_the_same_beginning(
    store: Store, role: tables.RoleCard, speaks: Callable[..., Any]
) -> None:
    speaks("It is hard.")
    id = paused(store, role, most_turns=4)
    page = opened(id)
    page.button(key="live_continue").click().run()
    settled(store, id)
    page.run()
    page.number_input(key="live_branch_at_5").set_value(2)
    page.button(key="live_branch").click().run()
    made = store.sessions.find(parent_id=id)
    assert made is not None and page.query_params["session"] == str(made.id)
    assert len(store.sessions.turns(made.id or 0)) == 2
    assert f"Branched from session {id} after turn 2" in [link.proto.label for link in page.get("page_link")]


def test_stop_keeps_the_turns(store: Store, role: tables.RoleCard, speaks: Callable[..., Any]) -> None:
    speaks("It is hard.")
    id = paused(store, role, most_turns=4)
    page = opened(id)
    page.button(key="live_stop").click().run()
    assert store.sessions.get(id).state == "stopped" and "person stopped the session" in seen(page)


def test_an_unknown_session_is_said(store: Store, role: tables.RoleCard) -> None:
    page = opened(99)
    assert "no session 99" in page.error[0].value and page.button(key="live_start")


def test_a_session_that_another_server_holds_is_only_watched(store: Store, role: tables.RoleCard) -> None:
    agents = [store.agents.find(seat=seat) for seat in ("client", "counselor")]
    id = service.begin(store, role, *agents).id or 0
    other = live.Live(open_store(store.path))
    try:
        assert other.holding.take(id) == ""
        store.sessions.update(id, state="running", ended_by="")
        page = opened(id)
        assert "going on in another Rapport" in seen(page) and "study" not in seen(page)
        assert not [
            button
            for button in page.button
            if button.key in ("live_continue", "live_stop", "live_take_client")
        ]
    finally:
        other.close()
    page = opened(id)
    assert [button for button in page.button if button.key == "live_continue"], "nobody holds it any more"


def test_an_older_version_of_a_role_is_the_one_that_is_tried(
    store: Store, role: tables.RoleCard, speaks: Callable[..., Any]
) -> None:
    speaks("It is hard.")
    store.roles.add(tables.RoleCard(title="R-099", text="Another."))
    roles.change_role(store, role.id or 0, text="You found work again.")
    page = AppTest.from_file(FRAME, default_timeout=20)
    page.switch_page("live.py")
    page.query_params["role"] = str(role.id)
    page.run()
    assert "Role card R-014" in seen(page).replace("\\", "") and "uses version 1 of 2" in seen(page)
    page.number_input(key="live_turns").set_value(2)
    page.button(key="live_start").click().run()
    assert store.sessions.all()[0].role_id == role.id


def test_a_seat_handed_back_leaves_the_persons_turn_said_and_is_no_persons_turn(
    store: Store, role: tables.RoleCard, speaks: Callable[..., Any], researcher: tables.Person
) -> None:
    speaks("It is hard.")
    id = paused(store, role, most_turns=10)
    server = live.of(store)
    server.take_seat(id, "counselor", researcher)
    page = opened(id)
    page.button(key="live_continue").click().run()
    settled(store, id)
    page.run()
    page.chat_input(key="live_say").set_value("What makes it hard?").run()
    settled(store, id)
    page.run()
    assert store.sessions.get(id).ended_by == "waiting"
    page.button(key="live_leave_counselor").click().run()
    words = html.unescape(seen(page))
    assert "Written by a person" in words, "who speaks next does not unsay who spoke"
    assert "It is a person's turn" not in words and "The seat is the agent's again" in words
    assert page.button(key="live_continue")


def test_the_notice_says_how_words_are_deleted_and_where_to_turn_once(
    store: Store, role: tables.RoleCard
) -> None:
    page = opened(paused(store, role))
    page.button(key="live_take_client").click().run()
    words = seen(page)
    assert "On Data and privacy, in this browser, you can withdraw and delete what you wrote by yourself" in words
    assert words.count("not care and not a diagnosis") == 1
    assert not [b for b in page.button if str(b.key).startswith("live_take_")], (
        "an open menu would lie over the notice"
    )


# ---- what is answered before a seat is taken --------------------------------------------------------------------------


def answers_of(store: Store, person: tables.Person) -> dict[tuple[str, int | None], bool]:
    return {(row.purpose, row.session_id): row.agreed for row in Who(person).rows(store)}


def test_what_is_not_ticked_is_a_no_for_this_session(store: Store, role: tables.RoleCard, as_person: AsPerson) -> None:
    ana = as_person({"client": []}, "A-01")
    id = paused(store, role)
    page = opened(id)
    page.button(key="live_take_client").click().run()
    assert not any(box.value for box in page.checkbox), "nothing is ticked beforehand"
    for n in range(1, 5):
        page.checkbox(key=f"live_consent_1_tick_{n}").check()
    page.checkbox(key="live_consent_1_supervision").check().run()
    page.button(key="live_consent_1_begin").click().run()
    assert store.sessions.get(id).client_person_id == ana.id
    assert answers_of(store, ana) == {
        ("taking part", id): True, ("rated here", id): False, ("supervision", id): True, ("group figures", id): False,
        ("export", id): False,
    }  # fmt: skip
    assert {row.form_version for row in Who(ana).rows(store)} == {agreements.FORM_VERSION}


def test_the_counselors_notice_names_the_address_outside_and_asks_for_it(
    store: Store, role: tables.RoleCard, as_person: AsPerson
) -> None:
    tom = as_person({"counselor": []}, "T-01")
    url = "https://models.example/v1"
    place = store.endpoints.add(tables.Endpoint(name="Models & more", base_url=url, model="m"))
    client = store.agents.add(tables.Agent(name="Model client", seat="client", engine="openai", endpoint_id=place.id, prompt="client/turn", hash="m"))
    id = service.begin(store, role, client, store.agents.find(seat="counselor"), counselor_code="T-01").id or 0
    page = opened(id)
    page.button(key="live_take_counselor").click().run()
    assert f"sent to Models & more (`{url}`)" in page.checkbox(key="live_consent_1_outside").label.replace("\\", "")
    assert page.button(key="live_consent_1_begin").disabled
    page.checkbox(key="live_consent_1_outside").check()
    page.segmented_control(key="live_consent_1_scope").set_value("all").run()
    page.button(key="live_consent_1_begin").click().run()
    assert store.sessions.get(id).counselor_person_id == tom.id
    said = answers_of(store, tom)
    assert said["outside endpoint", None] and said["taking part", None] and not said["rated here", None]
    assert {row.endpoint for row in Who(tom).rows(store) if row.purpose == "outside endpoint"} == {url}


@pytest.fixture
def outside(store: Store, role: tables.RoleCard) -> tuple[int, tables.Endpoint, tables.Agent]:
    """A session whose client is played by a model outside: its id, the endpoint, the model's agent."""
    place = store.endpoints.add(tables.Endpoint(name="Uni", base_url="https://uni.example/v1", model="m"))
    client = store.agents.add(tables.Agent(name="Model client", seat="client", engine="openai", endpoint_id=place.id, prompt="client/turn", hash="m"))
    made = service.begin(store, role, client, store.agents.find(seat="counselor"), counselor_code="T-01")
    return made.id or 0, place, client


def begin_of(page: AppTest) -> Any:
    return next(button for button in page.button if str(button.key).endswith("_begin"))


def moved(store: Store, id: int, place: tables.Endpoint, model: tables.Agent, how: str) -> None:
    """The words of a session go elsewhere: its agent's endpoint has another address, or another agent sits there."""
    if how == "address":
        store.endpoints.update(place.id or 0, base_url="https://other.example/v1")
        return
    other = store.endpoints.add(tables.Endpoint(name="Other", base_url="https://other.example/v1", model="m"))
    fields = model.model_dump(exclude={"id", "created"}) | {"name": "Other client", "endpoint_id": other.id, "hash": "o"}
    store.sessions.update(id, client_agent_id=store.agents.add(tables.Agent(**fields)).id)


@pytest.mark.parametrize("how", ["address", "agent"])
def test_an_answer_is_of_the_address_that_was_shown(
    store: Store, as_person: AsPerson, outside: tuple[int, tables.Endpoint, tables.Agent], how: str
) -> None:
    """The address changes between the ticks and the click: nobody sits down, nothing is kept, the new one is asked for."""
    tom, (id, place, model) = as_person({"counselor": []}, "T-01"), outside
    page = opened(id)
    page.button(key="live_take_counselor").click().run()
    for box in page.checkbox:
        box.check()
    page.run()
    moved(store, id, place, model, how)
    begin_of(page).click().run()
    assert store.sessions.get(id).counselor_person_id is None and not Who(tom).rows(store)
    assert "changed while this stood here" in seen(page) and begin_of(page).disabled and not any(box.value for box in page.checkbox)
    for box in page.checkbox:
        box.check()
    page.run()
    begin_of(page).click().run()
    assert store.sessions.get(id).counselor_person_id == tom.id
    assert {row.endpoint for row in Who(tom).rows(store) if row.purpose == "outside endpoint"} == {"https://other.example/v1"}


def test_a_session_of_others_offers_no_seat(store: Store, role: tables.RoleCard, as_person: AsPerson) -> None:
    as_person({"counselor": []}, "T-99")
    parent = store.sessions.add_with_turns(
        tables.Session(title="Case", origin="imported", state="ended", counselor_code="T-09", client_code="C-07"),
        [tables.Turn(session_id=0, position=1, seat="client", text="secretword")],
    )
    branch = service.branch(store, parent.id or 0, 1, people.begin(store, "secret-o", {"counselor": []}, "T-09"))
    for roles_here, code in (({"counselor": []}, "T-99"), ({"client": []}, "C-99")):
        as_person(roles_here, code)
        page = opened(branch.id)
        assert "secretword" not in seen(page) and not [b for b in page.button if str(b.key).startswith("live_take_")]
        page.session_state["live_sit"] = f"{branch.id} {'client' if 'client' in roles_here else 'counselor'}"
        page.run()
        assert not page.exception and "secretword" not in seen(page)
        assert not [button for button in page.button if str(button.key).endswith("_begin")]


def test_who_said_no_takes_no_seat_and_leaves_no_answer(store: Store, role: tables.RoleCard, researcher: tables.Person) -> None:
    id = paused(store, role)
    page = opened(id)
    page.button(key="live_take_client").click().run()
    page.button(key="live_consent_no").click().run()
    assert store.sessions.get(id).client_person_id is None and store.consents.count() == 0


def test_a_seat_somebody_holds_is_not_offered_to_another_and_a_researcher_frees_it(
    store: Store, role: tables.RoleCard, as_person: AsPerson
) -> None:
    ana = as_person({"client": [], "counselor": []}, "A-01")
    id = paused(store, role, counselor_code="T-02")
    live.of(store).take_seat(id, "client", ana)
    as_person({"counselor": []}, "T-02")
    page = opened(id)
    assert "somebody else sits here" in seen(page) and not [b for b in page.button if b.key in ("live_leave_client", "live_take_client")]
    as_person()
    page = opened(id)
    assert "free the seat that A-01 holds" in page.button(key="live_leave_client").label.replace("\\", "")
    page.button(key="live_leave_client").click().run()
    assert store.sessions.get(id).client_person_id is None


def test_nobody_writes_from_the_seat_of_somebody_else(store: Store, role: tables.RoleCard, as_person: AsPerson) -> None:
    ana = as_person({"counselor": []}, "A-01")
    id = paused(store, role, first="client")
    live.of(store).take_seat(id, "counselor", ana)
    assert opened(id).chat_input(key="live_say")
    for roles_here, code in ((None, ""), ({"counselor": []}, "A-02")):
        assert as_person(roles_here, code).id != ana.id and not opened(id).chat_input


def test_a_withdrawn_session_shows_no_word_of_it_to_anybody(store: Store, role: tables.RoleCard, as_person: AsPerson) -> None:
    ana = as_person({"client": []}, "A-01")
    id = paused(store, role, first="counselor")
    live.of(store).take_seat(id, "client", ana)
    service.say(store, id, "client", "anaword", ana)
    store.sessions.update(id, title="titleword", client_code="codeword")
    agreements.withdraw(store, Who(ana))
    both: tuple[str, ...] = ("live.py", "sessions.py")
    for roles_here, code, names in ((None, "", both), ({"client": []}, "A-01", both[:1]), ({"counselor": []}, "T-01", both)):
        as_person(roles_here, code)
        for name in names:
            page = opened(id, name)
            assert not page.exception, page.exception
            words = html.unescape(seen(page))
            assert "withdrew it on" in words
            assert not {"anaword", "titleword", "codeword", "R-014"} & set(words.replace("<", " ").replace(">", " ").split())
            assert not page.chat_input and not [b for b in page.button if b.key in ("live_continue", "live_branch", "live_start")]
    as_person()
    assert [b for b in opened(id, "sessions.py").button if b.key == "withdrawn_delete"], "a researcher may delete it"
    assert "withdrawn (1)" in seen(opened(None, "sessions.py"))
    assert "titleword" not in seen(opened())


def test_an_address_agreed_to_is_withdrawn_while_the_model_answers(
    store: Store, role: tables.RoleCard, speaks: Callable[..., Any], as_person: AsPerson
) -> None:
    """The session is put down, the answer is not kept, and the page says why in a sentence."""
    ana = as_person({"client": []}, "A-01")
    id = paused(store, role, first="counselor")

    def withdraws(question: Any) -> str:
        agreements.withdraw(store, Who(ana), session_id=id)
        return "late answer"

    speaks(withdraws)
    live.of(store).take_seat(id, "client", ana)
    agreements.take_part(store, ana, id, {"rated here": False})
    page = opened(id)
    page.chat_input(key="live_say").set_value("anaword").run()
    settled(store, id)
    assert [turn.text for turn in store.sessions.turns(id)][1:] == ["anaword"] and store.calls.count() == 0
    page.run()
    assert "withdrew it on" in seen(page) and "anaword" not in seen(page) and not page.exception


def test_a_look_is_kept_once_somebody_spoke_in_what_stands_open(
    store: Store, role: tables.RoleCard, as_person: AsPerson, researcher: tables.Person
) -> None:
    """The researcher opened the session before anybody sat in it; each rerun shows the words, and one look is kept."""
    id = paused(store, role)
    page = opened(id)
    assert not store.looks.count(), "nobody stands behind it yet"
    ana = people.begin(store, "secret-a", {"client": []}, "A-01")
    live.of(store).take_seat(id, "client", ana)
    service.say(store, id, "client", "anaword", ana)
    for _ in range(2):
        page.run()
        assert "anaword" in seen(page)
        assert [(one.record_id, one.person_id) for one in store.looks.all()] == [(id, researcher.id)]


def test_who_only_may_take_a_seat_reads_where_to_turn_and_no_promise_that_is_not_kept(
    store: Store, role: tables.RoleCard, as_person: AsPerson
) -> None:
    as_person({"client": []}, "A-01")
    page = opened(paused(store, role))
    assert "not care and not a diagnosis" in seen(page)
    page.button(key="live_take_client").click().run()
    words = seen(page) + " ".join(box.label for box in page.checkbox)
    assert "not care and not a diagnosis" in words and "Whoever opens the session can read it as it goes on" in words
    assert "nobody reads along" not in words


def test_a_client_is_led_to_no_page_that_is_not_theirs(store: Store, role: tables.RoleCard, as_person: AsPerson) -> None:
    ana = as_person({"client": []}, "A-01")
    id = paused(store, role)
    live.of(store).take_seat(id, "client", ana)
    service.say(store, id, "client", "anaword", ana)
    service.stop_session(store, id)

    def led(page: AppTest) -> set[str]:
        return {link.proto.label for link in page.main.get("page_link")}

    assert "anaword" in seen(opened(id)) and led(opened(id)) == {"What you agreed to"}
    agreements.withdraw(store, Who(ana))
    assert led(opened(id)) == {"Data and privacy"} and "You withdrew it on" in seen(opened(id))
    as_person()
    assert "Somebody who has a say in this session withdrew it" in seen(opened(id))
    assert "All sessions" in led(opened(id))


def test_an_endpoint_that_fails_is_told_to_researchers_and_to_others_what_they_can_do(
    store: Store, role: tables.RoleCard, as_person: AsPerson
) -> None:
    ana = as_person({"client": []}, "A-01")
    id = paused(store, role)
    live.of(store).take_seat(id, "client", ana)
    service.say(store, id, "client", "anaword", ana)
    error = ModelError("{where} cannot be reached.", where="https://models.example/v1")
    service.rest(store, id, "error", service.fault_of(error, 1))
    page = opened(id)
    assert "The other side does not answer" in seen(page) and "models.example" not in seen(page)
    assert page.button(key="live_continue") and page.button(key="live_stop")
    as_person()
    assert "models.example" in seen(opened(id)).replace("\\", "") and "The other side" not in seen(opened(id))


def test_why_the_gate_refused_is_told_to_everybody(store: Store, role: tables.RoleCard, as_person: AsPerson) -> None:
    ana = as_person({"client": []}, "A-01")
    id = paused(store, role)
    live.of(store).take_seat(id, "client", ana)
    service.rest(store, id, "error", service.fault_of(Refused("Somebody did not agree."), 1))
    assert "Somebody did not agree" in seen(opened(id)).replace("\\", "")


def test_a_key_that_is_missing_is_told_to_researchers_only(
    store: Store, role: tables.RoleCard, as_person: AsPerson, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_key(*_: Any) -> Any:
        raise DataError("No key for {url}.", url="https://models.example/v1")

    tom = as_person({"counselor": []}, "T-01")
    id = paused(store, role)
    live.of(store).take_seat(id, "counselor", tom)
    monkeypatch.setattr(session_view, "engines_of", no_key)
    page = opened(id)
    page.button(key="live_continue").click().run()
    assert "The other side does not answer" in seen(page) and "models.example" not in seen(page)
    as_person()
    page = opened(id)
    page.button(key="live_continue").click().run()
    assert "models.example" in seen(page).replace("\\", "")


def test_a_client_sees_which_seat_is_free_and_who_replies(store: Store, role: tables.RoleCard, as_person: AsPerson) -> None:
    as_person({"client": []}, "A-01")
    assert "There is none now" in seen(opened())
    id = paused(store, role)
    page = opened()
    labels = [link.proto.label.replace("\\", "") for link in page.main.get("page_link")]
    assert labels == [f"Live session {id} · free: Client, rules reply · English"]
    assert "Choose a client and a counselor" not in seen(page)


def test_a_notice_says_who_is_across_and_which_language_is_spoken(store: Store, role: tables.RoleCard, as_person: AsPerson) -> None:
    as_person({"counselor": []}, "T-01")
    id = paused(store, role, counselor_code="T-01")
    page = opened(id)
    page.button(key="live_take_counselor").click().run()
    words = seen(page)
    assert "The client is played by rules (the demo engine)" in words and "it stays on this machine" in words
    assert "held in" not in words
    assert "What you agreed to" in [link.proto.label for link in page.main.get("page_link")]
    store.sessions.update(id, language="zh")
    page.run()
    assert "This session is held in 中文" in seen(page)


def test_the_notice_says_that_rating_goes_to_the_address_too(
    outside: tuple[int, tables.Endpoint, tables.Agent], as_person: AsPerson
) -> None:
    page = opened(outside[0])
    page.button(key="live_take_counselor").click().run()
    assert "here, and also at the address above" in page.checkbox(key="live_consent_1_rated here").label
    assert "the one about the address" in page.segmented_control(key="live_consent_1_scope").label


@pytest.mark.parametrize(("last", "said"), [("Goodbye.", "said goodbye at its limit of 2 turns. The opening turn does not count."), ("And the nights?", "reached its limit of 2 turns.")])
def test_a_session_at_its_limit_says_whether_it_said_goodbye(open_page: Open, store: Store, last: str, said: str) -> None:
    rows = [
        tables.Turn(session_id=0, position=n, seat=seat, text=text, stage=stage)
        for n, (seat, text, stage) in enumerate([("counselor", "Hello.", seating.OPENER), ("client", "I sleep badly.", ""), ("counselor", last, "")], 1)
    ]
    session = store.sessions.add_with_turns(tables.Session(title="One", origin="live", state="ended", ended_by="limit", most_turns=2), rows)
    assert said in shown(open_page("live.py", session=session.id))
