"""A study leaves as files that can be opened, counted and checked."""

import csv
import io
import json
import os
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core import instruments
from core.studies.export import export_archive, export_study
from storage.store import Store

DESIGN = {"name": "Alliance", "steps": [{"kind": "ratings", "items": ["Q1", "Q2"], "repeats": 2}]}


def test_an_export_holds_every_rating_and_call(store: Store, sessions: list[int], work: Callable[..., Any], tmp_path: Path) -> None:
    done = work(DESIGN)
    out = export_study(store, done["id"], tmp_path / "out")
    with (out / "ratings.csv").open(encoding="utf-8-sig") as file:
        assert len(list(csv.DictReader(file))) == done["units"]["done"] == 16
    assert len((out / "calls.jsonl").read_text("utf-8").splitlines()) == done["calls"]
    assert json.loads((out / "method.json").read_text("utf-8"))["planned"] == 16
    assert list((out / "prompts").rglob("*.md")) and list((out / "prompts" / "instruments").iterdir())


def test_a_study_that_reused_everything_exports_the_same_ratings(
    store: Store, sessions: list[int], work: Callable[..., Any], tmp_path: Path
) -> None:
    first, again = work(DESIGN), work(DESIGN)
    assert again["calls"] == 0
    files = [export_study(store, one["id"], tmp_path / str(one["id"])) / "ratings.jsonl" for one in (first, again)]
    assert files[0].read_text("utf-8") == files[1].read_text("utf-8")


def modes(folder: Path) -> set[tuple[bool, int]]:
    return {(path.is_dir(), stat.S_IMODE(path.stat().st_mode)) for path in [folder, *folder.rglob("*")]}


PRIVATE = {(True, 0o700), (False, 0o600)}


def test_an_export_is_its_owners_alone(store: Store, sessions: list[int], work: Callable[..., Any], tmp_path: Path) -> None:
    id = work(DESIGN)["id"]
    former = os.umask(0)
    try:
        out = export_study(store, id, tmp_path / "new" / "out")
        there = tmp_path / "there"
        (there / "prompts").mkdir(parents=True, mode=0o777)
        outside = tmp_path / "outside.txt"
        outside.write_text("mine")
        (there / "ratings.csv").touch(mode=0o666)
        (there / "turns.jsonl").symlink_to(outside)
        export_study(store, id, there)
    finally:
        os.umask(former)
    assert modes(out.parent) == PRIVATE
    assert {mode for folder, mode in modes(there) if not folder} == {0o600}, "a folder that was there keeps its rights"
    assert outside.read_text() == "mine" and not (there / "turns.jsonl").is_symlink()


def test_a_zip_of_it_unpacks_private(store: Store, sessions: list[int], work: Callable[..., Any]) -> None:
    id = work(DESIGN)["id"]
    with zipfile.ZipFile(io.BytesIO(export_archive(store, id))) as packed:
        entries = packed.infolist()
    assert {(entry.is_dir(), stat.S_IMODE(entry.external_attr >> 16)) for entry in entries} == PRIVATE
    assert f"study-{id}/" in {entry.filename for entry in entries}


def test_files_that_were_there_are_no_part_of_it(store: Store, sessions: list[int], work: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    out = export_study(store, work(DESIGN)["id"], tmp_path / "out")
    assert "mine.txt" not in json.loads((out / "manifest.json").read_text("utf-8"))["files"]


def test_a_name_from_elsewhere_takes_no_other_file_along(store: Store, sessions: list[int], work: Callable[..., Any], tmp_path: Path) -> None:
    id = work(DESIGN)["id"]
    for name in ("instruments/../../README", "*/*", "../README", "judge/../judge/item"):
        for call in store.calls.all(study_id=id)[:1]:
            store.calls.update(call.id or 0, prompt=name)
        for rating in store.ratings.all(study_id=id)[:1]:
            store.ratings.update(rating.id or 0, instrument=f"../{name}")
        out = export_study(store, id, tmp_path / name.replace("/", "_").replace("*", "all"))
        held = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
        assert {one for one in held if one.startswith("prompts/")} <= {
            "prompts/judge/item.en.md", "prompts/judge/item.zh.md", "prompts/instruments/wai-o-s.yaml",
        }, name  # fmt: skip


def test_tables_hold_guarded_cells(store: Store, sessions: list[int], work: Callable[..., Any], tmp_path: Path) -> None:
    store.sessions.update(sessions[0], title="＝HYPERLINK(1)")
    out = export_study(store, work(DESIGN)["id"], tmp_path / "out")
    with (out / "sessions.csv").open(encoding="utf-8-sig", newline="") as file:
        assert next(csv.DictReader(file))["title"] == "'＝HYPERLINK(1)"
    assert json.loads((out / "sessions.jsonl").read_text("utf-8").split("\n")[0])["title"] == "＝HYPERLINK(1)"


@pytest.mark.parametrize("name", ["cpsycoun-intrinsic-holistic", "wai-o-s-published", "cpsycoun-extrinsic", "hill"])
def test_an_instrument_can_be_read_again_from_the_exported_files_alone(
    store: Store, sessions: list[int], work: Callable[..., Any], tmp_path: Path, name: str
) -> None:
    """A holistic form is made from the file of its items; a variant is nothing without the instrument it varies."""
    asked = instruments.load(name)
    step = {"kind": f"{asked.kind}s", "instrument": name, "sessions": "all", "repeats": 1} | ({"calls": "instrument"} if asked.items else {})
    done = work({"name": "Read again", "language": "en", "steps": [step]})
    out = export_study(store, done["id"], tmp_path / "out")
    folder = out / "prompts" / "instruments"
    assert instruments.load(name, folder=folder).model_dump() == asked.model_dump()
    held = json.loads((out / "manifest.json").read_text("utf-8"))["files"]
    assert {f"prompts/instruments/{file.name}" for file in folder.iterdir()} <= set(held)
    told = json.loads((out / "method.json").read_text("utf-8"))["instruments"]
    assert told == {name: {"versions": [asked.version], "file": asked.version}}
