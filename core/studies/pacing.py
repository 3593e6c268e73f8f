"""As fast as an endpoint allows: how many calls at once, how often, and when to wait.

Concurrency grows by one for each answer up to what was good before, then by one for each round of answers, and
halves once a round on 429, 5xx and time-outs (additive increase, multiplicative decrease). Time comes in as ``clock`` and
``sleep`` so that tests can scale it.
"""

import asyncio
import random
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

FIRST = 8  # calls at once at an endpoint nobody knows yet
MOST = 64  # calls at once where nobody set a number
LONGEST_PAUSE = 60.0  # seconds between two tries of our own choosing
SHORTEST_PAUSE = 1.0  # seconds; an endpoint that asks for less gets our own
Number = TypeVar("Number", int, float)
Clock = Callable[[], float]
Sleep = Callable[[float], Awaitable[Any]]


class Halted(Exception):
    """The study is stopping: nothing further is sent. Not an error of the unit."""


@dataclass
class Bucket:
    """A rate: ``per_minute`` tokens flow in, ``burst`` at most are kept; taking may go into debt."""

    per_minute: float
    clock: Clock = time.monotonic
    level: float = field(init=False)
    at: float = field(init=False)

    def __post_init__(self) -> None:
        self.level, self.at = self.burst, self.clock()

    @property
    def burst(self) -> float:
        return max(1.0, self.per_minute / 60.0)

    def wait(self) -> float:
        """Seconds until something may be taken."""
        now = self.clock()
        self.level = min(self.burst, self.level + (now - self.at) * self.per_minute / 60.0)
        self.at = now
        return 0.0 if self.level > 0 else -self.level * 60.0 / self.per_minute + 1e-3

    def take(self, amount: float) -> None:
        self.level -= amount

    def become(self, per_minute: float) -> None:
        """Another rate from now on; what was saved up or owed stays, up to the new burst."""
        self.wait()
        self.per_minute = per_minute
        self.level = min(self.level, self.burst)


def strictest(wished: Iterable[Number | None]) -> Number | None:
    """The lowest of what was wished for; ``None`` when nobody wished."""
    return min((one for one in wished if one is not None), default=None)


class Pacer:
    """The pace of one endpoint and model, shared by everything a worker asks of it.

    Args:
        start, most: calls at once, at first and at most.
        requests, tokens: rates to keep, if any.
    """

    def __init__(
        self,
        start: int = FIRST,
        most: int = MOST,
        requests: Bucket | None = None,
        tokens: Bucket | None = None,
        clock: Clock = time.monotonic,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self.limit, self.most = float(min(start, most)), most
        self.requests, self.tokens = requests, tokens
        self.clock, self.sleep = clock, sleep
        self.in_flight = 0
        self.quick_to = float(most)  # growth is quick below it: half of what was too much the last time
        self.paused_until = 0.0
        self.down_since: float | None = None
        self.last_cut = -1.0
        self.retries = 0
        self._queue: deque[tuple[asyncio.Future[None], float]] = deque()
        self._timer: asyncio.Task[None] | None = None
        self.halting = False

    def keep(self, most: int, requests: float | None, tokens: float | None) -> None:
        """Keep these bounds from now on: calls at once at most, and rates a minute where given."""
        self.most, self.limit = most, min(self.limit, float(most))
        self.quick_to = min(self.quick_to, float(most)) if self.last_cut >= 0 else float(most)
        self.requests = self._bucket(self.requests, requests)
        self.tokens = self._bucket(self.tokens, tokens)
        if self._queue:
            self._wake()

    def _bucket(self, bucket: Bucket | None, per_minute: float | None) -> Bucket | None:
        if per_minute is None or bucket is None:
            return None if per_minute is None else Bucket(per_minute, self.clock)
        if bucket.per_minute != per_minute:
            bucket.become(per_minute)
        return bucket

    @asynccontextmanager
    async def slot(self, tokens: float = 0.0) -> AsyncIterator[float]:
        """Wait for a place; gives the moment it was granted. Raises ``Halted`` when the worker stops."""
        await self._enter(tokens)
        try:
            yield self.clock()
        finally:
            self._leave()

    async def _enter(self, tokens: float) -> None:
        if self.halting:
            raise Halted
        if not self._queue and self.in_flight < int(self.limit) and self._hold() <= 0:
            self._take(tokens)
            return
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.append((place, tokens))
        self._wake()
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled() and place.exception() is None:
                self._leave()
            raise

    def _take(self, tokens: float) -> None:
        self.in_flight += 1
        if self.requests is not None:
            self.requests.take(1)
        if self.tokens is not None:
            self.tokens.take(tokens)

    def _leave(self) -> None:
        self.in_flight -= 1
        self._wake()

    def _hold(self) -> float:
        """Seconds for which nothing may be sent: an obeyed Retry-After, or a rate."""
        rates = [bucket.wait() for bucket in (self.requests, self.tokens) if bucket is not None]
        return max([self.paused_until - self.clock(), 0.0, *rates])

    def _wake(self) -> None:
        """Grant places to those at the front while there is room; set an alarm if only time is lacking."""
        while self._queue and self.in_flight < int(self.limit):
            hold = self._hold()
            if hold > 0:
                self._alarm(hold)
                return
            place, tokens = self._queue.popleft()
            if not place.done():
                self._take(tokens)
                place.set_result(None)

    def _alarm(self, seconds: float) -> None:
        if self._timer is None:

            async def ring() -> None:
                await self.sleep(min(seconds, 1.0))
                self._timer = None
                self._wake()

            self._timer = asyncio.get_running_loop().create_task(ring())

    def good(self) -> None:
        """An answer came: grow."""
        self.down_since = None
        if self.in_flight < 0.75 * int(self.limit):
            return  # the limit is not what holds us back, so the answer says nothing about it
        self.limit = min(float(self.most), self.limit + (1.0 if self.limit < self.quick_to else 1.0 / self.limit))
        self._wake()

    def bad(self, sent_at: float, retry_after: float | None, slower: bool = True) -> None:
        """The endpoint was too busy or failed: halve, once for all calls that were under way together.

        A reply that is only odd (``slower=False``) says nothing about the pace.
        """
        now = self.clock()
        if self.down_since is None:
            self.down_since, self.quick_to = now, self.limit / 2 if slower else self.quick_to
        if slower and sent_at > self.last_cut:
            self.limit, self.last_cut = max(1.0, self.limit / 2), now
        if retry_after:
            self.paused_until = max(self.paused_until, now + retry_after)

    def halt(self) -> None:
        """Send nothing more; whoever waits for a place is told."""
        self.halting = True
        while self._queue:
            place, _ = self._queue.popleft()
            if not place.done():
                place.set_exception(Halted())

    def silent_since(self, moment: float) -> bool:
        """Whether no answer has come to anybody since that moment."""
        return self.down_since is not None and self.down_since <= moment

    @property
    def down_for(self) -> float:
        """Seconds without any answer since the first failure after the last one."""
        return 0.0 if self.down_since is None else self.clock() - self.down_since


def back_off(tries: int, asked: float | None, chance: Callable[[], float] = random.random) -> float:
    """Seconds before the next try: what the endpoint asked for and a little more, else doubling with jitter.

    An endpoint that asks for no time at all gets ours: else it is asked as fast as it can refuse.
    """
    if asked is not None and asked >= SHORTEST_PAUSE:
        return asked + 0.25 * chance()
    most: float = min(LONGEST_PAUSE, 0.5 * 2.0**tries)
    return most * (0.5 + 0.5 * chance())
