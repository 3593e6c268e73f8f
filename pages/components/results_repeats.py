"""How far the repeats of one judge agree: ICC per item and dimension, and what that does not say."""

import pandas as pd
import streamlit as st

from core import instruments
from core.instruments import Instrument
from core.results import agreements, scores
from core.results.agreements import Agreed
from core.results.claims import short
from core.results.voices import Voice
from pages.components import (
    badges,
    charts,
    counted,
    forest,
    interval_words,
    layout,
    results_data,
    results_made,
)
from pages.components.results_data import Frame
from pages.components.results_words import between, dimension_name, item_name, item_text, sentences
from pages.components.words import _

FIRST = ("ICC(1,1)", "ICC(1,k)")  # repeats are exchangeable
PUBLISHED = "ICC(A,k)"


def section(study: int, instrument: str, voice: Voice) -> None:
    frame, used = results_data.heard(study, instrument, voice), instruments.load(instrument, voice.version)
    found = results_data.repeats(study, instrument, voice)
    meaning(voice)
    if not found:
        layout.empty(
            _("No repeats to compare"),
            _("Repeats need the same judge to rate the same session at least twice. Set repeats in the study."),
            _("Open Studies"), "studies.py", key="results_no_repeats",
        )  # fmt: skip
        return
    made_by = results_made.words(results_made.made(study, instrument, voice, frame.rows, frame.held))
    with st.container(border=True):
        form = st.segmented_control(
            _("Form"), [*FIRST, PUBLISHED], default=FIRST[0], required=True, key="results_form", label_visibility="collapsed",
            persist_state="session",
            format_func=lambda name: name if name != PUBLISHED else _("{form}, as published").format(form=name),
        )  # fmt: skip
        show(found, used, frame, form or FIRST[0], made_by)


def meaning(voice: Voice) -> None:
    """What agreement of repeats does and does not say."""
    if voice.kind == "rules":
        with st.container(horizontal=True, vertical_alignment="center"):
            badges.draw(
                badges.Badge(
                    _("Agreement of subsamples; says nothing about a model"), ":material/rule:", "violet"
                )
            )
            layout.muted(_("A repeat of a demo rater reads a seeded four fifths of the turns."))
        return
    layout.muted(_("Repeats that agree show that a judge is steady, not that it is right."))


def show(found: list[Agreed], used: Instrument, frame: Frame, form: str, made_by: str) -> None:
    order = [*(d.id for d in used.dimensions), agreements.TOTAL]
    lines = [
        forest.Line(
            _("Score") if one.id == one.dimension else one.id, one.forms[form].value, one.forms[form].low,
            one.forms[form].high, dimension_name(used, one.dimension), order.index(one.dimension), n=one.n,
        )
        for one in found
    ]  # fmt: skip
    under = _("{sessions}, {k} repeats").format(
        sessions=counted.sessions([one.n for one in found]), k=counted.fewest_most(one.raters for one in found)
    )
    figure = forest.forest(
        lines, title=charts.title_block(_("Agreement of the repeats, {form}").format(form=form), under, made_by),
        axis=form, over=_("{form}, 95 %").format(form=form), span=(min(0.0, *(low_of(line) for line in lines)), 1),
    )  # fmt: skip
    table = repeats_table(found, used, frame)
    charts.show(
        figure, alt=_("Agreement of repeats per item and dimension; the table has all forms."), table=table,
        name="repeats", key="results_repeats", made_by=made_by, whole=True, caption=caption(found, used),
    )  # fmt: skip


def low_of(line: forest.Line) -> float:
    known = [value for value in (line.low, line.value) if value == value]
    return max(min(known, default=0.0), -1.0)


def caption(found: list[Agreed], used: Instrument) -> str:
    words = _(
        "ICC(1,1): one repeat; ICC(1,k): their mean, one-way, since repeats have no order. ICC(A,k) as the alliance paper "
        "gives it. Sessions that lack a repeat are dropped."
    )
    words = sentences(interval_words.over_clusters(value for one in found for value in one.forms.values()), words)
    means = []
    for dimension in used.dimensions:
        values = [
            one.forms[PUBLISHED].value
            for one in found
            if one.dimension == dimension.id and one.id != dimension.id
        ]
        if values and not any(value != value for value in values):
            means.append(f"{dimension_name(used, dimension.id)} {short(sum(values) / len(values))}")
    if means:
        words += " " + _("Mean ICC(A,k) over a dimension's items, as published: {means}.").format(
            means=_(", ").join(means)
        )
    if any(one.forms[form].value != one.forms[form].value for one in found for form in FIRST):
        words += " " + _(
            "No variance, no ICC: where the sessions have all the same mean, there is nothing to tell apart."
        )
    return words


def repeats_table(found: list[Agreed], used: Instrument, frame: Frame) -> pd.DataFrame:
    values = scores.item_values(frame.rows)
    means = values.groupby("item")["value"].mean()
    sums = agreements.with_sums(values, results_data.dimensions(used), used.scoring).mean()
    rows = []
    for one in found:
        name = item_text(used, one.id) if one.id != one.dimension else _("Score of the dimension")
        rows.append(
            (
                item_name(used, one.id) if one.id != one.dimension else _("Score"), dimension_name(used, one.dimension),
                float(sums.get(one.id, means.get(one.id, float("nan")))), one.n, one.dropped, one.spread,
                *(icc_words(one, form) for form in (*FIRST, PUBLISHED)), name,
            )
        )  # fmt: skip
    heads = [
        _("Item"), _("Dimension"), _("Mean"), _("Sessions"), _("Dropped"), _("Spread (SD)"), *FIRST,
        _("{form}, as published").format(form=PUBLISHED), _("Text"),
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=heads)


def icc_words(one: Agreed, form: str) -> str:
    """The value with its interval, or why there is none."""
    value = one.forms[form]
    if value.value == value.value:
        return f"{short(value.value)} ({between(value.low, value.high)})"
    return _("too few") if one.n < 2 else _("no variance, no ICC")
