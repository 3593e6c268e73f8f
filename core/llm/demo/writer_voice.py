"""The two languages behind one set of names: how a report's sentence is said."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.llm.demo import writer_chinese, writer_english, writer_english_steps


@dataclass(frozen=True)
class Talked:
    """Something one of the two says; ``aims`` where it agrees on what to work for."""

    seat: str
    text: str
    aims: bool = False


Said = Callable[[str, str], "str | None"]


@dataclass(frozen=True)
class Voice:
    """How a sentence is said by the client, to the client, and as a step; ``(sentence, gender) -> text or None``."""

    first: Said
    second: Said
    review: Said
    basics: Callable[[Sequence[str], str], list[str]]
    events: Callable[[str, str], "list[tuple[str, str]]"]


VOICES = {
    "en": Voice(
        writer_english.in_first_person, writer_english.in_second_person, writer_english_steps.as_review,
        writer_english.basics, writer_english_steps.events,
    ),
    "zh": Voice(
        writer_chinese.in_first_person, writer_chinese.in_second_person, writer_chinese.as_review,
        writer_chinese.basics, writer_chinese.events,
    ),
}  # fmt: skip
