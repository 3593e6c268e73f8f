"""What people agreed to before consents named a session: kept where a single sitter can be proved, else it grants nothing."""

from sqlalchemy import Connection

from storage.migrations.update_0002.statements import rows, run

# Sessions in which exactly one person spoke, and nobody unknown, and in which nobody else sits.
SINGLE = (
    "SELECT s.id, min(t.person_id), s.consented_to, s.created FROM session s JOIN turn t ON t.session_id = s.id "
    "AND t.speaker IN ('person', 'unknown person') WHERE NOT s.elsewhere GROUP BY s.id HAVING count(DISTINCT t.person_id) = 1 "
    "AND sum(t.speaker = 'unknown person' OR t.person_id IS NULL) = 0 "
    "AND coalesce(s.client_person_id, min(t.person_id)) = min(t.person_id) "
    "AND coalesce(s.counselor_person_id, min(t.person_id)) = min(t.person_id)"
)
PURPOSE = {"rating here": "rated here"}


def tie(connection: Connection, known: dict[str, int]) -> dict[str, int]:
    """Tie each row to the one session it can be of; returns how many grant something and how many do not."""
    for code, id in known.items():
        run(connection, "UPDATE consent SET person_id = :id WHERE person = :code", id=id, code=code)
    for old, new in PURPOSE.items():
        run(connection, "UPDATE consent SET purpose = :new WHERE purpose = :old", old=old, new=new)
    single = rows(connection, SINGLE)
    run(connection, "UPDATE consent SET counts = 0")
    for id, person, address, begun in single:
        endpoint = address.rstrip("/")
        if endpoint and not outside(connection, id, person, endpoint):
            add(connection, id, person, endpoint, begun)
        mine = [other for other, whose, _, _ in single if whose == person]
        if len(mine) == 1:  # all else this person agreed to can only be about this session
            run(connection, "UPDATE consent SET session_id = :session, counts = 1 WHERE person_id = :person AND purpose = 'rated here'", session=id, person=person)
    found = rows(connection, "SELECT sum(counts), sum(NOT counts) FROM consent")[0]
    return {"consents": int(found[0] or 0), "without": int(found[1] or 0)}


def outside(connection: Connection, session: int, person: int, endpoint: str) -> bool:
    """Tie the one row that names this address to the session; whether there was exactly one."""
    sql = "SELECT id FROM consent WHERE person_id = :person AND purpose = 'outside endpoint' AND rtrim(endpoint, '/') = :endpoint AND session_id IS NULL"
    found = rows(connection, sql, person=person, endpoint=endpoint)
    if len(found) != 1:
        return False
    run(connection, "UPDATE consent SET session_id = :session, counts = 1, endpoint = :endpoint WHERE id = :id", session=session, id=found[0][0], endpoint=endpoint)
    return True


def add(connection: Connection, session: int, person: int, endpoint: str, begun: str) -> None:
    """What the session itself says its one sitter agreed to; not where they withdrew this address."""
    withdrawn = "SELECT max(withdrawn) FROM consent WHERE person_id = :person AND rtrim(endpoint, '/') = :endpoint"
    if rows(connection, withdrawn, person=person, endpoint=endpoint)[0][0]:
        return
    run(
        connection,
        "INSERT INTO consent (person, person_id, session_id, purpose, endpoint, agreed, counts, form_version, language, given, withdrawn, seat, code) "
        "VALUES ('', :person, :session, 'outside endpoint', :endpoint, 1, 1, 1, 'en', :begun, '', '', '')",
        person=person, session=session, endpoint=endpoint, begun=begun,
    )  # fmt: skip
