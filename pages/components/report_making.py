"""What is made from a confirmed report: the note in its four parts, and dialogues with the session they became."""

from collections.abc import Callable, Coroutine
from typing import Any

import streamlit as st

from core.clearance import Clearance, kind_of
from core.errors import WorkbenchError
from core.llm import engines
from core.llm.asking import now
from core.llm.seam import Engine
from core.people import reviews
from core.reports import making
from pages.components import badges, layout, resources, reviewing, session_view, transcript
from pages.components.words import _, language
from storage import tables

LISTS = ("goals", "techniques", "steps")


def part_names() -> dict[str, str]:
    return {
        "client_basics": _("Who the client is"), "problems": _("Problems"), "goals": _("Goals"),
        "techniques": _("Techniques"), "steps": _("Steps"), "reflections": _("Reflections"),
    }  # fmt: skip


def attempt(agent: tables.Agent, work: Callable[[Engine], Coroutine[Any, Any, Any]], words: str) -> Any:
    """Ask the writer; a failure is a sentence and loses nothing."""
    store = resources.store()
    try:
        engine = engines.engine_of(store, agent, resources.keys())
        with st.spinner(words):
            return now(work(engine))
    except WorkbenchError as error:
        layout.problem(error)
        return None


def note(report: tables.Report, agent: tables.Agent | None) -> None:
    """*Make note*, or the newest note for editing, with its versions."""
    store, id = resources.store(), report.id or 0
    versions = store.reports.notes(id)
    settings = engines.settings_of(agent) if agent else None
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        layout.section(_("Note"))
        words = _("Make note") if not versions else _("Make a new version")
        kind: Any = "secondary" if versions else "primary"
        if st.button(words, key="reports_note", type=kind, icon=":material/edit_note:", disabled=agent is None) and agent:
            made = attempt(agent, lambda engine: making.write_note(store, engine, id, settings=settings, seed=len(versions)), _("Writing the note …"))
            if made is not None:
                st.session_state.pop("reports_version", None)
                st.rerun()
    if not versions:
        layout.muted(_("Four parts: who the client is, the problems, the plan, what can be learned. You can edit it."))
        return
    numbers = [version.version for version in reversed(versions)]
    chosen = st.segmented_control(
        _("Version"), numbers, default=numbers[0], required=True, key="reports_version",
        format_func=lambda n: _("Version {n}").format(n=n),
    )  # fmt: skip
    edit(report, next(v for v in versions if v.version == chosen), newest=chosen == numbers[0])


def edit(report: tables.Report, shown: tables.Note, newest: bool) -> None:
    badges.row([badges.engine(shown.engine), *([badges.fact(_("Edited by {person}").format(person=shown.edited_by), "person")] if shown.edited_by else [])])
    names = part_names()
    if not newest:
        for name, label in names.items():
            value = getattr(shown, name)
            layout.card_title(label)
            transcript.text("\n".join(value) if name in LISTS else value, text_language=report.language)
        return
    with st.form(f"reports_note_{shown.version}"):
        fields: dict[str, Any] = {}
        for name, label in names.items():
            value = getattr(shown, name)
            typed = st.text_area(
                label, "\n".join(value) if name in LISTS else value, key=f"reports_{name}_{shown.version}",
                help=_("One on each line.") if name in LISTS else None, height="content",
            )  # fmt: skip
            fields[name] = [line.strip() for line in typed.splitlines() if line.strip()] if name in LISTS else typed.strip()
        if st.form_submit_button(_("Save as a new version"), key="reports_note_save", icon=":material/save:"):
            making.change_note(resources.store(), report.id or 0, resources.person(), **fields)
            st.session_state.pop("reports_version", None)
            st.rerun()
    read(report, shown)


def read(report: tables.Report, shown: tables.Note) -> None:
    """Who read this version; where nobody did, and it goes nowhere outside, a person can say so of these very words."""
    store, id, now = resources.store(), shown.id or 0, reviews.hash_of("note", shown)
    if kind_of(store, "note", id) is Clearance.UNCONFIRMED:
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            layout.muted(_("Nobody has read this version, so it goes to no endpoint outside."))
            reviewing.button(
                _("I have read it; nobody can be recognized"), "reports_note_confirm", id, now,
                lambda hash: confirm(report, id, hash),
            )  # fmt: skip
    reviewing.said("note", id, now)


def confirm(report: tables.Report, note_id: int, shown: str) -> None:
    resources.require("confirm", report)
    making.confirm_note(resources.store(), note_id, resources.person(), shown)


def dialogue(report: tables.Report, agent: tables.Agent | None) -> None:
    """*Make dialogue* and what it gave: stages, faults in words, a link to the session."""
    store, id = resources.store(), report.id or 0
    made = making.dialogues(store, id)
    noted = bool(store.reports.notes(id))
    settings = engines.settings_of(agent) if agent else None
    layout.section(_("Dialogue"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        how: Any = st.segmented_control(
            _("Way"), ["memo2demo", "roleplay"], default="memo2demo", required=True, key="reports_how",
            format_func=lambda way: _("Role-play: from the report alone") if way == "roleplay" else _("Memo2Demo: from report and note"),
        )  # fmt: skip
        kind: Any = "primary" if noted and not made else "secondary"
        if st.button(_("Make dialogue"), key="reports_dialogue", type=kind, icon=":material/forum:", disabled=agent is None) and agent:
            seed = len(made)
            session = attempt(
                agent,
                lambda engine: making.reconstruct_dialogue(store, engine, id, how, seed=seed, settings=settings),
                _("Rebuilding the dialogue; it is checked and asked for once more where it breaks a rule …"),
            )
            if session is not None:
                st.session_state["reports_session"] = session.id
                st.rerun()
    if not made:
        layout.muted(_("5 to 15 rounds through four stages: reception, diagnosis, consultation, consolidation."))
        return
    ids = [session.id or 0 for session in made]
    if len(ids) > 1:
        named = {session.id or 0: f"{session.id} · {session.title}" for session in made}
        default = st.session_state.get("reports_session", ids[0])
        picked = st.selectbox(_("Dialogues of this report"), ids, index=ids.index(default) if default in ids else 0, format_func=lambda id: named[id])
    else:
        picked = ids[0]
    show(next(session for session in made if session.id == picked))


def show(session: tables.Session) -> None:
    store = resources.store()
    turns = store.sessions.turns(session.id or 0)
    grid = st.grid(3, min_column_width=250)
    with grid.cell(column_span=2), st.container(height=560, border=True):
        transcript.draw(turns, text_language=session.language, key="dialogue")
    with grid.cell(), st.container(border=True):
        badges.row([badges.engine(session.engine)])
        rounds = sum(turn.seat == "counselor" for turn in turns)
        layout.facts([(_("Rounds"), rounds), (_("Turns"), len(turns))])
        layout.card_title(_("Checked against the rules"), icon="rule")
        if not session.faults:
            layout.notice(_("No fault was found"))
        for fault in session.faults:
            transcript.text(str(fault.get(language(), fault.get("message", ""))), small=True)
        layout.link("sessions.py", _("Open the session"), {"session": session.id})
        session_view.risk_list(turns)
