"""What an older store needs once, beside the new schema: speakers, links, no leftovers of deleted records, no keys."""

import json

from sqlalchemy import Connection

from storage.migrations.update_0002 import calls, keys, numbers, rows_of_calls, speakers, units
from storage.migrations.update_0002.arrivals import arrivals
from storage.migrations.update_0002.statements import run

TOLD = "update 0002"  # setting: how much was removed, for the pages to say once
UNFINISHED = "cleaning unfinished"  # setting: freed pages still hold what was removed


def tidy(connection: Connection) -> None:
    """Everything of this update that is not schema. Runs inside its transaction."""
    speakers.name_speakers(connection)
    number = numbers.highest(connection)  # before anything goes that names an id
    rows_of_calls.forget_wrong_numbers(connection)
    there = arrivals(connection)
    told = {"units": units.mark_gone(connection, there)}
    told |= calls.settle(connection, there)
    told["keys"] = keys.remove(connection)
    numbers.number_above(connection, number)
    for name, value in ((TOLD, told), (UNFINISHED, True)):
        sql = "INSERT INTO setting (name, value) VALUES (:name, :value) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
        run(connection, sql, name=name, value=json.dumps(value))
