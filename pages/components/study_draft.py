"""The design being chosen on Studies, kept in the store as it is chosen: back after a refresh, in another window, after a restart."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import streamlit as st

from core.errors import WorkbenchError
from core.people import begun
from pages.components import badges, layout, resources
from pages.components.words import _
from storage import tables

KEPT = "studies_kept"  # in the browser session: the draft's row, its choices when it was opened, and those last kept
ROUND = "studies_round"  # how many drafts were dropped here: the next one's choices are other widgets
TEXT = "text"
PLAIN = (
    "way", "name", "language", "counselors", "client", "turns", "sessions_each", "seed", "methods", "rebuilder", "new_roles", "writer",
    "judges", "compare", "rate", "budget", "instrument", "setting", "repeats",
)  # fmt: skip
BY_LANGUAGE = ("source", "reports", "roles", "every", "which")
Choice = TypeVar("Choice")


def key(name: str) -> str:
    """The key of a choice's widget; another one after a draft was dropped, so that it begins anew."""
    dropped = st.session_state.get(ROUND, 0)
    return f"studies_{name}" + (f"_{dropped}" if dropped else "")


def opened() -> tables.Draft | None:
    """The person's draft of a study, if there is one; its choices are what the form begins with."""
    rows = begun.all_of(resources.store(), resources.person(), "study")
    row = rows[0] if rows else None
    id, held = row.id if row else None, st.session_state.get(KEPT)
    if held is None or (held["last"] is None and held["id"] != id):  # nothing was chosen here yet
        st.session_state[KEPT] = {"id": id, "choices": dict(row.content) if row else {}, "last": None}
    return row


def of(name: str, usual: Choice, options: Iterable[Choice] | None = None) -> Choice:
    """What a choice begins with: as in the draft where that can still be chosen."""
    kept = st.session_state.get(KEPT, {}).get("choices", {}).get(name, usual)
    return kept if options is None or kept in list(options) else usual


def some(name: str, usual: Sequence[Choice], options: Iterable[Choice]) -> list[Choice]:
    """The same of a choice of several: what is gone since is left out."""
    there = list(options)
    return [one for one in st.session_state.get(KEPT, {}).get("choices", {}).get(name, usual) if one in there]


def place(name: str, options: Sequence[Any], usual: int = 0) -> int:
    """The same, as a place among the options."""
    return list(options).index(of(name, options[usual], options)) if options else 0


def chosen() -> dict[str, Any]:
    """The choices as they stand, by name."""
    names = [*PLAIN, *(f"{name}_{code}" for name in BY_LANGUAGE for code in ("en", "zh"))]
    return {name: st.session_state[key(name)] for name in names if key(name) in st.session_state}


def keep(row: tables.Draft | None, text: str = "") -> None:
    """Keep the choices (and a design written as text) where they changed; nothing is begun before the first change."""
    kept, now = st.session_state[KEPT], chosen() | ({TEXT: text} if text else {})
    if kept["last"] is None or kept["last"] == now:
        kept["last"] = now
        return
    store, whole = resources.store(), kept["choices"] | now
    try:
        if row is None:
            begun.begin(store, resources.person(), "study", whole)
        else:
            begun.keep(store, row, whole)
    except WorkbenchError:
        return  # another window was faster: kept with the next run, which reads that draft first
    kept["last"] = now


def bar(row: tables.Draft) -> None:
    """That a draft is open, and how to be rid of it."""
    with st.container(horizontal=True, vertical_alignment="center"):
        badges.draw(badges.fact(_("A draft is open"), "edit_note"))
        layout.muted(_("Kept as you choose, since {date}.").format(date=row.created[:10]))
        st.space("stretch")
        if st.button(_("Drop this draft"), key="studies_drop", type="tertiary", icon=":material/close:"):
            forget(row)
            st.session_state[ROUND] = st.session_state.get(ROUND, 0) + 1
            st.rerun()


def forget(row: tables.Draft | None) -> None:
    """The study was begun, or its draft dropped."""
    if row is not None:
        begun.drop(resources.store(), resources.person(), row.id or 0)
    for name in (KEPT, "studies_as_text"):
        st.session_state.pop(name, None)
