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
PARTS = re.compile(r"[,，;；–—]")
ASKS = re.compile(r"[?？]\s*[\"”’」]*\s*$")
WORD = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")
# Somebody else's words: between quotation marks of either script, or apostrophes that belong to no word.
QUOTED = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”|「[^」\n]*」|『[^』\n]*』|(?<!\w)'[^'\n]{1,80}'(?!\w)")
CLAUSE = {"en": r"(^|[.,;:!?()…\n–—]|\s-\s|\b(?:so|then|but)\b)", "zh": r"(^|\W)"}

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
    back: re.Pattern[str]


@cache
def _rules(language: str) -> _Rules:
    data = phrase_file(f"sessions/farewell.{language}")
    parting, last, courtesy, lead, told, followed, unless, back = (
        compiled(data[name], language) for name in ("parting", "last", "courtesy", "lead", "told", "followed", "except", "back")
    )
    opens = re.compile(rf"{CLAUSE[language]}\s*(?:(?:{lead.pattern})[\s,，、]*)*$", re.IGNORECASE)
    after = rf"(?:{compiled(data['then'], language).pattern})?\s*(?:$|[^\w\s]|(?<=[祝您你]))" if "then" in data else ""
    next_to, first = (re.compile(rf"\W*(?:{one.pattern})", re.IGNORECASE) for one in (followed, back))
    return _Rules(parting, last, courtesy, opens, re.compile(after), told, next_to, unless, first)


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
    return any(_stands(end, one) for one in rules) or any(_closes(end[-1:], one) for one in rules)


def _stands(end: Sequence[str], rules: _Rules) -> bool:
    """Whether one of the last sentences says a farewell that nothing after it takes back."""
    said = [place for place, sentence in enumerate(end) if _said(sentence, rules)]
    return bool(said) and not _taken_back(end[said[-1] + 1 :], rules)


def _taken_back(sentences: Sequence[str], rules: _Rules) -> bool:
    """Whether a clause takes a farewell, or the thanks for one, back: “but I am scared”."""
    return any(rules.back.match(clause) for sentence in sentences for clause in PARTS.split(sentence))


def _said(sentence: str, rules: _Rules) -> bool:
    """Whether a farewell opens a clause of the sentence."""
    for start, end in _hits(sentence, rules.parting, rules.unless):
        opened, rest = rules.opens.search(sentence[:start]), sentence[end:]
        if opened and rules.then.match(rest) and not rules.followed.match(rest) and not _taken_back([rest], rules) and not rules.told.search(sentence[: opened.end(1)]):
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
    sentences = tail(text)
    both = [_rules(language) for language in LANGUAGES]
    if any(_taken_back(sentences, rules) for rules in both):
        return False
    return any(_hits(" ".join(sentences), rules.courtesy, rules.unless) for rules in both)


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
    """Whether the conversation has ended with its last utterance: never where the client gave a sign of danger in it."""
    return len(turns) >= max(2, least) and closes(turns[-2]["text"], turns[-1]["text"]) and not in_danger(turns)


def in_danger(turns: Turns) -> bool:
    """Whether any words of a client carry a sign of danger: then no goodbye, however late, is taken for a polite one.

    Read are the signs a turn was saved with (``risk``, where given) and those that today's list finds in its words.
    """
    return any(turn["seat"] == "client" and (turn.get("risk") or marks(turn["text"])) for turn in turns)


def since(turns: Turns, branched: int | None) -> bool:
    """Whether the last two utterances were said after the place where a session was branched off (``None``: nowhere)."""
    return branched is None or all(turn["position"] > branched for turn in turns[-2:])


def cut_at(turns: Turns, least: int = LEAST, branched: int | None = None) -> int | None:
    """The position of the last utterance a judge reads: where the conversation first ended.

    Args:
        branched: the last turn the session took over from another one; it goes on behind what ended that one.
    Returns:
        ``None`` when nothing comes after the ending, or when there is none: the whole text is read. So it is where a
        client gave a sign of danger anywhere: no judge is spared it, or what became of it.
    """
    if in_danger(turns):
        return None
    for count in range(max(2, least), len(turns)):
        if since(turns[:count], branched) and ended(turns[:count], least):
            return int(turns[count - 1]["position"])
    return None
