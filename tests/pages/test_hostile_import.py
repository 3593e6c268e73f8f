"""A study from elsewhere with markup in every field: every page shows it as text, and loads nothing from outside."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.errors import WorkbenchError
from core.studies.export import export_study
from core.studies.importing import import_study
from pages.components import drawing
from storage import tables
from storage.store import Store, open_store
from tests.core.studies.elsewhere import lines_of, rehash, study_of_every_kind
from tests.pages.conftest import Open
from tests.pages.test_components import NAMES, SIGNS, TURNS, WORDS

NASTY = '1"><img src=https://evil.example/x.png>![x](https://evil.example/y.png)<script>fetch("https://evil.example")</script>'
CODES = {"kind", "state", "seat", "origin", "engine", "language", "status", "side", "speaker", "verdict", "masking", "severity", "of",
         "method", "created", "content_hash", "instrument", "setting", "hash", "first_seat", "sampling", "started", "ended", "role", "way"}  # fmt: skip


def spoilt(value: Any, name: str = "") -> Any:
    """The same value with markup in every text that is no code."""
    if isinstance(value, dict):
        return {key: one if name == "" and key in CODES else spoilt(one, key) for key, one in value.items()}
    if isinstance(value, list):
        return [spoilt(one, name) for one in value]
    return f"{value} {NASTY}" if isinstance(value, str) and name not in CODES else value


def whole(row: dict[str, Any], name: str) -> dict[str, Any]:
    """A row with markup; what names an item, a dimension or a prompt stays, so that the pages have something to show."""
    kept = {key: row[key] for key in ("item", "dimension", "prompt", "design", "payload", "stage") if key in row}
    kept |= {"messages": [one | {"content": spoilt(one["content"], "content")} for one in row["messages"]]} if "messages" in row else {}
    return spoilt(row) | kept


@pytest.fixture
def brought(store: Store, tmp_path: Path) -> tables.Study:
    other = open_store(tmp_path / "other" / "rapport.db")
    folder = export_study(other, study_of_every_kind(other), tmp_path / "out")
    for path in folder.glob("*.jsonl"):
        rows = [whole(row, path.stem) for row in lines_of(path)]
        if path.stem == "sessions":
            rows[0] |= {"faults": [{"kind": "error", "turn": 1, "message": NASTY + "{n}", "values": {"n": NASTY}}], "ended_by": "error"}
        if path.stem == "turns":
            rows[0]["risk"] = [{"kind": NASTY, "phrase": NASTY, "start": 0, "end": 5}]
        if path.stem == "roles":
            rows[0]["checks"] = [{"code": NASTY, "severity": "fault", "message": NASTY, "values": {NASTY: NASTY}}]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    study = json.loads((folder / "study.json").read_text("utf-8"))
    (folder / "study.json").write_text(json.dumps(study | {"name": NASTY, "reason": NASTY}), "utf-8")
    rehash(folder)
    return import_study(store, folder)


def texts_of(proto: Any) -> Iterator[tuple[str, str]]:
    """(field, text) of every text in a page's message."""
    for field, value in proto.ListFields():
        values = value if field.is_repeated else [value]
        for one in values if not hasattr(values, "items") else values.values():
            if isinstance(one, str):
                yield f"{proto.DESCRIPTOR.name}.{field.name}", one
            elif hasattr(one, "ListFields"):
                yield from texts_of(one)


PLAIN = {"PlotlyChart.spec", "PlotlyChart.alt", "Text.body", "Selectbox.options", "MultiSelect.options", "TextArea.default", "TextInput.default", "TextArea.value", "TextInput.value", "Code.body", "Selectbox.raw_value"}


def loads(at: AppTest) -> list[tuple[str, str]]:
    """Where markup from elsewhere would be read as markup."""
    found = []
    for element in at.main:
        for child in walk(element):
            proto = getattr(child, "proto", None)
            if proto is None or not hasattr(proto, "ListFields"):
                continue
            for field, text in texts_of(proto):
                as_html = field.startswith("Html.") and ("<img" in text or "<script" in text)
                as_markdown = not field.startswith("Html.") and field not in PLAIN and "![x](https" in text
                if as_html or as_markdown:
                    found.append((field, text[:200]))
    return found


def walk(node: Any) -> Iterator[Any]:
    yield node
    for child in getattr(node, "children", {}).values():
        yield from walk(child)


def pages_of(store: Store, study: tables.Study) -> list[tuple[str, dict[str, Any]]]:
    rating = next(row for row in store.ratings.rows(study_id=study.id) if row["quotes"])
    comparison = store.comparisons.rows(study_id=study.id)[0]
    return [
        ("studies", {"study": study.id}), ("home", {}), ("agreement", {}), ("privacy", {}), ("models", {}),
        ("results", {"study": study.id}), ("results", {"study": study.id, "rating": rating["id"]}),
        ("results", {"study": study.id, "comparison": comparison["id"]}), ("results", {"study": study.id, "call": rating["call_id"]}),
        *[("sessions", {"session": row.id}) for row in store.sessions.all()], ("live", {"session": store.sessions.all()[0].id}),
        *[("roles", {"role": row.id}) for row in store.roles.all()], *[("reports", {"report": row.id}) for row in store.reports.all()],
        ("sessions", {}), ("roles", {}), ("reports", {}),
    ]  # fmt: skip


def test_every_page_shows_markup_from_elsewhere_as_text(open_page: Open, store: Store, brought: tables.Study) -> None:
    shown_escaped = 0
    for page, query in pages_of(store, brought):
        at = open_page(f"{page}.py", **query)
        assert not at.exception, (page, query, [e.value + "\n" + "\n".join(e.stack_trace) for e in at.exception])
        assert loads(at) == [], (page, query)
        shown_escaped += sum("&lt;img" in element.proto.body for element in at.get("html"))
    assert shown_escaped > 20


@pytest.mark.parametrize("turn", [NASTY, "1", True, -1, [1], {"a": 1}, 10**30, 1.5, None])
def test_a_quote_names_a_turn_by_its_number_only(turn: Any) -> None:
    quotes: list[dict[str, Any]] = [{"text": NASTY, "turn": turn, "status": "exact", "side": NASTY, "label": NASTY, "number": NASTY}]
    listed = drawing.quotes_html(quotes, words=WORDS, key=NASTY, language=NASTY)
    drawn = drawing.transcript_html(TURNS, quotes, names=NAMES, signs=SIGNS, words=WORDS, key=NASTY, language=NASTY)
    for markup in (listed, drawn):
        assert "<img" not in markup and "<script" not in markup


def test_a_study_from_elsewhere_has_no_button_to_run_it(open_page: Open, store: Store, brought: tables.Study) -> None:
    at = open_page("studies.py", study=brought.id)
    keys = {button.key for button in at.button}
    assert not keys & {"studies_start", "studies_retry", "studies_stop", "studies_budget_set"} and "studies_export" in keys
    assert "Brought in from another workbench" in " ".join(element.proto.body for element in at.get("html"))


def test_errors_are_sentences(store: Store, brought: tables.Study) -> None:
    fault = store.sessions.all()[0].faults[0]
    assert "evil.example" in str(WorkbenchError(fault["message"], **fault["values"]))
