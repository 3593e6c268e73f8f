"""Codes people worked under, and names of persons who rated elsewhere, become persons; nobody can act as them yet."""

import json

from sqlalchemy import Connection

from storage.migrations.update_0002.statements import rows, run

CODES = (
    "SELECT DISTINCT client_person FROM session UNION SELECT DISTINCT counselor_person FROM session UNION "
    "SELECT DISTINCT person FROM turn UNION SELECT DISTINCT person FROM consent UNION "
    "SELECT DISTINCT review ->> 'by' FROM role_card"
)
SEATED = (
    "SELECT DISTINCT {seat}_code FROM session s WHERE {seat}_code = :code AND (s.{seat}_person = :code OR EXISTS "
    "(SELECT 1 FROM turn t WHERE t.session_id = s.id AND t.seat = '{seat}' AND t.person = :code))"
)
ADD = (
    "INSERT INTO person (code, roles, counselor_codes, client_codes, sign_in, secret_hash, origin, created) "
    "VALUES (:code, '{}', :counselor, :client, '', '', :origin, strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now')) RETURNING id"
)


def add(connection: Connection) -> dict[str, int]:
    """A person for every code somebody worked under here; returns their ids by code."""
    codes = sorted({row[0] for row in rows(connection, CODES)} - {"", None})
    return {code: new(connection, code, "former", **seats(connection, code)) for code in codes}


def seats(connection: Connection, code: str) -> dict[str, list[str]]:
    """The codes of series that are surely theirs: where they sat under the very code of the seat."""
    return {seat: [row[0] for row in rows(connection, SEATED.format(seat=seat), code=code)] for seat in ("counselor", "client")}


def new(connection: Connection, code: str, origin: str, counselor: list[str] | None = None, client: list[str] | None = None) -> int:
    told = {"code": code, "origin": origin, "counselor": json.dumps(counselor or []), "client": json.dumps(client or [])}
    return int(rows(connection, ADD, **told)[0][0])


def name(connection: Connection, known: dict[str, int]) -> None:
    """Seats, turns and raters name their person's id."""
    for code, id in known.items():
        for seat in ("client", "counselor"):
            run(connection, f"UPDATE session SET {seat}_person_id = :id WHERE {seat}_person = :code", id=id, code=code)
        run(connection, "UPDATE turn SET person_id = :id WHERE person = :code AND speaker = 'person'", id=id, code=code)
    for rater, called in rows(connection, "SELECT id, name FROM rater WHERE kind = 'person'"):
        run(connection, "UPDATE rater SET person_id = :person WHERE id = :id", id=rater, person=new(connection, called, "imported"))
    # persons of a session from elsewhere did not speak here
    elsewhere = (
        "SELECT s.id FROM session s JOIN unit u ON s.id IN (u.session_id, u.first_id, u.second_id) JOIN study y ON y.id = u.study_id "
        "WHERE y.origin = 'elsewhere'"
    )
    run(connection, f"UPDATE session SET elsewhere = 1, client_person_id = NULL, counselor_person_id = NULL WHERE id IN ({elsewhere})")
