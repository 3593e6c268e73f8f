"""Codes people worked under, and names of persons who rated elsewhere, become persons; nobody can act as them yet."""

import json
from typing import Any

from sqlalchemy import Connection

from storage.migrations.update_0002.statements import rows, run

# Where a code stands, and since when; not in sessions from elsewhere, whose persons are none of this store.
PLACES = (
    *(f"SELECT {seat}_person, created FROM session WHERE NOT elsewhere" for seat in ("client", "counselor")),
    "SELECT t.person, t.created FROM turn t JOIN session s ON s.id = t.session_id WHERE t.speaker = 'person' AND NOT s.elsewhere",
    "SELECT person, given FROM consent",
    "SELECT review ->> 'by', coalesce(review ->> 'at', created) FROM role_card WHERE json_valid(review) AND json_type(review, '$.by') = 'text'",
)
SEATED = (
    "SELECT DISTINCT s.{seat}_code FROM session s WHERE s.{seat}_code = :code AND NOT s.elsewhere AND (s.{seat}_person = :code OR EXISTS "
    "(SELECT 1 FROM turn t WHERE t.session_id = s.id AND t.seat = '{seat}' AND t.person = :code))"
)
ADD = (
    "INSERT INTO person (code, roles, counselor_codes, client_codes, sign_in, secret_hash, origin, created) "
    "VALUES (:code, '{}', :counselor, :client, '', '', :origin, :since) RETURNING id"
)
RATED = "SELECT r.id, r.name, coalesce((SELECT min(g.created) FROM rating g WHERE g.rater_id = r.id), '') FROM rater r WHERE r.kind = 'person'"
KNOWN = "SELECT id FROM known_code WHERE code = "


def add(connection: Connection) -> dict[str, int]:
    """A person for every code somebody worked under here; returns their ids by code.

    ``known_code`` holds them too, until ``forget_codes``.
    """
    since: dict[str, str] = {}
    for place in PLACES:
        for code, at in rows(connection, place):
            if isinstance(code, str) and code.strip():
                since[code] = min(since.get(code, str(at)), str(at))
    known = {code: new(connection, code, "former", since[code], **seats(connection, code)) for code in sorted(since)}
    run(connection, "CREATE TEMP TABLE known_code (code TEXT PRIMARY KEY, id INTEGER)")
    for code, id in known.items():
        run(connection, "INSERT INTO known_code VALUES (:code, :id)", code=code, id=id)
    return known


def forget_codes(connection: Connection) -> None:
    run(connection, "DROP TABLE known_code")


def seats(connection: Connection, code: str) -> dict[str, list[str]]:
    """The codes of series that are surely theirs: where they sat under the very code of the seat."""
    return {seat: [row[0] for row in rows(connection, SEATED.format(seat=seat), code=code)] for seat in ("counselor", "client")}


def new(connection: Connection, code: str, origin: str, since: str, **codes: list[str]) -> int:
    told: dict[str, Any] = {seat: json.dumps(codes.get(seat, []), ensure_ascii=False) for seat in ("counselor", "client")}
    return int(rows(connection, ADD, code=code, origin=origin, since=since, **told)[0][0])


def name(connection: Connection) -> None:
    """Seats, turns, consents and raters name their person's id."""
    here = "session_id IN (SELECT id FROM session WHERE NOT elsewhere)"
    for seat in ("client", "counselor"):
        run(connection, f"UPDATE session SET {seat}_person_id = ({KNOWN} {seat}_person) WHERE {seat}_person <> '' AND NOT elsewhere")
    run(connection, f"UPDATE turn SET person_id = ({KNOWN} person) WHERE speaker = 'person' AND {here}")
    run(connection, f"UPDATE consent SET person_id = ({KNOWN} person)")
    for id, called, since in rows(connection, RATED):
        person = new(connection, called, "imported", since)
        run(connection, "UPDATE rater SET person_id = :person WHERE id = :id", id=id, person=person)
