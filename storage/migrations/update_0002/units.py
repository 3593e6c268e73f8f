"""Units whose record was deleted, and perhaps its number given to another one: they answer for nothing any more."""

import hashlib
import json
from typing import Any, NamedTuple

from sqlalchemy import Connection

from storage.migrations.elsewhere import FOREIGN
from storage.migrations.update_0002.arrivals import NEVER, Arrivals
from storage.migrations.update_0002.statements import rows, run

NAMED = {"session": "session", "first": "session", "second": "session", "role": "role_card", "report": "report", "note": "note"}
MADE = {"session": "session", "dialogue": "session", "note": "note", "role": "role"}  # the field of a unit's result that it made
OPEN = ("planned", "running")
MOST_RETRIES = 50


class Unit(NamedTuple):
    id: int
    kind: str
    state: str
    payload: dict[str, Any]
    result: dict[str, Any]
    study: int
    begun: str  # when its study was made

    @property
    def made(self) -> int | None:
        """The record this unit made or began, if any."""
        return self.result.get(MADE.get(self.kind, ""))


def mark_gone(connection: Connection, there: Arrivals) -> int:
    """Set such units to *gone*; returns how many. Ratings of units that are not theirs lose the unit's number."""
    for table in ("rating", "comparison"):
        run(
            connection,
            f"UPDATE {table} SET unit_id = NULL WHERE unit_id IS NOT NULL AND NOT EXISTS "
            f"(SELECT 1 FROM unit u WHERE u.id = {table}.unit_id AND u.study_id = {table}.study_id)",
        )
    foreign = {study for (study,) in rows(connection, FOREIGN)}
    gone: list[int] = []
    for study, begun in rows(connection, "SELECT id, created FROM study ORDER BY id"):
        sql = "SELECT id, kind, state, payload, result FROM unit WHERE study_id = :study ORDER BY position"
        units = [Unit(id, kind, state, json.loads(payload), json.loads(result), study, begun) for id, kind, state, payload, result in rows(connection, sql, study=study)]
        gone += brought_in(connection, units) if study in foreign else gone_of(connection, units, there)
    for id in gone:
        run(connection, "UPDATE unit SET state = 'gone', key = '', reason = '', result = '{}' WHERE id = :id", id=id)
    bind_again(connection, foreign)
    return len(gone)


def bind_again(connection: Connection, foreign: set[int]) -> None:
    """Units nothing was asked for yet find their records and get their keys when their study goes on."""
    for id, study in rows(connection, "SELECT id, study_id FROM unit WHERE state = 'planned' AND attempts = 0 AND key <> ''"):
        if study not in foreign:
            run(connection, "UPDATE unit SET key = '' WHERE id = :id", id=id)


def gone_of(connection: Connection, units: list[Unit], there: Arrivals) -> list[int]:
    """The units of a study whose records are not the ones they are about: there before the study, or made by it."""
    own = {unit.id for unit in units if unit.made is not None and is_own(connection, unit)}
    made = {(NAMED[MADE[unit.kind]], unit.made) for unit in units if unit.id in own}
    return [unit.id for unit in units if not is_fine(connection, unit, unit.id in own, made, there)]


def is_fine(connection: Connection, unit: Unit, own: bool, made: set[tuple[str, int | None]], there: Arrivals) -> bool:
    if unit.kind in MADE and not own and (unit.made is not None or unit.state in ("done", "reused")):
        return False
    if own and makers(connection, unit):
        return True
    for name, id in records(unit):
        planned = isinstance(unit.payload.get(name), dict)  # the record another unit was to make
        if (NAMED[name], id) not in made and (planned or there[NAMED[name]].get(id, NEVER) > unit.begun):
            return False
    return unit.kind in MADE or unit.state in (*OPEN, "failed") or has_rows(connection, unit)


def records(unit: Unit) -> list[tuple[str, int]]:
    """What a unit works on, by its fields; not what it made."""
    named = unit.payload | unit.result
    return [(name, named[name]) for name in NAMED if name != MADE.get(unit.kind) and isinstance(named.get(name), int)]


def is_own(connection: Connection, unit: Unit) -> bool:
    """Whether the record a unit names is the one it made: by makers, seed, sources and calls, and not before its study."""
    asked, calls = unit.payload, makers(connection, unit)
    wanted: tuple[Any, ...]
    if calls and maker_of(unit) not in calls:
        return False
    if unit.kind in ("session", "dialogue"):
        sql = "SELECT created, origin, seed, role_id, client_agent_id, counselor_agent_id, report_id FROM session WHERE id = :id"
        wanted = (unit.result.get("role"), asked.get("client"), asked.get("counselor"), None)
        origins = ["simulated", *(["live"] if calls else [])]  # a person may have gone on with it
        if unit.kind == "dialogue":
            wanted, origins = (None, None, None, asked.get("report")), ["reconstructed"]
    elif unit.kind == "note":
        sql = "SELECT created, '', NULL, report_id FROM note WHERE id = :id"
        wanted, origins = (asked.get("report"),), [""]
    else:
        sql, wanted, origins = "SELECT created, '', seed FROM role_card WHERE id = :id", (), [""]
    for created, origin, seed, *found in rows(connection, sql, id=unit.made):
        in_time = unit.state == "reused" or created >= unit.begun
        return in_time and origin in origins and tuple(found) == wanted and (seed is None or seed in seeds(asked.get("seed")))
    return False


def maker_of(unit: Unit) -> int:
    """The unit that asked for the record: this one, or the one it took it from."""
    return int(unit.result.get("source", unit.id))


def makers(connection: Connection, unit: Unit) -> set[int]:
    """The units whose calls a record came from, as far as its rows name calls."""
    sql = {
        "session": "SELECT call_id FROM turn WHERE session_id = :id", "note": "SELECT call_id FROM note WHERE id = :id",
    }.get(MADE.get(unit.kind, ""))  # fmt: skip
    if sql is None or unit.made is None:
        return set()
    return {id for (id,) in rows(connection, f"SELECT DISTINCT unit_id FROM call WHERE unit_id IS NOT NULL AND id IN ({sql})", id=unit.made)}


def seeds(seed: Any) -> set[Any]:
    """The seed a unit was planned with, and those of its retries, as the studies of that version derived them."""

    def derived(retry: int) -> int:
        parts = json.dumps([seed, "retry", retry], ensure_ascii=False, separators=(",", ":"))
        return int.from_bytes(hashlib.sha256(parts.encode()).digest()[:4], "big") & (2**31 - 1)

    return {seed, *(derived(retry) for retry in range(1, MOST_RETRIES))}


def has_rows(connection: Connection, unit: Unit) -> bool:
    """Whether a judgment of these very sessions is there to show."""
    names = ("session",) if unit.kind == "rating" else ("first", "second")
    where = "session_id = :session" if unit.kind == "rating" else "first_id = :first AND second_id = :second"
    values = {name: unit.result.get(name) for name in names}
    return bool(rows(connection, f"SELECT 1 FROM {unit.kind} WHERE unit_id = :unit AND {where} LIMIT 1", unit=maker_of(unit), **values))


def brought_in(connection: Connection, units: list[Unit]) -> list[int]:
    """Units of a study from elsewhere: only their sessions were given numbers of this store; the rest is dropped."""
    gone = []
    for unit in units:
        if unit.state in OPEN:
            continue
        kept = {name: unit.result[name] for name in ("session", "first", "second") if name in unit.result}
        there = all(rows(connection, "SELECT 1 FROM session WHERE id = :id", id=session) for session in kept.values())
        if there and (kept or unit.kind in ("role", "note")):
            run(connection, "UPDATE unit SET result = :result WHERE id = :id", id=unit.id, result=json.dumps(kept))
        else:
            gone.append(unit.id)
    return gone
