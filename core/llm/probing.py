"""Testing an endpoint: what it lists, one short call, one structured call."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from core.errors import ModelError
from core.llm.asking import send
from core.llm.openai_engine import OpenAIEngine
from core.llm.seam import Clearance, Endpoint, Message, Question, Settings


class Probe(BaseModel):
    """The smallest structured reply."""

    answer: str
    number: int


@dataclass(frozen=True)
class Check:
    """One step of the test: a code (models, call, schema), whether it worked, and what was seen."""

    step: str
    good: bool
    seen: str


async def check_endpoint(
    engine: OpenAIEngine, on_check: Callable[[Check], None] | None = None
) -> list[Check]:
    """Try the three steps; a step that fails says why and ends the test. Two short calls are made at most."""
    checks: list[Check] = []
    try:
        for step in (models, short_call, structured_call):
            checks.append(await step(engine))
            if on_check is not None:
                on_check(checks[-1])
            if not checks[-1].good and checks[-1].step != "models":
                break
    finally:
        await engine.close()
    return checks


async def models(engine: OpenAIEngine) -> Check:
    """Not every endpoint lists its models: a failure here is said, and does not end the test."""
    try:
        names = await engine.models()
    except ModelError as error:
        return Check("models", False, str(error))
    listed = engine.endpoint.model in names
    return Check("models", listed or not names, f"{len(names)}: {', '.join(names[:8])}")


async def short_call(engine: OpenAIEngine) -> Check:
    return await attempt(engine, "call", probe_question("Reply with the single word: ready", None))


async def structured_call(engine: OpenAIEngine) -> Check:
    words = 'Reply with one JSON object and nothing else: {"answer": "ready", "number": 7}'
    return await attempt(engine, "schema", probe_question(words, Probe))


async def attempt(engine: OpenAIEngine, step: str, question: Question) -> Check:
    try:
        answer = await send(engine, question)
    except ModelError as error:
        return Check(step, False, str(error))
    form: Any = engine.learned.get("format", "json_schema") if step == "schema" else answer.model
    return Check(
        step,
        answer.usable,
        f"{answer.state}, {form}: {answer.text[:120]}" if answer.usable else answer.reason,
    )


def probe_question(words: str, reply: type[BaseModel] | None) -> Question:
    return Question(
        prompt="probe",
        prompt_version=1,
        prompt_hash="",
        inputs={},
        messages=(Message("user", words),),
        reply=reply,
        settings=Settings(max_tokens=400),
        seed=1,
        language="en",
        purpose="test connection",
        clearance=Clearance.SYNTHETIC,
        record="the connection test",
    )


async def listening(addresses: Sequence[str]) -> dict[str, list[str]]:
    """The addresses that answer, with the models they list. Only a list of models is asked for, without a key."""
    found: dict[str, list[str]] = {}
    for address in addresses:
        engine = OpenAIEngine(Endpoint(kind="openai", base_url=address, name=address), timeout=3.0)
        try:
            found[address] = await engine.models()
        except ModelError:
            continue
        finally:
            await engine.close()
    return found
