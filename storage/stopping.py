"""Units about sessions that may not be used for them any more: they end, and are not asked while that is so."""

import sqlite3
from collections.abc import Callable

REFUSED = "gate: consent withdrawn"  # the reason of such a unit
NAMED = (
    "SELECT u.id, e.base_url, coalesce(u.payload ->> 'session', u.session_id), coalesce(u.payload ->> 'first', u.first_id), "
    "coalesce(u.payload ->> 'second', u.second_id) FROM unit u LEFT JOIN agent a ON a.id = u.payload ->> 'judge' "
    "LEFT JOIN endpoint e ON e.id = a.endpoint_id WHERE u.kind IN ('rating', 'comparison') AND "
)
STOP = f"UPDATE unit SET state = 'failed', reason = '{REFUSED}' WHERE id = ? AND state = 'planned'"
At = Callable[[str], set[int]]


def stop_waiting(connection: sqlite3.Connection, barred: set[int], barred_at: At) -> None:
    """End the units that wait to judge sessions nobody may judge (or not at their endpoint).

    Args:
        barred: sessions that may not be judged at all; ``barred_at``: those that may not go to a base URL.
    """
    ended = about(connection, "u.state = 'planned'", barred, barred_at)
    connection.executemany(STOP, [(id,) for id in sorted(ended)])


def still_refused(connection: sqlite3.Connection, study_id: int, barred: set[int], barred_at: At) -> set[int]:
    """Units of a study that ended so, and whose sessions may still not be used: asking again would be in vain."""
    return about(connection, f"u.study_id = {int(study_id)} AND u.state = 'failed' AND u.reason = '{REFUSED}'", barred, barred_at)


def about(connection: sqlite3.Connection, which: str, barred: set[int], barred_at: At) -> set[int]:
    at: dict[str, set[int]] = {}
    found = set()
    for id, url, *named in connection.execute(NAMED + which):
        sessions = {int(one) for one in named if isinstance(one, int) or (isinstance(one, str) and one.isdigit())}
        if url and url not in at:
            at[url] = barred_at(url)
        if sessions & (barred | (at[url] if url else set())):
            found.add(id)
    return found
