"""Home for everybody who is no researcher: what is theirs, and the one thing they may do next."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from core.clearance import Clearance, kind_of
from core.people import rights
from pages.components import layout
from pages.components.words import _, many
from storage import tables
from storage.store import Store

Step = tuple[str, str, str, str, dict[str, int | None]]  # words, sentence, button, page, query


def draw(store: Store, here: tables.Person) -> None:
    """The next step of the first of their roles; somebody without one is told who gives it."""
    for role, step in STEPS.items():
        if role in here.roles:
            words, sentence, button, page, query = step(store, here)
            layout.next_step(words, sentence, button, page, query, key="home_next")
            if role == "counselor":
                figures(store, here)
            return
    with st.container(border=True):
        layout.lead_card(_("You have no role here yet"), _("A researcher gives you one, on Data and privacy."))


def own_sessions(store: Store, here: tables.Person) -> list[Any]:
    """Rows of the sessions that are theirs, oldest first: what this page needs to know of them."""
    return rights.visible(store, here, store.sessions.brief("id", "origin", "state", "counselor_code", "withdrawn"), "session")


def own_reports(store: Store, here: tables.Person) -> list[tables.Report]:
    return rights.visible(store, here, store.reports.all(), "report")


def for_counselor(store: Store, here: tables.Person) -> Step:
    unread = [r for r in own_reports(store, here) if kind_of(store, "report", r.id or 0) is Clearance.UNCONFIRMED]
    if unread:
        return (
            _("Confirm the masking of “{title}”").format(title=unread[0].title),
            _("Until a person has read it through, it stays on this machine."),
            _("Open Reports"), "reports.py", {"report": unread[0].id},
        )  # fmt: skip
    sessions = own_sessions(store, here)
    if paused := paused_of(sessions):
        return go_on(paused)
    if sessions:
        return (
            _("Look through your sessions"), _("Every turn of them, and what can be said about them."),
            _("Open Sessions"), "sessions.py", {},
        )  # fmt: skip
    return (
        _("Hold a first session"), _("Sit in the counselor's seat and speak with a simulated client."),
        _("Open Live session"), "live.py", {},
    )  # fmt: skip


def for_supervisor(store: Store, here: tables.Person) -> Step:
    if own_sessions(store, here):
        return (
            _("Look through the sessions of those you supervise"), _("You see those whose people agreed to supervision."),
            _("Open Sessions"), "sessions.py", {},
        )  # fmt: skip
    return (
        _("No session to look at yet"),
        _("You see sessions of the counselors you supervise, once everybody in them agreed to supervision."),
        _("Open Instruments and prompts"), "instruments.py", {},
    )  # fmt: skip


def for_client(store: Store, here: tables.Person) -> Step:
    if paused := paused_of(own_sessions(store, here)):
        return go_on(paused)
    return (
        _("Take the client's seat"), _("Choose the session somebody told you about, or look around first."),
        _("Open Live session"), "live.py", {},
    )  # fmt: skip


def for_rater(store: Store, here: tables.Person) -> Step:
    return (
        _("Read what the instruments ask"), _("Every item with its levels, as it is shown to raters."),
        _("Open Instruments and prompts"), "instruments.py", {},
    )  # fmt: skip


def paused_of(sessions: list[Any]) -> Any:
    return next((one for one in reversed(sessions) if one.origin == "live" and one.state == "paused"), None)


def go_on(paused: Any) -> Step:
    return (
        _("Go on with a paused session"), _("Every turn so far is saved."), _("Open Live session"), "live.py",
        {"session": paused.id},
    )  # fmt: skip


STEPS: Mapping[str, Callable[[Store, tables.Person], Step]] = {
    "counselor": for_counselor, "supervisor": for_supervisor, "client": for_client, "rater": for_rater,
}  # fmt: skip


def figures(store: Store, here: tables.Person) -> None:
    """How much of the store is theirs to see."""
    sessions = own_sessions(store, here)
    live = sum(one.origin == "live" for one in sessions)
    cells = [
        ("description", _("Your reports"), len(own_reports(store, here)), _("of your own series")),
        ("forum", _("Your sessions"), len(sessions), many("{n} of them live", "{n} of them live", live)),
    ]
    grid = st.grid(2, min_column_width=190, border=True)
    for icon, label, value, under in cells:
        with grid.cell():
            layout.figure(icon, label, value, under)
