"""A study of the demo engine, read again by the reader of today."""

from collections.abc import Callable
from typing import Any

from core.judging import rereading
from storage import units
from storage.store import Store


def test_a_former_study_reads_the_same_with_the_rules(
    store: Store, work: Callable[..., Any], sessions: list[int]
) -> None:
    """Every reply of the demo engine, once more through the reader of today."""
    done = work(
        {"name": "All", "steps": [{"kind": "ratings", "items": ["Q1", "Q2"]}, {"kind": "comparisons"}]}
    )
    for table in ("rating", "comparison"):
        units.change(store, f"UPDATE {table} SET reader = 1, superseded_by = :none", {"none": None})
    found = rereading.preview(store, done["id"])
    assert found.read == done["calls"] > 20
    assert (found.left, found.changes) == (0, ())
