"""Sessions: the library of conversations; bring some in, read one, lay two side by side."""

import json
from collections.abc import Callable

import streamlit as st

from core.clearance import Clearance, standing_of
from core.people import reviews
from core.sessions import importing
from pages.components import (
    asked,
    badges,
    charts,
    crisis,
    deleting,
    layout,
    leaving,
    looking,
    resources,
    reviewing,
    session_choice,
    session_facts,
    session_rating,
    session_view,
    transcript,
)
from pages.components.words import _, many, say
from storage import tables

MOST_SHOWN = 2
store = resources.store()


def open_these(ids: list[int]) -> None:
    for name, id in zip(("session", "beside"), ids, strict=False):
        st.query_params[name] = str(id)
    st.rerun()


# ---- the library ---------------------------------------------------------------------------------


def whose_they_are() -> str:
    """What is in the list, for whom."""
    if resources.is_researcher():
        return _("Every conversation in this workbench: simulated, rebuilt, imported or held here.")
    if "counselor" in resources.person().roles:
        return _("Your own conversations: simulated, rebuilt, imported or held here.")
    return _("Conversations of those you supervise, where everybody in them agreed to it.")


def library() -> None:
    layout.title(_("Sessions"), whose_they_are())
    deleting.show_receipt()
    show_brought()
    looking.at()
    rows = resources.visible(session_choice.listed())
    if not rows:
        layout.empty(
            _("No session yet"),
            _("Let two agents talk and watch, or bring in transcripts of your own.") if resources.may("import") else _("Sessions you sit or speak in, and those you may read, appear here."),
            *((_("Begin a live session"), "live.py") if resources.may("hold") else ()), key="sessions_empty",
        )  # fmt: skip
        say_withdrawn()
        bring_in(opened=True)
        return
    say_withdrawn()
    found = session_choice.filtered(rows)
    bring_in(opened=False)
    layout.muted(_("{n} of {all} sessions. Tick one to read it, two to lay them side by side.").format(n=f"{len(found):,}", all=f"{len(rows):,}"))
    chosen = session_choice.choose(found)
    with st.container(horizontal=True):
        words = _("Lay side by side") if len(chosen) == MOST_SHOWN else _("Open")
        if st.button(words, key="sessions_open", type="primary", disabled=not 0 < len(chosen) <= MOST_SHOWN):
            open_these(chosen)
        if len(chosen) > MOST_SHOWN:
            layout.muted(_("Two at most can be laid side by side."))
        charts.csv_button(lambda: session_choice.table(session_choice.named(found)), name="sessions", key="sessions")


def say_withdrawn() -> None:
    """How many sessions are left out because somebody withdrew them."""
    if resources.may("groups") and (n := store.sessions.count_withdrawn()):
        layout.muted(_("withdrawn ({n})").format(n=n))


def bring_in(opened: bool) -> None:
    """Transcripts from files, each accepted, warned about or refused with the reason."""
    if not resources.may("import"):
        return
    with st.expander(_("Bring in transcripts"), expanded=opened, icon=":material/upload_file:"):
        layout.muted(
            _("Text with Client: and Counselor: before the utterances, or CSV, JSON or JSON lines with a row for each turn. They stay on this machine until you have read and confirmed them.")
        )  # fmt: skip
        files = st.file_uploader(
            _("Files"), accept_multiple_files=True, key="sessions_files",
            type=[ending.lstrip(".") for ending in importing.ENDINGS],
        )  # fmt: skip
        pasted = st.text_area(_("Or paste one transcript"), key="sessions_pasted", height=120)
        if st.button(_("Bring in"), key="sessions_import", disabled=not (files or pasted.strip())):
            resources.require("import")
            own, given = resources.own_codes(), [(file.name, file.getvalue()) for file in files or []]
            if pasted.strip():
                given.append((_("Pasted transcript") + ".txt", pasted.encode("utf-8")))
            st.session_state["sessions_brought"] = [
                (one.name, one.status, one.saved, [say(message) for message in one.messages])
                for one in importing.import_files(store, given, own)
            ]
            st.rerun()


def show_brought() -> None:
    """What became of the files brought in last, once."""
    for name, status, saved, messages in st.session_state.pop("sessions_brought", []):
        words = {
            "accepted": _("{name}: {n} brought in."), "warned": _("{name}: {n} brought in; please look at this:"),
            "refused": _("{name}: nothing was saved."),
        }[status]  # fmt: skip
        sentence = words.format(name=name, n=many("{n} session", "{n} sessions", len(saved)))
        layout.notice(sentence, "done" if status == "accepted" else "warning")
        for message in messages:
            st.text(message)
        for id in saved[:5]:
            layout.link("sessions.py", session_view.label(store.sessions.get(id)), {"session": id})


# ---- one session ---------------------------------------------------------------------------------


def one(session: tables.Session) -> None:
    id, turns = session.id or 0, store.sessions.turns(session.id or 0)
    looking.at(("session", id))
    layout.title(
        session.title or _("Session {n}").format(n=id),
        _("Session {n} · {origin}").format(n=id, origin=session_view.origin_name(session.origin)),
        session_view.made_by(session),
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        layout.link("sessions.py", _("All sessions"))
        if session.state in ("running", "paused", "stopped") and resources.may("hold", session):
            layout.link("live.py", _("Go on with it in Live session"), {"session": id})
        download(session, turns)
        deleting.button("session", id, session_view.label(session), key="sessions_delete", record=session)
    review(session, turns)
    grid = st.grid(3, min_column_width=255)
    with grid.cell(column_span=2), st.container(height=720, border=True, key="transcript"):
        read(session, turns, "turn")
    with grid.cell():
        beside(session, turns)
    crisis.note()


def read(session: tables.Session, turns: list[tables.Turn], key: str) -> None:
    transcript.draw(
        turns, names=session_view.names(session), text_language=session.language, key=key, cut_at=session.cut_at
    )


def beside(session: tables.Session, turns: list[tables.Turn]) -> None:
    """What is known of the session, next to its words."""
    if (role := session_view.role_of(session)) and resources.may("see", role):
        with st.container(border=True):
            session_view.role_card(role)
    with st.container(border=True):
        session_view.seats(session)
    with st.container(border=True):
        session_view.so_far(turns)
    if marked := [turn for turn in turns if turn.risk]:
        with st.container(border=True):
            layout.card_title(_("Possible risk"), icon="warning")
            layout.muted(_("Words a rule list knows; it marks words, not meaning."))
            session_view.risk_list(marked)
    session_facts.faults(session)
    session_facts.series(session)
    session_rating.offer(session)
    if resources.may("see ratings", session):
        session_facts.judged(session)
    looking.who_looked(("session", session.id or 0))


def review(session: tables.Session, turns: list[tables.Turn]) -> None:
    """A person's review of the very words shown lets text that was brought in go to an endpoint; what people said in a seat stays theirs."""
    id, now = session.id or 0, reviews.hash_of_session(session, turns)
    standing = standing_of(store, "session", id)
    if standing.clearance is Clearance.UNCONFIRMED and session.state != "running" and resources.may("confirm", session):
        spoke = standing.everybody is not None and standing.everybody.spoke
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            layout.muted(
                _("Not reviewed yet, so it goes to no endpoint outside. Read it: does it name anybody, a place of work, a number?")
                + (" " + _("What people said here in a seat stays theirs: it goes only where they agreed.") if spoke else "")
            )  # fmt: skip
            reviewing.button(_("I have read it; nobody can be recognized"), "sessions_confirm", id, now, confirmed(session))
    reviewing.said("session", id, now)


def confirmed(session: tables.Session) -> Callable[[str], object]:
    def say(shown: str) -> None:
        resources.require("confirm", session)
        reviews.review(store, resources.person(), "session", session.id or 0, "confirmed", shown)

    return say


def download(session: tables.Session, turns: list[tables.Turn]) -> None:
    """The session as a file, where its words may leave."""
    if not resources.may("export", session) or not leaving.allowed("session", session.id or 0, "sessions_unconfirmed"):
        return
    rows = [{"position": t.position, "seat": t.seat, "text": t.text, "stage": t.stage} for t in turns if t.state != "partial"]
    known = {"id": session.id, "title": session.title, "origin": session.origin, "language": session.language}
    whole = known | {"engine": session.engine, "made_by": badges.engine_words(session.engine), "turns": rows}
    st.download_button(
        _("Download"), leaving.still(store, "session", session.id or 0, json.dumps(whole, ensure_ascii=False, indent=1)), f"session-{session.id}.json",
        "application/json", key="sessions_download", icon=":material/download:", type="tertiary", on_click="ignore",
    )  # fmt: skip


# ---- two side by side ----------------------------------------------------------------------------


def two(left: tables.Session, right: tables.Session) -> None:
    looking.at(("session", left.id or 0), ("session", right.id or 0))
    layout.title(_("Two sessions side by side"), badges=list(dict.fromkeys(session_view.made_by(left) + session_view.made_by(right))))
    layout.link("sessions.py", _("All sessions"))
    grid = st.grid(2, min_column_width=320)
    for session, key in ((left, "a"), (right, "b")):
        turns = store.sessions.turns(session.id or 0)
        with grid.cell():
            layout.card_title(session.title or _("Session {n}").format(n=session.id), over=_("Session {n}").format(n=session.id))
            with st.container(height=640, border=True, key=f"transcript_{key}"):
                read(session, turns, key)
            with st.container(border=True):
                session_view.so_far(turns)
            layout.link("sessions.py", _("Open this one"), {"session": session.id})


first, second = asked.session("session"), asked.session("beside")
if hidden := next((one for one in (first, second) if one is not None and one.withdrawn), None):
    session_view.withdrawn(hidden)
elif first and second:
    two(first, second)
elif first:
    one(first)
else:
    library()
