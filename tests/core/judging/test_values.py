"""A number or a verdict is read as what it says, and never guessed."""

import json
from typing import Any

import pytest

from core.judging.readings import read_comparison, read_ratings
from core.judging.replies import InstrumentRating, ItemRating, Verdict
from core.llm.parsing import read_reply
from core.llm.seam import Answer

TURNS = [{"position": 1, "seat": "client", "text": "I cannot sleep."}]
FIVE = [{"value": value} for value in (1, 2, 3, 4, 5)]
HALVES = [{"value": value} for value in (0, 0.5, 1)]


def answered(reply: Any, given: Any) -> Answer:
    raw = given if isinstance(given, str) else json.dumps(given)
    reading = read_reply(raw, reply)
    state = "read" if reading.value is not None else "unreadable"
    return Answer(value=reading.value, state=state, text=raw, raw=raw, reason=reading.reason)  # type: ignore[arg-type]


def one(value: Any, **more: Any) -> dict[str, Any]:
    return {"reasoning": "r", "evidence": [], "counter_evidence": [], "rating": value} | more


def rated(value: Any, levels: list[dict[str, Any]] = FIVE, **more: Any) -> Any:
    return read_ratings(answered(ItemRating, one(value, **more)), [{"id": "Q1", "levels": levels}], TURNS)[0]


@pytest.mark.parametrize(
    "said", [4, 4.0, "4", "４", " 4 ", "4.0", "四", "four", "Four", "4/5", "4 / 5", "４／５", "④"]
)
def test_a_number_says_what_it_says(said: Any) -> None:
    read = rated(said)
    assert (read.value, read.reason) == (4.0, "")


@pytest.mark.parametrize("said", [0.5, "0.5", "０.５", "零点五", "0.5/1", 0.5 + 1e-12, "½", " ½ "])
def test_a_half_is_a_level_where_the_scale_has_it(said: Any) -> None:
    assert rated(said, HALVES).value == 0.5


def test_a_sign_of_a_half_is_not_one_of_a_scale_whose_top_is_two() -> None:
    read = rated("½", [{"value": value} for value in (0, 1, 2)])
    assert (read.value, "lies between two of them" in read.reason) == (None, True)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (True, "true or false"),
        (False, "true or false"),
        ("high", "no number"),
        ("very much", "no number"),
        ("4 (agree)", "no number"),
        ("about 4", "no number"),
        ("4 or 5", "no number"),
        ("4-5", "no number"),
        ("", "no number"),
        ("4" * 5_000, "no number"),
        ([4], "no number"),
        ({"value": 4}, "no number"),
        (4.5, "lies between two of them"),
        ("4.5", "lies between two of them"),
        ("3.5/5", "lies between two of them"),
        (7, "not a level"),
        (0, "not a level"),
        (-4, "not a level"),
        ("十", "not a level"),
        ("4/10", "not of the scale's top"),
        ("½", "not a level"),
        ("3½", "lies between two of them"),
        ("4²", "no number"),
        ("⅟5", "no number"),
        ("½/5", "no number"),
        ("2/2", "not of the scale's top"),
        ("6/5", "not a level"),
        (None, "no rating"),
    ],
)
def test_what_names_no_level_is_unscored_with_the_reason(said: Any, why: str) -> None:
    read = rated(said)
    assert read.value is None
    assert why in read.reason


def test_a_reply_about_another_item_is_no_rating_of_the_one_asked_about() -> None:
    assert rated(4, item="Q1").value == 4
    assert rated(4, item="Q1. The client feels understood").value == 4
    for other in ("Q2", "Q10", 7, ["Q1"]):
        assert "another item" in rated(4, item=other).reason


def whole(ratings: Any, ids: str = "Q1 Q2 Q3") -> dict[str, Any]:
    items = [{"id": id, "levels": FIVE} for id in ids.split()]
    given = ratings if isinstance(ratings, str) else {"ratings": ratings}
    return {read.item: read for read in read_ratings(answered(InstrumentRating, given), items, TURNS)}


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (one(True, item="Q2"), "true or false"),
        (one("high", item="Q2"), "no number"),
        (one(9, item="Q2"), "not a level"),
        (one(4.5, item="Q2"), "between two"),
        ({"item": "Q2", "rating": 4}, "reasoning"),
        ({"rating": 4}, "leaves this item out"),
        ("Q2: 4", "leaves this item out"),
        (None, "leaves this item out"),
        (one(4, item="Q99"), "rates what was not asked"),
        (one(4, item="Q1"), "leaves this item out"),
    ],
)
def test_one_item_that_cannot_be_read_does_not_cost_the_others(bad: Any, why: str) -> None:
    read = whole([one(3, item="Q1"), bad, one(5, item="Q3")])
    assert read["Q3"].value == 5
    assert read["Q2"].value is None
    assert why in read["Q2"].reason
    if bad == one(4, item="Q1"):
        assert (read["Q1"].value, read["Q1"].reason) == (None, "the reply rates this item more than once")
    else:
        assert read["Q1"].value == 3


def test_a_key_twice_or_a_number_without_end_costs_its_own_item_only() -> None:
    items = [json.dumps(one(n, item=f"Q{n}")) for n in (1, 2, 3)]
    items[0] = items[0].replace('"rating": 1', '"rating": 1, "rating": 5')
    items[1] = items[1].replace('"rating": 2', '"rating": ' + "2" * 5_000)
    read = whole(f'{{"ratings": [{", ".join(items)}]}}')
    assert "more than once" in read["Q1"].reason
    assert "not a level" in read["Q2"].reason
    assert [read[id].value for id in ("Q1", "Q2", "Q3")] == [None, None, 3]


def test_the_same_item_twice_is_unscored_even_where_both_agree() -> None:
    for second in (1, 5):
        read = whole([one(1, item="Q1"), one(second, item="Q1"), one(2, item="Q2"), one(2, item="Q3")])
        assert (read["Q1"].value, read["Q2"].value) == (None, 2)


def test_a_whole_reply_without_one_readable_item_is_unreadable() -> None:
    answer = answered(InstrumentRating, {"ratings": [one("high", item="Q1"), one(True, item="Q2")]})
    assert answer.state == "unreadable"
    assert "no number" in answer.reason


def test_items_named_in_another_width_or_as_numbers_are_found() -> None:
    read = whole([one(1, item="Ｑ1"), one(2, item=" Q2 "), one(3, item="Q3")])
    assert [one.value for one in read.values()] == [1, 2, 3]
    assert whole([one(4, item=7)], "7")["7"].value == 4


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("A", ("won", 11)), ("Ａ", ("won", 11)), ("b", ("won", 12)), ("Ｂ", ("won", 12)), (" B ", ("won", 12)), ("tie", ("tie", None)),
        ("Tie", ("tie", None)), ("ＴＩＥ", ("tie", None)), ("平局", ("tie", None)), ("平手", ("tie", None)),
    ],
)  # fmt: skip
def test_a_verdict_says_what_it_says(said: str, read: tuple[str, int | None]) -> None:
    answer = answered(Verdict, {"reasoning": "r", "evidence": [], "verdict": said})
    compared = read_comparison(answer, 11, 12, {11: TURNS, 12: TURNS})
    assert (compared.verdict, compared.winner_id) == read


@pytest.mark.parametrize(
    "said", [True, None, 1, "C", "both", "A or B", "neither", "甲", "", ["A"], "A" * 5_000]
)
def test_other_words_are_no_verdict(said: Any) -> None:
    answer = answered(Verdict, {"reasoning": "r", "evidence": [], "verdict": said})
    compared = read_comparison(answer, 11, 12, {11: TURNS, 12: TURNS})
    assert (compared.verdict, compared.winner_id) == ("unscored", None)
    assert "verdict" in compared.reason


def test_an_answer_without_a_value_is_unscored_whatever_its_state_says() -> None:
    """A reply that an older reader could read and this one cannot."""
    answer = Answer(value=None, state="read", text="x", raw="x", reason="a key stands in it more than once")
    read = read_ratings(answer, [{"id": "Q1", "levels": FIVE}], TURNS)
    assert read[0].reason == "a key stands in it more than once"
