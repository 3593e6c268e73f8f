"""Persons: who sits in a browser, who is the same as whom, and whose old codes they are."""

import secrets
from collections.abc import Mapping, Sequence
from hashlib import sha256

from core.errors import DataError
from core.people import agreements
from core.people.rights import ROLES
from storage import tables
from storage.store import Store

SECRET_BYTES = 32
OWNER = "owner of the account"  # sign-in name of the command line: who runs it is the owner of these files
LONGEST_CODE = 40


def new_secret() -> str:
    """What a browser keeps to be known again."""
    return secrets.token_urlsafe(SECRET_BYTES)


def hash_of(secret: str) -> str:
    """A secret as it is stored; empty for none."""
    return sha256(secret.encode()).hexdigest() if secret else ""


def begin(store: Store, secret: str, roles: Mapping[str, Sequence[str]] | None = None, code: str = "") -> tables.Person:
    """A new person for a browser with this secret: a researcher unless other roles were chosen.

    Raises:
        DataError: a role is none, or the secret is of somebody.
    """
    chosen = {name: list(limits) for name, limits in (roles or {"researcher": []}).items()}
    if set(chosen) - set(ROLES) or not chosen:
        raise DataError("Choose a role: {roles}. Nobody was added.", roles=", ".join(ROLES))
    if secret and store.persons.find(secret_hash=hash_of(secret)):
        raise DataError("This browser is known already. Reload the page; nothing was changed.")
    person = store.persons.add(tables.Person(roles=chosen, secret_hash=hash_of(secret)))
    own = code.strip()[:LONGEST_CODE] or free_code(store, person.id or 0)
    return store.persons.update(person.id or 0, code=own, **codes_for(chosen, own))


def codes_for(roles: Mapping[str, Sequence[str]], code: str) -> dict[str, list[str]]:
    """The counselor and client codes of a new person: the code they gave, in the seats of their roles."""
    return {f"{seat}_codes": [code] for seat in ("counselor", "client") if seat in roles}


def free_code(store: Store, id: int) -> str:
    taken = {person.code for person in store.persons.all()}
    number = id
    while f"P-{number:02}" in taken:
        number += 1
    return f"P-{number:02}"


def of_secret(store: Store, secret: str) -> tables.Person | None:
    """Who holds this secret, if anybody."""
    return store.persons.of_secret(hash_of(secret))


def signed_in(store: Store, name: str) -> tables.Person:
    """The person a sign-in names; a new one, without rights, the first time."""
    known = store.persons.of_sign_in(name)
    return known or store.persons.add(tables.Person(code=name[:LONGEST_CODE], roles={"researcher": []}, sign_in=name))


def owner(store: Store) -> tables.Person:
    """Who runs the command line: the owner of the account, a researcher."""
    known = store.persons.of_sign_in(OWNER)
    return known or store.persons.add(tables.Person(code="owner", roles={"researcher": []}, sign_in=OWNER))


def rename(store: Store, person: tables.Person, code: str) -> tables.Person:
    """Another code to show. It proves nothing: who has the same code stays another person.

    Raises:
        DataError: it is empty or too long.
    """
    named = code.strip()
    if not named or len(named) > LONGEST_CODE:
        raise DataError("A code has 1 to {most} characters. Change it; nothing was saved.", most=LONGEST_CODE)
    return store.persons.update(person.id or 0, code=named)


def join(store: Store, one: int, other: int) -> tables.Person:
    """From now on two persons are one, known by the second: everything either said, agreed to or withdrew is theirs.

    For the owner of both (by a link) or a researcher. ``part`` undoes it.

    Raises:
        DataError: they are one already.
    """
    joined, onto = store.persons.root(one), store.persons.root(other)
    if joined.id == onto.id:
        raise DataError("These are the same person already. Nothing was changed.")
    store.persons.update(joined.id or 0, joined_to=onto.id)
    agreements.follow(store)
    return onto


def part(store: Store, id: int) -> tables.Person:
    """Take back that a person was joined to another one."""
    apart = store.persons.update(id, joined_to=None)
    agreements.follow(store)
    return apart


def set_roles(store: Store, id: int, roles: Mapping[str, Sequence[str]], **codes: Sequence[str]) -> tables.Person:
    """What a person is here as, and which counselor and client codes are theirs.

    Raises:
        DataError: a role is none.
    """
    if set(roles) - set(ROLES) or not roles:
        raise DataError("Choose a role: {roles}. Nothing was changed.", roles=", ".join(ROLES))
    kept = {name: sorted({one.strip() for one in given if one.strip()}) for name, given in codes.items()}
    return store.persons.update(id, roles={name: list(limits) for name, limits in roles.items()}, **kept)
