"""What a study takes in calls, tokens, money and time; the prices behind it; and its budget."""

import json
import zlib
from typing import Any

import pandas as pd
import streamlit as st

from core.studies import service
from core.studies.estimate import Estimate
from core.studies.prices import read_prices, shipped, those_of
from pages.components import layout, resources
from pages.components.words import _, say
from storage import tables
from storage.store import Store

COLUMNS = ("host", "model", "input", "cached", "output")
TEXTS = ("host", "model")


def takes(found: Estimate) -> None:
    """Four figures: calls, tokens, cost, time."""
    money = _("not known") if found.money is None else f"${found.money.low:,.2f}–{found.money.high:,.2f}"
    if found.money is not None and found.money.high == 0:
        money = "$0.00"
    tokens = f"{(found.tokens_in.low + found.tokens_out.low) / 1000:,.0f}–{(found.tokens_in.high + found.tokens_out.high) / 1000:,.0f} k"
    ruled = found.tokens_in.high + found.tokens_out.high == 0
    low, high = found.seconds.low / 60, found.seconds.high / 60
    time = _("under 1 min") if high < 1 else f"{low:,.0f}–{high:,.0f} min"
    said = _("{a}–{b} k in, {c}–{d} k out").format(
        a=f"{found.tokens_in.low / 1000:,.0f}", b=f"{found.tokens_in.high / 1000:,.0f}",
        c=f"{found.tokens_out.low / 1000:,.0f}", d=f"{found.tokens_out.high / 1000:,.0f}",
    )  # fmt: skip
    learned = _("from past calls here") if found.learned else _("from the length of the texts")
    cells = [
        ("forum", _("Calls"), f"{found.calls:,}", _("sent one by one, several at once")),
        ("toll", _("Tokens"), _("none") if ruled else tokens, _("rules, no model") if ruled else said),
        ("payments", _("Cost"), money, _("by the price table below")),
        ("schedule", _("Time"), time, learned),
    ]
    grid = st.grid(4, min_column_width=190, border=True)
    for icon, label, value, under in cells:
        with grid.cell():
            layout.figure(icon, label, value, under)


def prices(store: Store) -> None:
    """The price table: a person's own rows go before the shipped ones; incomplete ones are kept, price nothing and say so."""
    kept = store.settings.get("prices")
    _usable, lacking = read_prices(kept)
    with st.expander(_("Prices"), icon=":material/payments:", expanded=bool(lacking)):
        layout.muted(_("US dollars for one million tokens. Check them with the provider: they change. Your own rows go before the shipped ones; * stands for any characters."))
        changed = st.data_editor(
            framed(kept), num_rows="dynamic", hide_index=True, column_config=headings(),
            key=f"studies_prices_{zlib.crc32(json.dumps(kept, sort_keys=True).encode())}",  # edits are of these rows
        )  # fmt: skip
        for problem in lacking:
            layout.notice(say(problem), "warning")
        if st.button(_("Save prices"), key="studies_prices_save", icon=":material/save:"):
            save(store, changed)
        if st.session_state.pop("studies_prices_saved", False):
            layout.notice(_("Saved."))
        layout.muted(_("Shipped"))
        st.dataframe(pd.DataFrame([one.model_dump() for one in shipped()])[list(COLUMNS)], hide_index=True, column_config=headings())


def framed(rows: Any) -> pd.DataFrame:
    """Rows as they were kept, whatever they are, in columns that text and numbers can be typed into."""
    table = pd.DataFrame([{name: row.get(name) for name in COLUMNS} for row in those_of(rows)], columns=list(COLUMNS))
    for name in COLUMNS:
        table[name] = table[name].fillna("").astype(str) if name in TEXTS else pd.to_numeric(table[name], errors="coerce").astype("Float64")
    return table


def headings() -> dict[str, Any]:
    number = st.column_config.NumberColumn
    return {
        "host": st.column_config.TextColumn(_("Host")), "model": st.column_config.TextColumn(_("Model")),
        "input": number(_("Input"), min_value=0.0, format="$%.3f"), "cached": number(_("Cached input"), min_value=0.0, format="$%.3f"),
        "output": number(_("Output"), min_value=0.0, format="$%.3f"),
    }  # fmt: skip


def save(store: Store, changed: pd.DataFrame) -> None:
    """Keep the rows that say anything; one that lacks something is kept too, and priced by later."""
    rows = [
        {str(name): value for name, value in row.items() if pd.notna(value) and str(value).strip()}
        for row in changed.to_dict("records")
    ]
    store.settings.set("prices", [row for row in rows if row])
    st.session_state["studies_prices_saved"] = True
    st.rerun()


def budget(study: tables.Study) -> None:
    """Raise a budget that was reached, or give one; then the study can go on."""
    store = resources.store()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        amount = st.number_input(
            _("Budget in US dollars (0: none)"), 0.0, 1_000_000.0, float(study.budget or 0.0), step=1.0,
            key=f"studies_budget_{study.id}", width=260,
        )  # fmt: skip
        if st.button(_("Set budget"), key="studies_budget_set", icon=":material/payments:"):
            service.set_budget(store, study.id or 0, float(amount) or None)
            st.rerun()
