"""An unreadable reply is asked for once more: two questions, two calls, and what differs is said."""

from typing import Any

import pytest

from core.clearance import Typed
from core.errors import ModelError
from core.judging.replies import ItemRating
from core.llm import asking
from core.llm.asking import ask, make_question, now
from core.llm.repair import differing
from core.llm.seam import Attempt, Usage
from storage import tables
from storage.store import Store

MADE_UP = Typed("x", made_up=True)
TURNS = {"turns": [{"position": 1, "seat": "client", "text": "I cannot sleep."}], "most_turns": 20}
GOOD = '{"reasoning": "r", "evidence": ["a"], "counter_evidence": [], "rating": 4}'


def question(store: Store) -> Any:
    return make_question(store, "counselor/plain", TURNS, use="writing", sources=[MADE_UP], language="en", reply=ItemRating, seed=3)


def calls(store: Store) -> list[tables.Call]:
    return sorted(store.calls.all(), key=lambda call: call.id or 0)


def test_both_replies_are_kept_as_calls_of_their_own(store: Store, scripted: Any) -> None:
    engine = scripted("I would say four.", GOOD)
    answer, id = now(ask(store, engine, question(store)))
    assert (answer.state, answer.value.rating, answer.reason) == ("repaired", 4, "")
    first, second = calls(store)
    assert (first.state, second.state, second.id) == ("unreadable", "repaired", id)
    assert store.calls.whole(first.id or 0)["raw"] == "I would say four."
    assert [m["role"] for m in store.calls.whole(id)["messages"]][-2:] == ["assistant", "user"]
    assert first.prompt_hash == second.prompt_hash
    assert first.tokens_in == second.tokens_in == 10, "each is paid for by itself"


def test_a_repair_that_says_otherwise_is_said(store: Store, scripted: Any) -> None:
    broken = '{"reasoning": "r", "evidence": ["a"], "counter_evidence": [], "rating": 2,}'
    answer, id = now(ask(store, scripted(broken, GOOD), question(store)))
    assert (answer.state, answer.value.rating) == ("repaired", 4)
    call = store.calls.get(id)
    assert call.reason == "the first reply said otherwise: rating: 2 → 4"


def test_a_repair_that_cannot_be_read_is_no_answer(store: Store, scripted: Any) -> None:
    engine = scripted("four", "still four")
    answer, _ = now(ask(store, engine, question(store)))
    assert (answer.state, answer.value, answer.raw, len(engine.asked)) == ("unreadable", None, "still four", 2)
    assert [call.state for call in calls(store)] == ["unreadable", "unreadable"]


def test_a_repair_that_fails_forgets_nothing(store: Store, scripted: Any) -> None:
    gone = ModelError("no key", kind="study")
    gone.attempts = (Attempt("2026-01-01T00:00:00", 0.1, "401 no"),)
    with pytest.raises(ModelError, match="no key"):
        now(ask(store, scripted("four", gone), question(store)))
    first, failed = calls(store)
    assert (first.state, first.tokens_in, failed.state) == ("unreadable", 10, "failed")


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ('{"rating": 4}', '{"rating": 4.0}', []),
        ('{"verdict": "A", "x": 1} {"verdict": "B"}', '{"verdict": "B"}', ["verdict: A → B"]),
        (
            '{"ratings": [{"item": "Q1", "rating": 1}, {"item": "Q2", "rating": 2}]}',
            '{"ratings": [{"item": "Q2", "rating": 3}, {"item": "Q1", "rating": 1}]}',
            ["ratings Q2.rating: 2 → 3"],
        ),
        ("no object", '{"rating": 4}', []),
        ('{"rating": 4}', "no object", []),
        ('{"reasoning": "one long reasoning that differs", "rating": 4}', '{"reasoning": "another one", "rating": 4}', []),
    ],
)
def test_what_differs_between_two_replies(first: str, second: str, said: list[str]) -> None:
    assert differing(first, second) == said


def test_tries_before_an_answer_are_kept_with_it(store: Store, scripted: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "pause", lambda tries, asked: 0.0)
    busy = ModelError("busy", kind="wait")
    busy.attempts = (Attempt("2026-01-01T00:00:00", 0.1, "429 busy"),)
    _, id = now(ask(store, scripted(busy, busy, GOOD), question(store)))
    assert [a["error"] for a in store.calls.get(id).attempts] == ["429 busy", "429 busy", ""]


def test_a_question_without_an_answer_leaves_a_call(store: Store, scripted: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "pause", lambda tries, asked: 0.0)
    busy = ModelError("busy", kind="wait")
    busy.attempts = (Attempt("2026-01-01T00:00:00", 0.1, "429 busy"),)
    with pytest.raises(ModelError, match="busy"):
        now(ask(store, scripted(busy), question(store)))
    (call,) = calls(store)
    assert (call.state, call.reason, len(call.attempts), call.tokens_in) == ("failed", "busy", 3, 0)
    assert "I cannot sleep." in "".join(m["content"] for m in store.calls.whole(call.id or 0)["messages"])


def test_a_try_that_was_paid_for_is_kept_by_itself(store: Store, scripted: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "pause", lambda tries, asked: 0.0)
    broke_off = ModelError("broke off", kind="wait")
    broke_off.attempts = (Attempt("2026-01-01T00:00:00", 0.1, "0 stream"),)
    broke_off.usage = Usage(7, 3, estimated=True)
    now(ask(store, scripted(broke_off, GOOD), question(store)))
    assert [(c.state, c.tokens_in, len(c.attempts)) for c in calls(store)] == [("failed", 7, 1), ("read", 10, 1)]
