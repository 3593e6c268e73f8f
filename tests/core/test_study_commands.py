"""Studies from the command line."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from core.cli import app
from storage import tables
from storage.store import open_store

DESIGN = "name: Alliance\nsteps:\n  - kind: ratings\n    items: [Q1]\n    repeats: 2\n"


def test_a_study_runs_again_without_a_call_and_is_exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"sqlite:///{tmp_path / 'cli.db'}"
    monkeypatch.setenv("RAPPORT_DATABASE_URL", url)
    session = tables.Session(title="One", origin="imported", state="ended")
    turns = [tables.Turn(session_id=0, position=1, seat="client", text="I can't sleep.")]
    open_store(url).sessions.add_with_turns(session, turns)
    design = tmp_path / "design.yaml"
    design.write_text(DESIGN, "utf-8")
    run = [json.loads(CliRunner().invoke(app, ["study", "run", str(design), "--json"]).stdout) for _ in range(2)]
    assert [(r["state"], r["calls"]) for r in run] == [("finished", 2), ("finished", 0)]
    (owner,) = open_store(url).persons.all()
    assert (owner.roles, owner.secret_hash) == ({"researcher": []}, "")  # no browser can be them
    assert open_store(url).studies.get(1).person_id == owner.id
    for command in ("status", "resume", "retry", "stop"):
        told = CliRunner().invoke(app, ["study", command, "1", "--json"])
        assert (told.exit_code, json.loads(told.stdout)["units"]["done"]) == (0, 2)
    out = CliRunner().invoke(app, ["export", "--study", "1", "--out", str(tmp_path / "out"), "--json"])
    assert out.exit_code == 0 and (tmp_path / "out" / "ratings.csv").exists()


def test_a_study_that_is_not_there_is_one_line_and_exit_2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAPPORT_DATABASE_URL", f"sqlite:///{tmp_path / 'cli.db'}")
    told = CliRunner().invoke(app, ["study", "status", "7", "--json"])
    assert told.exit_code == 2 and len(told.stderr.strip().splitlines()) == 1
