"""What many tests share: a real store in a folder of its own, and an engine that says what it is told."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from core.errors import ModelError
from core.llm.parsing import read_reply
from core.llm.seam import Answer, Attempt, Endpoint, Question, Usage
from storage.store import Store, open_store


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """A new store on disk; pages and the command line opened in the same test see it too."""
    path = tmp_path / "data" / "rapport.db"
    monkeypatch.setenv("RAPPORT_DATABASE_URL", f"sqlite:///{path}")
    opened = open_store()
    yield opened
    opened.close()


class ScriptedEngine:
    """Says the given replies in turn (the last one for ever); an exception in the script is raised."""

    version = "scripted"

    def __init__(self, *script: Any, base_url: str = "") -> None:
        self.endpoint = Endpoint(
            kind="openai" if base_url else "demo", base_url=base_url, model="scripted", name="scripted"
        )
        self.script = list(script) or ["All right."]
        self.asked: list[Question] = []

    async def ask(self, question: Question, on_text: Callable[[str], None] | None = None) -> Answer:
        said = self.script[min(len(self.asked), len(self.script) - 1)]
        self.asked.append(question)
        if isinstance(said, ModelError):
            raise said
        if callable(said):
            said = said(question)
        if on_text is not None:
            on_text(said)
        reading = read_reply(said, question.reply)
        return Answer(
            value=reading.value, state="read" if reading.value is not None else "unreadable", text=said, raw=said,
            reason=reading.reason, usage=Usage(10, 5), finish_reason="stop", attempts=(Attempt("", 0.0),),
            engine=self.endpoint.kind, engine_version="scripted", model="scripted",
        )  # fmt: skip


@pytest.fixture
def scripted() -> type[ScriptedEngine]:
    return ScriptedEngine
