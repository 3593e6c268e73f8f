"""Live sessions run on their own: several at once, paused, stopped, gone on with, and found again after a restart."""

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from sqlmodel import select

from core.clearance import Clearance, kind_of
from core.errors import DataError, ModelError
from core.llm.openai_engine import OpenAIEngine
from core.llm.seam import Endpoint
from core.people import agreements
from core.people import service as people
from core.people.agreements import Who
from core.sessions import live, service
from storage import tables
from storage.locks import FileLock, beside
from storage.store import Store, open_store

Agents = dict[str, tables.Agent]


@pytest.fixture
def server(store: Store) -> Iterator[live.Live]:
    yield live.of(store)
    live.close(store)


def until(holds: Callable[[], Any], seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.005)


class Patient:
    """Speaks word by word, holding the last word back until told."""

    def __init__(self, scripted: Any, text: str = "So much has changed") -> None:
        self.inner, self.held = scripted(text), True
        self.endpoint, self.version, self.text = self.inner.endpoint, "patient", text

    async def ask(self, question: Any, on_text: Any = None) -> Any:
        for word in self.text.split()[:-1]:
            on_text(word + " ")
        while self.held:
            await asyncio.sleep(0.005)
        return await self.inner.ask(question)


@pytest.fixture
def ana(store: Store) -> tables.Person:
    return people.begin(store, "secret-a", {"counselor": []}, "T-01")


def begun(store: Store, role: tables.RoleCard, agents: Agents, most: int = 4) -> int:
    return service.begin(store, role, agents["client"], agents["counselor"], most_turns=most).id or 0


def test_a_session_runs_to_its_end_by_itself(
    store: Store, role: tables.RoleCard, agents: Agents, scripted: Any, server: live.Live
) -> None:
    id = begun(store, role, agents)
    server.start(id, {"client": scripted("Hard."), "counselor": scripted("Go on.")})
    until(lambda: not server.view(id).running)
    assert store.sessions.get(id).state == "ended" and len(store.sessions.turns(id)) == 5
    assert server.holding.ids() == []


def test_the_words_in_flight_are_seen_and_a_pause_keeps_them(
    store: Store, role: tables.RoleCard, agents: Agents, scripted: Any, server: live.Live
) -> None:
    id, client = begun(store, role, agents), Patient(scripted)
    engines = {"client": client, "counselor": scripted("Go on.")}
    server.start(id, engines)
    until(lambda: server.view(id).text == "So much has ")
    seen = server.view(id)
    assert (seen.running, seen.position, seen.seat) == (True, 2, "client")
    server.start(id, engines)  # a second tab presses Continue: nothing happens twice
    begin = time.monotonic()
    server.pause(id)
    assert time.monotonic() - begin < 1
    assert (store.sessions.get(id).state, store.sessions.get(id).ended_by) == ("paused", "paused")
    assert [(t.text, t.state) for t in store.sessions.turns(id)][1:] == [("So much has ", "partial")]
    client.held = False
    server.start(id, engines)
    until(lambda: not server.view(id).running)
    assert [t.text for t in store.sessions.turns(id)][1] == "So much has changed"
    assert all(t.state == "complete" for t in store.sessions.turns(id))


def test_several_sessions_run_at_once_and_one_is_stopped(
    store: Store, role: tables.RoleCard, agents: Agents, scripted: Any, server: live.Live
) -> None:
    slow, quick = begun(store, role, agents), begun(store, role, agents)
    server.start(slow, {"client": Patient(scripted), "counselor": scripted("Go on.")})
    server.start(quick, {"client": scripted("Hard."), "counselor": scripted("Go on.")})
    until(lambda: not server.view(quick).running)
    assert server.view(slow).running
    assert server.stop(slow).state == "stopped"
    assert store.sessions.get(quick).state == "ended"


def test_an_error_becomes_a_reason_and_the_turns_stay(
    store: Store, role: tables.RoleCard, agents: Agents, scripted: Any, server: live.Live
) -> None:
    id = begun(store, role, agents)
    server.start(id, {"client": scripted("Hard."), "counselor": scripted(ModelError("No key."))})
    until(lambda: not server.view(id).running)
    session = store.sessions.get(id)
    assert (session.state, session.ended_by, session.faults[0]["message"]) == ("paused", "error", "No key.")
    assert str(server.view(id).problem) == "No key." and len(store.sessions.turns(id)) == 2


def test_a_bug_is_said_and_leaves_the_session_paused(
    store: Store, role: tables.RoleCard, agents: Agents, scripted: Any, server: live.Live
) -> None:
    def breaks(question: Any) -> str:
        raise ZeroDivisionError("oops")

    id = begun(store, role, agents)
    server.start(id, {"client": scripted(breaks), "counselor": scripted("Go on.")})
    until(lambda: not server.view(id).running)
    assert "stumbled" in str(server.view(id).problem) and store.sessions.get(id).state == "paused"


def test_a_bugs_words_are_nowhere_kept(
    store: Store, role: tables.RoleCard, agents: Agents, scripted: Any, server: live.Live, caplog: Any
) -> None:
    """What an exception says may quote the transcript, and would outlive its deletion."""

    def breaks(question: Any) -> str:
        raise ValueError(f"odd: {question.messages} SECRETWORD")

    id = begun(store, role, agents)
    server.start(id, {"client": scripted(breaks), "counselor": scripted("Go on.")})
    until(lambda: not server.view(id).running)
    fault = store.sessions.get(id).faults[0]
    assert fault["values"]["why"].startswith("ValueError in test_live.py, line ")
    assert "SECRETWORD" not in f"{fault} {server.view(id).problem} {caplog.text}"
    assert "session 1 stopped: ValueError in test_live.py" in caplog.text


def test_a_key_in_a_streamed_turn_is_neither_shown_nor_kept(
    store: Store, role: tables.RoleCard, agents: Agents, scripted: Any, server: live.Live
) -> None:
    key, forever = "9f8e7d6c5b4a39281706f5e4d3c2b1a0", asyncio.Event()

    async def pieces() -> Any:
        for text in ("Gateway: Bearer ", key[:9], key[9:], " I hear you. And ", key[:20]):
            delta = SimpleNamespace(content=text)
            yield SimpleNamespace(model="m", choices=[SimpleNamespace(finish_reason=None, delta=delta)])
        await forever.wait()

    class Streaming(OpenAIEngine):
        def _ready(self) -> Any:
            async def create(**_: Any) -> Any:
                return pieces()

            return SimpleNamespace(chat=SimpleNamespace(completions=SimpleNamespace(create=create)))

    id = begun(store, role, agents)
    client = Streaming(Endpoint(kind="openai", base_url="http://127.0.0.1:9/v1", model="m"), key)
    server.start(id, {"client": client, "counselor": scripted("Go on.")})
    until(lambda: "And" in server.view(id).text)
    assert server.view(id).text == "Gateway: Bearer [key] I hear you. And "
    server.pause(id)
    turn = store.sessions.turns(id)[-1]
    assert (turn.state, turn.text) == ("partial", "Gateway: Bearer [key] I hear you. And ")


def test_a_person_sits_in_a_seat(
    store: Store, role: tables.RoleCard, agents: Agents, scripted: Any, server: live.Live,
    ana: tables.Person,
) -> None:
    id = begun(store, role, agents, most=6)
    server.take_seat(id, "counselor", ana)
    engines = {"client": scripted("Hard."), "counselor": None}
    server.start(id, engines)
    until(lambda: store.sessions.get(id).ended_by == "waiting")
    server.say(id, "counselor", "What makes it hard?", ana, engines)
    until(lambda: len(store.sessions.turns(id)) == 4)
    until(lambda: not server.view(id).running)
    session = store.sessions.get(id)
    assert (session.origin, session.counselor_person_id, session.counselor_code) == ("live", ana.id, "T-01")
    assert kind_of(store, "session", id) is Clearance.LIVE


def test_a_persons_risk_sign_is_not_answered_by_a_program(
    store: Store, role: tables.RoleCard, agents: Agents, scripted: Any, server: live.Live,
    ana: tables.Person,
) -> None:
    id, counselor = begun(store, role, agents), scripted("Go on.")
    engines = {"client": None, "counselor": counselor}
    server.take_seat(id, "client", ana)
    server.say(id, "client", "I don't want to live anymore.", ana, engines)
    assert not server.view(id).running and counselor.asked == []
    assert (store.sessions.get(id).state, store.sessions.get(id).ended_by) == ("paused", "risk")
    server.start(id, engines)  # the person chose to go on
    until(lambda: len(counselor.asked) == 1)


def test_who_speaks_out_of_turn_is_told(
    store: Store, role: tables.RoleCard, agents: Agents, scripted: Any, server: live.Live,
    ana: tables.Person,
) -> None:
    id = begun(store, role, agents)
    server.take_seat(id, "counselor", ana)
    with pytest.raises(DataError, match="client speaks next"):
        server.say(id, "counselor", "Me first.", ana, {"client": None, "counselor": None})


def killed(store: Store, id: int) -> None:
    """Another server lets the session go on and is killed in the middle of a turn."""
    pid = os.fork()
    if pid == 0:
        try:
            other = open_store(store.path)
            engines = {"client": Endless(), "counselor": Endless()}
            live.Live(other).start(id, engines)
            signal.pause()
        finally:
            os._exit(1)
    until(lambda: store.sessions.get(id).state == "running")
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def test_a_session_whose_speaker_withdraws_is_put_down_and_what_was_under_way_is_not_kept(
    store: Store, role: tables.RoleCard, agents: Agents, scripted: Any, server: live.Live, ana: tables.Person
) -> None:
    id, client = begun(store, role, agents), Patient(scripted)
    engines = {"client": client, "counselor": None}
    server.take_seat(id, "counselor", ana)
    agreements.answer(store, Who(ana), {"taking part": True}, id)
    server.start(id, engines)
    until(lambda: server.view(id).text == "So much has ")
    client.held = False
    until(lambda: store.sessions.get(id).ended_by == "waiting")
    client.held = True
    server.say(id, "counselor", "What makes it hard?", ana, engines)
    until(lambda: server.view(id).text == "So much has ")
    agreements.withdraw(store, Who(ana))
    server.put_down_withdrawn()
    assert not server.view(id).running
    assert [t.text for t in store.sessions.turns(id)][2:] == ["What makes it hard?"], "no half answer to withdrawn words"
    assert store.calls.count() == 1, "the answer that came before the withdrawal"
    for change in (
        lambda: server.say(id, "client", "More.", ana, engines), lambda: server.take_seat(id, "client", ana),
        lambda: service.branch(store, id, 2, ana), lambda: asyncio.run(service.converse(store, client, client, id)),
    ):  # fmt: skip
        with pytest.raises(DataError, match="was withdrawn"):
            change()


class Endless:
    """Never comes to the end of its turn."""

    endpoint, version = Endpoint(), "endless"

    async def ask(self, question: Any, on_text: Any = None) -> Any:
        await asyncio.sleep(1000)


def test_after_a_restart_a_session_stands_paused_at_its_turn(
    store: Store, role: tables.RoleCard, agents: Agents
) -> None:
    before, stuck = begun(store, role, agents), begun(store, role, agents)
    killed(store, before)
    for id in (before, stuck):
        store.sessions.update(id, state="running", ended_by="")
    store.settings.set("live_sessions", [before, 999])  # as a former version noted it
    server = live.of(store)
    try:
        for id in (before, stuck):
            assert (store.sessions.get(id).state, store.sessions.get(id).ended_by) == ("paused", "restart")
        assert store.settings.get("live_sessions") is None and server.holding.ids() == []
    finally:
        live.close(store)


@pytest.fixture
def second(store: Store) -> Iterator[live.Live]:
    """Another server at the same database, opened while the first one is there."""
    other = open_store(store.path)
    opened = live.Live(other)
    yield opened
    opened.close()
    other.close()


def test_a_second_server_leaves_the_sessions_of_the_first_alone(
    store: Store, role: tables.RoleCard, agents: Agents, scripted: Any, server: live.Live,
    ana: tables.Person,
) -> None:
    id, client = begun(store, role, agents), Patient(scripted)
    engines = {"client": client, "counselor": scripted("Go on.")}
    server.start(id, engines)
    until(lambda: server.view(id).text)
    other = live.Live(open_store(store.path))
    try:
        assert store.sessions.get(id).state == "running" and server.view(id).running
        for change in (
            lambda: other.start(id, engines), lambda: other.pause(id), lambda: other.stop(id),
            lambda: other.take_seat(id, "counselor", ana), lambda: other.say(id, "counselor", "Me too.", ana, engines),
        ):  # fmt: skip
            with pytest.raises(DataError, match="going on in another Rapport"):
                change()
        client.held = False
        until(lambda: not server.view(id).running)
        assert store.sessions.get(id).state == "ended" and len(store.sessions.turns(id)) == 5
        assert other.elsewhere(id) is None
    finally:
        other.close()


def test_what_the_first_server_put_down_the_second_may_take_up(
    store: Store, role: tables.RoleCard, agents: Agents, scripted: Any, server: live.Live, second: live.Live
) -> None:
    id = begun(store, role, agents)
    server.start(id, {"client": Patient(scripted), "counselor": scripted("Go on.")})
    until(lambda: server.view(id).text)
    server.pause(id)
    second.start(id, {"client": scripted("Hard."), "counselor": scripted("Go on.")})
    until(lambda: not second.view(id).running)
    assert store.sessions.get(id).state == "ended"
    assert sum(t.state == "complete" for t in store.sessions.turns(id)) == 5


def test_of_two_servers_that_start_at_once_one_holds_the_session(
    store: Store, role: tables.RoleCard, agents: Agents, server: live.Live, second: live.Live
) -> None:
    for _ in range(20):
        id, told = begun(store, role, agents), list[str]()
        ready = threading.Barrier(2)

        def take(
            one: live.Live, id: int = id, ready: threading.Barrier = ready, told: list[str] = told
        ) -> None:
            ready.wait()
            told.append(one.holding.take(id))

        threads = [threading.Thread(target=take, args=(one,)) for one in (server, second)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(told) == ["", "server"]
        assert (id in server.holding.ids()) != (id in second.holding.ids())


def test_a_session_of_a_running_study_is_the_studys(
    store: Store, role: tables.RoleCard, agents: Agents, scripted: Any
) -> None:
    """Held while the worker lives; free when it was killed."""
    id = begun(store, role, agents)
    store.sessions.update(id, state="running", ended_by="")
    study = store.studies.add(tables.Study(name="Talk", state="running"))
    fields = {"kind": "session", "state": "running", "result": {"session": id}}
    store.units.add(tables.Unit(study_id=study.id or 0, position=0, **fields))
    assert store.path is not None
    worker = FileLock(beside(store.path, "worker"))
    assert worker.take()
    server = live.of(store)
    try:
        assert store.sessions.get(id).state == "running"
        with pytest.raises(DataError, match="part of a study"):
            server.start(id, {"client": scripted("Hard."), "counselor": scripted("Go on.")})
        worker.let_go()
        server.start(id, {"client": scripted("Hard."), "counselor": scripted("Go on.")})
        until(lambda: not server.view(id).running)
        assert store.sessions.get(id).state == "ended"
    finally:
        worker.let_go()
        live.close(store)


def test_a_server_leaves_no_file_and_no_list_behind(store: Store, server: live.Live) -> None:
    assert store.path is not None
    assert len(list(store.folder.glob("*.live-*"))) == 1
    live.close(store)
    assert not list(store.folder.glob("*.live-*"))
    assert not [
        s for s in store.database.run(lambda t: t.exec(select(tables.Setting.name)).all()) if "live" in s
    ]
