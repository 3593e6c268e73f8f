"""Drafts: what a person has begun and not saved yet is kept in the store, for that person alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from core.people import rights
from storage import tables
from storage.begun import Left
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


def choose(store: Store, draft: tables.Draft, choices: Mapping[str, Any]) -> None:
    """Keep these choices of a draft whose parts stand for themselves; what another window chose of the others stays.

    Raises:
        NotFound: it was saved or dropped meanwhile.
    """
    store.drafts.choose(draft, choices)


@dataclass(frozen=True)
class News:
    """What another window did to a draft since this one last looked: ``taken`` over here, or chosen ``otherwise`` here."""

    taken: dict[str, Any]
    otherwise: dict[str, Any]


def news(there: Mapping[str, Any], seen: Mapping[str, Any], before: Mapping[str, Any], here: Mapping[str, Any]) -> News:
    """Three-way: what changed in the store is taken over, except where it was changed here too.

    Args:
        there, seen: the choices in the store now, and when this window last looked.
        before, here: the choices in this window then, and now. A choice that is not offered here is missing in both.
    """
    moved = {name: value for name, value in there.items() if value != seen.get(name, before.get(name))}
    mine = {name for name in here if here[name] != before.get(name)}
    return News(
        {name: value for name, value in moved.items() if name not in mine and value != here.get(name)},
        {name: value for name, value in moved.items() if name in mine and value != here[name]},
    )


def of_others(store: Store, person: tables.Person) -> list[Left]:
    """Drafts of everybody else, for a researcher: whose, of what kind, last changed when; nothing of what is in them.

    Raises:
        NotAllowed: the person is no researcher.
    """
    rights.require(store, person, "delete")
    return store.drafts.of_others(store.persons.members(person.id or 0))


def drop_left(store: Store, person: tables.Person, one: Left) -> None:
    """Delete somebody else's draft with the calls it was written with.

    Raises:
        NotAllowed: the person is no researcher. Nothing was deleted.
    """
    rights.require(store, person, "delete")
    store.drafts.drop([one.person_id], one.id)
    store.clean_up()


def drop(store: Store, person: tables.Person, id: int) -> None:
    """Forget a draft that nobody saves: the calls it was written with go too."""
    store.drafts.drop(store.persons.members(person.id or 0), id)
    store.clean_up()
