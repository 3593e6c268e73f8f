"""Before a study starts: calls, tokens, money and time, from what is planned and what past calls were like."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from core import instruments, prompting
from core.llm.gate import is_local
from core.llm.seam import Endpoint
from core.roles.as_profile import answers, as_profile
from core.studies.expand import Expansion, Planned
from core.studies.prices import Price, own_prices, price_of, tokens_of
from storage import units
from storage.store import Store

TURN_TOKENS = 45.0  # an utterance, where there are no past sessions to learn from
REPLY = {  # tokens of a reply where there are no past calls: lowest and highest likely
    "judge/compare": (150, 450), "judge/compare_all": (900, 2800), "judge/item": (80, 300), "judge/instrument": (500, 2000),
    "report/note": (300, 900), "report/dialogue": (700, 1800), "report/roleplay": (600, 1600),
    "role/demographics": (120, 300), "role/life_events": (250, 600), "role/scenarios": (400, 1000), "role/compile": (200, 500),
    "client/turn": (25, 90), "counselor": (30, 120),
}  # fmt: skip
ROLE_STEPS = (
    ("role/demographics", 1.0),
    ("role/life_events", 2.5),
    ("role/scenarios", 2.5),
    ("role/compile", 1.2),
)
SECONDS = (1.0, 6.0)  # of one call, where nothing is known of an endpoint's pace
AT_ONCE = 16
REPAIRS = 1.05  # some replies need a repair turn


@dataclass
class Load:
    """Calls of one prompt to one agent: how many, and their tokens."""

    calls: float = 0.0
    tokens_in: float = 0.0
    shared: float = 0.0  # of the input, what repeats the call before it and may be cached


@dataclass(frozen=True)
class Range:
    low: float
    high: float


@dataclass(frozen=True)
class Estimate:
    """What a design will take. ``money`` is ``None`` where a price is not known."""

    units: Mapping[str, int]
    calls: int
    reused: int
    tokens_in: Range
    tokens_out: Range
    money: Range | None
    seconds: Range
    goes_to: tuple[str, ...]  # names of endpoints outside this machine
    unpriced: tuple[str, ...] = ()
    cached_share: float = 0.0
    learned: bool = False
    by_model: Mapping[str, int] = field(default_factory=dict)


def estimate(store: Store, made: Expansion, reused: int = 0) -> Estimate:
    """Estimate an expanded design; does not render 30,000 prompts, but adds up what they are made of."""
    weigher = Weigher(store, made)
    for unit in made.units:
        weigher.add(unit)
    return weigher.sum(reused)


class Weigher:
    """Adds up the load of units, knowing each session's and each prompt's length once."""

    def __init__(self, store: Store, made: Expansion) -> None:
        self.store, self.made = store, made
        self.loads: dict[tuple[int, str], Load] = {}
        self.kinds: Counter[str] = Counter()
        self.lengths = session_lengths(store)
        self.turn = past_turn(store, self.lengths)
        self.language = made.design.language
        self.roles = session_roles(store)
        self.silent = lru_cache(maxsize=None)(self._silent)
        self.overhead = lru_cache(maxsize=None)(self._overhead)
        self.entry = lru_cache(maxsize=None)(self._entry)

    def add(self, unit: Planned) -> None:
        self.kinds[unit.kind] += 1
        getattr(self, unit.kind)(unit.payload)

    def _load(self, agent: int, prompt: str, calls: float, tokens: float, shared: float = 0.0) -> None:
        load = self.loads.setdefault((agent, prompt), Load())
        load.calls += calls
        load.tokens_in += tokens
        load.shared += shared

    def _overhead(self, prompt: str) -> float:
        return float(tokens_of(prompting.load(prompt, self.language).text)) * 0.9

    def _entry(self, instrument: str, entry: str | None, setting: str) -> float:
        """Tokens of the criterion: an item with its anchors, a dimension, or all of them."""
        found = instruments.load(instrument)
        if found.kind == "comparison":
            some = [entry] if entry else [d.id for d in found.dimensions]
            return float(sum(tokens_of(str(found.dimension_inputs(d, self.language))) for d in some))
        some = [entry] if entry else [i.id for i in found.items]
        return 0.8 * sum(tokens_of(str(found.item_inputs(i, self.language, setting))) for i in some)

    def _length(self, ref: Any) -> float:
        """Tokens of a session's transcript, or what one is likely to have."""
        if isinstance(ref, int):
            return self.lengths.get(ref, 20 * self.turn)
        planned = self.made.units[ref["unit"]]
        turns = planned.payload.get("most_turns", 20) if planned.kind == "session" else 20
        return float(turns) * self.turn

    def _silent(self, instrument: str, role: int | None) -> frozenset[str]:
        """Items of which nothing is asked, because the role card or profile a session was held with does not state them."""
        found = instruments.load(instrument)
        profile = as_profile(self.store.roles.get(role)) if role and found.shows_profile else {}
        return frozenset(item.id for item in found.items if profile and not answers(profile, item.id))

    def _role(self, ref: Any) -> int | None:
        """The role a session was, or will be, held with; ``None`` where that is not known yet."""
        if isinstance(ref, int):
            return self.roles.get(ref)
        role = self.made.units[ref["unit"]].payload.get("role")
        return role if isinstance(role, int) else None

    def rating(self, payload: Mapping[str, Any]) -> None:
        """One call for what applies; none where nothing does."""
        prompt, instrument = "judge/item" if payload["item"] else "judge/instrument", payload["instrument"]
        items = [payload["item"]] if payload["item"] else payload.get("items") or [i.id for i in instruments.load(instrument).items]
        if self.silent(instrument, self._role(payload["session"])).issuperset(items):
            return
        fixed, length = self.overhead(prompt), self._length(payload["session"])
        entry = self.entry(instrument, payload["item"], payload["setting"])
        self._load(payload["judge"], prompt, 1, fixed + length + entry, fixed + length)

    def comparison(self, payload: Mapping[str, Any]) -> None:
        prompt = "judge/compare" if payload["dimension"] else "judge/compare_all"
        fixed = self.overhead("judge/compare")
        length = self._length(payload["first"]) + self._length(payload["second"])
        entry = self.entry(payload["instrument"], payload["dimension"], "")
        self._load(payload["judge"], prompt, 1, fixed + length + entry, fixed + length)

    def session(self, payload: Mapping[str, Any]) -> None:
        """Each turn reads all turns before it, so input grows with the square of the turns."""
        turns = payload["most_turns"]
        history = self.turn * turns * (turns + 1) / 4
        for seat, prompt in (("client", "client/turn"), ("counselor", "counselor/hill")):
            fixed = turns / 2 * (self.overhead(prompt) + (250 if seat == "client" else 0))
            name = "client/turn" if seat == "client" else "counselor"
            self._load(payload[seat], name, turns / 2, fixed + history, 0.8 * (fixed + history))

    def role(self, payload: Mapping[str, Any]) -> None:
        for prompt, calls in ROLE_STEPS:
            self._load(payload["writer"], prompt, calls, calls * (self.overhead(prompt) + 150))

    def note(self, payload: Mapping[str, Any]) -> None:
        length = self._report(payload["report"])
        self._load(payload["writer"], "report/note", 1, self.overhead("report/note") + length)

    def dialogue(self, payload: Mapping[str, Any]) -> None:
        prompt = "report/dialogue" if payload["method"] == "memo2demo" else "report/roleplay"
        length = self._report(payload["report"]) + (600 if payload.get("note") else 0)
        self._load(payload["writer"], prompt, 1.3, 1.3 * (self.overhead(prompt) + length))

    def _report(self, id: int) -> float:
        return report_lengths(self.store).get(id, 1500.0)

    def sum(self, reused: int) -> Estimate:
        own = own_prices(self.store.settings.get("prices"))
        total = max(1, sum(self.kinds.values()))
        left = 1.0 - min(reused, total) / total
        calls = tokens_in = cached = 0.0
        out, money = [0.0, 0.0], [0.0, 0.0]
        seconds: dict[tuple[str, str], list[tuple[Endpoint, float]]] = {}
        unpriced: list[str] = []
        outside: dict[str, None] = {}
        by_model: Counter[str] = Counter()
        learned = False
        for (agent_id, prompt), load in self.loads.items():
            endpoint = endpoint_of(self.store, agent_id)
            asked = load.calls * left * (1.0 if endpoint.kind == "demo" else REPAIRS)
            scale, reply, knows = past_reply(self.store, endpoint, prompt)
            learned = learned or knows
            inputs = load.tokens_in * left * scale
            outputs = [asked * reply[0], asked * reply[1]]
            calls, tokens_in, cached = calls + asked, tokens_in + inputs, cached + load.shared * left
            out = [a + b for a, b in zip(out, outputs, strict=True)]
            by_model[endpoint.model or "demo engine"] += round(asked)
            add_money(
                money,
                price_of(endpoint, own),
                inputs,
                load.shared * left * scale,
                outputs,
                endpoint,
                unpriced,
            )
            if endpoint.kind != "demo" and not is_local(endpoint):
                outside[endpoint.name] = None
            seconds.setdefault((endpoint.base_url, endpoint.model), []).append((endpoint, asked))
        times = [self._seconds(parts) for parts in seconds.values()]
        demo = all(endpoint.kind == "demo" for parts in seconds.values() for endpoint, _ in parts)
        return Estimate(
            units=dict(self.kinds), calls=round(calls), reused=reused,
            tokens_in=Range(0 if demo else tokens_in * 0.9, 0 if demo else tokens_in * 1.15),
            tokens_out=Range(*([0.0, 0.0] if demo else out)),
            money=None if unpriced else Range(money[0], money[1]),
            seconds=Range(max((t[0] for t in times), default=0), sum(t[1] for t in times)),
            goes_to=tuple(outside), unpriced=tuple(dict.fromkeys(unpriced)),
            cached_share=cached / tokens_in if tokens_in and not demo else 0.0, learned=learned, by_model=dict(by_model),
        )  # fmt: skip

    def _seconds(self, parts: list[tuple[Endpoint, float]]) -> tuple[float, float]:
        """Time at one endpoint: calls × seconds a call / calls at once, from its measured pace where there is one."""
        endpoint, calls = parts[0][0], sum(asked for _, asked in parts)
        if endpoint.kind == "demo":
            return 1.0 + calls * 0.003, 3.0 + calls * 0.02
        pace = self.store.settings.get(f"pace {endpoint.base_url} {endpoint.model}", {})
        at_once = self.made.design.pacing.at_once or pace.get("at_once") or AT_ONCE
        each = past_seconds(self.store, endpoint) or SECONDS
        low, high = (calls * one / at_once for one in each)
        if rate := self.made.design.pacing.requests_per_minute:
            low, high = max(low, 60 * calls / rate), max(high, 60 * calls / rate)
        return max(low, each[0]), max(high, each[1])


def add_money(
    money: list[float], price: Price | None, inputs: float, shared: float, outputs: list[float], endpoint: Endpoint,
    unpriced: list[str],
) -> None:  # fmt: skip
    """Lowest: prefix caches bite and replies are short; highest: neither."""
    if price is None:
        unpriced.append(f"{endpoint.model} ({endpoint.name})")
        return
    money[0] += price.cost(math.floor(inputs * 0.9), math.floor(outputs[0]), math.floor(shared * 0.8))
    money[1] += price.cost(math.ceil(inputs * 1.15), math.ceil(outputs[1]))


def endpoint_of(store: Store, agent_id: int) -> Endpoint:
    agent = store.agents.get(agent_id)
    if agent.engine == "demo":
        return Endpoint()
    row = store.endpoints.get(agent.endpoint_id or 0)
    return Endpoint(kind="openai", base_url=row.base_url, model=row.model, name=row.name)


def unpriced(store: Store, study_id: int) -> list[str]:
    """Models of a study whose price nobody knows."""
    own = own_prices(store.settings.get("prices"))
    rows = units.query(store, "SELECT DISTINCT stage FROM unit WHERE study_id = :study", study=study_id)
    agents = {id for (stage,) in rows for id in units.agents_of(store, study_id, stage)}
    endpoints = [endpoint_of(store, id) for id in sorted(agents)]
    return list(dict.fromkeys(f"{e.model} ({e.name})" for e in endpoints if price_of(e, own) is None))


def session_lengths(store: Store) -> dict[int, float]:
    """Tokens of each stored session's transcript, roughly, by aggregate query."""
    sql = "SELECT session_id, sum(length(text)), count(*), s.language FROM turn JOIN session s ON s.id = session_id GROUP BY session_id"
    return {r[0]: (r[1] if r[3] == "zh" else r[1] / 4) + 8.0 * r[2] for r in units.query(store, sql)}


def session_roles(store: Store) -> dict[int, int]:
    """The role card or profile (in the version) that each stored session was held with."""
    return dict(units.query(store, "SELECT id, role_id FROM session WHERE role_id IS NOT NULL"))


def report_lengths(store: Store) -> dict[int, float]:
    sql = "SELECT id, length(case_brief) + length(consultation_process) + length(experience_thoughts), language FROM report"
    return {r[0]: float(r[1] if r[2] == "zh" else r[1] / 4) for r in units.query(store, sql)}


def past_turn(store: Store, lengths: Mapping[int, float]) -> float:
    """Tokens of an utterance in past sessions (``session_lengths``), its speaker's mark included."""
    turns = units.query(store, "SELECT count(*) FROM turn")[0][0]
    return sum(lengths.values()) / turns if turns >= 50 else TURN_TOKENS


def past_reply(store: Store, endpoint: Endpoint, prompt: str) -> tuple[float, tuple[float, float], bool]:
    """From past calls of this prompt to this model: input scale (1 when not known), reply tokens low and high."""
    default = REPLY.get(prompt, REPLY.get(prompt.split("/")[0], (100, 500)))
    if endpoint.kind == "demo":
        return 1.0, (0.0, 0.0), False
    like = f"{prompt}%"
    sql = (
        "SELECT count(*), avg(tokens_out), avg(tokens_out * tokens_out) FROM (SELECT tokens_out FROM call WHERE "
        "model = :model AND base_url = :url AND prompt LIKE :like AND tokens_out > 0 ORDER BY id DESC LIMIT 500)"
    )
    n, mean, square = units.query(store, sql, model=endpoint.model, url=endpoint.base_url, like=like)[0]
    if n < 20:
        return 1.0, default, False
    spread = math.sqrt(max(0.0, square - mean * mean) / n) * 2 + 0.1 * mean
    return 1.0, (max(1.0, mean - spread), mean + spread), True


def past_seconds(store: Store, endpoint: Endpoint) -> tuple[float, float] | None:
    """Seconds of a call at this endpoint lately, with a margin; ``None`` if it was hardly used."""
    sql = "SELECT seconds FROM call WHERE model = :model AND base_url = :url AND state <> 'failed' ORDER BY id DESC LIMIT 200"
    seconds = sorted(row[0] for row in units.query(store, sql, model=endpoint.model, url=endpoint.base_url))
    if len(seconds) < 10:
        return None
    middle = seconds[len(seconds) // 2]
    return 0.9 * middle, 1.5 * seconds[int(0.9 * (len(seconds) - 1))]
