"""The session from the client's seat, and the choice of words that have not been used yet in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

from core.llm.demo.bank import entry, lines
from core.llm.demo.client_card import Card, card_of
from core.llm.demo.client_mood import Mood, mood_of
from core.llm.demo.counselor_talk import fill, stems
from core.llm.demo.listening import hear
from core.llm.demo.moves import Move, read
from core.llm.demo.text import folded

WORDS = "client"
HALVES = " | "


@dataclass
class Scene:
    """``own`` are the client's turns, ``other`` the counselor's."""

    language: str
    rng: Random
    card: Card
    own: Sequence[str]
    other: Sequence[str]
    spoke_last: bool  # the client spoke last: nobody has answered

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        return tuple(read(text, self.language) for text in self.other)

    @cached_property
    def move(self) -> Move:
        """The counselor's last turn."""
        return self.moves[-1] if self.moves else Move("", frozenset(), 0)

    @cached_property
    def mood(self) -> Mood:
        return mood_of(self.card, self.moves)

    @cached_property
    def said(self) -> str:
        """All the client has said, for telling what would be a repetition."""
        return "\n".join(folded(text) for text in self.own)

    @property
    def heard(self) -> str:
        """The counselor's last words."""
        return self.other[-1] if self.other else ""

    @property
    def readable(self) -> bool:
        return hear(self.heard, self.language).readable

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    # ---- choosing ---------------------------------------------------------------------------------------------

    def used(self, line: str) -> bool:
        return any(stem in self.said for stem in stems(line.split(HALVES)[0]))

    def fresh(self, options: Sequence[str]) -> list[str]:
        return [line for line in options if not self.used(line)]

    def ever(self, *path: str) -> bool:
        """Whether a line of this bank has been said."""
        return any(self.used(line) for line in lines(self.language, WORDS, *path))

    def say(self, *path: str, **slots: str) -> str:
        """A line of a bank not said before; empty where all have been or there is none."""
        options = self.fresh(lines(self.language, WORDS, *path))
        return self.spoken(self.rng.choice(options), **slots) if options else ""

    def always(self, *path: str, **slots: str) -> str:
        """A line of a bank, a fresh one if there is one: for what must be said."""
        return self.say(*path, **slots) or self.spoken(
            self.rng.choice(lines(self.language, WORDS, *path)), **slots
        )

    def variant(self, *path: str) -> str:
        """``path`` if the words know it, else ``other`` in its last place: ``("coping", "adaptive")``."""
        return path[-1] if path[-1] and entry(self.language, WORDS, *path) else "other"

    def spoken(self, line: str, **slots: str) -> str:
        """A line as this client says it: the introverted and the flat leave out what is only added."""
        core, _, more = line.partition(HALVES)
        brief = self.card.has("introverted", "hypo_aroused")
        long = self.card.has("extroverted") or (not brief and self.chance(0.5))
        said = join(self.language, core, more if long else "")
        return fill(said, self.language, dict(self.card.slots) | slots)

    def fact(self, kind: str) -> str:
        """A fact of this kind not told yet."""
        options = self.fresh(self.card.facts.get(kind, ()))
        return self.spoken(options[0] if kind in ("event", "open") else self.rng.choice(options)) if options else ""

    def step(self) -> str:
        """Something this client could do, not named yet; empty where there is none."""
        left = [step for step in self.card.steps if folded(step.split(HALVES)[0]) not in self.said]
        return left[0].split(HALVES)[0] if left else ""

    @property
    def planned(self) -> bool:
        """Whether the client has named a step of its own."""
        return any(folded(step.split(HALVES)[0]) in self.said for step in self.card.steps)


def join(language: str, *parts: str) -> str:
    """Sentences one after the other, as the language writes them."""
    return ("" if language == "zh" else " ").join(part for part in parts if part)


def scene_of(inputs: Mapping[str, Any], rng: Random, language: str) -> Scene:
    """The session in ``inputs``; whatever is missing or odd there is read as nothing."""
    language = "zh" if language == "zh" else "en"
    turns = [turn for turn in inputs.get("turns") or () if isinstance(turn, Mapping)]
    own = [str(turn.get("text") or "") for turn in turns if turn.get("seat") != "counselor"]
    other = [str(turn.get("text") or "") for turn in turns if turn.get("seat") == "counselor"]
    last = bool(turns) and turns[-1].get("seat") != "counselor"
    return Scene(language, rng, card_of(inputs.get("role"), language), own, other, last)
