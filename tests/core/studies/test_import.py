"""A study taken to another store shows the same numbers there; a folder that was touched is refused whole."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.clearance import Clearance, kind_of, kinds
from core.errors import DataError
from core.reports import examples
from core.results import reading
from core.studies.demo import load_demo
from core.studies.export import export_study
from core.studies.importing import import_study
from storage.store import Store, open_store
from tests.core.studies.elsewhere import lines_of, rehash

DESIGN = {
    "name": "Chain",
    "steps": [
        {"kind": "roles", "count": 2},
        {"kind": "sessions", "counselors": ["Hill-guided", "Advice-giving"], "most_turns": 6},
        {"kind": "comparisons", "dimensions": ["empathic_understanding", "desired_change"]},
        {"kind": "ratings", "items": ["Q1", "Q2"], "repeats": 3},
    ],
}


@pytest.fixture
def exported(store: Store, work: Callable[..., Any], tmp_path: Path) -> tuple[int, Path]:
    id = work(DESIGN)["id"]
    return id, export_study(store, id, tmp_path / "out")


@pytest.fixture
def elsewhere(tmp_path: Path) -> Store:
    return open_store(f"sqlite:///{tmp_path / 'elsewhere' / 'rapport.db'}")


def numbers(store: Store, study: int) -> Any:
    """What the results are made of, without ids."""
    ratings = sorted((r["rater"], r["item"], r["repeat"], r["value"], r["score"], json.dumps(r["quotes"])) for r in store.ratings.rows(study_id=study))
    verdicts = sorted((c["rater"], c["dimension"], c["verdict"], c["first_id"] == c["winner_id"], c["reasoning"]) for c in store.comparisons.rows(study_id=study))
    return ratings, verdicts


def test_the_same_numbers_stand_in_another_store(store: Store, exported: tuple[int, Path], elsewhere: Store) -> None:
    id, folder = exported
    there = import_study(elsewhere, folder)
    assert numbers(elsewhere, there.id or 0) == numbers(store, id)
    assert elsewhere.sessions.count() == 4 and elsewhere.roles.count() == 2 and there.state == "finished"
    assert reading.studies_with(elsewhere, "rating") == [there.id]


def test_from_a_number_down_to_its_call_and_its_turn(exported: tuple[int, Path], elsewhere: Store) -> None:
    there = import_study(elsewhere, exported[1])
    rating = next(r for r in elsewhere.ratings.rows(study_id=there.id) if r["quotes"])
    call = elsewhere.calls.whole(rating["call_id"])
    said = {turn.position: turn.text for turn in elsewhere.sessions.turns(rating["session_id"])}
    assert any(quote["text"] in said.get(quote["turn"], "") for quote in rating["quotes"])
    assert said[1] in json.dumps(call["messages"], ensure_ascii=False)


def test_twice_is_once_and_answers_brought_along_are_not_reused(exported: tuple[int, Path], elsewhere: Store) -> None:
    first, again = import_study(elsewhere, exported[1]), import_study(elsewhere, exported[1])
    assert first.id == again.id and elsewhere.studies.count() == 1
    assert {unit.key for unit in elsewhere.units.all()} == {""}
    assert {kind_of(elsewhere, "session", session.id or 0) for session in elsewhere.sessions.all()} == {Clearance.UNCONFIRMED}


def test_what_was_changed_or_lacks_a_file_is_refused_whole(exported: tuple[int, Path], elsewhere: Store, tmp_path: Path) -> None:
    def spoil(name: str, how: Callable[[Path], object]) -> Path:
        folder = tmp_path / name
        shutil.copytree(exported[1], folder)
        how(folder)
        return folder

    ratings = "ratings.jsonl"
    spoilt = {
        "changed": lambda f: (f / ratings).write_text((f / ratings).read_text().replace("4.0", "5.0") + "\n"),
        "gone": lambda f: (f / "turns.jsonl").unlink(),
        "no manifest": lambda f: (f / "manifest.json").unlink(),
        "newer": lambda f: (f / "manifest.json").write_text(json.dumps(json.loads((f / "manifest.json").read_text()) | {"version": 9})),
        "no number": lambda f: (f / "manifest.json").write_text(json.dumps(json.loads((f / "manifest.json").read_text()) | {"version": True})),
        "other": lambda f: (f / "manifest.json").write_text("[]"),
    }  # fmt: skip
    for name, how in spoilt.items():
        with pytest.raises(DataError, match="othing was saved"):
            import_study(elsewhere, spoil(name, how))
    assert (elsewhere.studies.count(), elsewhere.sessions.count(), elsewhere.calls.count()) == (0, 0, 0)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_demo_study_fills_the_store_once(store: Store, language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    id = load_demo(store, language, wait=True)
    filled = (store.studies.count(), store.sessions.count(), store.ratings.count(), store.comparisons.count())
    assert load_demo(store, language, wait=True) == id
    assert (store.studies.count(), store.sessions.count(), store.ratings.count(), store.comparisons.count()) == filled
    assert sorted(row.source_name for row in store.reports.all()) == sorted(path.name for path in examples.files(language))
    assert set(kinds(store, "report").values()) == {Clearance.SYNTHETIC}  # nobody is sent to read what is made up
    assert filled[1] >= 18 and filled[2] >= 18 * 36 and {row.engine for row in store.sessions.all()} == {"demo"}


ASKED = ("prompt", "prompt_version", "prompt_hash", "setting", "way", "engine", "engine_version", "repeats", "reader")


def asked(store: Store, study: int) -> Any:
    """How each rating and comparison of a study was asked, without ids."""
    rows = [*store.ratings.rows(study_id=study), *store.comparisons.rows(study_id=study)]
    return sorted([str(row.get("item", row.get("dimension"))), *(str(row[name]) for name in ASKED)] for row in rows)


def test_how_it_was_asked_goes_along_and_is_read_from_calls_in_an_older_export(
    store: Store, exported: tuple[int, Path], elsewhere: Store, tmp_path: Path
) -> None:
    id, folder = exported
    before = asked(store, id)
    assert {row[5] for row in before} == {"item"} and {row[8] for row in before} == {"1", "3"}
    older = Path(shutil.copytree(folder, tmp_path / "older"))
    for name in ("ratings", "comparisons"):
        rows = [{key: value for key, value in row.items() if key in ("setting", "reader") or key not in ASKED} for row in lines_of(older / f"{name}.jsonl")]
        (older / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    rehash(older)
    assert asked(elsewhere, import_study(elsewhere, older).id or 0) == before
    third = open_store(tmp_path / "third" / "rapport.db")
    assert asked(third, import_study(third, folder).id or 0) == before
