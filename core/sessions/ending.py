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
from core.sessions.safety import marks

LEAST = 6  # no session ends by a farewell before this many utterances
SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")
TAIL = 3  # a farewell stands in the last sentences of an utterance
ASKS = re.compile(r"[?？]\s*[\"”’」]*\s*$")
WORD = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")
# Somebody else's words: between quotation marks of either script, or apostrophes that belong to no word.
QUOTED = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”|「[^」\n]*」|『[^』\n]*』|(?<!\w)'[^'\n]{1,80}'(?!\w)")
CLAUSE = {"en": r"(^|[.,;:!?()…\n–—]|\s-\s|\b(?:so|then|but)\b)", "zh": r"(^|\W)"}
NEAR = 4  # utterances before a farewell in which a client's sign of danger keeps the session open

Turns = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class _Rules:
    """``opens``: up to where a farewell begins; ``then``: what may follow it; the others as in the data."""

    parting: re.Pattern[str]
    last: re.Pattern[str]
    courtesy: re.Pattern[str]
    opens: re.Pattern[str]
    then: re.Pattern[str]
    told: re.Pattern[str]
    followed: re.Pattern[str]
    unless: re.Pattern[str]


@cache
def _rules(language: str) -> _Rules:
    data = phrase_file(f"sessions/farewell.{language}")
    parting, last, courtesy, lead, told, followed, unless = (
        compiled(data[name], language) for name in ("parting", "last", "courtesy", "lead", "told", "followed", "except")
    )
    opens = re.compile(rf"{CLAUSE[language]}\s*(?:(?:{lead.pattern})[\s,，、]*)*$", re.IGNORECASE)
    after = rf"(?:{compiled(data['then'], language).pattern})?\s*(?:$|[^\w\s]|(?<=[祝您你]))" if "then" in data else ""
    return _Rules(parting, last, courtesy, opens, re.compile(after), told, re.compile(rf"\W*(?:{followed.pattern})", re.IGNORECASE), unless)


def limits(language: str) -> str:
    """What the rule list cannot do, in the list's own words."""
    return str(phrase_file(f"sessions/farewell.{language}")["limits"])


def tail(text: str) -> list[str]:
    """The last sentences of an utterance, where a farewell stands, without what is quoted in them."""
    return [sentence.strip() for sentence in SENTENCE.findall(QUOTED.sub(" … ", plain(text)))][-TAIL:]


def asks(text: str) -> bool:
    return bool(ASKS.search(plain(text).strip()))


def parts(text: str) -> bool:
    """Whether an utterance ends in a farewell to the other person: not in one that is told, quoted, or said to others."""
    if asks(text):
        return False
    end = tail(text)
    rules = [_rules(language) for language in LANGUAGES]
    return any(_said(sentence, one) for sentence in end for one in rules) or any(_closes(end[-1:], one) for one in rules)


def _said(sentence: str, rules: _Rules) -> bool:
    """Whether a farewell opens a clause of the sentence."""
    for start, end in _hits(sentence, rules.parting, rules.unless):
        opened, rest = rules.opens.search(sentence[:start]), sentence[end:]
        if opened and rules.then.match(rest) and not rules.followed.match(rest) and not rules.told.search(sentence[: opened.end(1)]):
            return True
    return False


def _closes(end: Sequence[str], rules: _Rules) -> bool:
    """Whether the last sentence closes with a farewell, as people type it without a comma."""
    return any(
        not sentence[stop:].strip(" .!~)") and not rules.told.search(sentence[:start])
        for sentence in end
        for start, stop in _hits(sentence, rules.last, rules.unless)
    )


def answers_parting(text: str) -> bool:
    """Whether an utterance is no more than a courteous answer to a farewell."""
    if asks(text) or len(WORD.findall(text)) > 40:
        return False
    end = " ".join(tail(text))
    return any(_hits(end, rules.courtesy, rules.unless) for rules in map(_rules, LANGUAGES))


def _hits(text: str, pattern: re.Pattern[str], unless: re.Pattern[str]) -> list[tuple[int, int]]:
    """Where the pattern stands outside of words that only look like it."""
    figures = [hit.span() for hit in unless.finditer(text)]
    return [
        (start, end) for start, end in (hit.span() for hit in pattern.finditer(text))
        if not any(a < end and start < b for a, b in figures)
    ]  # fmt: skip


def closes(earlier: str, later: str) -> bool:
    """Whether two consecutive utterances close a conversation: both part, or one parts and one answers."""
    return (parts(later) and (parts(earlier) or answers_parting(earlier))) or (
        parts(earlier) and answers_parting(later)
    )


def ended(turns: Turns, least: int = LEAST) -> bool:
    """Whether the conversation has ended with its last utterance: never where the client, just before, gave a sign of danger."""
    return len(turns) >= max(2, least) and closes(turns[-2]["text"], turns[-1]["text"]) and not in_danger(turns)


def in_danger(turns: Turns) -> bool:
    """Whether a client's words among the last utterances carry a sign of danger, so that no goodbye is a polite one."""
    return any(turn["seat"] == "client" and marks(turn["text"]) for turn in turns[-NEAR:])


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
