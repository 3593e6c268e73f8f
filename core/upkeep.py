"""Upkeep of the store: what an update removed, copies from before it, and calls that no record was made from."""

from dataclasses import dataclass
from threading import Lock, Thread
from weakref import WeakKeyDictionary

from storage.store import Store

TOLD = "update 0002"  # settings written by the updates
PEOPLE = "update 0004"


@dataclass(frozen=True)
class Update:
    """What an update took out of an existing store, as counts."""

    calls: int  # of deleted records, removed
    emptied: int  # tied to no record: their words were removed
    units: int  # of studies, whose record was deleted
    keys: int  # places that held something shaped like a key

    @property
    def removed_any(self) -> bool:
        return bool(self.calls or self.emptied or self.units or self.keys)


def update_to_tell(store: Store) -> Update | None:
    """What the last update removed, until somebody has put it away."""
    told = store.settings.get(TOLD)
    if not told or told.get("seen"):
        return None
    return Update(*(int(told.get(name, 0)) for name in ("calls", "emptied", "units", "keys")))


@dataclass(frozen=True)
class Persons:
    """What became of the codes people worked under, as counts."""

    persons: int
    consents: int  # answers about consent that were tied to a session
    without: int  # answers that could not be, and grant nothing

    @property
    def any(self) -> bool:
        return bool(self.persons or self.consents or self.without)


def persons_to_tell(store: Store) -> Persons | None:
    """What the update made of codes, until somebody has put it away; ``None`` for a store that had none."""
    told = store.settings.get(PEOPLE)
    if not told or told.get("seen"):
        return None
    found = Persons(*(int(told.get(name, 0)) for name in ("persons", "consents", "without")))
    return found if found.any else None


def put_away(store: Store) -> None:
    """The updates were read: do not tell them again."""
    for name in (TOLD, PEOPLE):
        if told := store.settings.get(name):
            store.settings.set(name, told | {"seen": True})


def delete_copies(store: Store) -> int:
    """Delete the copies of the database from before updates; returns how many."""
    return store.delete_copies()


def delete_loose_calls(store: Store) -> int:
    """Delete calls of drafts that nobody saved, with their texts; returns how many."""
    loose = store.calls.loose()
    store.calls.drop(loose)
    store.clean_up()
    return len(loose)


_cleaning: WeakKeyDictionary[Store, Thread] = WeakKeyDictionary()
_one = Lock()


def cleaned(store: Store, patience: float = 1.0) -> bool:
    """Whether nothing of deletions is left to do. What is left is tried meanwhile, one try at a time, beside whoever
    asks: a large data folder or a busy database keeps nobody waiting longer than ``patience`` seconds.
    """
    if store.is_clean():
        return True
    with _one:
        trying = _cleaning.get(store)
        if trying is None or not trying.is_alive():
            trying = _cleaning[store] = Thread(target=store.clean_up, daemon=True)
            trying.start()
    trying.join(patience)
    return store.is_clean()
