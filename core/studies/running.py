"""Running one study: stage after stage, as many units at once as the endpoints allow, until nothing is left."""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from core.errors import DataError, ModelError, StoreError, WorkbenchError, msg
from core.llm.engines import engine_of
from core.llm.gate import is_local
from core.llm.seam import Engine
from core.studies import versions
from core.studies.binding import Shelf, bind_stage
from core.studies.design import Design, Pacing, read_design
from core.studies.execute import Ended, execute
from core.studies.feed import Feed
from core.studies.keyring import Keys
from core.studies.pacing import FIRST, MOST, Clock, Halted, Pacer, Sleep, strictest
from core.studies.prices import OverBudget, Price, Purse, own_prices, price_of
from core.studies.unit import Chair, Desk
from storage import tables, units, writing
from storage.ledger import Ledger
from storage.store import Store
from storage.tables import now

RULES_AT_ONCE = 32  # units in progress on the demo engine: enough to share commits
GRACE = 20.0  # seconds in which calls under way may still answer when a study stops
SAVING = 1.0  # seconds in which what has just come may still be read and handed to the ledger

MOST_IN_A_ROW = (
    20  # units that meet the same fault of ours before the study stops: more would only cost money
)
NO_KEY = msg(
    "The key for {name} is not here: a typed key is kept in memory until the study it was typed for ends. Type it again and resume; nothing was sent."
)
ALL_FAIL = msg(
    "The study stopped after {n} units in a row met the same fault in Rapport itself ({fault}). Everything answered is "
    "saved; the worker's log has where. Resume to go on, or ask the failed units again later."
)  # fmt: skip

Result = TypeVar("Result")


@dataclass
class Workshop:
    """What all studies of one worker share."""

    store: Store
    ledger: Ledger
    keys: Keys = field(default_factory=Keys)  # in memory only
    pacers: dict[tuple[str, str], Pacer] = field(default_factory=dict)
    paced_for: dict[tuple[str, str], dict[int, Pacing]] = field(
        default_factory=dict
    )  # who uses a pacer, and how
    clock: Clock = time.monotonic
    sleep: Sleep = asyncio.sleep
    grace: float = GRACE
    timeout: float | None = None

    def pacer(self, engine: Engine, pacing: Pacing, study_id: int) -> Pacer:
        """The pace of an endpoint and model: as strict as the strictest study that uses it now, else as last time."""
        name = (engine.endpoint.base_url, engine.endpoint.model)
        rules = engine.endpoint.kind == "demo"
        if name not in self.pacers:
            last = self.store.settings.get(pace_name(*name), {}).get("at_once", FIRST)
            most = pacing.at_once or (RULES_AT_ONCE if rules else MOST)
            self.pacers[name] = Pacer(
                most if rules or pacing.at_once else last, most, clock=self.clock, sleep=self.sleep
            )
        self.paced_for.setdefault(name, {})[study_id] = pacing
        self.keep_pace(name, RULES_AT_ONCE if rules else MOST)
        return self.pacers[name]

    def keep_pace(self, name: tuple[str, str], most: int) -> None:
        using = list(self.paced_for[name].values())
        self.pacers[name].keep(
            strictest(one.at_once for one in using) or most,
            strictest(one.requests_per_minute for one in using),
            strictest(one.tokens_per_minute for one in using),
        )

    def leave(self, study_id: int) -> None:
        """A study has ended: what it asked for binds the others no longer."""
        for name, using in self.paced_for.items():
            if using.pop(study_id, None) is not None and using:
                self.keep_pace(name, MOST if name[0] else RULES_AT_ONCE)


def design_of(study: tables.Study) -> Design:
    """The study's design as this version reads it.

    Raises:
        DataError: it does not fit, for instance because another version saved it.
    """
    try:
        return read_design(dict(study.design))
    except DataError as error:
        raise DataError(
            "The design of study {id} does not fit this version of Rapport: {why}. Its answers are saved; download the "
            "design, correct it and begin a new study, which uses them.",
            id=study.id,
            why=error.values.get("why", str(error)),
        ) from error


def pace_name(base_url: str, model: str) -> str:
    return f"pace {base_url} {model}"


class NeedsKey(WorkbenchError):
    """An endpoint's key is neither in the environment nor was it typed for this study."""


class StudyRun:
    """One study in the worker: the room its units are executed in."""

    def __init__(self, workshop: Workshop, study: tables.Study) -> None:
        self.workshop, self.store, self.study = workshop, workshop.store, study
        versions.check(workshop.store, study.id or 0)
        self.design = design_of(study)
        self.shelf = Shelf(self.store)
        spent = units.figures(self.store, study.id or 0).cost
        self.desk = Desk(study.id or 0, workshop.ledger, Purse(study.budget, spent), self.design.pacing)
        self.chairs: dict[int, Chair] = {}
        self.active: dict[asyncio.Task[None], Any] = {}
        self.ending: tuple[str, WorkbenchError | None] | None = None  # state and reason, once it has to stop
        self.in_a_row: tuple[str, int] = ("", 0)  # the fault of ours that the last units met, and how many
        self.halted = asyncio.Event()
        self.trouble = ""  # in words, while the database keeps this study from its next stage
        self.own_prices = own_prices(self.store.settings.get("prices"))

    # The room

    def chair(self, agent_id: int) -> Chair:
        """The agent's engine, paced and priced.

        Raises:
            NeedsKey: its key is not here.
        """
        if agent_id not in self.chairs:
            agent = self.shelf.agent(agent_id)
            engine = self._engine(agent)
            pacer = self.workshop.pacer(engine, self.design.pacing, self.study.id or 0)
            self.chairs[agent_id] = Chair(engine, pacer, self.price(engine), agent)
        return self.chairs[agent_id]

    def _engine(self, agent: tables.Agent) -> Engine:
        keys = self.workshop.keys.of(self.study.id or 0)
        try:
            engine = engine_of(self.store, agent, keys)
        except DataError as error:
            raise NeedsKey(error.message, **error.values) from error
        if engine.endpoint.kind != "demo" and not is_local(engine.endpoint):
            row = self.store.endpoints.get(agent.endpoint_id or 0)
            if not row.key_env and row.base_url not in keys:
                raise NeedsKey(NO_KEY, name=row.name)
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

    async def run(self) -> tuple[str, WorkbenchError | None]:
        """Work the study off; returns its new state and the reason."""
        study_id = self.study.id or 0
        try:
            await self.patiently(units.requeue, self.store, study_id)
            while not self.ending:
                stages = await self.patiently(units.open_stages, self.store, study_id)
                if not stages:
                    return "finished", None
                await self.patiently(bind_stage, self.store, self.study, stages[0])
                await self.run_stage(stages[0])
            return self.ending
        except StoreError as error:
            return "failed", error
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
            self.end("needs the key", error)
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
                self.count_faults(await execute(self, unit))
            except Halted:
                return
            except OverBudget as error:
                self.end("over budget", error)
            except ModelError as error:
                self.end("needs the key" if error.values.get("status") == 401 else "failed", error)
            except NeedsKey as error:
                self.end("needs the key", error)
            except StoreError as error:
                self.end("failed", error)

    def count_faults(self, ended: Ended) -> None:
        """Stop when so many units in a row, and none between them that went well, meet the same fault of ours."""
        before, count = self.in_a_row
        self.in_a_row = (ended.fault, count + 1 if ended.fault == before else 1) if ended.fault else ("", 0)
        if self.in_a_row[1] >= MOST_IN_A_ROW:
            self.end("failed", WorkbenchError(ALL_FAIL, n=self.in_a_row[1], fault=ended.fault))

    def end(self, state: str, reason: WorkbenchError | None = None) -> None:
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
