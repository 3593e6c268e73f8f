"""The library of sessions: filters, a table to choose from."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core.leaving import Leaving
from pages.components import badges, resources, session_view
from pages.components.words import _


@st.cache_data(max_entries=4, show_spinner=False)
def _listed(where: str, version: int) -> list[dict[str, Any]]:
    return resources.store().sessions.overview()


def listed() -> list[dict[str, Any]]:
    """All sessions, newest first; read again when the store has changed."""
    store = resources.store()
    return _listed(str(store.path), store.data_version())


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
    return pd.DataFrame(
        [
            {
                _("Session"): row["id"],
                _("Title"): row["title"] or row["role"] or "",
                _("Counselor"): counselor_of(row),
                _("Turns"): row["turns"],
                _("Ratings"): row["ratings"],
                _("Possible risk"): row["risk"],
                _("Origin"): session_view.origin_name(row["origin"]),
                _("Language"): session_view.language_name(row["language"]),
                _("State"): state_name(row["state"]),
                _("Made by"): badges.engine_words(row["engine"]),
                _("Date"): row["created"][:10],
            }
            for row in rows
        ]
    )


def named(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows for a file: of a session whose words may not leave, the title and the codes stay."""
    going = Leaving(resources.store())
    going.look("session", (row["id"] for row in rows))
    blank = {"title": "", "role": "", "client_code": "", "counselor_code": ""}
    return [row | blank if going.why("session", row["id"]) else row for row in rows]


def choose(rows: Sequence[dict[str, Any]]) -> list[int]:
    """The ids of the rows a person ticked, at most two."""
    event = st.dataframe(
        table(rows), hide_index=True, selection_mode="multi-row", on_select="rerun", key="sessions_table",
        height="content" if len(rows) < 14 else 520,
    )  # fmt: skip
    return [rows[n]["id"] for n in event.selection.rows if n < len(rows)]
