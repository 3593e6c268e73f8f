"""A study at a server that misbehaves: begun, worked off with a fast clock, and counted on both sides."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from typing import Any

import openai.resources.chat  # noqa: F401 - so that forked workers need not load it each

from benchmarks.prepared import ITEMS, ROOT, design, prepare
from core.studies import service, worker
from storage import units
from storage.store import Store
from tests.servers.handle import Misbehaving

FAST = 80.0  # a minute of the study's clock passes in three quarters of a second


def hurried(fast: float = FAST) -> dict[str, Any]:
    """A workshop whose waiting passes quickly; requests take their real time."""

    async def sleep(seconds: float) -> None:
        await asyncio.sleep(seconds / fast)

    return {"clock": lambda: time.monotonic() * fast, "sleep": sleep, "grace": 2.0}


def begin(store: Store, server: Misbehaving | str, calls: int, at_once: int, **pacing: Any) -> int:
    """A study of ratings at the server, set running for whoever works it off."""
    url = server if isinstance(server, str) else server.base_url
    if store.endpoints.find(name="Measured") is None:
        prepare(store, url, -(-calls // len(ITEMS)))
    study = service.begin(store, design(calls, at_once, **pacing))
    service.start(store, study.id or 0, worker=False)
    return study.id or 0


def work_off(store: Store, study: int, fast: float = FAST, keys: dict[str, str] | None = None, **workshop: Any) -> dict[str, Any]:
    """Work it off here; gives its status, checked for counts that add up."""
    service.work_off(store, keys, **(hurried(fast) | workshop))
    return checked(store, study)


def checked(store: Store, study: int) -> dict[str, Any]:
    """The status, after counting its parts in another way."""
    status = service.status(store, study)
    count = status["units"]
    parts = ("done", "failed", "reused", "unscored", "gone", "waiting")
    assert count["planned"] == sum(count[part] for part in parts), count
    answered = one(store, "SELECT count(DISTINCT unit_id) FROM rating WHERE study_id = :study AND value IS NOT NULL", study)
    assert answered == count["done"], "an answer without its rating, or a rating without its answer"
    twice = one(store, "SELECT count(*) FROM rating WHERE study_id = :study", study)
    assert twice == count["done"] + count["unscored"], "a unit left more than one rating"
    orphans = "SELECT count(*) FROM rating r LEFT JOIN call c ON c.id = r.call_id WHERE r.study_id = :study AND c.id IS NULL"
    assert one(store, orphans, study) == 0
    return status


def one(store: Store, sql: str, study: int) -> int:
    return int(units.query(store, sql, study=study)[0][0])


def reasons(store: Store, study: int) -> set[str]:
    """Codes of what failed or stayed unscored."""
    return {reason.split(":")[0] for _, reason, _ in units.reasons(store, study)}


def attempts(store: Store, study: int) -> list[str]:
    """The errors of all attempts of a study's calls."""
    sql = "SELECT json_extract(a.value, '$.error') FROM call, json_each(call.attempts) a WHERE study_id = :study"
    return [row[0] for row in units.query(store, sql, study=study) if row[0]]


# The worker as a process of its own


def start_worker(store: Store, grace: float = 5.0) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "core.studies.worker", "--database", f"sqlite:///{store.path}", "--grace", str(grace)],
        cwd=ROOT, stderr=subprocess.DEVNULL,
    )  # fmt: skip


class Forked:
    """A worker's process that need not load Python anew; it is killed and waited for like any other."""

    def __init__(self, store: Store, grace: float) -> None:
        self.returncode: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os._exit(worker.main(["--database", f"sqlite:///{store.path}", "--grace", str(grace)]))
            finally:
                os._exit(70)

    def wait(self, longest: float) -> int:
        until = time.monotonic() + longest
        while time.monotonic() < until:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
                return self.returncode
            time.sleep(0.01)
        raise TimeoutError(f"the worker {self.pid} did not end within {longest} s")


def fork_worker(store: Store, grace: float = 5.0) -> Forked:
    return Forked(store, grace)


def answered(store: Store, study: int) -> int:
    return one(store, "SELECT count(*) FROM rating WHERE study_id = :study AND value IS NOT NULL", study)


def wait_until_answered(store: Store, study: int, count: int, longest: float = 20.0) -> int:
    until = time.monotonic() + longest
    while (found := answered(store, study)) < count and time.monotonic() < until:
        time.sleep(0.02)
    return found


def kill(process: "Forked | subprocess.Popen[bytes]", how: int = signal.SIGKILL) -> None:
    with suppress(ProcessLookupError):
        os.kill(process.pid, how)
    process.wait(20)
