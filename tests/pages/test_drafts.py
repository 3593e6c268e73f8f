"""Drafts across a refresh, another tab and a restart: a role being built, a study being designed; each person sees their own."""

from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.clearance import Clearance, kind_of
from core.errors import ModelError
from core.llm.agents import ensure_shipped
from core.people import begun
from core.roles import service
from pages.components import asked
from storage import tables
from storage.store import Store
from tests.pages.conftest import AsPerson, Open, assert_calm, shown


def step_by_step(open_page: Open, seed: int = 3, steps: int = 1) -> AppTest:
    at = open_page("roles.py")
    at.number_input(key="roles_seed").set_value(seed).run()
    at.button(key="roles_steps").click().run()
    for _ in range(steps - 1):
        at.button(key="roles_next").click().run()
    assert_calm(at)
    return at


# ---- a role ----------------------------------------------------------------------------------------------------------


def test_a_role_is_gone_on_with_after_a_refresh_and_a_restart(open_page: Open, store: Store) -> None:
    ensure_shipped(store)
    step_by_step(open_page, steps=3)  # stressor, demographics, a first life event
    st.cache_resource.clear()  # the server is another one
    at = open_page("roles.py")
    assert_calm(at)
    assert "A draft is open" in shown(at) and "seed 3" in shown(at) and "Next: Life event 2" in shown(at)
    at.button(key="roles_go_on_1").click().run()
    assert "Demographics" in shown(at)
    at.button(key="roles_rest").click().run()
    at.button(key="roles_save").click().run()
    assert_calm(at)
    assert store.roles.count() == 1 and store.drafts.count() == 0 and store.calls.loose(resting=0) == []
    assert "A draft is open" not in shown(open_page("roles.py"))


def test_the_address_of_a_draft_opens_it_in_another_tab(open_page: Open, store: Store) -> None:
    ensure_shipped(store)
    at = step_by_step(open_page)
    other = open_page("roles.py", draft=at.query_params["draft"][0])
    assert_calm(other)
    assert other.button(key="roles_next")


def test_a_draft_and_its_writer_are_nobody_elses(open_page: Open, store: Store, as_person: AsPerson) -> None:
    ensure_shipped(store)
    step_by_step(open_page)
    writer = store.agents.all(seat="writer")[0].id
    assert store.drafts.get(1).content["writer"] == writer
    as_person({"researcher": []}, "R-2")
    for at in (open_page("roles.py"), open_page("roles.py", draft=1)):
        assert_calm(at)
        assert "A draft is open" not in shown(at) and not [one for one in at.button if one.key == "roles_next"]
    as_person()
    assert "A draft is open" in shown(open_page("roles.py"))


def test_a_step_done_in_another_tab_is_not_overwritten(open_page: Open, store: Store) -> None:
    ensure_shipped(store)
    at = step_by_step(open_page, steps=2)
    row = store.drafts.get(1)
    stressor = next(box for box in at.selectbox if str(box.key).startswith("roles_stressor_"))
    stressor.set_value("job_loss")
    begun.keep(store, row, row.content | {"life_events": ["Moved."], "event_kinds": ["move"]})  # meanwhile, in the other
    next(button for button in at.button if "roles_keep_stressor" in str(button.key)).click().run()
    assert_calm(at)
    assert store.drafts.get(1).content["life_events"] == ["Moved."]


def test_a_step_that_fails_leaves_the_draft_as_it_was_kept(open_page: Open, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    ensure_shipped(store)
    at = step_by_step(open_page)

    async def broken(*_: Any) -> Any:
        raise ModelError("The endpoint is not there. Start it, then try again; nothing was lost.")

    with monkeypatch.context() as patch:
        patch.setattr(service, "take_step", broken)
        at.button(key="roles_next").click().run()
        assert_calm(at)
        assert "The endpoint is not there" in shown(at)
    at = open_page("roles.py", draft=1)
    at.button(key="roles_next").click().run()
    assert_calm(at)
    assert store.drafts.get(1).content["demographics"]["persona"]


def test_what_was_typed_stays_unconfirmed_until_it_is_said_to_be_made_up(open_page: Open, store: Store) -> None:
    ensure_shipped(store)
    at = step_by_step(open_page, steps=2)
    next(one for one in at.text_area if str(one.key).startswith("roles_demographics_")).set_value("Anna Smith of Leeds, 41.")
    next(button for button in at.button if "roles_keep_demographics" in str(button.key)).click().run()
    assert_calm(at)
    kept = store.drafts.get(1).content
    assert kept["typed"] and not kept["made_up"] and kept["demographics"]["persona"].startswith("Anna Smith")
    assert service.Draft.model_validate(store.drafts.get(1).content).typed


def typed_by_hand(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """A draft in which a person typed, with a writer outside this machine."""
    monkeypatch.setattr(asked, "stays_here", lambda agent: False)
    at = step_by_step(open_page, steps=2)
    next(one for one in at.text_area if str(one.key).startswith("roles_demographics_")).set_value("Anna Smith of Leeds, 41.")
    next(button for button in at.button if "roles_keep_demographics" in str(button.key)).click().run()
    assert_calm(at)
    return at


def tick(at: AppTest) -> Any:
    return next(box for box in at.checkbox if str(box.key).startswith("roles_draft_made_up_"))


def test_no_other_tab_says_again_that_words_are_made_up(open_page: Open, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    ensure_shipped(store)
    desk = typed_by_hand(open_page, monkeypatch)
    tick(desk).check().run()
    assert store.drafts.get(1).content["made_up"] and tick(desk).value
    couch = open_page("roles.py", draft=1)
    assert tick(couch).value
    tick(desk).uncheck().run()
    couch.run()
    couch.button(key="roles_next").click().run()
    assert_calm(couch)
    assert not store.drafts.get(1).content["made_up"] and not tick(couch).value


def test_the_tick_is_of_the_words_its_tab_showed(open_page: Open, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    ensure_shipped(store)
    desk = typed_by_hand(open_page, monkeypatch)
    couch = open_page("roles.py", draft=1)
    next(one for one in desk.text_area if str(one.key).startswith("roles_demographics_")).set_value("Bea Jones of York, 50.")
    next(button for button in desk.button if "roles_keep_demographics" in str(button.key)).click().run()
    tick(couch).check().run()  # what the couch shows is Anna
    assert_calm(couch)
    assert not store.drafts.get(1).content["made_up"] and "changed in another window" in shown(couch) and not tick(couch).value
    tick(couch).check().run()  # now it shows Bea
    assert store.drafts.get(1).content["made_up"]


def test_taken_back_at_the_end_it_is_not_made_up(open_page: Open, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    ensure_shipped(store)
    at = typed_by_hand(open_page, monkeypatch)
    tick(at).check().run()
    at.button(key="roles_rest").click().run()
    box = next(box for box in at.checkbox if str(box.key).startswith("roles_save_made_up_"))
    assert box.value
    box.uncheck()
    at.button(key="roles_save").click().run()
    assert_calm(at)
    assert kind_of(store, "role", store.roles.all()[0].id or 0) is Clearance.UNCONFIRMED


def test_what_was_typed_in_a_tab_that_is_behind_stands_on_its_page(open_page: Open, store: Store) -> None:
    ensure_shipped(store)
    step_by_step(open_page, steps=2)
    couch, row = open_page("roles.py", draft=1), store.drafts.get(1)
    next(one for one in couch.text_area if str(one.key).startswith("roles_demographics_")).set_value("A cook who sings.")
    begun.keep(store, row, row.content | {"life_events": ["Moved."], "event_kinds": ["move"]})  # meanwhile, at the desk
    next(button for button in couch.button if "roles_keep_demographics" in str(button.key)).click().run()
    assert_calm(couch)
    assert store.drafts.get(1).content["life_events"] == ["Moved."]
    assert "changed in another window" in shown(couch) and "A cook who sings." in shown(couch)
    couch.button(key="roles_next").click().run()
    assert "A cook who sings." not in shown(couch)


def test_dropping_a_draft_takes_its_calls_with_it(open_page: Open, store: Store) -> None:
    ensure_shipped(store)
    step_by_step(open_page, steps=3)
    assert store.calls.count() and store.calls.loose(resting=0) == [] and "never saved" not in shown(open_page("privacy.py"))
    at = open_page("roles.py")
    at.button(key="roles_drop_1").click().run()
    assert f"{store.calls.count()} calls were made for it" in shown(at) and store.drafts.count() == 1
    at.button(key="roles_drop_sure_1").click().run()
    assert_calm(at)
    assert store.drafts.count() == 0 and store.calls.count() == 0 and "A draft is open" not in shown(at)


def test_a_second_role_leaves_the_first_draft_open(open_page: Open, store: Store) -> None:
    ensure_shipped(store)
    for seed in (3, 4):
        step_by_step(open_page, seed)
    said = shown(open_page("roles.py"))
    assert said.count("A draft is open") == 2 and "seed 3" in said and "seed 4" in said


# ---- a study ---------------------------------------------------------------------------------------------------------


def test_an_untouched_form_is_no_draft(open_page: Open, store: Store) -> None:
    at = open_page("studies.py")
    at.run()
    assert_calm(at)
    assert store.drafts.count() == 0 and "A draft is open" not in shown(at)


def test_the_design_is_back_after_a_refresh(open_page: Open, store: Store) -> None:
    ensure_shipped(store)
    store.studies.add(tables.Study(name="An older one"))
    at = open_page("studies.py")
    at.selectbox(key="studies_study").set_value(0).run()
    at.text_input(key="studies_name").set_value("Nights").run()
    at.number_input(key="studies_new_roles").set_value(2).run()
    at.number_input(key="studies_turns").set_value(8).run()
    at.multiselect(key="studies_counselors").set_value(at.multiselect(key="studies_counselors").value[:1]).run()
    at.toggle(key="studies_compare").set_value(False).run()
    at.selectbox(key="studies_setting").set_value("general").run()
    counselors = at.multiselect(key="studies_counselors").value
    assert_calm(at)
    assert store.drafts.count() == 1
    st.cache_resource.clear()
    at = open_page("studies.py")  # it opens by itself, since it was what was being done
    assert_calm(at)
    assert "A draft is open" in shown(at)
    assert at.text_input(key="studies_name").value == "Nights" and at.number_input(key="studies_new_roles").value == 2
    assert at.number_input(key="studies_turns").value == 8 and at.multiselect(key="studies_counselors").value == counselors
    assert at.toggle(key="studies_compare").value is False and at.selectbox(key="studies_setting").value == "general"


def test_two_tabs_keep_what_each_of_them_chose(open_page: Open, store: Store) -> None:
    ensure_shipped(store)
    desk = open_page("studies.py")
    desk.text_input(key="studies_name").set_value("Nights").run()
    couch = open_page("studies.py")
    desk.text_input(key="studies_name").set_value("Nights of A").run()
    desk.number_input(key="studies_turns").set_value(8).run()
    couch.number_input(key="studies_new_roles").set_value(2).run()
    assert_calm(couch)
    kept = store.drafts.get(1).content
    assert (kept["name"], kept["turns"], kept["new_roles"]) == ("Nights of A", 8, 2)
    assert "taken over here: Name, Turns at most." in shown(couch)
    assert (couch.text_input(key="studies_name_1").value, couch.number_input(key="studies_turns_1").value) == ("Nights of A", 8)
    assert "taken over" not in shown(couch.run())
    desk.run()
    assert desk.number_input(key="studies_new_roles_1").value == 2 and "taken over here: New roles." in shown(desk)
    assert store.drafts.get(1).content == kept


def test_one_choice_made_in_two_tabs_is_the_last_one_and_said(open_page: Open, store: Store) -> None:
    ensure_shipped(store)
    desk = open_page("studies.py")
    desk.text_input(key="studies_name").set_value("Nights").run()
    couch = open_page("studies.py")
    desk.text_input(key="studies_name").set_value("At the desk").run()
    couch.text_input(key="studies_name").set_value("On the couch").run()
    assert store.drafts.get(1).content["name"] == "On the couch" and "Chosen otherwise in another window: Name." in shown(couch)
    desk.run()
    assert desk.text_input(key="studies_name_1").value == "On the couch" and "taken over here: Name." in shown(desk)


def test_tabs_opened_before_anything_was_chosen_share_one_draft(open_page: Open, store: Store) -> None:
    ensure_shipped(store)
    desk, couch = open_page("studies.py"), open_page("studies.py")
    desk.text_input(key="studies_name").set_value("Nights").run()
    couch.number_input(key="studies_turns").set_value(8).run()
    assert_calm(couch)
    assert store.drafts.count() == 1 and couch.text_input(key="studies_name_1").value == "Nights"
    assert (store.drafts.all()[0].content["name"], store.drafts.all()[0].content["turns"]) == ("Nights", 8)


def test_no_study_begins_from_a_design_its_tab_has_not_shown(open_page: Open, store: Store) -> None:
    ensure_shipped(store)
    desk = open_page("studies.py")
    desk.text_input(key="studies_name").set_value("Nights").run()
    couch = open_page("studies.py")
    desk.number_input(key="studies_turns").set_value(8).run()
    couch.button(key="studies_plan").click().run()
    assert_calm(couch)
    assert store.studies.count() == 0 and "nothing was started" in shown(couch)
    couch.button(key="studies_plan").click().run()
    assert store.studies.all()[0].design["steps"][1]["most_turns"] == 8
    desk.button(key="studies_plan").click().run()
    assert store.studies.count() == 1 and "saved or dropped in another window" in shown(desk)
    desk.number_input(key="studies_turns").set_value(10).run()
    assert_calm(desk)
    assert store.drafts.all()[0].content["name"] == "Nights" and store.drafts.all()[0].content["turns"] == 10


def test_a_design_written_in_two_tabs(open_page: Open, store: Store) -> None:
    desk = open_page("studies.py")
    desk.segmented_control(key="studies_way").set_value("text").run()
    couch = open_page("studies.py")
    desk.text_area[0].set_value("name: Nights").run()
    couch.run()
    assert_calm(couch)
    assert couch.text_area[0].value == "name: Nights"
    couch.text_area[0].set_value("name: Days").run()
    assert store.drafts.get(1).content["text"] == "name: Days"


def test_the_draft_goes_once_the_study_is_begun(open_page: Open, store: Store) -> None:
    ensure_shipped(store)
    at = open_page("studies.py")
    at.text_input(key="studies_name").set_value("Nights").run()
    at.button(key="studies_plan").click().run()
    assert_calm(at)
    assert store.studies.all()[0].name == "Nights" and store.drafts.count() == 0
    assert_calm(at.run())
    assert store.drafts.count() == 0


def test_a_dropped_design_begins_anew(open_page: Open, store: Store) -> None:
    ensure_shipped(store)
    at = open_page("studies.py")
    at.text_input(key="studies_name").set_value("Nights").run()
    at.run()
    at.button(key="studies_drop").click().run()
    assert_calm(at)
    assert store.drafts.count() == 0 and at.text_input(key="studies_name_1").value == "Three counselors"
    at.text_input(key="studies_name_1").set_value("Days").run()
    assert store.drafts.all()[0].content["name"] == "Days"


def test_a_design_written_as_text_is_kept_even_half_written(open_page: Open, store: Store) -> None:
    at = open_page("studies.py")
    at.segmented_control(key="studies_way").set_value("text").run()
    at.text_area[0].set_value("name: Nights\nsteps: [").run()
    assert_calm(at)
    at = open_page("studies.py")
    assert_calm(at)
    assert at.text_area[0].value == "name: Nights\nsteps: ["


def test_what_was_chosen_and_is_gone_is_left_out(open_page: Open, store: Store, researcher: tables.Person) -> None:
    ensure_shipped(store)
    content = {"source_en": "roles", "roles_en": [77], "counselors": ["Nobody"], "client": "Nobody", "instrument": "gone", "language": "fr"}
    begun.begin(store, researcher, "study", content)
    at = open_page("studies.py")
    assert_calm(at)
    assert at.segmented_control(key="studies_source_en").value == "build" and at.multiselect(key="studies_counselors").value == []


def test_a_design_is_nobody_elses(open_page: Open, store: Store, as_person: AsPerson) -> None:
    at = open_page("studies.py")
    at.text_input(key="studies_name").set_value("Mine").run()
    as_person({"researcher": []}, "R-2")
    at = open_page("studies.py")
    assert_calm(at)
    assert at.text_input(key="studies_name").value == "Three counselors" and "A draft is open" not in shown(at)
