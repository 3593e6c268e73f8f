"""Reading text as the rules do, in English and Chinese: normalised, in sentences with offsets, in tokens.

Chinese is compared after NFKC (full width becomes half width), and one CJK character counts as one token.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from core.files import composed

HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
TOKEN = re.compile(rf"[{HAN}]|[^\W_{HAN}]+(?:[’'][^\W_{HAN}]+)*")
CJK = re.compile(rf"[{HAN}]")
SPACE = re.compile(r"\s+")
ZERO_WIDTH = re.compile(r"[\u200b-\u200d\u2060\ufeff]")
# A sentence ends at its stop and the closing quotes after it, or at a line break; a stop inside 3.5 is none.
STOP = re.compile(r"(?:[.!?]+(?=[\s\"'”’)\]]|$)|[。！？；…]+)[\"'”’」』）)\]]*|\n+")
TITLE = re.compile(
    r"\b(?:mr|mrs|ms|dr|prof|st|vs|e\.g|i\.e|approx)\.$", re.IGNORECASE
)  # a name or number follows
SHORT = re.compile(
    r"\b(?:etc|[ap]\.m|[A-Za-z])\.$", re.IGNORECASE
)  # ends a sentence when a new one clearly begins
BEGINS = re.compile(
    r"\s+(?:I|I'm|He|She|It|We|They|You|The|A|My|But|And|So|Then|That|This|There|When|After|Now)\b"
)
QUOTED = re.compile(r"“([^”]{2,})”|「([^」]{2,})」|『([^』]{2,})』|\"([^\"]{2,})\"")


@dataclass(frozen=True)
class Piece:
    """A stretch of a text: ``text == source[start:end]``."""

    text: str
    start: int
    end: int


@lru_cache(maxsize=4096)
def normal(text: str) -> str:
    """The text for comparing: NFKC, plain apostrophes, no zero-width signs, single spaces; case is kept."""
    plain = ZERO_WIDTH.sub("", composed(text, "NFKC")).replace("’", "'").replace("‘", "'")
    return SPACE.sub(" ", plain).strip()


@lru_cache(maxsize=4096)
def folded(text: str) -> str:
    """``normal`` in lower case: what patterns are matched against."""
    return normal(text).casefold()


def sentences(text: str) -> tuple[Piece, ...]:
    """The sentences of a text in either language, without the white space around them, with their offsets."""
    return tuple(_sentences(text))


def _sentences(text: str) -> Iterator[Piece]:
    start = 0
    for stop in STOP.finditer(text):
        if not _goes_on(text, stop):
            yield from _piece(text, start, stop.end())
            start = stop.end()
    yield from _piece(text, start, len(text))


def _goes_on(text: str, stop: re.Match[str]) -> bool:
    """Whether the sentence continues after a stop: an abbreviation, an initial, or a pause before a small letter."""
    sign = stop.group()
    if sign.startswith(("...", "…")):
        after = text[stop.end() : stop.end() + 2].lstrip()
        return bool(after) and after[0].islower()
    if sign != ".":
        return False
    before = max(0, stop.start() - 8)
    if TITLE.search(text, before, stop.end()):
        return True
    return (
        bool(SHORT.search(text, before, stop.end()))
        and not BEGINS.match(text, stop.end())
        and stop.end() < len(text)
    )


def _piece(text: str, start: int, end: int) -> Iterator[Piece]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield Piece(text[start:end], start, end)


@lru_cache(maxsize=4096)
def tokens(text: str) -> tuple[str, ...]:
    """Lower-case words; every CJK character is a token of its own; punctuation and emoji are none."""
    return tuple(TOKEN.findall(folded(text)))


def length(text: str) -> int:
    """Words and CJK characters of a text."""
    return len(tokens(text))


def is_chinese(text: str) -> bool:
    """Whether most of a text's tokens are Chinese characters."""
    sample = TOKEN.findall(text[:2000])
    return 2 * sum(1 for token in sample if CJK.match(token)) > len(sample)


def quotes(text: str) -> tuple[str, ...]:
    """What stands between quotation marks, in order."""
    return tuple(next(part for part in found if part) for found in QUOTED.findall(text))


def shorten(text: str, most: int) -> str:
    """At most ``most`` tokens of a text, cut at a sentence or clause where possible; never a broken word."""
    if length(text) <= most:
        return text
    kept, room = "", most
    for piece in sentences(text):
        room -= length(piece.text)
        if room < 0:
            break
        kept = text[: piece.end]
    if kept:
        return kept
    last = 0
    for number, found in enumerate(TOKEN.finditer(text), start=1):
        last = found.end()
        if number == most:
            break
    return text[:last].rstrip(" ,，、;；:：") + "…"
