"""The conversation so far, as a counselor's rules see it, and the choice of what has not been said yet.

Everything is read from the turns each time: a session can be resumed, branched, or have a person in either seat.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from random import Random
from typing import Any

from core.llm.demo.bank import keys, lines, pattern
from core.llm.demo.listening import Clause, Heard, hear
from core.llm.demo.moves import Move, read
from core.llm.demo.text import folded

SLOT = re.compile(r"\{\w+\}")
DEFAULT_TURNS = 20
NUMBER = re.compile(r"(?<![\d.])(10|[0-9])(?![\d])")


@dataclass
class Talk:
    """One conversation from the counselor's seat; ``own`` are the counselor's turns, ``client`` the client's."""

    language: str
    rng: Random
    own: Sequence[str]
    client: Sequence[str]
    last_seat: str
    left: int  # utterances left, this one included

    @cached_property
    def heard(self) -> tuple[Heard, ...]:
        return tuple(hear(text, self.language) for text in self.client)

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        return tuple(read(text, self.language) for text in self.own)

    @cached_property
    def said(self) -> str:
        """All the counselor has said, for telling what would be a repetition."""
        return "\n".join(folded(text) for text in self.own)

    @cached_property
    def asked(self) -> frozenset[str]:
        """The aspects the counselor has asked about."""
        return frozenset(move.about for move in self.moves if move.about)

    @cached_property
    def covered(self) -> frozenset[str]:
        """The aspects the counselor has asked about, and those the client told of unasked."""
        said = "\n".join(folded(heard.text[:3000]) for heard in self.heard)
        names = keys(self.language, "language", "told")
        return self.asked | {
            name for name in names if pattern(self.language, "language", "told", name).search(said)
        }

    @property
    def last(self) -> Heard:
        return self.heard[-1] if self.heard else hear("", self.language)

    @property
    def told(self) -> int:
        """How many turns of the client told something."""
        return sum(1 for heard in self.heard if heard.told)

    @property
    def last_about(self) -> str:
        return self.moves[-1].about if self.moves else ""

    def signs(self, *names: str) -> bool:
        """Whether the client's last turn shows one of these signs."""
        return bool(self.heard) and not self.last.signs.isdisjoint(names)

    # ---- choosing -------------------------------------------------------------------------------------------

    def fresh(self, file: str, *path: str) -> tuple[str, ...]:
        """The lines of a bank that have not been said in this session."""
        return tuple(
            line for line in lines(self.language, file, *path) if not any(s in self.said for s in stems(line))
        )

    def say(self, file: str, *path: str, **slots: str) -> str:
        """A line not said before; where all are used up, any of the bank (never for questions: see ``ask``)."""
        options = self.fresh(file, *path) or lines(self.language, file, *path)
        return fill(self.rng.choice(options), self.language, slots) if options else ""

    def ask(self, file: str, *path: str, **slots: str) -> str:
        """A question not asked before; empty where all have been."""
        options = self.fresh(file, *path)
        return fill(self.rng.choice(options), self.language, slots) if options else ""

    # ---- what can be said back ---------------------------------------------------------------------------------

    def new_clauses(self, heard: Heard) -> list[Clause]:
        """Clauses of a turn that have not been said back yet."""
        return [clause for clause in heard.clauses if folded(clause.text) not in self.said]

    def best(self, heard: Heard) -> Clause | None:
        """The clause most worth saying back; of equals the later one."""
        options = self.new_clauses(heard)
        return max(enumerate(options), key=lambda pair: (pair[1].weight, pair[0]))[1] if options else None

    def first_clause(self) -> Clause | None:
        """What the client came with: the weightiest clause of the first turn that has one."""
        for heard in self.heard[:4]:
            if heard.clauses:
                return max(heard.clauses, key=lambda clause: clause.weight)
        return None

    def earlier_clause(self, other: Clause) -> Clause | None:
        """A weighty clause from an earlier turn, to be put beside ``other``."""
        options = [
            clause
            for heard in self.heard[:-1]
            for clause in heard.clauses
            if folded(clause.text) != folded(other.text)
            and clause.weight >= 1
            and overlap(clause.said, other.said) < 0.5
        ]
        if not options:
            return None
        best = max(clause.weight for clause in options)
        return self.rng.choice([clause for clause in options if clause.weight >= best - 1])

    def theme(self, file: str, key: str) -> str:
        """The theme whose signs are most frequent in what the client said, the last turn counting twice."""
        text = "\n".join(folded(heard.text[:3000]) for heard in (*self.heard[-6:], self.last))
        return most_frequent(text, self.language, file, key)


def overlap(one: str, other: str) -> float:
    """Share of the shorter clause's words that the other has too."""
    first, second = set(folded(one).split()), set(folded(other).split())
    return len(first & second) / max(1, min(len(first), len(second)))


def most_frequent(text: str, language: str, file: str, key: str) -> str:
    """The entry under ``key`` whose signs occur most often; the last one where none does."""
    names = keys(language, file, key)
    counts = [len(pattern(language, file, key, name, "signs").findall(text)) for name in names]
    best = max(counts, default=0)
    return names[counts.index(best)] if best else names[-1]


@cache
def stems(line: str) -> tuple[str, ...]:
    """What of a line tells that it has been said: its literal stretches, the longest; none for a bare slot."""
    parts = [folded(part).strip(" .,:;。，：；、") for part in SLOT.split(line)]
    longest = max(parts, key=len)
    return (longest,) if len(longest) >= 4 else ()


def fill(line: str, language: str, slots: Mapping[str, str]) -> str:
    """Put the slots in; a name with a capital asks for its text with a capital."""

    def value(found: re.Match[str]) -> str:
        name = found.group()[1:-1]
        text = slots.get(name.lower(), "") if name not in slots else slots[name]
        return text[:1].upper() + text[1:] if name[:1].isupper() else text

    text = SLOT.sub(value, line)
    return re.sub(r"\b([Aa]) (?=(?:8|11|18|eight|eleven)\b)", r"\1n ", text) if language == "en" else text


def talk_of(inputs: Mapping[str, Any], rng: Random, language: str) -> Talk:
    """The conversation in ``inputs``; whatever is missing or odd there is read as nothing."""
    turns = [turn for turn in inputs.get("turns") or () if isinstance(turn, Mapping)]
    own = [str(turn.get("text") or "") for turn in turns if turn.get("seat") == "counselor"]
    client = [str(turn.get("text") or "") for turn in turns if turn.get("seat") != "counselor"]
    most = inputs.get("most_turns")
    limit = int(most) if isinstance(most, int | float) and most > 0 else DEFAULT_TURNS
    last_seat = "" if not turns else ("counselor" if turns[-1].get("seat") == "counselor" else "client")
    return Talk("zh" if language == "zh" else "en", rng, own, client, last_seat, max(1, limit - len(turns)))
