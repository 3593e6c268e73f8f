"""A study of another store, whose ids no store of a test has, and exports that were tampered with."""

import json
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from sqlalchemy import text

from core.llm.agents import ensure_shipped
from core.reports import service as reports
from core.studies import service
from storage.store import Store
from tests.core.studies.conftest import add_role, add_session, confirm

REPORT = (
    "Title: The reliable daughter\nType: Exhaustion\nMethod: Person-centred\nCase brief: Maria Oyelaran, 47, looks after her "
    "mother. She works at Brightwater Logistics.\nConsultation process: Maria and I met ten times and spoke of her tiredness.\n"
    "Reflections: I went slowly."
)

FIRST = 700_000  # ids of the other store begin above it
BAND = range(FIRST, 2 * FIRST)


def number_high(store: Store) -> None:
    """Give every table of a new store ids that can be told from all others."""
    with store.database.engine.begin() as connection:
        for (name,) in connection.execute(text("SELECT name FROM sqlite_master WHERE sql LIKE '%AUTOINCREMENT%'")).all():
            connection.execute(text("DELETE FROM sqlite_sequence WHERE name = :name"), {"name": name})
            connection.execute(text("INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :seq)"), {"name": name, "seq": FIRST})


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]


def rehash(folder: Path, version: int | None = None) -> None:
    """Make the manifest say what the files hold now, as a forger would."""
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    for name in manifest["files"]:
        if (folder / name).is_file():
            manifest["files"][name] = sha256((folder / name).read_bytes()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest | ({"version": version} if version else {})), "utf-8")


def change(folder: Path, name: str, how: Callable[[dict[str, Any]], Any], at: int = 0) -> None:
    """Change one row of a table, and the manifest with it."""
    path = folder / f"{name}.jsonl"
    rows = lines_of(path)
    how(rows[at])
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    rehash(folder)


def numbers_in(value: Any) -> Iterator[int]:
    if isinstance(value, bool):
        return
    if isinstance(value, int):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from numbers_in(one)
        for key in value:
            yield from numbers_in(int(key)) if str(key).isdigit() else ()
    elif isinstance(value, list):
        for one in value:
            yield from numbers_in(one)
    elif isinstance(value, str) and value[:1] in "[{":
        try:
            yield from numbers_in(json.loads(value))
        except ValueError:
            return


def foreign(store: Store) -> set[tuple[str, str, int]]:
    """(table, column, id) wherever a number of the other store stands in a row."""
    found: set[tuple[str, str, int]] = set()
    with store.database.engine.connect() as connection:
        for (name,) in connection.execute(text("SELECT name FROM sqlite_master WHERE type = 'table'")).all():
            for row in connection.execute(text(f'SELECT * FROM "{name}"')).mappings():
                found |= {(name, column, n) for column, value in row.items() for n in numbers_in(value) if n in BAND}
    return found


def study_of_every_kind(store: Store) -> int:
    """A finished study with units of every kind, samples, pairs, ids in its design, reused answers and a second reading."""
    number_high(store)
    ensure_shipped(store)
    report = reports.take_report(store, "daughter.txt", REPORT).reports[0]
    confirm(store, "report", report.id or 0)
    counselors = [store.agents.find(name=name).id for name in ("Hill-guided", "Advice-giving")]  # type: ignore[union-attr]
    roles = [add_role(store, f"Role {n}") for n in (1, 2)]
    held = [add_session(store, n, role, who) for n, (role, who) in enumerate((r, c) for r in roles for c in counselors)]
    early = {"name": "Early", "steps": [{"kind": "ratings", "sessions": held[:1], "items": ["Q1"], "repeats": 1}]}
    run(store, early)
    design = {
        "name": "Every kind", "samples": {"picked": {"of": "sessions", "per": "role", "count": 1}},
        "steps": [
            {"kind": "roles", "count": 1},
            {"kind": "sessions", "counselors": ["Hill-guided", "Advice-giving"], "most_turns": 4},
            {"kind": "notes", "reports": [report.id]},
            {"kind": "dialogues", "reports": [report.id]},
            {"kind": "comparisons", "sessions": held, "dimensions": ["empathic_understanding"], "pairs": 1},
            {"kind": "ratings", "items": ["Q1"], "repeats": 1},
            {"kind": "ratings", "sessions": "picked", "items": ["Q2"], "repeats": 1},
            {"kind": "ratings", "sessions": held[:1], "items": ["Q1"], "repeats": 1},
        ],
    }  # fmt: skip
    id = run(store, design)
    read_again(store, id)
    return id


def run(store: Store, design: dict[str, Any]) -> int:
    study = service.begin(store, design)
    service.start(store, study.id or 0, worker=False)
    service.work_off(store)
    assert store.studies.get(study.id or 0).state == "finished"
    return study.id or 0


def read_again(store: Store, study: int) -> None:
    """A newer reading beside the first one."""
    first = store.ratings.all(study_id=study)[0]
    newer = store.ratings.add(type(first)(**(first.model_dump(exclude={"id"}) | {"value": 5.0, "score": 5.0, "reader": 2})))
    store.ratings.update(first.id or 0, superseded_by=newer.id)
