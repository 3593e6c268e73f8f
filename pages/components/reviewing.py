"""A person's word about a text: asked for where it is shown, kept of these very words, and said beside them afterwards."""

from collections.abc import Callable

import streamlit as st

from core.errors import WorkbenchError
from core.people import reviews
from pages.components import layout, resources
from pages.components.words import _


def seen(name: str, now: str) -> str:
    """The hash of what this tab showed when the person acted; what it shows now is remembered under this name."""
    before = str(st.session_state.get(name, now))
    st.session_state[name] = now
    return before


def button(words: str, key: str, id: int, now: str, work: Callable[[str], object]) -> None:
    """A person's word about the text of a record; refused with a sentence where the text is no longer what they were shown.

    Args:
        now: hash of the text as it is drawn. work: says it of the text with the hash it is given.
    """
    shown = seen(f"{key}_shown_{id}", now)
    if not st.button(words, key=key, icon=":material/check:"):
        return
    try:
        work(shown)
    except WorkbenchError as error:
        layout.problem(error)
        return
    st.rerun()


def said(kind: str, id: int, now: str, authors: str = "") -> None:
    """Who said what of this record, and when; of an earlier text of it too.

    Args:
        authors: who said what no person here said.
    """
    rows = reviews.of_record(resources.store(), kind, id)
    if not rows:
        return
    names = resources.store().persons.names()
    for row in reversed(rows[-3:]):
        told = {"who": names.get(row.person_id or 0) or authors or _("somebody"), "date": row.created[:10]}
        if row.hash != now:
            layout.muted(_("{who} reviewed an earlier text, {date}.").format(**told))
        elif row.says == "synthetic":
            layout.muted(_("Made up, said {who}, {date}.").format(**told))
        else:
            layout.muted(_("Read by {who}, {date}: nobody can be recognized.").format(**told))
