"""One record with all its parts, as plain values."""

from typing import Any

from core.clearance import kind_of
from core.errors import DataError, NotFound
from core.files import LARGEST_ID
from core.people import looks
from core.people.rights import require
from core.people.service import owner
from storage.store import Store

KINDS = ("report", "role", "session", "study", "call", "agent", "rating", "comparison")


def show(store: Store, kind: str, id: int) -> dict[str, Any]:
    """The record and what belongs to it; that the owner of the account looked is kept.

    Raises:
        DataError: no such kind. NotFound: no such record. NotAllowed: somebody withdrew what it holds words of.
    """
    if not 0 < id <= LARGEST_ID:
        raise NotFound("There is no {kind} {id}.", kind=kind, id=id)
    found = parts_of(store, kind, id)
    nobody_withdrew(store, whose(store, kind, found))
    looks.note_records(store, owner(store), whose(store, kind, found), "command line")
    return found


def nobody_withdrew(store: Store, records: dict[str, list[int]]) -> None:
    """Raises NotAllowed: one of these sessions or reports was withdrawn, so nobody reads a word of it."""
    stored: dict[str, Any] = {"session": store.sessions, "report": store.reports}
    for noun, ids in records.items():
        for id in ids if noun in stored else ():
            if (record := stored[noun].find(id=id)) is not None:
                require(store, owner(store), "see", record)


def whose(store: Store, kind: str, found: dict[str, Any]) -> dict[str, list[int]]:
    """The sessions and reports whose words are shown with this record."""
    if kind == "call":
        about = store.calls.about([found["id"]]).get(found["id"], [])
        return {noun: [id for known, id in about if known == noun] for noun in ("session", "report")}
    if kind == "rating":
        return {"session": [found["session_id"]]}
    if kind == "comparison":
        return {"session": [found["first_id"], found["second_id"]]}
    return {kind: [found["id"]]}


def parts_of(store: Store, kind: str, id: int) -> dict[str, Any]:
    if kind == "call":
        return store.calls.whole(id)
    if kind == "report":
        notes = [note.model_dump() for note in store.reports.notes(id)]
        masks = [mask.model_dump(exclude={"original"}) for mask in store.reports.masks(id)]
        return store.reports.get(id).model_dump() | {"clearance": kind_of(store, kind, id), "masks": masks, "notes": notes}
    if kind == "session":
        turns = [turn.model_dump() for turn in store.sessions.turns(id)]
        return store.sessions.get(id).model_dump() | {"clearance": kind_of(store, kind, id), "turns": turns}
    tables: dict[str, Any] = {
        "role": store.roles,
        "study": store.studies,
        "agent": store.agents,
        "rating": store.ratings,
        "comparison": store.comparisons,
    }
    if kind not in tables:
        raise DataError(
            "“{kind}” is not a kind of record. Choose one of: {kinds}.", kind=kind, kinds=", ".join(KINDS)
        )
    found: dict[str, Any] = tables[kind].get(id).model_dump()
    return found | ({"clearance": kind_of(store, kind, id)} if kind == "role" else {})
