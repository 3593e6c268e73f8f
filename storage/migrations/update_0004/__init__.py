"""What an older store needs once: persons for its codes, consents that can be proved, reviews for what was confirmed."""

import json

from sqlalchemy import Connection

from storage.migrations.update_0002.statements import run
from storage.migrations.update_0004 import calls, consents, elsewhere, persons, reviews

TOLD = "update 0004"  # setting: how many persons and consents, for the pages to say once


def carry_over(connection: Connection) -> None:
    """Everything of this update that is not schema. Runs inside its transaction."""
    elsewhere.mark(connection)
    known = persons.add(connection)
    persons.name(connection)
    told = {"persons": len(known)} | consents.tie(connection)
    reviews.keep(connection, known)
    calls.link(connection)
    persons.forget_codes(connection)
    run(connection, "DELETE FROM setting WHERE name = 'person'")  # the code every new browser began with
    sql = "INSERT INTO setting (name, value) VALUES (:name, :value) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
    run(connection, sql, name=TOLD, value=json.dumps(told))
