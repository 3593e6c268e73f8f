"""One unit being asked: its engines are paced, paid for and counted; its calls are kept in grouped commits."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any

from core.errors import ModelError, msg
from core.llm.asking import failed_fields, send, texts_of
from core.llm.lessons import MOST
from core.llm.seam import Answer, Attempt, Endpoint, Engine, Question, Usage
from core.studies.design import Pacing
from core.studies.pacing import Halted, Pacer, back_off
from core.studies.prices import Price, Purse, tokens_of
from core.studies.replay import answer_again, stored_key
from storage import tables, writing
from storage.ledger import Ledger
from storage.waiting import Waiting

BUSY = (429, 502, 503, 504)
ODD = ("malformed", "no choice", "unfinished")
OF_ONE_REPLY = ("timeout", "stream", *ODD)
BUSY_TRIES = 5  # times as many tries where the endpoint only says that it is busy
REPLY_TOKENS = 600  # set aside for a reply whose length nobody has limited or seen


class AnsweredElsewhere(Exception):
    """Another unit's answer with the same key was committed while this one waited for its turn."""

    def __init__(self, source: int, state: str, result: str) -> None:
        super().__init__()
        self.source, self.state, self.result = source, state, result


@dataclass
class Seen:
    """What replies of one engine were like in this run: for what to set aside before the next call."""

    replies: int = 0
    tokens: float = 0.0

    def add(self, usage: Usage) -> None:
        self.replies += 1
        self.tokens += usage.output or 0

    def likely(self, limit: int | None) -> float:
        """Tokens a reply may have, on the safe side."""
        if self.replies >= 20:
            return 2.0 * self.tokens / self.replies
        return float(limit or REPLY_TOKENS)


@dataclass
class Chair:
    """One agent's engine in a study, with its endpoint's pace and price."""

    inner: Engine
    pacer: Pacer
    price: Price | None
    agent: Any = None
    seen: Seen = field(default_factory=Seen)


@dataclass
class Desk:
    """What all units of a study share."""

    study_id: int
    ledger: Ledger
    purse: Purse
    pacing: Pacing
    stopping: bool = False
    flying: int = 0  # requests under way


class Asking:
    """One unit on its way. ``engine(chair)`` gives services an engine; ``keep`` stores their calls."""

    def __init__(self, desk: Desk, unit: Waiting) -> None:
        self.desk, self.unit = desk, unit
        self.claimed = False
        self.flying = False  # a request is under way
        self.owed = False  # an answer came that is not committed yet
        self.made: dict[str, int] = {}  # records this unit made, by noun
        self.prices: dict[str, Price | None] = {}
        self.stored: dict[tuple[str, int, str], dict[str, Any]] = {}
        self.came: tuple[PacedEngine, Question, Answer] | None = None  # a reply that is not committed yet

    def engine(self, chair: Chair) -> "PacedEngine":
        return PacedEngine(self, chair)

    @contextmanager
    def flight(self) -> Iterator[None]:
        """A request is under way; one that is cut off in mid-air stays so, to be counted when asked again."""
        self.flying = True
        self.desk.flying += 1
        try:
            yield
        except ModelError:
            self.flying = False
            raise
        else:
            self.flying = False
        finally:
            self.desk.flying -= 1

    async def claim(self) -> None:
        """Commit the unit's row before its first call.

        Raises:
            AnsweredElsewhere: the answer is in the store by now.
        """
        if self.claimed:
            return
        self.claimed = True
        found = await self.desk.ledger.write(lambda c: writing.claim(c, self.unit))
        if found is not None:
            raise AnsweredElsewhere(*found)

    def rest(self) -> None:
        """Nothing is under way for a while: were the worker killed now, nothing would be asked twice."""
        if self.claimed and not self.made:
            self.claimed = False
            self.desk.ledger.post(lambda c: writing.release(c, self.unit.id))

    def pack(
        self, fields: dict[str, Any], messages: list[dict[str, str]], raw: str, price: Price | None
    ) -> writing.Packed:
        """A call ready to be written, with its cost; the schema of a reply format is named, not repeated."""
        sent = dict(fields["sent"])
        form = sent.get("response_format")
        if isinstance(form, dict) and "json_schema" in form:
            sent["response_format"] = {"type": "json_schema", "name": form["json_schema"]["name"]}
        more = {
            "study_id": self.desk.study_id,
            "unit_id": self.unit.id,
            "sent": sent,
            "cost": cost_of(fields, price),
        }
        return writing.pack_call(fields | more, messages, raw)

    async def keep(self, fields: dict[str, Any], messages: list[dict[str, str]], raw: str) -> int:
        """Commit one call of a service; an answer that was replayed keeps the call it has."""
        known = self.stored.get(stored_key(fields["prompt_hash"], fields["seed"], messages))
        if known is not None:
            return int(known["id"])
        packed = self.pack(fields, messages, raw, self.prices.get(f"{fields['base_url']} {fields['model']}"))
        call = await self.desk.ledger.write(lambda c: writing.save_call(c, packed))
        self.owed = False
        return int(call)

    async def keep_turn(self, turn: tables.Turn) -> tables.Turn:
        """Commit one turn of a session with the next group."""
        turn.id = await self.desk.ledger.write(lambda c: writing.save_turn(c, turn.model_dump()))
        return turn

    def recall(self, question: Question) -> Answer | None:
        """The committed answer to this very question of this unit, if a worker died after it came."""
        if not self.stored:
            return None
        row = self.stored.get(stored_key(question.prompt_hash, question.seed, texts_of(question)))
        return None if row is None else answer_again(row, question)


class PacedEngine:
    """An engine behind the seam that waits its turn, tries again, and asks the purse before each call."""

    def __init__(self, asking: Asking, chair: Chair) -> None:
        self.asking, self.chair = asking, chair
        self.endpoint: Endpoint = chair.inner.endpoint
        self.version: str = chair.inner.version
        asking.prices[f"{self.endpoint.base_url} {self.endpoint.model}"] = chair.price

    async def ask(self, question: Question, on_text: Callable[[str], None] | None = None) -> Answer:
        """One answer, after as many tries as are allowed, each paced and paid for.

        Raises:
            ModelError: kind ``unit`` when this question has no answer, ``study`` when nothing will succeed.
            Halted: the study stops; nothing was under way.
        """
        if (again := self.asking.recall(question)) is not None:
            return again
        pacer, pacing = self.chair.pacer, self.asking.desk.pacing
        attempts: list[Attempt] = []
        began, tries, lessons, failing_since = pacer.clock(), 0, 0, 0.0
        while True:
            tries += 1
            try:
                answer = await self._once(question, on_text)
            except ModelError as error:
                attempts += error.attempts
                if error.kind == "again" and lessons < MOST:
                    lessons, tries = lessons + 1, tries - 1
                    continue
                if error.kind != "wait":
                    await self._keep_failed(question, attempts, error)
                    if error.kind == "again":
                        raise refuses_all(error) from error
                    raise
                if error.usage is not None:  # paid for nothing: what it cost is kept at once
                    await self._keep_failed(question, attempts, error)
                    attempts = []
                failing_since = failing_since or pacer.clock()
                wait = back_off(tries, error.retry_after)
                spent = pacer.clock() - began + wait
                patience = pacing.patience_minutes * 60
                if pacer.down_for > patience or (error.retry_after or 0) > patience:
                    raise endpoint_down(error, pacer.down_for) from error
                if is_down(error) and pacer.silent_since(failing_since):
                    tries = min(tries, pacing.most_tries - 1)  # nobody gets through: not this unit's fault
                most = pacing.most_tries * (BUSY_TRIES if error.values.get("status") == 429 else 1)
                if tries >= most or (spent > patience and not is_down(error)):
                    given_up = gave_up(error, tries)
                    await self._keep_failed(question, attempts, given_up)
                    raise given_up from error
                pacer.retries += 1
                self.asking.rest()
                await self._pause(wait, out_of_reach(error))
            else:
                return replace(answer, attempts=(*attempts, *answer.attempts)) if attempts else answer

    async def _once(self, question: Question, on_text: Callable[[str], None] | None) -> Answer:
        asking, pacer, purse = self.asking, self.chair.pacer, self.asking.desk.purse
        tokens, aside = self._likely(question)
        async with pacer.slot(tokens) as sent_at:
            if asking.desk.stopping:
                raise Halted
            await asking.claim()
            await purse.set_aside(aside)
            cost: float | None = None
            try:
                with asking.flight():
                    answer = await send(self.chair.inner, question, on_text)
                asking.owed = True
                cost = cost_of_usage(answer.usage, self.chair.price)
            except ModelError as error:
                if error.kind == "wait":
                    pacer.bad(sent_at, error.retry_after, error.values.get("words") not in ODD)
                else:
                    pacer.good()
                if error.usage is not None:
                    cost = cost_of_usage(error.usage, self.chair.price)
                raise
            finally:
                purse.settle(aside, cost)
            pacer.good()
        self.chair.seen.add(answer.usage)
        return answer

    def _likely(self, question: Question) -> tuple[float, float]:
        """Tokens and money the next call may take; counted only where somebody asks."""
        price, purse, pacer = self.chair.price, self.asking.desk.purse, self.chair.pacer
        if pacer.tokens is None and (purse.budget is None or not price):
            return 0.0, 0.0
        incoming = sum(tokens_of(m.content) for m in question.messages)
        outgoing = self.chair.seen.likely(question.settings.max_tokens)
        cost = price.cost(incoming, int(outgoing)) if price and purse.budget is not None else 0.0
        return incoming + outgoing, cost

    async def _pause(self, seconds: float, for_anyone: bool = False) -> None:
        """Wait between two tries, but not through the study's stop, nor (``for_anyone``) once others get through."""
        until = self.chair.pacer.clock() + seconds
        while (left := until - self.chair.pacer.clock()) > 0:
            if self.chair.pacer.halting or self.asking.desk.stopping:
                raise Halted
            if for_anyone and self.chair.pacer.down_since is None:
                return
            await self.chair.pacer.sleep(min(left, 0.5))

    async def _keep_failed(self, question: Question, attempts: list[Attempt], error: ModelError) -> None:
        """A question without an answer leaves its attempts and errors behind."""
        if not attempts or (error.kind == "study" and error.usage is None):
            return
        asking = self.asking
        fields = failed_fields(self, question, error, attempts)
        packed = asking.pack(fields, texts_of(question), "", self.chair.price)
        with suppress(asyncio.CancelledError):
            await asking.desk.ledger.write(lambda c: writing.save_call(c, packed))


def cost_of(fields: Mapping[str, Any], price: Price | None) -> float | None:
    usage = Usage(fields["tokens_in"], fields["tokens_out"], fields["tokens_cached"])
    return cost_of_usage(usage, price)


def cost_of_usage(usage: Usage, price: Price | None) -> float | None:
    """US dollars of an answer; ``None`` where no price is known."""
    return None if price is None else price.cost(usage.input or 0, usage.output or 0, usage.cached or 0)


def is_down(error: ModelError) -> bool:
    """Whether the failure is the endpoint's own, whoever asks: out of reach, or too busy for anyone."""
    return error.values.get("status") in BUSY or out_of_reach(error)


def out_of_reach(error: ModelError) -> bool:
    return error.values.get("status") == 0 and error.values.get("words") not in OF_ONE_REPLY


TRIED_OFTEN = msg("It was tried {tries} times; try this unit again later, or lower the rate.")
NOTHING_CAME = msg("Nothing came through for {minutes:.0f} min, so the study stopped; resume it later.")


def refuses_all(error: ModelError) -> ModelError:
    """One setting after another was refused: this question has no answer here."""
    return ModelError(error.message, kind="unit", **error.values)


def gave_up(error: ModelError, tries: int) -> ModelError:
    """The last of too many failures, as a failure of this unit."""
    message = f"{error.message} {TRIED_OFTEN}"
    values = {k: v for k, v in error.values.items() if k != "tries"}
    return ModelError(message, kind="unit", tries=tries, **values)


def endpoint_down(error: ModelError, seconds: float) -> ModelError:
    message = f"{error.message} {NOTHING_CAME}"
    values = {k: v for k, v in error.values.items() if k != "minutes"}
    return ModelError(message, kind="study", minutes=max(seconds, error.retry_after or 0) / 60, **values)
