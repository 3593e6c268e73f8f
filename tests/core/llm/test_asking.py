"""Every question passes the gate, and every call is kept whole."""

import asyncio
from typing import Any

import pytest

from core.clearance import Source, Typed
from core.errors import ModelError, PromptError, Refused
from core.llm import asking
from core.llm.agents import ensure_shipped, save_agent
from core.llm.asking import ask, make_question, now
from core.llm.engines import engine_of, key_of
from storage import tables
from storage.store import Store

TURNS = {"turns": [{"position": 1, "seat": "client", "text": "I cannot sleep."}], "most_turns": 20}


def question(store: Store, **more: Any) -> Any:
    asked = {"use": "writing", "sources": [Typed("x", made_up=True)], "language": "en"}
    return make_question(store, "counselor/plain", TURNS, **asked | more)


def test_a_call_can_be_checked_by_hand(store: Store, scripted: Any) -> None:
    answer, id = now(ask(store, scripted("Tell me more."), question(store, seed=7)))
    call = store.calls.whole(id)
    assert answer.value == call["raw"] == "Tell me more."
    assert "I cannot sleep." in "".join(m["content"] for m in call["messages"])
    assert (call["prompt"], call["seed"], call["engine"]) == ("counselor/plain", 7, "demo")
    assert len(call["prompt_hash"]) == 64


def test_a_busy_endpoint_is_asked_again(store: Store, scripted: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "pause", lambda tries, asked: 0.0)
    engine = scripted(ModelError("busy", kind="wait"), "Yes?")
    answer, _ = now(ask(store, engine, question(store)))
    assert (answer.value, len(engine.asked)) == ("Yes?", 2)


def test_a_refused_key_is_not_tried_again(store: Store, scripted: Any) -> None:
    engine = scripted(ModelError("no key", kind="study"))
    with pytest.raises(ModelError, match="no key"):
        now(ask(store, engine, question(store)))
    assert len(engine.asked) == 1
    assert store.calls.count() == 0


def test_unconfirmed_text_reaches_no_engine_outside(store: Store, scripted: Any) -> None:
    report = store.reports.add(tables.Report(title="A", content_hash="a"))
    engine = scripted("hello", base_url="https://models.example/v1")
    with pytest.raises(Refused, match="report 1 may still hold personal data"):
        now(ask(store, engine, question(store, sources=[Source("report", report.id or 0)])))
    assert engine.asked == []


def test_inputs_are_the_declared_ones(store: Store) -> None:
    with pytest.raises(PromptError, match="most_turns"):
        make_question(store, "counselor/plain", {"turns": []}, use="session", sources=[], language="en")


def test_waiting_works_inside_a_running_loop(store: Store, scripted: Any) -> None:
    async def page() -> str:
        return str(now(ask(store, scripted("Yes?"), question(store)))[0].value)

    assert asyncio.run(page()) == "Yes?"


def test_shipped_agents_are_made_once(store: Store) -> None:
    ensure_shipped(store)
    count = store.agents.count()
    ensure_shipped(store)
    assert store.agents.count() == count >= 6
    assert {a.seat for a in store.agents.all()} == {"counselor", "client", "judge", "writer"}


def test_a_key_is_never_stored(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-secret-from-environment")
    endpoint = store.endpoints.add(tables.Endpoint(name="e", base_url="http://127.0.0.1:9/v1", model="m", key_env="MY_KEY"))
    agent = save_agent(store, "Mine", "counselor", "counselor/plain", endpoint, {"temperature": 0.7})
    engine = engine_of(store, agent, {endpoint.base_url: "sk-secret-typed"})
    assert engine.endpoint.model == "m"
    assert key_of(endpoint, {}) == "sk-secret-from-environment"
    assert key_of(endpoint, {endpoint.base_url: "typed"}) == "typed"
    store.close()
    assert store.path is not None
    stored = store.path.read_bytes()
    assert b"sk-secret" not in stored


def test_an_agent_is_what_it_is_made_of(store: Store) -> None:
    first = save_agent(store, "One", "counselor", "counselor/plain", None, {})
    second = save_agent(store, "Two", "counselor", "counselor/plain", None, {})
    third = save_agent(store, "Three", "counselor", "counselor/hill", None, {})
    assert first.hash == second.hash != third.hash
