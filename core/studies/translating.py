"""What the records of an export are called here: every id is translated, or dropped where the export does not hold it.

Pure. No id of another store may stay in a row, since here it would name something else.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.studies.exported_rows import FORMS

Row = dict[str, Any]
RECORDS = {"role": "roles", "session": "sessions", "first": "sessions", "second": "sessions", "note": "notes", "report": "reports"}
AGENTS = ("judge", "writer", "client", "counselor")
MADE = {"role": ("role",), "session": ("session",), "note": ("note",), "dialogue": ("session",), "rating": ("session",), "comparison": ("first", "second")}
BESIDE = ("retries", "partly")  # of a result, what names no record
NAMES = ("writer", "client", "baseline")  # fields of a design's step that name an agent
LISTS = ("judges", "counselors")


@dataclass
class Ids:
    """What the ids of the export are called here, by table; ``cards``: role cards by the id of their first version."""

    of: dict[str, dict[int, int]] = field(default_factory=lambda: {name: {} for name in (*FORMS, "cards")})

    def get(self, table: str, id: int | None) -> int | None:
        return None if id is None else self.of[table].get(id)

    def known(self, table: str, ids: Iterable[int]) -> list[int]:
        return [self.of[table][id] for id in ids if id in self.of[table]]


def unit_row(unit: Mapping[str, Any], ids: Ids) -> Row:
    """A unit as it ended there. One that names a record the export does not hold is *gone*.

    It gets no key, so that no study of this store takes its answer for one of its own.
    """
    payload, result = unit.get("payload", {}), unit.get("result", {})
    asked = {name: reference(name, value, ids) for name, value in payload.items()}
    asked = {name: value for name, value in asked.items() if value is not None or payload[name] is None}
    row = dict(unit) | {"key": "", "payload": asked, "state": "planned" if unit["state"] == "running" else unit["state"]}
    named = {**payload, **result}
    lost = [name for name in MADE[unit["kind"]] if isinstance(id := named.get(name), int) and ids.get(RECORDS[name], id) is None]
    if lost or row["state"] == "gone":
        return row | {"state": "gone", "reason": "", "result": {}}
    there = {name: ids.get(RECORDS[name], result[name]) for name in RECORDS if result.get(name)}
    kept = {name: result[name] for name in BESIDE if result.get(name)}
    return row | {"result": {name: id for name, id in there.items() if id} | kept}


def reference(name: str, value: Any, ids: Ids) -> Any:
    """One field of a payload; ``None`` where it names what is not here."""
    if name in AGENTS:
        return ids.get("agents", value)
    if name in RECORDS and isinstance(value, int):
        return ids.get(RECORDS[name], value)
    return value


def quotes(given: Iterable[Mapping[str, Any]], ids: Ids) -> list[Row]:
    return [dict(quote) | ({"session": ids.get("sessions", quote["session"])} if "session" in quote else {}) for quote in given]


def samples(given: Mapping[str, Any], design: Mapping[str, Any], ids: Ids) -> Row:
    """Drawn samples and pairs; strata by role card are called by the card's id here."""
    return {name: drawn_here(one, per_role(design, name), ids) if isinstance(one, dict) else pairs(one, ids) for name, one in given.items()}


def per_role(design: Mapping[str, Any], name: str) -> bool:
    asked = design.get("samples")
    one = asked.get(name) if isinstance(asked, dict) else None
    return isinstance(one, dict) and one.get("per") == "role"


def drawn_here(drawn: Mapping[str, Any], by_role: bool, ids: Ids) -> Row:
    found = dict(drawn) | {"ids": ids.known(drawn["of"], drawn.get("ids", []))}
    for part in ("strata", "short"):
        if by_role and part in found:
            found[part] = {str(card): n for name, n in found[part].items() if (card := ids.get("cards", whole(name)))}
    return found


def whole(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def pairs(given: Iterable[Iterable[Any]], ids: Ids) -> list[list[Any]]:
    """Pairs of sessions; one that names a session the export does not hold is left out."""
    here = [[ids.get("sessions", one) if isinstance(one, int) else one for one in pair] for pair in given]
    return [pair for pair in here if None not in pair]


def design(given: Mapping[str, Any], ids: Ids, agents: Mapping[str, str]) -> Row:
    """A design with the ids and the agents' names of this store.

    Args:
        agents: new names of agents whose own was taken.
    """
    steps = given.get("steps")
    if not isinstance(steps, list):
        return dict(given)
    return dict(given) | {"steps": [step_here(step, ids, agents) if isinstance(step, dict) else step for step in steps]}


def step_here(step: Mapping[str, Any], ids: Ids, agents: Mapping[str, str]) -> Row:
    found = dict(step)
    for table in ("roles", "reports", "sessions"):
        if isinstance(listed := found.get(table), list):
            found[table] = ids.known(table, [id for id in listed if type(id) is int])
    for name in NAMES:
        if isinstance(called := found.get(name), str):
            found[name] = agents.get(called, called)
    for name in LISTS:
        if isinstance(called := found.get(name), list):
            found[name] = [agents.get(one, one) if isinstance(one, str) else one for one in called]
    return found
