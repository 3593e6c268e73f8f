"""Which ratings and comparisons rest on a quote that was found."""

from typing import Any

import pytest

from core.results import quoted, reading
from storage import tables
from storage.store import Store
from tests import results_story as story


def quote(status: str, side: str, session: int | None = None) -> dict[str, Any]:
    return {"text": "…", "turn": 1, "start": 0, "end": 1, "status": status, "side": side} | ({"session": session} if session else {})


@pytest.mark.parametrize(
    ("quotes", "rests"),
    [
        ([], False),
        ([quote("exact", "for")], True),
        ([quote("normalised", "for")], True),
        ([quote("exact", "against")], False),
        ([quote("not found", "for"), quote("exact", "against")], False),
        ([quote("exact", "against"), quote("exact", "for")], True),
    ],
)
def test_a_counter_quote_is_no_evidence_for_a_rating(store: Store, quotes: list[Any], rests: bool) -> None:
    story.sessions(store, 1, ["Careful"])
    rater = store.raters.ensure("model", "judge", "h")
    row = store.ratings.add(
        tables.Rating(rater_id=rater.id or 0, session_id=1, instrument="wai-o-s", instrument_version=1, language="en", item="Q1", value=5, score=5, setting="reasoning", quotes=quotes)
    )
    listed = reading.ratings(store).iloc[0]
    one = reading.reading(store, "rating", row.id or 0)
    assert bool(listed["verified"]) == bool(one["verified"]) == rests
    assert quoted.lacking(dict(listed)) == quoted.lacking(one) == (not rests)
    assert not quoted.lacking(one, neutral=5) and not quoted.lacking(one | {"setting": "detailed"}) and not quoted.lacking(one | {"rater_kind": "person"})


@pytest.mark.parametrize(
    ("verdict", "winner", "quotes", "rests"),
    [
        ("won", 1, [quote("exact", "for", 1)], True),
        ("won", 1, [quote("exact", "against", 2)], True),
        ("won", 1, [quote("exact", "for", 2)], False),
        ("won", 1, [quote("exact", "against", 1)], False),
        ("tie", None, [quote("exact", "against", 1)], True),
        ("tie", None, [quote("not found", "for", 1)], False),
    ],
)
def test_a_comparison_rests_on_what_speaks_for_its_verdict(
    store: Store, verdict: str, winner: int | None, quotes: list[Any], rests: bool
) -> None:
    story.sessions(store, 1, ["Careful", "Plainer"])
    rater = store.raters.ensure("model", "judge", "h")
    row = store.comparisons.add(
        tables.Comparison(rater_id=rater.id or 0, first_id=1, second_id=2, instrument="hill", instrument_version=1, language="en", dimension="gentle_challenges", verdict=verdict, winner_id=winner, quotes=quotes)
    )
    one = reading.reading(store, "comparison", row.id or 0)
    assert (bool(one["verified"]), quoted.lacking(one)) == (rests, not rests)
    assert not quoted.lacking(one | {"verdict": "unscored"})
