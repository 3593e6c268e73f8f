"""Ratings of an instrument: its items as violins, tables of items and counselors, and the ratings behind an item."""

from collections.abc import Mapping
from functools import partial
from math import ceil

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core import instruments
from core.instruments import NOT_APPLICABLE, Instrument
from core.results import claims, drill, quoted, scores
from core.results.agreements import TOTAL
from core.results.reading import Held
from core.results.voices import JUDGES, Voice
from pages.components import (
    badges,
    charts,
    counted,
    forest,
    interval_words,
    layout,
    results_data,
    results_made,
    results_topics,
    results_words,
)
from pages.components.reasons import column
from pages.components.results_data import Frame, Scored
from pages.components.results_picking import picked_row
from pages.components.results_words import dimension_name, for_figure, item_name, item_text
from pages.components.words import _, many

FEW = 50  # sessions; with fewer every one is drawn as a point
MOST_DRAWN = 400  # values of a violin; of more it is drawn from means of neighbours
ANY = ""


def section(study: int, instrument: str, voice: Voice) -> None:
    frame, used = results_data.heard(study, instrument, voice), instruments.load(instrument, voice.version)
    found = results_data.scored(study, instrument, voice)
    values, sums = found.values, found.sums
    made = results_made.made(study, instrument, voice, frame.rows, frame.held)
    words, claim = results_made.words(made), claims.claim(voice.kind, made.sessions)
    said(frame, used, voice, claim)
    with st.container(border=True):
        figure = violins(values, used, words)
        table = items_table(frame, results_data.items(study, instrument, voice), used, voice)
        charts.show(
            figure, alt=_("Distribution of scores over sessions, item by item; the table has means and n."),
            table=table, name="items", key="results_violins", made_by=words, on_select=take_item, whole=True,
            caption=caption(frame, used),
        )  # fmt: skip
    with st.container(border=True):
        counselors(found, used, words, claim)
    results_topics.section(sums, frame.held, used, words, partial(results_data.by_topic, study, instrument, voice))
    with st.container(border=True):
        behind(frame, used, words, quoted.asked("rating", voice.kind, voice.setting))


def said(frame: Frame, used: Instrument, voice: Voice, claim: claims.Claim) -> None:
    """What the numbers may be called, and how many ratings could not be used."""
    unscored = int(unread(frame).sum())
    silent = int((frame.rows["reason"] == NOT_APPLICABLE).sum())
    bare = int(unquoted(frame, used).sum())
    parts = [
        many("{n} rating", "{n} ratings", len(frame.rows)),
        many("{n} session", "{n} sessions", frame.rows["session"].nunique()),
        _("{n} unscored").format(n=unscored),
    ]
    if silent:
        parts.append(_("{n} not applicable").format(n=silent))
    if quoted.asked("rating", voice.kind, voice.setting):
        parts.append(_("{n} without a quote found").format(n=bare))
    elif voice.kind in JUDGES:
        parts.append(_("quotes were not asked for"))
    with st.container(horizontal=True, vertical_alignment="center"):
        if voice.kind in JUDGES:
            badges.draw(results_words.claim_badge(claim))
        layout.muted(_(" · ").join(parts))


def unread(frame: Frame) -> pd.Series:
    """Which ratings have no value although their item applies."""
    return frame.rows["score"].isna() & (frame.rows["reason"] != NOT_APPLICABLE)


def planned_words(frame: Frame) -> str:
    """What a value is, by the repeats that were planned."""
    planned = sorted({int(n) for n in frame.rows["repeats"]})
    if planned == [1]:
        return _("A value is one rating of a session.")
    if len(planned) == 1:
        return _("A value is the mean of a session's readable repeats, at least {least} of the {n} planned.").format(least=ceil(planned[0] * scores.READABLE - 1e-9), n=planned[0])
    return _("A value is the mean of a session's readable repeats, at least two thirds of those planned.")


def caption(frame: Frame, used: Instrument) -> str:
    lows, highs = (
        pick(getattr(item, end) for item in used.items) for pick, end in ((min, "lowest"), (max, "highest"))
    )
    words = _("Box: quartiles; mark: mean over sessions. Table: mean and SD over clients or roles. Scale {low} to {high}.")
    return results_words.sentences(planned_words(frame), words.format(low=instruments.plain(lows), high=instruments.plain(highs)))


def thinned(values: pd.Series, most: int = MOST_DRAWN) -> list[float]:
    """The values in order, as at most so many means of neighbours: the same shape, quartiles and mean, for a figure."""
    ordered = np.sort(values.to_numpy(float))
    return [float(part.mean()) for part in np.array_split(ordered, min(most, len(ordered)))]


def violins(values: pd.DataFrame, used: Instrument, made_by: str) -> go.Figure:
    """One violin for each item, coloured by its dimension."""
    k, figure = charts.tokens(), go.Figure()
    order = [d.id for d in used.dimensions]
    for item in used.items:
        own = values[(values["item"] == item.id) & values["value"].notna()]
        if own.empty:
            continue
        at = order.index(item.dimension) % len(k.series)
        first = item.dimension not in {trace.legendgroup for trace in figure.data}
        drawn, name = thinned(own["value"]), for_figure(item_name(used, item.id))
        figure.add_violin(
            x=[name] * len(drawn), y=drawn, name=for_figure(dimension_name(used, item.dimension)),
            legendgroup=item.dimension, showlegend=first, line={"color": k.series[at], "width": 1.5},
            fillcolor=charts.clear(k.series[at], 0.18), box={"visible": True, "width": 0.25}, meanline={"visible": True},
            points="all" if len(own) < FEW else False, pointpos=0, jitter=0.25, spanmode="hard", width=0.8,
            marker={"symbol": charts.SYMBOLS[at], "size": 5, "opacity": 0.6}, customdata=[[item.id]] * len(drawn),
            hoveron="points", hovertemplate=f"{name}: %{{y:.2f}}<extra></extra>",
        )  # fmt: skip
        mean = float(own["value"].mean())
        figure.add_scatter(
            x=[name], y=[mean], mode="markers", showlegend=False, customdata=[[item.id]],
            marker={"symbol": charts.SYMBOLS[at], "size": 11, "color": k.ground, "line": {"color": k.ink, "width": 2}},
            hovertemplate=f"{name}: {_('mean over sessions')} %{{y:.2f}}, n = {len(own)}<extra></extra>",
        )  # fmt: skip
    low, high = min(i.lowest for i in used.items), max(i.highest for i in used.items)
    each = values[values["value"].notna()].groupby("item")["session"].nunique()
    under = counted.sessions([int(n) for n in each])
    figure.update_layout(
        title=charts.title_block(_("Scores by item"), under, made_by), height=460,
        margin={"l": 8, "r": 16, "t": 72, "b": 110}, violingap=0.1,
    )  # fmt: skip
    figure.update_xaxes(type="category", title=_("Item"), showgrid=False)
    edge = (high - low) * 0.06
    figure.update_yaxes(title=_("Score ({low}–{high})").format(low=instruments.plain(low), high=instruments.plain(high)), range=[low - edge, high + edge])  # fmt: skip
    return figure


def items_table(frame: Frame, found: results_data.Items, used: Instrument, voice: Voice) -> pd.DataFrame:
    """Items with mean and SD over clients or roles (of their session means), of all and of each counselor."""
    bare = frame.rows[unquoted(frame, used)].groupby("item").size()
    missing = frame.rows[unread(frame)].groupby("item").size()
    names = results_words.counselors()
    each = found.each
    rows = []
    for item in used.items:
        every = found.every[item.id]
        rows.append(
            (item_name(used, item.id), dimension_name(used, item.dimension), every.value, found.spread[item.id],
             every.n, every.clusters, *(means[item.id].value if item.id in means else float("nan") for means in each.values()),
             int(missing.get(item.id, 0)), int(bare.get(item.id, 0)), item_text(used, item.id))
        )  # fmt: skip
    heads = [_("Item"), _("Dimension"), _("Mean"), _("SD"), _("Sessions"), _("Clients or roles")]
    heads += [names.get(name, name) for name in each] if len(each) > 1 else []
    heads += [_("Unscored"), _("Without quote"), _("Text")]
    if len(each) == 1:
        rows = [(*row[:6], *row[7:]) for row in rows]
    table = pd.DataFrame(rows, columns=heads)
    return table if quoted.asked("rating", voice.kind, voice.setting) else table.drop(columns=_("Without quote"))


# ---- counselors ----------------------------------------------------------------------------------


def counselors(
    scored: Scored, used: Instrument, made_by: str, claim: claims.Claim
) -> None:  # fmt: skip
    """Dimension scores of every counselor, each client or role counting once."""
    names = results_words.counselors()
    columns = [str(name) for name in scored.sums.columns]
    found = list(scored.counselors)
    at = {name: n for n, name in enumerate(dict.fromkeys(one.counselor for one in found))}
    found.sort(key=lambda one: (columns.index(one.dimension), at[one.counselor]))
    lines = [
        forest.Line(
            names.get(one.counselor, one.counselor), one.mean.value, one.mean.low, one.mean.high,
            dimension_name(used, one.dimension), at[one.counselor], n=one.mean.n,
        )
        for one in found
    ]  # fmt: skip
    rest = items_behind(scored)
    shown = pd.DataFrame(
        [
            (dimension_name(used, one.dimension), names.get(one.counselor, one.counselor), one.mean.value, one.mean.low,
             one.mean.high, interval_words.of_clusters(one.mean), one.mean.n, one.mean.clusters,
             items_words(rest[one.counselor, one.dimension], used, one.dimension))
            for one in found
        ],
        columns=[_("Dimension"), _("Counselor"), _("Mean"), _("Low"), _("High"), _("Interval"), _("Sessions"), _("Clients or roles"), _("Items")],
    )  # fmt: skip
    low, high = ends(used, columns)
    under = _("{sessions} of each counselor, 95 % interval").format(sessions=counted.sessions([one.mean.n for one in found]))
    figure = forest.forest(
        lines, title=charts.title_block(_("Dimension scores by counselor"), under, made_by),
        axis=_("Score ({low}–{high})").format(low=instruments.plain(low), high=instruments.plain(high)),
        over=_("mean, 95 %"), span=(low, high), digits=2,
    )  # fmt: skip
    words = results_words.sentences(
        interval_words.over_clusters(one.mean for one in found),
        _("A score needs all its items.") if used.scoring == "sum" else _("A score needs half of its items."),
        _("Pipeline check: rules rated what rules said; nothing here is about counselors.") if claim == "pipeline check" else "",
    )
    charts.show(
        figure, alt=_("Dimension scores of each counselor with intervals; the table has the same numbers."), table=shown,
        name="dimension-scores", key="results_counselors", made_by=made_by, whole=True, caption=words,
    )  # fmt: skip


def items_behind(scored: Scored) -> dict[tuple[str, str], tuple[int, int]]:
    """How many items stand behind each counselor's scores of each dimension: the fewest and the most."""
    of = pd.Series({s: scored.counselor.get(s) for s in scored.sums.index}, dtype=object)
    counted = scored.items.where(scored.sums.notna()).groupby(of)
    low, high = counted.min(), counted.max()
    return {
        (str(name), str(dimension)): (int(low.loc[name, dimension]), int(high.loc[name, dimension]))
        for name in low.index for dimension in low.columns if pd.notna(low.loc[name, dimension])
    }  # fmt: skip


def items_words(behind: tuple[int, int], used: Instrument, dimension: str) -> str:
    """How many items stand behind scores of one dimension: from the fewest to the most, of how many."""
    low, high = behind
    most = len(used.items_of(dimension)) if dimension != TOTAL else len(used.items)
    return _("{n} of {of}").format(n=low if low == high else f"{low}–{high}", of=most)


def ends(used: Instrument, columns: list[str]) -> tuple[float, float]:
    """The ends of the scale of dimension scores (of sums: the largest of them)."""
    if used.scoring == "mean":
        return min(i.lowest for i in used.items), max(i.highest for i in used.items)
    return 0.0, sum(i.highest for i in used.items)


def unquoted(frame: Frame, used: Instrument) -> pd.Series:
    """Which ratings should rest on a quote and do not (``quoted.lacking``)."""
    neutral = {item.id: item.no_evidence for item in used.items}
    asked = frame.rows[["item", "value", "rater_kind", "setting", "verified"]]
    alike = asked.groupby(list(asked.columns), dropna=False, sort=False).ngroup()  # thousands of rows, few that differ in this
    answers = [quoted.lacking(row, neutral.get(row["item"])) for row in asked[~alike.duplicated()].to_dict("records")]
    return pd.Series(np.array(answers, dtype=bool)[alike], index=frame.rows.index)


# ---- behind an item ------------------------------------------------------------------------------


def take_item() -> None:
    points = st.session_state["results_violins_figure"].selection.points
    if points and points[0].get("customdata"):
        st.session_state["results_item"] = next(iter(points[0]["customdata"]))


def behind(frame: Frame, used: Instrument, made_by: str, with_quotes: bool) -> None:
    """Every rating of one item, the lowest first; a row opens it."""
    rated = set(frame.rows["item"])
    kept = [item.id for item in used.items if item.id in rated]
    if not kept:
        return
    if st.session_state.get("results_item") not in kept:
        st.session_state["results_item"] = kept[0]
    names = results_words.counselors()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        item = st.selectbox(
            _("Ratings of"),
            kept,
            key="results_item",
            persist_state="session",
            format_func=lambda id: f"{item_name(used, id)}: {item_text(used, id)}",
        )
        agents = [ANY, *dict.fromkeys(held.counselor for held in frame.held.values())]
        counselor = st.selectbox(
            _("Counselor"), agents, key="results_counselor", width=240, persist_state="session",
            format_func=lambda name: names.get(name, name) if name else _("all"),
        )  # fmt: skip
        hide = with_quotes and st.toggle(_("Leave out those without a quote"), key="results_quoted", persist_state="session")
    own = chosen(frame, used, item, counselor, hide)
    layout.muted(_("Choose a row to read its reasoning and its quotes in the transcript."))
    table = ratings_table(own, frame.held, names)
    if not with_quotes:
        table = table.drop(columns=_("Quote found"))
    picked_row(
        table, [int(id) for id in own["id"]], "rating", key="results_ratings", name=f"ratings-{item}",
        made_by=made_by,
    )  # fmt: skip


def chosen(frame: Frame, used: Instrument, item: str, counselor: str, hide: bool) -> pd.DataFrame:
    ids = drill.ratings_behind(frame.rows, item)
    own = frame.rows.set_index("id", drop=False).loc[ids]
    if counselor:
        own = own[[frame.held[s].counselor == counselor for s in own["session"]]]
    return own[~unquoted(Frame(own, frame.held), used)] if hide else own


def ratings_table(own: pd.DataFrame, held: Mapping[int, Held], names: dict[str, str]) -> pd.DataFrame:
    who = [held[s].counselor for s in own["session"]]
    return pd.DataFrame(
        {
            _("Session"): list(own["session"]),
            _("Client"): [held[s].client for s in own["session"]],
            _("Counselor"): [names.get(name, name) for name in who],
            _("Repeat"): list(own["repeat"]),
            _("Given"): list(own["value"]),
            _("Score"): list(own["score"]),
            _("Quote found"): [bool(v) for v in own["verified"]],
            _("Why unscored"): column(own["reason"]),
        }
    )
