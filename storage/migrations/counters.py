"""Counters of ids outlive an update: SQLite forgets one when its table is rebuilt, and would give deleted ids again."""

from typing import Any

from sqlalchemy import Connection, text


class Counters:
    """The highest id each table ever gave. ``keep`` is called after each step of an update."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.highest = self.stored()

    def stored(self) -> dict[str, int]:
        if self.connection.dialect.name != "sqlite" or not self.connection.execute(text("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_sequence'")).all():
            return {}
        return {name: seq or 0 for name, seq in self.connection.execute(text("SELECT name, seq FROM sqlite_sequence")).all()}

    def keep(self, *_: Any, **_step: Any) -> None:
        stored = self.stored()
        for table in self.highest | stored:
            most = max(self.highest.get(table, 0), stored.get(table, 0))
            self.highest[table] = most
            if most != stored.get(table, 0):
                values = {"table": table, "most": most}
                self.connection.execute(text("DELETE FROM sqlite_sequence WHERE name = :table"), values)
                self.connection.execute(text("INSERT INTO sqlite_sequence (name, seq) VALUES (:table, :most)"), values)
