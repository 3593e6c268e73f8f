"""The worker or the server dies in the middle of a study: what was answered stays, what was in flight is asked again."""

import random
import signal
import socket
from typing import Any

import pytest

from core.studies import service, starting
from storage import units
from storage.store import Store
from tests.core.studies import kills
from tests.core.studies.faulty import (
    answered,
    begin,
    checked,
    fork_worker,
    kill,
    reasons,
    wait_until_answered,
    work_off,
)
from tests.servers.handle import Misbehaving

AT_ONCE = 20
CALLS = 240


def test_a_killed_worker_loses_no_committed_answer(store: Store) -> None:
    chance = random.Random(11)
    with Misbehaving(latency=0.1) as server:
        study, kept = begin(store, server, CALLS, AT_ONCE), 0
        for _ in range(3):
            process = fork_worker(store)
            wait_until_answered(store, study, kept + chance.randrange(1, 60))
            kill(process)
            now = answered(store, study)
            assert now >= kept, "a committed answer is gone"
            kept = now
        status = work_off(store, study)
        seen = server.seen()
    assert status["state"] == "finished" and status["units"]["done"] == CALLS
    assert seen["repeated"] <= status["asked_twice"] <= 3 * AT_ONCE, "asked again is counted, and at most what was in flight"
    assert seen["answered"] == CALLS


@pytest.mark.parametrize("kind", list(kills.KINDS))
def test_a_worker_killed_at_random_loses_and_doubles_nothing(store: Store, kind: str) -> None:
    """Three kills of each kind of work; ``python -m benchmarks.faults moments`` does twenty."""
    seen = kills.run(store, kind, kills=3, seed=5)
    assert seen["died"] == 3, "the kills hit a worker at work"


def test_a_worker_told_to_go_saves_what_is_under_way(store: Store) -> None:
    with Misbehaving(latency=0.3) as server:
        study = begin(store, server, 100, AT_ONCE)
        process = fork_worker(store)
        wait_until_answered(store, study, 15)
        kill(process, signal.SIGTERM)
        left = checked(store, study)
        assert left["state"] == "running", "the next worker goes on"
        assert left["units"]["done"] == server.seen()["answered"] < 100
        status = work_off(store, study)
        seen = server.seen()
    assert process.returncode == 0
    assert status["units"]["done"] == 100 and status["asked_twice"] == 0
    assert seen["asked"] == 100


def test_a_person_stops_and_resumes(store: Store) -> None:
    with Misbehaving(latency=0.2) as server:
        study = begin(store, server, 100, AT_ONCE)
        service.start_worker_if_needed(store)
        wait_until_answered(store, study, 15)
        service.stop(store, study)
        assert service.wait_for(store, study, longest=10) == "stopped"
        kill(starting._started[-1], signal.SIGTERM)  # it would wait three seconds for more work
        stopped = checked(store, study)
        assert 0 < stopped["units"]["done"] == server.seen()["answered"] < 100
        service.start(store, study, worker=False)
        status = work_off(store, study)
        assert status["units"]["done"] == 100 == server.seen()["asked"]


def test_a_killed_server_is_waited_for(store: Store) -> None:
    with Misbehaving(latency=0.05) as first:
        study = begin(store, first, 200, AT_ONCE)
        process = fork_worker(store)
        wait_until_answered(store, study, 40)
        first.kill()
        before = answered(store, study)
        with Misbehaving(port=first.port, latency=0.05):
            assert service.wait_for(store, study, longest=30) == "finished"
        kill(process, signal.SIGTERM)
    status = checked(store, study)
    assert before >= 40 and status["units"]["done"] == 200 and status["units"]["failed"] == 0


def nobody_listens() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}/v1"


@pytest.mark.parametrize("url", [nobody_listens(), "https://endpoint.invalid/v1"])
def test_an_endpoint_out_of_reach_stops_the_study_in_words(store: Store, url: str) -> None:
    study = begin(store, url, 30, 10, patience_minutes=0.5)
    status = work_off(store, study, keys={url: "k"})
    assert status["state"] == "failed"
    assert "cannot be reached" in status["reason"] and "Nothing came through" in status["reason"]
    assert status["units"]["waiting"] == 30 and not reasons(store, study), "units are not used up by it"


def test_doing_says_that_the_endpoint_is_down(store: Store) -> None:
    from core.studies.worker import doing

    url = nobody_listens()
    study = begin(store, url, 30, 10)
    process = fork_worker(store, grace=0.2)
    told: dict[str, Any] = {}
    for _ in range(100):
        told = dict(doing(store, study))
        if told.get("down_for", 0) > 0:
            break
        units.query(store, "SELECT 1")
        signal.sigtimedwait([], 0.1)
    kill(process, signal.SIGTERM)
    assert told["down_for"] > 0 and told["retries"] > 0
