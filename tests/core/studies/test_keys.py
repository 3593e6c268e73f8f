"""A key typed on the page reaches a worker that has to start first, serves its study, and is gone with it."""

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from benchmarks.prepared import JUDGE, prepare
from core.errors import StoreError
from core.llm.seam import Endpoint
from core.studies import keyring, service, starting, worker
from core.studies.design import Pacing
from core.studies.lock import WorkerLock
from core.studies.running import Workshop
from storage import units
from storage.store import Store, open_store
from tests.core.studies.faulty import begin
from tests.servers.handle import Misbehaving

STARTS = 4  # ``python -m benchmarks.faults starts`` does twelve
ANA, BEN = "typed-by-ana", "typed-by-ben"


@pytest.fixture(autouse=True)
def _workers() -> Iterator[None]:
    """Workers this test started end with it."""
    yield
    for process in starting._started:
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGTERM)
        process.wait(20)


def planned(store: Store, server: Misbehaving, name: str = "Typed", calls: int = 4, **pacing: float) -> int:
    """A study at the server that nobody has started."""
    if store.agents.find(name=JUDGE) is None:
        prepare(store, server.base_url, 1)
    step = {"kind": "ratings", "sessions": [1], "items": [f"Q{n}" for n in range(1, calls + 1)], "repeats": 1, "judge": JUDGE}
    return service.begin(store, {"name": name, "fresh_draws": True, "pacing": pacing, "steps": [step]}).id or 0


def units_in(store: Store, study: int) -> set[str]:
    return {row.state for row in units.query(store, "SELECT state FROM unit WHERE study_id = :id", id=study)}


def no_worker(store: Store) -> None:
    """Wait until the worker has left."""
    assert store.path is not None
    for process in starting._started:
        process.terminate()
        process.wait(20)
    assert not WorkerLock(store.path).held()


def test_a_typed_key_arrives_at_a_worker_that_starts_first_every_time(tmp_path: Path) -> None:
    ended = []
    with Misbehaving(keys=[ANA]) as server:
        stores = [open_store(tmp_path / f"{n}" / "rapport.db") for n in range(STARTS)]
        studies = [planned(store, server) for store in stores]
        for store, study in zip(stores, studies, strict=True):
            service.start(store, study, {server.base_url: ANA, "https://other.example/v1": "not-for-it"})
        for store, study in zip(stores, studies, strict=True):
            ended.append(service.wait_for(store, study, longest=30))
        seen = server.seen()
    assert ended == ["finished"] * STARTS
    assert seen["keys"] == {ANA: STARTS * 4}


def test_resuming_hands_the_key_over_again_to_the_next_worker(store: Store) -> None:
    with Misbehaving(keys=[ANA]) as server:
        study = planned(store, server)
        service.start(store, study, {server.base_url: BEN})
        assert service.wait_for(store, study, longest=30) == "needs the key"
        no_worker(store)
        service.start(store, study, {server.base_url: ANA})
        assert service.wait_for(store, study, longest=30) == "finished"
        again = planned(store, server, "Later")
        service.start(store, again)  # the same worker: Ana's study has ended, and her key with it
        assert service.wait_for(store, again, longest=30) == "needs the key"
        assert ANA not in {key for key, count in server.seen()["keys"].items() if count > 4}


@pytest.mark.parametrize("key", ["sk-12345678\nabc", "schlüssel-12345678"])
def test_a_key_that_cannot_be_sent_is_asked_for_at_once(store: Store, key: str) -> None:
    """It counted as an endpoint out of reach, and was tried for a quarter of an hour."""
    nowhere = cast(Misbehaving, SimpleNamespace(base_url="http://127.0.0.1:9/v1"))
    study = planned(store, nowhere)
    service.start(store, study, worker=False)
    service.work_off(store, keys={nowhere.base_url: key})
    row = store.studies.get(study)
    assert (row.state, units_in(store, study)) == ("needs the key", {"planned"})
    assert "cannot be sent" in row.reason and key not in row.reason


def test_a_waiting_study_goes_on_when_its_key_arrives(store: Store) -> None:
    with Misbehaving(keys=[ANA]) as server:
        study = planned(store, server)
        service.start(store, study, {server.base_url: BEN})
        assert service.wait_for(store, study, longest=30) == "needs the key"
        service.give_keys(store, study, {server.base_url: ANA})
        until = time.monotonic() + 20
        while store.studies.get(study).state != "finished" and time.monotonic() < until:
            time.sleep(0.05)
        assert store.studies.get(study).state == "finished"


def test_nobody_elses_study_at_the_address_uses_the_key(store: Store) -> None:
    with Misbehaving(latency=0.3, keys=[ANA]) as server:
        hers, his = planned(store, server, "Hers", 6, at_once=1), planned(store, server, "His", 3)
        service.start(store, hers, {server.base_url: ANA})
        service.start(store, his)
        assert service.wait_for(store, his, longest=30) == "needs the key", "beside hers, which runs"
        assert service.wait_for(store, hers, longest=30) == "finished"
        assert server.seen()["keys"][ANA] == 6


def test_a_worker_that_is_leaving_takes_no_key(store: Store) -> None:
    async def hand(work: worker.Worker) -> tuple[bool, bool]:
        before = work.take_keys(1, {"http://127.0.0.1/v1": ANA})
        work.leaving.set()
        return before, work.take_keys(1, {"http://127.0.0.1/v1": ANA})

    async def both() -> tuple[bool, bool]:
        work = worker.Worker(store)
        try:
            return await hand(work)
        finally:
            work.workshop.ledger.close()

    assert asyncio.run(both()) == (True, False)


def test_keys_of_an_ended_study_are_dropped() -> None:
    keys = keyring.Keys()
    keys.keep(1, {"u": ANA})
    keys.keep(2, {"u": BEN})
    keys.drop(1)
    assert (keys.of(1), keys.of(2), keys.holders()) == ({}, {"u": BEN}, [2])


def test_a_study_whose_key_nobody_takes_is_not_started(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyring, "hand_over", lambda *_: False)
    monkeypatch.setattr(service, "start_worker", lambda _: False)
    with Misbehaving() as server:
        study = planned(store, server)
        with pytest.raises(StoreError, match="did not take the key"):
            service.give_keys(store, study, {server.base_url: ANA}, wait=0.1)
    assert store.studies.get(study).state == "planned"


def test_the_strictest_pace_of_the_running_studies_holds(store: Store) -> None:
    """Thirty a minute asked for beside a study without a limit is thirty a minute for both."""
    with Misbehaving(latency=0.2) as server:
        quick, strict = begin(store, server, 40, 2), begin(store, server, 20, 4, requests_per_minute=30)
        work_for(store, [quick, strict], 2.0)
        assert server.seen()["asked"] <= 6, "two before the strict one was known, then one each two seconds"


def test_an_ended_study_binds_the_others_no_longer(store: Store) -> None:
    engine = cast(Any, SimpleNamespace(endpoint=Endpoint("openai", "http://127.0.0.1:9/v1", "m"), version="1"))
    shop = Workshop(store, cast(Any, None))
    pacer = shop.pacer(engine, Pacing(at_once=20), 1)
    assert shop.pacer(engine, Pacing(at_once=4, requests_per_minute=30, tokens_per_minute=900), 2) is pacer
    shop.pacer(engine, Pacing(requests_per_minute=60), 3)
    assert pacer.requests is not None and pacer.tokens is not None
    assert (pacer.most, pacer.limit, pacer.requests.per_minute, pacer.tokens.per_minute) == (4, 4, 30, 900)
    shop.leave(2)
    assert (pacer.most, pacer.requests.per_minute, pacer.tokens) == (20, 60, None)
    shop.leave(3)
    assert pacer.requests is None


def work_for(store: Store, studies: list[int], seconds: float) -> None:
    """A worker takes the studies up in this order and is told to go after so many seconds."""

    async def run() -> None:
        work = worker.Worker(store, idle=0.0, grace=0.1)
        for study in studies:
            store.studies.update(study, state="running")
            await work.look()
        going = asyncio.create_task(work.run())
        await asyncio.sleep(seconds)
        work.go()
        await going

    asyncio.run(run())
