"""Reading a study's stored replies again: what would change is listed before it counts."""

import pandas as pd
import streamlit as st

from core.errors import WorkbenchError
from core.judging import rereading
from pages.components import layout, resources
from pages.components.reasons import reason_words
from pages.components.words import _, many
from storage import tables

MOVING = ("running", "stopping")


def offer(study: tables.Study) -> None:
    """A list to look at first, where a former reader read some of the study's replies."""
    store, id = resources.store(), study.id or 0
    held = rereading.older(store, id)
    if study.state in MOVING or not held:
        return
    with st.expander(_("Read stored replies again"), icon=":material/find_replace:"):
        words = many(
            "{n} judgment was read by an older version of the reader. Its reply is stored and can be read again without a call.",
            "{n} judgments were read by an older version of the reader. Their replies are stored and can be read again without a call.",
            held,
        )  # fmt: skip
        layout.muted(words)
        if st.button(_("Show what would change"), key="studies_reread"):
            st.session_state["studies_rereading"] = id
        if st.session_state.get("studies_rereading") == id:
            listed(id)


def listed(id: int) -> None:
    """What would change, and the button that lets it count."""
    try:
        found = rereading.preview(resources.store(), id)
        if found.left:
            layout.muted(_("{n} cannot be read again: their instrument is not here in that version.").format(n=f"{found.left:,}"))
        if not found.changes:
            rereading.apply(resources.store(), id, found.mark)  # nothing changes; the rows bear this reader's version
            layout.notice(_("Read again, all of them say the same."))
            return
        st.dataframe(pd.DataFrame([shown(change) for change in found.changes]), hide_index=True, width="stretch")
        layout.muted(_("The older readings are kept and stay in exports, marked as superseded."))
        words = many("Let {n} new reading count", "Let {n} new readings count", len(found.changes))
        st.button(words, key="studies_reread_apply", type="primary", on_click=apply, args=(id, found.mark))
        if problem := st.session_state.pop("studies_reread_problem", None):
            layout.problem(problem)
    except WorkbenchError as error:
        layout.problem(error)


def apply(id: int, mark: str) -> None:
    """Let exactly what was listed count."""
    try:
        rereading.apply(resources.store(), id, mark)
    except WorkbenchError as error:
        st.session_state["studies_reread_problem"] = error
    else:
        del st.session_state["studies_rereading"]


def shown(change: rereading.Change) -> dict[str, str]:
    return {
        _("Session"): " · ".join(map(str, change.sessions)),
        _("Item"): change.about,
        _("Rater"): change.rater,
        _("Before"): said(change.before),
        _("Now"): said(change.after),
        _("Why unscored before"): reason_words(change.reason_before),
        _("Why unscored now"): reason_words(change.reason_after),
    }


def said(value: float | int | str | None) -> str:
    """A rating's value, or of a comparison the session that won."""
    if value is None:
        return _("unscored")
    if value == "tie":
        return _("tie")
    return f"{value:g}" if isinstance(value, float) else _("Session {n}").format(n=value)
