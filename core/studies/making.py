"""Units that make records, by the same services that pages use. Each resumes where it stood.

A worker may die between a record and the note of it in the unit: the record is found again by its calls or its seed.
"""

from contextlib import suppress
from typing import Any, cast

from core.errors import NotFound, StoreError
from core.llm.engines import settings_of
from core.reports import making
from core.roles.service import build_role
from core.sessions import service as sessions
from core.studies.keys import derived_seed
from core.studies.pacing import Halted
from core.studies.unit import Asking, PacedEngine
from storage import units, writing


async def session(room: Any, asking: Asking, payload: dict[str, Any]) -> str:
    """Let client and counselor talk to the end. A unit that was broken off goes on at its next turn."""
    study_id, unit_id = room.study.id or 0, asking.unit.id
    client, counselor = (asking.engine(room.chair(payload[seat])) for seat in ("client", "counselor"))
    await asking.claim()  # first: where the answer came meanwhile, no session is begun
    id = session_of(room, asking, payload)
    asking.made["session"] = id
    token = sessions.keeping_turns.set(asking.keep_turn)
    try:
        held = await sessions.converse(
            room.store, client, counselor, id, stop=room.stopping, study_id=study_id, unit_id=unit_id
        )
    except Halted:
        with suppress(StoreError):
            sessions.rest(room.store, id, "stopped")
        raise
    finally:
        sessions.keeping_turns.reset(token)
    if held.state != "ended":
        raise Halted
    return await ended(room, asking, {"role": payload["role"], "session": id})


def session_of(room: Any, asking: Asking, payload: dict[str, Any]) -> int:
    """The session this unit began before, else a new one."""
    if known := payload.get("session"):
        with suppress(NotFound):
            return int(room.store.sessions.get(known).id or 0)
    seats = {seat: room.shelf.agent(payload[seat]) for seat in ("client", "counselor")}
    made = sessions.begin(
        room.store, room.shelf.role(payload["role"]), seats["client"], seats["counselor"],
        most_turns=payload["most_turns"], opener=payload.get("opener"), first=payload.get("first_seat", "counselor"),
        seed=payload["seed"], unit_id=asking.unit.id,
    )  # fmt: skip
    return int(made.id or 0)


async def role(room: Any, asking: Asking, payload: dict[str, Any]) -> str:
    """Build one role card of a set; answers that came before a worker died are read again, not asked again."""
    chair, seed = room.chair(payload["writer"]), payload["seed"]
    if asking.unit.attempts and (saved := units.unclaimed_role(room.store, seed)):
        return await ended(room, asking, {"role": saved})
    built = await build_role(
        room.store, asking.engine(chair), language=room.study.language, seed=seed, sampling=cast(Any, payload["sampling"]),
        number=payload["number"], set_seed=set_seed(room), forbid_contradictions=payload["forbid"],
        settings=settings_of(chair.agent), study_id=room.study.id, unit_id=asking.unit.id,
    )  # fmt: skip
    return await ended(room, asking, {"role": built.id or 0})


def set_seed(room: Any) -> int:
    """The seed all roles of a study share, so that together they go through all stressors."""
    return derived_seed(room.study.design.get("seed", 0), room.study.draw, "roles")


async def note(room: Any, asking: Asking, payload: dict[str, Any]) -> str:
    """Write the counseling note of a report."""
    written = made_before(room, asking, "SELECT max(n.id) FROM note n JOIN call c ON c.id = n.call_id")
    if written is None:
        found = await making.write_note(room.store, *writer(room, asking, payload), **terms(room, asking, payload))
        written = found.id or 0
    return await ended(room, asking, {"report": payload["report"], "note": written})


async def dialogue(room: Any, asking: Asking, payload: dict[str, Any]) -> str:
    """Rebuild the dialogue of a report, which is a session like any other."""
    sql = "SELECT max(t.session_id) FROM turn t JOIN call c ON c.id = t.call_id"
    rebuilt = made_before(room, asking, sql)
    if rebuilt is None:
        found = await making.reconstruct_dialogue(
            room.store, *writer(room, asking, payload), payload["method"], **terms(room, asking, payload),
            note_id=payload.get("note"),
        )  # fmt: skip
        rebuilt = found.id or 0
    kept = {name: payload[name] for name in ("report", "note") if payload.get(name)}
    return await ended(room, asking, kept | {"session": rebuilt})


def made_before(room: Any, asking: Asking, sql: str) -> int | None:
    """The record whose call belongs to this unit, if a worker died just after saving it."""
    if not asking.unit.attempts or asking.unit.result.get("retries"):
        return None
    found = units.query(room.store, f"{sql} WHERE c.unit_id = :unit", unit=asking.unit.id)
    return int(found[0][0]) if found and found[0][0] else None


def writer(room: Any, asking: Asking, payload: dict[str, Any]) -> tuple[PacedEngine, int]:
    return asking.engine(room.chair(payload["writer"])), int(payload["report"])


def terms(room: Any, asking: Asking, payload: dict[str, Any]) -> dict[str, Any]:
    settings = settings_of(room.chair(payload["writer"]).agent)
    return {
        "seed": payload["seed"], "settings": settings, "study_id": room.study.id, "unit_id": asking.unit.id
    }  # fmt: skip


async def ended(room: Any, asking: Asking, result: dict[str, Any]) -> str:
    await room.desk.ledger.write(lambda c: writing.finish(c, asking.unit.id, "done", "", result))
    asking.owed = False
    return "done"
