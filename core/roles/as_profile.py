"""A role card or client profile as a judge is shown it, and which questions it can answer. Pure.

A client profile (expert annotation of simulated clients) has parts of its own. Of a role card, the persona is its
demographics, life events and traits; beliefs, motivation and acceptable plans only where the card states them.
"""

import re
from collections.abc import Mapping
from typing import Any, Protocol

from core.roles import ingredients

PARTS = {
    "persona": "personas", "beliefs": "beliefs", "motivation": "motivation", "acceptable_plans": "acceptable_plans"
}  # fmt: skip
NOTHING = frozenset({"", "none", "not stated", "无", "没有", "未说明"})  # words of a part that states nothing
SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])\s*")


class CardVersion(Protocol):
    """What is read of a version of a role card."""

    kind: str
    language: str
    stressor: dict[str, Any]
    demographics: dict[str, Any]
    life_events: list[str]
    traits: dict[str, str]
    profile: dict[str, Any]
    text: str


def as_profile(card: CardVersion) -> dict[str, Any]:
    """The parts of the card that a judge holds a client against; empty where it says nothing."""
    given = {part: value for part, value in card.profile.items() if stated(value)}
    if card.kind == "profile":
        return given
    personas = [*(stated(given.get("personas"))), *person(card)] or SENTENCE.split(card.text.strip())
    difficulty = str(card.stressor.get("label", "")).strip()
    told = {"difficulty": difficulty, "personas": [line for line in personas if line.strip()]}
    return given | {part: value for part, value in told.items() if value}


def person(card: CardVersion) -> list[str]:
    """Demographics, life events and traits, a line each."""
    known = ingredients.read("as_profile")["lines"]

    def line(name: str, **values: str) -> str:
        return str(known[name]["zh" if card.language == "zh" else "en"]).format(**values)

    about = {name: str(value).strip() for name, value in card.demographics.items() if str(value or "").strip()}
    gender = ingredients.genders().get(about.get("gender", ""))
    if gender is not None:
        about["gender"] = gender.of(card.language)
    lines = [line(name, value=about[name]) for name in ("age", "gender", "family_status", "occupation") if name in about]
    lines += SENTENCE.split(about.get("persona", ""))
    lines += [line("life_event", value=event.strip()) for event in card.life_events]
    traits = ingredients.traits()
    for sub, code in card.traits.items():
        known_trait = traits.get(sub, {}).get(code)
        label = known_trait.label.of(card.language) if known_trait else code
        lines.append(line("trait", label=label, description=known_trait.description.of(card.language)) if known_trait else label)
    return [one for one in lines if one]


def stated(value: Any) -> list[str]:
    """The statements of a part, those that say nothing left out."""
    lines = [value] if isinstance(value, str | int | float) else list(value or [])
    return [line for one in lines if (line := str(one).strip()).rstrip(".。").casefold() not in NOTHING]


def answers(profile: Mapping[str, Any], item: str) -> bool:
    """Whether the profile states anything that an item is rated against; of items it does not know, always."""
    part = PARTS.get(item)
    return part is None or bool(stated(profile.get(part)))
