"""Every fault at its whole length, through the worker's own process and the real clock; prints what happened.

``python -m benchmarks.faults`` runs all (about fifteen minutes), ``… storm kills`` some.
"""

import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.studies import service
from core.studies.lock import WorkerLock
from storage.store import Store, open_store
from tests.core.studies import kills as moments_of
from tests.core.studies.faulty import (
    answered,
    attempts,
    begin,
    checked,
    kill,
    one,
    reasons,
    start_worker,
    wait_until_answered,
    work_off,
)  # fmt: skip
from tests.core.studies.test_full_disk import pages, work_with
from tests.core.studies.test_keys import planned
from tests.servers.handle import Misbehaving

Told = tuple[Store, int, Misbehaving, str]
CALLS, AT_ONCE = 200, 50


def through(store: Store, server: Misbehaving, calls: int = CALLS, at_once: int = AT_ONCE, **pacing: Any) -> int:
    """A study worked off to its end by a worker's process."""
    study = begin(store, server, calls, at_once, **pacing)
    to_its_end(store, study)
    return study


def to_its_end(store: Store, study: int) -> None:
    """Set it running if it stands still, and wait for its end and for the worker's."""
    service.start(store, study)
    service.wait_for(store, study)
    while WorkerLock(store.path or Path()).held():
        time.sleep(0.1)


def behaving(calls: int = CALLS, at_once: int = AT_ONCE, **script: Any) -> Callable[[Store], Told]:
    """A study at a server that behaves so throughout."""

    def run(store: Store) -> Told:
        server = Misbehaving(**({"latency": 0.1} | script))
        return store, through(store, server, calls, at_once), server, ""

    return run


def kills(store: Store) -> Told:
    """kill -9 of the worker at twenty random moments."""
    server, chance, kept = Misbehaving(latency=0.3), random.Random(5), 0
    study = begin(store, server, 2000, 100)
    for _ in range(20):
        worker = start_worker(store)
        wait_until_answered(store, study, kept + 1)
        time.sleep(chance.uniform(0.0, 0.25))
        kill(worker)
        now = answered(store, study)
        assert now >= kept, "a committed answer is gone"
        kept = now
    to_its_end(store, study)
    status, seen = checked(store, study), server.seen()
    assert seen["repeated"] <= status["asked_twice"] <= 20 * 100
    return store, study, server, f"{seen['repeated']} questions were sent again after 20 kills at 100 in flight"


def told_to_go(store: Store) -> Told:
    """SIGTERM, three times."""
    server, kept = Misbehaving(latency=1.0), 0
    study = begin(store, server, CALLS, AT_ONCE)
    for _ in range(3):
        worker = start_worker(store, grace=20.0)
        wait_until_answered(store, study, kept + 10)
        kill(worker, signal.SIGTERM)
        kept = answered(store, study)
        assert kept == server.seen()["answered"], "an answer under way was not saved"
    to_its_end(store, study)
    return store, study, server, "every call under way was answered and saved before the worker went"


def server_killed(store: Store) -> Told:
    """The server is killed and comes back after 20 s, twice."""
    server = Misbehaving(latency=0.2)
    study, port = begin(store, server, 600, AT_ONCE), server.port
    start_worker(store)
    for part in (100, 300):
        wait_until_answered(store, study, part)
        server.kill()
        time.sleep(20)
        server = Misbehaving(port=port, latency=0.2)
    to_its_end(store, study)
    return store, study, server, "waited for the server and went on by itself"


def out_of_reach(url: str) -> Callable[[Store], Told]:
    def run(store: Store) -> Told:
        server = Misbehaving()
        study = begin(store, url, 50, 10, patience_minutes=1)
        work_off(store, study, fast=1.0, keys={url: "k"})
        return store, study, server, ""

    return run


def hang(store: Store) -> Told:
    """Five calls never answer: given up after the engine's whole 180 s."""
    return behaving(fault="hang", every=20, times=5)(store)


def full_disk(store: Store) -> Told:
    """The disk is full for good, then freed and resumed."""
    server = Misbehaving(latency=0.1)
    study = begin(store, server, 400, 20)
    work_with(store, patience=5.0, limit_pages=pages(store) + 60)
    reason, saved = service.status(store, study)["reason"], answered(store, study)
    to_its_end(store, study)
    return store, study, server, f"at {saved} saved: {reason}"


def locked(store: Store) -> Told:
    """Another process holds the database for 30 s."""
    server = Misbehaving(latency=0.1)
    study = begin(store, server, 600, AT_ONCE)
    start_worker(store)
    wait_until_answered(store, study, 100)
    hold = "import sqlite3,sys,time; c=sqlite3.connect(sys.argv[1],isolation_level=None,timeout=20); c.execute('BEGIN EXCLUSIVE'); time.sleep(30); c.execute('COMMIT')"
    holder = subprocess.Popen([sys.executable, "-c", hold, str(store.path)])
    time.sleep(3)
    before = server.seen()["asked"]
    holder.wait()
    sent = server.seen()["asked"] - before
    to_its_end(store, study)
    return store, study, server, f"{sent} calls were sent while nothing could be saved"


def key_refused(store: Store) -> Told:
    """401 in mid-study; the key is mended and the study resumed."""
    server = Misbehaving(latency=0.1, fault="key", after=80)
    study = through(store, server)
    status = service.status(store, study)
    server.behave(fault="")
    to_its_end(store, study)
    return store, study, server, f"at {status['units']['done']} done: {status['state']}: {status['reason']}"


FAULTS: dict[str, tuple[str, Callable[[Store], Told]]] = {
    "storm": ("429 above 30 in flight, no Retry-After", behaving(500, 100, most=30)),
    "asked": ("429 above 30 in flight, Retry-After: 2", behaving(500, 100, most=30, retry_after="2")),
    "500": ("500, every third", behaving(fault="500", every=3)),
    "502": ("502, every third", behaving(fault="502", every=3)),
    "503": ("503 with Retry-After: 1, every third", behaving(fault="503", every=3, retry_after="1")),
    "refused": ("connection refused throughout", out_of_reach("http://127.0.0.1:9/v1")),
    "dns": ("no such host", out_of_reach("http://endpoint.invalid/v1")),
    "hang": ("hang, 5 calls", hang),
    "trickle": ("slow trickle, 5 calls (a byte a second)", behaving(fault="trickle", every=20, times=5, pause=1.0)),
    "drop": ("connection dropped, every third", behaving(fault="drop", every=3)),
    "cut": ("cut stream, every third", behaving(fault="cut", every=3)),
    "malformed": ("malformed JSON body, every third", behaving(fault="malformed", every=3)),
    "choices": ("empty choices, every third", behaving(fault="no choices", every=3)),
    "filter": ("finish reason content_filter, every tenth", behaving(fault="content_filter", every=10)),
    "filtered": ("prompt refused by a filter, every tenth", behaving(fault="filtered", every=10)),
    "length": ("finish reason length, every tenth", behaving(fault="length", every=10)),
    "context": ("context overflow, every tenth", behaving(fault="too_long", every=10)),
    "schema400": ("json_schema refused with 400", behaving(refuse_formats=["json_schema"])),
    "schema422": ("json_schema refused with 422", behaving(refuse_formats=["json_schema"], refuse_status=422)),
    "schema500": ("json_schema refused with 500", behaving(refuse_formats=["json_schema"], refuse_status=500)),
    "ignored": ("reply format ignored, every tenth", behaving(fault="prose", every=10)),
    "setting": ("unknown parameter refused", behaving(refuse_settings=["seed"])),
    "usage": ("usage not reported", behaving(usage=False)),
    "key": ("401 in mid-study", key_refused),
    "kills": ("kill -9 of the worker, 20 random moments", kills),
    "go": ("SIGTERM, three times", told_to_go),
    "server": ("kill of the server, away for 20 s, twice", server_killed),
    "disk": ("disk full, later freed", full_disk),
    "locked": ("database locked by another process for 30 s", locked),
}  # fmt: skip


def moments(folder: Path) -> str:
    """Twenty kills of each kind of work, at random moments."""
    words = []
    for kind in moments_of.KINDS:
        seen = moments_of.run(open_store(folder / kind / "rapport.db"), kind, kills=20, seed=9, size=4)
        words.append(f"{kind}: {seen['died']} kills hit, {seen['asked']} questions, {seen['repeated']} asked again of {seen['asked_twice']} counted")
    return "; ".join(words)


def starts(folder: Path) -> str:
    """Twelve starts of a worker with a typed key, one after the other."""
    with Misbehaving(keys=["typed"]) as server:
        ended = []
        for n in range(12):
            store = open_store(folder / f"{n}" / "rapport.db")
            study = planned(store, server)
            service.start(store, study, {server.base_url: "typed"})
            ended.append(service.wait_for(store, study, longest=60))
        keys = server.seen()["keys"]
    return f"{ended.count('finished')} of 12 finished; questions by key: {keys}"


MORE: dict[str, tuple[str, Callable[[Path], str]]] = {
    "moments": ("kill -9 of the worker, 20 random moments of each kind of work", moments),
    "starts": ("a typed key and a worker that starts first, 12 times", starts),
}


def told(name: str, ran: Told, seconds: float) -> str:
    """One row of the table, after counting everything in two ways."""
    store, study, server, more = ran
    status, seen = checked(store, study), server.seen()
    count = status["units"]
    retries = len(attempts(store, study))
    words = [more] if more else []
    if status["reason"]:
        words.append(f"{status['state']}: {status['reason']}")
    if found := reasons(store, study):
        words.append("reason: " + ", ".join(sorted(found)))
    if name != "server":
        words.append(f"{one(store, 'SELECT count(DISTINCT unit_id) FROM call WHERE study_id = :study', study)} units with a call")
    return (
        f"| {FAULTS[name][0]} | {count['done']} / {count['unscored']} / {count['failed']} / {count['waiting']} "
        f"| {status['requests']} | {retries} | {status['asked_twice']} | {seen['answered_again']} | {seconds:.0f} s | {'; '.join(words)} |"
    )


def main() -> None:
    wanted = sys.argv[1:] or [*FAULTS, *MORE]
    print("| fault | done / unscored / failed / waiting | requests | failed requests | asked twice | answered twice | took | what happened |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    for name in wanted:
        with tempfile.TemporaryDirectory() as folder:
            start = time.monotonic()
            try:
                if name in MORE:
                    words = MORE[name][1](Path(folder))
                    print(f"| {MORE[name][0]} | | | | | | {time.monotonic() - start:.0f} s | {words} |", flush=True)
                    continue
                ran = FAULTS[name][1](open_store(Path(folder) / "faults.db"))
                print(told(name, ran, time.monotonic() - start), flush=True)
                ran[2].kill()
            except (AssertionError, sqlite3.Error) as error:
                print(f"| {(FAULTS | MORE)[name][0]} | FAILED: {error!r} |", flush=True)


if __name__ == "__main__":
    main()
