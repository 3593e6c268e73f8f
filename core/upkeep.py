"""Upkeep of the store: what an update removed, copies from before it, and calls that no record was made from."""

from dataclasses import dataclass

from storage.store import Store

TOLD = "update 0002"  # setting written by the update


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


def put_away(store: Store) -> None:
    """The update was read: do not tell it again."""
    store.settings.set(TOLD, (store.settings.get(TOLD) or {}) | {"seen": True})


def delete_copies(store: Store) -> int:
    """Delete the copies of the database from before updates; returns how many."""
    return store.delete_copies()


def delete_loose_calls(store: Store) -> int:
    """Delete calls of drafts that nobody saved, with their texts; returns how many."""
    loose = store.calls.loose()
    store.calls.drop(loose)
    store.clean_up()
    return len(loose)
