"""The words of a record that a person reviews, as one hash: a review is of this very text, and of no later one."""

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

TEXTS = {
    "report": ("title", "type", "method", "case_brief", "consultation_process", "experience_thoughts"),
    "note": ("client_basics", "problems", "goals", "techniques", "steps", "reflections"),
    "role": ("title", "stressor", "demographics", "life_events", "traits", "profile", "text"),
}


def text_hash(kind: str, fields: Mapping[str, Any]) -> str:
    """The hash of all words of a report, a note or a version of a role card.

    Args:
        fields: at least the columns of ``TEXTS[kind]``.
    """
    return hashed([fields[name] for name in TEXTS[kind]])


def session_text_hash(title: str, turns: Iterable[tuple[int, str, str]]) -> str:
    """The hash of a session's words: its title, and (position, seat, text) of its complete turns, in their order."""
    return hashed([title, *(list(turn) for turn in turns)])


def hashed(words: Any) -> str:
    canonical = json.dumps(words, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return sha256(canonical.encode("utf-8", "replace")).hexdigest()
