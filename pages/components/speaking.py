"""What a person in a seat says: the field they write in, and words that could not be sent, which come back into it."""

from dataclasses import dataclass

import streamlit as st

from core.errors import DataError, WorkbenchError
from core.llm.seam import Engine
from core.sessions import live, service
from pages.components import layout, live_begin, resources, session_view
from pages.components.words import _
from storage import tables

SAY = "live_say"
UNSENT = "live_unsent"


@dataclass(frozen=True)
class Unsent:
    """Words that could not be sent, of which session, and why."""

    session_id: int
    words: str
    why: WorkbenchError


def silent() -> str:
    """What somebody who cannot look after an endpoint is told when it does not answer."""
    return _("The other side does not answer. What was said is saved. Try again, or tell whoever invited you here.")


def engines(session: tables.Session) -> dict[str, Engine | None]:
    """The engines of both seats; why there is none is told to researchers.

    Raises:
        DataError: an endpoint is gone, or its key is not known here.
    """
    try:
        return session_view.engines_of(session, live_begin.pace())
    except DataError as error:
        if resources.is_researcher():
            raise
        raise DataError("The other side does not answer. What was said is saved. Try again, or tell whoever invited you here.") from error


def field(session: tables.Session, seat: str, seen: int) -> None:
    """The field of the person whose turn it is; words that could not be sent stand in it again.

    Args:
        seen: position of the last turn that is drawn.
    """
    if unsent := kept(session):
        layout.problem(unsent.why)
        layout.muted(_("Your words stand in the field again."))
        st.session_state[SAY] = unsent.words
        del st.session_state[UNSENT]
    st.chat_input(
        _("Your turn, as the {seat}").format(seat=session_view.seat_name(seat)), key=SAY, max_chars=service.LONGEST,
        on_submit=send, args=(session.id or 0, seat, seen),
    )  # fmt: skip


def send(session_id: int, seat: str, seen: int) -> None:
    """Send what was written. It runs before the page is drawn anew, so no change of the session loses the words."""
    words, store = str(st.session_state.get(SAY) or ""), resources.store()
    try:
        live.of(store).say(session_id, seat, words, resources.person(), engines(store.sessions.get(session_id)), seen)
    except WorkbenchError as error:
        st.session_state[UNSENT] = Unsent(session_id, words, error)


def kept(session: tables.Session) -> Unsent | None:
    """Words for this session that could not be sent."""
    found = st.session_state.get(UNSENT)
    return found if isinstance(found, Unsent) and found.session_id == session.id else None


def put_by(session: tables.Session) -> None:
    """Words that could not be sent while it is not the person's turn: shown, until they are sent or thrown away."""
    unsent = kept(session)
    if unsent is None:
        return
    layout.problem(unsent.why)
    layout.muted(_("Your words, not sent:"))
    st.code(unsent.words, language=None, wrap_lines=True)
    st.button(_("Throw these words away"), key="live_unsent_away", on_click=lambda: st.session_state.pop(UNSENT, None))
