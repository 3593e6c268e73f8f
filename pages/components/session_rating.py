"""A counselor has an own session rated: the judges a researcher released, what it takes, and how far it is."""

import streamlit as st

from core import sentences
from core.errors import WorkbenchError
from core.studies import own, service
from core.studies.own import Wish
from core.studies.progress import standing
from core.studies.worker import doing
from pages.components import badges, layout, resources, session_facts, study_form, study_standing
from pages.components.words import _, language, many, plain, say
from storage import tables


def offer(session: tables.Session) -> None:
    """For the counselor whose session it is; a researcher starts studies instead."""
    if resources.is_researcher() or not resources.may("rate", session):
        return
    with st.container(border=True):
        layout.card_title(_("Have it rated"), icon="rate_review")
        for study in own.of_session(resources.store(), session.id or 0):
            if resources.may("see", study):
                progress(study)
        form(session)


def form(session: tables.Session) -> None:
    store = resources.store()
    judges = {agent.id: agent for agent in own.offered(store)}
    if not judges:
        layout.muted(_("No judge is released for counselors yet. Ask a researcher."))
        return
    scales = {one.id: one.name.of(language()) for one in study_form.rating_instruments()}
    id = st.selectbox(_("Judge"), list(judges), format_func=lambda one: resources.agent_name(judges[one]), key=f"sessions_judge_{session.id}")
    scale = st.selectbox(_("Instrument"), list(scales), format_func=scales.__getitem__, key=f"sessions_scale_{session.id}")
    wish = Wish(session, judges[id], str(scale))
    try:
        takes(wish)
        rated = own.is_rated(store, resources.person(), wish)
        if rated:
            layout.muted(_("Rated already by this judge on this instrument: asking again would give nothing new."))
        if st.button(_("Have it rated"), key="sessions_rate", type="primary", icon=":material/play_arrow:", disabled=rated):
            own.have_rated(store, resources.person(), wish, resources.keys())
            st.rerun()
    except WorkbenchError as error:
        layout.notice(say(error), "warning")


def takes(wish: Wish) -> None:
    """Where the text goes and what it costs, before anything is asked."""
    found = own.expected(resources.store(), wish)
    place = resources.store().endpoints.find(id=wish.agent.endpoint_id) if wish.agent.endpoint_id else None
    badges.row([badges.engine(wish.agent.engine), badges.endpoint(place)])
    cost = _("cost not known") if found.money is None else _("about ${low}–{high}").format(
        low=f"{found.money.low:,.2f}", high=f"{found.money.high:,.2f}"
    )  # fmt: skip
    if found.money is not None and not found.money.high:
        cost = _("no cost")
    asked = many("{n} question", "{n} questions", found.calls)
    layout.muted(_("{questions}, each item {repeats} times; {cost}.").format(questions=asked, repeats=own.REPEATS, cost=cost))


def progress(study: tables.Study) -> None:
    """How far it is, looked at again while it runs."""
    moving = study.state in study_standing.MOVING
    st.fragment(look, run_every=1.5 if moving else None)(study.id or 0, study.state)


def look(study_id: int, drawn_as: str) -> None:
    store = resources.store()
    study_standing.keep_working(store, study_id)
    study = store.studies.get(study_id)
    if study.state != drawn_as:
        st.rerun()
    found = standing(store, study, doing(store, study_id))
    words = _("{name}: {state}, {n} of {all} answered").format(
        name=name_of(study), state=study_standing.state_names().get(study.state, study.state), n=found.answered, all=found.total
    )
    st.progress(found.answered / max(1, found.total), text=plain(words))
    if study.reason:
        layout.notice(say(sentences.read(study.reason)), "warning")
    if study.state not in study_standing.MOVING and found.waiting:
        go_on(study)


def name_of(study: tables.Study) -> str:
    """What rates on which instrument, in the words of the page."""
    step = study.design["steps"][0]
    judges = _(", ").join(str(one) for one in step.get("judges", []))
    return _("{judge} on {instrument}").format(judge=judges, instrument=session_facts.instrument_name(str(step.get("instrument", ""))))


def go_on(study: tables.Study) -> None:
    if st.button(_("Resume"), key=f"sessions_resume_{study.id}", icon=":material/play_arrow:"):
        try:
            resources.require("study", study)
            service.start(resources.store(), study.id or 0, resources.keys())
        except WorkbenchError as error:
            layout.problem(error)
            return
        st.rerun()
