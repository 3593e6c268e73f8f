"""The word files as the conversation uses them: lines to say, patterns to listen for, sets of words.

In these files a block of text holds one line per variant, so that they can be read and edited as prose.
"""

import re
from functools import cache
from typing import Any

from core.llm.demo.words import words


def entry(language: str, file: str, *path: str) -> Any:
    """What stands at ``path`` in a word file; ``""`` where there is nothing."""
    found = words(language, file)
    for key in path:
        found = found.get(key, "") if isinstance(found, dict) else ""
    return found


@cache
def lines(language: str, file: str, *path: str) -> tuple[str, ...]:
    """The variants at ``path``, in the order of the file."""
    return tuple(line.strip() for line in str(entry(language, file, *path) or "").splitlines() if line.strip())


@cache
def keys(language: str, file: str, *path: str) -> tuple[str, ...]:
    """The names below ``path``, in the order of the file."""
    return tuple(entry(language, file, *path) or ())


@cache
def pattern(language: str, file: str, *path: str) -> re.Pattern[str]:
    """The patterns at ``path`` as one; none at all never match."""
    return re.compile("|".join(lines(language, file, *path)) or r"(?!)")


@cache
def wordset(language: str, file: str, *path: str) -> frozenset[str]:
    """The words at ``path``."""
    return frozenset(str(entry(language, file, *path) or "").split())
