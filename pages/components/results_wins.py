"""Win rates of a study: per stage with intervals, as a matrix, in a table, and down to the questions behind a pair."""

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core.agreement.intervals import FEW
from core.agreement.strength import DRAWS as STRENGTH_DRAWS
from core.results.claims import rounded
from core.results.wins import Contest, Stage, agent_table
from pages.components import (
    badges,
    charts,
    engine_note,
    forest,
    heat,
    interval_words,
    layout,
    results_made,
    results_pair,
    results_words,
)
from pages.components.results_data import Compared
from pages.components.results_words import between, stage_name
from pages.components.words import _, many, plain

Chosen = tuple[str, str]


def section(found: Compared) -> None:
    """Everything the comparisons of one judge say."""
    contest = found.contest
    if not contest.stages:
        layout.empty(
            _("No pair has been judged yet"),
            _("Comparisons need two counselors who met the same role, or two dialogues of one report."),
            _("Open Studies"), "studies.py", key="results_no_pairs",
        )  # fmt: skip
        return
    said(contest)
    names = results_words.counselors()
    grid = st.grid(2, min_column_width=430, border=True)
    with grid.cell():
        stage = stage_choice(found)
        pair = pair_choice(contest, names)
        if len(contest.agents) > 2:
            matrix(found, stage, pair, names)
            figure = stages_figure(found, names, key="results_stages")
        else:
            figure = stages_figure(found, names, key="results_win")
    with grid.cell():
        results_pair.behind(found, stage, pair, names)
    if len(contest.agents) > 2:
        strengths(found, names, figure)
    pairs(found, names, figure)


def said(contest: Contest) -> None:
    """What these numbers may be called, and how the questions ended."""
    c = contest.counts
    parts = [
        many("{n} question", "{n} questions", sum(c.values())), _("{n} decided").format(n=c["decided"]),
        _("{n} tie").format(n=c["tie"]), _("{n} orders disagree").format(n=c["orders_disagree"]),
        _("{n} undecided").format(n=c["undecided"]), _("{n} skipped").format(n=c["skipped"]),
    ]  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="center"):
        badges.draw(results_words.claim_badge(contest.claim))
        layout.muted(_(" · ").join(parts))
    if contest.claim == "pipeline check":
        layout.muted(_("Rules judged what rules said. The scores show that the chain works, so no counselor is named as better."))  # fmt: skip
        engine_note.link()


def stage_choice(found: Compared) -> Stage:
    kept = list(found.contest.stages)
    if st.session_state.get("results_stage") not in kept:
        st.session_state["results_stage"] = kept[0]
    picked = st.segmented_control(
        _("Stage"), kept, key="results_stage", required=True, persist_state="session", label_visibility="collapsed",
        format_func=lambda stage: plain(stage_name(found.instrument, stage)),
    )  # fmt: skip
    return found.contest.stages[picked or kept[0]]


def pair_choice(contest: Contest, names: dict[str, str]) -> Chosen:
    """The pair that is looked into: chosen here, or by a click in the figure."""
    every = [(a, b) for a in contest.agents for b in contest.agents if a != b]
    if len(contest.agents) == 2:
        return every[0]
    if st.session_state.get("results_pair") not in every:
        st.session_state["results_pair"] = every[0]
    picked = st.selectbox(
        _("Pair of counselors"), every, key="results_pair", persist_state="session",
        format_func=lambda pair: _("{a} against {b}").format(a=names.get(pair[0], pair[0]), b=names.get(pair[1], pair[1])),
    )  # fmt: skip
    return picked[0], picked[1]


def take_cell() -> None:
    """A click on a cell of the matrix chooses that pair."""
    points = st.session_state["results_win_figure"].selection.points
    if points and points[0].get("customdata"):
        a, b = list(points[0]["customdata"])[:2]
        st.session_state["results_pair"] = (a, b)


def matrix(found: Compared, stage: Stage, pair: Chosen, names: dict[str, str]) -> None:
    contest = found.contest
    under = _(", ").join([interval_words.counted(stage.scores.pairs), results_words.asked_words(contest), _("95 % interval")])
    figure = heat.heat(
        stage, contest.agents, names, chosen=pair,
        title=charts.title_block(_("Win score of row against column"), under, results_made.words(found.made)),
    )  # fmt: skip
    charts.show(
        figure, name="win-matrix", key="results_win", on_select=take_cell,
        alt=_("Matrix of win scores, {stage}. The same numbers stand in the table below.").format(
            stage=stage_name(found.instrument, stage.id)
        ),
    )  # fmt: skip
    heat.key()


def stages_figure(found: Compared, names: dict[str, str], key: str) -> go.Figure:
    """The win score of every counselor (of two: of the first) in every stage."""
    contest = found.contest
    two = len(contest.agents) == 2
    lines, behind = [], []
    for stage in contest.stages.values():
        shown = contest.agents[:1] if two else contest.agents
        for at, agent in enumerate(shown):
            score = stage.scores.agents.get(agent)
            if score is None:
                continue
            label = stage_name(found.instrument, stage.id) if two else names.get(agent, agent)
            group = "" if two else stage_name(found.instrument, stage.id)
            behind.append(score)
            lines.append(forest.Line(label, score.value, score.low, score.high, group, at, pick=stage.id))
    title = _("Win score by stage")
    if two:
        a, b = (names.get(agent, agent) for agent in contest.agents)
        title = _("Win score of {a} against {b}").format(a=a, b=b)
    under = _(", ").join([interval_words.counted(behind), results_words.asked_words(contest)])
    figure = forest.forest(
        lines, title=charts.title_block(title, under, results_made.words(found.made)),
        axis=_("Win score (0 = lost all, ½ = even, 1 = won all)"), over=_("score, 95 %"), span=(0, 1), middle=0.5,
    )  # fmt: skip
    charts.show(figure, alt=title, name="win-scores", key=key, on_select=take_stage, caption=caption(contest))
    return figure


def take_stage() -> None:
    """A click on a score chooses its stage."""
    for key in ("results_win_figure", "results_stages_figure"):
        points = st.session_state[key].selection.points if key in st.session_state else []
        if points and points[0].get("customdata"):
            st.session_state["results_stage"] = next(iter(points[0]["customdata"]))


def caption(contest: Contest) -> str:
    return results_words.sentences(interval_words.over_roles(contest.pairs), _("A win counts 1, every kind of tie ½."))


def strengths(found: Compared, names: dict[str, str], figure: go.Figure) -> None:
    """The counselors of every stage with their scores and Bradley–Terry strengths."""
    parts = []
    for stage in found.contest.stages.values():
        own = agent_table(stage)
        own.insert(0, "stage", stage_name(found.instrument, stage.id))
        parts.append(own)
    own = pd.concat(parts)
    table = pd.DataFrame(
        {
            _("Stage"): own["stage"],
            _("Counselor"): [names.get(agent, agent) for agent in own["agent"]],
            _("Win score"): own["score"],
            _("95 % interval"): [between(low, high) for low, high in zip(own["low"], own["high"], strict=True)],
            _("Interval"): [interval_words.of_roles(kind, n) for kind, n in zip(own["kind"], own["roles"], strict=True)],
            _("Strength"): ["–" if value != value else rounded(value) for value in own["strength"]],
            _("Strength, 95 %"): [logs(a, b) for a, b in zip(own["strength_low"], own["strength_high"], strict=True)],
            _("Counselor's engine"): [badges.engine_words(found.contest.engines.get(agent, "")) for agent in own["agent"]],
        }
    )  # fmt: skip
    with st.container(border=True):
        layout.card_title(_("Counselors: win score and Bradley–Terry strength"))
        charts.show_table(
            table, name="win-scores", key="results_strengths", made_by=results_made.words(found.made), figure=figure, caption=caption(found.contest), whole=len(table) < 20,
            columns={
                _("Win score"): st.column_config.ProgressColumn(format="%.2f", min_value=0, max_value=1),
            },
        )  # fmt: skip
        words = _(
            "Strength: natural log, mean 0, fitted on the outcome of each role. Its intervals: drawing roles, {draws} draws; "
            "withheld under {n} roles and where an end is infinite."
        ).format(draws=f"{STRENGTH_DRAWS:,}", n=FEW)
        if own["strength"].isna().any():
            words += " " + _("No finite strengths where somebody won, or lost, everything against the rest.")
        layout.muted(words)


def logs(low: float, high: float) -> str:
    """An interval of values that are no shares of 1."""
    return "–" if low != low or high != high else f"{rounded(low)} – {rounded(high)}"


def pairs(found: Compared, names: dict[str, str], figure: go.Figure) -> None:
    """All pairs of all stages in one table, with both fields of the decision and the majority of roles."""
    contest = found.contest
    rows = [
        (stage_name(found.instrument, stage.id), names.get(p.a, p.a), names.get(p.b, p.b), p.score, between(p.low, p.high),
         interval_words.of_roles(p.kind, p.roles),
         results_words.decision_name(p, contest.claim, names), p.supported, p.wins, p.losses, p.ties, p.majority_score,
         p.roles, p.left_out, p.coverage)
        for stage in contest.stages.values()
        for p in stage.scores.pairs
    ]  # fmt: skip
    heads = [
        _("Stage"), _("Counselor"), _("Against"), _("Win score"), _("95 % interval"), _("Interval"), _("Decision"), _("Supported"),
        _("Roles won"), _("Roles lost"), _("Roles even"), _("Majority score"), _("Roles"), _("Left out"), _("Coverage"),
    ]  # fmt: skip
    table = pd.DataFrame(rows, columns=heads)
    with st.container(border=True):
        layout.card_title(_("Every pair"))
        charts.show_table(
            table, name="pairs", key="results_pairs", made_by=results_made.words(found.made), caption=caption(contest),
            figure=figure if len(contest.agents) == 2 else None,
        )  # fmt: skip
        layout.muted(
            _(
                "Decision: above or below one half (the paper's rule). Supported: the interval excludes one half. "
                "Roles won, lost, even: the majority of dimensions in each role; it can differ from the score. "
                "Left out: roles with under half of their dimensions judged. Coverage: share of dimensions judged."
            )
        )
