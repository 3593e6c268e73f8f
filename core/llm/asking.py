"""Asking: the one way a question reaches an engine, and how its call is kept."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import asdict, replace
from functools import partial
from threading import Thread
from typing import Any, TypeVar

from pydantic import BaseModel

from core.clearance import Source, Typed, Use, standings
from core.errors import ModelError, NotFound
from core.llm import gate
from core.llm.lessons import MOST
from core.llm.repair import repair_question, repaired
from core.llm.seam import Answer, Attempt, Engine, Language, Question, Settings, Usage
from core.prompting import load, render
from storage.store import Store

TRIES = 3  # requests for one question when somebody waits for it; studies pace themselves
OnText = Callable[[str], None] | None
Value = TypeVar("Value")
Keep = Callable[[dict[str, Any], list[dict[str, str]], str], Awaitable[int]]
keeping: ContextVar[Keep | None] = ContextVar("keeping", default=None)  # a study keeps its calls in groups


def make_question(
    store: Store,
    prompt: str,
    inputs: Mapping[str, Any],
    *,
    use: Use,
    sources: Iterable[Source | Typed],
    language: Language,
    reply: type[BaseModel] | None = None,
    settings: Settings | None = None,
    seed: int = 0,
    purpose: str = "",
) -> Question:
    """A question from a prompt and its inputs.

    Args:
        sources: every record, and every draft, whose words stand in the inputs.
    Raises:
        PromptError: the prompt cannot be loaded, or the inputs are not the declared ones.
    """
    loaded, named = load(prompt, language), tuple(sources)
    return Question(
        prompt=prompt,
        prompt_version=loaded.version,
        prompt_hash=loaded.hash,
        inputs=inputs,
        messages=render(loaded, inputs),
        reply=reply,
        settings=settings or Settings(),
        seed=seed,
        language=language,
        purpose=purpose or loaded.purpose,
        use=use,
        sources=named,
        standings=partial(standings, store, named),
    )


async def send(engine: Engine, question: Question, on_text: OnText = None) -> Answer:
    """The gate, then the engine. Nothing else in the workbench sends.

    Raises:
        Refused: the question may not go to this endpoint; nothing was sent.
        ModelError: no answer came.
    """
    gate.check(question, engine.endpoint)
    return await engine.ask(question, on_text)


Ask = Callable[[Question, OnText], Awaitable[Answer]]


async def ask(
    store: Store,
    engine: Engine,
    question: Question,
    on_text: OnText = None,
    *,
    study_id: int | None = None,
    unit_id: int | None = None,
) -> tuple[Answer, int]:
    """Ask with a little patience and keep every call; returns the answer and its call's id.

    Raises:
        Refused, ModelError: as ``send``, after waiting where waiting may help. What was asked and paid is kept.
    """
    if (keep := keeping.get()) is not None:  # a study's engine is patient itself, and keeps what fails
        asked, answer = await answered(partial(send, engine), engine, question, keep, on_text)
        return answer, still_about(asked, await keep(call_fields(engine, asked, answer), texts_of(asked), answer.raw))

    async def save(fields: dict[str, Any], messages: list[dict[str, str]], raw: str) -> int:
        call = fields | {"study_id": study_id, "unit_id": unit_id}
        return await asyncio.to_thread(store.calls.save, call, messages, raw)

    asked, answer = await answered(partial(patiently, engine, save), engine, question, save, on_text)
    return answer, still_about(asked, await save(call_fields(engine, asked, answer), texts_of(asked), answer.raw))


async def answered(
    ask_one: Ask, engine: Engine, question: Question, keep: Keep, on_text: OnText = None
) -> tuple[Question, Answer]:
    """The answer and the question it answers, after one repair turn where the first reply could not be read.

    The first reply is kept as a call of its own before the repair is asked, so that neither it nor what it cost is
    lost if the repair fails. A repair is not streamed: its words are no turn.

    Raises:
        NotFound: a record it is about was deleted meanwhile; the repair is not asked.
    """
    first = await ask_one(question, on_text)
    again = repair_question(question, first)
    if again is None:
        return question, first
    kept = still_about(question, await keep(call_fields(engine, question, first), texts_of(question), first.raw))
    return again, replace(repaired(first, await ask_one(again, None)), earlier=(kept,))


async def patiently(engine: Engine, keep: Keep, question: Question, on_text: OnText = None) -> Answer:
    """One answer for somebody who waits: a few tries, the failed ones kept with it; a question without an answer
    leaves a call behind as well, and so does a try that was paid for.

    Raises:
        ModelError: as ``send``.
    """
    attempts: list[Attempt] = []
    tries = lessons = 0
    while True:
        try:
            answer = await send(engine, question, on_text)
        except ModelError as error:
            attempts += error.attempts
            lessons += error.kind == "again"
            tries += error.kind != "again"
            over = lessons > MOST or error.kind in ("unit", "study") or tries == TRIES
            if attempts and (over or error.usage is not None):
                await keep(failed_fields(engine, question, error, attempts), texts_of(question), "")
                attempts = []
            if over:
                raise
            if error.kind != "again":
                await asyncio.sleep(pause(tries, error.retry_after))
        else:
            return replace(answer, attempts=(*attempts, *answer.attempts)) if attempts else answer


def texts_of(question: Question) -> list[dict[str, str]]:
    return [{"role": m.role, "content": m.content} for m in question.messages]


def failed_fields(
    engine: Engine, question: Question, error: ModelError, attempts: Sequence[Attempt]
) -> dict[str, Any]:
    """The columns of the call of a question that got no answer: its attempts, why, and what was paid."""
    blank = Answer(
        value=None, state="empty", text="", raw="", reason=str(error), attempts=tuple(attempts),
        engine=engine.endpoint.kind, engine_version=engine.version, usage=error.usage or Usage(0, 0),
    )  # fmt: skip
    return call_fields(engine, question, blank) | {"state": "failed"}


def still_about(question: Question, call: int) -> int:
    """The id of the kept call.

    Raises:
        NotFound: a record it is about was deleted, or a use of it withdrawn, while it was being answered; only what it
            cost was kept.
    """
    if not call:
        raise NotFound(
            "What was asked about ({records}) was deleted or withdrawn meanwhile, so the answer was not kept. Nothing else was lost.",
            records=", ".join(f"{one.kind} {one.id}" for one in question.about),
        )
    return call


def pause(tries: int, asked: float | None) -> float:
    """Seconds to wait before the next try: doubling with jitter, and at least what the server asked for."""
    own = min(8.0, 0.5 * 2**tries) * random.uniform(0.5, 1.0)
    return own if asked is None or asked < 1 else min(asked, 30.0)


def call_fields(engine: Engine, question: Question, answer: Answer) -> dict[str, Any]:
    """The columns of the call that this question and answer make (no texts, no key), and what it is ``about``."""
    return {
        "about": question.about,
        "purpose": question.purpose,
        "prompt": question.prompt,
        "prompt_version": question.prompt_version,
        "prompt_hash": question.prompt_hash,
        "engine": answer.engine,
        "engine_version": answer.engine_version,
        "base_url": engine.endpoint.base_url,
        "model": engine.endpoint.model,
        "model_answered": answer.model,
        "language": question.language,
        "seed": question.seed,
        "sent": dict(answer.sent),
        "dropped": list(answer.dropped),
        "state": answer.state,
        "reason": answer.reason,
        "finish_reason": answer.finish_reason,
        "tokens_in": answer.usage.input,
        "tokens_out": answer.usage.output,
        "tokens_cached": answer.usage.cached,
        "tokens_estimated": answer.usage.estimated,
        "seconds": sum(a.seconds for a in answer.attempts),
        "attempts": [asdict(a) for a in answer.attempts],
    }


def now(work: Coroutine[Any, Any, Value]) -> Value:
    """Run asynchronous work to its end from a page or the command line, whatever loop is running there."""
    box: list[Any] = []

    def run() -> None:
        try:
            box.append(asyncio.run(work))
        except BaseException as error:  # noqa: BLE001 - carried over to the calling thread
            box.append(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join()
    if isinstance(box[0], BaseException):
        raise box[0]
    result: Value = box[0]
    return result
