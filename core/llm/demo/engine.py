"""The demo engine: honest rules that work on any input, in English and Chinese, with no model behind them."""

import asyncio
import hashlib
import json
import random
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any

from pydantic import ValidationError

from core.errors import ModelError
from core.llm.seam import Answer, AnswerState, Attempt, Endpoint, Question, Usage

VERSION = "1"
Rule = Callable[[Mapping[str, Any], random.Random, str], "str | dict[str, Any]"]
PIECE = re.compile(r"[\u3400-\u9fff]|[^\s\u3400-\u9fff]+\s*|\s+")


MODULES = {
    "counselor": "counselors",
    "client": "client",
    "report": "writer",
    "role": "roles",
    "judge": "raters",
}


@cache
def rule_for(prompt: str) -> Rule | None:
    """The rule that answers a prompt, from the module of its stage; ``None`` if there is none."""
    module = MODULES.get(prompt.split("/")[0])
    if module is None:
        return None
    found: Rule | None = import_module(f"core.llm.demo.{module}").ANSWERS.get(prompt)
    return found


def seeded(question: Question) -> random.Random:
    """A generator that depends on the engine version, the task, its inputs and the seed, and nothing else."""
    text = json.dumps(
        [VERSION, question.prompt, question.language, question.inputs, question.seed],
        sort_keys=True,
        ensure_ascii=False,
        default=str,
    )
    return random.Random(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest())


def pieces(text: str) -> Iterator[str]:
    """The text in the pieces it is spoken in: words, or single Chinese characters."""
    return iter(PIECE.findall(text))


class DemoEngine:
    """Rules behind the seam. ``pace`` is the pause between spoken pieces in seconds (for watching)."""

    version = VERSION

    def __init__(self, pace: float = 0.0) -> None:
        self.endpoint = Endpoint(kind="demo", name="demo engine")
        self.pace = pace

    async def ask(self, question: Question, on_text: Callable[[str], None] | None = None) -> Answer:
        rule = rule_for(question.prompt)
        if rule is None:
            raise ModelError(
                "The demo engine has no rules for the prompt {prompt}. Choose a model for this step; nothing was lost.",
                prompt=question.prompt,
            )
        said = rule(question.inputs, seeded(question), question.language)
        text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
        if on_text is not None and isinstance(said, str):
            await self._speak(said, on_text)
        return read(question, said, text)

    async def _speak(self, text: str, on_text: Callable[[str], None]) -> None:
        for piece in pieces(text):
            on_text(piece)
            await asyncio.sleep(self.pace)


def read(question: Question, said: "str | dict[str, Any]", text: str) -> Answer:
    """The answer behind the seam, validated like a model's."""
    common: dict[str, Any] = {
        "text": text,
        "raw": text,
        "engine": "demo",
        "engine_version": VERSION,
        "model": "rules",
        "usage": Usage(input=0, output=0),
        "finish_reason": "stop",
        "attempts": (Attempt(at="", seconds=0.0),),
        "sent": {"seed": question.seed},
    }
    if question.reply is None:
        state: AnswerState = "read" if text.strip() else "empty"
        return Answer(
            value=text if state == "read" else None,
            state=state,
            reason="" if text.strip() else "no text",
            **common,
        )
    try:
        return Answer(value=question.reply.model_validate(said), state="read", **common)
    except ValidationError as error:
        return Answer(value=None, state="unreadable", reason=str(error), **common)
