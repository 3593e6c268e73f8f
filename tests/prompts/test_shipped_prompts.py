"""Every shipped prompt, in both languages, renders on what the workbench gives it."""

import re
from typing import Any

import pytest

from core import instruments
from core.prompting import LANGUAGES, catalogue, load, render

TURNS = [
    {"position": 1, "seat": "client", "text": "I lost my job\nin March."},
    {"position": 2, "seat": "counselor", "text": "How has that been for you?"},
]
REPORT = dict.fromkeys(
    ("title", "type", "method", "case_brief", "consultation_process", "experience_thoughts"), "words"
)
NOTE = {
    "client_basics": "one",
    "problems": "two",
    "goals": ["three"],
    "techniques": ["four"],
    "steps": ["five"],
    "reflections": "six",
}
ROLE: dict[str, Any] = {
    "title": "R",
    "kind": "role",
    "language": "en",
    "stressor": {},
    "demographics": {},
    "life_events": [],
    "traits": {},
    "profile": {},
    "text": "You are 30 years old.",
}
ITEM = {
    "id": "Q1",
    "dimension": "goal",
    "text": "They agree.",
    "levels": [{"value": value, "anchor": f"level {value}"} for value in range(1, 6)],
    "reversed": False,
    "no_evidence": 3,
}
DIMENSION = {"id": "d", "stage": "insight", "name": "Name of it", "definition": "What it means"}
TALK = {"turns": TURNS, "most_turns": 20}
INPUTS: dict[str, dict[str, Any]] = {
    "report/components": {"text": "A report."},
    "report/note": {"report": REPORT},
    "report/dialogue": {"report": REPORT, "note": NOTE, "faults": ["ends with the client"]},
    "report/roleplay": {"report": REPORT, "faults": []},
    "role/demographics": {
        "challenge": "Job loss",
        "category": "Career",
        "gender": "woman",
        "age": 40,
        "family_pick": 2,
        "occupation_pick": 9,
    },
    "role/life_events": {"persona": "P.", "categories": ["Loss"], "count": 20, "taken": ["moved"]},
    "role/scenarios": {"persona": "P.", "event": "moved", "count": 25},
    "role/compile": {
        "challenge": "Job loss",
        "demographics": {
            "age": 40,
            "gender": "woman",
            "family_status": "f",
            "occupation": "o",
            "persona": "p",
        },
        "life_events": ["moved"],
        "traits": [{"category": "c", "subcategory": "s", "variant": "v", "label": "l", "description": "d"}],
        "faults": ["a trait is missing"],
    },
    "client/turn": {"role": ROLE, "turns": TURNS},
    "counselor/hill": TALK,
    "counselor/plain": TALK,
    "counselor/advice": TALK,
    "counselor/cpsycoun": TALK,
    "judge/compare": {
        "instrument": "hill",
        "dimension": DIMENSION,
        "a": {"turns": TURNS},
        "b": {"turns": TURNS},
    },
    "judge/item": {
        "instrument": "wai-o-s",
        "setting": "reasoning",
        "item": ITEM,
        "turns": TURNS,
        "profile": {},
        "sample": 1,
        "source": "a paper",
        "rule": "",
    },
    "judge/instrument": {
        "instrument": "wai-o-s",
        "setting": "detailed",
        "items": [ITEM],
        "turns": TURNS,
        "profile": {},
        "sample": 0,
        "source": "a paper",
        "rule": "Begin low.",
    },
}


def asked(prompt_id: str, language: str = "en", **changes: Any) -> str:
    messages = render(load(prompt_id, language), INPUTS[prompt_id] | changes)
    return "\n\n".join(message.content for message in messages)


def common_start(first: str, second: str) -> str:
    same = 0
    while same < min(len(first), len(second)) and first[same] == second[same]:
        same += 1
    return first[:same]


def test_every_prompt_comes_in_both_languages() -> None:
    assert dict(catalogue()) == dict.fromkeys(sorted(INPUTS), LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("prompt_id", INPUTS)
def test_it_renders_to_a_system_and_a_user_message(prompt_id: str, language: str) -> None:
    messages = render(load(prompt_id, language), INPUTS[prompt_id])
    assert [message.role for message in messages] == ["system", "user"]
    assert not any("{{" in message.content or "{%" in message.content for message in messages)
    assert "\n\n\n" not in messages[1].content


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "prompt_id", [name for name in INPUTS if name.startswith(("report", "role", "judge"))]
)
def test_structured_replies_are_asked_for_in_words(prompt_id: str, language: str) -> None:
    assert "JSON" in render(load(prompt_id, language), INPUTS[prompt_id])[0].content


def test_items_and_dimensions_of_one_session_share_their_beginning_byte_for_byte() -> None:
    """The transcript stands before what changes, so a provider's prefix cache is of use."""
    other = ITEM | {"id": "Q2", "text": "Something else."}
    assert "[2] Counselor: How has that been for you?" in common_start(
        asked("judge/item"), asked("judge/item", item=other)
    )
    second = DIMENSION | {"id": "e", "stage": "action", "name": "Another"}
    shared = common_start(asked("judge/compare"), asked("judge/compare", dimension=second))
    assert shared.count("[2] Counselor:") == 2


def test_the_number_of_a_repeat_changes_nothing_a_model_reads() -> None:
    assert asked("judge/item", sample=1) == asked("judge/item", sample=3)


def test_the_four_settings_show_more_and_more() -> None:
    bare = ITEM | {"levels": [{"value": value, "anchor": ""} for value in range(1, 6)]}
    none = asked("judge/item", setting="none", item=bare)
    detailed = asked("judge/item", setting="detailed")
    reasoning = asked("judge/item", setting="reasoning")
    assert "level 4" not in none and "1, 2, 3, 4, 5" in none
    assert "4 = level 4" in detailed and "Rate directly" in detailed
    assert "4 = level 4" in reasoning and "copied exactly" in reasoning


def test_a_profile_is_shown_only_where_it_is_given() -> None:
    assert "</profile>" not in asked("judge/item")
    shown = asked("judge/item", profile={"behavior": "drinking", "beliefs": ["I can stop"], "acceptable_plans": []})
    assert "<profile>\nBehavior: drinking\nBeliefs:\n- I can stop\n</profile>" in shown


def test_a_client_profile_is_enough_for_a_client() -> None:
    role = ROLE | {
        "kind": "profile",
        "text": "",
        "profile": {"behavior": "drinking", "personas": ["plays soccer"], "receptivity": 2},
    }
    text = asked("client/turn", role=role)
    assert "plays soccer" in text and "Receptivity: 2 of 5" in text


@pytest.mark.parametrize("prompt_id", ["judge/item", "judge/instrument"])
def test_a_judge_is_told_the_source_and_the_rule_of_its_own_instrument(prompt_id: str) -> None:
    """The rule of the alliance (begin in the middle) is no other instrument's."""
    for language, middle in (("en", "middle of the scale"), ("zh", "量表中点")):
        for id in ("wai-o-s", "wai-o-s-published", "cpsycoun-intrinsic", "client-realism", "risk"):
            instrument = instruments.load(id)
            asked_for = asked(prompt_id, language, **instrument.about(language))
            assert instrument.about(language)["source"] in asked_for
            assert (middle in asked_for) == id.startswith("wai-o-s"), id
            assert id.startswith("wai-o-s") or not re.search("alliance|同盟|联盟", asked_for.split("[1]")[0]), id
