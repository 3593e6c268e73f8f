"""What the benchmarks share: sessions to judge, an endpoint, a design of so many calls, and measuring a process."""

import json
import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from core.llm.agents import ensure_shipped, save_agent
from storage import tables
from storage.store import Store

ROOT = Path(__file__).parents[1]
ITEMS = [f"Q{n}" for n in range(1, 11)]
TURNS = 20
JUDGE = "Measured judge"
CLIENT = (
    "I keep waking at four and thinking about {0}, and then I cannot stop.", "When {0} comes up at dinner I go quiet; nobody asks.",
    "I told my sister about {0} last week and it felt strange to say it aloud.", "Maybe I am making too much of {0}, but it will not leave me.",
    "Part of me wants to give up on {0} and part of me is furious.",
)  # fmt: skip
COUNSELOR = (
    "It sounds as if {0} weighs on you most when everything is quiet. What goes through your mind then?",
    "You sound torn about {0}: one side wants peace, the other wants to be heard.",
    "I wonder what it would mean for you if {0} turned out differently from what you expect.",
    "What would be a small step with {0} this week, one that is really yours?",
)
REPLY = json.dumps({
    "reasoning": "The counselor stays close to what the client says and names both sides of the conflict before asking for "
    "anything. The questions are open, the steps are the client's own, and nothing is pressed. Some turns stay general, "
    "and the plan for the week is not yet shared, so the highest level is not reached.",
    "evidence": ["What goes through your mind then?", "What would be a small step"], "counter_evidence": ["nobody asks."],
    "rating": 4,
})  # fmt: skip
THEMES = ("the job", "my father", "the exam", "the move", "our quarrel", "the diagnosis", "money", "the wedding")


def prepare(store: Store, base_url: str, sessions: int) -> None:
    """An agent that judges at ``base_url``, and sessions of twenty turns, each with words of its own."""
    ensure_shipped(store)
    endpoint = store.endpoints.add(tables.Endpoint(name="Measured", base_url=base_url, model="measured"))
    save_agent(store, JUDGE, "judge", "", endpoint, {})
    chance = random.Random(7)
    for number in range(1, sessions + 1):
        session = tables.Session(title=f"Prepared {number}", origin="simulated", engine="demo")
        turns = []
        for position in range(1, TURNS + 1):
            seat, words = ("client", CLIENT) if position % 2 else ("counselor", COUNSELOR)
            text = " ".join(chance.choice(words).format(chance.choice(THEMES)) for _ in range(2))
            turns.append(tables.Turn(session_id=0, position=position, seat=seat, text=f"{text} ({number})"))
        store.sessions.add_with_turns(session, turns)


def design(calls: int, at_once: int | None, name: str = "Measured", **pacing: Any) -> dict[str, Any]:
    """Ratings of ten items for each of ``calls / 10`` sessions."""
    sessions = list(range(1, -(-calls // len(ITEMS)) + 1))
    step = {"kind": "ratings", "sessions": sessions, "items": ITEMS, "repeats": 1, "judge": JUDGE}
    return {"name": name, "pacing": {"at_once": at_once} | pacing, "steps": [step]}


def peak_memory() -> float:
    """Most memory this process ever held, in MiB."""
    try:
        status = Path("/proc/self/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) / 1024
    except (OSError, IndexError):
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most / (2**20 if sys.platform == "darwin" else 1024)


@contextmanager
def measured(told: dict[str, Any]) -> Iterator[None]:
    """Wall and CPU seconds of this process within the block, into ``told``."""
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    yield
    told["wall"] = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_SELF)
    told["cpu"] = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    told["memory"] = peak_memory()


def in_its_own_process(module: str, part: str, **given: Any) -> dict[str, Any]:
    """Run one part of a benchmark in a new interpreter; what it prints last is its result as JSON."""
    command = [sys.executable, "-m", module, "--part", part, "--given", json.dumps(given)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=os.environ | {"PYTHONHASHSEED": "0"}, check=False)
    if done.returncode:
        raise SystemExit(f"{part} failed:\n{done.stderr[-3000:]}")
    return dict(json.loads(done.stdout.strip().splitlines()[-1]))
