"""A judge's answers become ratings and comparisons one can check, and what cannot be read stays unscored."""

import json
from typing import Any

import pytest

from core import instruments
from core.errors import DataError
from core.llm.asking import now
from storage import tables
from storage.store import Store
from tests.judging import judge_comparison, rate_session

SAID = [("client", "I cannot sleep since the move."), ("counselor", "The nights are the hardest part?"), ("client", "Yes, exactly.")]


def session(store: Store, said: list[tuple[str, str]] = SAID, **more: Any) -> tables.Session:
    turns = [tables.Turn(session_id=0, position=i, seat=seat, text=text) for i, (seat, text) in enumerate(said, 1)]
    return store.sessions.add_with_turns(tables.Session(origin="simulated", **more), turns)


def rater(store: Store) -> tables.Rater:
    return store.raters.ensure("model", "judge")


def rating(value: Any, quotes: list[str] | None = None) -> str:
    return json.dumps({"reasoning": "r", "evidence": quotes or [], "counter_evidence": [], "rating": value})


def rate(store: Store, engine: Any, instrument: str, item: str, **more: Any) -> tables.Rating:
    loaded = instruments.load(instrument)
    return now(rate_session(store, engine, rater(store), loaded, session(store), [item], **more))[0]


def test_a_rating_keeps_its_quotes_and_its_call(store: Store, scripted: Any) -> None:
    row = rate(store, scripted(rating(4, ["the nights are the hardest", "never said"])), "wai-o-s", "Q12")
    assert (row.value, row.score, row.reason) == (4, 4, "")
    assert [(q["turn"], q["status"], q["side"]) for q in row.quotes] == [(2, "normalised", "for"), (None, "not found", "for")]
    assert "Yes, exactly." in json.dumps(store.calls.whole(row.call_id or 0)["messages"])


def test_a_reverse_keyed_item_is_turned_once(store: Store, scripted: Any) -> None:
    row = rate(store, scripted(rating(2)), "wai-o-s-published", "Q1")
    assert (row.value, row.score) == (2, 4)


@pytest.mark.parametrize(("reply", "why"), [("four", "no JSON"), (rating(7), "not a level"), (rating(None), "no rating")])
def test_what_cannot_be_read_is_unscored_with_its_reason(store: Store, scripted: Any, reply: str, why: str) -> None:
    row = rate(store, scripted(reply), "wai-o-s", "Q1")
    assert (row.value, row.score) == (None, None)
    assert why in row.reason


def test_not_applicable_is_a_reason_of_its_own(store: Store, scripted: Any) -> None:
    row = rate(store, scripted(rating(None)), "client-consistency", "acceptable_plans")
    assert row.reason == "not applicable"


def test_an_item_left_out_of_a_whole_reply_is_unscored(store: Store, scripted: Any) -> None:
    given = json.loads(rating(4)) | {"item": "Q1"}
    engine = scripted(json.dumps({"ratings": [given]}))
    loaded = instruments.load("wai-o-s")
    rows = now(rate_session(store, engine, rater(store), loaded, session(store), ["Q1", "Q2"], whole=True))
    assert [(r.item, r.value) for r in rows] == [("Q1", 4), ("Q2", None)]
    assert len(engine.asked) == 1


def test_the_winner_is_a_session_never_a_letter(store: Store, scripted: Any) -> None:
    one, two = session(store), session(store, [*SAID, ("counselor", "Try to sleep earlier.")])
    reply = {"reasoning": "r", "verdict": "B", "evidence": [{"session": "B", "quote": "Try to sleep earlier.", "side": "against"}]}
    engine = scripted(json.dumps(reply))
    loaded = instruments.load("hill")
    forward = now(judge_comparison(store, engine, rater(store), loaded, "empathic_understanding", one, two))
    backward = now(judge_comparison(store, engine, rater(store), loaded, "empathic_understanding", two, one))
    assert (forward.winner_id, backward.winner_id) == (two.id, one.id)
    assert forward.quotes[0]["session"] == two.id
    assert (forward.quotes[0]["status"], backward.quotes[0]["status"]) == ("exact", "not found")


def test_the_judge_never_sees_the_role_and_only_what_was_kept(store: Store, scripted: Any) -> None:
    role = store.roles.add(tables.RoleCard(title="SECRET ROLE", text="SECRET TRAITS"))
    cut = session(store, [*SAID, ("counselor", "Goodbye, see you")], role_id=role.id, cut_at=3)
    engine = scripted(rating(4))
    now(rate_session(store, engine, rater(store), instruments.load("wai-o-s"), cut, ["Q1"]))
    sent = "".join(m.content for m in engine.asked[0].messages)
    assert "SECRET" not in sent
    assert "see you" not in sent


def test_prompts_of_one_session_share_their_beginning(store: Store, scripted: Any) -> None:
    engine = scripted(rating(4))
    now(rate_session(store, engine, rater(store), instruments.load("wai-o-s"), session(store), ["Q1", "Q7"]))
    first, second = (m.messages[-1].content for m in engine.asked)
    end = first.index("Yes, exactly.") + len("Yes, exactly.")
    assert first[:end] == second[:end]
    assert engine.asked[0].messages[0] == engine.asked[1].messages[0]


def test_nothing_to_judge_is_said(store: Store, scripted: Any) -> None:
    with pytest.raises(DataError, match="no turn to judge"):
        now(rate_session(store, scripted(), rater(store), instruments.load("wai-o-s"), session(store, []), ["Q1"]))
