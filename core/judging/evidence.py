"""Matching a quote to its turn: exact, normalised, or not found."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

Status = Literal["exact", "normalised", "not found"]
FOLD = str.maketrans(
    {"‘": "'", "’": "'", "“": '"', "”": '"', "「": '"', "」": '"', "『": '"', "』": '"', "–": "-", "—": "-"}
)
ENDS = " \t\r\n\"'“”‘’「」『』….。,，;；"
SHORTEST = 2  # characters: a shorter quote would match anywhere


@dataclass(frozen=True)
class Match:
    """Where a quote stands: position of the turn (``None`` if not found) and offsets in its text."""

    text: str
    turn: int | None
    start: int
    end: int
    status: Status


def folded(text: str) -> tuple[str, list[int]]:
    """The text in one width, case and kind of quotes without white space, and each character's origin."""
    letters: list[str] = []
    origins: list[int] = []
    for at, character in enumerate(text):
        for letter in unicodedata.normalize("NFKC", character).translate(FOLD).casefold():
            if not letter.isspace():
                letters.append(letter)
                origins.append(at)
    return "".join(letters), origins


def match_quote(quote: str, turns: Sequence[dict[str, Any]]) -> Match:
    """Find the quote in the turns (``position``, ``text``): the first exact place, else the first alike.

    *Normalised* forgives white space, kinds of quotes, width and case, and nothing else.
    """
    wanted = quote.strip()
    if len(wanted) < SHORTEST:
        return Match(quote, None, 0, 0, "not found")
    for turn in turns:
        at = turn["text"].find(wanted)
        if at >= 0:
            return Match(quote, turn["position"], at, at + len(wanted), "exact")
    needle, _ = folded(wanted.strip(ENDS))
    if len(needle) < SHORTEST:
        return Match(quote, None, 0, 0, "not found")
    for turn in turns:
        letters, origins = folded(turn["text"])
        at = letters.find(needle)
        if at >= 0:
            return Match(
                quote, turn["position"], origins[at], origins[at + len(needle) - 1] + 1, "normalised"
            )
    return Match(quote, None, 0, 0, "not found")


def match_all(quotes: Iterable[str], side: str, turns: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Quotes as they are stored with a rating: text, turn, start, end, status, side (for | against)."""
    return [asdict(match_quote(quote, turns)) | {"side": side} for quote in quotes if quote.strip()]
