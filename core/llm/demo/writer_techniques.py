"""Techniques of counseling a report names, each with a sentence that explains it (``prompts/demo/<language>``)."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from core.llm.demo.text import folded
from core.llm.demo.words import words


@dataclass(frozen=True)
class Technique:
    """A technique as it is named to a client, and what it is in one sentence."""

    code: str
    name: str
    plain: str
    named: str


@cache
def _known(language: str) -> tuple[tuple[Technique, re.Pattern[str]], ...]:
    return tuple(
        (Technique(code, one["name"], one["plain"], one.get("named", one["name"])), re.compile(one["cues"]))
        for code, one in words(language, "writer_techniques").items()
    )


def techniques_in(texts: Iterable[str], language: str) -> list[Technique]:
    """The techniques named in texts, in the order in which they are named; earlier texts first."""
    found: dict[str, Technique] = {}
    for text in texts:
        said = folded(text)
        hits = [(hit.start(), technique) for technique, cues in _known(language) if (hit := cues.search(said))]
        for _at, technique in sorted(hits, key=lambda one: one[0]):
            found.setdefault(technique.code, technique)
    return list(found.values())
