"""`rapport` as `run` puts it into .venv/bin: from any folder, after a move, and with a sentence where it cannot work."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(os.name == "nt", reason="the script for POSIX shells")


def workbench(folder: Path, with_command: bool = True) -> Path:
    """A folder as after `./run`, with this test's Python as its own; its `rapport`."""
    own = folder / ".venv" / "bin"
    own.mkdir(parents=True)
    for name in ("core", "storage", "prompts", "pages", "run", "requirements.lock"):
        (folder / name).symlink_to(ROOT / name)
    (own / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (own / "python").chmod(0o755)
    shutil.copy(ROOT / "requirements.lock", folder / ".venv" / "installed-app")
    if with_command:
        shutil.copy(ROOT / "core" / "commands" / "rapport.sh", own / "rapport")
    return own / "rapport"


def said(command: Path | str, *words: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    env = os.environ | {"RAPPORT_DATABASE_URL": f"sqlite:///{cwd / 'rapport.db'}"}
    return subprocess.run([str(command), *words], cwd=cwd, env=env, capture_output=True, text=True, timeout=60, check=False)


def test_it_works_from_another_folder_and_after_a_move(tmp_path: Path) -> None:
    command = workbench(tmp_path / "the workbench")
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "core").mkdir(parents=True)  # a folder of this name here must not be taken for the workbench's
    (elsewhere / "scores.csv").write_text("target,rater,item,score\nA,K,Q,1\nA,L,Q,2\nB,K,Q,3\nB,L,Q,3\nC,K,Q,1\nC,L,Q,1\n")
    done = said(command, "agreement", "scores.csv", "--json", cwd=elsewhere)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["items"]["Q"]["n_targets"] == 3
    (tmp_path / "the workbench").rename(tmp_path / "moved")
    linked = tmp_path / "rapport"
    linked.symlink_to(tmp_path / "moved" / ".venv" / "bin" / "rapport")
    assert said(linked, "agreement", "scores.csv", "--json", cwd=elsewhere).stdout == done.stdout


def test_without_its_python_it_says_what_to_do(tmp_path: Path) -> None:
    command = workbench(tmp_path / "here")
    (command.parent / "python").unlink()
    done = said(command, "doctor", cwd=tmp_path)
    assert done.returncode == 2 and "Run ./run" in done.stderr and not done.stdout


def test_run_puts_it_there_also_where_everything_was_installed_before(tmp_path: Path) -> None:
    command = workbench(tmp_path / "here", with_command=False)
    done = said(tmp_path / "here" / "run", "agreement", "nothing.csv", cwd=tmp_path / "here")
    assert done.returncode == 2 and "nothing.csv" in done.stderr
    assert os.access(command, os.X_OK)
    assert said(command, "show", "poem", "1", cwd=tmp_path).returncode == 2
