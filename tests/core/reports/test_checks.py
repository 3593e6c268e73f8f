"""A dialogue rebuilt from a report is checked by the rules anyone can see."""

from typing import Any

import pytest

from core.reports.checks import dialogue_faults
from core.reports.replies import Dialogue

STAGES = ["reception", "diagnosis", "consultation", "consultation", "consolidation"]
REPORT = (
    "The client lies awake until three and goes over the day at the till again and again, counting every mistake "
    "she thinks that she has made there. She said, \"I keep hearing the drawer slam and then I am back at the counter "
    "with all of them staring at me and nobody says one single word\"."
)


def dialogue(**changes: str) -> list[dict[str, Any]]:
    turns = []
    for number, stage in enumerate(STAGES):
        turns.append({"seat": "client", "text": f"I slept badly again, night {number}.", "stage": stage})
        turns.append({"seat": "counselor", "text": "That sounds tiring. What was it like?", "stage": stage})
    for at, text in changes.items():
        turns[int(at[1:])]["text"] = text
    return turns


def codes(turns: list[dict[str, Any]], report: str = REPORT, language: str = "en") -> list[str]:
    return [fault.code for fault in dialogue_faults(turns, report, language)]


def test_a_sound_dialogue_has_no_faults() -> None:
    assert codes(dialogue()) == []
    Dialogue.model_validate({"turns": dialogue()})


def test_rounds_first_and_last_seat() -> None:
    assert codes([]) == ["no_turns"]
    assert {"client_first", "few_rounds"} <= set(codes(dialogue()[1:]))
    assert "counselor_last" in codes(dialogue()[:-1])
    assert "many_rounds" in codes([*dialogue(), *dialogue()[-2:] * 11])


def test_seats_alternate_and_are_known() -> None:
    turns = dialogue()
    turns[3]["seat"] = "client"
    assert codes(turns) == ["few_rounds", "alternation", "alternation"]
    turns[3]["seat"] = "nurse"
    assert "unknown_seat" in codes(turns)


def test_stages_come_in_order_and_none_is_missing() -> None:
    turns = dialogue()
    turns[4]["stage"] = "reception"
    assert codes(turns) == ["stage_order"]
    for turn in turns:
        turn["stage"] = "reception"
    assert codes(turns).count("stage_missing") == 3
    turns[0]["stage"] = ""
    assert "stage_unknown" in codes(turns)


def test_length_is_an_aim_not_a_rule() -> None:
    (fault,) = dialogue_faults(dialogue(t2="word " * 60), REPORT, "en")
    assert (fault.code, fault.turn, fault.aim) == ("long_turn", 3, True)
    assert "60 words" in fault.message and "60" in fault.told("zh")


@pytest.mark.parametrize("text", ["   ", ""])
def test_an_empty_turn_is_named(text: str) -> None:
    assert codes(dialogue(t3=text)) == ["empty_turn"]


@pytest.mark.parametrize(
    "text, code",
    [
        ("The case report says you are tired.", "mentions_report"),
        ("Call me on 0161 496 0172 then.", "personal_data"),
        ("Write to me at ann.b@example.org.", "personal_data"),
        ("I told [NAME_1] about it.", "placeholder"),
        ("My name is Ann.", "personal_data"),
    ],
)
def test_privacy_and_the_report_itself(text: str, code: str) -> None:
    assert codes(dialogue(t2=text)) == [code]


def test_ordinary_figures_and_words_are_left_alone() -> None:
    assert codes(dialogue(t2="I report to two managers, 38 hours a week, since 2019 or 2020.")) == []


def test_long_stretches_of_the_report_are_copies_but_its_quotes_are_not() -> None:
    copied = "lies awake until three and goes over the day at the till again and again, counting every mistake she thinks"
    assert codes(dialogue(t2=f"She {copied}.")) == ["copied"]
    quote = "I keep hearing the drawer slam and then I am back at the counter with all of them staring at me and nobody"
    assert codes(dialogue(t2=quote)) == []


def test_chinese_dialogues_are_told_in_chinese() -> None:
    turns = [{**turn, "text": "我昨晚又没睡好。" if turn["seat"] == "client" else "听起来很累。"} for turn in dialogue()]
    assert codes(turns, "报告正文", "zh") == []
    turns[2]["text"] = "案例报告里写着我很累，我叫李敏。"
    faults = dialogue_faults(turns, "报告正文", "zh")
    assert {fault.code for fault in faults} == {"mentions_report", "personal_data"}
    assert all("第3句" in fault.message for fault in faults)


def test_a_very_long_dialogue_and_report_are_read() -> None:
    assert "many_rounds" in codes(dialogue() * 200, "She lay awake. " * 8000)
