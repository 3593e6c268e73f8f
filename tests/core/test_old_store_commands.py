"""The commands work on a store that a former version wrote."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from core.cli import app
from storage.store import Store, open_store
from tests.stores import STORES, old_store


@pytest.fixture
def former(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    path = old_store(tmp_path / "data" / "rapport.db")
    monkeypatch.setenv("RAPPORT_DATABASE_URL", f"sqlite:///{path}")
    return open_store()


def told(*command: str) -> dict[str, object]:
    done = CliRunner().invoke(app, [*command, "--json"])
    assert done.exit_code == 0, (command, done.stderr, done.exception)
    return dict(json.loads(done.stdout))


def test_every_record_is_shown(former: Store) -> None:
    for kind, records in (
        ("report", former.reports), ("role", former.roles), ("session", former.sessions), ("study", former.studies),
        ("call", former.calls), ("agent", former.agents), ("rating", former.ratings), ("comparison", former.comparisons),
    ):  # fmt: skip
        rows = records.all()  # type: ignore[attr-defined]
        assert rows
        for row in rows:
            assert told("show", kind, str(row.id))["id"] == row.id
    former.close()


def test_every_study_has_a_status_and_is_exported(former: Store, tmp_path: Path) -> None:
    for study in former.studies.all():
        assert told("study", "status", str(study.id))["state"] == study.state
        told("export", "--study", str(study.id), "--out", str(tmp_path / f"out-{study.id}"))
        assert (tmp_path / f"out-{study.id}" / "units.jsonl").stat().st_size
    former.close()


def test_doctor_and_the_export_of_the_first_format(former: Store) -> None:
    told("doctor")
    before = former.studies.count()
    told("import-study", str(STORES / "export_v1"))
    assert former.studies.count() == before, "the study is in the store already"
    former.close()
