"""A store that a former version wrote opens, and has what it had."""

import json
from pathlib import Path

from core.studies.importing import import_study
from storage.store import open_store
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
