"""What a judge wrote for a number or a verdict, read as what it says: ``4``, ``"4"``, ``"４"``, ``"四"``, ``"four"``,
``"4/5"``; ``A``, ``"Ａ"``, ``"Tie"``, ``"平局"``. Nothing is guessed: other words are no value.

Pure; what cannot be read raises pydantic's error, which names no word of the reply.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_core import PydanticCustomError

LONGEST = 40  # characters of a number or a verdict in words
STEP = 1e-9
OFF_SCALE = "of the scale"  # in every reason why a number names no level
DECIMAL = re.compile(r"[+-]?[0-9]{1,12}(?:\.[0-9]{1,12})?")
SHARE = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,12})?) ?[/⁄∕] ?([0-9]{1,12}(?:\.[0-9]{1,12})?)")
# ½ or 3½: one sign of a fraction is a number and no *n* of a scale's top.
VULGAR = re.compile(r"\s{0,9}([0-9]{0,3})\s?([¼-¾⅐-⅞↉])\s{0,9}")
CHINESE = re.compile(r"([零〇一二两三四五六七八九])(?:点([零〇一二三四五六七八九]{1,6}))?")
ENGLISH = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
DIGITS = {"〇": 0, "两": 2} | {digit: n for n, digit in enumerate("零一二三四五六七八九")}
NUMERALS = {word: float(n) for n, word in enumerate(ENGLISH)} | {"十": 10.0}
# Keys, in one case, that name a rating or a verdict beside the one asked for, and keys that are only about it.
RATINGS = re.compile(r"rating|score|评分|得分|分数|打分|总分")
RATINGS_AT_TIMES_IN_WORDS = """
final overall value answer finalanswer result grade level 最终 总体 结果 等级
"""
RATINGS_AT_TIMES = frozenset(RATINGS_AT_TIMES_IN_WORDS.split())
VERDICTS = re.compile(r"verdict|winner|prefer|choice|结论|胜者|赢家|判定|胜出")
VERDICTS_AT_TIMES_IN_WORDS = """
better best bettersession answer finalanswer result overall conclusion final decision judgment judgement chosen
selected rating 更好 更优 选择 结果 判断
"""
VERDICTS_AT_TIMES = frozenset(VERDICTS_AT_TIMES_IN_WORDS.split())
ABOUT_IT = re.compile(
    r"reason|explan|justif|rational|comment|scale|range|max|min|label|confiden|evidence|type|name|anchor|note|quote|criteri|basis"
    r"|desc|strength|degree|margin|理由|依据|说明|范围|量表|解释|信心|描述|程度"
)
SESSION = re.compile(r"^(?:session|counselor|counsellor|咨询师?|会谈) ?")
TIES = frozenset(
    ["tie", "tied", "draw", "平局", "平手", "平", "打平", "持平", "不分高下", "不分上下", "难分高下"]
)


@dataclass(frozen=True)
class Share:
    """*n* of a scale's top, as in ``4/5``; only the scale can say whether the lower number is its top."""

    n: float
    top: float


def number(value: Any) -> float | Share | None:
    """The number that was written; ``None`` for null."""
    if value is None or isinstance(value, Share):
        return value
    if isinstance(value, bool):
        raise PydanticCustomError("number", "true or false stands where a number belongs")
    if isinstance(value, (int, float)):
        try:
            return float(value)
        except OverflowError:
            return float("inf") if value > 0 else float("-inf")
    read = numeral(value) if isinstance(value, str) else None
    if read is None:
        raise PydanticCustomError("number", "what stands where a number belongs is no number")
    return read


def numeral(text: str) -> float | Share | None:
    """The numeral that a short text is, as it was written; small raised digits and signs of fractions are no digits."""
    if part := VULGAR.fullmatch(text):
        return float(part[1] or 0) + unicodedata.numeric(part[2])
    raised = len(text.strip()) > 1 and any(
        unicodedata.decomposition(sign).startswith(("<super>", "<sub>", "<fraction>"))
        for sign in text[:LONGEST]
    )
    return None if raised else number_in(plain(text))


def number_in(text: str) -> float | Share | None:
    """The numeral that a short text is; ``None`` for everything else."""
    if DECIMAL.fullmatch(text):
        return float(text)
    if share := SHARE.fullmatch(text):
        return Share(float(share[1]), float(share[2]))
    if spoken := CHINESE.fullmatch(text):
        after = "".join(str(DIGITS[digit]) for digit in spoken[2] or "零")
        return float(f"{DIGITS[spoken[1]]}.{after}")
    return NUMERALS.get(text)


def level_of(said: float | Share, levels: Sequence[float]) -> tuple[float | None, str]:
    """The level of a scale (lowest first) that a number names, or why there is none; never the nearest one."""
    lowest, highest = levels[0], levels[-1]
    if isinstance(said, Share):
        if abs(said.top - highest) >= STEP:
            return None, f"{said.n:g}/{said.top:g} is a fraction, and not {OFF_SCALE}'s top {highest:g}"
        said = said.n
    for level in levels:
        if abs(said - level) < STEP:
            return level, ""
    between = ", but lies between two of them" if lowest < said < highest else ""
    return None, f"{said:g} is not a level {OFF_SCALE} from {lowest:g} to {highest:g}{between}"


def verdict(value: Any) -> Any:
    """``A``, ``B`` or ``tie`` in any width and case, or a language's word for a tie."""
    if not isinstance(value, str):
        return value
    said = plain(value)
    return "tie" if said in TIES else letter(value)


def names_ratings(name: str) -> bool:
    """Whether a key (in one case) names ratings that were not asked for under it."""
    return name != "ratings" and bool(RATINGS.search(name)) and not ABOUT_IT.search(name)


def another_rating(name: str, value: Any, rating: Any) -> bool:
    """Whether a key beside ``rating`` gives another rating; one that cannot be read may be another."""
    if name in ("notapplicable", "na", "不适用"):
        return value is True and rating is not None
    if name == "rating" or isinstance(value, bool) or ABOUT_IT.search(name):
        return False
    sure = bool(RATINGS.search(name))
    if not sure and name not in RATINGS_AT_TIMES:
        return False
    try:
        one, other = (read.n if isinstance(read, Share) else read for read in (number(value), number(rating)))
        return one != other and (sure or value is not None)
    except PydanticCustomError:
        return sure


def another_verdict(name: str, value: Any, said: Any) -> bool:
    """Whether a key beside ``verdict`` gives another verdict; one that cannot be read may be another."""
    sure = bool(VERDICTS.search(name))
    if name == "verdict" or ABOUT_IT.search(name) or not (sure or name in VERDICTS_AT_TIMES):
        return False
    given = verdict(SESSION.sub("", plain(value))) if isinstance(value, str) else value
    return bool(given != verdict(said) and (sure or given in ("A", "B", "tie")))


def letter(value: Any) -> Any:
    """``A`` or ``B`` in any width and case; anything else as it is."""
    return plain(value).upper() if isinstance(value, str) and plain(value) in ("a", "b") else value


def side(value: Any) -> Any:
    return plain(value) if isinstance(value, str) and plain(value) in ("for", "against") else value


def item_name(value: Any) -> Any:
    """An item's id in one width; a whole number is the id of that name."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return unicodedata.normalize("NFKC", value).strip() if isinstance(value, str) else value


def plain(text: str) -> str:
    """In one width and case, without space around it; empty when too long to be a value."""
    return unicodedata.normalize("NFKC", text).strip().casefold() if len(text) <= LONGEST else ""
