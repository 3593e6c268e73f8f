"""Stored replies can be read again without a call; what changes is listed before it counts."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from core import instruments
from core.cli import app
from core.errors import DataError, NotFound
from core.judging import rereading
from core.judging.readings import READER
from core.llm.asking import now
from core.results import reading
from core.studies.export import export_study
from core.studies.importing import import_study
from storage import tables, units
from storage.store import Store, open_store
from tests.judging import judge_comparison, rate_session

SAID = [("client", "I cannot sleep since the move."), ("counselor", "The nights are the hardest part?")]


def session(store: Store) -> tables.Session:
    turns = [
        tables.Turn(session_id=0, position=i, seat=seat, text=text) for i, (seat, text) in enumerate(SAID, 1)
    ]
    return store.sessions.add_with_turns(tables.Session(origin="simulated"), turns)


def one(value: Any, **more: Any) -> dict[str, Any]:
    return {"reasoning": "r", "evidence": ["the nights are"], "counter_evidence": [], "rating": value} | more


def study(store: Store) -> int:
    return store.studies.add(tables.Study(name="S", state="finished")).id or 0


def unit(store: Store, study_id: int, kind: str, position: int = 0, **more: Any) -> int:
    row = tables.Unit(
        study_id=study_id, position=position, kind=kind, state="done", key=f"{kind} {position}", **more
    )
    return store.units.add(row).id or 0


def as_before(store: Store, table: str, id: int, **fields: Any) -> int:
    """The row as the reader before this one made it."""
    (store.ratings if table == "rating" else store.comparisons).update(id, reader=1, **fields)
    return id


def rated(store: Store, scripted: Any, reply: Any, items: str = "Q1", **more: Any) -> list[tables.Rating]:
    said = reply if isinstance(reply, str) else json.dumps(reply)
    asked = items.split()
    rater, scale = store.raters.ensure("model", "judge"), instruments.load("wai-o-s-published")
    return now(
        rate_session(store, scripted(said), rater, scale, session(store), asked, whole=len(asked) > 1, **more)
    )


def compared(store: Store, scripted: Any, verdict: Any, **more: Any) -> tables.Comparison:
    said = (
        verdict
        if isinstance(verdict, str) and "{" in verdict
        else json.dumps({"reasoning": "r", "evidence": [], "verdict": verdict})
    )
    rater, hill = store.raters.ensure("model", "judge"), instruments.load("hill")
    return now(
        judge_comparison(
            store,
            scripted(said),
            rater,
            hill,
            "empathic_understanding",
            session(store),
            session(store),
            **more,
        )
    )


def test_what_is_made_today_is_today_s_reading(store: Store, scripted: Any) -> None:
    rows: list[Any] = [*rated(store, scripted, one(4)), compared(store, scripted, "A")]
    assert [row.reader for row in rows] == [READER, READER]
    assert rereading.preview(store).read == 0


def test_a_rating_that_was_none_is_listed_then_superseded(store: Store, scripted: Any) -> None:
    """The reader before took true for 1, and its score is 5 where the item is turned."""
    id = study(store)
    work = unit(store, id, "rating")
    row = rated(store, scripted, one(True), study_id=id, unit_id=work)[0]
    old = as_before(store, "rating", row.id or 0, value=1.0, score=5.0, reason="", quotes=[])
    calls = store.calls.count()

    found = rereading.preview(store, id)
    assert (found.read, found.left, len(found.changes)) == (1, 0, 1)
    change = found.changes[0]
    assert (change.id, change.about, change.rater, change.before, change.after) == (
        old,
        "Q1",
        "judge",
        1.0,
        None,
    )
    assert "true or false" in change.reason_after
    assert store.ratings.get(old).superseded_by is None and store.ratings.count() == 1  # nothing counts yet

    assert rereading.apply(store, id, found.mark) == 1
    before = store.ratings.get(old)
    new = store.ratings.get(before.superseded_by or 0)
    assert (before.value, before.score, before.reader) == (1.0, 5.0, 1)
    assert (new.value, new.score, new.reader, new.superseded_by) == (None, None, READER, None)
    assert (new.call_id, new.unit_id, new.study_id, new.item, new.repeat) == (row.call_id, work, id, "Q1", 1)
    asked = ("prompt", "prompt_version", "prompt_hash", "setting", "way", "engine", "engine_version", "repeats")
    assert [getattr(new, name) for name in asked] == [getattr(row, name) for name in asked] and new.prompt == "judge/item"
    assert store.calls.count() == calls
    unit_now = store.units.get(work)
    assert (unit_now.state, unit_now.reason.split(":")[0]) == ("unscored", "unreadable")
    assert rereading.preview(store, id).read == 0 and rereading.older(store, id) == 0


def test_a_word_that_says_a_number_becomes_a_rating_with_its_quotes(store: Store, scripted: Any) -> None:
    id = study(store)
    work = unit(store, id, "rating")
    user = unit(store, study(store), "rating", result={"source": work})
    store.units.update(work, state="unscored", reason="unreadable: rating: not a number")
    store.units.update(user, state="unscored", reason="unreadable: rating: not a number")
    row = rated(store, scripted, one("四"), study_id=id, unit_id=work)[0]
    as_before(store, "rating", row.id or 0, value=None, score=None, reason="rating: not a number", quotes=[])
    found = rereading.preview(store, id)
    rereading.apply(store, id, found.mark)
    new = store.ratings.get(store.ratings.get(row.id or 0).superseded_by or 0)
    assert (new.value, new.score, new.reason) == (4.0, 2.0, "")
    assert [(quote["turn"], quote["status"]) for quote in new.quotes] == [(2, "normalised")]
    assert (store.units.get(work).state, store.units.get(work).reason) == ("done", "")
    assert (store.units.get(user).state, store.units.get(user).reason) == ("reused", "")


def test_one_item_of_a_whole_reply_changes_alone(store: Store, scripted: Any) -> None:
    id = study(store)
    work = unit(store, id, "rating")
    given = {"ratings": [one(2, item="Q1"), one(1, item="Q2"), one(5, item="Q2"), one(3, item="Q3")]}
    rows = rated(store, scripted, given, "Q1 Q2 Q3", study_id=id, unit_id=work)
    for row, value in zip(rows, (2.0, 5.0, 3.0), strict=True):
        as_before(store, "rating", row.id or 0, value=value, score=value, reason="")
    found = rereading.preview(store, id)
    assert [(change.about, change.before, change.after) for change in found.changes] == [("Q2", 5.0, None)]
    rereading.apply(store, id, found.mark)
    assert store.units.get(work).state == "done"
    assert "1 of 3 items" in store.units.get(work).reason
    assert units.copy_judgments(store, "rating", work, unit(store, id, "rating", 1), id, {}) is None
    assert len(store.ratings.all()) == 3 + 1 + 3  # what is shared with another unit is what counts


def test_a_comparison_changes_its_verdict_and_stays_what_it_is(store: Store, scripted: Any) -> None:
    row = compared(store, scripted, "平局")
    as_before(
        store,
        "comparison",
        row.id or 0,
        verdict="unscored",
        winner_id=None,
        reason="verdict: not A, B or tie",
    )
    twice = compared(store, scripted, '{"reasoning": "r", "evidence": [], "verdict": "A", "verdict": "B"}')
    as_before(store, "comparison", twice.id or 0, verdict="won", winner_id=twice.second_id, reason="")
    found = rereading.preview(store)
    assert [(c.before, c.after) for c in found.changes] == [(None, "tie"), (twice.second_id, None)]
    assert rereading.apply(store, None, found.mark) == 2
    verdicts = [(row["verdict"], row["winner_id"]) for row in store.comparisons.rows()]
    assert verdicts == [("tie", None), ("unscored", None)]


def test_what_says_the_same_and_what_no_reply_gave_is_left_alone(store: Store, scripted: Any) -> None:
    same = rated(store, scripted, one(4))[0]
    as_before(store, "rating", same.id or 0)
    cut = rated(store, scripted, one(5))[0]
    store.calls.update(cut.call_id or 0, state="cut")
    as_before(
        store, "rating", cut.id or 0, value=None, score=None, reason="the reply was cut at the length limit"
    )
    person = store.raters.ensure("person", "P-01")
    store.ratings.add(tables.Rating(
        rater_id=person.id or 0, session_id=same.session_id, instrument="wai-o-s", instrument_version=1, language="en",
        item="Q1", value=9.0, reader=1,
    ))  # fmt: skip
    gone = rated(store, scripted, one(True))[0]
    as_before(store, "rating", gone.id or 0, value=1.0, reason="", instrument_version=99)
    found = rereading.preview(store)
    assert (found.read, found.left, found.changes) == (1, 1, ())
    assert rereading.apply(store, None, found.mark) == 0
    assert store.ratings.count() == 4
    assert store.ratings.get(same.id or 0).reader > 1 and rereading.preview(store).read == 0, "it is not offered again"


@pytest.mark.parametrize(
    ("finish", "why"), [("", "did not say how"), ("network_error", "did not end by itself")]
)
def test_a_reply_that_broke_off_is_no_answer_whatever_it_holds(
    store: Store, scripted: Any, finish: str, why: str
) -> None:
    row = as_before(store, "rating", rated(store, scripted, one(4))[0].id or 0)
    call = store.ratings.get(row).call_id or 0
    store.calls.update(call, engine="openai", finish_reason="stop")
    assert not rereading.preview(store).changes
    store.calls.update(call, finish_reason=finish)
    (change,) = rereading.preview(store).changes
    assert (change.before, change.after) == (4.0, None)
    assert why in change.reason_after


def test_only_what_was_listed_is_applied(store: Store, scripted: Any) -> None:
    as_before(store, "rating", rated(store, scripted, one(True))[0].id or 0, value=1.0, reason="")
    mark = rereading.preview(store).mark
    as_before(store, "rating", rated(store, scripted, one(False))[0].id or 0, value=0.0, reason="")
    with pytest.raises(DataError, match="not what was listed"):
        rereading.apply(store, None, mark)
    assert all(row["value"] is not None for row in store.ratings.rows())
    with pytest.raises(NotFound):
        rereading.preview(store, 99)


def test_superseded_readings_count_nowhere_and_are_exported_beside_the_new_ones(
    store: Store, scripted: Any, tmp_path: Path
) -> None:
    id = study(store)
    rated_unit, compared_unit = unit(store, id, "rating"), unit(store, id, "comparison", 1)
    row = rated(store, scripted, one("4/5"), study_id=id, unit_id=rated_unit)[0]
    old = as_before(store, "rating", row.id or 0, value=2.0, score=4.0, reason="")
    verdict = compared(store, scripted, "Ａ", study_id=id, unit_id=compared_unit)
    former = as_before(store, "comparison", verdict.id or 0, verdict="tie", winner_id=None, reason="")
    for kept, held in (
        (rated_unit, {"session": row.session_id}),
        (compared_unit, {"first": verdict.first_id, "second": verdict.second_id}),
    ):
        store.units.update(kept, result=held)
    found = rereading.preview(store, id)
    assert rereading.apply(store, id, found.mark) == 2

    frame, verdicts = reading.ratings(store, id), reading.comparisons(store, id)
    assert [*frame["value"]] == [4.0] and [*reading.ratings(store)["value"]] == [4.0]
    assert [*verdicts["verdict"]] == ["won"] and [*verdicts["winner"]] == [verdict.first_id]
    assert [row["value"] for row in store.ratings.rows(study_id=id)] == [4.0]
    assert (store.ratings.count(), store.comparisons.count()) == (1, 1)
    assert {one["ratings"] for one in store.sessions.overview()} == {0, 1}
    assert (
        reading.reading(store, "rating", old)["value"] == 4.0
    )  # a link to the former reading leads to what counts
    assert reading.reading(store, "comparison", former)["verdict"] == "won"

    out = export_study(store, id, tmp_path / "out")
    lines = [json.loads(line) for line in (out / "ratings.jsonl").read_text("utf-8").splitlines()]
    assert [(line["value"], line["reader"], line["superseded_by"]) for line in lines] == [
        (2.0, 1, lines[1]["id"]),
        (4.0, READER, None),
    ]
    method = json.loads((out / "method.json").read_text("utf-8"))
    assert (method["ratings"], method["comparisons"], method["tied"], method["superseded"]) == (1, 1, 0, 2)

    there = open_store(tmp_path / "there" / "rapport.db")
    for made in (rated(there, scripted, one(3))[0], compared(there, scripted, "B")):
        assert made.superseded_by is None  # ids of the export mean other rows there
    again = import_study(there, out)
    rows = there.ratings.all(study_id=again.id)
    assert [(row.value, row.superseded_by) for row in rows] == [(2.0, rows[1].id), (4.0, None)]
    assert [*reading.ratings(there, again.id)["value"]] == [4.0]
    assert [*reading.comparisons(there, again.id)["verdict"]] == ["won"]
    there.close()


def test_the_command_lists_and_only_then_applies(store: Store, scripted: Any) -> None:
    id = study(store)
    row = rated(store, scripted, one(True), study_id=id, unit_id=unit(store, id, "rating"))[0]
    as_before(store, "rating", row.id or 0, value=1.0, score=5.0, reason="")
    run = CliRunner()
    told = run.invoke(app, ["reread", "--study", str(id)]).stdout
    assert "Q1: 1 → unscored (rating: true or false stands where a number belongs)" in told
    assert "nothing was changed" in told
    listed = json.loads(run.invoke(app, ["reread", "--study", str(id), "--json"]).stdout)
    assert (listed["read"], listed["applied"], listed["changes"][0]["after"]) == (1, 0, None)
    assert (
        json.loads(run.invoke(app, ["reread", "--study", str(id), "--apply", "--json"]).stdout)["applied"]
        == 1
    )
    assert run.invoke(app, ["reread", "--study", "99"]).exit_code == 2
    assert store.ratings.rows()[0]["value"] is None
