"""Statements the parts of this update share."""

from typing import Any

from sqlalchemy import Connection, text


def rows(connection: Connection, sql: str, **values: Any) -> list[Any]:
    return list(connection.execute(text(sql), values).all())


def run(connection: Connection, sql: str, **values: Any) -> int:
    """Run a writing statement; returns how many rows it touched."""
    return int(connection.execute(text(sql), values).rowcount)
