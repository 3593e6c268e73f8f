"""A study makes what it judges: roles, then sessions, then ratings; a broken-off conversation goes on at its turn."""

import asyncio
import signal
import time
from collections.abc import Callable
from typing import Any

import pytest

from core.llm.agents import ensure_shipped, save_agent
from core.studies import making, service, worker
from core.studies.pacing import Halted
from storage import tables, units
from storage.store import Store
from tests.core.studies.faulty import fork_worker, hurried, kill
from tests.servers.handle import Misbehaving

Work = Callable[..., dict[str, Any]]
CHAIN: dict[str, Any] = {
    "name": "From nothing",
    "steps": [
        {"kind": "roles", "count": 2},
        {"kind": "sessions", "counselors": ["Hill-guided", "Advice-giving"], "most_turns": 6},
        {"kind": "comparisons", "dimensions": ["empathic_understanding"]},
        {"kind": "ratings", "items": ["Q1"], "repeats": 1},
    ],
}


@pytest.fixture
def demo() -> None:
    """The demo engine's words for clients and roles."""
    for module in ("client", "roles"):
        pytest.importorskip(f"core.llm.demo.{module}")


@pytest.mark.usefixtures("demo")
def test_a_chain_from_nothing_to_ratings(store: Store, work: Work) -> None:
    done = work(CHAIN)
    assert done["state"] == "finished", done
    assert done["units"]["done"] == 2 + 4 + 4 + 4 and done["units"]["failed"] == 0
    made = store.sessions.all()
    assert len(made) == 4 and {s.state for s in made} == {"ended"}
    assert {r.session_id for r in store.ratings.all()} == {s.id for s in made}
    assert store.comparisons.count() == 4


@pytest.mark.usefixtures("demo")
def test_the_chain_again_costs_nothing(store: Store, work: Work) -> None:
    work(CHAIN)
    again = work(CHAIN)
    assert again["calls"] == 0 and again["units"]["reused"] == 14
    assert (store.roles.count(), store.sessions.count()) == (2, 4)


def test_reports_become_notes_dialogues_and_ratings(store: Store, work: Work) -> None:
    for n in (1, 2):
        store.reports.add(
            tables.Report(
                title=f"Report {n}", case_brief="A woman of 34 cannot sleep since she lost her job. She lives with her parents.",
                consultation_process="The counselor listened and asked what the nights are like. They agreed on a small step.",
                experience_thoughts="Going slowly helped.", content_hash=f"{n}",
            )
        )  # fmt: skip
    steps = [{"kind": "dialogues", "methods": ["memo2demo", "roleplay"]}, {"kind": "ratings", "items": ["Q1"], "repeats": 1}]
    done = work({"name": "Rebuilt", "steps": steps})
    assert done["state"] == "finished" and done["units"]["done"] == 2 + 4 + 4, done
    assert {s.origin for s in store.sessions.all()} == {"reconstructed"}
    assert store.ratings.count() == 4
    again = work({"name": "Again", "steps": steps})
    assert again["calls"] == 0, again


def test_a_session_is_its_units_from_the_moment_it_is_there(
    store: Store, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker goes between the session's row and whatever it would write next."""
    ensure_shipped(store)
    store.roles.add(tables.RoleCard(title="Role", text="You lost a job.", stressor={"label": "Job loss"}))
    begin = making.sessions.begin

    def going(*given: Any, **more: Any) -> Any:
        begin(*given, **more)
        raise Halted

    step = {"kind": "sessions", "roles": [1], "counselors": ["Hill-guided"], "most_turns": 4}
    with monkeypatch.context() as at_once:
        at_once.setattr(making.sessions, "begin", going)
        study = service.begin(store, {"name": "Talk", "steps": [step]}).id or 0
        service.start(store, study, worker=False)
        asyncio.run(taken_up(store))
    assert store.sessions.count() == 1
    service.work_off(store)
    assert service.status(store, study)["units"]["done"] == 1 == store.sessions.count()


async def taken_up(store: Store) -> None:
    """A worker takes the study up and is told to go."""
    work = worker.Worker(store, grace=0.1)
    await work.look()
    await asyncio.wait([task for _, task in work.runs.values()], timeout=2)
    await work.leave()


def spoken(store: Store) -> int:
    return int(units.query(store, "SELECT count(*) FROM turn WHERE state = 'complete' AND stage <> 'opener'")[0][0])


def test_a_killed_conversation_goes_on_at_its_turn(store: Store) -> None:
    ensure_shipped(store)
    roles = [store.roles.add(tables.RoleCard(title=f"Role {n}", text="You lost a job.", stressor={"label": "Job loss"})).id for n in (1, 2, 3)]
    with Misbehaving(latency=0.08, reply="I see. What was that like for you?") as server:
        endpoint = store.endpoints.add(tables.Endpoint(name="Far", base_url=server.base_url, model="m"))
        save_agent(store, "Far counselor", "counselor", "counselor/plain", endpoint, {})
        save_agent(store, "Far client", "client", "client/turn", endpoint, {})
        step = {"kind": "sessions", "roles": roles, "client": "Far client", "counselors": ["Far counselor"], "most_turns": 16}
        study = service.begin(store, {"name": "Talk", "pacing": {"at_once": 3}, "steps": [step]}).id or 0
        service.start(store, study, worker=False)
        for part, how in ((3, signal.SIGKILL), (12, signal.SIGKILL), (18, signal.SIGTERM)):
            worker, until = fork_worker(store), time.monotonic() + 20
            while spoken(store) < part and time.monotonic() < until:
                time.sleep(0.02)
            kill(worker, how)
        service.work_off(store, **hurried())
        status, seen = service.status(store, study), server.seen()
    assert status["units"]["done"] == 3, status
    assert store.sessions.count() == 3 and spoken(store) == 48
    positions = "SELECT count(*) FROM (SELECT session_id, position FROM turn GROUP BY 1, 2 HAVING count(*) > 1)"
    assert units.query(store, positions)[0][0] == 0
    assert seen["asked"] - 48 <= status["asked_twice"] <= 6, "only what was in flight is asked again"
