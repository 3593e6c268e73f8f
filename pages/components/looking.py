"""Who looked: each opening of what a person stands behind is kept once, however often the page runs again."""

import streamlit as st

from core.people import looks
from core.people.looks import Opened
from pages.components import layout, resources
from pages.components.words import _, many

OPEN = "looking_open"  # in this browser session: the page, who sits here, and the records open on it whose look is kept
SHOWN = 5


def turned_to(page: str) -> None:
    """Another page closes what was open; the frame says so on each run."""
    if st.session_state.get(OPEN, ("", None, ()))[0] != page:
        st.session_state[OPEN] = (page, None, frozenset())


def at(*opened: tuple[str, int]) -> None:
    """These records, and no others, are open on this page now; those newly opened are kept.

    What nobody stands behind is asked about again: somebody may speak in it while it stands open.
    """
    page, who, before = st.session_state.get(OPEN, ("", None, frozenset()))
    now, me = frozenset(Opened(*one) for one in opened), resources.person()
    kept = frozenset() if who != me.id else now & before
    if new := now - kept:
        kept |= {Opened(one.kind, one.record_id) for one in looks.note_all(resources.store(), me, sorted(new), page)}
    st.session_state[OPEN] = (page, me.id, kept)


def who_looked(*records: tuple[str, int]) -> None:
    """For researchers, small, beside a record: who opened it and when."""
    if not resources.is_researcher():
        return
    seen = looks.at(resources.store(), [Opened(*one) for one in records])
    if not seen:
        return
    with st.expander(many("Opened {n} time", "Opened {n} times", len(seen)), icon=":material/visibility:"):
        for look in seen[:SHOWN]:
            layout.muted(_(" · ").join([look.code, look.when[:16].replace("T", " "), page_name(look.page)]))
        if len(seen) > SHOWN:
            layout.muted(_("and {n} more").format(n=len(seen) - SHOWN))


def page_name(page: str) -> str:
    return {
        "sessions": _("Sessions"), "live": _("Live session"), "reports": _("Reports"), "results": _("Results"),
        "export": _("Export"), "command line": _("Command line"),
    }.get(page, page)  # fmt: skip
