"""A farewell is said to the other person in the room; words about farewells, quoted, past, or to somebody else are none."""

from typing import Any

import pytest

from core.llm.demo.listening import hear
from core.sessions import ending, safety

SAID = {
    "en": """
        Goodbye.
        Bye!
        OK, bye for now.
        Thank you so much, goodbye.
        Thanks for listening, bye.
        Alright, bye-bye.
        Thank you and goodbye.
        I have to pick up my son now. Bye!
        okay thanks bye
        i feel calmer now, thank you bye
        Well, goodbye then.
        Goodbye, doctor.
        Bye Sandra, and thank you.
        See you next week.
        See you on Tuesday, then.
        Yeah, I'll see you in a month.
        Great. So I'll see you then.
        We'll see you next week.
        I hope to see you again next month.
        Until next time.
        Talk to you soon.
        We'll talk again next week. Take care.
        Take care of yourself.
        You take care now.
        Please take care.
        Have a good day!
        Yes, and have a lovely weekend.
        Have a great day and best of luck to you!
        Good night, and thank you.
        Let's stop here for today.
        That's all for today.
        Our time is up for today.
        I look forward to our next session.
        I'm looking forward to seeing you on Monday.
        It was nice talking to you.
        I said goodbye to my mother on Sunday. That helped. Thank you, goodbye.
        Farewell, and thank you for everything.
        I'll say goodbye for now.
    """,
    "zh": """
        再见。
        再见！谢谢您。
        好的，再见。
        谢谢老师，再见！
        谢谢您，我会试试的，再见。
        那就再见了。
        嗯，拜拜。
        好，拜拜啦。
        老师再见。
        再见，小王！祝你一切顺利！
        再见，祝您生活愉快。
        不客气，再见。
        我们下次再见。
        那我们下周见。
        下周三见。
        好的，下次见。
        下次再聊。
        我们下周再继续谈。
        改天再聊吧。
        回头见。
        明天见。
        今天就聊到这里吧。
        我们今天先到这里。
        那今天就先谈到这儿。
        今天的咨询就到这里了。
        期待和您下次见面。
        晚安。
        谢谢您听我说这么多，晚安。
        您多保重。
        请保重身体。
        保重，再会。
        您慢走。
        好，那先这样，再见。
        上周我跟妈妈说了再见，心里轻松多了。谢谢您，再见。
    """,
}  # fmt: skip
TOLD = {
    "en": """
        He sent me goodbye texts.
        Goodbye texts, all of them at night.
        I got a goodbye text from her.
        I said goodbye to my mother.
        I never said goodbye.
        She just said bye and left.
        He told me goodbye on the phone.
        They waved goodbye at the station.
        "Goodbye," she said.
        All she wrote was "goodbye".
        Her last words were: goodbye.
        He texted: bye.
        The message only said, "Take care. Goodbye."
        My father used to say 'good night' through the door.
        I want to say goodbye to him properly.
        We had to say our goodbyes in the hallway.
        I did not get to say a proper goodbye.
        It felt like a goodbye.
        Saying goodbye is hard for me.
        Goodbyes are hard for me.
        Goodbye is a word I cannot say.
        The goodbye party was on Friday.
        He left without a goodbye.
        I kissed the children good night.
        I had one good night this week.
        I never get a good night's sleep.
        I have to take care of my mother.
        I can't take care of myself.
        My sister and I take care of him.
        I see you are busy.
        I'm here to see you again because it got worse.
        It's good to see you again.
        It was strange to see you on Friday.
        That gives me something to do until next week.
        We never talk later.
        Maybe I could come to see you again.
        I would like to have a good day for once.
        She tells everybody to have a nice day.
        I have a good day when he is away.
        It was nice talking to him.
        We always stop here on the way to school.
        He said that's all for today and went.
        The farewell dinner was awful.
        Goodbye, Mom. That is what I would tell her.
    """,
    "zh": """
        他给我发了告别短信。
        他发来一条短信：再见。
        见面时没说再见。
        我跟妈妈说了再见。
        我没能和他说再见。
        她说了声再见就走了。
        他只留下一句“再见”。
        他最后一句话是“保重”。
        我一直没有机会跟爸爸好好说再见。
        他挥挥手说拜拜。
        再见面的时候我很紧张。
        真希望能再见到她。
        再见他一面都不行。
        再见的时候他哭了。
        我不想和他再见。
        他连晚安都不跟我说了。
        以前他每天给我发晚安。
        晚安短信也没有了。
        我睡前总要跟孩子说晚安。
        我们约好明天见面。
        他约我下周见面。
        我明天见客户。
        下次见到他我该怎么办。
        下周见他父母，我很害怕。
        我妈妈总叫我保重身体。
        奶奶临走前让我保重。
        他说改天再聊，然后就没有消息了。
        领导说今天就到这里，大家都走了。
        我今天到这里来是因为失眠。
        我们的关系就到这里了。
        我一直期待下次见面，可他没来。
        我说我们下次再聊，他就生气了。
        我在心里对过去说再见。
        “再见，”她说。
        再见了，妈妈。我对着照片这样说。
        告别的话我说不出口。
    """,
}  # fmt: skip
IN_DANGER = {
    "en": ["This is goodbye.", "Goodbye forever.", "Goodbye, world.", "I wrote my goodbye letters last night. Goodbye.",
           "You won't hear from me again. Goodbye.", "I just want to kill myself. Thank you, bye.", "This is my last goodbye. Take care."],
    "zh": ["永别了。", "谢谢您，来世再见。", "这是最后一次跟您说再见了。", "遗书我写好了，再见。", "我不想活了，再见。", "以后您再也不会见到我了，保重。"],
}  # fmt: skip

BEFORE_A_GOODBYE = [
    "I've made up my mind, it will all be over tonight. Goodbye.", "Thank you for everything. Tell my kids I love them. Goodbye.",
    "I can't go on. Goodbye.", "I won't be here tomorrow. Goodbye.", "This is my last message. Goodbye.", "I took all of them. Bye.",
    "I am on the bridge now. Goodbye.", "I'm gonna end it. Goodbye.", "I just want it to end. Goodbye.", "There's no point living. Goodbye.",
    "撑不下去了。再见。", "我真的撑不下去了。再见。", "药都吃了。再见。", "我在楼顶。再见。",
]  # fmt: skip
NO_DANGER = [
    "I can't go on holiday with them.", "I can't go on like this at work.", "I won't be here next week.", "The exams will be over soon.",
    "I told my kids I love them.", "He never got my last message.", "I took all of them to the park.", "We met on the bridge.", "I'm going to end it with him.",
    "I want this meeting to end.", "What is the point of the form?", "公司撑不下去了。", "药都吃了，还是睡不着。", "我们常在天台聊天。",
]  # fmt: skip


def lines(of: dict[str, str]) -> list[str]:
    return [line.strip() for block in of.values() for line in block.splitlines() if line.strip()]


def talk(*texts: str) -> list[dict[str, Any]]:
    """A conversation that is long enough to end; the last line is the counselor's."""
    said = [*["Tell me more.", "It is hard."] * 3, *texts]
    seats = ["counselor", "client"] * len(said)
    shift = len(said) % 2 == 0  # so that the counselor has the last word
    return [{"position": n + 1, "seat": seats[n + shift], "text": text} for n, text in enumerate(said)]


@pytest.mark.parametrize("line", lines(SAID))
def test_a_farewell_to_the_other_is_one(line: str) -> None:
    assert ending.parts(line)


@pytest.mark.parametrize("line", lines(TOLD))
def test_words_about_a_farewell_are_none(line: str) -> None:
    assert not ending.parts(line)
    assert not ending.ended(talk(line, "Thank you for telling me.")) and not ending.ended(talk(line, "谢谢您告诉我。"))


@pytest.mark.parametrize("line", [line for lines in IN_DANGER.values() for line in lines])
def test_a_goodbye_of_a_client_in_danger_does_not_end_the_session(line: str) -> None:
    assert safety.marks(line), "a person who says so sees where help is"
    for answer in ("Take care. Goodbye.", "再见，祝您一切顺利。"):
        assert not ending.ended(talk(line, answer))
        assert not ending.ended(talk(line, "I hear you.", "Thank you, bye.", answer)), "nor do their next words"
        assert ending.cut_at([*talk(line, answer), *talk("Yes.")]) is None


@pytest.mark.parametrize("sign", ["I have the pills here and I am going to kill myself tonight.", "我今晚就想去死。"])
@pytest.mark.parametrize("after", range(0, 9, 2))
def test_a_session_in_which_a_client_was_in_danger_is_ended_by_no_goodbye(sign: str, after: int) -> None:
    """Neither just after, nor half a session later; and what a judge reads is cut nowhere."""
    turns = talk(sign, *["Where are you?", "At home."] * after, "Please stay.", "No. Goodbye.", "Goodbye, take care.")
    assert turns[6] | {"position": 0} == {"position": 0, "seat": "client", "text": sign}
    assert ending.closes(turns[-2]["text"], turns[-1]["text"]) and not ending.ended(turns)
    more = [*turns, {"position": len(turns) + 1, "seat": "client", "text": "Still here."}]
    assert ending.cut_at(more) is None


def test_danger_that_comes_after_a_goodbye_is_not_cut_away_for_the_judge() -> None:
    turns = talk("Thank you, goodbye.", "Goodbye.", "I want to kill myself.", "Tell me where you are.")
    assert ending.ended(turns[:8]) and ending.cut_at(turns) is None


def test_a_sign_a_turn_was_saved_with_counts_though_the_list_says_nothing_of_it() -> None:
    turns = talk("It is the thing from March.", "I see.", "Thank you, goodbye.", "Goodbye, take care.")
    assert ending.ended(turns)
    turns[6]["risk"] = [{"kind": "suicide", "phrase": "the thing", "start": 6, "end": 15}]
    assert not ending.ended(turns)


@pytest.mark.parametrize("line", BEFORE_A_GOODBYE)
def test_a_goodbye_with_a_sign_in_it_is_no_polite_one(line: str) -> None:
    answer = "Take care, goodbye."
    assert ending.closes(line, answer) and not ending.ended(talk(line, answer))
    assert safety.marks(line), "a person who says so sees where help is"


@pytest.mark.parametrize("line", NO_DANGER)
def test_words_close_to_a_sign_are_none(line: str) -> None:
    assert safety.marks(line) == []


@pytest.mark.parametrize(
    "line",
    ["It was nice talking to you about mom. But I am scared.", "Goodbye, but I am scared.", "Bye. Wait, one more thing.",
     "It was nice talking to you about my mother.", "再见。可是我很害怕。", "谢谢您，再见，不过我还是睡不着。"],
)  # fmt: skip
def test_a_farewell_that_is_taken_back_is_none(line: str) -> None:
    assert not ending.parts(line) and not ending.ended(talk(line, "Take care, goodbye."))


@pytest.mark.parametrize("line", ["Thank you. But I am scared.", "Thanks, but I am scared.", "谢谢您，可是我很害怕。"])
def test_thanks_that_go_on_are_no_answer_to_a_farewell(line: str) -> None:
    assert not ending.ended([*talk("I see.", "Goodbye, take care."), {"position": 9, "seat": "client", "text": line}])


def test_a_counselor_may_name_a_danger_in_their_farewell() -> None:
    assert ending.ended(talk("Thank you, goodbye.", "If you ever think of suicide, call me at once. Take care, goodbye."))


@pytest.mark.parametrize("line", lines(SAID)[:6])
def test_a_question_keeps_it_open(line: str) -> None:
    assert not ending.parts(f"{line} Or is there something else?")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_demo_counselor_hears_a_farewell_where_one_is_said(language: str) -> None:
    """It answers a goodbye with a goodbye, which would close a session on words about one."""

    def heard(lines: list[str]) -> list[str]:
        return [line for line in lines if "farewell" in hear(line, language).signs]

    said, told = ([line.strip() for line in of[language].splitlines() if line.strip()] for of in (SAID, TOLD))
    assert len(heard(said)) >= 0.6 * len(said), "it may miss some"
    assert heard(told) == []
    assert all("risk" in hear(line, language).signs for line in IN_DANGER[language])
