"""Units that wait, about sessions that may not be used for them any more: they end, and are not asked."""

from collections.abc import Callable

from storage.store import Store
from storage.units import change, query

WAITING = (
    "SELECT u.id, u.kind, e.base_url, coalesce(u.payload ->> 'session', u.session_id), coalesce(u.payload ->> 'first', u.first_id), "
    "coalesce(u.payload ->> 'second', u.second_id) FROM unit u LEFT JOIN agent a ON a.id = u.payload ->> 'judge' "
    "LEFT JOIN endpoint e ON e.id = a.endpoint_id WHERE u.state = 'planned' AND u.kind IN ('rating', 'comparison')"
)
STOP = "UPDATE unit SET state = 'failed', reason = 'gate: consent withdrawn' WHERE id = :id AND state = 'planned'"


def stop_waiting(store: Store, barred: set[int], barred_at: Callable[[str], set[int]]) -> int:
    """End the units that wait to judge sessions nobody may judge (or not at their endpoint); returns how many.

    Args:
        barred: sessions that may not be judged at all; ``barred_at``: those that may not go to a base URL.
    """
    at: dict[str, set[int]] = {}
    ended = []
    for id, _kind, url, *named in query(store, WAITING):
        sessions = {int(one) for one in named if isinstance(one, int) or (isinstance(one, str) and one.isdigit())}
        if url and url not in at:
            at[url] = barred_at(url)
        if sessions & (barred | (at[url] if url else set())):
            ended.append({"id": id})
    return change(store, STOP, ended)
