"""What an older store did not say of its ratings and comparisons: how they were asked, and how often."""

from pathlib import Path

import pytest

from storage import units
from tests.stores import Old

COLUMNS = "prompt, prompt_version, prompt_hash, engine, engine_version, way, repeats"


@pytest.mark.parametrize("table", ["rating", "comparison"])
def test_rows_say_how_they_were_asked_as_their_calls_did(tmp_path: Path, table: str) -> None:
    store = Old(tmp_path, "0004").opened()
    pairs = units.query(
        store,
        f"SELECT r.prompt, r.prompt_version, r.prompt_hash, r.engine, r.engine_version, c.prompt, c.prompt_version, c.prompt_hash, "
        f"c.engine, c.engine_version FROM {table} r JOIN call c ON c.id = r.call_id",
    )
    assert pairs and all(tuple(row[:5]) == tuple(row[5:]) for row in pairs)
    ways = {row[0] for row in units.query(store, f"SELECT DISTINCT way FROM {table} WHERE prompt IN ('judge/item', 'judge/compare')")}
    assert ways == {"item"}
    store.close()


def test_planned_repeats_are_those_of_the_unit_or_the_highest_there_is(tmp_path: Path) -> None:
    old = Old(tmp_path, "0004")
    id, unit = old.run("SELECT id, unit_id FROM rating WHERE unit_id IS NOT NULL LIMIT 1").fetchone()
    old.run("UPDATE unit SET payload = json_set(payload, '$.of', 5) WHERE id = ?", (unit,))
    loose = old.again("rating", id, unit_id=None, call_id=None, study_id=999, repeat=1)
    old.again("rating", id, unit_id=None, call_id=None, study_id=999, repeat=4)
    store = old.opened()
    planned = dict(units.query(store, f"SELECT id, repeats FROM rating WHERE id IN ({id}, {loose})"))
    assert planned == {id: 5, loose: 4}
    store.close()


def test_rating_whose_call_is_gone_still_says_which_kind_of_engine(tmp_path: Path) -> None:
    old = Old(tmp_path, "0004")
    id = old.run("SELECT r.id FROM rating r JOIN rater a ON a.id = r.rater_id WHERE a.kind = 'rules' LIMIT 1").fetchone()[0]
    old.run("UPDATE rating SET call_id = NULL WHERE id = ?", (id,))
    store = old.opened()
    assert units.query(store, f"SELECT prompt, engine FROM rating WHERE id = {id}") == [("", "demo")]
    store.close()


def test_a_step_of_one_repeat_is_not_held_against_another_step_of_three(tmp_path: Path) -> None:
    """At first the highest repeat of a judge in a study counted for all its steps, and the single ones had no value left."""
    old = Old(tmp_path, "0004")
    id, unit = old.run("SELECT id, unit_id FROM rating WHERE unit_id IS NOT NULL AND study_id IS NOT NULL LIMIT 1").fetchone()
    old.run("UPDATE unit SET payload = json_set(payload, '$.of', 1) WHERE id = ?", (unit,))
    without = old.again("rating", id, unit_id=None, setting="none", repeat=1)
    old.again("rating", id, unit_id=None, setting="none", repeat=3)
    old.again("rating", id, unit_id=None, setting="general", repeat=2)
    store = old.opened()
    assert dict(units.query(store, f"SELECT id, repeats FROM rating WHERE id IN ({id}, {without})")) == {id: 1, without: 3}
    store.close()
