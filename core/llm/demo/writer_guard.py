"""The last look at a sentence before it is said: nothing personal, not too long, not copied in long stretches."""

import re
from dataclasses import dataclass

from core.llm.demo.text import QUOTED, length, sentences, shorten, tokens
from core.llm.demo.writer_copies import longest_copy, runs
from core.llm.demo.writer_names import CONTACT, PLACEHOLDER

LEAST = {"en": 18, "zh": 28}  # a copied stretch is shorter than this
LONGEST = 46
STRICT = 34
MENTIONS = re.compile(r"\breport\b|\bcase notes?\b|报告|笔记|案例|个案", re.IGNORECASE)
INTRODUCES = re.compile(r"\bmy name is\b|\bi(?:'m| am) called\b|我叫|我的名字", re.IGNORECASE)
CLAUSE = re.compile(r"(?<=[,;:，；：])\s*")


@dataclass(frozen=True)
class Guard:
    """What may be said; ``room`` is the length of a turn."""

    source: frozenset[tuple[str, ...]]
    language: str
    room: int

    @staticmethod
    def of(report: str, language: str, *, strict: bool) -> "Guard":
        source = tokens(QUOTED.sub(" \n ", report))
        return Guard(frozenset(runs(source, LEAST[language])), language, STRICT if strict else LONGEST)

    def safe(self, text: str) -> str:
        """The text, shortened where it is long or copied; empty when it should not be said."""
        if not text or CONTACT.search(text) or PLACEHOLDER.search(text) or INTRODUCES.search(text) or MENTIONS.search(text):
            return ""
        if length(text) > self.room:
            text = self._shortened(text)
        return self._own(text)

    def copied(self, text: str) -> bool:
        return longest_copy(tokens(text), self.source, LEAST[self.language]) > 0

    def _shortened(self, text: str) -> str:
        short = shorten(text, self.room)
        return short if short and not short.endswith("…") else ""

    def _own(self, text: str) -> str:
        if not self.copied(text):
            return text
        kept = ""
        for clause in CLAUSE.split(text):
            if self.copied(kept + clause):
                break
            kept += clause + " " * (self.language == "en")
        kept = kept.strip(" ,;:，；：")
        whole = len(sentences(kept)) > 0 and length(kept) >= 4
        return kept + ("。" if self.language == "zh" else ".") if whole else ""
