"""How fast studies are, and how little they take: beside a plain loop, at the same server, in one run.

``python -m benchmarks.engine --calls 1000 --latency 0.2 --at-once 100``; ``--large`` adds the 10,000 and
30,924 units, ``--pages`` the pages' response while the worker runs.
"""

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.prepared import ITEMS, JUDGE, REPLY, design, in_its_own_process, measured, prepare
from storage.store import Store, open_store
from tests.servers.handle import Misbehaving

ME = "benchmarks.engine"


# What is measured, each in a process of its own


def plain(database: str, base_url: str, calls: int, at_once: int, transport: str = "") -> dict[str, Any]:
    """What many a script does: AsyncOpenAI, a semaphore, gather; answers are parsed and kept in a list."""
    from openai import AsyncOpenAI, DefaultAioHttpClient

    questions = list(plain_questions(open_store(database), calls))
    answers: list[Any] = []

    async def loop() -> None:
        more: dict[str, Any] = {"http_client": DefaultAioHttpClient()} if transport == "aiohttp" else {}
        client = AsyncOpenAI(base_url=base_url, api_key="none", **more)
        places = asyncio.Semaphore(at_once)

        async def one(question: dict[str, Any]) -> None:
            async with places:
                done = await client.chat.completions.create(model="measured", **question)
                answers.append(json.loads(done.choices[0].message.content or ""))

        await asyncio.gather(*(one(question) for question in questions))
        await client.close()

    told: dict[str, Any] = {"calls": len(questions)}
    with measured(told):
        asyncio.run(loop())
    assert len(answers) == len(questions)
    return told


def plain_questions(store: Store, calls: int) -> list[dict[str, Any]]:
    """The requests that the study would send."""
    from core.instruments import load
    from core.judging.replies import ItemRating
    from core.judging.service import rating_question, turns_to_judge
    from core.llm.parsing import strict_schema

    instrument, questions = load("wai-o-s"), []
    form = {"type": "json_schema", "json_schema": {"name": "ItemRating", "strict": True, "schema": strict_schema(ItemRating)}}
    for session in store.sessions.all()[: -(-calls // len(ITEMS))]:
        turns = turns_to_judge(store, session)
        for item in ITEMS:
            asked = rating_question(store, instrument, [item], session, turns)
            chat = [{"role": m.role, "content": m.content} for m in asked.messages]
            questions.append({"messages": chat, "temperature": 1.0, "seed": 1, "response_format": form})
    return questions[:calls]


def study(database: str, calls: int, at_once: int, name: str = "Measured") -> dict[str, Any]:
    """A whole study: expanded, saved, bound, asked, read and stored, the last commit included."""
    import openai.resources.chat  # noqa: F401 - the plain loop's imports are not measured either

    from core.studies import service

    store, told = open_store(database), dict[str, Any]()
    with measured(told):
        start = time.perf_counter()
        begun = service.begin(store, design(calls, at_once, name))
        service.start(store, begun.id or 0, worker=False)
        told["begun"] = time.perf_counter() - start
        service.work_off(store)
    status = service.status(store, begun.id or 0)
    assert status["state"] == "finished", status
    return told | {"calls": status["calls"], "units": status["units"], "study": begun.id, "asked_twice": status["asked_twice"]}


def through_worker(database: str, calls: int, at_once: int) -> dict[str, Any]:
    """As a person has it: started here, worked off by the worker's own process, its start included."""
    from core.studies import service

    store, told = open_store(database), dict[str, Any]()
    begun = service.begin(store, design(calls, at_once, "In the worker") | {"fresh_draws": True})
    with measured(told):
        service.start(store, begun.id or 0)
        service.wait_for(store, begun.id or 0)
    return told | {"calls": service.status(store, begun.id or 0)["calls"]}


def again(database: str, calls: int, at_once: int) -> dict[str, Any]:
    """A finished study once more."""
    from core.studies import service

    store, told = open_store(database), dict[str, Any]()
    with measured(told):
        begun = service.begin(store, design(calls, at_once, "Again"))
        service.start(store, begun.id or 0, worker=False)
        service.work_off(store)
    status = service.status(store, begun.id or 0)
    assert status["state"] == "finished" and status["calls"] == 0, status
    return told | {"calls": 0, "units": status["units"]}


def planned(database: str) -> dict[str, Any]:
    """The alliance study's size, expanded and estimated: 859 sessions × 12 items × 3 repeats."""
    from core.studies import service
    from core.studies.estimate import estimate

    store, told = open_store(database), dict[str, Any]()
    step = {"kind": "ratings", "sessions": list(range(1, 860)), "repeats": 3, "judge": JUDGE}
    service.plan(store, {"name": "warm", "steps": [step | {"sessions": [1]}]})
    with measured(told):
        _, made, _ = service.plan(store, {"name": "Alliance", "steps": [step]})
        estimate(store, made)
    return told | {"calls": 0, "units": {"planned": len(made.units)}}


PARTS: dict[str, Callable[..., dict[str, Any]]] = {
    "plain": plain, "study": study, "worker": through_worker, "again": again, "planned": planned,
}  # fmt: skip


# The story


def line(name: str, told: dict[str, Any], ideal: float = 0.0, base: float = 0.0) -> str:
    calls = told["calls"]
    ratio = f"{told['wall'] / ideal:5.2f}" if ideal else "     "
    beside = f"{told['wall'] / base:5.2f}" if base else "     "
    each = f"{1000 * told['cpu'] / calls:5.2f}" if calls else "     "
    return f"{name:<44} {told['wall']:7.2f} s   {ratio}   {beside}   {each}   {told['memory']:6.0f}"


HEAD = f"{'':<44} {'wall':>9}   ideal   plain  ms/call      MiB"


def compare(server: Misbehaving, folder: Path, calls: int, latency: float, at_once: int, rounds: int) -> None:
    """Plain loop and study in turn."""
    ideal = calls * latency / at_once
    print(f"{calls} calls, {latency:g} s each, {at_once} at once: ideal {ideal:.2f} s\n{HEAD}")
    for number in range(1, rounds + 1):
        database = str(folder / f"round-{number}.db")
        prepare(open_store(database), server.base_url, -(-calls // len(ITEMS)))
        given = {"calls": calls, "at_once": at_once, "database": database}
        loop = in_its_own_process(ME, "plain", base_url=server.base_url, **given)
        print(line("plain loop", loop, ideal, loop["wall"]))
        fast = in_its_own_process(ME, "plain", base_url=server.base_url, transport="aiohttp", **given)
        print(line("plain loop, aiohttp transport", fast, ideal, loop["wall"]))
        print(line("whole study, everything stored", in_its_own_process(ME, "study", **given), ideal, loop["wall"]))
        end = in_its_own_process(ME, "worker", **given)
        print(f"{'  in a new worker process, its start included':<44} {end['wall']:7.2f} s", flush=True)


def large(server: Misbehaving, folder: Path, at_once: int) -> None:
    """Does memory grow; what a finished study costs; how long planning takes."""
    database = str(folder / "large.db")
    prepare(open_store(database), server.base_url, 1000)
    server.behave(latency=0.05)
    print(f"\nLarge studies\n{HEAD}")
    for calls in (1000, 10_000):
        told = in_its_own_process(ME, "study", database=database, calls=calls, at_once=at_once, name=f"{calls}")
        print(line(f"{told['calls']} calls of {calls} units, 50 ms each", told))
    told = in_its_own_process(ME, "again", database=database, calls=10_000, at_once=at_once)
    print(line("10,000 units, finished before: 0 calls", told))
    told = in_its_own_process(ME, "planned", database=database)
    print(line(f"{told['units']['planned']} units expanded and estimated", told), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--latency", type=float, default=0.2)
    parser.add_argument("--at-once", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--pages", action="store_true")
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    parser.add_argument("--given", default="{}", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.part:
        print(json.dumps(PARTS[given.part](**json.loads(given.given))))
        return
    with tempfile.TemporaryDirectory() as name, Misbehaving(latency=given.latency, reply=REPLY) as server:
        compare(server, Path(name), given.calls, given.latency, given.at_once, given.rounds)
        if given.large:
            large(server, Path(name), given.at_once)
        if given.pages:
            from benchmarks.pages import pages

            pages(server, Path(name))


if __name__ == "__main__":
    main()
