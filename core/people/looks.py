"""Who looked: opening a session or report of somebody is kept, and shown to that person and to researchers."""

from core.clearance import Clearance, kind_of
from core.people.rights import spoke_in
from storage import tables
from storage.store import Store


def note(store: Store, person: tables.Person, kind: str, id: int, page: str) -> tables.Look | None:
    """Keep that a person opened a record, unless nobody stands behind it (made up) or it is their own.

    A page calls it once for each opening, not for each rerun.
    """
    if kind_of(store, kind, id) is Clearance.SYNTHETIC:
        return None
    if kind == "session" and spoke_in(store, person, store.sessions.get(id)):
        return None
    return store.looks.add(tables.Look(kind=kind, record_id=id, person_id=person.id or 0, page=page))
