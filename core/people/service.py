"""Persons: who sits in a browser, who is the same as whom, and whose old codes they are."""

import secrets
from collections.abc import Mapping, Sequence
from hashlib import sha256

from core.errors import DataError, Several
from core.people import agreements
from core.people.rights import ROLES, STANDING_WORDS
from storage import people, tables
from storage.store import Store

SECRET_BYTES = 32
OWNER = "owner of the account"  # sign-in name of the command line: who runs it is the owner of these files
LONGEST_CODE = 40
ROLE_WORDS = Several(STANDING_WORDS[role] for role in ROLES)


def new_secret() -> str:
    """What a browser keeps to be known again."""
    return secrets.token_urlsafe(SECRET_BYTES)


def hash_of(secret: str) -> str:
    """A secret as it is stored; empty for none."""
    return sha256(secret.encode()).hexdigest() if secret else ""


def begin(
    store: Store, secret: str, roles: Mapping[str, Sequence[str]] | None = None, code: str = "", **codes: Sequence[str]
) -> tables.Person:
    """A new person for a browser with this secret: a researcher unless other roles were chosen.

    Args:
        codes: ``counselor_codes`` and ``client_codes`` that are theirs; else the code itself, in the seats of their roles.
    Raises:
        DataError: a role is none, or the secret is of somebody.
    """
    chosen = {name: list(limits) for name, limits in (roles or {"researcher": []}).items()}
    if set(chosen) - set(ROLES) or not chosen:
        raise DataError("Choose a role: {roles}. Nobody was added.", roles=ROLE_WORDS)
    if secret and store.persons.find(secret_hash=hash_of(secret)):
        raise DataError("This browser is known already. Reload the page; nothing was changed.")
    person = store.persons.add(tables.Person(roles=chosen, secret_hash=hash_of(secret)))
    own = " ".join(code.split())[:LONGEST_CODE] or free_code(store, person.id or 0)
    return store.persons.update(person.id or 0, code=own, **codes_for(chosen, own) | tidy(codes))


def tidy(codes: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Codes as they are kept: each once, without blanks around them."""
    return {name: sorted({" ".join(one.split()) for one in given} - {""}) for name, given in codes.items()}


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


def row_of_secret(store: Store, secret: str) -> int | None:
    """The row a browser with this secret is known by, whoever it was joined to."""
    found = store.persons.find(secret_hash=hash_of(secret)) if secret else None
    return None if found is None else found.id


def forget_browser(store: Store, row: int) -> None:
    """Somebody else sits at this person's browser now: its old secret, still in its other windows, opens nothing."""
    store.persons.update(row, secret_hash="")


def signed_in(store: Store, name: str) -> tables.Person:
    """The person a sign-in names. The first of all is a researcher, who says what the others are here as."""
    if known := store.persons.of_sign_in(name):
        return known
    first = not any(one.sign_in and "researcher" in one.roles for one in store.persons.all() if one.sign_in != OWNER)
    roles: dict[str, list[str]] = {"researcher": []} if first else {}
    return store.persons.add_signed_in(tables.Person(code=name[:LONGEST_CODE], roles=roles, sign_in=name))


def owner(store: Store) -> tables.Person:
    """Who runs the command line: the owner of the account, a researcher."""
    known = store.persons.of_sign_in(OWNER)
    return known or store.persons.add_signed_in(tables.Person(code="owner", roles={"researcher": []}, sign_in=OWNER))


def rename(store: Store, person: tables.Person, code: str) -> tables.Person:
    """Another code to show. It proves nothing: who has the same code stays another person.

    Raises:
        DataError: it is empty or too long.
    """
    named = " ".join(code.split())
    if not named or len(named) > LONGEST_CODE:
        raise DataError("A code has 1 to {most} characters. Change it; nothing was saved.", most=LONGEST_CODE)
    return store.persons.update(person.id or 0, code=named)


def join(store: Store, one: int, other: int) -> tables.Person:
    """From now on two persons are one, known by the second: everything either said, agreed to or withdrew is theirs.

    ``join_by_link`` and ``assign`` ask whether they may be. ``part`` undoes it. What they are here as is what the second is.

    Raises:
        DataError: they are one already. NotFound: one of them is not there.
    """
    joined, onto = agreements.changing(store, lambda connection: people.join(connection, one, other))
    for asked, id in ((one, joined), (other, onto)):
        if not id:
            store.persons.get(asked)
    if joined == onto:
        raise DataError("These are the same person already. Nothing was changed.")
    return store.persons.get(onto)


def part(store: Store, id: int) -> tables.Person:
    """Take back that a person was joined to another one; rows that were joined to this one stay with it.

    Raises:
        DataError: they were not joined to anybody.
    """
    if store.persons.get(id).joined_to is None:
        raise DataError("This person stands for themselves already. Nothing was changed.")
    agreements.changing(store, lambda connection: people.part(connection, id))
    return store.persons.get(id)


def set_roles(store: Store, id: int, roles: Mapping[str, Sequence[str]], **codes: Sequence[str]) -> tables.Person:
    """What a person is here as, and which counselor and client codes are theirs.

    Raises:
        DataError: a role is none, or no researcher would be left who can act here.
    """
    if set(roles) - set(ROLES) or not roles:
        raise DataError("Choose a role: {roles}. Nothing was changed.", roles=ROLE_WORDS)
    if "researcher" not in roles:
        check_researchers(store, without=id)
    return store.persons.update(id, roles=tidy(roles), **tidy(codes))


def assign(store: Store, one: int, other: int) -> tables.Person:
    """Join two persons as a researcher does, for others.

    Raises:
        DataError: as ``join``, and where no researcher would be left who can act here.
    """
    if "researcher" not in store.persons.root(other).roles:
        check_researchers(store, without=store.persons.root(one).id or 0)
    return join(store, one, other)


def kept_by_link(store: Store, opened: int, made: int) -> tables.Person:
    """Who both are once a link joins them: the one who may do less here; between equals whoever made the link.

    So nobody gets rights by a link, and parting the two gives each their own again.

    Args:
        opened: a row of whoever opened the link. made: one of whoever made it.
    Raises:
        DataError: each may do what the other may not, or no researcher would be left who can act here.
    """
    one, other = store.persons.root(opened), store.persons.root(made)
    kept = other if within(other.roles, one.roles) else one if within(one.roles, other.roles) else None
    if kept is None:
        raise DataError(
            "{one} and {other} are here in different roles, so a link does not join them: both would get the rights of the "
            "other. A researcher can join them on Data and privacy; nothing was changed.",
            one=one.code, other=other.code,
        )  # fmt: skip
    if "researcher" not in kept.roles:
        check_researchers(store, without=(one if kept is other else other).id or 0)
    return kept


def within(less: Mapping[str, Sequence[str]], more: Mapping[str, Sequence[str]]) -> bool:
    """Whether somebody here as the first may do nothing that the second may not."""
    if not less or "researcher" in more:
        return bool(less)
    return all(role in more and (role != "supervisor" or set(less[role]) <= set(more[role])) for role in less)


def join_by_link(store: Store, opened: int, made: int) -> tables.Person:
    """Join two persons as the owner of both browsers does, by a link.

    Raises:
        DataError: as ``kept_by_link`` and ``join``.
    """
    kept = kept_by_link(store, opened, made).id or 0
    return join(store, opened if kept == store.persons.root(made).id else made, kept)


def check_researchers(store: Store, without: int) -> None:
    """Raises DataError: this person is the only researcher who can act in a browser."""
    if without in (ids := researchers(store)) and len(ids) == 1:
        raise DataError(
            "{code} is the only researcher here, and somebody has to be. Make another person a researcher first; "
            "nothing was changed.",
            code=store.persons.get(without).code,
        )  # fmt: skip


def researchers(store: Store) -> set[int]:
    """Researchers who can act in a browser: with a secret or a sign-in in one of their rows."""
    acting = {one.id or 0 for one in store.persons.all() if one.secret_hash or (one.sign_in and one.sign_in != OWNER)}
    return {
        one.id or 0 for one in store.persons.everyone()
        if "researcher" in one.roles and acting & store.persons.members(one.id or 0)
    }  # fmt: skip
