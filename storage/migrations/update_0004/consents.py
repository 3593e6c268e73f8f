"""What people agreed to before consents named a session: kept where it can be proved, elsewhere it grants nothing.

A session said itself to which address its people agreed, and whoever sat down last wrote over what the others had
said. A row named a code only. So a session proves an agreement where one person alone spoke in it, still sits there,
and no seat bears the code of somebody else; and a row is of this session where it was given between the beginning of
the session and the first words of this person in it. A branch has the consent of the session it was branched off from.
"""

from typing import Any, NamedTuple

from sqlalchemy import Connection

from storage.migrations.update_0002.statements import rows, run

ALONE = (
    "SELECT s.id, min(t.person_id), p.code, s.consented_to, s.created, min(t.created), max(t.seat = 'client') FROM session s "
    "JOIN turn t ON t.session_id = s.id AND t.speaker IN ('person', 'unknown person') JOIN person p ON p.id = t.person_id "
    "WHERE NOT s.elsewhere AND s.parent_id IS NULL AND (s.client_person = p.code OR s.counselor_person = p.code) "
    "AND s.client_person IN ('', p.code) AND s.counselor_person IN ('', p.code) "
    "AND s.client_code IN ('', p.code) AND s.counselor_code IN ('', p.code) GROUP BY s.id "
    "HAVING count(DISTINCT t.person_id) = 1 AND NOT EXISTS (SELECT 1 FROM turn o WHERE o.session_id = s.id "
    "AND (o.speaker = 'unknown person' OR o.speaker = 'person' AND o.person_id IS NOT p.id))"
)
# Where else this person may have sat by then; a branch has what the session it was branched off from has.
OTHERS = (
    "SELECT s.id FROM session s WHERE s.id <> :session AND s.parent_id IS NOT :session AND NOT s.elsewhere AND s.created <= :spoke AND (:code IN (s.client_person, "
    "s.counselor_person, s.client_code, s.counselor_code) OR EXISTS (SELECT 1 FROM turn t WHERE t.session_id = s.id AND t.person = :code))"
)
WITHIN = "person_id = :person AND given >= :begun AND given <= :spoke AND session_id IS NULL"


class Alone(NamedTuple):
    """A session in which one person alone spoke."""

    id: int
    person: int
    code: str
    address: str
    begun: str
    spoke: str  # when they first spoke
    as_client: bool


def tie(connection: Connection) -> dict[str, int]:
    """Tie each row to the one session it can be of; returns how many grant something and how many do not."""
    run(connection, "UPDATE consent SET counts = 0, endpoint = rtrim(trim(endpoint), '/')")
    run(connection, "UPDATE consent SET purpose = 'rated here' WHERE purpose = 'rating here'")
    for session in [Alone(*row) for row in rows(connection, ALONE)]:
        address = session.address.strip().rstrip("/")
        if address and session.as_client:
            grant(connection, session, "outside endpoint", address)
        elif address:
            add(connection, session, address)
        if not rows(connection, OTHERS, session=session.id, code=session.code, spoke=session.spoke):
            grant(connection, session, "rated here", "")
    found = rows(connection, "SELECT coalesce(sum(counts), 0), coalesce(sum(NOT counts), 0) FROM consent")[0]
    return {"consents": int(found[0]), "without": int(found[1])}


def grant(connection: Connection, session: Alone, purpose: str, address: str) -> None:
    """Tie the one row that this person gave for this, just before they spoke here; of several, none is proved."""
    told: dict[str, Any] = {"person": session.person, "begun": session.begun, "spoke": session.spoke}
    sql = f"SELECT id FROM consent WHERE {WITHIN} AND purpose = :purpose AND endpoint = :address"
    found = rows(connection, sql, purpose=purpose, address=address, **told)
    if len(found) == 1:
        run(connection, "UPDATE consent SET session_id = :session, counts = 1 WHERE id = :id", session=session.id, id=found[0][0])


def add(connection: Connection, session: Alone, address: str) -> None:
    """In the counselor's seat no row was kept; what the session says is all there is. Not where they withdrew this address."""
    withdrew = "SELECT 1 FROM consent WHERE person_id = :person AND purpose = 'outside endpoint' AND endpoint = :address AND withdrawn <> ''"
    if rows(connection, withdrew, person=session.person, address=address):
        return
    run(
        connection,
        "INSERT INTO consent (person, person_id, session_id, purpose, endpoint, agreed, counts, form_version, language, given, withdrawn, seat, code) "
        "VALUES (:code, :person, :session, 'outside endpoint', :address, 1, 1, 1, 'en', :spoke, '', '', '')",
        code=session.code, person=session.person, session=session.id, address=address, spoke=session.spoke,
    )  # fmt: skip
