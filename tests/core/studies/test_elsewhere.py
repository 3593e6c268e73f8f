"""A study from elsewhere is read here: never run, naming no record of the other store, the same after any number of moves."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from core.clearance import Clearance, kind_of
from core.cli import app
from core.errors import DataError
from core.studies import service
from core.studies.export import export_study
from core.studies.importing import import_study
from storage import tables, units
from storage.store import Store, open_store
from tests.core.studies.conftest import confirm
from tests.core.studies.elsewhere import (
    BAND,
    change,
    foreign,
    lines_of,
    numbers_in,
    rehash,
    study_of_every_kind,
)
from tests.stores import STORES, old_store


@pytest.fixture
def other(tmp_path: Path) -> Store:
    return open_store(tmp_path / "other" / "rapport.db")


@pytest.fixture
def exported(other: Store, tmp_path: Path) -> Path:
    return export_study(other, study_of_every_kind(other), tmp_path / "exported")


def test_no_id_of_the_other_store_stays(store: Store, other: Store, exported: Path) -> None:
    assert any(n in BAND for row in lines_of(exported / "units.jsonl") for n in numbers_in(row["payload"]))
    there = import_study(store, exported)
    assert foreign(store) == set()
    kinds = {unit.kind: unit for unit in store.units.all(study_id=there.id)}
    assert set(kinds) == {"role", "session", "note", "dialogue", "comparison", "rating"}
    assert store.roles.get(kinds["role"].result["role"]) and store.sessions.get(kinds["session"].result["session"])
    assert store.reports.notes(kinds["note"].result["report"])[0].id == kinds["note"].result["note"]
    assert store.agents.get(kinds["rating"].payload["judge"]).name == "Demo rater"
    assert set(there.samples["picked"]["ids"]) <= {one.id for one in store.sessions.all()} and there.samples["picked"]["ids"]
    assert sum(there.samples["picked"]["strata"].values()) == 2
    held = {row["id"] for row in lines_of(exported / "sessions.jsonl")}
    asked = json.loads((exported / "study.json").read_text("utf-8"))["design"]["steps"][4]["sessions"]
    assert len(there.design["steps"][4]["sessions"]) == len(held & set(asked)) > 0 and len(there.samples["pairs of hill"]) == 1
    assert not store.units.all(state="gone")


def test_calls_are_linked_and_go_with_their_records(store: Store, exported: Path) -> None:
    import_study(store, exported)
    calls = [call.id or 0 for call in store.calls.all()]
    about = store.calls.about(calls)
    judged = {call for call in calls if any(kind == "session" for kind, _ in about.get(call, ()))}
    spoken = {turn.call_id for session in store.sessions.all() for turn in store.sessions.turns(session.id or 0)} - {None}
    assert judged and spoken and {kind for links in about.values() for kind, _ in links} == {"report", "note", "role", "session"}
    for session in store.sessions.all():
        store.delete("session", session.id or 0)
    assert not units.query(store, "SELECT 1 FROM call_record WHERE kind = 'session'")
    assert store.calls.count() == len(calls) - len(judged | spoken)


def test_readings_before_a_newer_one_stay_beside_it(store: Store, exported: Path) -> None:
    there = import_study(store, exported)
    old = [row for row in store.ratings.all() if row.superseded_by]
    assert len(old) == 1 and store.ratings.get(old[0].superseded_by or 0).reader == 2
    counted = store.ratings.rows(study_id=there.id)
    assert len(counted) == len(store.ratings.all()) - 1 and all(row["unit_id"] for row in counted)


def test_study_moved_twice_is_the_same(store: Store, exported: Path, tmp_path: Path) -> None:
    third = open_store(tmp_path / "third" / "rapport.db")
    folders = []
    for n, (at, folder) in enumerate(((store, exported), (third, tmp_path / "out-0"))):
        there = import_study(at, folder)
        for kind, rows in (("report", at.reports.all()), ("role", at.roles.all()), ("session", at.sessions.all())):
            for row in rows:
                confirm(at, kind, row.id or 0)  # a person here read it; else it would stay here
        for note in at.reports.all():
            for one in at.reports.notes(note.id or 0):
                confirm(at, "note", one.id or 0)
        folders.append(export_study(at, there.id or 0, tmp_path / f"out-{n}"))
    names = sorted(path.relative_to(folders[0]) for path in folders[0].rglob("*") if path.is_file())
    assert names == sorted(path.relative_to(exported) for path in exported.rglob("*") if path.is_file())
    manifests = [json.loads((folder / "manifest.json").read_text("utf-8")) for folder in folders]
    assert manifests[0].pop("store") != manifests[1].pop("store") and manifests[0] == manifests[1]
    for name in (name for name in names if name.name != "manifest.json"):
        assert (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes(), name
    for name in ("ratings", "comparisons", "turns", "calls", "units", "notes"):
        assert len(lines_of(exported / f"{name}.jsonl")) == len(lines_of(folders[0] / f"{name}.jsonl")), name
    figures = [json.loads((f / "method.json").read_text("utf-8")) for f in (exported, folders[1])]
    assert figures[0] == figures[1]


def test_it_is_read_and_never_run(store: Store, exported: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change(exported, "units", lambda unit: unit.update(state="failed", reason="busy: x"), at=-1)
    study = json.loads((exported / "study.json").read_text("utf-8"))
    (exported / "study.json").write_text(json.dumps(study | {"state": "running"}), "utf-8")
    rehash(exported)
    id = import_study(store, exported).id or 0
    assert (store.studies.get(id).origin, store.studies.get(id).state) == ("elsewhere", "stopped")
    before = (store.units.all(), store.ratings.count(), store.calls.count())
    doings: list[Callable[[], Any]] = [
        lambda: service.start(store, id), lambda: service.resume(store, id), lambda: service.retry(store, id),
        lambda: service.set_budget(store, id, 5.0),
    ]  # fmt: skip
    for doing in doings:
        with pytest.raises(DataError, match="brought in from another workbench"):
            doing()
    for command in ("resume", "retry"):
        done = CliRunner().invoke(app, ["study", command, str(id)])
        assert done.exit_code == 2 and "brought in from another workbench" in done.stderr
    assert (store.units.all(), store.ratings.count(), store.calls.count()) == before


def test_no_session_from_elsewhere_goes_on(store: Store, exported: Path) -> None:
    for at, (state, why) in enumerate((("running", "ready"), ("paused", "person"), ("running", ""))):
        change(exported, "sessions", lambda row, s=state, w=why: row.update(state=s, ended_by=w), at)  # type: ignore[misc]
    import_study(store, exported)
    found = [(row.state, row.ended_by) for row in store.sessions.all()]
    assert found[:3] == [("stopped", "stopped"), ("stopped", "person"), ("stopped", "")]
    assert {state for state, _ in found} == {"stopped", "ended"}


def test_judges_of_one_name_and_another_make_stay_two(store: Store, exported: Path) -> None:
    name = lines_of(exported / "raters.jsonl")[0]["name"]
    mine = store.raters.add(tables.Rater(kind="rules", name=name, agent_hash="of another make"))
    there = import_study(store, exported)
    assert [row.name for row in store.raters.all(kind="rules")] == [name, name]
    assert not store.ratings.count(rater_id=mine.id) and store.ratings.count(study_id=there.id)


def test_people_of_an_export_are_told_by_name_and_by_no_hash(store: Store, exported: Path) -> None:
    name = lines_of(exported / "raters.jsonl")[0]["name"]
    store.raters.add(tables.Rater(kind="person", name=name))
    change(exported, "raters", lambda row: row.update(kind="person", agent_hash="of nobody"))
    import_study(store, exported)
    assert [(row.name, row.agent_hash) for row in store.raters.all(kind="person")] == [(name, ""), (f"{name} (2)", "")]


def test_unit_whose_record_is_not_in_the_export_is_gone(store: Store, exported: Path) -> None:
    rows = lines_of(exported / "units.jsonl")
    at = next(n for n, row in enumerate(rows) if row["kind"] == "note")
    change(exported, "units", lambda row: row["result"].update(note=BAND[-1]), at)
    there = import_study(store, exported)
    note = next(unit for unit in store.units.all(study_id=there.id) if unit.kind == "note")
    assert (note.state, note.result) == ("gone", {}) and foreign(store) == set()
    assert service.status(store, there.id or 0)["units"]["gone"] == 1


def test_branches_keep_their_parent_where_it_is_there(store: Store, exported: Path) -> None:
    ids = [row["id"] for row in lines_of(exported / "sessions.jsonl")]
    change(exported, "sessions", lambda row: row.update(parent_id=ids[-1], branch_turn=2), 0)
    change(exported, "sessions", lambda row: row.update(parent_id=BAND[-1], branch_turn=2), 1)
    import_study(store, exported)
    first, second, *_, last = store.sessions.all()
    assert (first.parent_id, second.parent_id) == (last.id, None)


def test_report_that_is_here_with_other_words_stays_another(store: Store, exported: Path) -> None:
    hash = lines_of(exported / "reports.jsonl")[0]["content_hash"]
    mine = store.reports.add(tables.Report(title="Mine", case_brief="My words.", content_hash=hash))
    import_study(store, exported)
    brought = next(row for row in store.reports.all() if row.id != mine.id)
    assert brought.elsewhere and kind_of(store, "report", brought.id or 0) is Clearance.UNCONFIRMED and store.reports.get(mine.id or 0) == mine
    assert not store.reports.notes(mine.id or 0) and store.reports.notes(brought.id or 0)
    assert {row.report_id for row in store.sessions.all(origin="reconstructed")} == {brought.id}


def test_breaks_of_other_scripts_stand_inside_a_line(store: Store, other: Store, tmp_path: Path) -> None:
    id = study_of_every_kind(other)
    turn = other.sessions.turns(other.sessions.all()[0].id or 0)[0]
    said = "one\u2028two\x85three\x0bfour\r\nfive\x00six"
    other.sessions.set_turn(turn.id or 0, text=said)
    import_study(store, export_study(other, id, tmp_path / "out"))
    assert said in {row.text for session in store.sessions.all() for row in store.sessions.turns(session.id or 0)}


def test_first_format_is_linked_and_says_who_spoke(store: Store) -> None:
    there = import_study(store, STORES / "export_v1")
    about = store.calls.about([call.id or 0 for call in store.calls.all()])
    assert len(about) == store.calls.count() == 24
    assert {kind for links in about.values() for kind, _ in links} == {"role", "session"}
    turns = [turn for session in store.sessions.all() for turn in store.sessions.turns(session.id or 0)]
    assert {(turn.stage == "opener", turn.speaker, turn.agent_id is None) for turn in turns} == {(True, "text", True), (False, "agent", False)}
    assert all("judge" not in unit.payload for unit in store.units.all(study_id=there.id)), "its agents were not exported"
    store.delete("role", store.roles.all()[0].card_id or 0)
    assert {unit.state for unit in store.units.all(study_id=there.id)} == {"gone", "done"}


def test_studies_an_earlier_version_brought_in_are_told_apart(tmp_path: Path) -> None:
    store = open_store(old_store(tmp_path / "data" / "rapport.db"))
    assert [study.id for study in store.studies.all(origin="elsewhere")] == [9, 10]
    for unit in [*store.units.all(study_id=9), *store.units.all(study_id=10)]:
        named = {unit.payload.get("session"), unit.result.get("session")} - {None}
        assert named <= {20, 21, 22} and "judge" not in unit.payload
    with pytest.raises(DataError, match="not run"):
        service.resume(store, 10, wait=False)
    store.close()
