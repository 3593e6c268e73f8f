"""A store that a former version wrote opens, and has what it had."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from core.studies import service
from core.studies.importing import import_study
from storage import tables, units
from storage.store import open_store
from tests.held import everything_in
from tests.stores import STORES, old_store


def test_old_store_opens_with_its_records(tmp_path: Path) -> None:
    store = open_store(old_store(tmp_path / "data" / "rapport.db"))
    held = {session.id: session.title for session in store.sessions.all()}
    assert len(held) == 20 and held[11] == "A person in the client's seat" and 15 not in held
    assert [study.state for study in store.studies.all()][:3] == ["finished"] * 3
    said = " ".join(turn.text for turn in store.sessions.turns(9))
    assert "keeperword" in said
    store.close()


def test_export_of_the_first_format_is_read(tmp_path: Path) -> None:
    store = open_store(tmp_path / "rapport.db")
    study = import_study(store, STORES / "export_v1")
    assert (study.name, study.state) == ("Kept study", "finished")
    assert (store.sessions.count(), store.ratings.count(), store.comparisons.count()) == (4, 4, 4)
    store.close()


def test_planted_words_name_each_place_once() -> None:
    words = [one["word"] for one in json.loads((STORES / "planted.json").read_text("utf-8"))]
    assert len(words) == len(set(words)) > 60
    assert not [(a, b) for a in words for b in words if a != b and a in b]


def test_update_takes_out_what_deleted_records_left_and_keys(tmp_path: Path) -> None:
    store = open_store(old_store(tmp_path / "data" / "rapport.db"))
    held = everything_in(store, copies=False)
    planted = json.loads((STORES / "planted.json").read_text("utf-8"))
    out = [one["word"] for one in planted if one["gone"] or one["kind"] == "key" or one["word"] == "abandoneddraftword"]
    assert [word for word in out if word in held] == []
    assert [one["word"] for one in planted if one["word"] not in out and one["word"] not in held] == []
    told = store.settings.get("update 0002")
    assert told["calls"] and told["emptied"] and told["units"] and told["keys"]
    store.close()


def test_update_keeps_what_the_calls_cost(tmp_path: Path) -> None:
    path = old_store(tmp_path / "data" / "rapport.db")
    with closing(sqlite3.connect(path)) as connection:
        sums = "SELECT coalesce(sum(state <> 'failed'), 0), coalesce(sum(tokens_in), 0), coalesce(sum(cost), 0) FROM call WHERE study_id = ?"
        before = {id: connection.execute(sums, (id,)).fetchone() for (id,) in connection.execute("SELECT id FROM study").fetchall()}
    store = open_store(path)
    after = {id: units.figures(store, id) for id in before}
    assert {id: (f.calls, f.tokens_in, f.cost) for id, f in after.items()} == before
    store.close()


def test_no_number_is_given_twice_after_the_update(tmp_path: Path) -> None:
    path = old_store(tmp_path / "data" / "rapport.db")
    export = path.parent / "exports" / "study"
    export.mkdir(parents=True)
    (export / "manifest.json").write_text("{}")
    (export / "sessions.jsonl").write_text('{"id": 50}\n')
    store = open_store(path)
    assert store.sessions.add(tables.Session(origin="imported")).id == 51
    assert store.reports.add(tables.Report(title="New", content_hash="x")).id == 3  # units name report 2
    store.delete("session", 51)
    assert store.sessions.add(tables.Session(origin="imported")).id == 52
    store.close()


def test_strangers_are_not_taken_for_a_study_s_own_sessions(tmp_path: Path) -> None:
    store = open_store(old_store(tmp_path / "data" / "rapport.db"))
    again = service.run_design(store, store.studies.get(2).design)
    assert again["units"]["reused"] == 0 and again["units"]["done"] == 6
    judged = {row[0] for row in units.query(store, "SELECT session_id FROM rating WHERE study_id = :id", id=again["id"])}
    assert judged and not judged & {7, 8}
    store.close()


def test_who_spoke_is_told_where_it_can_be(tmp_path: Path) -> None:
    store = open_store(old_store(tmp_path / "data" / "rapport.db"))
    code = store.persons.names() | {None: ""}
    spoke = {id: [(t.seat[:2], t.speaker, code[t.person_id]) for t in store.sessions.turns(id)][1:] for id in (12, 13, 14, 16)}
    ana, ben, agent = ("cl", "person", "P-ANA"), ("co", "person", "P-BEN"), ("co", "agent", "")
    assert spoke[12] == [ana, agent]
    assert spoke[13] == [ana, agent, ana, agent, ana, ben]
    assert spoke[14][2] == ("cl", "unknown person", "") and spoke[14][0] == ("cl", "agent", "")
    assert [who[1:] for who in spoke[16]] == [("person", "P-DOT"), ("agent", ""), ("person", "P-DOT")]
    store.close()
