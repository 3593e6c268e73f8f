"""Replies are read strictly, whatever is wrapped around them."""

import json
import random

import pytest
from pydantic import BaseModel

from core.judging.replies import InstrumentRating, ItemRating, Verdict
from core.llm.parsing import json_object, read_reply, strict_schema

GOOD = '{"reasoning": "r", "evidence": ["a"], "counter_evidence": [], "rating": 4}'
AGAIN = GOOD.replace('"r"', '"other words"')
WON = '{"reasoning": "r", "evidence": [], "verdict": "A"}'


@pytest.mark.parametrize(
    "raw",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"Here is my rating:\n{GOOD}\nI hope this helps.",
        f'<think>maybe {{"rating": 1}}</think>{GOOD}',
        f"first some words {{in braces}} then {GOOD}",
        f"{GOOD}\n\nFinal answer:\n{AGAIN}",
        GOOD.replace('"r"', '"a line\nbreak"'),
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
        (GOOD.replace("4", '"high"'), "no number"),
        (GOOD.replace("4", "true"), "true or false"),
        (GOOD.replace("4", "[4]"), "no number"),
        (GOOD[:-5], "no JSON"),
        ("[" * 100_000, "no JSON"),
        ('{"a":' * 100_000, "nested too deeply"),
        (GOOD.replace("4}", '4, "rating": 4}'), "more than once"),
        (GOOD.replace("4}", '4, "rating": 5}'), "more than once"),
        (f"{GOOD}\n{GOOD.replace('4', '5')}", "different things"),
        (f"{GOOD}\n{GOOD.replace('4', 'null')}", "different things"),
        (f'{{"rating": 5}}\n{GOOD}', "several objects"),
        (f"{GOOD}\n\nI'm sorry, but I can't rate this session.", "may change it"),
        (f"{GOOD}\n\nOn second thought the rating should be 2.", "may change it"),
        (f"{GOOD}\n\nFinal rating: 2", "may change it"),
        (f"{GOOD}\n\n抱歉，我无法评定这次咨询。", "may change it"),
        (f"{GOOD}\n\n评分：2", "may change it"),
        (f'{GOOD}\n{{"error": "not allowed"}}', "may change it"),
        (f'{{"error": "not allowed"}}\n{GOOD}', "may change it"),
        (f"first a draft {{not json}} then {GOOD}", "may change it"),
        (f"I cannot be sure, but:\n{GOOD}", "may change it"),
        # An object inside a broken one may be a draft or an example.
        (f'{{"first": "he said "no"", "draft": {GOOD}, "rating": 2}}', "whole"),
        (f'{{draft: {GOOD}, "rating": 2}}', "no JSON"),
        (f'{{"ratings": [{GOOD}, {{"item": "Q2"', "whole"),
    ],
)
def test_what_cannot_be_read_says_why(raw: str, reason: str) -> None:
    reading = read_reply(raw, ItemRating)
    assert reading.value is None
    assert reason in reading.reason


@pytest.mark.parametrize(
    "raw",
    [
        WON.replace('"A"', '"A", "verdict": "B"'),
        WON.replace("[]", '[{"session": "A", "session": "B", "quote": "q", "side": "for"}]'),
        f"{WON} {WON.replace('A', 'B')}",
        f"{WON} {WON.replace('A', 'tie')}",
    ],
)
def test_a_verdict_that_is_not_one_is_none(raw: str) -> None:
    assert read_reply(raw, Verdict).value is None


HUGE = "9" * 5_000


@pytest.mark.parametrize(
    "value", [HUGE, f"-{HUGE}", f"{HUGE}.5", f"1e{HUGE}", "NaN", "Infinity", "-Infinity", "1e999", '"\\ud800"', '"\ud800"']
)  # fmt: skip
@pytest.mark.parametrize("reply", [ItemRating, Verdict, InstrumentRating, None])
def test_no_number_and_no_half_character_raises(value: str, reply: type[BaseModel] | None) -> None:
    for raw in (
        GOOD.replace("4", value),
        f'{{"x": {value}, "verdict": 1}}',
        f'{{"ratings": [{value}]}}',
        value,
    ):
        reading = read_reply(raw, reply)
        str(reading.value).encode()
        reading.reason.encode()


def test_half_a_character_does_not_cost_the_answer() -> None:
    read = read_reply(GOOD.replace('"a"', '"sad \\ud83d\\ude00 and \\ud83d here"'), ItemRating).value
    assert read.evidence == ["sad 😀 and � here"]


def test_whatever_a_reply_is_made_of_a_reading_comes_back() -> None:
    rng = random.Random(7)
    pieces = [
        *GOOD, GOOD, WON, "<think>", "</think>", "<|channel|>final<|message|>", "{", "}", "[", "]", '"', "\\", "\\ud800", "\ud800", "\x00",
        "NaN", HUGE, "四", "4/5", "½", "²", "null", "true", ":", ",", "\n", "```json", '{"ratings": [', '"item": ', '"rating": ', '"verdict": "平局"',
    ]  # fmt: skip
    for _ in range(3_000):
        raw = "".join(rng.choices(pieces, k=rng.randint(1, 30)))
        for reply in (None, ItemRating, Verdict, InstrumentRating):
            reading = read_reply(raw, reply)
            assert reading.value is None or not reading.reason


def test_the_object_of_a_reply_that_could_not_be_read_is_found_where_it_is_whole() -> None:
    assert json_object('<think>{"rating": 1}</think> so: {"rating": "high"}') == {"rating": "high"}
    assert json_object(GOOD.replace('"r"', '"</think>"')) == json.loads(GOOD.replace('"r"', '"</think>"'))
    for raw in ("", "four", GOOD[:-5], '{"a":' * 100_000, "<think>" + GOOD):
        assert json_object(raw) is None


class Note(BaseModel):
    title: str
    steps: list[dict[str, str]] = []


def test_of_other_replies_the_last_object_counts_and_no_key_stands_twice() -> None:
    assert read_reply('{"title": "a"} better: {"title": "b"} I cannot do more.', Note).value.title == "b"
    assert "more than once" in read_reply('{"title": "a", "steps": [{"x": "1", "x": "2"}]}', Note).reason


def test_schemas_are_strict_all_the_way_down() -> None:
    schema = strict_schema(Verdict)
    assert schema["required"] == ["reasoning", "evidence", "verdict"]
    assert schema["$defs"]["ComparedQuote"]["additionalProperties"] is False
    assert "default" not in json.dumps(schema)


def test_what_is_sent_stays_plain_however_much_is_read() -> None:
    quotes = {"items": {"type": "string"}, "maxItems": 12, "type": "array"}
    one = {
        "reasoning": {"type": "string"}, "evidence": quotes, "counter_evidence": quotes,
        "rating": {"anyOf": [{"type": "number"}, {"type": "null"}]},
    }  # fmt: skip
    assert strict_schema(ItemRating) == {
        "description": "A rating of one item; ``rating`` is null for *not applicable*.",
        "type": "object", "properties": one, "required": list(one), "additionalProperties": False,
    }  # fmt: skip
    whole = strict_schema(InstrumentRating)
    assert whole["properties"] == {"ratings": {"items": {"$ref": "#/$defs/NamedRating"}, "type": "array"}}
    assert list(whole["$defs"]) == ["NamedRating"]
    assert whole["$defs"]["NamedRating"]["properties"] == one | {"item": {"type": "string"}}
    assert strict_schema(Verdict)["properties"]["verdict"] == {"enum": ["A", "B", "tie"], "type": "string"}
