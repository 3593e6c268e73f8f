"""Agreement and win scores from a CSV of one's own, as ``rapport agreement`` and ``rapport compare`` give them."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from core.errors import WorkbenchError
from core.results import agreement_file, comparison_file
from pages.components import agreement_import, agreement_tables, badges, charts, forest, layout
from pages.components.agreement_tables import none
from pages.components.results_words import between, say_note
from pages.components.words import _, language

RATINGS = pd.DataFrame(
    [("S-01", "K-01", "Q1", 4), ("S-01", "K-02", "Q1", 5), ("S-02", "K-01", "Q1", 2), ("S-02", "K-02", "Q1", 3),
     ("S-03", "K-01", "Q1", 3), ("S-03", "K-02", "Q1", None)],
    columns=list(agreement_file.COLUMNS),
)  # fmt: skip
COMPARISONS = pd.DataFrame(
    [("R-01", "Agent A", "Agent B", "empathic_understanding", "Exploration", "ab", "Agent A"),
     ("R-01", "Agent A", "Agent B", "empathic_understanding", "Exploration", "ba", "tie"),
     ("R-02", "Agent A", "Agent B", "empathic_understanding", "Exploration", "ab", ""),
     ("R-02", "Agent A", "Agent B", "empathic_understanding", "Exploration", "ba", "Agent B")],
    columns=list(comparison_file.COLUMNS),
)  # fmt: skip


def section() -> None:
    """Choose what kind of table it is and what for: to see its numbers (nothing is saved), or to keep it."""
    kind = st.segmented_control(
        _("Kind of table"), ["ratings", "comparisons"], default="ratings", required=True, key="agreement_kind",
        format_func=lambda one: {"ratings": _("Ratings"), "comparisons": _("Comparisons")}.get(one, one), persist_state="session",
        label_visibility="collapsed",
    )  # fmt: skip
    ratings = kind != "comparisons"
    use = st.segmented_control(
        _("What for"), ["compute", "keep"], default="compute", required=True, key="agreement_use",
        format_func=lambda one: {"compute": _("Only compute"), "keep": _("Keep with the sessions here")}.get(one, one),
        persist_state="session", label_visibility="collapsed",
    )  # fmt: skip
    if use == "keep":
        agreement_import.section(ratings)
        return
    with st.container(border=True):
        layout.card_title(_("A table of ratings") if ratings else _("A table of comparisons"))
        st.text(
            _(
                "One row for each target, rater and item: columns target, rater, item, score. A blank score is missing."
            )
            if ratings
            else _(
                "One row for each role, pair, dimension and order: columns role, agent_a, agent_b, dimension, stage, order, verdict. Order ab or ba says who was shown first; the verdict names the winning agent, or is tie, or is blank where it could not be read."
            )
        )
        st.download_button(
            _("Template"), charts.csv(RATINGS if ratings else COMPARISONS), f"template-{kind}.csv", "text/csv",
            key=f"agreement_template_{kind}", icon=":material/download:", on_click="ignore",
        )  # fmt: skip
        layout.muted(_("The file is read here and not kept."))
        given = st.file_uploader(_("Table (CSV)"), type=["csv", "tsv", "txt"], key=f"agreement_file_{kind}")
    if given is None:
        return
    try:
        found = read(given.name, given.getvalue(), ratings, language())
    except WorkbenchError as error:
        layout.problem(error)
        return
    (of_ratings if ratings else of_comparisons)(found)


@st.cache_data(max_entries=8, show_spinner=False)
def read(name: str, content: bytes, ratings: bool, words: str) -> dict[str, Any]:
    """The numbers of a file, its notes in the language ``words``.

    Raises:
        DataError: it is not such a table; the sentence says which line and what to do.
    """
    if ratings:
        return agreement_file.agreement_of_rows(name, content, say_note)
    return comparison_file.compare_of_rows(name, content, say_note)


def of_ratings(found: Mapping[str, Any]) -> None:
    with st.container(border=True):
        form = st.segmented_control(
            _("Form"), list(agreement_tables.FORMS), default=agreement_tables.FORMS[0], required=True, key="agreement_file_form",
            label_visibility="collapsed",
        )  # fmt: skip
        agreement_tables.figure(
            found, str(form or agreement_tables.FORMS[0]), "imported", "agreement_file_icc"
        )
    agreement_tables.pairs(found, "file", badges.engine_words("imported"))
    agreement_tables.notes(found)


def of_comparisons(found: Mapping[str, Any]) -> None:
    counts = found["counts"]
    layout.muted(
        _("{decided} decided · {tie} tie · {orders_disagree} orders disagree · {undecided} undecided · {skipped} skipped").format(
            **counts
        )
    )  # fmt: skip
    with st.container(border=True):
        scores(found)
    with st.container(border=True):
        layout.card_title(_("Every pair"))
        charts.show_table(pairs(found), name="pairs", key="agreement_compared_pairs")
        layout.muted(
            _(
                "Decision: above or below one half (the paper's rule). Supported: the interval excludes one half."
            )
        )
    for note in found["notes"]:
        st.text(note)


def scores(found: Mapping[str, Any]) -> None:
    agents = list(dict.fromkeys(agent for stage in found["stages"].values() for agent in stage["scores"]))
    lines = [
        forest.Line(
            agent, none(score["value"]), none(score["low"]), none(score["high"]), stage, agents.index(agent)
        )
        for stage, own in found["stages"].items()
        for agent, score in own["scores"].items()
    ]
    table = pd.DataFrame(
        [
            (line.group, line.label, line.value, between(line.low, line.high), none(found["stages"][line.group]["bradley_terry"][line.label]))
            for line in lines
        ],
        columns=[_("Stage"), _("Counselor"), _("Win score"), _("95 % interval"), _("Strength")],
    )  # fmt: skip
    roles = max((pair["roles"] for own in found["stages"].values() for pair in own["pairs"]), default=0)
    figure = forest.forest(
        lines, title=charts.title_block(_("Win score by stage"), _("n = {n} roles").format(n=roles), badges.engine_words("imported")),
        axis=_("Win score (0 = lost all, ½ = even, 1 = won all)"), over=_("score, 95 %"), span=(0, 1), middle=0.5,
    )  # fmt: skip
    charts.show(
        figure, alt=_("Win score by stage"), table=table, name="win-scores", key="agreement_compared",
        caption=_("Intervals: 95 %; the notes name their kind. Strength: Bradley–Terry, natural log. {engine}.").format(
            engine=badges.engine_words("imported")
        ),
        columns={name: st.column_config.NumberColumn(format="%.2f") for name in (_("Win score"), _("Strength"))},
    )  # fmt: skip


def pairs(found: Mapping[str, Any]) -> pd.DataFrame:
    rows = [
        (stage, one["a"], one["b"], none(one["score"]), between(none(one["low"]), none(one["high"])),
         _("Tie") if one["decision"] == "tie" else one["decision"] or "–", one["supported"], one["wins"], one["losses"], one["ties"],
         none(one["majority_score"]), one["roles"], one["left_out"])
        for stage, own in found["stages"].items()
        for one in own["pairs"]
    ]  # fmt: skip
    heads = [
        _("Stage"), _("Counselor"), _("Against"), _("Win score"), _("95 % interval"), _("Decision"), _("Supported"), _("Roles won"),
        _("Roles lost"), _("Roles even"), _("Majority score"), _("Roles"), _("Left out"),
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=heads)
