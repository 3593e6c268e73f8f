"""The ways words take out: each is walked with the id of a record, and says which purpose it is for."""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from core import instruments
from core.clearance import Clearance
from core.consent import EXPORT, OUTSIDE
from core.reports import making
from core.sessions import service as sessions
from core.studies import service as studies
from core.studies.export import export_archive, export_study
from storage import tables
from tests.judging import judge_comparison, rate_session
from tests.ways.world import World, X

Walk = Callable[[World, int], object]


class Route(NamedTuple):
    """``prepare`` is walked while the words may still leave (a study that is begun, or judged for an export)."""

    name: str
    kinds: tuple[str, ...]
    walk: Callable[[World, int, Any], object]
    prepare: Walk = lambda _world, _id: None
    purpose: str = OUTSIDE
    study: bool = False  # a refusal ends a unit, and no error is raised


# ---- from reports and notes ----------------------------------------------------------------------------------------


def write_note(world: World, id: int, _: Any) -> object:
    return world.now(making.write_note(world.store, world.out, id))


def dialogue(how: Any) -> Callable[[World, int, Any], object]:
    return lambda world, id, _: world.now(making.reconstruct_dialogue(world.store, world.out, id, how))


def dialogue_of_note(world: World, id: int, _: Any) -> object:
    report = next(r.id or 0 for r in world.store.reports.all() if any(n.id == id for n in world.store.reports.notes(r.id or 0)))
    return world.now(making.reconstruct_dialogue(world.store, world.out, report))


# ---- sessions and roles --------------------------------------------------------------------------------------------


def next_turn(at: int) -> Callable[[World, int, Any], object]:
    """The next turn by an agent, in a session that begins like this one."""

    def walk(world: World, id: int, _: Any) -> object:
        held = sessions.branch(world.store, id, at, world.reader, counselor_agent=world.agents["counselor"])
        if world.stands("session", id) is Clearance.CONFIRMED:
            world.review("session", held.id or 0)  # its beginning is another text, to be read by itself
        return spoken(world, held.id or 0)

    return walk


def spoken(world: World, id: int) -> object:
    heard = len(world.out.heard)
    return world.now(sessions.converse(world.store, world.out, world.out, id, stop=lambda: len(world.out.heard) > heard))


def play(world: World, id: int, _: Any) -> object:
    """A session is begun with this role; the client's agent opens it."""
    held = sessions.begin(world.store, world.store.roles.get(id), world.agents["client"], world.agents["counselor"], first="client", opener="")
    return spoken(world, held.id or 0)


def rate(whole: bool, profile: bool = False) -> Callable[[World, int, Any], object]:
    def walk(world: World, id: int, _: Any) -> object:
        instrument = instruments.load("client-consistency" if profile else "wai-o-s")
        session = shown_to(world, id) if profile else world.store.sessions.get(id)
        told = world.store.roles.get(id).profile if profile else None
        items = [item.id for item in instrument.items][: 2 if whole else 1]
        rater = world.store.raters.ensure("model", "m")
        return world.now(rate_session(world.store, world.out, rater, instrument, session, items, profile=told, whole=whole))

    return walk


def shown_to(world: World, role: int) -> tables.Session:
    """A confirmed session that is held against this profile."""
    id = world.imported(f"about{world.store.sessions.count()}")
    return world.store.sessions.update(id, role_id=role)


def compare(first: bool) -> Callable[[World, int, Any], object]:
    def walk(world: World, id: int, _: Any) -> object:
        pair = [world.store.sessions.get(id), world.store.sessions.get(world.imported(f"beside{world.store.sessions.count()}"))]
        one, other = pair if first else reversed(pair)
        hill = instruments.load("hill")
        rater = world.store.raters.ensure("model", "m")
        return world.now(judge_comparison(world.store, world.out, rater, hill, hill.dimensions[0].id, one, other))

    return walk


def repair(world: World, id: int, purpose: Any) -> object:
    """The first reply cannot be read; before it is asked for again, somebody spoils it."""
    world.out.garbled = 1
    return rate(False)(world, id, purpose)


# ---- studies -------------------------------------------------------------------------------------------------------


def begin(world: World, *steps: dict[str, Any]) -> int:
    return studies.begin(world.store, {"name": f"Study {world.store.studies.count()}", "steps": list(steps)}).id or 0


def work(world: World, study: int) -> int:
    studies.start(world.store, study, worker=False, keys={X: "sk"})
    studies.work_off(world.store, {X: "sk"})
    return study


def ratings(ids: list[int], judge: str, calls: str = "item") -> dict[str, Any]:
    step = {"kind": "ratings", "instrument": "wai-o-s", "judges": [judge], "sessions": ids, "items": ["Q1"], "repeats": 1, "calls": calls}
    return step if calls == "item" else step | {"items": ["Q1", "Q2"]}


def judged(world: World, ids: list[int], judge: str) -> int:
    return work(world, begin(world, ratings(ids, judge)))


def comparing(world: World, id: int) -> int:
    """A study that compares it with another one of its role."""
    shared = tables.RoleCard(title=f"Shared {id}", sampling="stratified", stressor={"label": "Job loss"}, text="x")
    role = world.store.sessions.get(id).role_id or world.store.roles.add(shared).id
    other = world.imported(f"paired{world.store.sessions.count()}")
    for n, one in enumerate((id, other)):
        world.store.sessions.update(one, role_id=role, counselor_agent_id=world.store.agents.all(seat="counselor")[n].id)
    step = {"kind": "comparisons", "judges": ["Out judge"], "sessions": [id, other], "dimensions": ["empathic_understanding"], "orders": "both"}
    return begin(world, step)


def failed_before(world: World, id: int) -> int:
    """A study whose one unit failed, to be asked again."""
    study = begin(world, ratings([id], "Out judge"))
    for unit in world.store.units.all(study_id=study):
        world.store.units.update(unit.id or 0, state="failed", attempts=0)
    world.store.studies.update(study, state="finished")
    return study


def again(world: World, _id: int, study: Any) -> object:
    assert studies.units.retry(world.store, study) in (0, 1)
    return work(world, study)


def reuse(world: World, id: int, _: Any) -> object:
    """Another study asks what one of this machine's own judge has answered, of a judge outside."""
    return judged(world, [id], "Out judge")


def unit(step: Callable[[int], dict[str, Any]]) -> Callable[[World, int], int]:
    return lambda world, id: begin(world, step(id))


def carry_out(world: World, _id: int, study: Any) -> object:
    return work(world, study)


# ---- files ---------------------------------------------------------------------------------------------------------


def about(world: World, id: int) -> int:
    """A study on this machine that has this session judged, to be exported."""
    return judged(world, [id], "Demo rater")


def noted(world: World, id: int) -> int:
    return work(world, begin(world, {"kind": "notes", "writer": "Demo writer", "reports": [id]}))


def folder(world: World, _id: int, study: Any) -> object:
    assert world.store.path is not None
    out = export_study(world.store, study, world.store.path.parent / "exports" / f"study-{study}")
    return said(world, [file.read_bytes() for file in sorted(Path(out).rglob("*")) if file.is_file()])


def archive(world: World, _id: int, study: Any) -> object:
    with zipfile.ZipFile(io.BytesIO(export_archive(world.store, study))) as packed:
        return said(world, [packed.read(name) for name in packed.namelist()])


def said(world: World, files: list[bytes]) -> object:
    world.out.heard += [data.decode("utf-8", "replace") for data in files]
    return None


SESSIONS = ("session", "live")
ROUTES = [
    Route("note", ("report",), write_note),
    Route("dialogue by memo2demo", ("report",), dialogue("memo2demo")),
    Route("dialogue by role-play", ("report",), dialogue("roleplay")),
    Route("dialogue with its note", ("note",), dialogue_of_note),
    Route("note unit", ("report",), carry_out, unit(lambda id: {"kind": "notes", "writer": "Out writer", "reports": [id]}), study=True),
    Route(
        "dialogue unit", ("report",), carry_out,
        unit(lambda id: {"kind": "dialogues", "writer": "Out writer", "reports": [id], "methods": ["roleplay"]}), study=True,
    ),
    Route("client's turn", ("role",), play),
    Route(
        "session unit", ("role",), carry_out,
        unit(lambda id: {"kind": "sessions", "roles": [id], "client": "Out client", "counselors": ["Out counselor"], "first": "client", "most_turns": 2}),
        study=True,
    ),
    Route("rating with the profile in sight", ("profile",), rate(False, True)),
    Route("whole instrument with the profile in sight", ("profile",), rate(True, True)),
    Route("counselor's turn in a branch", SESSIONS, next_turn(3)),
    Route("client's turn in a branch", ("live",), next_turn(5)),
    Route("rating of an item", SESSIONS, rate(False)),
    Route("whole instrument", SESSIONS, rate(True)),
    Route("comparison, shown first", SESSIONS, compare(True)),
    Route("comparison, shown second", SESSIONS, compare(False)),
    Route("rating unit", SESSIONS, carry_out, unit(lambda id: ratings([id], "Out judge")), study=True),
    Route("whole instrument unit", SESSIONS, carry_out, unit(lambda id: ratings([id], "Out judge", "instrument")), study=True),
    Route("comparison unit", SESSIONS, carry_out, comparing, study=True),
    Route("retry", SESSIONS, again, failed_before, study=True),
    Route("answered here before, asked outside now", SESSIONS, reuse, about, study=True),
    Route("export to a folder", SESSIONS, folder, about, EXPORT, study=True),
    Route("export to a zip", SESSIONS, archive, about, EXPORT, study=True),
    Route("export of a report's study", ("report",), folder, noted, EXPORT, study=True),
]  # fmt: skip
