"""Matching a quote to its turn: exact, normalised, or not found."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal

Turns = Sequence[dict[str, Any]]
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


class Transcript:
    """Turns (``position``, ``text``) that quotes are looked up in; folded once, when the first quote needs it."""

    def __init__(self, turns: Turns) -> None:
        self.turns = turns

    @cached_property
    def folded(self) -> list[tuple[int, str, list[int]]]:
        """Position, folded letters and their origins, for each turn."""
        return [(turn["position"], *folded(turn["text"])) for turn in self.turns]


@lru_cache(maxsize=20_000)
def letters_of(character: str) -> str:
    """What one character is in one width, case and kind of quotes; nothing for white space."""
    alike = unicodedata.normalize("NFKC", character).translate(FOLD).casefold()
    return "".join(letter for letter in alike if not letter.isspace())


def folded(text: str) -> tuple[str, list[int]]:
    """The text in one width, case and kind of quotes without white space, and each character's origin."""
    letters: list[str] = []
    origins: list[int] = []
    for at, character in enumerate(text):
        alike = letters_of(character)
        letters.append(alike)
        origins.extend([at] * len(alike))
    return "".join(letters), origins


def match_quote(quote: str, turns: Turns) -> Match:
    """Find one quote in the turns; for several in the same turns see ``match_all``."""
    return find(quote, Transcript(turns))


def find(quote: str, said_in: Transcript) -> Match:
    """Where a quote stands: the first exact place, else the first alike.

    *Normalised* forgives white space, kinds of quotes, width and case, and nothing else.
    """
    wanted = quote.strip()
    if len(wanted) < SHORTEST:
        return Match(quote, None, 0, 0, "not found")
    for turn in said_in.turns:
        at = turn["text"].find(wanted)
        if at >= 0:
            return Match(quote, turn["position"], at, at + len(wanted), "exact")
    needle, _ = folded(wanted.strip(ENDS))
    if len(needle) < SHORTEST:
        return Match(quote, None, 0, 0, "not found")
    for position, letters, origins in said_in.folded:
        at = letters.find(needle)
        if at >= 0:
            return Match(quote, position, origins[at], origins[at + len(needle) - 1] + 1, "normalised")
    return Match(quote, None, 0, 0, "not found")


def match_all(quotes: Iterable[str], side: str, said_in: Transcript) -> list[dict[str, Any]]:
    """Quotes as they are stored with a rating: text, turn, start, end, status, side (for | against)."""
    return [asdict(find(quote, said_in)) | {"side": side} for quote in quotes if quote.strip()]
