"""Only a reply that ended by itself is an answer, and what an endpoint refuses is learned only once it is certain."""

import asyncio
from typing import Any

import pytest

from core.errors import ModelError
from core.llm.asking import answered, patiently, send
from core.llm.endings import ending
from core.llm.openai_engine import OpenAIEngine
from core.llm.seam import Answer, Endpoint, Question, Settings
from tests.questions import a_question
from tests.servers.handle import Misbehaving
from tests.servers.recorder import REPLY, Recorder

HALF = "I hear how heavy this has been, and I"


def question(words: str = "hello") -> Question:
    return a_question(words, None, Settings(temperature=0.5, max_tokens=50))


def ask(url: str, key: str = "", learned: Any = None) -> Answer:
    engine = OpenAIEngine(Endpoint(kind="openai", base_url=url, model="m"), key, learned, timeout=5)

    async def go() -> Answer:
        try:
            return await send(engine, question())
        finally:
            await engine.close()

    return asyncio.run(go())


def reply(finish: Any, content: Any = HALF, **message: Any) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": content} | message}
    return REPLY | {"choices": [choice]}


@pytest.mark.parametrize(
    ("finish", "state"),
    [("stop", "read"), ("eos", "read"), ("end_turn", "read"), ("STOP", "read"),
     ("length", "cut"), ("max_tokens", "cut"), ("model_length", "cut"), ("content_filter", "filtered"),
     ("sensitive", "filtered"), ("network_error", "cut"), ("insufficient_system_resource", "cut"), ("abort", "cut"),
     ("error", "cut"), ("tool_calls", "cut"), ("a name nobody knows", "cut")],
)  # fmt: skip
def test_half_a_sentence_is_no_turn(finish: str, state: str) -> None:
    with Recorder(reply(finish)) as server:
        answer = ask(f"{server.url}/v1")
    assert answer.state == state and answer.usable == (state == "read")
    assert answer.value == (HALF if state == "read" else None)
    assert answer.usage.input == 3, "it is paid for all the same"


def test_an_unknown_ending_is_named() -> None:
    assert ending("network_error") == ("cut", "the reply did not end by itself (network_error)")


@pytest.mark.parametrize("finish", [None, ""])
def test_a_reply_that_does_not_say_how_it_ended_is_an_error(finish: Any) -> None:
    with Recorder(reply(finish)) as server, pytest.raises(ModelError, match="did not say how its reply ended") as caught:
        ask(f"{server.url}/v1")
    assert caught.value.kind == "wait" and caught.value.usage.input == 3


def test_a_content_of_parts_is_read_as_its_text() -> None:
    parts = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Tell me "}, {"type": "text", "text": "more."}]
    with Recorder(reply("stop", parts)) as server:
        assert ask(f"{server.url}/v1").value == "Tell me more."


def test_a_refusal_of_the_model_is_no_empty_reply() -> None:
    with Recorder(reply("stop", None, refusal="I can't help with that.")) as server:
        answer = ask(f"{server.url}/v1")
    assert (answer.state, answer.reason) == ("filtered", "the model refused to answer")


def test_a_key_is_taken_out_of_a_reply() -> None:
    key = "clinic-gateway-key-0042"
    told = reply("stop", f"Your key is {key}.") | {"model": f"m {key}"}
    with Recorder(told) as server:
        answer = ask(f"{server.url}/v1", key)
    assert key not in repr(answer) and answer.value == "Your key is [key]."


# Lessons


def patient(engine: OpenAIEngine, asked: Question) -> Answer:
    async def keep(fields: dict[str, Any], messages: list[dict[str, str]], raw: str) -> int:
        return 1

    async def go() -> Answer:
        try:
            return (await answered(lambda q, heard: patiently(engine, keep, q, heard), engine, asked, keep))[1]
        finally:
            await engine.close()

    return asyncio.run(go())


def test_a_lesson_is_kept_once_the_same_question_goes_through() -> None:
    told: list[dict[str, Any]] = []
    with Misbehaving(refuse_settings=["temperature", "max_tokens"]) as server:
        place = Endpoint(kind="openai", base_url=server.base_url, model="m")
        engine = OpenAIEngine(place, on_learn=told.append, timeout=5)
        with pytest.raises(ModelError) as caught:
            asyncio.run(send(engine, question()))
        assert caught.value.kind == "again" and engine.learned == {} and told == []
        answer = patient(engine, question())
    assert answer.state == "read" and answer.dropped == ("temperature",)
    assert told == [{"limit_name": "max_completion_tokens", "dropped": ["temperature"]}] == [engine.learned]
    assert len(answer.attempts) == 2 and "Unsupported parameter" in answer.attempts[0].error


def test_a_refusal_that_was_something_else_teaches_nothing() -> None:
    """A gateway that names a setting while it has another trouble: without the setting it fails all the same."""
    with Misbehaving(fault="names seed") as server:
        engine = OpenAIEngine(Endpoint(kind="openai", base_url=server.base_url, model="m"), timeout=5)
        with pytest.raises(ModelError) as caught:
            patient(engine, question())
    assert caught.value.kind == "unit" and engine.learned == {}


def test_every_request_is_one_the_asker_made() -> None:
    with Misbehaving(refuse_settings=["seed"]) as server:
        engine = OpenAIEngine(Endpoint(kind="openai", base_url=server.base_url, model="m"), timeout=5)
        with pytest.raises(ModelError):
            asyncio.run(send(engine, question()))
        assert server.seen()["asked"] == 1
