"""What exports of the first format do not say, and what they said instead."""

from collections import defaultdict
from collections.abc import Callable

from core.studies.exported import Exported, Row
from core.studies.translating import RECORDS, Ids

Links = dict[int, set[tuple[str, int]]]


def calls_about(found: Exported, ids: Ids) -> Links:
    """The records (kind, id here) of each call: those of its unit, and the sessions of what was read from it."""
    of_unit = {unit["id"]: unit.get("payload", {}) | unit.get("result", {}) for unit in found.rows("units")}
    links: Links = defaultdict(set)
    for call in found.rows("calls"):
        link(links[call["id"]], of_unit.get(call.get("unit_id"), {}), ids)
    for name in ("turns", "ratings", "comparisons"):
        for row in found.rows(name):
            if row.get("call_id"):
                named = {"session": row.get("session_id"), "first": row.get("first_id"), "second": row.get("second_id")}
                link(links[row["call_id"]], named, ids)
    return links


def link(links: set[tuple[str, int]], named: Row, ids: Ids) -> None:
    for name, table in RECORDS.items():
        if isinstance(id := named.get(name), int) and (here := ids.get(table, id)) is not None:
            links.add((table.removesuffix("s"), here))


def speakers(found: Exported) -> Callable[[Row], Row]:
    """Who spoke a turn, from its session and its call (speaker, agent_id)."""
    seats = {row["id"]: (row["origin"], {seat: row.get(f"{seat}_agent_id") for seat in ("client", "counselor")}) for row in found.rows("sessions")}

    def spoken(turn: Row) -> Row:
        origin, agents = seats.get(turn["session_id"], ("", {}))
        opener = turn.get("stage") == "opener"
        if (origin in ("simulated", "live") and turn.get("call_id")) or (origin == "simulated" and not opener):
            return {"speaker": "agent", "agent_id": agents[turn["seat"]]}
        return {"speaker": "unknown person" if origin == "live" and not opener else "text", "agent_id": None}

    return spoken
