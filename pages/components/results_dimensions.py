"""A study's dimensions: the radar of win scores, the table beside it, and the questions behind one dimension."""

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core.agreement.winning import AgentScore
from core.results.claims import short
from core.results.wins import Contest
from pages.components import charts, interval_words, layout, results_made, results_words
from pages.components.reasons import column
from pages.components.results_data import Compared
from pages.components.results_picking import picked_row
from pages.components.results_wins import said
from pages.components.results_words import asked_words, between, dimension_name, for_figure, stage_name
from pages.components.words import _, plain

MOST = 4  # series a radar can carry
NO_SCORE = AgentScore(float("nan"), float("nan"), float("nan"))


def section(found: Compared) -> None:
    contest = found.contest
    names = results_words.counselors()
    said(contest)
    grid = st.grid(2, min_column_width=430, border=True)
    with grid.cell():
        shown = chosen_agents(contest, names)
        figure = radar(found, shown, names)
        caption = results_words.sentences(
            interval_words.over_roles(each(contest)), _("Roles with under half of their stage judged are left out.")
        )
        charts.show(
            figure, alt=_("Radar of win scores on each dimension; the table beside it has the same numbers."),
            caption=caption, name="dimensions", key="results_radar", on_select=take_dimension,
        )  # fmt: skip
    with grid.cell():
        layout.card_title(_("The same numbers"))
        table = scores(found, names)
        charts.show_table(
            table, name="dimensions", key="results_dimension_scores", made_by=results_made.words(found.made), figure=figure, caption=caption,
        )  # fmt: skip
    with st.container(border=True):
        behind(found, names)


def each(contest: Contest) -> list[AgentScore]:
    """Every counselor's score on every dimension."""
    return [one for own in contest.dimensions.values() for one in own.values()]


def chosen_agents(contest: Contest, names: dict[str, str]) -> list[str]:
    """All counselors, or the four that are chosen where there are more."""
    if len(contest.agents) <= MOST:
        return list(contest.agents)
    picked = st.pills(
        _("Counselors (four at most)"), contest.agents, default=list(contest.agents[:MOST]), selection_mode="multi",
        key="results_radar_agents", format_func=lambda agent: plain(names.get(agent or "", agent or "")),
    )  # fmt: skip
    return [agent for agent in picked if agent][:MOST]


def radar(found: Compared, agents: list[str], names: dict[str, str]) -> go.Figure:
    contest, k = found.contest, charts.tokens()
    dimensions = list(contest.dimensions)
    labels = [for_figure(dimension_name(found.instrument, d), 12) for d in dimensions]
    figure = go.Figure()
    for agent in agents:
        at = contest.agents.index(agent) % len(k.series)
        scores = [contest.dimensions[d].get(agent, NO_SCORE) for d in dimensions]
        values = [one.value for one in scores]
        over = [f"{written(one)}, {interval_words.of_roles(one.kind, one.roles)}" for one in scores]
        figure.add_scatterpolar(
            r=[*values, values[0]], theta=[*labels, labels[0]], mode="lines+markers", name=for_figure(names.get(agent, agent)),
            line={"color": k.series[at], "dash": charts.DASHES[at], "width": 2},
            marker={"symbol": charts.SYMBOLS[at], "size": 9}, customdata=[[d, words] for d, words in zip([*dimensions, dimensions[0]], [*over, over[0]], strict=True)],
            hovertemplate="%{theta}: %{customdata[1]}<extra>%{fullData.name}</extra>",
        )  # fmt: skip
    under = _(", ").join([interval_words.counted(each(contest)), asked_words(contest), _("scale 0–1")])
    figure.update_layout(
        title=charts.title_block(_("Win score by dimension"), under, results_made.words(found.made)),
        height=560, margin={"l": 92, "r": 92, "t": 116, "b": 90},
    )  # fmt: skip
    figure.update_polars(
        radialaxis={"range": [0, 1], "tickvals": [0.25, 0.5, 0.75, 1], "ticktext": [".25", ".5", ".75", "1"]}
    )
    return figure


def scores(found: Compared, names: dict[str, str]) -> pd.DataFrame:
    contest = found.contest
    rows = [
        (dimension_name(found.instrument, d), *(cell for agent in contest.agents for cell in cells(own.get(agent, NO_SCORE))),
         max((one.roles for one in own.values()), default=0),
         stage_name(found.instrument, found.instrument.dimension(d).stage),
         sum(o.dimension == d and o.judged for o in contest.outcomes))
        for d, own in contest.dimensions.items()
    ]  # fmt: skip
    heads = [
        _("Dimension"),
        *(head for agent in contest.agents for head in heads_of(names.get(agent, agent))),
        _("Roles"),
        _("Stage"),
        _("Questions judged"),
    ]
    return pd.DataFrame(rows, columns=heads)


def written(one: AgentScore) -> str:
    return f"{short(one.value)} ({between(one.low, one.high)})" if one.value == one.value else "–"


def cells(one: AgentScore) -> tuple[float, str]:
    return one.value, between(one.low, one.high)


def heads_of(name: str) -> tuple[str, str]:
    return name, _("{name}, 95 %").format(name=name)


def take_dimension() -> None:
    points = st.session_state["results_radar_figure"].selection.points
    if points and points[0].get("customdata"):
        st.session_state["results_dimension"] = next(iter(points[0]["customdata"]))


def behind(found: Compared, names: dict[str, str]) -> None:
    """Every comparison on one dimension; a row opens it."""
    kept = list(found.contest.dimensions)
    if st.session_state.get("results_dimension") not in kept:
        st.session_state["results_dimension"] = kept[0]
    picked = st.selectbox(
        _("Comparisons on"),
        kept,
        key="results_dimension",
        persist_state="session",
        format_func=lambda d: dimension_name(found.instrument, d),
    )
    own = found.rows[found.rows["dimension"] == picked]
    table = pd.DataFrame(
        {
            _("Client"): [found.held[s].client for s in own["first"]],
            _("Shown first"): [names.get(found.held[s].counselor, found.held[s].counselor) for s in own["first"]],
            _("Shown second"): [names.get(found.held[s].counselor, found.held[s].counselor) for s in own["second"]],
            _("Verdict"): [verdict(found, row, names) for row in own.itertuples()],
            _("Why unscored"): column(own["reason"]),
        }
    )  # fmt: skip
    layout.muted(_("Choose a row to read its reasoning, its quotes and both sessions."))
    picked_row(
        table,
        [int(id) for id in own["id"]],
        "comparison",
        key="results_comparisons",
        name="comparisons",
        made_by=results_made.words(found.made),
    )


def verdict(found: Compared, row: object, names: dict[str, str]) -> str:
    said_so = str(getattr(row, "verdict", ""))
    if said_so != "won":
        return _("tie") if said_so == "tie" else _("unscored")
    winner = found.held[int(getattr(row, "winner", 0))].counselor
    return names.get(winner, winner)
