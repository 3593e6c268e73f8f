"""Questions for tests of engines: words that a person typed and said are made up, or did not say so of."""

from typing import Any

from core import clearance
from core.llm.seam import Message, Question, Settings


def a_question(words: str, reply: Any = None, settings: Settings | None = None, *, made_up: bool = True, seed: int = 1) -> Question:
    """One question without a prompt; how its words stand is derived as everywhere, not chosen."""
    draft = clearance.Typed("x", made_up=made_up)
    return Question(
        "p", 1, "h", {}, (Message("user", words),), reply, settings or Settings(), seed, "en", "", "writing", (draft,),
        lambda: [clearance.typed(draft)],
    )  # fmt: skip
