"""Picking on the pages of results: a judge, or a row of a table and what stands behind it."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core.results.voices import Voice
from pages.components import charts, results_words
from pages.components.words import _


def picked_row(
    table: pd.DataFrame, ids: Sequence[int], kind: str, *, key: str, name: str, made_by: str = "",
    columns: Mapping[str, Any] | None = None,
) -> None:  # fmt: skip
    """The table; a chosen row opens the rating or comparison ``kind`` of the same place in ``ids``."""
    chosen = st.dataframe(
        table, hide_index=True, on_select="rerun", selection_mode="single-row", key=key, column_config=charts.numbers(table) | dict(columns or {}), height="auto"
    )  # fmt: skip
    charts.csv_button(table, name=name, key=key, made_by=made_by)
    rows = chosen["selection"]["rows"]
    if rows and rows[0] < len(ids):
        st.query_params[kind] = str(ids[rows[0]])
        st.rerun()


def to_results(
    table: pd.DataFrame, ids: Sequence[int], kind: str, *, key: str, name: str, made_by: str = ""
) -> None:
    """The same on another page: a chosen row opens Results there."""
    chosen = st.dataframe(table, hide_index=True, on_select="rerun", selection_mode="single-row", key=key, column_config=charts.numbers(table))
    charts.csv_button(table, name=name, key=key, made_by=made_by)
    rows = chosen["selection"]["rows"]
    if rows and rows[0] < len(ids):
        st.switch_page("results.py", query_params={kind: str(ids[rows[0]])})


def voice(known: list[Voice], key: str) -> Voice:
    """One judge at a time: kinds of raters, and ways of rating, are never pooled."""
    by_key = {voice.key: voice for voice in known}
    if st.session_state.get(key) not in by_key:
        st.session_state[key] = next(iter(by_key))
    picked = st.selectbox(
        _("Judge"), list(by_key), key=key, format_func=lambda name: results_words.voice_name(by_key[name]), width=660,
        persist_state="session",
    )  # fmt: skip
    return by_key[picked]
