"""Saving records that come from another store: what is the same here is found again, names that are taken get a number.

Each function works on the connection of one transaction.
"""

import json
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

from sqlmodel import SQLModel

from storage.ledger import columns

ASKED = (  # how rows of an export were asked that do not say it themselves; the rules are those of the update to 0005
    "UPDATE {table} SET prompt = c.prompt, prompt_version = c.prompt_version, prompt_hash = c.prompt_hash, engine = c.engine, "
    "engine_version = c.engine_version, way = CASE c.prompt WHEN 'judge/instrument' THEN 'instrument' ELSE 'item' END "
    "FROM call c WHERE c.id = {table}.call_id AND {table}.prompt = '' AND {table}.study_id = :study",
    "UPDATE {table} SET engine = CASE a.kind WHEN 'rules' THEN 'demo' ELSE 'openai' END FROM rater a "
    "WHERE a.id = {table}.rater_id AND a.kind IN ('rules', 'model') AND {table}.engine = '' AND {table}.study_id = :study",
    "UPDATE {table} SET repeats = CAST(u.payload ->> 'of' AS INTEGER) FROM unit u WHERE u.id = {table}.unit_id "
    "AND CAST(u.payload ->> 'of' AS INTEGER) > {table}.repeats AND {table}.study_id = :study",
    "UPDATE {table} SET repeats = m.most FROM (SELECT rater_id, instrument, setting, way, max(repeat) AS most FROM {table} "
    "WHERE study_id = :study GROUP BY rater_id, instrument, setting, way) m WHERE {table}.study_id = :study "
    "AND m.rater_id = {table}.rater_id AND m.instrument = {table}.instrument AND m.setting = {table}.setting "
    "AND m.way = {table}.way AND {table}.repeats < m.most AND NOT EXISTS "
    "(SELECT 1 FROM unit u WHERE u.id = {table}.unit_id AND u.payload ->> 'of' IS NOT NULL)",
)


def same(connection: sqlite3.Connection, table: type[SQLModel], wanted: Mapping[str, Any]) -> list[int]:
    """The ids of rows that agree in these columns, oldest first."""
    known = columns(table)
    terms, values = [], {}
    for name, value in wanted.items():
        if name in known.json:
            terms.append(f"json({name}) = json(:{name})")
            values[name] = json.dumps(value, ensure_ascii=False)
        else:
            terms.append(f"{name} IS :{name}")
            values[name] = value
    sql = f'SELECT id FROM "{table.__tablename__}" WHERE {" AND ".join(terms)} ORDER BY id'
    return [int(row[0]) for row in connection.execute(sql, values)]


def free_name(connection: sqlite3.Connection, table: type[SQLModel], column: str, name: str, **beside: Any) -> str:
    """The name, with a number where it is taken (among the rows that have the values ``beside``)."""
    tried, number = name, 1
    while same(connection, table, {column: tried} | beside):
        number += 1
        tried = f"{name} ({number})"
    return tried


def point(connection: sqlite3.Connection, table: type[SQLModel], column: str, links: Iterable[tuple[int, int | None]]) -> None:
    """Set a column of rows to the id of another row: (row, what it names)."""
    sql = f'UPDATE "{table.__tablename__}" SET {column} = ? WHERE id = ?'
    connection.executemany(sql, [(named, row) for row, named in links if named is not None])


def set_json(connection: sqlite3.Connection, table: type[SQLModel], id: int, values: Mapping[str, Any]) -> None:
    """Change JSON columns of one row."""
    for name, value in values.items():
        sql = f'UPDATE "{table.__tablename__}" SET {name} = ? WHERE id = ?'
        connection.execute(sql, (json.dumps(value, ensure_ascii=False), id))


def tell_how_asked(connection: sqlite3.Connection, table: str, study: int) -> None:
    """Tell the ratings or comparisons of a study how they were asked, from its calls and units."""
    for sql in ASKED:
        connection.execute(sql.format(table=table), {"study": study})
