"""A worker killed at random moments of every kind of work, then resumed: what is lost, doubled or asked again is found."""

import asyncio
import hashlib
import json
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from core.llm.agents import ensure_shipped
from core.llm.demo.engine import DemoEngine
from core.llm.seam import Answer, Question
from core.studies import running, service
from core.studies.replay import stored_key
from storage import tables, units
from storage.store import Store
from tests.core.studies.conftest import add_role, add_session
from tests.core.studies.faulty import fork_worker, kill, one

LATENCY = 0.03
AT_ONCE = 3
HANDS = 7  # units in progress when three questions may be under way


class Slow(DemoEngine):
    """The demo engine, taking its time, with a line in a file for each question it is asked."""

    def __init__(self, told: Path) -> None:
        super().__init__()
        self.told = told

    async def ask(self, question: Question, on_text: Any = None) -> Answer:
        with self.told.open("a") as file:
            key = stored_key(question.prompt_hash, question.seed, [{"content": m.content} for m in question.messages])
            file.write(named(key, question.about) + "\n")
        await asyncio.sleep(LATENCY)
        return await super().ask(question, on_text)


def named(key: tuple[str, int, str], about: Iterable[tuple[str, int]]) -> str:
    """A question by what makes it the same question: two sessions may well come to the same words."""
    return hashlib.sha256(repr((key, sorted(map(tuple, about)))).encode()).hexdigest()


@contextmanager
def slow_engine(told: Path) -> Iterator[None]:
    """Workers forked meanwhile ask the slow engine."""
    real, running.engine_of = running.engine_of, lambda *_: Slow(told)
    try:
        yield
    finally:
        running.engine_of = real


# One study of each kind: what it needs, its step, how many units it has, and about how many questions


class Work(NamedTuple):
    step: dict[str, Any]
    made: dict[str, int]  # rows there must be at the end, by a query
    questions: int


SESSIONS = "SELECT count(*) FROM session WHERE origin = '{}'"


def reports(store: Store, count: int) -> None:
    for n in range(count):
        store.reports.add(
            tables.Report(
                title=f"Report {n}", case_brief=f"A woman of {30 + n} cannot sleep since she lost her job. She lives with her parents.",
                consultation_process="The counselor listened and asked what the nights are like. They agreed on a small step.",
                experience_thoughts="Going slowly helped.", content_hash=f"{n}",
            )
        )  # fmt: skip


def of_sessions(store: Store, size: int) -> Work:
    roles = [add_role(store, f"Role {n}") for n in range(4 * size)]
    step = {"kind": "sessions", "roles": roles, "counselors": ["Hill-guided"], "most_turns": 8}
    return Work(step, {SESSIONS.format("simulated"): 4 * size}, 32 * size)


def of_notes(store: Store, size: int) -> Work:
    reports(store, 24 * size)
    return Work({"kind": "notes"}, {"SELECT count(*) FROM note": 24 * size}, 24 * size)


def of_dialogues(store: Store, size: int) -> Work:
    reports(store, 10 * size)
    made = {"SELECT count(*) FROM note": 10 * size, SESSIONS.format("reconstructed"): 20 * size}
    return Work({"kind": "dialogues", "methods": ["memo2demo", "roleplay"]}, made, 30 * size)


def of_roles(store: Store, size: int) -> Work:
    return Work({"kind": "roles", "count": 4 * size}, {"SELECT count(*) FROM role_card": 4 * size}, 30 * size)


def of_judgments(store: Store, size: int) -> Work:
    sessions = [add_session(store, n) for n in range(8 * size)]
    step = {"kind": "ratings", "sessions": sessions, "items": [f"Q{n}" for n in range(1, 6)], "repeats": 1}
    return Work(step, {"SELECT count(*) FROM rating WHERE value IS NOT NULL": 40 * size}, 40 * size)


KINDS: dict[str, Callable[[Store, int], Work]] = {
    "sessions": of_sessions, "notes": of_notes, "dialogues": of_dialogues, "roles": of_roles, "judgments": of_judgments,
}  # fmt: skip


def run(store: Store, kind: str, kills: int, seed: int, size: int = 1) -> dict[str, Any]:
    """A study of this kind, killed so many times and resumed; gives its status and what was seen.

    Raises:
        AssertionError: something was lost, doubled, or asked again although its answer was committed.
    """
    ensure_shipped(store)
    chance, told = random.Random(seed), store.folder / "asked.txt"
    told.touch()
    work = KINDS[kind](store, size)
    study = service.begin(store, {"name": kind, "pacing": {"at_once": AT_ONCE}, "steps": [work.step]}).id or 0
    service.start(store, study, worker=False)
    died, at, known = 0, 0, set[str]()
    with slow_engine(told):
        for _ in range(kills):
            before = facts(store)
            worker = fork_worker(store)
            wanted = at + chance.randint(1, max(2, work.questions // kills))
            wait_until(lambda wanted=wanted: len(asked(told)) >= wanted or store.studies.get(study).state != "running")
            time.sleep(chance.uniform(0.0, 2 * LATENCY))
            kill(worker)
            died += worker.returncode == -signal.SIGKILL and store.studies.get(study).state == "running"
            after = facts(store)
            assert all(had <= after[name] for name, had in before.items()), "something committed is gone"
            at, known = not_again(told, at, known), committed(store)
        service.work_off(store)
        not_again(told, at, known)
    status = service.status(store, study)
    assert status["state"] == "finished" and status["units"]["done"] == status["units"]["planned"], status
    repeated = sum(n - 1 for n in Counter(asked(told)).values())
    assert repeated <= status["asked_twice"] <= HANDS * kills, (repeated, status["asked_twice"])
    nothing_doubled(store, study, work)
    return status | {"died": died, "repeated": repeated, "asked": len(asked(told))}


def asked(told: Path) -> list[str]:
    return told.read_text().splitlines()


def not_again(told: Path, at: int, known: set[str]) -> int:
    """No question that was committed then has been asked since; gives how many were asked by now."""
    since = asked(told)
    assert not known.intersection(since[at:]), "what was committed was asked again"
    return len(since)


def facts(store: Store) -> dict[str, set[Any]]:
    """What is committed: calls, complete turns, and records of every kind, each by what it is."""
    found = {"turn": set(units.query(store, "SELECT session_id, position, text FROM turn WHERE state = 'complete'"))}
    for table in ("call", "session", "note", "role_card", "rating"):
        found[table] = {id for (id,) in units.query(store, f"SELECT id FROM {table}")}
    found["unit"] = {id for (id,) in units.query(store, "SELECT id FROM unit WHERE state = 'done'")}
    return found


def committed(store: Store) -> set[str]:
    """Questions whose usable answer is in the store."""
    about: dict[int, list[tuple[str, int]]] = {}
    for call, kind, record in units.query(store, "SELECT call_id, kind, record_id FROM call_record"):
        about.setdefault(call, []).append((kind, record))
    rows = units.query(store, "SELECT id, prompt_hash, seed, messages FROM call WHERE state IN ('read', 'repaired')")
    return {
        named((hash, seed, "".join(m["hash"][:16] for m in json.loads(messages))), about.get(id, []))
        for id, hash, seed, messages in rows
    }


def wait_until(holds: Callable[[], bool], longest: float = 30.0) -> None:
    until = time.monotonic() + longest
    while not holds():
        assert time.monotonic() < until, "the worker does nothing"
        time.sleep(0.005)


def nothing_doubled(store: Store, study: int, work: Work) -> None:
    for sql, count in work.made.items():
        assert units.query(store, sql)[0][0] == count, sql
    checked_turns(store)
    twice = "SELECT count(*) FROM (SELECT 1 FROM call WHERE study_id = :study GROUP BY unit_id, prompt_hash, seed, messages HAVING count(*) > 1)"
    assert one(store, twice, study) == 0, "an answer is in the store twice"
    results = [json.loads(r[0]) for r in units.query(store, "SELECT result FROM unit WHERE kind NOT IN ('rating', 'comparison')")]
    for name in ("session", "role"):
        ids = [result[name] for result in results if name in result and (name != "role" or "session" not in result)]
        assert len(ids) == len(set(ids)), f"two units made one {name}"


def checked_turns(store: Store) -> None:
    """Every session is whole: its positions count from 1 without a gap, and none is in the middle of a turn."""
    for session in store.sessions.all():
        turns = store.sessions.turns(session.id or 0)
        assert session.state == "ended" and {turn.state for turn in turns} == {"complete"}
        assert [turn.position for turn in turns] == list(range(1, len(turns) + 1))
