"""Testing an endpoint: what it lists, one short call, one structured call."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from pydantic import BaseModel

from core.errors import ModelError, WorkbenchError, msg
from core.llm.asking import send
from core.llm.openai_engine import OpenAIEngine
from core.llm.redaction import short
from core.llm.refusals import BY_PROXY
from core.llm.seam import Endpoint, Message, Question, Settings


class Probe(BaseModel):
    """The smallest structured reply."""

    answer: str
    number: int


@dataclass(frozen=True)
class Check:
    """One step of the test.

    Args:
        step: a code (models, call, schema); ``good``: it worked.
        problem: why not, where there is a sentence for it.
        names: the models it lists; ``model``: the one it was asked for, or that answered.
        text: what it answered; ``form``: the reply format it was asked in (json_schema, json_object, prompt).
    """

    step: str
    good: bool
    problem: WorkbenchError | None = None
    names: tuple[str, ...] = ()
    model: str = ""
    text: str = ""
    form: str = ""


NO_LIST = msg(
    "It gives no list of models at this address ({status}: {words}). Some servers have none; the short reply decides."
)
# By the code of a refusal: what a study is told speaks of answers that are saved, and of this page.
REFUSALS = {
    "open": msg("It is not encrypted (http), so nothing was sent. Tick the box above, or enter the address with https."),
    "key": msg("It refused the key ({status}: {words}). Type the key again above."),
    "credit": msg("It reports that no credit is left ({words}). Top up the account, or choose another endpoint."),
    "gone": msg("It does not know this address or model ({status}: {words}). Check both."),
    "redirect": msg("It sends requests on to another address ({status}), and nothing is sent there. Enter the right address."),
    "busy": msg("It is busy ({words}). Test again in a minute."),
    "server": msg("It failed on its side ({status}: {words}). Test again later."),
    "refused": msg("It refused the request ({status}: {words})."),
    "filtered": msg("Its content filter refused the request ({words})."),
    "timeout": msg("It did not answer in time. Check that the server is running, then test again."),
    "malformed": msg("Its reply is not JSON. Check that this is the address of an OpenAI-compatible endpoint."),
    "empty": msg("Its reply holds no answer. Check the model's name."),
    "unfinished": msg("It did not say how its reply ended. Such replies are not used: half a reply looks the same."),
    "stream": msg("It broke off in the middle of its reply. Test again."),
    "unreachable": msg("It cannot be reached ({words}). Check the address and that the server is running."),
}  # fmt: skip
UNUSABLE = {
    "cut": msg("Its reply was cut off at the length limit: {text}"),
    "filtered": msg("Its content filter stopped the reply, or the model refused."),
    "empty": msg("Its reply is empty."),
    "unreadable": msg("Its reply is not in the form that was asked for: {text}"),
}
LONGEST = 120  # characters of a reply that are shown


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
        return Check("models", False, in_short(error, {"gone": NO_LIST}))
    model = engine.endpoint.model
    return Check("models", model in names or not names, names=tuple(names), model=model)


async def short_call(engine: OpenAIEngine) -> Check:
    return await attempt(engine, "call", probe_question("Reply with the single word: ready", None))


async def structured_call(engine: OpenAIEngine) -> Check:
    words = 'Reply with one JSON object and nothing else: {"answer": "ready", "number": 7}'
    return await attempt(engine, "schema", probe_question(words, Probe))


async def attempt(engine: OpenAIEngine, step: str, question: Question) -> Check:
    try:
        answer = await send(engine, question)
    except ModelError as error:
        return Check(step, False, in_short(error))
    text = short(answer.text, LONGEST)
    if not answer.usable:
        return Check(step, False, WorkbenchError(UNUSABLE[answer.state], text=text))
    form = str(engine.learned.get("format", "json_schema")) if step == "schema" else ""
    return Check(step, True, model=answer.model or engine.endpoint.model, text=text, form=form)


def in_short(error: ModelError, own: Mapping[str, str] = MappingProxyType({})) -> WorkbenchError:
    """A refusal as the test says it: nothing was asked before it, and the page is the one with the key."""
    code = str(error.values.get("code", ""))
    known = own.get(code) or REFUSALS.get(code)
    if known is None:
        return error
    return WorkbenchError(f"{known} {BY_PROXY}" if "proxy" in error.values else known, **error.values)


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
        use="writing",
        sources=(),  # fixed words of our own
        standings=list,
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
