"""The demo counselors, heard as their clients hear them: in both languages, on any transcript."""

import random
import re
from collections.abc import Sequence
from typing import Any

import pytest

from core.llm.demo.bank import lines
from core.llm.demo.counselors import ANSWERS
from core.llm.demo.listening import hear
from core.llm.demo.perspective import to_second_zh
from core.llm.demo.text import folded, length, sentences
from core.sessions.safety import marks

WHO = sorted(ANSWERS)
STORIES: dict[str, dict[str, list[str]]] = {
    "zh": {
        "bereaved": [
            "我丈夫三月份走了，到现在我还是缓不过来。", "我今年46岁，做会计的，家里就我和儿子。",
            "他走得太突然，早上出门还好好的。", "我晚上睡不着，一闭眼就是医院的走廊。",
            "我总觉得自己那天要是拦住他就好了。", "我很难过，也很自责。", "嗯。", "我妈说我该往前看，可我做不到。",
            "说出来好像没那么堵了。", "我想试试看，先把他的外套收起来。",
        ],
        "dismissed": [
            "上个月公司裁员，我被裁了，干了十一年。", "我每天早上还是照常出门，不敢告诉我爸妈。",
            "我觉得自己特别没用，连家都养不起。", "投了四十多份简历，只有两个面试。", "您能不能告诉我该怎么办？",
            "这个我试过了，没用。", "我很焦虑，也有点生气。", "我怕我也变成他那样。", "可能吧。",
            "也许我可以先跟我老婆说实话。",
        ],
        "caring": [
            "我妈老年痴呆，住我家三年了，我快撑不住了。", "昨天我冲她吼了，吼完我特别内疚。",
            "我妹妹在国外，一年打不了几个电话。", "我很累，也很孤单。", "亲戚会说我不孝。", "我没想过自己要什么。",
            "不知道。", "最近我头疼，吃不下饭。", "这么一说，还真是。", "我想跟我妹妹谈一次。",
        ],
    },
    "en": {
        "bereaved": [
            "My husband died in March and I still can't take it in.", "I'm 46, and it's just my son and me at home now.",
            "He left for work in the morning and was fine.", "I can't sleep, I keep seeing the hospital corridor.",
            "I feel sad and guilty.", "Yes.", "My mother says I should move on, but I can't.",
            "It's a bit easier when I say it.", "I could start by putting his coat away.", "Thank you.",
        ],
        "dismissed": [
            "I was laid off last month after eleven years.", "I still leave the house every morning so nobody knows.",
            "I feel useless, I can't even feed my family.", "I've sent forty applications and had two interviews.",
            "What should I do?", "I've tried that, it doesn't work.", "I'm anxious, and a bit angry too.",
            "I don't know.", "That makes sense, actually.", "Maybe I could tell my wife the truth.",
        ],
        "family": [
            "My mother moved in with us three years ago and she criticises everything I do.",
            "I live with her and my husband and two kids.", "Yesterday I shouted at her and I felt awful.",
            "My sister only calls at Christmas.", "I'm tired and lonely.", "No.", "I never asked what I want.",
            "My head hurts and I can't eat.", "I hadn't seen it like that.", "I could talk to my sister once.",
        ],
    },
}  # fmt: skip
EVERY = [(language, story) for language, told in STORIES.items() for story in told]
ODD = [
    "", "不", "不。", "no", "🙂🙂🙂", "……", "!!!", "SELECT * FROM users; DROP TABLE users;", "{clause} {feeling}",
    "I feel sad and I lost my job.", "我很难过，我失业了。", "啊" * 100_000, "I am sad. " * 10_000, "\x00\ud800", "٣٤ مرحبا",
    "<script>alert(1)</script>", "  \n\t ", "?" * 500, "我" * 50, "10",
]  # fmt: skip


def say(who: str, turns: Sequence[dict[str, Any]], language: str, seed: int = 1, most: int = 20) -> str:
    said = ANSWERS[who]({"turns": list(turns), "most_turns": most}, random.Random(seed), language)
    assert isinstance(said, str)
    return said


def session(
    who: str, told: Sequence[str], language: str, seed: int = 1, most: int = 20
) -> list[dict[str, Any]]:
    """A session with a client who says these lines whatever is asked."""
    turns: list[dict[str, Any]] = []
    for number in range(most):
        counselor = number % 2 == 0
        if not counselor and number // 2 >= len(told):
            break
        text = say(who, turns, language, seed * 100 + number, most) if counselor else told[number // 2]
        turns.append({"position": number + 1, "seat": "counselor" if counselor else "client", "text": text})
    return turns


def own(turns: Sequence[dict[str, Any]]) -> list[str]:
    return [str(turn["text"]) for turn in turns if turn["seat"] == "counselor"]


def client(*texts: str) -> list[dict[str, Any]]:
    return [{"position": n + 1, "seat": "client", "text": text} for n, text in enumerate(texts)]


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


SIGNS = {
    "zh": ["我不想活了。", "有时候我想死，一了百了。", "我昨天又割腕了。", "我想过自杀。"],
    "en": [
        "I don't want to live anymore.",
        "Sometimes I think about killing myself.",
        "I want to end my life.",
        "I've been cutting myself again.",
    ],
}
MARKED = {
    "zh": ["我想轻生", "我想到过死", "活着实在没意思", "我活够了", "生不如死", "没有我他们会更好", "我写了遗书", "我想去跳楼", "真想一觉睡过去不要再醒", "我拿刀片划手臂", "我打自己", "我用头撞墙", "我攒了很多安眠药", "我吃了一整瓶药", "不想醒来", "我想结束这一切", "我想了结自己"],
    "en": ["I'm suicidal", "I want to end it all", "I wish I was dead", "I wish I had never been born", "no reason to live",
           "I don't want to be here anymore", "they'd be better off without me", "life isn't worth living", "I overdosed",
           "I want to go to sleep and never wake up", "I thought of hanging myself", "I hurt myself last night"],
}  # fmt: skip
FIGURES = {
    "zh": ["累得要死。", "吓死我了。", "我打自己孩子了。"],
    "en": ["This job is killing me.", "I'm dying to know."],
}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_the_safety_rules_mark_the_counselors_hear(language: str) -> None:
    for text in MARKED[language]:
        assert "risk" in hear(text, language).signs, text
        assert marks(text) or text == "真想一觉睡过去不要再醒", text
    assert not any("risk" in hear(text, language).signs for text in FIGURES[language])


HELP = {
    "zh": ("12356", "120", "110"),
    "en": ("988", "911", "112", "emergency", "hotline", "crisis line", "helpline"),
}


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize(
    ("language", "sign"), [(language, sign) for language, signs in SIGNS.items() for sign in signs]
)
def test_a_sign_of_suicide_is_asked_about_and_help_named(who: str, language: str, sign: str) -> None:
    for before in ([], STORIES[language]["dismissed"][:3]):
        for seed in range(4):
            turns = session(who, [*before, sign], language, seed)[: 2 * len(before) + 2]
            said = say(who, turns, language, seed)
            assert said.endswith(("?", "？")) or "?" in said or "？" in said
            assert any(name in said.lower() for name in HELP[language]), said


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize(("language", "after"), [("zh", "嗯。"), ("en", "I guess.")])
def test_danger_is_not_left_until_it_is_answered(who: str, language: str, after: str) -> None:
    turns = session(who, [SIGNS[language][0], after], language)[:4]
    assert any(name in say(who, turns, language).lower() for name in HELP[language])


@pytest.mark.parametrize("language", ["en", "zh"])
def test_words_of_dying_are_never_said_back(language: str) -> None:
    no = {"zh": "没有，我不会伤害自己，就是太累了。", "en": "No, I won't hurt myself, I'm just tired."}[
        language
    ]
    for seed in range(6):
        told = [
            STORIES[language]["dismissed"][0],
            SIGNS[language][0],
            no,
            *STORIES[language]["dismissed"][1:6],
        ]
        said = own(session("counselor/hill", told, language, seed))[2:]
        assert not any(re.search("不想活|want to live|您不会伤害|you won't hurt", text) for text in said), (
            said
        )


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize(
    ("language", "denial"),
    [("zh", "我没有想过自杀，只是太累了。"), ("en", "I'm not thinking of suicide, I'm just tired.")],
)
def test_a_denial_is_no_sign(who: str, language: str, denial: str) -> None:
    assert "12356" not in say(who, client(denial), language) and "988" not in say(
        who, client(denial), language
    )


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
