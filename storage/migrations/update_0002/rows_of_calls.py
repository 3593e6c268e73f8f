"""Which calls the turns, judgments and notes of an older store name, and which numbers they name wrongly.

A call's number was given again when the call with the highest one was deleted, and rows kept the number. A row is
written after its call: one that is older than the call it names bears the number of a deleted one.
"""

from sqlalchemy import Connection

from storage.migrations.update_0002.statements import rows, run

About = set[tuple[str, int]]
FOREIGN = "(c.unit_id IS NULL AND c.study_id IS NOT NULL)"  # a call that was brought in names sessions of the other store
SINCE = "julianday({0}) >= julianday(c.created) - 1.0 / 1440"  # a minute, for clocks that were set

# A turn that broke off was said again in the same row, which is then older than its call; but that call names the session.
PROVEN = {
    "turn": (
        f"c.purpose = 'session ' || row.session_id AND NOT {FOREIGN} OR c.prompt LIKE 'report/%' AND {SINCE.format('row.created')} "
        f"OR {FOREIGN} AND (c.prompt LIKE 'client/%' OR c.prompt LIKE 'counselor/%') AND EXISTS "
        "(SELECT 1 FROM session s WHERE s.id = row.session_id AND julianday(c.created) >= julianday(s.created) - 1.0 / 1440)"
    ),
    "rating": f"c.prompt LIKE 'judge/%' AND {SINCE.format('row.created')} AND (NOT {FOREIGN} OR c.study_id = row.study_id)",
    "comparison": f"c.prompt LIKE 'judge/%' AND {SINCE.format('row.created')} AND (NOT {FOREIGN} OR c.study_id = row.study_id)",
    "note": f"c.prompt = 'report/note' AND {SINCE.format('row.created')}",
}


def forget_wrong_numbers(connection: Connection) -> None:
    for table, proven in PROVEN.items():
        run(
            connection,
            f"UPDATE {table} AS row SET call_id = NULL WHERE call_id IS NOT NULL "
            f"AND NOT EXISTS (SELECT 1 FROM call c WHERE c.id = row.call_id AND ({proven}))",
        )


def by_rows(connection: Connection) -> dict[int, About]:
    """Calls that a turn, a judgment or a note names, with all their records."""
    found: dict[int, About] = {}
    for sql in (
        "SELECT t.call_id, 'session', t.session_id FROM turn t", "SELECT t.call_id, 'role', s.role_id FROM turn t JOIN session s ON s.id = t.session_id",
        "SELECT t.call_id, 'report', s.report_id FROM turn t JOIN session s ON s.id = t.session_id",
        "SELECT call_id, 'session', session_id FROM rating", "SELECT call_id, 'session', first_id FROM comparison",
        "SELECT call_id, 'session', second_id FROM comparison", "SELECT call_id, 'report', report_id FROM note",
    ):  # fmt: skip
        for call, kind, id in rows(connection, sql):
            if call and id:
                found.setdefault(call, set()).add((kind, id))
    return found
