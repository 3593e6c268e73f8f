"""Whether a conversation has ended, by a high-precision list of farewells in English and Chinese. Pure.

Ending a session early is worse than a polite goodbye too many: both of two consecutive utterances must
close, neither may ask something, and the first few utterances never end a session.
Source of the idea: ESC-Judge §3.3 and appendix B.1, whose trained detector is in ``detector``.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from core.sessions.phrases import LANGUAGES, compiled, phrase_file, plain

LEAST = 6  # no session ends by a farewell before this many utterances
SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")
TAIL = 3  # a farewell stands in the last sentences of an utterance
ASKS = re.compile(r"[?？]\s*[\"”’」]*\s*$")
WORD = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")

Turns = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class _Rules:
    parting: re.Pattern[str]
    courtesy: re.Pattern[str]
    unless: re.Pattern[str]


@cache
def _rules(language: str) -> _Rules:
    data = phrase_file(f"sessions/farewell.{language}")
    return _Rules(*(compiled(data[name], language) for name in ("parting", "courtesy", "except")))


def limits(language: str) -> str:
    """What the rule list cannot do, in the list's own words."""
    return str(phrase_file(f"sessions/farewell.{language}")["limits"])


def tail(text: str) -> str:
    """The last sentences of an utterance, where a farewell stands."""
    return "".join(SENTENCE.findall(plain(text))[-TAIL:]).strip()


def parts(text: str) -> bool:
    """Whether an utterance ends in a farewell."""
    end = tail(text)
    return not ASKS.search(end) and any(
        _hit(end, rules.parting, rules.unless) for rules in map(_rules, LANGUAGES)
    )


def answers_parting(text: str) -> bool:
    """Whether an utterance is no more than a courteous answer to a farewell."""
    end = tail(text)
    if ASKS.search(end) or len(WORD.findall(text)) > 40:
        return False
    return any(_hit(end, rules.courtesy, rules.unless) for rules in map(_rules, LANGUAGES))


def _hit(text: str, pattern: re.Pattern[str], unless: re.Pattern[str]) -> bool:
    figures = [hit.span() for hit in unless.finditer(text)]
    return any(
        not any(a < end and start < b for a, b in figures)
        for start, end in (hit.span() for hit in pattern.finditer(text))
    )


def closes(earlier: str, later: str) -> bool:
    """Whether two consecutive utterances close a conversation: both part, or one parts and one answers."""
    return (parts(later) and (parts(earlier) or answers_parting(earlier))) or (
        parts(earlier) and answers_parting(later)
    )


def ended(turns: Turns, least: int = LEAST) -> bool:
    """Whether the conversation has ended with its last utterance."""
    return len(turns) >= max(2, least) and closes(turns[-2]["text"], turns[-1]["text"])


def since(turns: Turns, branched: int | None) -> bool:
    """Whether the last two utterances were said after the place where a session was branched off (``None``: nowhere)."""
    return branched is None or all(turn["position"] > branched for turn in turns[-2:])


def cut_at(turns: Turns, least: int = LEAST, branched: int | None = None) -> int | None:
    """The position of the last utterance a judge reads: where the conversation first ended.

    Args:
        branched: the last turn the session took over from another one; it goes on behind what ended that one.
    Returns:
        ``None`` when nothing comes after the ending, or when there is none: the whole text is read.
    """
    for count in range(max(2, least), len(turns)):
        if since(turns[:count], branched) and ended(turns[:count], least):
            return int(turns[count - 1]["position"])
    return None
