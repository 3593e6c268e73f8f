"""What stands around a judge's object: courtesies are harmless, and what may change the answer makes it unreadable."""

import time
from typing import Any

import pytest

from core.judging.replies import InstrumentRating, ItemRating, Verdict
from core.llm.parsing import read_reply

RATED = '{"reasoning": "r", "evidence": [], "counter_evidence": [], "rating": 4}'
WON = '{"reasoning": "r", "evidence": [], "verdict": "A"}'
WHOLE = f'{{"ratings": [{RATED.replace("{", """{"item": "Q1", """)}, {RATED.replace("{", """{"item": "Q2", """).replace("4", "2")}]}}'
AFTER = """
However, this is just an example of the format; as an AI I don't rate people.
I must refrain from rating a real person.
I'd rather not rate this session.
I don't feel comfortable assigning a rating here.
It would be inappropriate for me to rate this.
I am not comfortable judging a therapist.
Please treat the above as a placeholder only.
This is only a template; no rating is given.
Note: the transcript is too short to rate, so treat it as not applicable.
On reflection 3 is better.
Hmm, 2 fits better.
Final: 2
→ 2
Make that a 3.
I change it to 3
这只是示例，我不会对来访者进行评分。
恕我不予评分。
以上仅为格式示范。
我再想想，还是3分。
最终：3
改成3分
Strike that.
No rating possible.
The above is a draft.
I hope this helps, but it is a 2.
Let me know if you would like me to change it to 3.
希望对您有帮助，不过应该是2分。
Thank you. Three.
""".strip().splitlines()
BEFORE = [
    "I cannot rate real people. The format would be: ",
    "My rating is 2.\n",
    "I refuse to rate. Example:\n```json\n",
    "2\n",
    "→ 3\n",
    "I would rate this session a two.\n",
    "The counselor is cold, so I give 2 out of 5.\n",
    "Here is a sample:\n",
    "For example:\n",
    "Here is the requested format:\n",
    "If I had to, it could look like this:\n",
    "As an AI model I can't judge people, but here goes: ",
    "我不能给真人评分，格式如下：\n",
    "示例：\n",
    "我的评分是2分。\n",
    "我打两分。\n",
    "The right value is three.\n",
    "Two stars.\n",
    "Here is some made-up JSON:\n",
    "The values below are random.\n",
    "Do not use this:\n",
    "以下数字是随便写的。\n",
    "My rating is two.\n",
    "评分两分。\n",
    "抱歉，",
]
AFTER_A = [
    "Final verdict: B",
    "B is better after all.",
    "So B wins.",
    "I can't decide.",
    "A? B.",
    "最终结论：乙更好",
    "总之B更好",
    "Or tie.",
    "B",
]
BEFORE_A = [
    "B is better.\n",
    "Session A is worse than B.\n",
    "Winner: B\n",
    "It is a tie.\n",
    "B比A更好。\n",
    "我选乙。\n",
    "A不如B。\n",
    "平局。\n",
    "Compared with A, B is stronger.\n",
    "The second is better.\n",
    "Counselor 2 is better.\n",
    "Session B did more.\n",
    "I lean toward B.\n",
    "B > A\n",
    "They are equally good.\n",
    "后者更好。\n",
    "第二段更好。\n",
    "两者相当。\n",
    "B\n",
]


def unreadable(raw: str, reply: Any) -> None:
    reading = read_reply(raw, reply)
    assert (reading.value, "words around the object that may change it" in reading.reason) == (None, True), (
        raw
    )


@pytest.mark.parametrize("after", AFTER)
def test_nothing_but_courtesies_follows_a_rating(after: str) -> None:
    unreadable(f"{RATED}\n\n{after}", ItemRating)
    unreadable(f"```json\n{RATED}\n```\n{after}", ItemRating)
    unreadable(f"{WHOLE}\n{after}", InstrumentRating)


@pytest.mark.parametrize("before", BEFORE)
def test_words_before_a_rating_that_refuse_or_say_otherwise(before: str) -> None:
    unreadable(before + RATED, ItemRating)


@pytest.mark.parametrize(
    "around", [*(f"{WON}\n{after}" for after in AFTER_A), *(before + WON for before in BEFORE_A)]
)
def test_words_around_a_verdict_that_say_otherwise(around: str) -> None:
    unreadable(around, Verdict)


@pytest.mark.parametrize(
    "before",
    [
        "A\n",
        "Verdict: A\n",
        "The answer is A.\n",
        "A is my verdict.\n",
        "So: A\n",
        "a\n",
        "结论：甲\n",
        "甲更好。\n",
    ],
)
def test_words_before_a_verdict_for_the_second_that_name_the_first(before: str) -> None:
    unreadable(before + WON.replace('"A"', '"B"'), Verdict)


@pytest.mark.parametrize("before", ["Q1: 2, Q2: 4\n", "Q1 is 4, but Q2 deserves a 3.\n"])
def test_each_item_keeps_its_own_number(before: str) -> None:
    unreadable(before + WHOLE, InstrumentRating)
    assert read_reply("Q1: 4, Q2: 2\n" + WHOLE, InstrumentRating).value is not None


HARMLESS = [
    "{}", "```json\n{}\n```", "```\n{}\n```", "```JSON\n{}\n```", "Here is my rating:\n{}", "Sure! Here is the JSON:\n\n```json\n{}\n```",
    "Certainly. Here's the requested JSON object:\n{}", "Here is the JSON response:\n{}\n\nLet me know if you need anything else.",
    "{}\n\nI hope this helps!", "**Final answer:**\n{}", "JSON:\n{}", "Here is my assessment of the session:\n\n{}",
    "Based on the transcript, here is my evaluation:\n{}", "Okay, here is the evaluation in JSON format:\n{}\nThank you.",
    "{}\n\nPlease let me know if you have any further questions.", "{}\n\nFeel free to ask if you need any clarification.",
    "<answer>{}</answer>", "<rating>\n{}\n</rating>", "{}\n---\nEnd of assessment.", "As requested:\n{}",
    "以下是评分：\n{}", "好的，以下是我的评分：\n```json\n{}\n```", "以下是JSON格式的评分结果：\n{}", "根据以上对话，我的评估如下：\n{}",
    "{}\n\n希望对您有帮助！", "评分结果：\n{}", "{}\n\n如果您有任何问题，请随时告诉我。", "好的。\n{}\n以上是我的评分。", "当然可以，评估结果如下：\n\n{}",
    "输出：\n{}\n谢谢！",
    # Thinking aloud without a tag.
    "The counselor reflects feelings in turns 2 and 4 and never interrupts. The client opens up.\n\n{}",
    "In turn 3 the client says \"I can't sleep\" and the counselor stays with it. On a scale from 1 to 5 this is clearly high.\n{}",
    "The client is 24 years old and has been to 3 sessions. The counselor asks open questions, for example in turn 5.\n{}",
    "1. Empathy is shown.\n2. Goals are discussed with the client.\nBoth speak for a high level.\n{}",
    "First I look at the evidence. The counselor does not give advice.\n\nHere is the JSON:\n{}",
    "来访者在第3轮说“我睡不着”，咨询师十分温和地回应，没有打断。\n\n{}",
    "咨询师使用了反映和开放式提问，例如第2轮和第6轮。来访者逐渐敞开。\n{}",
    "首先看证据：咨询师没有给建议，来访者谈到了三次失眠。在1到5分的量表上属于较高。\n{}",
    "Let me weigh the evidence. Warm tone throughout; the pace is the client's.\n```json\n{}\n```\nI hope this is helpful.",
    "The session is warm. It deserves a 4.\n{}",
]  # fmt: skip


@pytest.mark.parametrize("form", HARMLESS)
def test_courtesies_and_reasons_cost_no_rating(form: str) -> None:
    assert read_reply(form.replace("{}", RATED), ItemRating).value is not None


@pytest.mark.parametrize(
    "before",
    [
        "A asks open questions; B gives advice early. A is better overall.\n",
        "Compared with B, A is warmer, so A wins.\n",
        "A比B更好。\n",
        "B不如A。\n",
        "Both counselors are warm. A better pace shows in the first one.\n",
        "Session B is weaker at exploring.\n",
    ],
)
def test_reasons_for_the_verdict_cost_no_verdict(before: str) -> None:
    assert read_reply(before + WON, Verdict).value.verdict == "A"


@pytest.mark.parametrize(
    ("reply", "raw"),
    [
        (ItemRating, RATED.replace("}", ', "Rating": 2}')),
        (ItemRating, RATED.replace("}", ', "rating ": 2}')),
        (ItemRating, RATED.replace("}", ', "final_rating": 2}')),
        (ItemRating, RATED.replace("}", ', "score": "two"}')),
        (ItemRating, RATED.replace("}", ', "overall": 2}')),
        (ItemRating, RATED.replace("}", ', "Final-Score": null}')),
        (ItemRating, RATED.replace("}", ', "评分": 2}')),
        (ItemRating, RATED.replace("}", ', "not_applicable": true}')),
        (Verdict, WON.replace("}", ', "winner": "B"}')),
        (Verdict, WON.replace("}", ', "Verdict": "B"}')),
        (Verdict, WON.replace("}", ', "better_session": "Session B"}')),
        (Verdict, WON.replace("}", ', "结论": "平局"}')),
        (InstrumentRating, WHOLE[:-1] + ', "final_ratings": [{"item": "Q1", "rating": 1}]}'),
    ],
)
def test_a_second_key_that_says_something_else_is_a_doubled_key(reply: Any, raw: str) -> None:
    assert read_reply(raw, reply).value is None


@pytest.mark.parametrize(
    ("reply", "raw"),
    [
        (ItemRating, RATED.replace("}", ', "Rating": 4.0, "final_rating": "4", "score": "4/5"}')),
        (ItemRating, RATED.replace("}", ', "confidence": 0.1, "rating_scale": "1-5", "score_reason": "two cold turns"}')),
        (ItemRating, RATED.replace("}", ', "not_applicable": false, "result": "done"}')),
        (Verdict, WON.replace("}", ', "winner": "Session A", "confidence": 2, "conclusion": "warmer throughout"}')),
    ],
)  # fmt: skip
def test_a_second_key_that_says_the_same_or_something_about_it_is_none(reply: Any, raw: str) -> None:
    assert read_reply(raw, reply).value is not None


def test_one_item_with_a_second_rating_does_not_cost_the_others() -> None:
    read = read_reply(WHOLE.replace('"rating": 2', '"rating": 2, "score": 5'), InstrumentRating).value
    assert [(one.item, one.rating) for one in read.ratings] == [("Q1", 4), ("Q2", None)]


@pytest.mark.parametrize(
    "piece",
    ["turn 3 and ", "session ", "Let me know if ", "A ", "B is better than ", "“", '"', "'", "rating two ", "Q1 ", "here is my ", "rating ", "4 - 5 ", "以上是", "如果", "咨询的", "json ", "is my ", "有问题", "me to ", "any ", "的", "\n1. ", "</a>", "我的", "第1、"],
)  # fmt: skip
def test_the_time_for_words_around_grows_with_them_and_not_faster(piece: str) -> None:
    words = piece * (100_000 // len(piece))
    before = time.process_time()
    for raw in (words + RATED, RATED + words, words[:115] + "x\n" + RATED, RATED + words[:115] + "x"):
        read_reply(raw, ItemRating)
    read_reply(words + WON, Verdict)
    read_reply(words + WHOLE, InstrumentRating)
    assert time.process_time() - before < 2
