"""Phrase lists a clinician can read and edit, turned into patterns. Pure.

In a phrase ``(a|b)`` is either, ``(a)?`` may be missing, ``…`` bridges a few words (Chinese: characters),
a space is any white space (`` ?``: or none), and both apostrophes match. English phrases match whole words only.
"""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from core.errors import PromptError

FOLDER = Path(__file__).parents[2] / "prompts"
LANGUAGES = ("en", "zh")
GAP = {"en": r"(?:\\W+\\w+){0,4}?\\W+", "zh": r"[^。！？!?；;\\n]{0,8}?"}
# One sign for one sign, so that offsets in the plain text are offsets in the text as written.
PLAIN = str.maketrans(
    {"’": "'", "‘": "'", "ʼ": "'", "＇": "'", "‐": "-", "‑": "-", "　": " ", "\u00a0": " "}
    | {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F) if chr(code) not in "！？；，：（）"}
)


def plain(text: str) -> str:
    """The text with one form of each apostrophe, hyphen, space and full-width letter; same length."""
    return text.translate(PLAIN)


def compiled(phrases: Sequence[str], language: str) -> re.Pattern[str]:
    """One pattern for any of the phrases, ignoring case.

    Raises:
        PromptError: a phrase cannot be read, naming it.
    """
    patterns = [_pattern(phrase, language) for phrase in phrases]
    return re.compile("|".join(f"(?:{p})" for p in patterns) or r"(?!)", re.IGNORECASE)


def _pattern(phrase: str, language: str) -> str:
    text = re.sub(r" *\(…\)\?? *| *… *", GAP[language], plain(phrase))
    text = re.sub(r" \?", r"\\s*", text)
    text = re.sub(r" (?!\*)", r"\\s+" if language == "en" else r"\\s*", text)
    text = re.sub(r"\((?!\?)", "(?:", text)
    pattern = rf"\b(?:{text})\b" if language == "en" else text
    try:
        re.compile(pattern)
    except re.error as error:
        raise PromptError(
            "The phrase “{phrase}” cannot be read ({why}). Correct it in the phrase list; nothing was changed.",
            phrase=phrase,
            why=str(error),
        ) from error
    return pattern


@cache
def phrase_file(name: str) -> Any:
    """The data of ``prompts/<name>.yaml``; treat it as read-only.

    Raises:
        PromptError: the file is missing or not YAML.
    """
    try:
        return yaml.safe_load((FOLDER / f"{name}.yaml").read_text("utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise PromptError(
            "The phrase list {name} cannot be read ({why}). Restore it from the project; nothing was lost.",
            name=f"prompts/{name}.yaml",
            why=str(error),
        ) from error
