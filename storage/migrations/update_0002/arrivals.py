"""Since when a record was surely there.

An older store gave each new row the number above the highest, so the order of numbers is the order of arrival. Records
brought in from elsewhere keep the date of the other store: of them only the order is known.
"""

from bisect import bisect_right
from collections.abc import Sequence

from sqlalchemy import Connection

from storage.migrations.elsewhere import FOREIGN
from storage.migrations.update_0002.statements import rows

NEVER = "9999"  # later than any date: it cannot be told
TABLES = ("session", "role_card", "report", "note")
Arrivals = dict[str, dict[int, str]]  # table, id: the latest moment at which the record can have come


def arrivals(connection: Connection) -> Arrivals:
    """For each record its own date, or, where that is another store's, the first date made here after it."""
    known = brought_in(connection)
    found = {table: of_table(connection, table, known if table == "session" else {}) for table in TABLES}
    for session, study in known.items():
        after = "SELECT min(created) FROM study WHERE id > :study AND id NOT IN (SELECT * FROM (" + FOREIGN + "))"
        next_study = rows(connection, after, study=study)[0][0] or NEVER
        found["session"][session] = min(found["session"].get(session, NEVER), next_study)
    return found


def of_table(connection: Connection, table: str, known: dict[int, int]) -> dict[int, str]:
    dated = [(id, created) for id, created in rows(connection, f"SELECT id, created FROM {table} ORDER BY id")]
    here = in_order([one for one in dated if one[0] not in known])
    found, next_here = {}, NEVER
    for id, created in reversed(dated):
        next_here = created if id in here else next_here
        found[id] = next_here
    return found


def in_order(dated: Sequence[tuple[int, str]]) -> set[int]:
    """The most records whose dates rise with their numbers; the dates of the others are no dates of this store."""
    ends: list[str] = []  # of the runs of each length, the one that ends earliest
    last: list[int] = []
    before: list[int | None] = []
    for at, (_, created) in enumerate(dated):
        length = bisect_right(ends, created)
        ends[length : length + 1], last[length : length + 1] = [created], [at]
        before.append(last[length - 1] if length else None)
    found, step = set[int](), last[-1] if last else None
    while step is not None:
        found.add(dated[step][0])
        step = before[step]
    return found


def brought_in(connection: Connection) -> dict[int, int]:
    """Sessions that came with studies from elsewhere, with these studies."""
    known: dict[int, int] = {}
    for sql in (
        "SELECT session_id, study_id FROM rating", "SELECT first_id, study_id FROM comparison", "SELECT second_id, study_id FROM comparison",
        "SELECT t.session_id, c.study_id FROM turn t JOIN call c ON c.id = t.call_id AND c.unit_id IS NULL",
    ):  # fmt: skip
        for session, study in rows(connection, f"{sql} WHERE study_id IN ({FOREIGN})"):
            known[session] = study
    return known
