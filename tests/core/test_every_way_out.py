"""No word leaves this machine that may not: every way out × every state below clearance × every way consent is missing."""

import ast
import asyncio
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from core.consent import FIGURES, OUTSIDE, RATED
from core.errors import NotFound, Refused, WorkbenchError
from core.llm import probing
from core.llm.engines import demo_engine
from core.people import agreements
from core.people.agreements import Who
from core.reports import service as reports
from core.reports.drafts import shown_hash
from core.reports.making import source_of
from core.roles import drafts
from core.roles import service as roles
from core.sessions import service as sessions
from core.studies import running, worker
from tests.servers.recorder import Recorder
from tests.ways.routes import ROUTES, Route, begin, judged, rate, ratings, spoken, work, write_note
from tests.ways.sources import BELOW, MISSING, Source, coded_report, withdrawn_all
from tests.ways.world import World, furnished

ROOT = Path(__file__).parents[2]
MEMORY = Path("/dev/shm")


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """A workbench whose studies ask the same recording engine as everything else; in memory where there is such a folder."""
    with TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        made = World(furnished(Path(folder) / "data" / "rapport.db"))
        monkeypatch.setattr(running, "engine_of", lambda _store, agent, _keys: made.out if agent.endpoint_id else demo_engine())
        monkeypatch.setattr(worker, "fewer_sweeps", nullcontext)
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
    grew = {name: (before[name], after[name]) for name in after if after[name] > before[name] and name != "turn"}
    return f"{route.name}: something was kept: {grew}" if grew else ""


@pytest.mark.parametrize("source", [*BELOW, *MISSING], ids=lambda source: source.name)
def test_no_word_takes_a_way_it_may_not(world: World, source: Source) -> None:
    assert [fault for route in walked(source) if (fault := leaves(world, source, route, cleared=False))] == []


def made_otherwise(sources: list[Source]) -> list[Source]:
    """One source of those that are made alike: cleared, they are the same."""
    alike = {source.kind if source.kind == "live" else source.name: source for source in sources}
    return list(alike.values())


@pytest.mark.parametrize("source", made_otherwise([*BELOW, *MISSING]), ids=lambda source: source.name)
def test_the_same_words_arrive_once_they_may(world: World, source: Source) -> None:
    assert [fault for route in walked(source) if (fault := leaves(world, source, route, cleared=True))] == []


def test_every_route_is_walked() -> None:
    assert {route.name for source in [*BELOW, *MISSING] for route in walked(source)} == {route.name for route in ROUTES}


# ---- drafts --------------------------------------------------------------------------------------------------------


def test_what_a_person_types_into_a_draft_stays(world: World) -> None:
    drawn = drafts.with_person(drafts.with_stressor(drafts.Draft(language="en", seed=3)))
    word, asking = world.word(), roles.Asking(world.store, world.out)
    typed = drafts.with_edits(drawn, demographics=drawn.demographics | {"persona": f"{word} is her name."})
    with pytest.raises(Refused, match="Nothing was sent to .*draft"):
        world.now(roles.take_step(asking, typed))
    assert not arrived(world, word) and world.store.calls.count() == 0
    made_up = typed.model_copy(update={"made_up": True})
    world.now(roles.take_step(asking, made_up))
    assert arrived(world, word)
    world.out.heard.clear()
    later = drafts.with_edits(made_up, demographics=made_up.demographics | {"persona": f"{word}, and more."})
    with pytest.raises(Refused):
        world.now(roles.take_step(asking, later))
    assert not arrived(world, word), "other words were typed since they said so"


def test_a_report_as_it_came_is_sorted_on_this_machine_only(world: World) -> None:
    word = world.word()
    for id in (world.report(word), world.report(world.word(), False)):
        with pytest.raises(Refused, match="Nothing was sent"):
            world.now(reports.sort_report(world.store, world.out, id))
    assert not world.out.heard
    world.now(reports.sort_report(world.store, world.engine(), id))


# ---- while something is under way ----------------------------------------------------------------------------------


@pytest.mark.parametrize("purpose", [OUTSIDE, RATED], ids=["this address", "being rated"])
def test_who_withdraws_during_a_request_is_not_sent_again_and_the_answer_not_kept(world: World, purpose: str) -> None:
    id, before = world.live(world.word()), world.kept()
    world.out.garbled = 1  # so that a repair would be asked
    world.out.meanwhile = lambda: agreements.withdraw(world.store, Who(world.ana), (purpose,), id)
    with pytest.raises(WorkbenchError):
        rate(False)(world, id, None)
    assert len(world.out.heard) == 1 and world.kept() == before


def test_a_repair_passes_the_gate_as_well(world: World) -> None:
    id = coded_report(world, world.word(), True)
    world.out.garbled = 1
    world.out.meanwhile = lambda: reports.change_components(world.store, id, type="Adult, and somebody else")
    with pytest.raises(Refused, match=f"report {id} may still hold personal data"):
        write_note(world, id, None)
    assert len(world.out.heard) == 1 and world.kept()["note"] == 0


def test_who_withdraws_while_an_agent_speaks_has_no_turn_added(world: World) -> None:
    id = sessions.branch(world.store, world.live(world.word()), 3, world.reader).id or 0
    turns = len(world.store.sessions.turns(id))
    world.out.meanwhile = lambda: withdrawn_all(world, id, "")
    with pytest.raises(WorkbenchError):
        spoken(world, id)
    assert len(world.out.heard) == 1
    assert [t for t in world.store.sessions.turns(id)[turns:] if t.text] == []


def test_units_under_way_keep_nothing_of_what_was_withdrawn_meanwhile(world: World) -> None:
    id = world.live(world.word())
    study = begin(world, ratings([id], "Out judge"))
    before = world.kept()
    world.out.meanwhile = lambda: withdrawn_all(world, id, "")
    work(world, study)
    assert len(world.out.heard) == 1 and world.kept() == before
    assert {unit.state for unit in world.store.units.all(study_id=study)} <= {"failed", "gone"}


def test_a_session_deleted_between_the_question_and_the_request_is_not_sent(world: World) -> None:
    from core import instruments
    from core.judging.service import rating_question, turns_to_judge
    from core.llm.asking import send

    id = world.imported(world.word())
    session = world.store.sessions.get(id)
    asked = rating_question(world.store, instruments.load("wai-o-s"), ["Q1"], session, turns_to_judge(world.store, session))
    world.store.delete("session", id)
    with pytest.raises(NotFound, match="deleted meanwhile, so nothing was sent"):
        asyncio.run(send(world.out, asked))
    assert not world.out.heard


def test_a_text_read_before_another_one_was_confirmed_is_not_sent(world: World) -> None:
    """Read, then changed and confirmed by somebody else, then sent: the confirmation is of other words."""
    from core.llm.asking import make_question, send
    from core.reports.rebuilt import report_inputs

    word = world.word()
    id = world.report(word)
    read = world.store.reports.get(id)
    asked = make_question(world.store, "report/note", {"report": report_inputs(read)}, language="en", use="writing", sources=[source_of(read)])
    asyncio.run(send(world.out, asked))
    assert arrived(world, word)
    world.out.heard.clear()
    reports.change_components(world.store, id, case_brief="She slept badly, and lost her job.", consultation_process="They met.")
    unread = make_question(
        world.store, "report/note", {"report": report_inputs(world.store.reports.get(id))}, language="en", use="writing",
        sources=[source_of(world.store.reports.get(id))],
    )  # fmt: skip
    reports.change_components(world.store, id, case_brief="She slept badly.")
    reports.confirm_masking(world.store, id, world.reader, shown_hash(*reports.unmasked(world.store, id)))
    with pytest.raises(Refused):
        asyncio.run(send(world.out, unread))
    assert not world.out.heard


# ---- here ----------------------------------------------------------------------------------------------------------


def test_rated_here_no_keeps_even_this_machine_s_judges_off(world: World) -> None:
    id = world.live(world.word())
    assert judged(world, [id], "Demo rater") and world.store.ratings.count() == 1
    agreements.withdraw(world.store, Who(world.ana), (RATED,), id)
    with pytest.raises(WorkbenchError):
        judged(world, [id], "Demo rater")
    assert world.store.ratings.count() == 1, "existing ratings stay"


def test_units_that_wait_end_when_their_use_is_withdrawn(world: World) -> None:
    kept, ended = world.live(world.word()), world.live(world.word())
    study = begin(world, ratings([kept, ended], "Out judge"))
    agreements.withdraw(world.store, Who(world.ana), (OUTSIDE,), ended)
    assert sorted(unit.state for unit in world.store.units.all(study_id=study)) == ["failed", "planned"]
    agreements.withdraw(world.store, Who(world.ana), (FIGURES,), kept)
    work(world, study)
    assert sorted(unit.state for unit in world.store.units.all(study_id=study)) == ["done", "failed"]


# ---- words of nobody -----------------------------------------------------------------------------------------------


def test_testing_a_connection_sends_words_of_our_own(world: World) -> None:
    from core.llm.openai_engine import OpenAIEngine
    from core.llm.seam import Endpoint

    word = world.word()
    for make in (world.report, world.imported, world.live):
        make(word)
    with Recorder() as server:
        checks = asyncio.run(probing.check_endpoint(OpenAIEngine(Endpoint(kind="openai", base_url=f"{server.url}/v1", model="m"), timeout=5)))
    assert len(checks) == 3 and len(server.seen) >= 3 and not any(word in one for one in server.seen)


def test_reading_replies_again_asks_nobody(world: World) -> None:
    from core.judging import rereading

    study = judged(world, [world.imported(world.word())], "Out judge")
    world.out.heard.clear()
    for row in world.store.ratings.all():
        world.store.ratings.update(row.id or 0, reader=0)
    rereading.preview(world.store, study)
    assert not world.out.heard


# ---- the source ----------------------------------------------------------------------------------------------------


@cache
def nodes(folder: str, about: str) -> list[tuple[str, ast.AST]]:
    """The parts of all modules of a folder that speak of this, each with its file."""
    paths = [path for path in sorted((ROOT / folder).rglob("*.py")) if "migrations" not in path.parts]
    texts = {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in paths}
    return [(name, node) for name, text in texts.items() if about in text for node in ast.walk(ast.parse(text))]


def found(*folders: str, about: str, which: Callable[[Any], bool]) -> set[str]:
    """The files in which something of this kind stands."""
    return {name for folder in folders for name, node in nodes(folder, about) if which(node)}


def test_nothing_but_send_asks_an_engine() -> None:
    """Engines that wrap an engine (a listener, a pace) are asked by ``send`` themselves."""
    def asks(node: Any, whom: str) -> bool:
        return isinstance(node, ast.Attribute) and node.attr == "ask" and whom in ast.unparse(node.value)

    def requests(node: Any) -> bool:
        return isinstance(node, ast.Attribute) and node.attr == "create" and "completions" in ast.unparse(node.value)

    assert found("core", "pages", about=".ask", which=lambda n: asks(n, "engine")) == {"core/llm/asking.py", "core/sessions/casting.py"}
    assert not found("core", "pages", about=".ask", which=lambda n: asks(n, "inner"))
    assert found("core", "pages", about="completions", which=requests) == {"core/llm/openai_engine.py"}


def test_nothing_stores_a_clearance_or_compares_it_by_number() -> None:
    def stored(node: Any) -> bool:
        named = isinstance(node, ast.keyword) and node.arg == "clearance"
        return named or (isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == "clearance")

    def by_degree(node: Any) -> bool:
        ordered = isinstance(node, ast.Compare) and any(isinstance(one, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for one in node.ops)
        number = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("int", "min", "max")
        return (ordered or number) and "learance" in ast.unparse(node)

    assert found("core", "storage", "pages", about="clearance", which=stored) <= {"core/clearance.py"}
    assert not found("core", "pages", "storage", about="learance", which=by_degree)
