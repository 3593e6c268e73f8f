"""The demo counselors, heard as their clients hear them: in both languages, on any transcript."""

import random
import re
from typing import Any

import pytest

from core.llm.demo.bank import lines
from core.llm.demo.counselors import ANSWERS
from core.llm.demo.listening import hear
from core.llm.demo.perspective import to_second_zh
from core.llm.demo.text import folded, length, sentences
from tests.counseling import EVERY, STORIES, WHO, client, own, say, session

ODD = [
    "", "不", "不。", "no", "🙂🙂🙂", "……", "!!!", "SELECT * FROM users; DROP TABLE users;", "{clause} {feeling}",
    "I feel sad and I lost my job.", "我很难过，我失业了。", "啊" * 100_000, "I am sad. " * 10_000, "\x00\ud800", "٣٤ مرحبا",
    "<script>alert(1)</script>", "  \n\t ", "?" * 500, "我" * 50, "10",
]  # fmt: skip


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize(("language", "story"), EVERY)
def test_no_question_is_asked_twice(who: str, language: str, story: str) -> None:
    for seed in range(6):
        said = own(session(who, STORIES[language][story], language, seed))
        asked = [
            folded(piece.text)
            for text in said
            for piece in sentences(text)
            if piece.text.endswith(("?", "？"))
        ]
        assert len(asked) == len(set(asked)), [question for question in asked if asked.count(question) > 1]


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize(("language", "story"), EVERY)
def test_turns_are_short_and_whole(who: str, language: str, story: str) -> None:
    for seed in range(6):
        for text in own(session(who, STORIES[language][story], language, seed)):
            assert 2 <= length(text) <= (120 if language == "zh" else 90), text
            assert not re.search(r"[{}|]|，，|。。|^[，。]|,[\u4e00-\u9fff]|[\u4e00-\u9fff],", text), text
            assert text[-1] in ".?!。？！：", text


FEELINGS = {
    "zh": "害怕 恐惧 愤怒 生气 羞愧 内疚 孤独 绝望 嫉妒 委屈 焦虑 难过",
    "en": "afraid angry ashamed guilty lonely hopeless jealous anxious sad furious",
}


@pytest.mark.parametrize(("language", "story"), EVERY)
def test_only_feelings_the_client_owned_are_said_back(language: str, story: str) -> None:
    told = STORIES[language][story]
    for seed in range(8):
        turns = session("counselor/hill", told, language, seed)
        for number, turn in enumerate(turns):
            if turn["seat"] == "client":
                continue
            heard = " ".join(
                str(before["text"]) for before in turns[:number] if before["seat"] == "client"
            ).lower()
            for piece in sentences(str(turn["text"])):
                if piece.text.endswith(("?", "？")) or re.search(
                    "我在想|会不会|也许|可能|wonder|perhaps|maybe|could it|might", piece.text.lower()
                ):
                    continue
                for word in FEELINGS[language].split():
                    assert word not in piece.text.lower() or word in heard, (word, piece.text)


def test_the_feelings_of_others_and_wishes_are_not_the_clients() -> None:
    for text in (
        "我妈说我很自私。",
        "他很生气。",
        "我不难过。",
        "我希望自己能开心。",
        "我老公说我很烦。",
        "我妈对我很失望。",
        "要是我难过就好了。",
        "我并不觉得丢人。",
        "我看得出她很着急。",
    ):
        assert not hear(text, "zh").felt, text
    assert [feeling.word for feeling in hear("我很难过，也很自责。", "zh").felt][:1] == ["难过"]


@pytest.mark.parametrize(("said", "back"), [
    ("我妈说我不懂事", "您妈妈说您不懂事"), ("我们结婚八年", "你们结婚八年"), ("我怕我也变成他那样", "您怕自己也变成他那样"),
    ("我觉得我这辈子完了", "您觉得自己这辈子完了"), ("我怕我妈担心", "您怕您妈妈担心"), ("你能不能告诉我", None),
])  # fmt: skip
def test_a_chinese_clause_is_said_to_the_client(said: str, back: str | None) -> None:
    assert to_second_zh(said) == back


@pytest.mark.parametrize(("language", "story"), EVERY)
def test_numbers_and_people_stay_as_they_were_told(language: str, story: str) -> None:
    told = STORIES[language][story]
    everything = "".join(told)
    for seed in range(6):
        for text in own(session("counselor/hill", told, language, seed)):
            plain = re.sub(r"0\s*(?:到|-|to|and|分)\s*10|1[0]?分|0分|911|988|110|120|12356", "", text)
            for number in re.findall(r"\d+", plain):
                assert number in everything or number in ("0", "10"), text


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_stages_come_in_order(language: str) -> None:
    """Listening first, then a guess, then a step, then a summary."""

    def stage_of(text: str) -> str:
        low = folded(text)
        for name, bank in (("action", "step"), ("action", "wish")):
            if any(folded(line) in low for line in lines(language, "counselor_questions", bank)):
                return name
        return (
            "insight"
            if any(folded(line) in low for line in lines(language, "counselor_hill", "check"))
            else ""
        )

    for story in STORIES[language].values():
        for seed in range(5):
            seen = [
                stage
                for text in own(session("counselor/hill", story, language, seed))
                if (stage := stage_of(text))
            ]
            assert "action" in seen
            assert seen == sorted(seen, key=["insight", "action"].index), seen


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
def test_strange_input_gets_a_sensible_turn(who: str, language: str, text: str) -> None:
    for turns in ([], client(text), session(who, [text] * 10, language)[:-1]):
        said = say(who, turns, language)
        assert said.strip() and length(said) <= 130, said
        assert "DROP" not in said and "<script" not in said and "{" not in said


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    "inputs",
    [{}, {"turns": None}, {"turns": ["x", 3, None]}, {"turns": [{"seat": "client"}], "most_turns": "many"}],
)
def test_missing_inputs_are_read_as_nothing(who: str, language: str, inputs: dict[str, Any]) -> None:
    assert str(ANSWERS[who](inputs, random.Random(1), language)).strip()


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize(("language", "story"), EVERY)
def test_the_same_seed_says_the_same(who: str, language: str, story: str) -> None:
    told = STORIES[language][story]
    assert session(who, told, language, 3) == session(who, told, language, 3)
    assert session(who, told, language, 3) != session(who, told, language, 4)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_said_often_has_ten_variants(language: str) -> None:
    for bank in ("restate", "feeling", "attend", "invite", "short_answer", "check"):
        assert len(lines(language, "counselor_hill", bank)) >= 10, bank
    asked = [
        "opening",
        "story",
        "feeling",
        "thought",
        "impact",
        "support",
        "coping",
        "history",
        "wish",
        "step",
    ]
    for bank in asked:
        assert len(lines(language, "counselor_questions", bank)) >= 10, bank


def test_no_step_is_planned_before_one_is_named() -> None:
    for seed in range(8):
        text = own(
            session("counselor/hill", [*STORIES["zh"]["bereaved"][:6], *["我每天都很难过。"] * 4], "zh", seed)
        )
        assert not any(re.search("0到10|0-10|打几分", said) for said in text)


def test_who_lives_there_is_not_asked_again() -> None:
    for who in WHO:
        for seed in range(10):
            for text in own(session(who, STORIES["en"]["family"], "en", seed))[2:]:
                assert "who lives" not in text.lower() and "who do you live" not in text.lower(), text


def test_family_is_not_offered_as_support_where_it_is_the_stressor() -> None:
    for who in WHO:
        for seed in range(10):
            said = own(session(who, STORIES["en"]["family"], "en", seed))
            assert not any(
                re.search(
                    r"(?:is|are) (?:your |the )?family (?:there|around|with you)|family support|who in your family",
                    text.lower(),
                )
                for text in said
            )
