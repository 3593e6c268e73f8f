"""The raters that tables brought in, and taking back what a table brought of one of them."""

import pandas as pd
import streamlit as st

from core.errors import WorkbenchError
from core.judging import taking_back
from core.judging.taking_back import ImportedRater
from pages.components import deleting, layout, resources, results_words
from pages.components.words import _, many

PLACE = "brought"  # where the receipt is shown


def section() -> None:
    """Who came in with a table, with what; and one button for those who may delete."""
    deleting.show_receipt(PLACE)
    found = {one.id: one for one in taking_back.brought(resources.store())}
    if not found:
        return
    kinds = {"person": _("People made them"), "reference": _("They came with the data")}
    with st.container(border=True):
        layout.card_title(_("Raters from tables"))
        rows = [
            {_("Rater"): one.name, _("Whose are they?"): kinds[one.kind], _("Ratings"): one.ratings, _("Comparisons"): one.comparisons,
             _("Instruments"): instruments(one)}
            for one in found.values()
        ]  # fmt: skip
        st.dataframe(pd.DataFrame(rows), hide_index=True)
        if not resources.may("delete"):
            return
        layout.muted(_("A table that was wrong can be taken back, one rater at a time, and brought in again."))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            id = st.selectbox(_("Rater"), list(found), key="agreement_brought", format_func=lambda id: f"{found[id].name} · {kinds[found[id].kind]}", width=420)
            if st.button(_("Take back …"), key="agreement_take_back", icon=":material/delete:"):
                ask(found[id])


def instruments(one: ImportedRater) -> str:
    return _("; ").join(results_words.instrument_name(id) for id in one.instruments)


def counted(one: ImportedRater) -> str:
    ratings = many("{n} rating", "{n} ratings", one.ratings) if one.ratings else ""
    comparisons = many("{n} comparison", "{n} comparisons", one.comparisons) if one.comparisons else ""
    return _(", ").join(words for words in (ratings, comparisons) if words)


def ask(one: ImportedRater) -> None:
    @st.dialog(_("Delete for good?"))
    def confirm() -> None:
        st.text(_("{rater}: {what} ({instruments})").format(rater=one.name, what=counted(one), instruments=instruments(one)))
        layout.muted(_("All that tables brought of this rater is deleted. Sessions and what others said of them stay."))
        layout.muted(_("This cannot be undone. The space is overwritten in the database file."))
        if st.button(_("Delete for good"), key="agreement_take_back_sure", type="primary", on_click=take_back, args=(one.id,)):
            st.rerun()

    confirm()


def take_back(id: int) -> None:
    """Delete; the receipt, or why not, stands there on the next run."""
    try:
        resources.require("delete")
        deleting.keep_receipt(taking_back.take_back(resources.store(), id), PLACE)
    except WorkbenchError as error:
        deleting.keep_refusal(error, PLACE)
