"""Executing one unit: ask, read, save. Knows nothing of where it runs."""

import json
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol

from core.errors import DataError, ModelError, NotFound, PromptError, Refused
from core.judging.readings import Rated, read_ratings
from core.judging.service import comparison_fields, comparison_question, rating_fields, rating_question
from core.llm.asking import call_fields, keeping, send
from core.llm.engines import settings_of
from core.llm.seam import Answer, Question, Settings
from core.studies import making, reasons
from core.studies.binding import NEEDS, Shelf, profile_of
from core.studies.keys import derived_seed
from core.studies.replay import stored_calls, stored_key
from core.studies.unit import AnsweredElsewhere, Asking, Chair, Desk, PacedEngine
from storage import tables, units, writing
from storage.store import Store
from storage.units import Waiting

JUDGE_TEMPERATURE = 1.0  # both papers ask their judges at temperature 1
NOT_APPLICABLE = "not applicable"
Outcome = tuple[str, str, dict[str, Any]]  # state, reason, result of a unit


class Room(Protocol):
    """What a unit is executed with."""

    store: Store
    study: tables.Study
    shelf: Shelf
    desk: Desk

    def chair(self, agent_id: int) -> Chair: ...

    def stopping(self) -> bool: ...


async def execute(room: Room, unit: Waiting) -> str:
    """Bring one unit to its end and commit it; returns its state.

    Raises:
        ModelError of kind ``study``, Halted: nothing came of this unit; it waits as *planned*.
    """
    asking = Asking(room.desk, unit)
    token = keeping.set(asking.keep)
    try:
        if unit.attempts:
            asking.stored = await room.desk.ledger.write(lambda c: stored_calls(c, unit.id))
        return await KINDS[unit.kind](room, asking, ids_of(unit))
    except AnsweredElsewhere as answered:
        return await take_over(room, unit, answered)
    except ModelError as error:
        if error.kind == "study" and not isinstance(error, Refused):
            give_back(room, asking)
            raise
        return await close(room, asking, "failed", reasons.of_error(error))
    except (DataError, PromptError, NotFound) as error:
        return await close(room, asking, "failed", reasons.of_error(error))
    except BaseException:
        give_back(room, asking)
        raise
    finally:
        keeping.reset(token)


def give_back(room: Room, asking: Asking) -> None:
    """A unit with nothing under way waits again; one whose answer is lost stays *running*, to be counted when asked
    again."""
    if asking.claimed and not asking.flying and not asking.owed:
        room.desk.ledger.post(lambda c: writing.release(c, asking.unit.id))


def ids_of(unit: Waiting) -> dict[str, Any]:
    """The payload with the records' ids in place, and the seed of this attempt."""
    payload = unit.payload | {name: unit.result[name] for name in NEEDS if name in unit.result}
    if retries := int(unit.result.get("retries", 0)):
        payload["seed"] = derived_seed(payload["seed"], "retry", retries)
    return payload


async def close(room: Room, asking: Asking, state: str, reason: str) -> str:
    """End a unit that has no row to save; what it works on stays known for a retry."""
    result = {k: v for k, v in asking.unit.result.items() if k != "source"} | asking.made
    await room.desk.ledger.write(lambda c: writing.finish(c, asking.unit.id, state, reason, result))
    return state


async def take_over(room: Room, unit: Waiting, found: AnsweredElsewhere) -> str:
    """Use the answer that another study's unit with the same key has got meanwhile."""
    from core.studies.binding import adopt

    row: dict[str, Any] = {
        "id": unit.id, "kind": unit.kind, "key": unit.key, "state": "planned", "reason": "", "result": dict(unit.result)
    }  # fmt: skip
    source = units.Answered(found.source, unit.key, found.state, json.loads(found.result))
    adopt(room.store, room.study, row, source)
    await room.desk.ledger.write(
        lambda c: writing.finish(c, unit.id, row["state"], row["reason"], row["result"])
    )
    return str(row["state"])


# Judging: the hot path. Everything a unit leaves behind is one job of a grouped commit.


def judge_settings(agent: tables.Agent) -> Settings:
    settings = settings_of(agent)
    return settings if settings.temperature is not None else replace(settings, temperature=JUDGE_TEMPERATURE)


async def rating(room: Room, asking: Asking, payload: dict[str, Any]) -> str:
    """Rate one session on one item, or on the whole instrument in one call."""
    shelf, chair = room.shelf, room.chair(payload["judge"])
    shown, instrument = shelf.session(payload["session"]), shelf.instrument(payload["instrument"])
    whole = payload["item"] is None
    items = payload.get("items") or [i.id for i in instrument.items] if whole else [payload["item"]]
    question = rating_question(
        instrument, items, shown.session, shown.turns, setting=payload["setting"], whole=whole,
        profile=profile_of(shelf, instrument, shown.session), settings=judge_settings(chair.agent),
        seed=payload["seed"], repeat=payload["repeat"], repeats=payload["of"],
    )  # fmt: skip
    engine = asking.engine(chair)
    answer = await send(engine, question)
    asked = question.inputs["items"] if whole else [question.inputs["item"]]
    read = read_ratings(answer, asked, shown.turns)
    more = {"repeat": payload["repeat"], "study_id": room.study.id, "unit_id": asking.unit.id}
    rater = shelf.rater(payload["judge"])
    rows = [rating_fields(one, instrument, shown.session, rater, payload["setting"], **more) for one in read]
    outcome = rating_outcome(answer, read, {"session": payload["session"]})
    return await commit(room, asking, engine, question, answer, tables.Rating, rows, outcome)


def rating_outcome(answer: Answer, read: Sequence[Rated], result: dict[str, Any]) -> Outcome:
    """*Unscored* when nothing could be read; items left out of a longer reply are named in the reason."""
    lost = [one for one in read if one.value is None and one.reason != NOT_APPLICABLE]
    if not lost:
        return "done", "", result
    why = reasons.of_answer(answer) if not answer.usable else reasons.reason("off_scale", lost[0].reason)
    if len(lost) < len(read):
        return (
            "done",
            reasons.reason("off_scale", f"{len(lost)} of {len(read)} items: {lost[0].reason}"),
            result,
        )
    return "unscored", why, result


async def comparison(room: Room, asking: Asking, payload: dict[str, Any]) -> str:
    """Compare two sessions on one dimension in one order."""
    shelf, chair = room.shelf, room.chair(payload["judge"])
    first, second = shelf.session(payload["first"]), shelf.session(payload["second"])
    instrument = shelf.instrument(payload["instrument"])
    turns = {payload["first"]: first.turns, payload["second"]: second.turns}
    question = comparison_question(
        instrument, payload["dimension"], first.session, second.session, turns,
        settings=judge_settings(chair.agent), seed=payload["seed"],
    )  # fmt: skip
    engine = asking.engine(chair)
    answer = await send(engine, question)
    rater = shelf.rater(payload["judge"])
    more = {"repeat": payload["repeat"], "study_id": room.study.id, "unit_id": asking.unit.id}
    row = comparison_fields(
        answer, instrument, payload["dimension"], first.session, second.session, turns, rater, **more
    )
    result = {"first": payload["first"], "second": payload["second"]}
    outcome: Outcome = ("done", "", result)
    if row["verdict"] == "unscored":
        outcome = ("unscored", reasons.of_answer(answer), result)
    return await commit(room, asking, engine, question, answer, tables.Comparison, [row], outcome)


async def commit(
    room: Room, asking: Asking, engine: PacedEngine, question: Question, answer: Answer, table: Any,
    rows: Sequence[dict[str, Any]], outcome: Outcome,
) -> str:  # fmt: skip
    """The call, its texts, the rows read from it and the unit's state, in one job."""
    unit, desk, study = asking.unit, room.desk, room.study.id or 0
    state, why, result = outcome
    messages = [{"role": m.role, "content": m.content} for m in question.messages]
    known = asking.stored.get(stored_key(question.prompt_hash, question.seed, messages)) if asking.stored else None
    packed = asking.pack(call_fields(engine, question, answer), messages, answer.raw, engine.chair.price)
    again = bool(unit.attempts)
    if retries := unit.result.get("retries"):
        result = result | {"retries": retries}

    def job(connection: sqlite3.Connection) -> str:
        call = int(known["id"]) if known else writing.save_call(connection, packed)
        if not call:  # what it judges was deleted meanwhile
            writing.finish(connection, unit.id, "gone", "", {})
            return "gone"
        if again:
            writing.forget_rows(connection, str(table.__table__.name), unit.id, study)
        writing.save_rows(connection, table, ({**row, "call_id": call} for row in rows))
        writing.finish(connection, unit.id, state, why, result)
        return state

    ended = str(await desk.ledger.write(job))
    asking.owed = False
    return ended


KINDS: dict[str, Callable[[Any, Asking, dict[str, Any]], Awaitable[str]]] = {
    "rating": rating,
    "comparison": comparison,
    "session": making.session,
    "role": making.role,
    "note": making.note,
    "dialogue": making.dialogue,
}
