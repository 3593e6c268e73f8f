"""A researcher runs a study: every unit is answered and stored once, and running it again costs nothing."""

from collections.abc import Callable
from typing import Any

import pytest

from core.errors import DataError
from core.llm.agents import ensure_shipped
from core.studies import service
from storage import tables
from storage.store import Store

Work = Callable[..., dict[str, Any]]
DESIGN: dict[str, Any] = {
    "name": "Two counselors, two roles",
    "steps": [
        {"kind": "comparisons", "instrument": "hill"},
        {"kind": "ratings", "instrument": "wai-o-s", "items": ["Q1", "Q9"], "repeats": 2},
    ],
}
UNITS = 2 * 9 * 2 + 4 * 2 * 2  # pairs × dimensions × orders, sessions × items × repeats


def test_every_unit_is_answered_and_stored_once(store: Store, sessions: list[int], work: Work) -> None:
    done = work(DESIGN)
    assert done["state"] == "finished"
    assert done["units"] == {"planned": UNITS, "done": UNITS, "failed": 0, "refused": 0, "reused": 0, "unscored": 0, "gone": 0, "waiting": 0}
    assert done["calls"] == store.calls.count() == UNITS
    assert (store.comparisons.count(), store.ratings.count()) == (36, 16)
    assert done["asked_twice"] == 0 and done["engine"] == "demo"


def test_both_orders_and_no_letters(store: Store, sessions: list[int], work: Work) -> None:
    work(DESIGN)
    shown = {(row.first_id, row.second_id) for row in store.comparisons.all(dimension="empathic_understanding")}
    assert shown == {(1, 2), (2, 1), (3, 4), (4, 3)}
    assert all(row.winner_id in (row.first_id, row.second_id, None) for row in store.comparisons.all())


def test_running_it_again_asks_nothing_and_shows_the_same_numbers(store: Store, sessions: list[int], work: Work) -> None:
    first = work(DESIGN)
    again = work(DESIGN)
    assert again["units"]["reused"] == UNITS and again["calls"] == 0
    assert store.calls.count() == UNITS
    numbers = [[row["score"] for row in store.ratings.rows(study_id=done["id"])] for done in (first, again)]
    assert numbers[0] == numbers[1] and len(numbers[0]) == 16


def test_fresh_draws_ask_anew(store: Store, sessions: list[int], work: Work) -> None:
    work(DESIGN)
    fresh = work(DESIGN | {"fresh_draws": True})
    assert fresh["units"]["done"] == UNITS and fresh["calls"] == UNITS


def test_a_longer_study_asks_only_what_is_new(store: Store, sessions: list[int], work: Work) -> None:
    work(DESIGN)
    steps = [DESIGN["steps"][0], DESIGN["steps"][1] | {"items": ["Q1", "Q2", "Q9"]}]
    longer = work(DESIGN | {"steps": steps})
    assert longer["units"]["reused"] == UNITS and longer["calls"] == 8


def test_a_call_tells_everything_it_was_made_of(store: Store, sessions: list[int], work: Work) -> None:
    work(DESIGN)
    rating = store.ratings.all()[0]
    call = store.calls.whole(rating.call_id or 0)
    assert call["prompt"] == "judge/item" and call["prompt_hash"] and call["engine"] == "demo"
    assert "lost my job" in "".join(m["content"] for m in call["messages"])
    assert [m["role"] for m in call["messages"]] == ["system", "user"]
    assert call["raw"].startswith("{") and call["study_id"] == 1 and call["unit_id"] == rating.unit_id


def test_transcripts_are_stored_once_for_all_items(store: Store, sessions: list[int], work: Work) -> None:
    work({"name": "one session", "steps": [{"kind": "ratings", "sessions": [1]}]})
    from storage import units

    texts = units.query(store, "SELECT count(*) FROM text_part")[0][0]
    assert store.calls.count() == 36
    assert texts < 36 + 12 + 36  # replies, criteria, and one system text and transcript; never one text a call


def test_a_design_that_cannot_run_says_where(store: Store, sessions: list[int]) -> None:
    with pytest.raises(DataError, match="steps → 1 → ratings → repeats"):
        service.begin(store, {"name": "x", "steps": [{"kind": "ratings", "repeats": 0}]})
    with pytest.raises(DataError, match="no agent “Nobody”.*Demo rater"):
        service.begin(store, {"name": "x", "steps": [{"kind": "ratings", "judge": "Nobody"}]})
    with pytest.raises(DataError, match="wai-o-s has no Q99"):
        service.begin(store, {"name": "x", "steps": [{"kind": "ratings", "items": ["Q99"]}]})
    assert store.studies.count() == 0


def test_a_study_names_the_version_of_a_card_it_used(store: Store) -> None:
    ensure_shipped(store)
    first = store.roles.add(tables.RoleCard(title="Anna", text="You are Anna."))
    second = store.roles.add_version(tables.RoleCard(title="Anna", text="You are Anna, older.", card_id=first.id))
    counselor = store.agents.all(seat="counselor")[0].name
    step = {"kind": "sessions", "client": store.agents.all(seat="client")[0].name, "counselors": [counselor], "most_turns": 4}
    for wanted, used in (("all", second.id), ([first.id], first.id)):
        study = service.begin(store, {"name": "One", "steps": [step | {"roles": wanted}]})
        assert [unit.payload["role"] for unit in store.units.all(study_id=study.id)] == [used]
