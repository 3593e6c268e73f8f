"""The library of sessions: filters, a table to choose from."""

import zlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core.leaving import Leaving
from pages.components import badges, layout, resources, session_view
from pages.components.words import _

ROWS = 500  # of the list on one page: more go to no browser at once
TICKED = "sessions_ticked"


@st.cache_resource(max_entries=4, show_spinner=False)  # not cache_data: it would copy every row at each run; nobody changes them
def _listed(where: str, version: int) -> list[dict[str, Any]]:
    return resources.store().sessions.overview()


def listed() -> list[dict[str, Any]]:
    """All sessions, newest first; read again when the store has changed."""
    store = resources.store()
    return _listed(str(store.path), store.data_version())


def worded(codes: Iterable[str], word: Callable[[str], str]) -> dict[str, str]:
    """Each code that comes up, in words."""
    return {code: word(code) for code in set(codes)}


def state_name(state: str) -> str:
    return {
        "running": _("running"), "paused": _("paused"), "stopped": _("stopped"), "ended": _("ended"),
    }.get(state, state)  # fmt: skip


def counselor_of(row: dict[str, Any]) -> str:
    return str(row["counselor"] or row["counselor_code"] or "")


def filtered(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows that match what a person chose."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        sought = st.text_input(_("Search"), key="sessions_search", placeholder=_("Title, role or code"), width=260)
        origins = st.pills(
            _("Origin"), list(dict.fromkeys(row["origin"] for row in rows)), selection_mode="multi",
            format_func=session_view.origin_name, key="sessions_origin",
        )  # fmt: skip
        languages = st.pills(
            _("Language"), list(dict.fromkeys(row["language"] for row in rows)), selection_mode="multi",
            format_func=session_view.language_name, key="sessions_language",
        )  # fmt: skip
        who = sorted({counselor_of(row) for row in rows} - {""})
        counselors = st.multiselect(_("Counselor"), who, placeholder=_("Choose"), key="sessions_counselor", width=260)
    if not (sought.strip() or origins or languages or counselors):
        return list(rows)
    return [row for row in rows if matches(row, sought, origins, languages, counselors)]


def matches(
    row: dict[str, Any],
    sought: str,
    origins: Sequence[str],
    languages: Sequence[str],
    counselors: Sequence[str],
) -> bool:
    words = " ".join(str(row[name] or "") for name in ("id", "title", "role", "client_code", "topic")).casefold()
    return (
        sought.strip().casefold() in words
        and (not origins or row["origin"] in origins)
        and (not languages or row["language"] in languages)
        and (not counselors or counselor_of(row) in counselors)
    )


def table(rows: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """The rows with their codes in words; each code is put into words once, however many rows there are."""
    origins = worded((row["origin"] for row in rows), session_view.origin_name)
    languages = worded((row["language"] for row in rows), session_view.language_name)
    states = worded((row["state"] for row in rows), state_name)
    engines = worded((row["engine"] for row in rows), badges.engine_words)
    return pd.DataFrame(
        {
            _("Session"): [row["id"] for row in rows],
            _("Title"): [row["title"] or row["role"] or "" for row in rows],
            _("Counselor"): [counselor_of(row) for row in rows],
            _("Turns"): [row["turns"] for row in rows],
            _("Ratings"): [row["ratings"] for row in rows],
            _("Possible risk"): [row["risk"] for row in rows],
            _("Origin"): [origins[row["origin"]] for row in rows],
            _("Language"): [languages[row["language"]] for row in rows],
            _("State"): [states[row["state"]] for row in rows],
            _("Made by"): [engines[row["engine"]] for row in rows],
            _("Date"): [row["created"][:10] for row in rows],
        }
    )


def named(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows for a file: of a session whose words may not leave, the title and the codes stay."""
    going = Leaving(resources.store())
    going.look("session", (row["id"] for row in rows))
    blank = {"title": "", "role": "", "client_code": "", "counselor_code": ""}
    return [row | blank if going.why("session", row["id"]) else row for row in rows]


# ---- one page of the list ------------------------------------------------------------------------


def ordered(rows: Sequence[dict[str, Any]], by: str) -> list[dict[str, Any]]:
    """The rows, newest first, or with the most of something first."""
    return sorted(rows, key=lambda row: -row[by]) if by in ("risk", "ratings", "turns") else list(rows)


def page_of(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of the page a person turned to, of a list too long to be sent whole."""
    if len(rows) <= ROWS:
        return list(rows)
    pages = -(-len(rows) // ROWS)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        names = {"newest": _("Newest first"), "risk": _("Possible risk first"), "ratings": _("Most ratings first"), "turns": _("Most turns first")}
        by = st.selectbox(_("Order"), list(names), format_func=names.__getitem__, key="sessions_order", width=260)
        at = min(st.pagination(pages, key=f"sessions_page_{pages}"), pages)
    return ordered(rows, by)[ROWS * (at - 1) : ROWS * at]


def choose(rows: Sequence[dict[str, Any]]) -> list[int]:
    """The ids of the rows a person ticked; what they ticked on another page of the list stays ticked."""
    shown = page_of(rows)
    ids, there = [int(row["id"]) for row in shown], {int(row["id"]) for row in rows}
    before = [id for id in st.session_state.get(TICKED, []) if id in there]
    event = st.dataframe(
        table(shown), hide_index=True, selection_mode="multi-row", on_select="rerun",
        key=f"sessions_table_{zlib.crc32(repr(ids).encode())}",  # ticks are of row numbers: other rows, another table
        selection_default={"selection": {"rows": [n for n, id in enumerate(ids) if id in before]}},
        height="content" if len(shown) < 14 else 520,
    )  # fmt: skip
    elsewhere = [id for id in before if id not in ids]
    if elsewhere:
        layout.muted(_("Ticked on another page: {ids}").format(ids=_(", ").join(map(str, elsewhere))))
    ticked = elsewhere + [ids[n] for n in event.selection.rows if n < len(ids)]
    st.session_state[TICKED] = ticked
    return ticked
