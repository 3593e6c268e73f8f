"""Persons for tests, made by the service that makes them."""

from core.people import service
from storage import tables
from storage.store import Store


def somebody(store: Store, code: str, *roles: str) -> tables.Person:
    """A person of a browser of their own, known by this code here; a researcher unless other roles are named."""
    secret = f"secret of {code}"
    return service.of_secret(store, secret) or service.begin(store, secret, {role: [] for role in roles or ("researcher",)}, code)
