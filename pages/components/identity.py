"""Who sits in this browser: the one seam between its cookie (or a sign-in) and the person it names."""

from collections.abc import Mapping

import streamlit as st

from core.people import service
from storage import tables
from storage.store import Store

PREFIX = "rapport_"


def cookies() -> Mapping[str, str]:
    """The cookies of this browser. Tests put their own here: AppTest has none."""
    return st.context.cookies


def cookie_name(store: Store) -> str:
    """Each store has a cookie of its own, since a browser sends cookies to all ports of a host."""
    return PREFIX + store.identity()[:12]


def signed_in() -> str:
    """The e-mail address a sign-in gives, or nothing."""
    return str(getattr(st.user, "email", "") or "")


def found(store: Store) -> tables.Person | None:
    """The person here; ``None`` for a browser that is not known yet."""
    if name := signed_in():
        return service.signed_in(store, name)
    return service.of_secret(store, str(cookies().get(cookie_name(store), "")))
