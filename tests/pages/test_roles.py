"""Roles, as people build them: at one go, step by step with a change, by hand, from a file; and what goes wrong."""

import html
import json
from typing import Any

import pytest

from core.clearance import Clearance, kind_of
from core.errors import ModelError
from core.llm import engines
from core.llm.agents import ensure_shipped
from core.llm.seam import Answer, Endpoint, Question
from core.roles import service
from core.roles.drafts import Draft
from pages.components import role_library
from storage import tables
from storage.store import Store
from tests.pages.conftest import AsPerson, Open, assert_calm, shown


def build(open_page: Open, seed: int, language: str = "en") -> Any:
    at = open_page("roles.py", language=language)
    at.number_input(key="roles_seed").set_value(seed).run()
    at.button(key="roles_build").click().run()
    assert_calm(at)
    return at


def test_a_role_is_built_shown_and_saved(open_page: Open, store: Store) -> None:
    ensure_shipped(store)
    at = build(open_page, 7)
    said = shown(at)
    for heading in ("Stressor", "Demographics", "Life events", "Traits", "Text of the role", "Consistency check"):
        assert heading in said, heading
    assert store.roles.count() == 0
    at.button(key="roles_save").click().run()
    assert_calm(at)
    card = store.roles.all()[0]
    assert card.seed == 7 and len(card.traits) == 13 and card.life_events[0] in html.unescape(shown(at)) and at.query_params["role"]


def test_the_same_seed_builds_the_same_role(open_page: Open, store: Store) -> None:
    ensure_shipped(store)
    for _ in range(2):
        at = build(open_page, 11)
        at.button(key="roles_save").click().run()
        assert_calm(at)
    one, other = store.roles.all()
    assert one.text == other.text and one.demographics == other.demographics and one.title != other.title


def test_a_step_is_changed_before_the_next(open_page: Open, store: Store) -> None:
    ensure_shipped(store)
    at = open_page("roles.py")
    at.number_input(key="roles_seed").set_value(3).run()
    at.button(key="roles_steps").click().run()
    assert_calm(at)
    stressor = next(box for box in at.selectbox if str(box.key).startswith("roles_stressor_"))
    stressor.set_value("job_loss")
    next(button for button in at.button if "roles_keep_stressor" in str(button.key) or button.label == "Keep the change").click().run()
    assert_calm(at)
    for _ in range(30):
        if not [button for button in at.button if button.key == "roles_next"]:
            break
        at.button(key="roles_next").click().run()
        assert_calm(at)
    at.button(key="roles_save").click().run()
    card = store.roles.all()[0]
    assert card.stressor["subcategory"] == "job_loss"
    assert not [one for one in card.checks if one["severity"] != "note"], card.checks


def test_a_writer_that_fails_is_said_and_the_draft_stays(open_page: Open, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    ensure_shipped(store)

    def broken(*_: Any, **__: Any) -> Any:
        raise ModelError("The endpoint is not there. Start it, then try again; nothing was lost.")

    at = open_page("roles.py")
    at.button(key="roles_steps").click().run()
    monkeypatch.setattr(engines, "engine_of", broken)
    at.button(key="roles_next").click().run()
    assert_calm(at)
    assert "The endpoint is not there" in shown(at) and "Stressor" in shown(at)
    monkeypatch.undo()


def test_an_edit_is_saved_and_checked_again(open_page: Open, store: Store) -> None:
    ensure_shipped(store)
    at = build(open_page, 5)
    at.button(key="roles_save").click().run()
    card = store.roles.all()[0]
    at = open_page("roles.py", role=card.id)
    at.text_area(key=f"roles_edit_text_{card.id}_text").set_value("You are somebody. Nothing else is told.")
    next(button for button in at.button if "roles_edit_save_text" in str(button.key)).click().run()
    assert_calm(at)
    changed = store.roles.cards()[0]
    assert (changed.card_id, changed.version) == (card.id, 2) and not store.roles.get(card.id or 0).text.startswith("You are somebody")
    assert changed.text.startswith("You are somebody") and any(one["code"] == "lost_trait" for one in changed.checks)
    assert "is not in the text" in shown(open_page("roles.py", role=changed.id))


def test_a_profile_is_written_by_hand(open_page: Open, store: Store) -> None:
    at = open_page("roles.py")
    at.text_input(key="roles_profile_title").set_value("Evenings")
    at.text_area(key="roles_profile_behavior").set_value("The client drinks every evening.")
    at.text_area(key="roles_profile_acceptable_plans").set_value("Attending a group\nCalling a friend")
    next(button for button in at.button if "roles_profile_save" in str(button.key)).click().run()
    assert_calm(at)
    card = store.roles.all()[0]
    assert card.kind == "profile" and card.profile["acceptable_plans"] == ["Attending a group", "Calling a friend"]
    assert kind_of(store, "role", card.id or 0) is Clearance.UNCONFIRMED and "stays on this machine" in shown(at)


def test_an_empty_profile_is_refused_in_words(open_page: Open, store: Store) -> None:
    at = open_page("roles.py")
    next(button for button in at.button if "roles_profile_save" in str(button.key)).click().run()
    assert_calm(at)
    assert "needs a title" in shown(at) and store.roles.count() == 0


def test_a_card_goes_out_and_comes_in_again(open_page: Open, store: Store) -> None:
    ensure_shipped(store)
    at = build(open_page, 9)
    at.button(key="roles_save").click().run()
    card = store.roles.all()[0]
    held = json.loads(role_library.as_file(card)) | {"title": "Another"}
    at = open_page("roles.py")
    at.file_uploader(key="roles_files").set_value([("card.json", json.dumps(held).encode(), "application/json"), ("bad.json", b"[1,", "application/json")]).run()
    at.button(key="roles_import").click().run()
    assert_calm(at)
    assert store.roles.count() == 2 and "1 role" in shown(at)


def test_in_chinese_the_page_and_the_role_speak_chinese(open_page: Open, store: Store) -> None:
    ensure_shipped(store)
    at = build(open_page, 2, language="zh")
    at.button(key="roles_save").click().run()
    card = store.roles.all()[0]
    assert card.language == "zh" and "你" in card.text and "角色" in shown(at)


def test_a_missing_role_is_said(open_page: Open) -> None:
    at = open_page("roles.py", role=999)
    assert_calm(at)
    assert at.error


def broken_endpoint(*_: Any, **__: Any) -> Any:
    raise ModelError("The endpoint is not there. Start it, then try again; nothing was lost.")


def test_a_whole_build_that_fails_stops_with_a_sentence_and_goes_on_later(open_page: Open, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    ensure_shipped(store)
    at = open_page("roles.py")
    with monkeypatch.context() as away:
        away.setattr(engines, "engine_of", broken_endpoint)
        at.number_input(key="roles_seed").set_value(4).run()
        at.button(key="roles_build").click().run()
        assert_calm(at)
        assert "The endpoint is not there" in shown(at)
    at.button(key="roles_rest").click().run()
    assert_calm(at)
    assert at.button(key="roles_save") and "The endpoint is not there" not in shown(at)


def test_what_is_chosen_is_not_drawn(open_page: Open, store: Store) -> None:
    ensure_shipped(store)
    at = open_page("roles.py")
    at.selectbox(key="roles_stressor").set_value("job_loss")
    at.number_input(key="roles_age").set_value(52)
    at.button(key="roles_build").click().run()
    at.button(key="roles_save").click().run()
    assert_calm(at)
    card = store.roles.all()[0]
    assert card.stressor["subcategory"] == "job_loss" and card.demographics["age"] == 52 and "52" in card.text


def test_a_life_event_taken_out_stays_out(open_page: Open, store: Store) -> None:
    ensure_shipped(store)
    seed = next(n for n in range(99) if Draft(seed=n).events_wanted == 3)
    at = open_page("roles.py")
    at.number_input(key="roles_seed").set_value(seed).run()
    at.button(key="roles_steps").click().run()
    for _ in range(3):
        at.button(key="roles_next").click().run()
    field = next(area for area in at.text_area if str(area.key).startswith("roles_life_events_"))
    field.set_value(str(field.value).splitlines()[0])
    keep = [button for button in at.button if button.label == "Keep the change"]
    keep[-1].click().run()
    at.button(key="roles_rest").click().run()
    assert_calm(at)
    at.button(key="roles_save").click().run()
    assert len(store.roles.all()[0].life_events) == 2


def test_a_draft_waits_while_other_roles_are_read(open_page: Open, store: Store) -> None:
    ensure_shipped(store)
    at = open_page("roles.py")
    at.button(key="roles_steps").click().run()
    at.query_params.clear()
    at.run()
    assert "A draft is open" in shown(at)
    at.button(key="roles_go_on_1").click().run()
    assert at.button(key="roles_next")
    at.button(key="roles_drop_1").click().run()
    assert_calm(at)
    assert "A draft is open" not in shown(at) and at.button(key="roles_build")


def test_a_title_in_use_is_refused_and_the_draft_stays(open_page: Open, store: Store) -> None:
    ensure_shipped(store)
    store.roles.add(tables.RoleCard(title="Taken"))
    at = build(open_page, 6)
    next(field for field in at.text_input if field.label == "Title").set_value("Taken")
    at.button(key="roles_save").click().run()
    assert_calm(at)
    assert at.error and store.roles.count() == 1 and at.button(key="roles_save")


def test_the_library_is_searched_and_only_researchers_may_change(open_page: Open, store: Store, as_person: AsPerson) -> None:
    odd = [{"code": "missing_text", "severity": "fault", "message": "", "values": {}}]
    store.roles.add(tables.RoleCard(title="Sleepless", checks=odd))
    card = store.roles.add(tables.RoleCard(title="Out of work", stressor={"label": "Job loss"}, text="You are 40."))
    at = open_page("roles.py")
    assert "2 of 2 roles" in shown(at) and "1 to look at" in shown(at)
    at.text_input(key="roles_search").set_value("job").run()
    assert "1 of 2 roles" in shown(at) and "Sleepless" not in shown(at)
    at = open_page("roles.py", role=card.id)
    assert "Rename" in str([popover.proto for popover in at.get("popover")]) or at.text_input(key=f"roles_title_{card.id}")
    as_person({"counselor": []}, "T-01")
    at.run()
    assert_calm(at)
    assert not [area for area in at.text_area if str(area.key).startswith("roles_edit_")] and "for: Researcher" in shown(at)


def test_words_typed_into_a_card_wait_for_a_review(open_page: Open, store: Store) -> None:
    card = store.roles.add(tables.RoleCard(title="Sleepless", text="You are 40.", traits={}, sampling="stratified"))
    at = open_page("roles.py", role=card.id)
    at.text_area(key=f"roles_edit_text_{card.id}_text").set_value("You are Ann Smith of Leeds.")
    next(button for button in at.button if "roles_edit_save_text" in str(button.key)).click().run()
    first, second = store.roles.versions(card.id or 0)
    assert [kind_of(store, "role", one.id or 0) for one in (first, second)] == [Clearance.SYNTHETIC, Clearance.UNCONFIRMED]
    at.button(key="roles_made_up").click().run()
    assert_calm(at)
    reviewed = store.roles.cards()[0]
    assert kind_of(store, "role", reviewed.id or 0) is Clearance.SYNTHETIC and "Made up, said" in shown(at)
    assert [row.record_id for row in store.reviews.all()] == [second.id]


def test_a_profile_is_changed_and_its_file_comes_in_as_a_profile(store: Store, open_page: Open, researcher: tables.Person) -> None:
    card = service.write_profile(store, "Evenings", "en", {"behavior": "Drinks.", "personas": ["A nurse."], "beliefs": [], "motivation": "", "acceptable_plans": [], "receptivity": 2}, researcher, True)
    at = open_page("roles.py", role=card.id)
    at.text_area(key=f"roles_edit_{card.id}_beliefs").set_value("Nobody can help me.")
    next(button for button in at.button if "roles_edit_save_profile" in str(button.key)).click().run()
    assert_calm(at)
    changed = store.roles.cards()[0]
    assert changed.profile["beliefs"] == ["Nobody can help me."] and "Nobody can help me." in shown(at)
    held = role_library.as_file(changed).replace("Evenings", "Nights")
    service.import_roles(store, held.encode(), "role.json")
    again = store.roles.find(title="Nights")
    assert again is not None and again.kind == "profile" and again.profile == changed.profile


def test_a_change_says_its_version_who_made_it_and_what_each_session_used(open_page: Open, store: Store) -> None:
    card = store.roles.add(tables.RoleCard(title="R-1", text="You lost your job.", life_events=["moved at 30"]))
    store.sessions.add(tables.Session(title="Before", origin="simulated", role_id=card.id))
    at = open_page("roles.py", role=card.id)
    next(area for area in at.text_area if area.label == "One event on each line").set_value("moved at 31")
    next(button for button in at.button if "roles_edit_save_life_events" in str(button.key)).click().run()
    assert_calm(at)
    said = shown(at)
    assert "Saved as version 2. Sessions so far keep their version." in said and "stays on this machine" in said
    assert "Changed by" in said and "P-01" in said
    assert "version 1" in next(link.proto.label for link in at.get("page_link") if "Before" in link.proto.label)
    at.run()
    assert "Saved as version" not in shown(at), "once"


class Outside:
    """The demo engine as if it stood at an address outside."""

    endpoint = Endpoint(kind="openai", base_url="https://models.example/v1", model="m", name="Far")
    version = "1"

    def __init__(self) -> None:
        self.asked: list[Question] = []

    async def ask(self, question: Question, on_text: Any = None) -> Answer:
        self.asked.append(question)
        return await engines.demo_engine().ask(question, on_text)


def test_what_a_person_typed_goes_to_a_writer_outside_only_as_made_up(open_page: Open, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    place = store.endpoints.add(tables.Endpoint(name="Far", base_url="https://models.example/v1", model="m"))
    far = store.agents.add(tables.Agent(name="Far", seat="writer", engine="openai", endpoint_id=place.id, hash="far"))
    engine = Outside()
    monkeypatch.setattr(engines, "engine_of", lambda *_: engine)
    at = open_page("roles.py")
    at.selectbox(key="roles_writer").set_value(far.name)
    at.selectbox(key="roles_stressor").set_value("job_loss")
    at.button(key="roles_steps").click().run()
    assert_calm(at)
    assert engine.asked, "what is chosen from our lists is not typed"
    next(field for field in at.text_area if field.label == "Persona").set_value("Ann Smith of Leeds, a nurse.")
    [button for button in at.button if button.label == "Keep the change"][-1].click().run()
    assert "outside this machine" in shown(at)
    sent = len(engine.asked)
    at.button(key="roles_next").click().run()
    assert_calm(at)
    assert len(engine.asked) == sent and "Nothing was sent" in shown(at)
    next(box for box in at.checkbox if "made up" in box.label).check().run()
    at.button(key="roles_next").click().run()
    assert_calm(at)
    assert len(engine.asked) > sent and "Ann Smith" in engine.asked[-1].messages[-1].content
    sent = len(engine.asked)
    next(field for field in at.text_area if field.label == "Persona").set_value("Bea Jones of York.")
    next(b for b in at.button if b.label == "Keep the change" and "demographics" in str(b.form_id)).click().run()
    at.button(key="roles_next").click().run()
    assert len(engine.asked) == sent, "other words were typed since"


def test_words_changed_in_another_tab_are_not_called_made_up_unread(open_page: Open, store: Store) -> None:
    service.import_roles(store, json.dumps({"title": "Evenings", "behavior": "Drinks.", "personas": ["A nurse."]}).encode(), "a.json")
    card = store.roles.all()[0]
    at = open_page("roles.py", role=card.id)
    service.change_role(store, card.id or 0, title="Ann Smith of Leeds")
    at.button(key="roles_made_up").click().run()
    assert_calm(at)
    assert "changed after it was shown" in shown(at) and kind_of(store, "role", card.id or 0) is Clearance.UNCONFIRMED
    at.button(key="roles_made_up").click().run()
    assert kind_of(store, "role", card.id or 0) is Clearance.SYNTHETIC


def test_several_imported_cards_are_read_and_confirmed_at_once_but_none_that_came_since(open_page: Open, store: Store) -> None:
    def brought(*titles: str) -> None:
        lines = [json.dumps({"title": title, "behavior": f"{title} drinks.", "personas": []}) for title in titles]
        service.import_roles(store, "\n".join(lines).encode(), "a.jsonl")

    def waiting() -> list[str]:
        return [card.title for card in service.waiting(store)]

    brought("One", "Two", "Three")
    at = open_page("roles.py")
    assert_calm(at)
    assert "3 roles wait for your word" in str([e.label for e in at.expander]) and "Two drinks." in shown(at)
    two = store.roles.find(title="Two")
    at.checkbox(key=f"roles_tick_{two.id if two else 0}").uncheck().run()
    brought("Four")
    at.button(key="roles_all_made_up").click().run()
    assert_calm(at)
    assert waiting() == ["Two", "Four"]
