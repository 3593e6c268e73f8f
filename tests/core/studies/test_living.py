"""A worker that cannot live says so; one that can finds its database, its folder and its log wherever it is."""

import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.prepared import design, prepare
from core import sentences
from core.commands import opening
from core.errors import StoreError
from core.studies import lock, service, starting, worker
from core.studies.lock import WorkerLock, meeting_place
from storage import tables
from storage.store import Store, open_store

RATINGS = {"name": "Ratings", "steps": [{"kind": "ratings", "items": ["Q1"], "repeats": 1}]}


@pytest.fixture(autouse=True)
def _gone() -> Any:
    """Workers of this test have left before the next begins."""
    yield
    for process in starting._started:
        process.terminate()
        process.wait(20)


def begun(store: Store) -> int:
    study = service.begin(store, RATINGS).id or 0
    return service.start(store, study, worker=False).id or 0


def dies(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Workers end at once, as where a library is missing; gives a list that grows with each."""
    spawned: list[str] = []
    spawn = starting.subprocess.Popen

    def popen(command: list[str], **more: Any) -> Any:
        spawned.append(command[0])
        return spawn([sys.executable, "-c", "raise SystemExit(3)"], **more)

    monkeypatch.setattr(starting.subprocess, "Popen", popen)
    return spawned


def test_a_worker_that_dies_three_times_is_not_started_again(
    store: Store, sessions: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    spawned, study = dies(monkeypatch), begun(store)
    assert service.wait_for(store, study, longest=20) == "failed"
    said = sentences.english(store.studies.get(study).reason)
    assert "ended 3 times within 10 minutes" in said and "worker.log" in said
    assert len(spawned) == 3 and service.status(store, study)["reason"] == said
    assert not service.start_worker_if_needed(store)


def test_a_key_for_a_worker_that_cannot_live_starts_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(store, "http://127.0.0.1:9/v1", 1)
    study = service.begin(store, design(1, None)).id or 0
    spawned = dies(monkeypatch)
    with pytest.raises(StoreError, match="ended 3 times"):
        service.start(store, study, {"http://127.0.0.1:9/v1": "typed"})
    assert len(spawned) == 3 and store.studies.get(study).state == "planned"


def test_a_person_may_start_again_after_that(store: Store, sessions: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    study = begun(store)
    with monkeypatch.context() as broken:
        dies(broken)
        service.wait_for(store, study, longest=20)
    service.start(store, study)
    assert service.wait_for(store, study, longest=30) == "finished"


def test_a_worker_that_ends_by_itself_has_not_died(store: Store, sessions: list[int]) -> None:
    assert store.path is not None
    for _ in range(2):
        study = service.begin(store, RATINGS | {"fresh_draws": True}).id or 0
        service.start(store, study)
        assert service.wait_for(store, study, longest=30) == "finished"
        starting._started[-1].terminate()  # told to go, not killed
        starting._started[-1].wait(20)
    assert starting.deaths(store.path) == []


def test_a_design_that_does_not_fit_fails_its_study_and_no_other(store: Store, sessions: list[int]) -> None:
    good, odd = begun(store), begun(store)
    store.studies.update(odd, design=store.studies.get(odd).design | {"of_another_version": 1})
    service.work_off(store)
    assert store.studies.get(good).state == "finished"
    failed = store.studies.get(odd)
    assert failed.state == "failed" and "does not fit this version of Rapport" in sentences.english(failed.reason)
    assert "of_another_version" in sentences.english(failed.reason)


def test_a_study_that_nobody_foresaw_fails_and_no_other(store: Store, sessions: list[int], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    good, odd = begun(store), begun(store)
    real = worker.StudyRun

    def breaks(workshop: Any, study: tables.Study) -> Any:
        if study.id == odd:
            raise RuntimeError("the words of Helen Carter")
        return real(workshop, study)

    monkeypatch.setattr(worker, "StudyRun", breaks)
    service.work_off(store)
    assert (store.studies.get(good).state, store.studies.get(odd).state) == ("finished", "failed")
    said = sentences.english(store.studies.get(odd).reason)
    assert "RuntimeError in test_living.py" in said and "Helen" not in said + caplog.text


# Where it is


def test_a_relative_database_is_the_same_for_a_worker_in_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAPPORT_DATABASE_URL", "sqlite:///mine/rapport.db")
    store = open_store()
    assert store.path is not None
    from tests.core.studies.conftest import add_session

    service.ensure_shipped(store)
    add_session(store, 1)
    study = service.begin(store, RATINGS).id or 0
    service.start(store, study)
    assert service.wait_for(store, study, longest=30) == "finished"
    assert not (starting.ROOT / "mine").exists()


def test_the_server_gets_a_relative_database_as_it_is_meant_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAPPORT_DATABASE_URL", "sqlite:///mine/rapport.db")
    assert opening.environment()["RAPPORT_DATABASE_URL"] == f"sqlite:///{tmp_path.resolve()}/mine/rapport.db"
    monkeypatch.delenv("RAPPORT_DATABASE_URL")
    assert "RAPPORT_DATABASE_URL" not in opening.environment()


def test_a_database_reached_through_a_link_has_one_worker(store: Store, tmp_path: Path) -> None:
    assert store.path is not None
    link = tmp_path / "link.db"
    link.symlink_to(store.path)
    first, second = WorkerLock(store.path), WorkerLock(link)
    assert first.take() and not second.take() and second.held()
    assert meeting_place(link) == meeting_place(store.path)
    first.let_go()
    assert second.take()
    second.let_go()


def test_a_meeting_place_of_somebody_else_is_not_used(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert store.path is not None
    monkeypatch.setattr(lock, "LONGEST", 1000)  # the test's own folder is deep
    theirs, own = tmp_path / "t", tmp_path / "run"
    theirs.mkdir()
    own.mkdir()
    (theirs / f"rapport-{os.getuid()}").symlink_to(own)  # what an attacker can lay there
    monkeypatch.setattr(lock.tempfile, "gettempdir", lambda: str(theirs))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(own))
    place = meeting_place(store.path)
    assert place.parent == own / "rapport" and stat.S_IMODE(place.stat().st_mode) == 0o700
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    assert meeting_place(store.path).is_relative_to(store.path.resolve().parent)


def test_without_any_private_place_a_sentence_says_so(store: Store, sessions: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    study = begun(store)
    monkeypatch.setattr(lock, "private", lambda _: False)
    with pytest.raises(StoreError, match="no private folder"):
        service.start_worker_if_needed(store)
    assert worker.doing(store, study) == {}
    planned = service.begin(store, RATINGS).id or 0
    with pytest.raises(StoreError, match="nothing was lost"):
        service.start(store, planned)
    assert store.studies.get(planned).state == "planned", "nothing was started"


# The log


NIGHT = """
import logging, pathlib, sys
from core.studies import logs
logs.begin(pathlib.Path(sys.argv[1]))
logging.getLogger("httpx").warning("HTTP Request: POST https://h/v1?api-key=SECRET")
logging.getLogger("openai").info("Helen Carter")
for n in range(9000):
    logging.getLogger("rapport.worker").warning("line %s of a long night %s", n, "-" * 100)
try:
    raise ValueError("the words of Helen Carter")
except ValueError:
    logging.getLogger("asyncio").exception("Task exception was never retrieved")
"""


def test_the_log_is_short_private_and_quiet(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", NIGHT, str(tmp_path / "worker.log")], cwd=starting.ROOT, check=True)
    files = sorted(tmp_path.iterdir())
    assert [f.name for f in files] == ["worker.log", "worker.log.1"]
    assert sum(f.stat().st_size for f in files) <= 1_000_000
    assert {stat.S_IMODE(f.stat().st_mode) for f in files} == {0o600}
    said = "".join(f.read_text() for f in files)
    assert "line 8999" in said and "ValueError in <string>" in said
    assert "Helen" not in said and "SECRET" not in said
