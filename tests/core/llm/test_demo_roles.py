"""Roles written by the demo engine: the whole chain on the real store, facets that fit, and any input."""

import asyncio
import random
from typing import Any

import pytest

from core.llm.demo.client_card import card_of
from core.llm.demo.engine import DemoEngine
from core.llm.demo.roles import ANSWERS
from core.roles.service import build_role
from storage import tables
from storage.store import Store


def build(store: Store, language: str, seed: int) -> tables.RoleCard:
    return asyncio.run(build_role(store, DemoEngine(), language=language, seed=seed, number=seed + 1, set_seed=5))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_fifty_stressors_give_cards_without_a_fault(store: Store, language: str) -> None:
    cards = [build(store, language, seed) for seed in range(50)]
    assert len({card.stressor["subcategory"] for card in cards}) == 50
    found = [(card.title, check) for card in cards for check in card.checks if check["severity"] != "note"]
    assert not found
    for card in cards:
        assert card.engine == "demo" and all(event in card.text for event in card.life_events)
        assert str(card.demographics["age"]) in card.text and "{" not in card.text + card.demographics["persona"]


def test_the_same_seed_builds_the_same_card(store: Store) -> None:
    one, again, other = build(store, "en", 4), build(store, "en", 4), build(store, "en", 5)
    assert one.text == again.text and one.demographics == again.demographics and one.text != other.text


@pytest.mark.parametrize("language", ["en", "zh"])
def test_its_client_can_tell_every_event(store: Store, language: str) -> None:
    for seed in range(20):
        card = build(store, language, seed)
        known = card_of(card.model_dump(), language)
        assert len(known.facts["event"]) == len(card.life_events), card.life_events
        assert known.facts["self"]


def ask(prompt: str, inputs: dict[str, Any], language: str = "en") -> dict[str, Any]:
    said = ANSWERS[prompt](inputs, random.Random(1), language)
    assert isinstance(said, dict)
    return said


def test_counts_are_kept_and_nothing_taken_comes_again() -> None:
    persona = "She is 44. She works as an electrician."
    first = ask("role/life_events", {"persona": persona, "count": 20, "taken": []})["events"]
    then = ask("role/life_events", {"persona": persona, "count": 20, "taken": first[:3]})["events"]
    assert len(set(first)) == len(set(then)) == 20 and not set(first[:3]) & set(then)
    ways = ask("role/scenarios", {"persona": persona, "event": first[0], "count": 25})["scenarios"]
    assert len(set(ways)) == 25


def test_a_child_of_the_future_is_not_remembered() -> None:
    ways = ask("role/scenarios", {"persona": "He is 19.", "event": "the death of a parent", "count": 25})["scenarios"]
    assert ways and not any(str(age) in way for way in ways for age in range(20, 60))


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    "odd", [{}, {"challenge": "😀 {x}", "age": None, "gender": 7, "demographics": "no", "traits": ["a"], "persona": "?" * 9999,
                 "event": "{age} and | more", "life_events": [""], "family_pick": "x", "count": -3}]
)  # fmt: skip
def test_odd_inputs_give_usable_replies(odd: dict[str, Any], language: str) -> None:
    people = ask("role/demographics", odd, language)
    assert people["family_status"] in people["family_options"] and people["persona"]
    assert ask("role/life_events", odd, language)["events"] and ask("role/scenarios", odd, language)["scenarios"]
    assert ask("role/compile", odd, language)["text"]
