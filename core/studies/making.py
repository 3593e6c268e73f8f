"""Units that make records: sessions and role cards, by the same services that pages use. Each resumes where it stood."""

from contextlib import suppress
from typing import Any, cast

from core.errors import NotFound, StoreError
from core.llm.engines import settings_of
from core.roles.service import build_role
from core.sessions import service as sessions
from core.studies.keys import derived_seed
from core.studies.pacing import Halted
from core.studies.unit import Asking
from storage import units, writing


async def session(room: Any, asking: Asking, payload: dict[str, Any]) -> str:
    """Let client and counselor talk to the end. A unit that was broken off goes on at its next turn."""
    study_id, unit_id = room.study.id or 0, asking.unit.id
    client, counselor = (asking.engine(room.chair(payload[seat])) for seat in ("client", "counselor"))
    id = session_of(room, asking, payload)
    asking.made["session"] = id
    result = {"role": payload["role"], "session": id}
    await room.desk.ledger.write(lambda c: writing.note_result(c, unit_id, result))
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
    return await ended(room, asking, result)


def session_of(room: Any, asking: Asking, payload: dict[str, Any]) -> int:
    """The session this unit began before, else a new one."""
    if known := payload.get("session"):
        with suppress(NotFound):
            return int(room.store.sessions.get(known).id or 0)
    seats = {seat: room.shelf.agent(payload[seat]) for seat in ("client", "counselor")}
    if asking.unit.attempts:
        begun = room.store.sessions.find(
            role_id=payload["role"], client_agent_id=payload["client"], counselor_agent_id=payload["counselor"],
            seed=payload["seed"], ended_by="ready",
        )  # fmt: skip
        if begun is not None:  # a worker died between the session's row and the note of it
            return int(begun.id or 0)
    made = sessions.begin(
        room.store, room.shelf.role(payload["role"]), seats["client"], seats["counselor"],
        most_turns=payload["most_turns"], opener=payload.get("opener"), first=payload.get("first_seat", "counselor"),
        seed=payload["seed"],
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


async def ended(room: Any, asking: Asking, result: dict[str, Any]) -> str:
    await room.desk.ledger.write(lambda c: writing.finish(c, asking.unit.id, "done", "", result))
    asking.owed = False
    return "done"
