"""A client is held against its profile, or against its role card; what neither states is not applicable, unasked."""

from collections.abc import Callable
from typing import Any

import pytest

from core.judging.readings import NOT_APPLICABLE
from core.llm.agents import ensure_shipped
from core.roles.as_profile import answers, as_profile
from core.studies import service
from core.studies.estimate import estimate
from storage import tables, units
from storage.store import Store
from tests.core.studies.conftest import add_session

CARD: dict[str, Any] = {
    "title": "Hanna", "stressor": {"label": "Job loss"}, "text": "Hanna lost her job.",
    "demographics": {"age": 34, "gender": "woman", "family_status": "married, two children", "occupation": "nurse",
                     "persona": "Hanna worked at the clinic for ten years. She cannot sleep since she lost the job."},
    "life_events": ["She lost her job at the clinic in March."], "traits": {"extraversion": "introverted"},
}  # fmt: skip
PROFILE = {"behavior": "drinking", "personas": ["The client lost the job."], "beliefs": ["I failed my family."], "motivation": "none", "acceptable_plans": []}
PARTS = ("persona", "beliefs", "motivation", "acceptable_plans")
DESIGN: dict[str, Any] = {
    "name": "Consistency", "language": "en",
    "steps": [{"kind": "ratings", "sessions": "all", "judges": ["Demo rater"], "instrument": "client-consistency", "repeats": 1}],
}  # fmt: skip


def run(store: Store, work: Callable[..., Any], card: dict[str, Any], calls: str) -> dict[str, tables.Rating]:
    """The ratings of one session held with this card, by item."""
    ensure_shipped(store)
    role = store.roles.add(tables.RoleCard(**card))
    add_session(store, 1, role.id)
    status = work(DESIGN | {"steps": [DESIGN["steps"][0] | {"calls": calls}]})
    assert status["units"]["failed"] == 0 and status["units"]["done"] == status["units"]["planned"], status
    return {row.item: row for row in store.ratings.all()}


@pytest.mark.parametrize("calls", ["item", "instrument"])
def test_of_a_role_card_the_persona_is_rated_and_the_rest_does_not_apply(
    store: Store, work: Callable[..., Any], calls: str
) -> None:
    rows = run(store, work, CARD, calls)
    assert set(rows) == set(PARTS) and rows["persona"].value is not None
    for item in PARTS[1:]:
        row = rows[item]
        assert (row.value, row.reason, row.call_id) == (None, NOT_APPLICABLE, None)
        same = ("prompt", "prompt_version", "prompt_hash", "way", "engine", "engine_version", "setting", "instrument_version")
        assert [getattr(row, name) for name in same] == [getattr(rows["persona"], name) for name in same]
    assert len(store.calls.all()) == 1
    asked = store.calls.whole(store.calls.all()[0].id or 0)["messages"][-1]["content"]
    for told in ("34 years old", "Gender: woman", "Work: nurse", "Has been through: She lost her job", "introverted: Reserved"):
        assert f"- {told}" in asked
    assert "Beliefs:" not in asked and "Item beliefs" not in asked and "Difficulty: Job loss" in asked


def test_the_gate_reads_the_card_as_a_source(store: Store, work: Callable[..., Any]) -> None:
    run(store, work, CARD, "item")
    (call,) = store.calls.all()
    role = store.roles.all()[0]
    assert ("role", role.id) in store.calls.about([call.id or 0])[call.id or 0]


def test_a_profile_is_asked_for_the_parts_it_states(store: Store, work: Callable[..., Any]) -> None:
    rows = run(store, work, {"title": "P", "kind": "profile", "profile": PROFILE}, "item")
    asked = {item for item, row in rows.items() if row.call_id is not None}
    assert asked == {"persona", "beliefs"} and rows["motivation"].reason == rows["acceptable_plans"].reason == NOT_APPLICABLE


def test_a_card_that_states_beliefs_is_asked_for_them(store: Store, work: Callable[..., Any]) -> None:
    rows = run(store, work, CARD | {"profile": {"beliefs": ["I failed my family."]}}, "instrument")
    assert rows["beliefs"].call_id is not None and rows["motivation"].call_id is None


def test_a_card_is_told_in_its_own_language() -> None:
    card = tables.RoleCard(
        title="R", language="zh", demographics={"age": 30, "gender": "woman"}, traits={"extraversion": "introverted"},
        life_events=["去年离婚。"], stressor={"label": "失业"},
    )  # fmt: skip
    assert as_profile(card) == {
        "difficulty": "失业",
        "personas": ["30 岁", "性别：女性", "经历过：去年离婚。", "内向：含蓄少言，不问不说，慢慢才放得开。"],
    }


def test_a_card_of_text_alone_is_held_against_its_text() -> None:
    assert as_profile(tables.RoleCard(title="R", text="You are 30. You lost a job."))["personas"] == ["You are 30.", "You lost a job."]
    assert as_profile(tables.RoleCard(title="R")) == {}


@pytest.mark.parametrize("value", ["", "None", "none.", [], ["无"], None])
def test_a_part_that_states_nothing_does_not_apply(value: object) -> None:
    assert not answers({"motivation": value}, "motivation")
    assert answers({}, "an item of one's own")


def test_a_session_without_a_card_is_left_with_the_reason(store: Store, work: Callable[..., Any]) -> None:
    ensure_shipped(store)
    add_session(store, 1)
    status = work(DESIGN)
    assert status["units"]["failed"] == 4 and not store.ratings.all()
    assert "has no role card or client profile" in str(units.reasons(store, status["id"]))


def test_asking_again_asks_nothing_that_does_not_apply(store: Store, work: Callable[..., Any]) -> None:
    run(store, work, CARD, "instrument")
    (study,) = store.studies.all()
    units.change(store, "UPDATE unit SET reason = 'missing: 1 of 1 items: x' WHERE study_id = :id", {"id": study.id})
    units.change(store, "UPDATE rating SET value = NULL, score = NULL, reason = 'no JSON' WHERE item = :item", {"item": "persona"})
    service.retry(store, study.id or 0)
    service.work_off(store)
    rows = {row.item: row for row in store.ratings.all()}
    assert len(store.ratings.all()) == 4 and rows["persona"].value is not None and rows["beliefs"].call_id is None


@pytest.mark.parametrize("calls", ["item", "instrument"])
@pytest.mark.parametrize("given", [CARD, {"title": "P", "kind": "profile", "profile": PROFILE}])
def test_only_what_is_asked_is_estimated(store: Store, work: Callable[..., Any], calls: str, given: dict[str, Any]) -> None:
    """At first every item of every session counted as a call, whether it applied or not."""
    ensure_shipped(store)
    add_session(store, 1, store.roles.add(tables.RoleCard(**given)).id)
    design = DESIGN | {"steps": [DESIGN["steps"][0] | {"calls": calls}]}
    _design, made, _drawn = service.plan(store, design)
    told = estimate(store, made).calls
    work(design)
    assert told == len(store.calls.all()) > 0
