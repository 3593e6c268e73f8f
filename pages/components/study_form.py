"""A study's design built by choosing: from which roles or sessions, with which counselors, judged how, at what cost."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from core import instruments
from core.clearance import lacking
from core.consent import RATED
from core.instruments import Instrument
from pages.components import layout, resources, session_view, study_draft
from pages.components.study_draft import key
from pages.components.words import _, language, many
from storage.store import Store

Design = dict[str, Any]
MOST_LISTED = 500  # sessions offered one by one; more are taken through a sample in YAML
FIRST_COUNSELORS = 3


def form(store: Store) -> Design | None:
    """The design as chosen; ``None`` while something it cannot do without is missing."""
    with st.container(border=True):
        layout.card_title(_("What is studied"), icon="science")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            name = st.text_input(_("Name"), study_draft.of("name", _("Three counselors")), key=key("name"), persist_state="session", width=340)
            spoken = st.selectbox(
                _("Language"), ["en", "zh"], index=study_draft.place("language", ["en", "zh"], int(language() == "zh")), format_func=session_view.language_name,
                key=key("language"), persist_state="session", width=150,
            )  # fmt: skip
        source = source_choice(store, spoken)
        made = material(store, source, spoken)
    with st.container(border=True):
        layout.card_title(_("How it is judged"), icon="rate_review")
        judged = judging(store)
    if made is None or not judged or not name.strip():
        return None
    design: Design = {"name": name.strip(), "language": spoken, "seed": seed(), "steps": [*made, *judged]}
    budget = st.session_state.get(key("budget")) or 0
    return design | ({"budget": float(budget)} if budget else {})


def seed() -> int:
    return int(st.session_state.get(key("seed"), 1))


def source_choice(store: Store, spoken: str) -> str:
    """Where the sessions come from."""
    names = {"build": _("Build new roles"), "roles": _("Roles in the store"), "sessions": _("Sessions in the store"), "reports": _("Reports, rebuilt as dialogues")}
    there = {"build": True, "roles": store.roles.find(language=spoken) is not None, "sessions": store.sessions.find(language=spoken) is not None, "reports": store.reports.find(language=spoken) is not None}
    usual = "roles" if there["roles"] else "build"
    possible = [one for one in names if there[one]]
    picked = st.segmented_control(
        _("The sessions are made with"), possible, default=study_draft.of(f"source_{spoken}", usual, possible), required=True,
        format_func=names.__getitem__, key=key(f"source_{spoken}"), persist_state="session",
    )  # fmt: skip
    return str(picked or usual)


def material(store: Store, source: str, spoken: str) -> list[Design] | None:
    """The steps that make, or name, the sessions."""
    if source == "sessions":
        ids = session_choice(store, spoken)
        st.session_state["studies_sessions"] = ids
        return [] if ids else None
    st.session_state["studies_sessions"] = None
    if source == "reports":
        return rebuilt(store, spoken)
    roles, steps = chosen_roles(store, source, spoken)
    names = named(store, "counselor")
    picked = st.multiselect(_("Counselors"), list(names), default=study_draft.some("counselors", list(names)[:FIRST_COUNSELORS], names), format_func=names.__getitem__, placeholder=_("Choose"), key=key("counselors"), persist_state="session")
    clients = named(store, "client")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        client = st.selectbox(_("The client is played by"), list(clients), index=study_draft.place("client", list(clients)), format_func=clients.__getitem__, key=key("client"), persist_state="session", width=240)
        most = st.number_input(_("Turns at most"), 2, 200, study_draft.of("turns", 20), key=key("turns"), persist_state="session", width=150)
        repeats = st.number_input(_("Sessions of each pair"), 1, 20, study_draft.of("sessions_each", 1), key=key("sessions_each"), persist_state="session", width=190)
        st.number_input(_("Seed"), 0, 2_147_483_647, study_draft.of("seed", 1), key=key("seed"), persist_state="session", width=130)
    if not picked or roles is None:
        return None
    step: Design = {"kind": "sessions", "roles": roles, "client": client, "counselors": picked, "most_turns": int(most), "repeats": int(repeats)}
    return [*steps, step]


def rebuilt(store: Store, spoken: str) -> list[Design] | None:
    """Dialogues of reports; with both ways they can be compared, report by report."""
    known = {report.id or 0: report.title for report in reversed(resources.visible(store.reports.all(language=spoken), "report"))}
    ways = {"memo2demo": _("Memo2Demo: from report and note"), "roleplay": _("Role-play: from the report alone")}
    writers = named(store, "writer")
    picked = st.multiselect(_("Reports"), list(known), default=study_draft.some(f"reports_{spoken}", list(known)[:5], known), format_func=known.__getitem__, placeholder=_("Choose"), key=key(f"reports_{spoken}"), persist_state="session")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        methods = st.multiselect(_("Way"), list(ways), default=study_draft.some("methods", list(ways), ways), format_func=ways.__getitem__, placeholder=_("Choose"), key=key("methods"), persist_state="session", width=520)
        writer = st.selectbox(_("Writer"), list(writers), index=study_draft.place("rebuilder", list(writers)), format_func=writers.__getitem__, key=key("rebuilder"), persist_state="session", width=240)
    if not picked or not methods:
        return None
    return [{"kind": "dialogues", "reports": picked, "methods": methods, "writer": writer}]


def chosen_roles(store: Store, source: str, spoken: str) -> tuple[Any, list[Design]]:
    """Which roles, and the step that builds them where they are new."""
    if source == "build":
        writers = named(store, "writer")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            count = st.number_input(_("New roles"), 1, 1000, study_draft.of("new_roles", 5), key=key("new_roles"), persist_state="session", width=150)
            writer = st.selectbox(_("Writer"), list(writers), index=study_draft.place("writer", list(writers)), format_func=writers.__getitem__, key=key("writer"), persist_state="session", width=240)
        return "steps", [{"kind": "roles", "count": int(count), "writer": writer}]
    known = {role.id or 0: role.title for role in reversed(store.roles.cards(language=spoken))}
    picked = st.multiselect(_("Roles"), list(known), default=study_draft.some(f"roles_{spoken}", list(known)[:5], known), format_func=known.__getitem__, placeholder=_("Choose"), key=key(f"roles_{spoken}"), persist_state="session")
    return (picked or None), []


def session_choice(store: Store, spoken: str) -> list[int]:
    refused = lacking(store, RATED)
    every_one = store.sessions.brief(*session_view.LABELLED, "state", language=spoken, withdrawn="")
    over = [row for row in every_one if row.state in ("ended", "stopped")]
    rows = [row for row in over if row.id not in refused][-MOST_LISTED:]
    if n := sum(row.id in refused for row in over):
        layout.muted(many("{n} session is left out: not everybody in it agreed to being rated here.", "{n} sessions are left out: not everybody in them agreed to being rated here.", n))
    known = session_view.labels(reversed(rows))
    every = st.checkbox(_("All {n} of them").format(n=len(known)), value=study_draft.of(f"every_{spoken}", True), key=key(f"every_{spoken}"), persist_state="session")
    if every:
        return list(known)
    return list(st.multiselect(_("Sessions"), list(known), default=study_draft.some(f"which_{spoken}", [], known), format_func=known.__getitem__, placeholder=_("Choose"), key=key(f"which_{spoken}"), persist_state="session"))


def named(store: Store, seat: str) -> dict[str, str]:
    """The agents of a seat by their name, with the name in the language of this page."""
    return {agent.name: resources.agent_name(agent) for agent in store.agents.all(seat=seat)}


# ---- judging -------------------------------------------------------------------------------------------------------


def judging(store: Store) -> list[Design]:
    """The steps that judge: comparisons on Hill's dimensions, ratings on an instrument, or both."""
    judges = named(store, "judge")
    picked = st.multiselect(_("Judges"), list(judges), default=study_draft.some("judges", list(judges)[:1], judges), format_func=judges.__getitem__, placeholder=_("Choose"), key=key("judges"), persist_state="session")
    sessions = st.session_state.get("studies_sessions")
    common: Design = {"judges": picked} | ({"sessions": sessions} if sessions else {})
    steps: list[Design] = []
    if st.toggle(_("Compare counselors, pair by pair, in both orders (nine Hill dimensions)"), value=study_draft.of("compare", True), key=key("compare"), persist_state="session"):
        steps.append({"kind": "comparisons", "instrument": "hill"} | common)
    if st.toggle(_("Rate each session, item by item"), value=study_draft.of("rate", True), key=key("rate"), persist_state="session"):
        steps.append(rating_choice() | common)
    st.number_input(_("Budget in US dollars (0: none)"), 0.0, 1_000_000.0, study_draft.of("budget", 0.0), key=key("budget"), persist_state="session", width=260)
    if not picked or not steps:
        layout.muted(_("Choose at least one judge and one way of judging."))
        return []
    return steps


def rating_choice() -> Design:
    known = {one.id: one.name.of(language()) for one in rating_instruments()}
    settings = {"reasoning": _("Anchors, reasoning first"), "detailed": _("Anchors for each item"), "general": _("One scale of evidence"), "none": _("No anchors")}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        used = st.selectbox(_("Instrument"), list(known), index=study_draft.place("instrument", list(known)), format_func=known.__getitem__, key=key("instrument"), persist_state="session", width=330)
        setting = st.selectbox(_("Instruction"), list(settings), index=study_draft.place("setting", list(settings)), format_func=settings.__getitem__, key=key("setting"), persist_state="session", width=230)
        repeats = st.number_input(_("Repeats"), 1, 20, study_draft.of("repeats", 3), key=key("repeats"), persist_state="session", width=120)
    return {"kind": "ratings", "instrument": used, "setting": setting, "repeats": int(repeats)}


def rating_instruments() -> Sequence[Instrument]:
    """Instruments that rate a session, the alliance first."""
    found = [one for id in instruments.catalogue() if (one := instruments.load(id)).kind == "rating"]
    return sorted(found, key=lambda one: one.id != "wai-o-s")

