"""Executing one unit: ask, read, save. Knows nothing of where it runs."""

import asyncio
import json
import logging
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, Protocol

from sqlalchemy.exc import IntegrityError

from core.errors import DataError, ModelError, NotFound, PromptError, Refused, WorkbenchError, place_of
from core.instruments import NOT_APPLICABLE
from core.judging.readings import Rated, read_ratings
from core.judging.service import (
    asked_as,
    comparison_fields,
    comparison_question,
    rating_fields,
    rating_question,
)
from core.llm.asking import answered, call_fields, keeping, send, texts_of
from core.llm.engines import settings_of
from core.llm.seam import Answer, Question, Settings
from core.people.agreements import barred
from core.roles.as_profile import answers
from core.studies import making, reasons
from core.studies.binding import NEEDS, Shelf, profile_of
from core.studies.keys import derived_seed
from core.studies.pacing import Halted
from core.studies.replay import stored_calls, stored_key
from core.studies.unit import AnsweredElsewhere, Asking, Chair, Desk, PacedEngine
from storage import tables, units, writing
from storage.store import Store
from storage.waiting import Answered, Waiting

JUDGE_TEMPERATURE = 1.0  # both papers ask their judges at temperature 1
INTEGRITY = (sqlite3.IntegrityError, IntegrityError)  # a row it belongs to is not there
Outcome = tuple[str, str, dict[str, Any]]  # state, reason, result of a unit
log = logging.getLogger("rapport.worker")


class Ended(NamedTuple):
    """How a unit ended; ``fault`` is the place in Rapport that failed it, if one did."""

    state: str
    fault: str = ""


class Room(Protocol):
    """What a unit is executed with."""

    store: Store
    study: tables.Study
    shelf: Shelf
    desk: Desk

    def chair(self, agent_id: int) -> Chair: ...

    def stopping(self) -> bool: ...


async def execute(room: Room, unit: Waiting) -> Ended:
    """Bring one unit to its end and commit it.

    Whatever nobody foresaw fails this unit and no other; the reply that had come is kept.

    Raises:
        ModelError of kind ``study``, NeedsKey, StoreError, Halted: nothing came of this unit; it waits as *planned*.
    """
    asking = Asking(room.desk, unit)
    token = keeping.set(asking.keep)
    try:
        if unit.attempts:
            asking.stored = await room.desk.ledger.write(lambda c: stored_calls(c, unit.id))
        return Ended(await KINDS[unit.kind](room, asking, ids_of(unit)))
    except AnsweredElsewhere as answered:
        return Ended(await take_over(room, unit, answered))
    except ModelError as error:
        if error.kind == "study" and not isinstance(error, Refused):
            give_back(room, asking)
            raise
        return Ended(await fail(room, asking, reasons.of_error(error)))
    except (DataError, PromptError, NotFound, *INTEGRITY) as error:
        return await without_record(room, asking, error)
    except (Halted, WorkbenchError, asyncio.CancelledError):
        give_back(room, asking)
        raise
    except Exception as error:  # noqa: BLE001 - logged, and counted by whoever runs the study
        return await stumble(room, asking, error)
    except BaseException:
        give_back(room, asking)
        raise
    finally:
        keeping.reset(token)


async def without_record(room: Room, asking: Asking, error: Exception) -> Ended:
    """A unit that could not work on its records: *gone* where one was deleted, else failed with the reason."""
    named = asking.unit.payload | asking.unit.result | asking.made
    if await asyncio.to_thread(units.lost_records, room.store, named):
        asking.unit.result.clear()
        asking.made.clear()
        return Ended(await close(room, asking, "gone", reasons.reason("gone")))
    if isinstance(error, WorkbenchError):
        return Ended(await fail(room, asking, reasons.of_error(error)))
    return await stumble(room, asking, error)


async def stumble(room: Room, asking: Asking, error: Exception) -> Ended:
    """A fault of ours: this unit fails with the place of it, and what had come for it is kept."""
    fault = place_of(error)
    log.error("unit %s of study %s: %s", asking.unit.id, room.study.id, place_of(error, whole=True))
    if asking.came is not None:
        with suppress(NotFound):  # its record was deleted meanwhile: then nothing of it is kept
            await keep_unread(room, asking, *asking.came)
    return Ended(await fail(room, asking, reasons.reason("fault", fault)), fault)


async def keep_unread(room: Room, asking: Asking, engine: PacedEngine, question: Question, answer: Answer) -> None:
    """A reply that could not be dealt with, as it came."""
    fields = call_fields(engine, question, answer) | {"state": "unreadable"}
    packed = asking.pack(fields, texts_of(question), answer.raw, engine.chair.price)
    await room.desk.ledger.write(lambda c: writing.save_call(c, packed))


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


async def fail(room: Room, asking: Asking, reason: str) -> str:
    """End a unit that was not answered. One whose other items are answered stays *done*, and says what it lacks."""
    return await close(room, asking, "done" if asking.unit.result.get("partly") else "failed", reason)


async def close(room: Room, asking: Asking, state: str, reason: str) -> str:
    """End a unit that has no row to save; what it works on stays known for a retry."""
    result = {k: v for k, v in asking.unit.result.items() if k not in ("source", "partly")} | asking.made
    await room.desk.ledger.write(lambda c: writing.finish(c, asking.unit.id, state, reason, result))
    return state


async def take_over(room: Room, unit: Waiting, found: AnsweredElsewhere) -> str:
    """Use the answer that another study's unit with the same key has got meanwhile."""
    from core.studies.binding import adopt

    row: dict[str, Any] = {
        "id": unit.id, "kind": unit.kind, "key": unit.key, "state": "planned", "reason": "", "result": dict(unit.result)
    }  # fmt: skip
    source = Answered(found.source, unit.key, found.state, json.loads(found.result))
    if barred(room.store).about(source.result):
        row |= {"state": "failed", "reason": reasons.CONSENT}
    else:
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
    """Rate one session on one item, or on the whole instrument in one call.

    Of an instrument that is rated against a profile, items the profile says nothing about are not applicable, unasked.
    """
    shelf, chair = room.shelf, room.chair(payload["judge"])
    shown, instrument = shelf.session(payload["session"]), shelf.asked_with(room.study.id or 0, payload)
    whole = payload["item"] is None
    items = payload.get("items") or [i.id for i in instrument.items] if whole else [payload["item"]]
    if whole:
        items = await still_asked(room, asking, items)
    profile = profile_of(shelf, instrument, shown.session)
    silent = [item for item in items if instrument.shows_profile and not answers(profile, item)]
    question = rating_question(
        room.store, instrument, [item for item in items if item not in silent] or items, shown.session, shown.turns,
        setting=payload["setting"], whole=whole, profile=profile, settings=judge_settings(chair.agent),
        seed=payload["seed"], repeat=payload["repeat"], repeats=payload["of"],
    )  # fmt: skip
    engine, rater = asking.engine(chair), shelf.rater(payload["judge"])
    more = {"repeat": payload["repeat"], "study_id": room.study.id, "unit_id": asking.unit.id}

    def row(read: Rated, by: Answer) -> dict[str, Any]:
        fields = rating_fields(read, instrument, shown.session, rater, payload["setting"], **more)
        return fields | asked_as(question, by, payload["of"])

    nobody = Answer(None, "empty", "", "", engine=engine.endpoint.kind, engine_version=engine.version)
    rows = [row(Rated(item, None, NOT_APPLICABLE, ""), nobody) | {"call_id": None} for item in silent]
    if len(silent) == len(items):
        return await commit_unasked(room, asking, rows, {"session": payload["session"]})
    question, answer = await answered(partial(send, engine), engine, question, asking.keep)
    asking.came = (engine, question, answer)
    asked = question.inputs["items"] if whole else [question.inputs["item"]]
    read = read_ratings(answer, asked, shown.turns)
    rows += [row(one, answer) for one in read]
    partly = bool(asking.unit.result.get("partly"))
    outcome = rating_outcome(answer, read, {"session": payload["session"]}, partly)
    return await commit(room, asking, engine, question, answer, tables.Rating, rows, outcome)


async def still_asked(room: Room, asking: Asking, items: Sequence[str]) -> list[str]:
    """The items of a whole instrument that this unit has no reading of yet: all, or those that were unscored."""
    if not asking.unit.attempts and not asking.unit.result.get("partly"):
        return list(items)
    read = await asyncio.to_thread(units.items_read, room.store, asking.unit.id)
    return [item for item in items if item not in read] or list(items)


def rating_outcome(
    answer: Answer, read: Sequence[Rated], result: dict[str, Any], partly: bool = False
) -> Outcome:
    """*Unscored* when nothing could be read; *done* with a reason when some items could not.

    Args:
        partly: other items of the unit were read before.
    """
    lost = [one for one in read if one.value is None and one.reason != NOT_APPLICABLE]
    if not lost:
        return "done", "", result
    why = reasons.of_answer(answer) if not answer.usable else reasons.of_item(lost[0].reason)
    if len(lost) == len(read) and not partly:
        return "unscored", why, result
    code, details = reasons.split(why)
    return "done", reasons.reason(code, f"{len(lost)} of {len(read)} items: {details}"), result


async def comparison(room: Room, asking: Asking, payload: dict[str, Any]) -> str:
    """Compare two sessions on one dimension in one order."""
    shelf, chair = room.shelf, room.chair(payload["judge"])
    first, second = shelf.session(payload["first"]), shelf.session(payload["second"])
    instrument = shelf.asked_with(room.study.id or 0, payload)
    turns = {payload["first"]: first.turns, payload["second"]: second.turns}
    question = comparison_question(
        room.store, instrument, payload["dimension"], first.session, second.session, turns,
        settings=judge_settings(chair.agent), seed=payload["seed"],
    )  # fmt: skip
    engine = asking.engine(chair)
    question, answer = await answered(partial(send, engine), engine, question, asking.keep)
    asking.came = (engine, question, answer)
    rater = shelf.rater(payload["judge"])
    more = {"repeat": payload["repeat"], "study_id": room.study.id, "unit_id": asking.unit.id} | asked_as(question, answer, payload.get("of", 1))
    row = comparison_fields(
        answer, instrument, payload["dimension"], first.session, second.session, turns, rater, **more
    )
    result = {"first": payload["first"], "second": payload["second"]}
    outcome: Outcome = ("done", "", result)
    if row["verdict"] == "unscored":
        outcome = ("unscored", reasons.of_answer(answer), result)
    return await commit(room, asking, engine, question, answer, tables.Comparison, [row], outcome)


async def commit_unasked(room: Room, asking: Asking, rows: Sequence[dict[str, Any]], result: dict[str, Any]) -> str:
    """Rows that need no call, and the unit's state, in one job."""
    unit, study = asking.unit, room.study.id or 0

    def job(connection: sqlite3.Connection) -> str:
        if writing.is_gone(connection, unit.id) or not writing.is_there(connection, "session", result["session"]):
            writing.finish(connection, unit.id, "gone", reasons.reason("gone"), {})
            return "gone"
        writing.forget_rows(connection, "rating", unit.id, study, [row["item"] for row in rows])
        writing.save_rows(connection, tables.Rating, rows)
        writing.finish(connection, unit.id, "done", "", result)
        return "done"

    return str(await room.desk.ledger.write(job))


async def commit(
    room: Room, asking: Asking, engine: PacedEngine, question: Question, answer: Answer, table: Any,
    rows: Sequence[dict[str, Any]], outcome: Outcome,
) -> str:  # fmt: skip
    """The call, its texts, the rows read from it and the unit's state, in one job."""
    unit, desk, study = asking.unit, room.desk, room.study.id or 0
    state, why, result = outcome
    messages = texts_of(question)
    known = asking.stored.get(stored_key(question.prompt_hash, question.seed, messages)) if asking.stored else None
    packed = asking.pack(call_fields(engine, question, answer), messages, answer.raw, engine.chair.price)
    again = bool(unit.attempts)
    items = [row["item"] for row in rows if "item" in row]
    if retries := unit.result.get("retries"):
        result = result | {"retries": retries}

    def job(connection: sqlite3.Connection) -> str:
        call = int(known["id"]) if known else writing.save_call(connection, packed)
        if writing.is_gone(connection, unit.id) or not writing.are_there(connection, packed.about):  # deleted meanwhile
            writing.finish(connection, unit.id, "gone", reasons.reason("gone"), {})
            return "gone"
        if not call:  # somebody withdrew a use of it meanwhile
            writing.finish(connection, unit.id, "failed", reasons.CONSENT, unit.result)
            return "failed"
        if again:
            writing.forget_rows(connection, str(table.__table__.name), unit.id, study, items)
        writing.save_rows(connection, table, ({"call_id": call, **row} for row in rows))
        writing.finish(connection, unit.id, state, why, result)
        return state

    ended = str(await desk.ledger.write(job))
    asking.owed, asking.came = False, None
    return ended


KINDS: dict[str, Callable[[Any, Asking, dict[str, Any]], Awaitable[str]]] = {
    "rating": rating,
    "comparison": comparison,
    "session": making.session,
    "role": making.role,
    "note": making.note,
    "dialogue": making.dialogue,
}
