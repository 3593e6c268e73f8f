"""Live session: let a client and a counselor talk, watch the turns arrive, or take a seat yourself."""

import time

import streamlit as st

from core.errors import DataError, WorkbenchError, stored
from core.people import agreements, rights
from core.sessions import live, seating, service
from pages.components import (
    asked,
    badges,
    consent,
    crisis,
    layout,
    live_begin,
    looking,
    places,
    resources,
    session_view,
    speaking,
    transcript,
)
from pages.components.words import _, language, plain, say
from storage import tables

BEAT = (
    0.25  # seconds after which the page paints again even when nothing new was said, so that clicks are heard
)
HEIGHT = 640

store = resources.store()
server = live.of(store)


def go_on(session: tables.Session) -> None:
    """Let the session run in the server; the page follows."""
    try:
        resources.require("hold", session)
        server.start(session.id or 0, speaking.engines(session))
    except WorkbenchError as error:
        layout.problem(error)
        return
    st.rerun()


# ---- one session ---------------------------------------------------------------------------------


def show(session: tables.Session) -> None:
    id = session.id or 0
    looking.at(("session", id))
    view = server.view(id)
    layout.title(
        _("Live session {n}").format(n=id),
        _("Every turn is saved before the next begins. You can leave and come back."),
        session_view.made_by(session),
    )
    st.empty()  # where the form stood
    wanted = str(st.session_state.get("live_sit", "")).partition(" ")
    if wanted[0] == str(id) and not view.running:
        sit_down(session, wanted[2])  # instead of the buttons, whose open menu would lie over the notice
        return
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        with st.container(horizontal=True, width="content", gap="small"):
            controls(session, view.running)
        status = st.container(width="content").empty()
    if not view.running:
        standing(session)
    grid = st.grid(3, min_column_width=255)
    left = grid.cell(column_span=2)
    with grid.cell():
        if (role := session_view.role_of(session)) and resources.may("see", role):
            with st.container(border=True):
                session_view.role_card(role)
        with st.container(border=True):
            session_view.seats(session)
            if has_a_say(session):
                layout.link("privacy.py", _("What you agreed to"))
        so_far = st.empty()
        if resources.may("hold"):
            layout.link("live.py", _("Begin another session"))
        looking.who_looked(("session", id))
    with left:
        box = st.container(height=HEIGHT, border=True, key="transcript", autoscroll=True)
        risk, below = st.empty(), st.container()
    with below:
        if view.running:
            speaking.put_by(session)
        else:
            speak_up(session)
    look = Look(session, status, so_far, risk)
    with box:
        transcript.follow(look.watch, names=session_view.names(session), text_language=session.language)
    if view.running:
        st.rerun()


class Look:
    """Looks at a running session, and paints what stands around the transcript when a turn was finished."""

    def __init__(self, session: tables.Session, status: object, so_far: object, risk: object) -> None:
        self.session, self.status, self.so_far, self.risk = session, status, so_far, risk
        self.turns: list[tables.Turn] = []
        self.seen = -1
        self.begun, self.painted = time.monotonic(), 0.0

    def watch(self) -> transcript.Following:
        view = server.view(self.session.id or 0)
        if view.turns != self.seen:
            self.seen, self.begun = view.turns, time.monotonic()
            self.turns = store.sessions.turns(self.session.id or 0)
            looking.at(("session", self.session.id or 0))
            self.around()
        if view.running and time.monotonic() - self.painted > BEAT:
            self.beat(view)
        turns = [t for t in self.turns if not (view.running and t.state == "partial")]
        partial = {"position": view.position, "seat": view.seat, "text": view.text} if view.position else None
        if any(turn.position == view.position for turn in turns):
            partial = None
        return transcript.Following(
            [t for t in turns if t.text or t.state == "deleted"], partial, view.running
        )

    def beat(self, view: live.View) -> None:
        """Say which turn is being spoken; painting also lets a click through while a model is thinking."""
        self.painted = time.monotonic()
        n = seating.spoken(self.turns) + 1
        words = _("Speaking: turn {n} of at most {most}").format(n=n, most=self.session.most_turns)
        if not view.text and (waited := int(time.monotonic() - self.begun)) >= 2:
            words = _("Thinking for {seconds} s: turn {n} of at most {most}").format(
                seconds=waited, n=n, most=self.session.most_turns
            )
        with self.status.container():  # type: ignore[attr-defined]
            badges.draw(badges.running(words))

    def around(self) -> None:
        with self.so_far.container(border=True):  # type: ignore[attr-defined]
            session_view.so_far(self.turns)
        marked = [turn for turn in self.turns if turn.risk]
        if marked and self.session.client_person_id is None:
            with self.risk.container():  # type: ignore[attr-defined]
                crisis.banner(marked[-1].position)


def only_a_seat(session: tables.Session) -> None:
    """For somebody who may take a seat here and read nothing before."""
    layout.title(_("Live session {n}").format(n=session.id), _("A seat is free. What was said is shown once you sit in it."))
    wanted = str(st.session_state.get("live_sit", "")).partition(" ")
    if wanted[0] == str(session.id) and not server.view(session.id or 0).running:
        sit_down(session, wanted[2])
        return
    seats(session)


def controls(session: tables.Session, running: bool) -> None:
    """Stop and pause while it runs; else continue, take a seat, branch."""
    id = session.id or 0
    if not resources.may("hold", session):
        seats(session)
        return
    if running:
        if st.button(
            _("Stop"), key="live_stop", type="primary", icon=":material/stop_circle:", shortcut="Esc"
        ):
            server.stop(id)
            st.rerun()
        if st.button(_("Pause"), key="live_pause", icon=":material/pause:"):
            server.pause(id)
            st.rerun()
        seats(session)
        return
    if server.elsewhere(id) is not None:
        return
    if (
        session.state in ("running", "paused", "stopped")
        and not waits_for_me(session)
        and session.ended_by != "risk"
    ):
        words = _("Start") if session.ended_by == "ready" else _("Continue")
        if st.button(words, key="live_continue", type="primary", icon=":material/play_arrow:"):
            go_on(session)
    if session.state == "paused" and st.button(_("Stop"), key="live_stop", icon=":material/stop_circle:"):
        server.stop(id)
        st.rerun()
    if session.state != "ended":
        seats(session)
    branching(session)


def seats(session: tables.Session) -> None:
    """Take a seat, leave it, or (a researcher) free one that somebody else holds."""
    if not resources.may("sit", session):
        return
    id, me = session.id or 0, store.persons.members(resources.person().id or 0)
    held = f"{session.client_person_id} {session.counselor_person_id}"  # another menu, closed, once somebody sat down
    with st.popover(_("Take a seat"), icon=":material/event_seat:", key=f"live_seats_{id}_{held}"):
        for seat in reversed(seating.SEATS):
            sits, name = seating.sitter(session, seat), session_view.seat_name(seat)
            if sits is None:
                if not rights.may_take(store, resources.person(), session, seat):
                    continue
                if st.button(plain(_("{seat}: I take this seat").format(seat=name)), key=f"live_take_{seat}"):
                    st.session_state["live_sit"] = f"{id} {seat}"
                    server.pause(id)
                    st.rerun()
            elif sits in me:
                give_back(session, seat, _("{seat}: give the seat back to the agent").format(seat=name))
            elif resources.is_researcher():
                code = store.persons.names().get(sits, "")
                give_back(session, seat, _("{seat}: free the seat that {code} holds").format(seat=name, code=code))
            else:
                layout.muted(_("{seat}: somebody else sits here").format(seat=name))


def give_back(session: tables.Session, seat: str, words: str) -> None:
    can = session_view.agent_of(session, seat) is not None
    if st.button(plain(words), key=f"live_leave_{seat}", disabled=not can):
        try:
            server.leave_seat(session.id or 0, seat, resources.person())
        except WorkbenchError as error:
            layout.problem(error)
            return
        st.rerun()


def has_a_say(session: tables.Session) -> bool:
    """Whether the person here sits in it, or spoke in it."""
    me = store.persons.members(resources.person().id or 0)
    sit = {session.client_person_id, session.counselor_person_id}
    return bool(sit & set(me)) or session.id in store.sessions.spoken_by(me)


def sit_down(session: tables.Session, seat: str) -> None:
    """The notice comes first; without it nobody sits down. Where the other seat speaks next, it does so at once."""
    id = session.id or 0
    given = (consent.client_seat if seat == "client" else consent.counselor_seat)(session, "live_consent")
    if st.button(_("I do not want to"), key="live_consent_no"):
        not_asked_any_more()
        st.rerun()
    layout.link("privacy.py", _("What you agreed to"))
    if not given.begin:
        return
    try:
        rights.require_seat(store, resources.person(), session, seat)
        changed = server.take_seat(id, seat, resources.person())
        agreements.take_part(
            store, resources.person(), id, given.purposes, endpoint=given.outside, general=given.general, language=language()
        )
        if session.ended_by != "ready":
            server.start(id, speaking.engines(changed))
    except WorkbenchError as error:
        layout.problem(error)
        return
    finally:
        not_asked_any_more()
    st.rerun()


def not_asked_any_more() -> None:
    st.session_state.pop("live_sit", None)
    consent.put_away("live_consent")


def branching(session: tables.Session) -> None:
    """A new session that begins like this one."""
    turns = [t for t in store.sessions.turns(session.id or 0) if t.state == "complete"]
    if not turns:
        return
    with st.popover(_("Branch"), icon=":material/fork_right:"):
        layout.muted(_("A new session with the same beginning. This one stays as it is."))
        last = turns[-1].position
        at = st.number_input(_("Branch after turn"), 1, last, last, key=f"live_branch_at_{last}")  # the last one, as turns come
        agents = store.agents.all(seat="counselor")
        ids = [agent.id for agent in agents]
        now = ids.index(session.counselor_agent_id) if session.counselor_agent_id in ids else 0
        agent = st.selectbox(
            _("Counselor from there on"),
            agents,
            index=now,
            format_func=resources.agent_name,
            key="live_branch_agent",
        )
        kept = [turn for turn in turns if turn.position <= at]
        most = st.number_input(
            _("Turns at most"), seating.LEAST_TURNS, seating.MOST_TURNS, limit_of(session, kept), key=f"live_branch_most_{at}",
            help=_("The {n} turns it begins with are counted.").format(n=seating.spoken(kept)),
        )  # fmt: skip
        if st.button(_("Make the branch"), key="live_branch", type="primary"):
            try:
                resources.require("hold", session)
                made = service.branch(
                    store, session.id or 0, int(at), resources.person(), counselor_agent=agent, most_turns=int(most)
                )
            except WorkbenchError as error:
                layout.problem(error)
            else:
                live_begin.open_session(made.id)


def limit_of(session: tables.Session, kept: list[tables.Turn]) -> int:
    """The limit a branch has unless somebody chooses another."""
    try:
        return seating.branch_limit(session.most_turns, kept)
    except DataError:  # nothing can be said behind so long a beginning; making the branch says so
        return seating.MOST_TURNS


def standing(session: tables.Session) -> None:
    """Where a session stands that is not running here, and what can be done."""
    if (elsewhere := server.elsewhere(session.id or 0)) is not None:
        layout.muted(say(elsewhere) + " " + _("You can watch it here, turn by turn."))
        st.button(_("Look again"), key="live_again", icon=":material/refresh:")
        return
    words = session_view.ended_words(session)
    problem = server.view(session.id or 0).problem
    at_endpoint = bool(session.faults and session.faults[-1].get("kind") == "endpoint")
    if session.ended_by == "error" and at_endpoint and not resources.is_researcher():
        layout.notice(speaking.silent(), "warning")
    elif session.ended_by == "error" and session.faults:
        fault = session.faults[-1]
        told = stored(fault)
        words = _("Session {id} rests at turn {n}. {why} The turns before it are saved; choose Continue to try again.").format(
            id=session.id, n=fault.get("turn", "–"), why=say(told)
        )  # fmt: skip
        st.error(plain(words), icon=":material/error:")
    elif problem is not None and session.state == "paused" and session.ended_by == "error":
        layout.problem(problem)
    elif words and not waits_for_me(session):
        layout.muted(words)
    if session.parent_id:
        layout.link(
            "live.py",
            _("Branched from session {n} after turn {at}").format(
                n=session.parent_id, at=session.branch_turn
            ),
            {"session": session.parent_id},
        )
    if session.state in ("ended", "stopped") and places.is_open("sessions", resources.person().roles):
        layout.link("sessions.py", _("Open it in Sessions"), {"session": session.id})


# ---- a person speaks -----------------------------------------------------------------------------


def waits_for_me(session: tables.Session) -> bool:
    return bool(session.state == "paused" and my_seat(session, store.sessions.turns(session.id or 0)))


def my_seat(session: tables.Session, turns: list[tables.Turn]) -> str:
    """The seat of the person here, when it is this seat's turn."""
    place = seating.next_place(turns)
    mine = store.persons.members(resources.person().id or 0)
    return place.seat if seating.sitter(session, place.seat) in mine else ""


def speak_up(session: tables.Session) -> None:
    """What a person in a seat sees under the transcript: the field to write in, or the crisis panel."""
    if session.state == "paused" and session.ended_by == "risk":
        crisis.panel()
        with st.container(horizontal=True):
            if st.button(_("Stop here"), key="live_risk_stop", type="primary"):
                server.stop(session.id or 0)
                st.rerun()
            if st.button(_("Go on all the same"), key="live_risk_on"):
                go_on(session)
        return
    turns = store.sessions.turns(session.id or 0)
    if session.state == "paused" and (seat := my_seat(session, turns)):
        speaking.field(session, seat, max((turn.position for turn in turns if turn.state != "partial"), default=0))
    else:
        speaking.put_by(session)


def brought(session: tables.Session) -> bool:
    """Whether no word of it was spoken here; a branch of such a session was."""
    return session.origin in ("imported", "reconstructed") and session.parent_id is None


session = asked.session("session", "sit")
if session is None:
    looking.at()
    live_begin.form()
elif session.withdrawn:
    session_view.withdrawn(session)
    speaking.put_by(session)
elif brought(session) and session.state == "ended" and resources.may("see", session):
    layout.title(_("Live session"), _("This session was not held here."))
    layout.muted(session_view.label(session))
    if places.is_open("sessions", resources.person().roles):
        layout.link("sessions.py", _("Open it in Sessions"), {"session": session.id})
elif not resources.may("see", session):
    looking.at()
    only_a_seat(session)
    speaking.put_by(session)
    crisis.note()
else:
    show(session)
    crisis.note()
