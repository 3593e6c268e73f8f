"""Ratings and comparisons that a former reader read, their stored replies, and newer readings put beside them."""

import sqlite3
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlmodel import col, or_, select

from storage import tables
from storage.ledger import insert
from storage.store import Store
from storage.units import chunks, numbers, query, source_units

TABLES: dict[str, Any] = {"rating": tables.Rating, "comparison": tables.Comparison}
# A reply came and ended; what was cut, filtered or failed stays as it is.
ANSWERED = ("read", "repaired", "unreadable")


class Reply(NamedTuple):
    """The stored reply that rows were read from."""

    prompt: str
    engine: str
    state: str
    finish_reason: str
    raw: str


class Newer(NamedTuple):
    """A newer reading of the row ``old`` of a table."""

    table: str
    old: int
    fields: dict[str, Any]


def older(store: Store, table: str, reader: int, study_id: int | None = None) -> list[dict[str, Any]]:
    """Rows that count, come from a reply and were read by a former reader; with the rater's name, oldest first.

    Args:
        study_id: only the rows of this study, and those of others that it reuses.
    """
    model = TABLES[table]
    wanted = (
        select(model, tables.Rater.name)
        .join(tables.Rater, col(tables.Rater.id) == model.rater_id)
        .join(tables.Call, col(tables.Call.id) == model.call_id)
        .where(model.superseded_by.is_(None), model.reader < reader, col(tables.Call.state).in_(ANSWERED))
        .order_by(model.id)
    )
    if study_id is not None:
        reused = source_units(store, study_id)
        wanted = wanted.where(or_(model.study_id == study_id, model.unit_id.in_(reused)))
    found = store.database.run(lambda session: list(session.exec(wanted).all()))
    return [row.model_dump() | {"rater": name} for row, name in found]


def count_older(store: Store, reader: int, study_id: int) -> int:
    """How many rows ``older`` gives, in both tables."""
    reused = source_units(store, study_id)
    mine = f"(r.study_id = {int(study_id)}" + (f" OR r.unit_id IN ({numbers(reused)}))" if reused else ")")
    counts = [
        f"(SELECT count(*) FROM {table} r JOIN call c ON c.id = r.call_id WHERE r.superseded_by IS NULL "
        f"AND r.reader < :reader AND c.state IN ({', '.join(map(repr, ANSWERED))}) AND {mine})"
        for table in TABLES
    ]
    return int(query(store, f"SELECT {' + '.join(counts)}", reader=reader)[0][0])


def replies(store: Store, call_ids: Iterable[int]) -> dict[int, Reply]:
    """Stored replies by call."""
    found: dict[int, Reply] = {}
    for some in chunks(sorted(set(call_ids))):
        sql = (
            "SELECT c.id, c.prompt, c.engine, c.state, c.finish_reason, t.data FROM call c "
            f"JOIN text_part t ON t.hash = c.raw WHERE c.id IN ({numbers(some)})"
        )
        for id, prompt, engine, state, finish, data in query(store, sql):
            found[id] = Reply(prompt, engine, state, finish, zlib.decompress(data).decode("utf-8", "replace"))
    return found


def supersede(
    store: Store, newer: Sequence[Newer], code_of: Callable[[str], str], same: Iterable[tuple[str, int]] = (), reader: int = 1
) -> int:  # fmt: skip
    """Put newer readings beside the rows they supersede, and let their units say how they ended, in one transaction.

    A row that was deleted or superseded meanwhile is passed over. Returns how many rows are new.

    Args:
        code_of: the code of a unit's reason, from a row's.
        same: rows (table, id) that ``reader`` reads the same: they bear its version from now on.
    """

    def work(connection: sqlite3.Connection) -> int:
        written = [one for one in newer if put_beside(connection, one)]
        for table in TABLES:
            ids = {one.fields["unit_id"] for one in written if one.table == table and one.fields["unit_id"]}
            for unit in sorted(ids):
                settle(connection, table, unit, code_of)
        for table, id in same:
            connection.execute(f"UPDATE {table} SET reader = ? WHERE id = ?", (reader, id))
        return len(written)

    return int(store.database.write(work))


def put_beside(connection: sqlite3.Connection, newer: Newer) -> bool:
    sql = f"SELECT 1 FROM {newer.table} WHERE id = ? AND superseded_by IS NULL"
    if connection.execute(sql, (newer.old,)).fetchone() is None:
        return False
    made = insert(connection, TABLES[newer.table], newer.fields)
    connection.execute(f"UPDATE {newer.table} SET superseded_by = ? WHERE id = ?", (made, newer.old))
    return True


def settle(connection: sqlite3.Connection, table: str, unit: int, code_of: Callable[[str], str]) -> None:
    """Let a unit that was answered say what its rows say now, and those that reuse its answer with it."""
    state, reason = standing(connection, table, unit, code_of)
    sql = "UPDATE unit SET state = ?, reason = ? WHERE id = ? AND state IN ('done', 'unscored')"
    connection.execute(sql, (state, reason, unit))
    connection.execute(
        "UPDATE unit SET state = ?, reason = ? WHERE kind = ? AND result ->> 'source' = ? AND state IN ('reused', 'unscored')",
        ("reused" if state == "done" else state, reason if state == "unscored" else "", table, unit),
    )


def standing(
    connection: sqlite3.Connection, table: str, unit: int, code_of: Callable[[str], str]
) -> tuple[str, str]:
    """State and reason of a unit from its rows: *unscored* when none could be read."""
    lost = "value IS NULL AND reason <> 'not applicable'" if table == "rating" else "verdict = 'unscored'"
    rows: list[Mapping[int, Any]] = connection.execute(
        f"SELECT {lost}, reason FROM {table} WHERE unit_id = ? AND superseded_by IS NULL ORDER BY id", (unit,)
    ).fetchall()
    why = [row[1] for row in rows if row[0]]
    if not why:
        return "done", ""
    if len(why) == len(rows):
        return "unscored", f"{code_of(why[0])}: {why[0]}"
    return "done", f"{code_of(why[0])}: {len(why)} of {len(rows)} items: {why[0]}"
