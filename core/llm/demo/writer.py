"""The demo writer: components, note and dialogue from a report's own sentences, in English and Chinese.

Every sentence of a note stands in the report; every fact of a dialogue does. What the report does not say is named as
missing in the note and left out of the dialogue.
"""

import random
from collections.abc import Callable, Mapping
from typing import Any

from core.llm.demo.text import length
from core.llm.demo.writer_components import sort_components
from core.llm.demo.writer_dialogue import Plan, dialogue
from core.llm.demo.writer_note import note
from core.llm.demo.writer_reading import read_report
from core.llm.demo.writer_techniques import techniques_in

LONGEST_AIM = 22


def components(inputs: Mapping[str, Any], rng: random.Random, language: str) -> dict[str, Any]:
    """The six components with topic and school."""
    return sort_components(str(inputs.get("text") or ""))


def make_note(inputs: Mapping[str, Any], rng: random.Random, language: str) -> dict[str, Any]:
    """The four-part note."""
    return dict(note(read_report(inputs, language)))


def memo_dialogue(inputs: Mapping[str, Any], rng: random.Random, language: str) -> dict[str, Any]:
    """The dialogue from report and note (Memo2Demo): the note gives the aim and the techniques."""
    report = read_report(inputs, language)
    given = inputs.get("note")
    given = given if isinstance(given, Mapping) else {}
    named = techniques_in([report.parts["method"], *_texts(given.get("techniques")), report.parts["consultation_process"]], language)
    aims = [aim for aim in _texts(given.get("goals")) if _sayable(aim, language)]
    plan = Plan(goals=tuple(aims), techniques=tuple(named))
    return {"turns": dialogue(report, plan, rng, _texts(inputs.get("faults")))}


def role_play(inputs: Mapping[str, Any], rng: random.Random, language: str) -> dict[str, Any]:
    """The dialogue straight from the report, without a note: the same facts, less plan and less exploring."""
    report = read_report(inputs, language)
    plan = Plan(explorations=2, steps=4, sums_up=False)
    return {"turns": dialogue(report, plan, rng, _texts(inputs.get("faults")))}


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value] if value.strip() else []
    return [str(one) for one in value if str(one).strip()] if isinstance(value, list | tuple) else []


def _sayable(aim: str, language: str) -> bool:
    """Whether an aim of the note can be said to the client: short, without the third person."""
    third = ("来访者", "求助者", "她", "他", "报告", "？", "您") if language == "zh" else (" her ", " his ", " she ", " he ", "the client", "report", "herself", "himself")
    return length(aim) <= LONGEST_AIM and not any(word in f" {aim.lower()} " for word in third)


ANSWERS: dict[str, Callable[[Mapping[str, Any], random.Random, str], "str | dict[str, Any]"]] = {
    "report/components": components,
    "report/note": make_note,
    "report/dialogue": memo_dialogue,
    "report/roleplay": role_play,
}
