"""The chain against an OpenAI-compatible server that nobody here wrote: sessions, comparisons, repeated ratings."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from core.llm.agents import save_agent
from storage import tables
from storage.store import Store

pytestmark = pytest.mark.server
COUNSELOR = "It sounds as if the nights are the hardest part. What goes through your mind then?"
CLIENT = "I lie awake and count the bills, again and again."
RATING = {"reasoning": "The counselor takes up the nights.", "evidence": ["the nights are the hardest part"],
          "counter_evidence": ["a sentence nobody said"], "rating": 4}  # fmt: skip
VERDICT = {"reasoning": "A listens more.", "verdict": "A",
           "evidence": [{"session": "A", "quote": "What goes through your mind then?", "side": "for"}]}  # fmt: skip
FIXTURES = [
    {"match": {"userMessage": "Compare the two sessions"}, "response": {"content": json.dumps(VERDICT)}},
    {"match": {"userMessage": "Rate this item"}, "response": {"content": json.dumps(RATING)}},
    {"match": {"userMessage": "Say your next turn"}, "response": {"content": CLIENT}},
    {"match": {"userMessage": "Say your next utterance"}, "response": {"content": COUNSELOR}},
]
STEPS = [
    {"kind": "sessions", "client": "Far client", "counselors": ["Far Hill", "Far plain"], "most_turns": 6},
    {"kind": "comparisons", "judges": ["Far judge"], "dimensions": ["empathic_understanding"]},
    {"kind": "ratings", "judges": ["Far judge"], "items": ["Q1", "Q12"], "repeats": 3},
]


def test_sessions_are_made_compared_and_rated_by_a_model(
    store: Store, work: Callable[..., dict[str, Any]], aimock: Callable[[list[dict[str, Any]]], str]
) -> None:
    endpoint = store.endpoints.add(tables.Endpoint(name="aimock", base_url=aimock(FIXTURES), model="gpt-test"))
    save_agent(store, "Far client", "client", "client/turn", endpoint, {})
    save_agent(store, "Far Hill", "counselor", "counselor/hill", endpoint, {})
    save_agent(store, "Far plain", "counselor", "counselor/plain", endpoint, {})
    save_agent(store, "Far judge", "judge", "", endpoint, {})
    role = tables.RoleCard(title="R-001", text="You lost your job.", stressor={"label": "Job loss"})
    steps = [{**STEPS[0], "roles": [store.roles.add(role).id]}, *STEPS[1:]]

    done = work({"name": "Far", "steps": steps})

    assert done["state"] == "finished" and done["units"]["failed"] == 0, done
    assert done["units"]["done"] + done["units"]["reused"] == 2 + 2 + 2 * 2 * 3, done
    for session in store.sessions.all():
        said = [turn.text for turn in store.sessions.turns(session.id or 0) if turn.stage != "opener"]
        assert len(said) == 6 and set(said) == {COUNSELOR, CLIENT}
    first, second = store.comparisons.all()
    assert {first.verdict, second.verdict} == {"first"} or first.winner_id != second.winner_id
    ratings = store.ratings.all()
    assert len(ratings) == 12 and {rating.value for rating in ratings} == {4}
    found = {(quote["status"] == "not found", quote["side"]) for rating in ratings for quote in rating.quotes}
    assert found == {(False, "for"), (True, "against")}
    call = store.calls.whole(ratings[0].call_id or 0)
    assert call["engine"] == "openai" and "nights are the hardest" in json.dumps(call["messages"])
