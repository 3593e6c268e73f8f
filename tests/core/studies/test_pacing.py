"""The pace of an endpoint: grows while answers come, halves once a round on trouble, and obeys what it is told."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from core.studies import service
from core.studies.pacing import Bucket, Halted, Pacer, back_off
from storage.store import Store
from tests.core.studies.faulty import begin, work_off
from tests.servers.handle import Misbehaving


class Clock:
    """Time that passes only when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        await asyncio.sleep(0)


def pacer(start: int = 8, most: int = 64, **more: Any) -> tuple[Pacer, Clock]:
    clock = Clock()
    return Pacer(start, most, clock=clock, sleep=clock.sleep, **more), clock


def test_it_grows_by_one_for_each_answer_until_it_is_too_much() -> None:
    pace, _ = pacer()
    pace.in_flight = 8
    for n in range(5):
        pace.good()
        pace.in_flight = int(pace.limit)
        assert pace.limit == 9 + n


def test_a_round_of_failures_halves_once() -> None:
    pace, clock = pacer(start=40)
    sent = clock()
    clock.now += 1
    for _ in range(30):
        pace.bad(sent, None)
    assert pace.limit == 20
    clock.now += 1
    pace.bad(clock() - 0.5, None)
    assert pace.limit == 10


def test_after_an_outage_it_is_soon_back_at_half_of_before() -> None:
    pace, clock = pacer(start=40)
    for _ in range(6):
        clock.now += 10
        pace.bad(clock() - 1, None)
    assert pace.limit == 1
    for _ in range(19):
        pace.in_flight = int(pace.limit)
        pace.good()
    assert pace.limit == 20
    pace.in_flight = 20
    pace.good()
    assert pace.limit == pytest.approx(20.05), "slowly from there on"


def test_an_odd_reply_is_waited_out_at_the_same_pace() -> None:
    pace, clock = pacer(start=40)
    clock.now += 5
    pace.bad(clock() - 1, None, slower=False)
    assert pace.limit == 40 and pace.down_since is not None


def test_an_answer_says_nothing_when_the_limit_is_not_reached() -> None:
    pace, _ = pacer(start=40)
    pace.in_flight = 3
    pace.good()
    assert pace.limit == 40


def entered(pace: Pacer, clock: Clock, count: int) -> list[float]:
    """When each of so many calls was let in; a call takes no time."""

    async def one(moments: list[float]) -> None:
        async with pace.slot(100.0):
            moments.append(clock())

    async def all_of_them() -> list[float]:
        moments: list[float] = []
        await asyncio.gather(*(one(moments) for _ in range(count)))
        return moments

    return asyncio.run(all_of_them())


def test_retry_after_is_obeyed_by_all() -> None:
    pace, clock = pacer()
    pace.bad(clock(), 12.0)
    assert min(entered(pace, clock, 3)) >= 112.0


@pytest.mark.parametrize("which", ["requests", "tokens"])
def test_a_rate_is_kept(which: str) -> None:
    clock = Clock()
    per_minute = {"requests": 60.0, "tokens": 6000.0}[which]
    bucket = Bucket(per_minute, clock)
    pace = Pacer(50, 50, **{which: bucket}, clock=clock, sleep=clock.sleep)
    moments = entered(pace, clock, 20)
    assert max(moments) - min(moments) == pytest.approx(19, abs=2)


def test_who_waits_for_a_place_is_told_when_the_study_stops() -> None:
    async def wait() -> None:
        pace, _ = pacer(start=1)
        async with pace.slot():
            waiting = asyncio.create_task(enter(pace.slot))
            await asyncio.sleep(0)
            pace.halt()
            with pytest.raises(Halted):
                await waiting

    asyncio.run(wait())


async def enter(slot: Callable[[], Any]) -> None:
    async with slot():
        pass


def test_pauses_double_with_jitter_and_have_an_end() -> None:
    assert [back_off(n, None, lambda: 1.0) for n in (1, 2, 3, 9)] == [1.0, 2.0, 4.0, 60.0]
    assert back_off(3, None, lambda: 0.0) == 2.0
    assert 5.0 <= back_off(1, 5.0) <= 5.25
    assert back_off(3, 0.0, lambda: 1.0) == back_off(3, 0.2, lambda: 1.0) == 4.0  # as fast as it can refuse, is too fast


def test_a_budget_is_not_overrun_by_calls_in_flight(store: Store) -> None:
    """Fifty calls at once could each think that there is enough left for one."""
    store.settings.set("prices", [{"host": "127.0.0.1", "model": "measured", "input": 1.0, "output": 2.0}])
    each = (900 + 2 * 60) / 1e6
    with Misbehaving(latency=0.05) as server:
        study = begin(store, server, 200, 50)
        service.set_budget(store, study, 60 * each)
        status = work_off(store, study)
        assert status["state"] == "over budget" and "raise the budget" in status["reason"]
        assert 50 * each < status["cost"] <= 60 * each
        assert status["units"]["done"] == server.seen()["asked"]
        service.set_budget(store, study, 1.0)
        service.start(store, study, worker=False)
        status = work_off(store, study)
    assert status["state"] == "finished" and status["cost"] == pytest.approx(200 * each)
