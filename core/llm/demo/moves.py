"""What a counselor's turn does, as a client hears it: what it asks about, and whether it invites, advises or presses."""

from dataclasses import dataclass
from functools import cache, lru_cache

from core.llm.demo.bank import keys, pattern
from core.llm.demo.text import folded, length, sentences

NEAR = 1500  # characters of a very long turn that are read


@dataclass(frozen=True)
class Move:
    """One turn of a counselor. ``about`` is the aspect its last question is about, ``""`` without a question."""

    about: str
    features: frozenset[str]
    length: int

    def __contains__(self, feature: str) -> bool:
        return feature in self.features

    @property
    def invites(self) -> bool:
        """Whether the turn opens the conversation: an open question, or the client's words taken up."""
        return bool(self.features & {"open", "reflection", "interpretation"})


@cache
def _features(language: str) -> tuple[tuple[str, object], ...]:
    names = [name for name in keys(language, "language", "counselor") if name != "open"]
    return tuple((name, pattern(language, "language", "counselor", name).search) for name in names)


@cache
def _aspects(language: str) -> tuple[tuple[str, object], ...]:
    return tuple(
        (name, pattern(language, "language", "aspects", name).search)
        for name in keys(language, "language", "aspects")
    )


@lru_cache(maxsize=8192)
def read(text: str, language: str) -> Move:
    """Read one turn of a counselor."""
    near = text if len(text) <= NEAR else text[: NEAR // 2] + "\n" + text[-NEAR // 2 :]
    said = folded(near)
    features = {name for name, search in _features(language) if search(said)}  # type: ignore[operator]
    questions = [folded(piece.text) for piece in sentences(near) if _asks(piece.text, language)]
    if questions:
        features.add("question")
        # an invitation without a question mark ("tell me more about it") is open as well
        if any(pattern(language, "language", "counselor", "open").search(question) for question in questions):
            features.add("open")
    about = _about(questions[-1], language) if questions else ""
    return Move(about, frozenset(features), length(near))


def _asks(sentence: str, language: str) -> bool:
    said = sentence.rstrip("\"'”’）) ")
    return (
        said.endswith(("?", "？"))
        or pattern(language, "language", "asks", "without_mark").search(folded(sentence)) is not None
    )


def _about(question: str, language: str) -> str:
    for name, search in _aspects(language):
        if search(question):  # type: ignore[operator]
            return name
    return "story"
