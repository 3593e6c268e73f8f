"""Replies are read strictly, whatever is wrapped around them."""

import json

import pytest

from core.judging.replies import ItemRating, Verdict
from core.llm.parsing import read_reply, strict_schema

GOOD = '{"reasoning": "r", "evidence": ["a"], "counter_evidence": [], "rating": 4}'


@pytest.mark.parametrize(
    "raw",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"Here is my rating:\n{GOOD}\nI hope this helps.",
        f'<think>maybe {{"rating": 1}}</think>{GOOD}',
        f"first a draft {{not json}} then {GOOD}",
    ],
)
def test_the_object_is_found(raw: str) -> None:
    assert read_reply(raw, ItemRating).value.rating == 4


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("", "empty"),
        ("<think>only thoughts</think>", "empty"),
        ("I would say 4.", "no JSON"),
        ('{"reasoning": "r", "rating": 4}', "evidence"),
        (GOOD.replace("4", '"high"'), "rating"),
        (GOOD[:-5], "no JSON"),
        ("[" * 100_000, "no JSON"),
    ],
)
def test_what_cannot_be_read_says_why(raw: str, reason: str) -> None:
    reading = read_reply(raw, ItemRating)
    assert reading.value is None
    assert reason in reading.reason


def test_schemas_are_strict_all_the_way_down() -> None:
    schema = strict_schema(Verdict)
    assert schema["required"] == ["reasoning", "evidence", "verdict"]
    assert schema["$defs"]["ComparedQuote"]["additionalProperties"] is False
    assert "default" not in json.dumps(schema)
