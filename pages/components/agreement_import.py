"""Ratings and comparisons of sessions in this workbench, made elsewhere: people's, or labels that came with the data."""

import pandas as pd
import streamlit as st

from core import instruments
from core.errors import WorkbenchError
from core.judging import importing
from pages.components import agreement_brought, charts, layout, resources
from pages.components.words import _, many, say

DONE = "agreement_taken"  # what was said of the table taken last


def section(ratings: bool) -> None:
    """What the table has to hold, whose judgments they are, and what came of it. The table is taken whole or not at all."""
    with st.container(border=True):
        layout.card_title(_("Ratings of sessions in this workbench") if ratings else _("Comparisons of sessions in this workbench"))
        st.text(columns_words(ratings))
        st.text(_("A further column version says which version of the instrument was used; without it, the present one."))
        name = "ratings" if ratings else "comparisons"
        st.download_button(
            _("Template"), charts.csv(template(ratings)), f"sessions-{name}.csv", "text/csv", key=f"agreement_form_{name}",
            icon=":material/download:", on_click="ignore",
        )  # fmt: skip
        kinds = {
            "person": (_("People made them"), _("Judges are held against them. A name in the table is never taken for somebody who rated here, also when both have the same name; in the next table it is the same person again.")),
            "reference": (_("They came with the data"), _("Labels of a data set, by nobody in particular. They can be shown beside a judge and are never people's.")),
        }  # fmt: skip
        kind = st.radio(
            _("Whose are they?"), list(kinds), key="agreement_whose", format_func=lambda one: kinds[one][0],
            captions=[words for _name, words in kinds.values()], persist_state="session",
        )  # fmt: skip
        given = st.file_uploader(_("Table (CSV)"), type=["csv", "tsv", "txt"], key=f"agreement_kept_{name}")
        pressed = st.button(_("Import"), key="agreement_import", type="primary", icon=":material/upload:", disabled=given is None)
        if pressed and given is not None:
            bring(given.name, given.getvalue(), ratings, str(kind))
        tell()
    agreement_brought.section()


def columns_words(ratings: bool) -> str:
    if ratings:
        return _(
            "One row for each session, rater and item: columns session, rater, instrument, item, value. The session is its number on the page Sessions; a blank value could not be rated."
        )
    return _(
        "One row for each pair, rater and dimension: columns first, second, rater, instrument, dimension, verdict. First and second are the numbers of the sessions in the order they were shown; the verdict is the number of the better one, or tie, or blank where there is none."
    )


def template(ratings: bool) -> pd.DataFrame:
    """Two rows as an example, of sessions that are there."""
    ids = [row["id"] for row in resources.store().sessions.overview()[:2]]
    one, two = ids if len(ids) == 2 else (1, 2)
    if ratings:
        items = [item.id for item in instruments.load("wai-o-s").items[:2]]
        return pd.DataFrame([(one, "R-01", "wai-o-s", item, 4) for item in items], columns=list(importing.RATINGS))
    dimensions = [dimension.id for dimension in instruments.load("hill").dimensions[:2]]
    rows = [(one, two, "R-01", "hill", dimension, verdict) for dimension, verdict in zip(dimensions, (one, "tie"), strict=True)]
    return pd.DataFrame(rows, columns=list(importing.COMPARISONS))


def bring(name: str, data: bytes, ratings: bool, kind: str) -> None:
    """Take the table; what is said of it stands there after the page has drawn the new numbers."""
    resources.require("rate")
    take = importing.import_ratings if ratings else importing.import_comparisons
    try:
        taken = take(resources.store(), name, data, kind)
    except WorkbenchError as error:
        st.session_state[DONE] = [(say(error), "warning")]
        return
    new = many("{n} rating was taken", "{n} ratings were taken", len(taken.ids)) if ratings else many("{n} comparison was taken", "{n} comparisons were taken", len(taken.ids))
    told = [(new, "done")] if taken.ids else []
    st.session_state[DONE] = [*told, *((say(message), "warning") for message in taken.messages)]


def tell() -> None:
    for words, kind in st.session_state.pop(DONE, []):
        layout.notice(words, kind)
