"""A study's design built by choosing: from which roles or sessions, with which counselors, judged how, at what cost."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from core import instruments
from core.clearance import lacking
from core.consent import RATED
from core.instruments import Instrument
from pages.components import layout, resources, session_view
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
            name = st.text_input(_("Name"), _("Three counselors"), key="studies_name", persist_state="session", width=340)
            spoken = st.selectbox(
                _("Language"), ["en", "zh"], index=int(language() == "zh"), format_func=session_view.language_name,
                key="studies_language", persist_state="session", width=150,
            )  # fmt: skip
        source = source_choice(store, spoken)
        made = material(store, source, spoken)
    with st.container(border=True):
        layout.card_title(_("How it is judged"), icon="rate_review")
        judged = judging(store)
    if made is None or not judged or not name.strip():
        return None
    design: Design = {"name": name.strip(), "language": spoken, "seed": seed(), "steps": [*made, *judged]}
    budget = st.session_state.get("studies_budget") or 0
    return design | ({"budget": float(budget)} if budget else {})


def seed() -> int:
    return int(st.session_state.get("studies_seed", 1))


def source_choice(store: Store, spoken: str) -> str:
    """Where the sessions come from."""
    names = {"build": _("Build new roles"), "roles": _("Roles in the store"), "sessions": _("Sessions in the store"), "reports": _("Reports, rebuilt as dialogues")}
    there = {"build": True, "roles": store.roles.find(language=spoken) is not None, "sessions": store.sessions.find(language=spoken) is not None, "reports": store.reports.find(language=spoken) is not None}
    usual = "roles" if there["roles"] else "build"
    picked = st.segmented_control(
        _("The sessions are made with"), [one for one in names if there[one]], default=usual, required=True,
        format_func=names.__getitem__, key=f"studies_source_{spoken}", persist_state="session",
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
    picked = st.multiselect(_("Counselors"), list(names), default=list(names)[:FIRST_COUNSELORS], format_func=names.__getitem__, placeholder=_("Choose"), key="studies_counselors", persist_state="session")
    clients = named(store, "client")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        client = st.selectbox(_("The client is played by"), list(clients), format_func=clients.__getitem__, key="studies_client", persist_state="session", width=240)
        most = st.number_input(_("Turns at most"), 2, 200, 20, key="studies_turns", persist_state="session", width=150)
        repeats = st.number_input(_("Sessions of each pair"), 1, 20, 1, key="studies_sessions_each", persist_state="session", width=190)
        st.number_input(_("Seed"), 0, 2_147_483_647, 1, key="studies_seed", persist_state="session", width=130)
    if not picked or roles is None:
        return None
    step: Design = {"kind": "sessions", "roles": roles, "client": client, "counselors": picked, "most_turns": int(most), "repeats": int(repeats)}
    return [*steps, step]


def rebuilt(store: Store, spoken: str) -> list[Design] | None:
    """Dialogues of reports; with both ways they can be compared, report by report."""
    known = {report.id or 0: report.title for report in reversed(resources.visible(store.reports.all(language=spoken), "report"))}
    ways = {"memo2demo": _("Memo2Demo: from report and note"), "roleplay": _("Role-play: from the report alone")}
    writers = named(store, "writer")
    picked = st.multiselect(_("Reports"), list(known), default=list(known)[:5], format_func=known.__getitem__, placeholder=_("Choose"), key=f"studies_reports_{spoken}", persist_state="session")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        methods = st.multiselect(_("Way"), list(ways), default=list(ways), format_func=ways.__getitem__, placeholder=_("Choose"), key="studies_methods", persist_state="session", width=520)
        writer = st.selectbox(_("Writer"), list(writers), format_func=writers.__getitem__, key="studies_rebuilder", persist_state="session", width=240)
    if not picked or not methods:
        return None
    return [{"kind": "dialogues", "reports": picked, "methods": methods, "writer": writer}]


def chosen_roles(store: Store, source: str, spoken: str) -> tuple[Any, list[Design]]:
    """Which roles, and the step that builds them where they are new."""
    if source == "build":
        writers = named(store, "writer")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            count = st.number_input(_("New roles"), 1, 1000, 5, key="studies_new_roles", persist_state="session", width=150)
            writer = st.selectbox(_("Writer"), list(writers), format_func=writers.__getitem__, key="studies_writer", persist_state="session", width=240)
        return "steps", [{"kind": "roles", "count": int(count), "writer": writer}]
    known = {role.id or 0: role.title for role in reversed(store.roles.cards(language=spoken))}
    picked = st.multiselect(_("Roles"), list(known), default=list(known)[:5], format_func=known.__getitem__, placeholder=_("Choose"), key=f"studies_roles_{spoken}", persist_state="session")
    return (picked or None), []


def session_choice(store: Store, spoken: str) -> list[int]:
    refused = lacking(store, RATED)
    every_one = store.sessions.brief(*session_view.LABELLED, "state", language=spoken, withdrawn="")
    over = [row for row in every_one if row.state in ("ended", "stopped")]
    rows = [row for row in over if row.id not in refused][-MOST_LISTED:]
    if n := sum(row.id in refused for row in over):
        layout.muted(many("{n} session is left out: not everybody in it agreed to being rated here.", "{n} sessions are left out: not everybody in them agreed to being rated here.", n))
    known = session_view.labels(reversed(rows))
    every = st.checkbox(_("All {n} of them").format(n=len(known)), value=True, key=f"studies_every_{spoken}", persist_state="session")
    if every:
        return list(known)
    return list(st.multiselect(_("Sessions"), list(known), format_func=known.__getitem__, placeholder=_("Choose"), key=f"studies_which_{spoken}", persist_state="session"))


def named(store: Store, seat: str) -> dict[str, str]:
    """The agents of a seat by their name, with the name in the language of this page."""
    return {agent.name: resources.agent_name(agent) for agent in store.agents.all(seat=seat)}


# ---- judging -------------------------------------------------------------------------------------------------------


def judging(store: Store) -> list[Design]:
    """The steps that judge: comparisons on Hill's dimensions, ratings on an instrument, or both."""
    judges = named(store, "judge")
    picked = st.multiselect(_("Judges"), list(judges), default=list(judges)[:1], format_func=judges.__getitem__, placeholder=_("Choose"), key="studies_judges", persist_state="session")
    sessions = st.session_state.get("studies_sessions")
    common: Design = {"judges": picked} | ({"sessions": sessions} if sessions else {})
    steps: list[Design] = []
    if st.toggle(_("Compare counselors, pair by pair, in both orders (nine Hill dimensions)"), value=True, key="studies_compare", persist_state="session"):
        steps.append({"kind": "comparisons", "instrument": "hill"} | common)
    if st.toggle(_("Rate each session, item by item"), value=True, key="studies_rate", persist_state="session"):
        steps.append(rating_choice() | common)
    st.number_input(_("Budget in US dollars (0: none)"), 0.0, 1_000_000.0, 0.0, key="studies_budget", persist_state="session", width=260)
    if not picked or not steps:
        layout.muted(_("Choose at least one judge and one way of judging."))
        return []
    return steps


def rating_choice() -> Design:
    known = {one.id: one.name.of(language()) for one in rating_instruments()}
    settings = {"reasoning": _("Anchors, reasoning first"), "detailed": _("Anchors for each item"), "general": _("One scale of evidence"), "none": _("No anchors")}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        used = st.selectbox(_("Instrument"), list(known), format_func=known.__getitem__, key="studies_instrument", persist_state="session", width=330)
        setting = st.selectbox(_("Instruction"), list(settings), format_func=settings.__getitem__, key="studies_setting", persist_state="session", width=230)
        repeats = st.number_input(_("Repeats"), 1, 20, 3, key="studies_repeats", persist_state="session", width=120)
    return {"kind": "ratings", "instrument": used, "setting": setting, "repeats": int(repeats)}


def rating_instruments() -> Sequence[Instrument]:
    """Instruments that rate a session, the alliance first."""
    found = [one for id in instruments.catalogue() if (one := instruments.load(id)).kind == "rating"]
    return sorted(found, key=lambda one: one.id != "wai-o-s")

