"""Who spoke the turns of an older store, as far as it can be told."""

from sqlalchemy import Connection

from storage.migrations.update_0002.statements import rows, run

SPOKEN = "speaker = 'text' AND stage <> 'opener'"


def name_speakers(connection: Connection) -> None:
    """A turn with a call was its agent's; one without, in a session people sat in, a person's, known or not.

    Whoever sat in a seat first gave it its code: a seat without one was always its agent's, and where the code is
    still that of whoever sits there, nobody else has spoken from it.
    """
    for seat in ("client", "counselor"):
        empty = f"s.{seat}_person = '' AND s.{seat}_code = '' AND s.{seat}_agent_id IS NOT NULL"
        own = f"s.{seat}_person <> '' AND s.{seat}_person = s.{seat}_code"
        run(
            connection,
            f"UPDATE turn SET speaker = 'agent', agent_id = (SELECT s.{seat}_agent_id FROM session s WHERE s.id = session_id) "
            f"WHERE seat = '{seat}' AND {SPOKEN} AND session_id IN (SELECT s.id FROM session s WHERE s.origin = 'simulated' "
            f"OR s.origin = 'live' AND (turn.call_id IS NOT NULL OR {empty}))",
        )
        run(
            connection,
            f"UPDATE turn SET speaker = 'person', person = (SELECT s.{seat}_person FROM session s WHERE s.id = session_id) "
            f"WHERE seat = '{seat}' AND {SPOKEN} AND session_id IN "
            f"(SELECT s.id FROM session s WHERE s.origin = 'live' AND s.parent_id IS NULL AND {own})",
        )
    for id, parent, at in rows(connection, "SELECT id, parent_id, branch_turn FROM session WHERE parent_id IS NOT NULL ORDER BY id"):
        follow_parent(connection, id, parent, at or 0)
    run(
        connection,
        f"UPDATE turn SET speaker = 'unknown person' WHERE {SPOKEN} AND session_id IN (SELECT id FROM session WHERE origin = 'live')",
    )


def follow_parent(connection: Connection, id: int, parent: int, at: int) -> None:
    """The turns a branch began with were spoken by whoever spoke them in its parent."""
    same = "p.session_id = :parent AND p.position = turn.position AND p.text = turn.text"
    columns = ", ".join(f"{c} = (SELECT p.{c} FROM turn p WHERE {same})" for c in ("speaker", "agent_id", "person"))
    run(
        connection,
        f"UPDATE turn SET {columns} WHERE session_id = :id AND position <= :at AND EXISTS (SELECT 1 FROM turn p WHERE {same})",
        id=id, parent=parent, at=at,
    )  # fmt: skip
