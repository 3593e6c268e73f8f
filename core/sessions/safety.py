"""Signs of risk in what a client says, by a transparent rule list in English and Chinese. Pure.

It marks words, not meaning: ``limits`` says what it misses. No mark never means no risk.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from core.sessions.phrases import LANGUAGES, compiled, phrase_file, plain

KINDS = ("suicide", "self_harm", "violence", "abuse", "medication")


@dataclass(frozen=True)
class Mark:
    """One sign: its kind, the words as written, and where they stand in the text."""

    kind: str
    phrase: str
    start: int
    end: int


@dataclass(frozen=True)
class _Rules:
    signs: Mapping[str, re.Pattern[str]]
    unless: re.Pattern[str]


@cache
def _rules(language: str) -> _Rules:
    data = phrase_file(f"safety/risk.{language}")
    signs = {kind: compiled(rule["signs"], language) for kind, rule in data["kinds"].items()}
    return _Rules(signs, compiled(data.get("except", ()), language))


def limits(language: str) -> str:
    """What the rule list cannot do, in the list's own words."""
    return str(phrase_file(f"safety/risk.{language}")["limits"])


def name_of(kind: str, language: str) -> str:
    """The name of a kind of risk, for people."""
    rule = phrase_file(f"safety/risk.{language}")["kinds"].get(kind)
    return str(rule["name"][language]) if rule else kind


def marks(text: str) -> list[Mark]:
    """All signs in a text, in their order; both languages' lists are read, since people mix them."""
    said = plain(text)
    found = [mark for language in LANGUAGES for mark in _found(text, said, _rules(language))]
    return sorted(set(found), key=lambda mark: (mark.start, mark.end, mark.kind))


def _found(text: str, said: str, rules: _Rules) -> Iterable[Mark]:
    figures = [hit.span() for hit in rules.unless.finditer(said)]
    for kind, pattern in rules.signs.items():
        for hit in pattern.finditer(said):
            start, end = hit.span()
            if end > start and not any(start < b and a < end for a, b in figures):
                yield Mark(kind, text[start:end], start, end)


def risk_of(seat: str, text: str) -> list[dict[str, Any]]:
    """The marks of a turn as they are stored: only what a client says is marked."""
    return [asdict(mark) for mark in marks(text)] if seat == "client" else []
