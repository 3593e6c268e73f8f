"""Drafts: what a person has begun and not saved yet is kept in the store, for that person alone."""

from collections.abc import Mapping
from typing import Any, Literal

from storage import tables
from storage.store import Store

Kind = Literal["role", "study"]


def all_of(store: Store, person: tables.Person, kind: Kind) -> list[tables.Draft]:
    """A person's own drafts of a kind, the last changed first; nobody sees anybody else's."""
    return store.drafts.of(store.persons.members(person.id or 0), kind)


def find(store: Store, person: tables.Person, kind: Kind, id: int | None) -> tables.Draft | None:
    """A person's own draft; ``None`` for one that is gone, or is somebody else's."""
    return next((draft for draft in all_of(store, person, kind) if draft.id == id), None)


def begin(store: Store, person: tables.Person, kind: Kind, content: Mapping[str, Any]) -> tables.Draft:
    return store.drafts.add(tables.Draft(person_id=person.id or 0, kind=kind, content=dict(content)))


def keep(store: Store, draft: tables.Draft, content: Mapping[str, Any]) -> tables.Draft:
    """Keep what has become of a draft since it was read (``all_of`` and ``find`` give own ones only).

    Raises:
        NotFound: it was saved or dropped meanwhile. DataError: it was changed meanwhile, in another window.
    """
    return store.drafts.change(draft, content)


def drop(store: Store, person: tables.Person, id: int) -> None:
    """Forget a draft that nobody saves: the calls it was written with go too."""
    store.drafts.drop(store.persons.members(person.id or 0), id)
    store.clean_up()
