"""Clients with scripted lines, and sessions of the demo counselors with them."""

import random
from collections.abc import Sequence
from typing import Any

from core.llm.demo.counselors import ANSWERS

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
