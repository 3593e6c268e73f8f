"""What a client said, said back to them: "I" becomes "you", in English and Chinese.

Every function gives ``None`` where the result might be wrong; the counselor then does not repeat the words.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from core.llm.demo.bank import wordset
from core.llm.demo.text import normal

WORD = re.compile(r"[A-Za-z]+(?:'[A-Za-z]+)*")

# A client's words as the counselor says them back. Case does not matter: people type "i" and "IM".
TO_SECOND: Mapping[str, str] = {
    "i": "you", "me": "you", "my": "your", "mine": "yours", "myself": "yourself",
    "i'm": "you're", "im": "you're", "i've": "you've", "ive": "you've", "i'd": "you'd", "i'll": "you'll",
    "we": "you", "us": "you", "our": "your", "ours": "yours", "ourselves": "yourselves",
    "we're": "you're", "we've": "you've", "we'd": "you'd", "we'll": "you'll",
}  # fmt: skip
AFTER_I = {"am": "are", "was": "were", "wasn't": "weren't", "ain't": "aren't"}
ADVERBS = wordset("en", "language", "grammar", "adverbs")
ADDRESSED = re.compile(r"\b(?:you|your|yours|yourself|you're|you've|you'll|you'd|u|ur)\b", re.IGNORECASE)
DOUBTFUL = re.compile(r"\b(?:ill|id|was i|am i|said i|let's)\b", re.IGNORECASE)


@lru_cache(maxsize=8192)
def to_second(clause: str) -> str | None:
    """A client's English clause as said to them: ``I lost my job`` becomes ``you lost your job``.

    ``None`` when it speaks to the counselor, or holds a form that cannot be told apart ("ill", "id").
    """
    clause = normal(clause)
    if ADDRESSED.search(clause) or DOUBTFUL.search(clause):
        return None
    return _swap(clause, TO_SECOND, AFTER_I, frozenset({"i", "we"}))


def _swap(clause: str, words: Mapping[str, str], verbs: Mapping[str, str], subjects: frozenset[str]) -> str:
    """Replace pronouns, and the form of "to be" that follows a replaced subject, adverbs between them or not."""
    waiting = False

    def turn(found: re.Match[str]) -> str:
        nonlocal waiting
        word, low = found.group(), found.group().lower()
        if waiting and low in verbs:
            waiting = False
            return verbs[low]
        waiting = low in subjects or (waiting and low in ADVERBS)
        return words.get(low, word)

    return WORD.sub(turn, clause)


KIN = {
    "妈": "妈妈",
    "爸": "爸爸",
    "姐": "姐姐",
    "哥": "哥哥",
    "弟": "弟弟",
    "妹": "妹妹",
    "爷": "爷爷",
    "奶": "奶奶",
}
MY_KIN = re.compile(r"我(妈|爸|姐|哥|弟|妹|爷|奶)(?!\1)(?=[^妈爸们]|$)")
# 我怕我也变成他那样: the second 我 is the same person, and is said as 自己
OF_ONESELF = re.compile(
    r"(^您[^,，您]{0,6}(?:怕|觉得|担心|相信|希望|以为|总想着)[^,，您]{0,2})您(?![们妈爸老女儿孩哥姐弟妹丈妻家父母爷奶])"
)
OWN_SELF = re.compile(r"(?<!自)我")  # 自我认同 is nobody's "I"
ZH_ADDRESSED = re.compile(r"[你您]|老师")


@lru_cache(maxsize=8192)
def to_second_zh(clause: str) -> str | None:
    """``我妈说我不懂事`` becomes ``您妈妈说您不懂事``; ``None`` when it speaks to the counselor."""
    clause = normal(clause).replace(" ", "")
    if ZH_ADDRESSED.search(clause):
        return None
    clause = MY_KIN.sub(lambda found: "您" + KIN[found.group(1)], clause)
    said = clause.replace("我们", "你们").replace("咱们", "你们").replace("咱", "您")
    said = OWN_SELF.sub("您", said)
    return OF_ONESELF.sub(r"\1自己", said)


Swap = Callable[[str], "str | None"]


def swap(language: str) -> Swap:
    """The function that says a client's clause back to them."""
    return to_second_zh if language == "zh" else to_second
