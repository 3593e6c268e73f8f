"""The OpenAI-compatible engine against a real server that nobody here wrote."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from core.errors import ModelError
from core.judging.replies import ItemRating
from core.llm.asking import answered, send
from core.llm.openai_engine import OpenAIEngine
from core.llm.probing import check_endpoint
from core.llm.seam import Answer, Endpoint, Question, Settings
from tests.questions import a_question

pytestmark = pytest.mark.server
GOOD = '{"reasoning": "r", "evidence": ["a"], "counter_evidence": [], "rating": 4}'
Start = Callable[[list[dict[str, Any]]], str]


def asked(words: str, reply: Any = None) -> Question:
    settings = Settings(temperature=0.7, top_p=0.9, max_tokens=50)
    return a_question(words, reply, settings, seed=3)


def ask(
    url: str, words: str, reply: Any = None, stream: bool = False, **more: Any
) -> tuple[Answer, OpenAIEngine, list[str]]:
    engine = OpenAIEngine(
        Endpoint(kind="openai", base_url=url, model="gpt-test"), key="k", timeout=10, **more
    )
    heard: list[str] = []

    async def go() -> Answer:
        try:
            return await engine.ask(asked(words, reply), heard.append if stream else None)
        finally:
            await engine.close()

    return asyncio.run(go()), engine, heard


def test_a_plain_answer_with_its_usage(aimock: Start) -> None:
    answer, _, _ = ask(
        aimock([{"match": {"userMessage": "hello"}, "response": {"content": "Hi there."}}]), "hello"
    )
    assert (answer.value, answer.state, answer.finish_reason) == ("Hi there.", "read", "stop")
    assert answer.usage.input is not None
    assert answer.sent["temperature"] == 0.7


def test_a_streamed_answer_arrives_in_pieces(aimock: Start) -> None:
    said = "It sounds as if the nights have become the hardest part of all of this."
    answer, _, heard = ask(aimock([{"match": {}, "response": {"content": said}}]), "hello", stream=True)
    assert "".join(heard) == said == answer.value
    assert len(heard) > 1


def test_a_structured_answer_is_checked(aimock: Start) -> None:
    answer, _, _ = ask(aimock([{"match": {}, "response": {"content": GOOD}}]), "rate", ItemRating)
    assert answer.value.rating == 4


def test_one_request_makes_one_answer_and_a_repair_is_a_question_of_its_own(aimock: Start) -> None:
    fixtures = [
        {"match": {"userMessage": "could not be read"}, "response": {"content": GOOD}},
        {"match": {}, "response": {"content": "I would say four."}},
    ]
    url = aimock(fixtures)
    first, engine, _ = ask(url, "rate", ItemRating)
    assert (first.state, first.value, first.raw, len(first.attempts)) == (
        "unreadable",
        None,
        "I would say four.",
        1,
    )
    kept: list[str] = []

    async def keep(fields: dict[str, Any], messages: list[dict[str, str]], raw: str) -> int:
        kept.append(raw)
        return 1

    async def go() -> tuple[Question, Answer]:
        try:
            return await answered(
                lambda q, heard: send(engine, q, heard), engine, asked("rate", ItemRating), keep
            )
        finally:
            await engine.close()

    question, answer = asyncio.run(go())
    assert question.repair and kept == ["I would say four."]
    assert (answer.state, answer.value.rating, len(answer.attempts)) == ("repaired", 4, 1)


def test_a_cut_reply_is_no_answer(aimock: Start) -> None:
    answer, _, _ = ask(
        aimock([{"match": {}, "response": {"content": GOOD, "finishReason": "length"}}]), "rate", ItemRating
    )
    assert (answer.state, answer.value) == ("cut", None)


def test_a_broken_stream_is_no_answer(aimock: Start) -> None:
    url = aimock([{"match": {}, "response": {"content": "a long reply " * 30}, "truncateAfterChunks": 2}])
    with pytest.raises(ModelError, match="broke off|cannot be reached") as caught:
        ask(url, "hello", stream=True)
    assert caught.value.kind == "wait"


@pytest.mark.parametrize(
    ("status", "kind", "says"),
    [(401, "study", "refused the key"), (429, "wait", "busy"), (500, "wait", "failed on its side")],
)
def test_refusals_are_said(aimock: Start, status: int, kind: str, says: str) -> None:
    url = aimock([{"match": {}, "response": {"error": {"message": "no", "type": "error"}, "status": status}}])
    with pytest.raises(ModelError, match=says) as caught:
        ask(url, "hello")
    assert caught.value.kind == kind


def test_nobody_there_is_said() -> None:
    with pytest.raises(ModelError, match="cannot be reached") as caught:
        ask("http://127.0.0.1:9/v1", "hello")
    assert caught.value.kind == "wait"


def test_the_connection_test_says_what_it_saw(aimock: Start) -> None:
    url = aimock(
        [
            {"match": {"userMessage": "single word"}, "response": {"content": "ready"}},
            {"match": {}, "response": {"content": '{"answer": "ready", "number": 7}'}},
        ]
    )
    engine = OpenAIEngine(Endpoint(kind="openai", base_url=url, model="gpt-test"), timeout=10)
    checks = asyncio.run(check_endpoint(engine))
    assert [(c.step, c.good) for c in checks][1:] == [("call", True), ("schema", True)]
