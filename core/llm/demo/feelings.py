"""Feelings a client owns, in the client's own words.

"Afraid of disappointing my parents" is not "disappointed": a feeling word counts only where the first person
governs it, not where it is denied, wished for, or said of or by somebody else.
"""

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from core.llm.demo.bank import pattern, wordset
from core.llm.demo.text import folded

MOST = 2000  # characters read of one sentence


@dataclass(frozen=True)
class Feeling:
    """A feeling as said: ``kind`` tells how it can be said back (``feel``: you feel …, ``verb``: you …)."""

    word: str
    kind: str
    start: int


def feelings(sentence: str, language: str) -> tuple[Feeling, ...]:
    """The feelings the speaker owns in one sentence or clause, in order."""
    return _feelings(folded(sentence[:MOST]), language)


@lru_cache(maxsize=8192)
def _feelings(said: str, language: str) -> tuple[Feeling, ...]:
    if not said or said.endswith("?"):
        return ()
    found = _chinese(said) if language == "zh" else _english(said)
    return tuple(found)


def pleasant(feeling: Feeling, language: str) -> bool:
    """Whether a feeling is a good one."""
    return feeling.word in wordset(language, "feelings", "pleasant")


@cache
def _any_english() -> re.Pattern[str]:
    """Every feeling word with the first person that governs it, as one pattern; the groups tell the kind."""

    def names(key: str) -> str:
        known = wordset("en", "feelings", key)
        return "|".join(
            re.escape(word).replace("_", " ").replace(r"\-", "[- ]")
            for word in sorted(known, key=lambda w: (-len(w), w))
        )

    between = rf"(?:,? (?:{'|'.join(sorted(wordset('en', 'feelings', 'between')))}|{names('adjectives')}))"
    feels = rf"(?:\bi'?m|\bi've|\b(?:i|we)|\bwe're|\b(?:makes?|made|making|leaves?|left|keeps?|kept) (?:me|us))(?:{between}){{0,7}}?"
    return re.compile(
        rf"(?P<lead>{feels} )(?:(?P<phrase>{names('phrases')})|(?P<feel>{names('adjectives')})|(?P<noun>{names('nouns')}))\b(?! to (?:say|report|hear|help))"
        rf"|\bi (?:(?:just|really|still|also|always|often|even|only|do|constantly) )*(?P<verb>{names('verbs')})\b"
    )


VERB_OF_FEELING = re.compile(
    r"\b(?:i'?m|i've|we're|feel|felt|feeling|am|was|been|get|got|getting|become|became|me|us)\b"
)


def _english(said: str) -> list[Feeling]:
    found: list[Feeling] = []
    reported, not_now = (
        pattern("en", "language", "client", "reported"),
        pattern("en", "language", "client", "not_now"),
    )
    for match in _any_english().finditer(said):
        kind = str(match.lastgroup) if match.lastgroup != "lead" else "feel"
        before = said[max(0, match.start() - 40) : match.start() + 2]
        lead = match.group("lead") or ""
        if kind != "verb" and not VERB_OF_FEELING.search(lead):
            continue
        if reported.search(before) or before.rstrip().endswith(("if i", "unless i")) or not_now.search(lead):
            continue
        found.append(Feeling(match.group(kind), "feel" if kind == "phrase" else kind, match.start(kind)))
        found.extend(_more(said, match.end()))
    return found


@cache
def _and_more() -> re.Pattern[str]:
    known = "|".join(
        re.escape(word).replace(r"\-", "[- ]")
        for word in sorted(wordset("en", "feelings", "adjectives"), key=lambda w: (-len(w), w))
    )
    return re.compile(
        rf"(?:,| and|, and| or) (?:(?:so|very|also|a bit|really|even) )?({known})\b(?! (?:at|of|with) (?:him|her|them) when)"
    )


def _more(said: str, at: int) -> list[Feeling]:
    """Feelings joined to one already found: "sad and ashamed"."""
    found = _and_more().match(said, at)
    return [Feeling(found.group(1), "feel", found.start(1)), *_more(said, found.end())] if found else []


@cache
def _any_chinese() -> re.Pattern[str]:
    def names(key: str) -> str:
        return "|".join(sorted(wordset("zh", "feelings", key), key=lambda w: (-len(w), w)))

    between = f"(?:{names('between')}|{names('words')}|、)"
    owner = "(?:我|让我|令我|使我|叫我|弄得我|搞得我)"
    start = f"(?:^|[,。!?;:、 ]){names('degree') and '(?:' + names('degree') + ')'}"
    return re.compile(f"(?:{owner}{between}{{0,8}}?|{start}{between}{{0,4}}?)(?P<feel>{names('words')})")


def _chinese(said: str) -> list[Feeling]:
    found = []
    for match in _any_chinese().finditer(said):
        before = said[max(0, match.start() - 6) : match.start()]
        after = said[match.end() : match.end() + 2]
        if pattern("zh", "language", "client", "reported").search(before) or after.startswith(("吗", "么")):
            continue
        found.append(Feeling(match.group("feel"), "feel", match.start("feel")))
    return found
