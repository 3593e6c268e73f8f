"""Running one study: stage after stage, as many units at once as the endpoints allow, until nothing is left."""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from core.errors import DataError, ModelError, StoreError
from core.llm.engines import engine_of
from core.llm.gate import is_local
from core.llm.seam import Engine
from core.studies.binding import Shelf, bind_stage
from core.studies.design import Design, Pacing
from core.studies.execute import execute
from core.studies.feed import Feed
from core.studies.pacing import FIRST, MOST, Bucket, Clock, Halted, Pacer, Sleep
from core.studies.prices import OverBudget, Price, Purse, price_of, read_prices
from core.studies.unit import Chair, Desk
from storage import tables, units, writing
from storage.ledger import Ledger
from storage.store import Store
from storage.tables import now

RULES_AT_ONCE = 32  # units in progress on the demo engine: enough to share commits
GRACE = 20.0  # seconds in which calls under way may still answer when a study stops
SAVING = 1.0  # seconds in which what has just come may still be read and handed to the ledger

Result = TypeVar("Result")


@dataclass
class Workshop:
    """What all studies of one worker share."""

    store: Store
    ledger: Ledger
    keys: dict[str, str] = field(default_factory=dict)  # by base URL; in memory only
    pacers: dict[tuple[str, str], Pacer] = field(default_factory=dict)
    clock: Clock = time.monotonic
    sleep: Sleep = asyncio.sleep
    grace: float = GRACE
    timeout: float | None = None

    def pacer(self, engine: Engine, pacing: Pacing) -> Pacer:
        """The pace of an endpoint and model, begun as the study says, else as it was last time."""
        name = (engine.endpoint.base_url, engine.endpoint.model)
        if name not in self.pacers:
            rules = engine.endpoint.kind == "demo"
            most = pacing.at_once or (RULES_AT_ONCE if rules else MOST)
            last = self.store.settings.get(pace_name(*name), {}).get("at_once", FIRST)
            per_minute = (pacing.requests_per_minute, pacing.tokens_per_minute)
            requests, tokens = (Bucket(rate, self.clock) if rate else None for rate in per_minute)
            start = most if rules or pacing.at_once else last
            self.pacers[name] = Pacer(start, most, requests, tokens, self.clock, self.sleep)
        return self.pacers[name]


def pace_name(base_url: str, model: str) -> str:
    return f"pace {base_url} {model}"


class NeedsKey(Exception):
    """An endpoint's key is neither in the environment nor was it typed for this worker."""


class StudyRun:
    """One study in the worker: the room its units are executed in."""

    def __init__(self, workshop: Workshop, study: tables.Study) -> None:
        self.workshop, self.store, self.study = workshop, workshop.store, study
        self.design = Design.model_validate(study.design)
        self.shelf = Shelf(self.store)
        spent = units.figures(self.store, study.id or 0).cost
        self.desk = Desk(study.id or 0, workshop.ledger, Purse(study.budget, spent), self.design.pacing)
        self.chairs: dict[int, Chair] = {}
        self.active: dict[asyncio.Task[None], Any] = {}
        self.ending: tuple[str, str] | None = None  # state and reason, once the study has to stop
        self.halted = asyncio.Event()
        self.trouble = ""  # in words, while the database keeps this study from its next stage
        self.own_prices = read_prices(self.store.settings.get("prices", []) or [])

    # The room

    def chair(self, agent_id: int) -> Chair:
        """The agent's engine, paced and priced.

        Raises:
            NeedsKey: its key is not here.
        """
        if agent_id not in self.chairs:
            agent = self.shelf.agent(agent_id)
            engine = self._engine(agent)
            pacer = self.workshop.pacer(engine, self.design.pacing)
            self.chairs[agent_id] = Chair(engine, pacer, self.price(engine), agent)
        return self.chairs[agent_id]

    def _engine(self, agent: tables.Agent) -> Engine:
        try:
            engine = engine_of(self.store, agent, self.workshop.keys)
        except DataError as error:
            raise NeedsKey(str(error)) from error
        if engine.endpoint.kind != "demo" and not is_local(engine.endpoint):
            row = self.store.endpoints.get(agent.endpoint_id or 0)
            if not row.key_env and row.base_url not in self.workshop.keys:
                raise NeedsKey(
                    f"The key for {row.name} was typed for a browser session that is over. Type it again on Models "
                    "and agents, then resume; nothing was sent."
                )
        if hasattr(engine, "_on_learn"):
            engine._on_learn = lambda learned: self.learn(agent.endpoint_id or 0, learned)
        if self.workshop.timeout is not None and hasattr(engine, "_timeout"):
            engine._timeout = self.workshop.timeout
        return engine

    def learn(self, endpoint_id: int, learned: Mapping[str, Any]) -> None:
        """Keep what an endpoint taught with the next group: a locked database must not hold up the answers."""
        self.workshop.ledger.post(lambda c: writing.keep_learned(c, endpoint_id, learned))

    def price(self, engine: Engine) -> Price | None:
        return price_of(engine.endpoint, self.own_prices)

    def stopping(self) -> bool:
        return self.desk.stopping

    # The story

    async def run(self) -> tuple[str, str]:
        """Work the study off; returns its new state and the reason in words."""
        study_id = self.study.id or 0
        try:
            await self.patiently(units.requeue, self.store, study_id)
            while not self.ending:
                stages = await self.patiently(units.open_stages, self.store, study_id)
                if not stages:
                    return "finished", ""
                await self.patiently(bind_stage, self.store, self.study, stages[0])
                await self.run_stage(stages[0])
            return self.ending
        except StoreError as error:
            return "failed", str(error)
        finally:
            await self.close()

    async def patiently(self, work: Callable[..., Result], *given: Any) -> Result:
        """Do it in a thread, again while the database is locked or full, as the ledger does with answers."""
        until = time.monotonic() + self.workshop.ledger.patience
        while True:
            try:
                done = await asyncio.to_thread(work, *given)
                self.trouble = ""
                return done
            except StoreError as error:
                if self.ending or time.monotonic() > until:
                    raise
                self.trouble = str(error)
                await asyncio.sleep(0.2)

    async def run_stage(self, stage: int) -> None:
        """All units of one stage, in their order, by as many hands as the endpoints can take."""
        feed = Feed(self.shelf, self.study.id or 0, stage)
        first = await feed.next()
        if first is None:
            return
        feed.put_back(first)
        try:
            hands = self.hands(feed)
        except NeedsKey as error:
            self.end("needs the key", str(error))
            return
        tasks = [asyncio.create_task(self.work(feed), name=f"unit {n}") for n in range(hands)]
        watch = asyncio.create_task(self.watch(tasks))
        try:
            await asyncio.gather(*tasks, return_exceptions=True)
        finally:
            watch.cancel()
        for task in tasks:
            if not task.cancelled() and (fault := task.exception()) is not None:
                raise fault

    def hands(self, feed: Feed) -> int:
        """Units in progress at once: as many as all engines of the stage may have under way, and some that save."""
        agents = units.agents_of(self.store, self.study.id or 0, feed.stage)
        pacers = {id(chair.pacer): chair.pacer for chair in map(self.chair, agents)}
        most = sum(pacer.most for pacer in pacers.values())
        return most + max(4, most // 4)

    async def work(self, feed: Feed) -> None:
        """One pair of hands: unit after unit until none is left or the study stops."""
        while not self.desk.stopping and (unit := await feed.next()) is not None:
            try:
                await execute(self, unit)
            except Halted:
                return
            except OverBudget as error:
                self.end("over budget", str(error))
            except ModelError as error:
                self.end("needs the key" if error.values.get("status") == 401 else "failed", str(error))
            except NeedsKey as error:
                self.end("needs the key", str(error))
            except StoreError as error:
                self.end("failed", str(error))

    def end(self, state: str, reason: str) -> None:
        """Take up nothing further; the first reason counts."""
        self.ending = self.ending or (state, reason)
        self.desk.stopping = True
        self.halted.set()

    async def watch(self, tasks: list["asyncio.Task[None]"]) -> None:
        """When the study stops: let calls under way answer for a while, then let go of the rest."""
        await self.halted.wait()
        until = time.monotonic() + self.workshop.grace
        while time.monotonic() < until and self.desk.flying:
            await asyncio.sleep(0.05)
        await asyncio.wait(tasks, timeout=SAVING)
        for task in tasks:
            task.cancel()

    async def close(self) -> None:
        for chair in self.chairs.values():
            pacer, endpoint = chair.pacer, chair.inner.endpoint
            if endpoint.kind != "demo" and pacer.in_flight == 0:
                learned = {"at_once": max(1, int(pacer.limit)), "when": now()}
                name = pace_name(endpoint.base_url, endpoint.model)
                self.workshop.ledger.post(lambda c, n=name, v=learned: writing.keep_setting(c, n, v))  # type: ignore[misc]
            closing = getattr(chair.inner, "close", None)
            if closing is not None:
                await closing()

    def doing(self) -> Mapping[str, Any]:
        """What this study is doing just now, for the page."""
        pacers = {id(c.pacer): c.pacer for c in self.chairs.values()}.values()
        down = max((p.down_for for p in pacers), default=0.0)
        wait = max((p.paused_until - p.clock() for p in pacers), default=0.0)
        return {
            "at_once": sum(p.in_flight for p in pacers),
            "limit": sum(int(p.limit) for p in pacers),
            "retries": sum(p.retries for p in pacers),
            "down_for": round(down, 1),
            "wait": round(max(0.0, wait), 1),
            "trouble": self.trouble or self.workshop.ledger.trouble,
        }
