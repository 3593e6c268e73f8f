"""Studies: a design becomes units, a worker works them off, and what comes of it stays countable."""

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core import instruments, sentences
from core.errors import DataError, StoreError
from core.llm.agents import ensure_shipped
from core.people.agreements import barred, refused_units
from core.studies import keyring, samples, versions
from core.studies.binding import settle
from core.studies.design import Design, read_design
from core.studies.expand import Catalogue, Expansion, Instrument, expand
from core.studies.lock import meeting_place
from core.studies.progress import Standing, standing
from core.studies.starting import LOG, start_worker, start_worker_if_needed
from core.studies.worker import doing, work_off
from storage import tables, units
from storage.store import Store
from storage.tables import now

__all__ = [
    "begin", "begin_anew", "plan", "resume", "retry", "run_design", "set_budget", "start", "start_worker_if_needed", "status",
    "stop", "work_off",
]  # fmt: skip
OVER = ("planned", "stopped", "needs the key", "over budget", "failed", "finished")


def plan(
    store: Store, given: Design | dict[str, Any] | str | Path
) -> tuple[Design, Expansion, dict[str, Any]]:
    """The design, its units and its drawn samples. Nothing is saved.

    Raises:
        DataError: the design cannot be run; the sentence says which part and why.
    """
    ensure_shipped(store)
    design = read_design(given)
    catalogue, drawn = look_up(store, design)
    return design, expand(design, catalogue), drawn


def begin(
    store: Store, given: Design | dict[str, Any] | str | Path, person: tables.Person | None = None
) -> tables.Study:  # fmt: skip
    """Save a study with all its units; nothing is asked yet.

    Args:
        person: who begins it.
    """
    design = read_design(given)
    ensure_shipped(store)
    catalogue, drawn = look_up(store, design)
    draw = next_draw(store) if design.fresh_draws else 0
    made = expand(design, catalogue, draw)
    study = tables.Study(
        name=design.name, design=design.model_dump(mode="json"), samples=drawn | made.pairs, budget=design.budget,
        engine=engine_kind(store, made), language=design.language, draw=draw,
        person_id=person.id if person is not None else None,
    )  # fmt: skip
    return units.add_study(store, study, (unit._asdict() for unit in made.units))


def begin_anew(store: Store, study_id: int, person: tables.Person | None = None) -> tables.Study:
    """Begin the plan of a study again, as a new one, with the versions of its instruments that are here.

    What is the same (the sessions, comparisons with an instrument that did not change) is answered from the store.

    Raises:
        DataError: it came from elsewhere, or an instrument lacks what it asks for. Nothing was saved.
    """
    study = versions.begin_anew(store, own(store, study_id), person)
    return count_known(store, study.id or 0)


def next_draw(store: Store) -> int:
    """A number no study has drawn with, for draws of its own."""
    return int(units.query(store, "SELECT coalesce(max(draw), 0) + 1 FROM study")[0][0])


def engine_kind(store: Store, made: Expansion) -> str:
    """demo, openai, or mixed."""
    names = ("judge", "writer", "client", "counselor")
    asked = {unit.payload[name] for unit in made.units for name in names if name in unit.payload}
    kinds = {store.agents.get(id).engine for id in asked}
    return kinds.pop() if len(kinds) == 1 else "mixed"


def start(
    store: Store, study_id: int, keys: Mapping[str, str] | None = None, worker: bool = True
) -> tables.Study:
    """Set a study running; what the store can answer already needs no worker.

    Keys are with the worker before the study runs, so that none is taken up without them.

    Raises:
        DataError: it has a budget, but nobody knows what its model costs; or it was planned with another version of an
            instrument.
        StoreError: the worker could not be started, or did not take the keys; nothing was started.
    """
    study = own(store, study_id)
    if study.state == "running":
        return study
    versions.check(store, study_id)
    check_prices(store, study)
    started = study.started or now()
    if settle(store, study):
        return store.studies.update(study_id, state="finished", reason="", started=started, ended=now())
    if worker:
        check_place(store)
        give_keys(store, study_id, keys or {})
    study = store.studies.update(study_id, state="running", reason="", started=started, ended="")
    if worker:
        start_worker_if_needed(store)
    return study


def own(store: Store, study_id: int) -> tables.Study:
    """A study that was made here.

    Raises:
        DataError: it was brought in from elsewhere, so it is read and not run.
    """
    study = store.studies.get(study_id)
    if study.origin == "elsewhere":
        raise DataError(
            "Study {id} was brought in from another workbench: it can be read and exported, not run. Download its "
            "design and start a study of your own with it; nothing was changed.",
            id=study_id,
        )
    return study


def check_place(store: Store) -> None:
    """Raises StoreError: a worker could not be met, so it is not started."""
    if store.path is not None:
        meeting_place(store.path)


def count_known(store: Store, study_id: int) -> tables.Study:
    """Mark what the store can answer already as reused; nothing is asked, and the study does not run."""
    study = store.studies.get(study_id)
    if study.state == "planned":
        settle(store, study)
    return store.studies.get(study_id)


def give_keys(store: Store, study_id: int, keys: Mapping[str, str], wait: float = 20.0) -> None:
    """Hand the worker those typed keys that the study asks with; they are written nowhere.

    A worker is started where none is, and waits for the study; a study that waits for its key goes on.

    Raises:
        StoreError: no worker took them in time.
    """
    wanted = {row.base_url: key for row in endpoints_of(store, study_id) if (key := keys.get(row.base_url))}
    if not wanted or store.path is None:
        return
    if not typed_key_possible():
        raise StoreError(
            "Typed keys cannot reach the worker on this system. Set the key in an environment variable, name it on "
            "Models and agents, and start again; nothing was started."
        )
    until = time.monotonic() + wait
    while True:
        start_worker(store)
        if keyring.hand_over(store.path, study_id, wanted):
            return
        if time.monotonic() > until:
            raise StoreError(
                "The worker did not take the key within {seconds:.0f} seconds; its log {log} may say why. Try again; "
                "nothing was started.",
                seconds=wait, log=str(store.folder.resolve() / LOG),
            )  # fmt: skip
        time.sleep(0.05)


def endpoints_of(store: Store, study_id: int) -> list[tables.Endpoint]:
    """Endpoints that units of the study which are not answered yet ask."""
    stages = units.open_stages(store, study_id)
    agents = {id for stage in stages for id in units.agents_of(store, study_id, stage)}
    ids = {store.agents.get(id).endpoint_id for id in agents}
    return [store.endpoints.get(id) for id in sorted(id for id in ids if id)]


def stop(store: Store, study_id: int) -> tables.Study:
    """Send nothing further; calls under way may still answer and are saved."""
    study = store.studies.get(study_id)
    if study.state != "running":
        return study
    study = store.studies.update(study_id, state="stopping")
    start_worker_if_needed(store)
    return study


def resume(
    store: Store, study_id: int, wait: bool = True, keys: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Go on with a study that was stopped, failed, ran out of budget or waits for a key."""
    start(store, study_id, keys)
    if wait:
        wait_for(store, study_id)
    return status(store, study_id)


def retry(store: Store, study_id: int, wait: bool = False, keys: Mapping[str, str] | None = None) -> int:
    """Ask failed and unscored units again, and unscored items of units that are done; returns how many units.

    Those about sessions that somebody still refuses stay as they are.
    """
    study = own(store, study_id)
    if study.state in ("running", "stopping"):
        raise DataError("Study {id} is still running. Stop it or wait; nothing was changed.", id=study_id)
    versions.check(store, study_id, "redo")
    count = units.retry(store, study_id, refused_units(store, study_id))
    if count:
        start(store, study_id, keys)
    if wait:
        wait_for(store, study_id)
    return count


def set_budget(store: Store, study_id: int, budget: float | None) -> tables.Study:
    own(store, study_id)
    return store.studies.update(study_id, budget=budget)


def run_design(
    store: Store,
    given: Design | dict[str, Any] | str | Path,
    wait: bool = True,
    keys: Mapping[str, str] | None = None,
    person: tables.Person | None = None,
) -> dict[str, Any]:
    """Plan, save and run a study; with ``wait`` to its end. Returns its status."""
    study = begin(store, given, person)
    start(store, study.id or 0, keys)
    if wait:
        wait_for(store, study.id or 0)
    return status(store, study.id or 0)


def wait_for(store: Store, study_id: int, longest: float | None = None) -> str:
    """Wait until the study stands still; a worker that died is started again, a few times. Returns the state."""
    until = None if longest is None else time.monotonic() + longest
    pause = 0.05
    while (state := store.studies.get(study_id).state) not in OVER:
        if until is not None and time.monotonic() > until:
            break
        start_worker_if_needed(store)
        time.sleep(pause)
        pause = min(0.5, pause * 1.3)
    return state


def status(store: Store, study_id: int) -> dict[str, Any]:
    """Where a study stands, as the command line gives it."""
    found = standing(store, store.studies.get(study_id), doing(store, study_id))
    return as_json(found)


def as_json(found: Standing) -> dict[str, Any]:
    counts = found.counts
    figures = found.figures
    return {
        "id": found.study.id,
        "name": found.study.name,
        "state": found.study.state,
        "reason": sentences.english(found.study.reason),
        "units": {
            "planned": found.total, "done": counts["done"], "failed": counts["failed"],
            "refused": counts["refused"], "reused": counts["reused"], "unscored": counts["unscored"], "gone": counts["gone"], "waiting": found.waiting,
        },
        "items_unscored": found.gaps.items,
        "calls": figures.calls,
        "requests": figures.requests,
        "repaired": figures.repaired,
        "asked_twice": found.asked_twice,
        "tokens": {"in": figures.tokens_in, "out": figures.tokens_out, "cached": figures.tokens_cached},
        "tokens_estimated": bool(figures.estimated),
        "cost": round(figures.cost, 6) if not figures.unpriced else None,
        "engine": found.study.engine,
        "notes": found.notes,
    }  # fmt: skip


# What a design refers to


def look_up(store: Store, design: Design) -> tuple[Catalogue, dict[str, Any]]:
    """What expanding needs to know of the store, and the samples as drawn."""
    every = session_rows(store)
    rows = {"reports": report_rows(store), "roles": role_rows(store), "sessions": [row for row in every if not row["refused"]]}
    drawn: dict[str, Any] = {}
    for name, sample in design.samples.items():
        found = samples.draw(name, sample, [row for row in rows[sample.of] if row.get("newest", True)])
        drawn[name] = {
            "of": sample.of, "seed": sample.seed, "ids": list(found.ids), "strata": dict(found.strata),
            "short": dict(found.short),
        }  # fmt: skip
    return (
        Catalogue(
            agents={agent.name: agent.id or 0 for agent in store.agents.all()},
            roles=rows["roles"], reports=rows["reports"], sessions=rows["sessions"],
            instruments=known_instruments(), samples={name: one["ids"] for name, one in drawn.items()},
            refused={row["id"]: row["refused"] for row in every if row["refused"]},
        ),
        drawn,
    )  # fmt: skip


def known_instruments() -> dict[str, Instrument]:
    found: dict[str, Instrument] = {}
    for id in instruments.catalogue():
        names = [id]
        if instruments.load(id).scoring == "sum":
            names.append(id + instruments.HOLISTIC)
        for name in names:
            one = instruments.load(name)
            compares = one.kind == "comparison"
            entries = tuple(d.id for d in one.dimensions) if compares else tuple(i.id for i in one.items)
            found[name] = Instrument(name, one.version, compares, entries)
    return found


def report_rows(store: Store) -> list[dict[str, Any]]:
    notes = dict(units.query(store, "SELECT report_id, max(id) FROM note GROUP BY report_id"))
    sql = "SELECT id, language, topic, school FROM report ORDER BY id"
    return [
        {"id": r[0], "language": r[1], "topic": r[2], "school": r[3], "note_id": notes.get(r[0])}
        for r in units.query(store, sql)
    ]


def role_rows(store: Store) -> list[dict[str, Any]]:
    sql = "SELECT id, title, language, stressor ->> 'category', id IN (SELECT max(id) FROM role_card GROUP BY card_id) FROM role_card ORDER BY card_id, id"
    return [
        {"id": r[0], "title": r[1], "language": r[2], "category": r[3], "newest": bool(r[4])}
        for r in units.query(store, sql)
    ]


def session_rows(store: Store) -> list[dict[str, Any]]:
    """Sessions that can be judged: they have ended or were stopped, and hold at least a turn; ``refused``: not by us."""
    sql = (
        "SELECT s.id, s.language, s.topic, s.role_id, s.report_id, s.counselor_agent_id, s.client_code, s.counselor_code, "
        "s.origin, a.name, g.card_id FROM session s LEFT JOIN role_card g ON g.id = s.role_id LEFT JOIN agent a ON a.id = s.counselor_agent_id "
        "WHERE s.state IN ('ended', 'stopped') AND EXISTS (SELECT 1 FROM turn t WHERE t.session_id = s.id) "
        "AND NOT EXISTS (SELECT 1 FROM turn t WHERE t.session_id = s.id AND t.state = 'deleted') ORDER BY s.id"
    )
    refused = barred(store)
    return [
        {
            "id": r[0], "language": r[1], "topic": r[2], "role": str(r[10] or ""), "role_id": r[3], "report_id": r[4],
            "by": r[5] or "", "client": r[6], "counselor": r[7] or r[9] or "", "origin": r[8],
            "refused": "withdrawn" if r[0] in refused.hidden else "not rated" if r[0] in refused.judged[""] else "",
        }
        for r in units.query(store, sql)
    ]  # fmt: skip


def check_prices(store: Store, study: tables.Study) -> None:
    """A budget needs prices. Raises DataError naming the endpoints without one."""
    if study.budget is None:
        return
    from core.studies.estimate import unpriced

    lacking = unpriced(store, study.id or 0)
    if lacking:
        raise DataError(
            "The study has a budget, but no price is known for {models}. Enter its price under Prices, or take the "
            "budget away; nothing was started.",
            models=", ".join(lacking),
        )


def typed_key_possible() -> bool:
    """Whether typed keys can reach the worker on this system."""
    return os.name != "nt"
