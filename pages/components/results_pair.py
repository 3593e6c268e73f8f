"""Behind one pair of counselors: the pair in words, then role by role the questions and what was quoted."""

from typing import Any

import streamlit as st

from core.agreement.winning import Pair
from core.results import claims, drill
from core.results.claims import short
from core.results.wins import Contest, Stage
from pages.components import interval_words, layout, resources, results_words, session_view, transcript
from pages.components.results_data import Compared
from pages.components.results_words import between, dimension_name, stage_name
from pages.components.words import _

Chosen = tuple[str, str]


def behind(found: Compared, stage: Stage, chosen: Chosen, names: dict[str, str]) -> None:
    """The pair in words, then role by role the questions and the comparisons behind them."""
    contest, (a, b) = found.contest, chosen
    pair = stage.pair(a, b)
    layout.card_title(
        _("{a} against {b}").format(a=names.get(a, a), b=names.get(b, b)),
        over=stage_name(found.instrument, stage.id),
    )
    if pair is None:
        layout.muted(_("These two were not compared in this stage."))
        return
    st.text(pair_words(pair, contest, names))
    questions = drill.questions(contest, found.rows, found.held, stage.id, a, b)
    layout.facts([*pair_facts(pair, contest, names), *orders(contest, questions)])
    roles(found, questions, chosen, names)


def pair_words(pair: Pair, contest: Contest, names: dict[str, str]) -> str:
    note = claims.verdict(pair, contest.claim)
    called = {k: names.get(v, v) if isinstance(v, str) else v for k, v in note.values.items()}
    return _(note.message).format(**called)


def pair_facts(pair: Pair, contest: Contest, names: dict[str, str]) -> list[tuple[str, object]]:
    majority = _("{wins} won, {losses} lost, {ties} even of {n}").format(
        wins=pair.wins, losses=pair.losses, ties=pair.ties, n=pair.roles
    )
    left = _("{n} left out: under half judged").format(n=pair.left_out) if pair.left_out else ""
    shown: list[tuple[str, object]] = [
        (_("Win score"), _("{value} ({rest})").format(value=short(pair.score), rest=_("; ").join([between(pair.low, pair.high), interval_words.of_roles(pair.kind, pair.roles)]))),
        (_("Decision"), results_words.decision_name(pair, contest.claim, names)),
        (_("Supported"), supported_words(pair)),
        (_("By roles"), _("; ").join(filter(None, [majority, left]))),
    ]
    return shown


def supported_words(pair: Pair) -> str:
    if pair.low != pair.low:
        return _("no interval: fewer than two roles")
    return _("yes: the interval excludes ½") if pair.supported else _("no: the interval holds ½")


def orders(contest: Contest, questions: dict[str, list[drill.Question]]) -> list[tuple[str, object]]:
    """How often this pair got the same verdict in both orders, of the questions readable in both."""
    judged = [q.outcome for own in questions.values() for q in own if q.outcome.judged]
    if not contest.both_orders or not judged:
        return []
    same = sum(outcome.state != "orders_disagree" for outcome in judged)
    words = _("{share} of {n} questions").format(share=results_words.share(same / len(judged)), n=len(judged))
    return [(_("Same verdict in both orders"), words)]


def role_label(found: Compared, questions: list[drill.Question], a: str) -> str:
    """A role and how its questions ended for the first counselor."""
    won = sum(q.outcome.winner == a for q in questions)
    lost = sum(q.outcome.state == "decided" and q.outcome.winner != a for q in questions)
    client = found.held[questions[0].sessions[0]].client or str(questions[0].outcome.role)
    return _("{client}: {won} won, {lost} lost, {rest} neither").format(
        client=client, won=won, lost=lost, rest=len(questions) - won - lost
    )


def roles(
    found: Compared, questions: dict[str, list[drill.Question]], chosen: Chosen, names: dict[str, str]
) -> None:  # fmt: skip
    kept = list(questions)
    if not kept:
        layout.muted(_("No comparison of these two is left."))
        return
    if st.session_state.get("results_role") not in kept:
        st.session_state["results_role"] = kept[0]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        role = st.selectbox(
            _("Role"),
            kept,
            key="results_role",
            persist_state="session",
            format_func=lambda role: role_label(found, questions[role], chosen[0]),
        )
        st.button(
            _("Next role"), key="results_next_role", icon=":material/chevron_right:", icon_position="right",
            on_click=next_role, args=(kept,),
        )  # fmt: skip
    for question in questions[role]:
        one_question(found, question, names)
    evidence(found, questions[role], names)


def evidence(found: Compared, questions: list[drill.Question], names: dict[str, str]) -> None:
    """What the judge quoted for these questions, lit up in the session it quoted most."""
    quotes = quotes_of(found, questions)
    sessions = questions[0].sessions
    id = max(sessions, key=lambda one: sum(quote.get("session") == one for quote in quotes))
    shown = [
        {**quote, "number": at} for at, quote in enumerate((q for q in quotes if q.get("session") == id), 1)
    ]
    store = resources.store()
    session, counselor = store.sessions.get(id), found.held[id].counselor
    layout.muted(_("Quoted from {name}, session {n}").format(name=names.get(counselor, counselor), n=id))
    if not shown:
        st.text(_("Nothing was quoted for these questions in the first order."))
    transcript.quote_list(shown, key="pair", text_language=session.language)
    with st.container(height=320, border=True, key="results_pair_transcript"):
        transcript.draw(
            store.sessions.turns(id), shown, names=session_view.names(session), text_language=session.language, key="pair",
            cut_at=session.cut_at,
        )  # fmt: skip


def quotes_of(found: Compared, questions: list[drill.Question]) -> list[dict[str, Any]]:
    """The quotes of the first order of each question, under the name of its dimension."""
    kept: list[dict[str, Any]] = []
    for question in questions:
        if question.rows:
            row = resources.store().comparisons.get(question.rows[0])
            label = dimension_name(found.instrument, question.outcome.dimension)
            kept += [{**quote, "label": label} for quote in row.quotes]
    return kept


def next_role(kept: list[str]) -> None:
    at = kept.index(st.session_state["results_role"]) if st.session_state.get("results_role") in kept else -1
    st.session_state["results_role"] = kept[(at + 1) % len(kept)]


def one_question(found: Compared, question: drill.Question, names: dict[str, str]) -> None:
    """One dimension: how it ended, and a way into each order."""
    outcome = question.outcome
    ended = results_words.outcome_name(outcome.state)
    if outcome.winner is not None:
        ended = _("for {name}, in {orders}").format(
            name=names.get(outcome.winner, outcome.winner), orders=results_words.asked_words(found.contest)
        )
    with st.container(gap=None):
        layout.card_title(dimension_name(found.instrument, outcome.dimension))
        with st.container(horizontal=True, vertical_alignment="center"):
            layout.muted(ended)
            for at, row in enumerate(question.rows, 1):
                words = _("Order {n}").format(n=at) if len(question.rows) > 1 else _("Read")
                if st.button(
                    words, key=f"results_read_{row}", icon=":material/format_quote:", type="tertiary"
                ):
                    st.query_params["comparison"] = str(row)
                    st.rerun()
