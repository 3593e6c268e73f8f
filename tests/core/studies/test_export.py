"""A study leaves as files that can be opened, counted and checked."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.studies.export import cell, export_study
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


def test_cells_cannot_start_a_formula() -> None:
    assert [cell(v) for v in ("=1+1", "@x", "ok", -2)] == ["'=1+1", "'@x", "ok", -2]
