"""No word leaves this machine that may not: every way out × every state below clearance × every way consent is missing."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import WorkbenchError
from core.llm.engines import demo_engine
from core.studies import running
from storage.store import open_store
from tests.ways.routes import ROUTES, Route
from tests.ways.sources import BELOW, MISSING, Source
from tests.ways.world import World


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """A workbench whose studies ask the same recording engine as everything else."""
    made = World(open_store(tmp_path / "data" / "rapport.db"))
    monkeypatch.setattr(running, "engine_of", lambda _store, agent, _keys: made.out if agent.endpoint_id else demo_engine())
    yield made
    made.store.close()


def walked(source: Source) -> list[Route]:
    return [route for route in ROUTES if source.kind in route.kinds]


def arrived(world: World, word: str) -> bool:
    return any(word in heard for heard in world.out.heard)


def leaves(world: World, source: Source, route: Route, cleared: bool) -> str:
    """Walk one route with one source; what is wrong with how it ended, or nothing."""
    word = world.word()
    world.out.heard.clear()
    id = source.make(world, word, cleared or source.spoil is not None)
    before = world.kept()
    told = ""
    try:
        ready = route.prepare(world, id)
        world.out.heard.clear()
        before = world.kept()
        if source.spoil is not None and not cleared:
            source.spoil(world, id, route.purpose)
            before = world.kept()
        route.walk(world, id, ready)
    except WorkbenchError as error:
        told = str(error)
    if cleared:
        return "" if arrived(world, word) else f"{route.name}: it may leave and did not: {told}"
    if arrived(world, word):
        return f"{route.name}: {word} left"
    if route.study:
        return ""
    if not told:
        return f"{route.name}: nothing was said"
    noun = f"{source.named or {'live': 'session', 'profile': 'role'}.get(source.kind, source.kind)} "
    if noun not in told.lower() or not ("Nothing was sent" in told or "was withdrawn" in told):
        return f"{route.name}: the record is not named: {told}"
    after = world.kept()
    grew = {name: (before[name], after[name]) for name in after if after[name] > before[name] and name != "turns"}
    return f"{route.name}: something was kept: {grew}" if grew else ""


@pytest.mark.parametrize("source", [*BELOW, *MISSING], ids=lambda source: source.name)
def test_no_word_takes_a_way_it_may_not(world: World, source: Source) -> None:
    assert [fault for route in walked(source) if (fault := leaves(world, source, route, cleared=False))] == []


@pytest.mark.parametrize("source", [*BELOW, *MISSING], ids=lambda source: source.name)
def test_the_same_words_arrive_once_they_may(world: World, source: Source) -> None:
    assert [fault for route in walked(source) if (fault := leaves(world, source, route, cleared=True))] == []


def test_every_route_is_walked() -> None:
    assert {route.name for source in [*BELOW, *MISSING] for route in walked(source)} == {route.name for route in ROUTES}
