"""Units of studies: named operations, in plain SQL where thousands of rows pass.

Each opens a short transaction of its own; what a worker writes while it asks is in ``storage.writing``.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from sqlalchemy import text
from sqlmodel import select

from storage import tables, writing
from storage.store import Store
from storage.waiting import Answered, Waiting

CHUNK = 500
OPEN = ("planned", "running")
ANSWERED = ("done", "unscored")
Which = Literal["open", "redo", "all"]
TO_REDO = "(state IN ('failed', 'unscored') OR (state = 'done' AND reason <> ''))"
CHOSEN: Mapping[Which, str] = {"open": "state IN ('planned', 'running')", "redo": TO_REDO, "all": "1"}

WAITING = "SELECT id, position, kind, stage, key, payload, attempts, result FROM unit "


GOES_ON = "studies begun anew"  # setting: study → the study that has the same plan and goes on with it


def add_study(store: Store, study: tables.Study, units: Iterable[Mapping[str, Any]], instead_of: int | None = None) -> tables.Study:
    """A study with all its units (kind, stage, payload) in one transaction; positions count from 0.

    Args:
        instead_of: the study it goes on with.
    """
    insert_unit = text(
        "INSERT INTO unit (study_id, position, kind, stage, key, payload, state, reason, attempts, asked_twice, result) "
        "VALUES (:study, :position, :kind, :stage, '', :payload, 'planned', '', 0, 0, '{}')"
    )

    def both(session: Any) -> None:
        session.add(study)
        session.flush()
        rows = [
            {
                "study": study.id,
                "position": position,
                "kind": unit["kind"],
                "stage": unit["stage"],
                "payload": json.dumps(unit["payload"], ensure_ascii=False),
            }
            for position, unit in enumerate(units)
        ]
        if rows:
            session.connection().execute(insert_unit, rows)
        if instead_of is not None:
            before = session.get(tables.Setting, GOES_ON)
            going_on = (before.value if before is not None else {}) | {str(instead_of): study.id}
            session.merge(tables.Setting(name=GOES_ON, value=going_on))

    store.database.run(both)
    return study


def going_on(store: Store) -> dict[int, int]:
    """Studies that were begun anew, each with the study that goes on with it; without those whose new study was deleted."""
    told = store.settings.get(GOES_ON) or {}
    there = {row[0] for row in query(store, "SELECT id FROM study")} if told else set()
    return {int(old): new for old, new in told.items() if new in there}


def planned_with(store: Store, study_id: int, which: Which) -> list[tuple[str, int | None]]:
    """The instruments that units of a study were planned with, each with its version where the units name one."""
    sql = (
        "SELECT DISTINCT payload ->> 'instrument', payload ->> 'version' FROM unit WHERE study_id = :study AND kind IN "
        f"('rating', 'comparison') AND {CHOSEN[which]} ORDER BY 1, 2"
    )
    return [(row[0], row[1]) for row in query(store, sql, study=study_id)]


def plan_of(store: Store, study_id: int) -> list[dict[str, Any]]:
    """A study's units as they were planned (kind, stage, payload), in their order."""
    rows = query(store, "SELECT kind, stage, payload FROM unit WHERE study_id = :study ORDER BY position", study=study_id)
    return [{"kind": kind, "stage": stage, "payload": json.loads(payload)} for kind, stage, payload in rows]


def query(store: Store, sql: str, **values: Any) -> list[Any]:
    """Rows of a reading statement."""
    return store.database.run(lambda session: list(session.connection().execute(text(sql), values).all()))


def change(store: Store, sql: str, rows: Sequence[Mapping[str, Any]] | Mapping[str, Any]) -> int:
    """Run a writing statement, once or for each row; returns how many rows it touched."""
    if not rows:
        return 0
    return int(store.database.run(lambda session: session.connection().execute(text(sql), rows).rowcount))


def waiting(
    store: Store, study_id: int, stage: int, after: int, limit: int, states: str = "planned"
) -> list[Waiting]:
    """The next units of a stage in this state, in their order."""
    rows = query(
        store,
        WAITING + "WHERE study_id = :study AND stage = :stage AND state = :state AND position > :after "
        "ORDER BY position LIMIT :limit",
        study=study_id,
        stage=stage,
        state=states,
        after=after,
        limit=limit,
    )
    return [Waiting(r[0], r[1], r[2], r[3], r[4], json.loads(r[5]), r[6], json.loads(r[7])) for r in rows]


def open_stages(store: Store, study_id: int) -> list[int]:
    """Stages that still have units to do, first to last."""
    sql = "SELECT DISTINCT stage FROM unit WHERE study_id = :study AND state IN ('planned', 'running') ORDER BY stage"
    return [row[0] for row in query(store, sql, study=study_id)]


def agents_of(store: Store, study_id: int, stage: int) -> list[int]:
    """Agents that the units of a stage ask."""
    names = ("judge", "writer", "client", "counselor")
    columns = ", ".join(f"payload ->> '{name}'" for name in names)
    sql = f"SELECT DISTINCT {columns} FROM unit WHERE study_id = :study AND stage = :stage"
    found = {id for row in query(store, sql, study=study_id, stage=stage) for id in row if id is not None}
    return sorted(int(id) for id in found)


def made_by(store: Store, study_id: int, positions: Iterable[int]) -> dict[int, tuple[str, dict[str, Any]]]:
    """State and result of units by their positions."""
    found: dict[int, tuple[str, dict[str, Any]]] = {}
    for some in chunks(sorted(set(positions))):
        sql = f"SELECT position, state, result FROM unit WHERE study_id = :study AND position IN ({numbers(some)})"
        found |= {r[0]: (r[1], json.loads(r[2])) for r in query(store, sql, study=study_id)}
    return found


def answered(store: Store, keys: Iterable[str], study_id: int) -> dict[str, Answered]:
    """Units elsewhere in the store that hold an answer for these keys.

    One that is scored throughout comes before one with unscored items, and that before one without any.
    """
    found: dict[str, Answered] = {}
    for some in chunks(list(dict.fromkeys(keys))):
        places = ", ".join(f":k{n}" for n in range(len(some)))
        sql = (
            f"SELECT id, key, state, result, reason FROM unit WHERE key IN ({places}) AND state IN ('done', 'unscored') "
            "AND study_id <> :study ORDER BY state DESC, reason = '', id DESC"
        )
        for r in query(store, sql, study=study_id, **{f"k{n}": key for n, key in enumerate(some)}):
            found[r[1]] = Answered(r[0], r[1], r[2], json.loads(r[3]), r[2] != "done" or not r[4])
    return found


def bind(store: Store, rows: Sequence[Mapping[str, Any]]) -> None:
    """Set key, state, reason and result of many units (id, key, state, reason, result)."""
    change(
        store,
        "UPDATE unit SET key = :key, state = :state, reason = :reason, result = :result WHERE id = :id AND state <> 'gone'",
        [dict(row) | {"result": json.dumps(row["result"], ensure_ascii=False)} for row in rows],
    )


def copy_judgments(
    store: Store, table: str, source_unit: int, unit: int, study: int, sessions: Mapping[str, int],
    items: Iterable[str] | None = None,
) -> None:  # fmt: skip
    """Repeat an answer's rows for other sessions with the same words, with a copy of its call for these sessions.

    So each can be deleted without the other losing what it was read from. The copy cost nothing.

    Args:
        items: only the rows of these items.
    """
    wanted = None if items is None else set(items)
    model: Any = tables.Rating if table == "rating" else tables.Comparison

    def copy(session: Any) -> None:
        session.query(model).filter_by(unit_id=unit, study_id=study).delete()  # of a worker that died right here
        for row in session.query(model).filter_by(unit_id=source_unit, superseded_by=None).all():
            if wanted is not None and row.item not in wanted:
                continue
            fields = row.model_dump(exclude={"id"}) | dict(sessions) | {"unit_id": unit, "study_id": study}
            if table == "comparison" and row.winner_id:
                fields["winner_id"] = sessions["first_id" if row.winner_id == row.first_id else "second_id"]
            fields["call_id"] = copied(session, row.call_id, sessions)
            session.add(model(**fields))

    copies: dict[int, int] = {}

    def copied(session: Any, call_id: int | None, about: Mapping[str, int]) -> int | None:
        if call_id is not None and call_id not in copies:
            raw = session.connection().connection.dbapi_connection
            copies[call_id] = writing.copy_call(raw, call_id, [writing.About("session", id) for id in about.values()])
        return copies.get(call_id or 0)

    store.database.run(copy)


def requeue(store: Store, study_id: int) -> int:
    """Units that were in flight when the worker died: to be asked again, and counted."""
    sql = "UPDATE unit SET state = 'planned', asked_twice = asked_twice + 1 WHERE study_id = :study AND state = 'running'"
    return change(store, sql, {"study": study_id})


def retry(store: Store, study_id: int, but: Collection[int] = ()) -> int:
    """Units that failed or lack readings become planned again; one that has been answered takes the next draw.

    Of a whole instrument with unscored items, only these are asked again.

    Args:
        but: units that stay as they are.
    """
    sql = (
        f"SELECT id, state, result FROM unit WHERE study_id = :study AND {TO_REDO}"
    )
    changed = []
    for id, state, result in query(store, sql, study=study_id):
        if id in but:
            continue
        kept = json.loads(result)
        retries = int(kept.get("retries", 0)) + (state != "failed")
        kept = {name: value for name, value in kept.items() if name not in ("source", "retries")}
        more = ({"retries": retries} if retries else {}) | ({"partly": True} if state == "done" else {})
        changed.append({"id": id, "result": json.dumps(kept | more)})
    sql = "UPDATE unit SET state = 'planned', reason = '', result = :result WHERE id = :id"
    change(store, sql, changed)
    return len(changed)


def items_read(store: Store, unit_id: int) -> set[str]:
    """Items of a unit that have a reading: a value, or that the item does not apply."""
    sql = (
        "SELECT item FROM rating WHERE unit_id = :unit AND superseded_by IS NULL "
        "AND (value IS NOT NULL OR reason = 'not applicable')"
    )
    return {row[0] for row in query(store, sql, unit=unit_id)}


class Gaps(NamedTuple):
    """What units that are done still lack."""

    units: int
    items: int


def gaps(store: Store, study_id: int) -> Gaps:
    """Units of whole instruments that are done but for some items, and how many items."""
    sql = (
        "SELECT count(DISTINCT u.id), count(r.id) FROM unit u JOIN rating r ON r.unit_id = u.id AND r.study_id = u.study_id "
        "WHERE u.study_id = :study AND u.state = 'done' AND u.reason <> '' AND r.value IS NULL "
        "AND r.reason <> 'not applicable' AND r.superseded_by IS NULL"
    )
    return Gaps(*query(store, sql, study=study_id)[0])


# What units work on

RECORDS = {
    "session": "session", "first": "session", "second": "session", "note": "note", "role": "role_card", "report": "report"
}  # fmt: skip


def lost_records(store: Store, named: Mapping[str, Any]) -> list[str]:
    """Names in a unit's payload or result whose record is not in the store (any more)."""
    ids = {name: named[name] for name in RECORDS if isinstance(named.get(name), int)}
    there = {
        name: bool(query(store, f'SELECT 1 FROM "{RECORDS[name]}" WHERE id = :id', id=id)) for name, id in ids.items()
    }
    return [name for name, found in there.items() if not found]


def judged(store: Store, table: str, unit_ids: Iterable[int]) -> set[tuple[int, ...]]:
    """(unit, its session or sessions in the order shown) for all rows of these units."""
    columns = {"rating": "unit_id, session_id", "comparison": "unit_id, first_id, second_id"}[table]
    found: set[tuple[int, ...]] = set()
    for some in chunks(sorted(set(unit_ids))):
        sql = f"SELECT DISTINCT {columns} FROM {table} WHERE unit_id IN ({numbers(some)})"
        found |= {tuple(row) for row in query(store, sql)}
    return found


def compared(store: Store, study_id: int | None = None) -> list[Any]:
    """What a study's units (or all) ask judges to compare: study, hash of the judge, prompt and version, setting, version of
    the rules where rules judge, version of the instrument, instrument, dimension, dimensions of a call for the whole
    instrument, first and second session, their language, repeat, whether the call failed.

    Prompt, its version and the rules are those of the unit's comparison or call; ``None`` where it has neither.
    """
    sql = (
        "SELECT u.study_id, a.hash, coalesce(r.prompt, c.prompt), coalesce(r.prompt_version, c.prompt_version), "
        "coalesce(r.setting, u.payload ->> 'setting', ''), "
        "CASE a.engine WHEN 'demo' THEN coalesce(r.engine_version, c.engine_version) ELSE '' END, "
        "coalesce(r.instrument_version, u.payload ->> 'version', 1), "  # units of before versions were named are of the first
        "u.payload ->> 'instrument', u.payload ->> 'dimension', u.payload ->> 'dimensions', "
        "u.first_id, u.second_id, s.language, u.payload ->> 'repeat', u.state = 'failed' "
        "FROM unit u JOIN agent a ON a.id = u.payload ->> 'judge' LEFT JOIN session s ON s.id = u.first_id "
        "LEFT JOIN comparison r ON r.id = (SELECT max(id) FROM comparison WHERE unit_id IN (u.id, u.result ->> 'source')) "
        "LEFT JOIN call c ON c.id = (SELECT max(id) FROM call WHERE unit_id = u.id) WHERE u.kind = 'comparison'"
    )
    return query(store, sql + (" AND u.study_id = :study" if study_id else ""), **({"study": study_id} if study_id else {}))


def rest_sessions(store: Store, study_id: int) -> None:
    """Pause the conversations that a study left in the middle; its units go on with them when it is resumed."""
    sql = (
        "UPDATE session SET state = 'paused', ended_by = 'stopped' WHERE state = 'running' AND id IN (SELECT result ->> "
        "'session' FROM unit WHERE study_id = :study AND kind = 'session' AND state IN ('planned', 'running'))"
    )
    change(store, sql, {"study": study_id})


def go_on_with_key(store: Store, study_id: int) -> None:
    """A study that waits for its key runs again."""
    sql = "UPDATE study SET state = 'running', reason = '', ended = '' WHERE id = :id AND state = 'needs the key'"
    change(store, sql, {"id": study_id})


def counts(store: Store, study_id: int) -> dict[str, dict[str, int]]:
    """Units by kind and state; *refused* are those that ended since somebody did not agree."""
    found: dict[str, dict[str, int]] = {}
    sql = (
        "SELECT kind, CASE WHEN state = 'failed' AND reason = 'gate: consent withdrawn' THEN 'refused' ELSE state END AS how, "
        "count(*) FROM unit WHERE study_id = :study GROUP BY kind, how"
    )
    for kind, state, count in query(store, sql, study=study_id):
        found.setdefault(kind, {})[state] = count
    return found


def asked_twice(store: Store, study_id: int) -> int:
    sql = "SELECT coalesce(sum(asked_twice), 0) FROM unit WHERE study_id = :study AND asked_twice > 0"
    return int(query(store, sql, study=study_id)[0][0])


def reasons(store: Store, study_id: int) -> list[tuple[str, str, int]]:
    """What failed, stayed unscored or lacks some items: (state, reason, how many), most frequent first."""
    sql = (
        "SELECT state, reason, count(*) FROM unit WHERE study_id = :study AND (state IN ('failed', 'unscored') "
        "OR (state = 'done' AND reason <> '')) GROUP BY state, reason ORDER BY count(*) DESC"
    )
    return [(r[0], r[1], r[2]) for r in query(store, sql, study=study_id)]


def source_units(store: Store, study_id: int) -> list[int]:
    """Units of other studies whose rows this study uses."""
    sql = (
        "SELECT result FROM unit WHERE study_id = :study AND state IN ('reused', 'unscored') AND kind IN "
        "('rating', 'comparison') AND result LIKE '%\"source\"%'"
    )
    return [json.loads(row[0])["source"] for row in query(store, sql, study=study_id)]


def session_ids(store: Store, study_id: int) -> list[int]:
    """Sessions the study made, reused or judges, in its order; each once."""
    sql = "SELECT result FROM unit WHERE study_id = :study AND state NOT IN ('planned', 'running') ORDER BY position"
    found: dict[int, None] = {}
    for (result,) in query(store, sql, study=study_id):
        kept = json.loads(result)
        for name in ("session", "first", "second"):
            if kept.get(name):
                found[kept[name]] = None
    return list(found)


def unclaimed_role(store: Store, seed: int) -> int | None:
    """A role card that a unit saved just before its worker died: of this seed, and in no unit's result."""
    sql = (
        "SELECT id FROM role_card r WHERE seed = :seed AND version = 1 AND NOT EXISTS "
        "(SELECT 1 FROM unit u WHERE u.kind = 'role' AND u.role_id = r.id) ORDER BY id DESC LIMIT 1"
    )
    found = query(store, sql, seed=seed)
    return int(found[0][0]) if found else None


def shown_sessions(store: Store, ids: Sequence[int]) -> dict[int, tuple[tables.Session, list[dict[str, Any]]]]:
    """Sessions with the turns a judge reads (complete, up to the cut), a few hundred at once."""
    found: dict[int, tuple[tables.Session, list[dict[str, Any]]]] = {}
    for some in chunks(ids):
        for session in rows_of(store, tables.Session, some):
            found[session.id] = (session, [])
        sql = (
            "SELECT t.session_id, t.position, t.seat, t.text FROM turn t JOIN session s ON s.id = t.session_id "
            f"WHERE t.session_id IN ({numbers(some)}) AND t.state = 'complete' "
            "AND (s.cut_at IS NULL OR t.position <= s.cut_at) AND NOT EXISTS "
            "(SELECT 1 FROM turn d WHERE d.session_id = s.id AND d.state = 'deleted') ORDER BY t.session_id, t.position"
        )
        for id, position, seat, said in query(store, sql):
            found[id][1].append({"position": position, "seat": seat, "text": said})
    return found


def rows_of(store: Store, table: Any, ids: Sequence[int]) -> list[Any]:
    wanted = select(table).where(table.id.in_(ids))
    return store.database.run(lambda session: list(session.exec(wanted).all()))


def chunks(things: Sequence[Any], size: int = CHUNK) -> Iterator[Sequence[Any]]:
    for start in range(0, len(things), size):
        yield things[start : start + size]


def numbers(ids: Iterable[int]) -> str:
    return ", ".join(str(int(id)) for id in ids)


# Figures over a study's calls


class Figures(NamedTuple):
    """Sums over the calls of a study; ``calls`` are replies that ended, first ones and repairs alike."""

    calls: int
    requests: int
    repaired: int
    tokens_in: int
    tokens_out: int
    tokens_cached: int
    estimated: int
    cost: float
    unpriced: int


def figures(store: Store, study_id: int) -> Figures:
    """What calls took, those that were deleted included; ``requests`` counts every attempt, retries and repairs too."""
    sql = (
        "SELECT coalesce(sum(CASE WHEN state <> 'failed' THEN 1 ELSE 0 END), 0), coalesce(sum(json_array_length(attempts)), 0), coalesce(sum(CASE WHEN state = 'repaired' THEN 1 ELSE 0 END), 0), "
        "coalesce(sum(tokens_in), 0), coalesce(sum(tokens_out), 0), coalesce(sum(tokens_cached), 0), "
        "coalesce(sum(CASE WHEN tokens_estimated THEN 1 ELSE 0 END), 0), coalesce(sum(cost), 0), coalesce(sum(CASE WHEN cost IS NULL THEN 1 ELSE 0 END), 0) "
        "FROM call WHERE study_id = :study"
    )
    kept = query(store, "SELECT deleted FROM study WHERE id = :study", study=study_id)
    before = json.loads(kept[0][0]) if kept else {}
    sums = zip(Figures._fields, query(store, sql, study=study_id)[0], strict=True)
    total: dict[str, Any] = {name: (float if name == "cost" else int)(value + before.get(name, 0)) for name, value in sums}
    return Figures(**total)


def models_answered(store: Store, study_id: int) -> list[tuple[str, str, int]]:
    """(model asked for, model as answered, calls) of a study."""
    sql = (
        "SELECT model, model_answered, count(*) FROM call WHERE study_id = :study AND state <> 'failed' "
        "GROUP BY model, model_answered"
    )
    return [(r[0], r[1], r[2]) for r in query(store, sql, study=study_id)]


def recent_calls(store: Store, study_id: int, limit: int = 200) -> list[str]:
    """When the newest calls were kept, newest first."""
    sql = "SELECT created FROM call WHERE study_id = :study ORDER BY id DESC LIMIT :limit"
    return [row[0] for row in query(store, sql, study=study_id, limit=limit)]
