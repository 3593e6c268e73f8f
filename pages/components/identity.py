"""Who sits in this browser: the one seam between its cookie (or a sign-in) and the person it names."""

import json
from collections.abc import Mapping
from urllib.parse import urlencode, urlsplit

import streamlit as st
from streamlit import config

from core.people import service
from pages.components.drawing import esc
from pages.components.tickets import LINKS, SEATS, Seat
from storage import tables
from storage.store import Store

PREFIX = "rapport_"
BROWSER = "frame_browser"  # in the session's memory: which row this browser is known by
TICKET = "frame_ticket"
KEPT = ("frame_language",)  # what stays when somebody else sits down


def cookies() -> Mapping[str, str]:
    """The cookies of this browser. Tests put their own here: AppTest has none."""
    return st.context.cookies


def cookie_name(store: Store) -> str:
    """Each store has a cookie of its own, since a browser sends cookies to all ports of a host."""
    return PREFIX + store.identity()[:12]


def link_cookie_name(store: Store) -> str:
    """Of the link “this browser is me too”, from the route that opens it to the page that asks."""
    return f"{cookie_name(store)}_link"


def base() -> str:
    """What stands before every path of the app."""
    set_to = str(config.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{set_to}" if set_to else ""


def signed_in() -> str:
    """The e-mail address a sign-in gives, or nothing."""
    return str(getattr(st.user, "email", "") or "")


def found(store: Store) -> tables.Person | None:
    """The person here; ``None`` for a browser that is not known yet."""
    if name := signed_in():
        return service.signed_in(store, name)
    return service.of_secret(store, secret(store))


def secret(store: Store) -> str:
    return str(cookies().get(cookie_name(store), ""))


def keep_apart(store: Store) -> None:
    """Empty the session's memory when somebody else sits here than at its last run: their keys and drafts are theirs."""
    here = signed_in() or service.row_of_secret(store, secret(store)) or 0
    if st.session_state.get(BROWSER, here) != here:
        for name in [name for name in st.session_state if name not in KEPT]:
            del st.session_state[name]
    st.session_state[BROWSER] = here


def a_seat(store: Store, roles: Mapping[str, list[str]], code: str = "", **codes: list[str]) -> str:
    """A ticket with which this browser becomes a new person."""
    return SEATS.make(Seat(service.row_of_secret(store, secret(store)), roles, code, codes))


def send_to_seat(ticket: str, words: str, to: str = "") -> None:
    """Send the browser to the route that seats a new person, by script; a link where no script runs.

    Args:
        to: path to go on to; empty: the address as it is, with its query.
    """
    there = f"{base()}/person/{ticket}"
    way_on = json.dumps(to) if to else "location.pathname + location.search"
    st.html(
        f"<script>location.replace({json.dumps(there)} + '?to=' + encodeURIComponent({way_on}))</script>"
        f'<a class="r-small" href="{esc(there + ("?" + urlencode({"to": to}) if to else ""))}" target="_self">{esc(words)}</a>',
        unsafe_allow_javascript=True,
    )


def a_link(person: tables.Person) -> str:
    """The whole address with which another browser becomes this person too."""
    parts = urlsplit(st.context.url or "")
    origin = f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""
    return f"{origin}{base()}/also/{LINKS.make(person.id or 0)}"


def link_opened(store: Store) -> str:
    """The ticket of a link this browser opened and nobody answered yet; empty for none."""
    ticket = str(cookies().get(link_cookie_name(store), ""))
    return ticket if LINKS.look(ticket) is not None else ""


def is_live(link: str) -> bool:
    """Whether a link that was made here can still be opened."""
    return LINKS.look(link.rsplit("/", 1)[-1]) is not None


def kept_ticket(store: Store) -> str:
    """The ticket with which an unknown browser becomes a researcher: one for all runs of a page."""
    held = str(st.session_state.get(TICKET, ""))
    if SEATS.look(held) is None:
        held = a_seat(store, {"researcher": []})
        st.session_state[TICKET] = held
    return held
