"""The notice a person reads before they take a seat, and what they answer there."""

from dataclasses import dataclass, field
from hashlib import sha256

import streamlit as st

from core.consent import EXPORT, FIGURES, RATED, SUPERVISION
from core.llm import gate
from core.llm.seam import Endpoint
from core.sessions import seating
from pages.components import layout, resources, session_view
from pages.components.words import _, language, plain
from storage import tables


@dataclass(frozen=True)
class Across:
    """Who speaks in the other seat: a person, or an engine (``endpoint`` is ``None`` for the demo engine)."""

    person: bool = False
    endpoint: tables.Endpoint | None = None
    agent_id: int | None = None

    @property
    def outside(self) -> str:
        """The address words go to; empty where they stay on this machine."""
        return self.endpoint.base_url if self.endpoint is not None and is_outside(self.endpoint) else ""


@dataclass(frozen=True)
class Given:
    """What somebody answered: whether to begin, each purpose, whether for all of their sessions, and the address outside
    that stood before them.
    """

    begin: bool = False
    purposes: dict[str, bool] = field(default_factory=dict)
    general: bool = False
    outside: str = ""


def is_outside(endpoint: tables.Endpoint | None) -> bool:
    return endpoint is not None and not gate.is_local(
        Endpoint(kind="openai", base_url=endpoint.base_url, model=endpoint.model, name=endpoint.name)
    )


def across(session: tables.Session, seat: str) -> Across:
    """Who speaks in the seat across from this one."""
    other = seating.other(seat)
    if seating.sitter(session, other) is not None:
        return Across(person=True)
    agent = session_view.agent_of(session, other)
    return Across(endpoint=session_view.endpoint_of(agent), agent_id=agent.id if agent is not None else None)


def as_shown(session: tables.Session, seat: str, there: Across, key: str) -> str:
    """A key for the ticks and the button that is of what they say: a click on what stood here before answers nothing.

    Where it changed while somebody was reading, they are told, and asked again.
    """
    place = (there.endpoint.name, there.outside) if there.endpoint is not None else None
    said = sha256(repr((session.id, seat, there.person, there.agent_id, place)).encode()).hexdigest()[:12]
    seen: list[str] = st.session_state.setdefault(f"{key}_seen_{session.id}_{seat}", [])
    if said not in seen[-1:]:
        seen.append(said)
    if len(seen) > 1:
        layout.notice(
            _("Who is in the other seat, or where your words go, changed while this stood here. Please read it again; nothing was saved."),
            "warning",
        )
    return f"{key}_{len(seen)}"


def put_away(key: str) -> None:
    """The notice is answered, or was refused: the next one begins anew."""
    for name in [name for name in st.session_state if str(name).startswith(f"{key}_seen_")]:
        del st.session_state[name]


def purpose_words(there: Across) -> dict[str, str]:
    """What may be done later with a person's words, as they are asked."""
    rated = _("It may be rated here, by people and by engines on this machine")
    return {
        RATED: _("It may be rated, by people and by engines: here, and also at the address above") if there.outside else rated,
        SUPERVISION: _("It may be read in supervision"),
        FIGURES: _("It may count in figures about many sessions"),
        EXPORT: _("It may leave in exports for research"),
    }


def speaker_words(there: Across) -> str:
    if there.person:
        return _("Replies come from a person in the other seat.") + " " + _("This is no care and no help line.")
    who = _("Replies come from rules (the demo engine), not from a person.") if there.endpoint is None else _("Replies come from a model, not from a person.")
    return who + " " + _("This is no care and no help line. Nobody watches over this: do not expect help here. Whoever opens the session can read it as it goes on.")


def across_words(there: Across) -> str:
    """Who speaks for the client, for somebody in the counselor's seat, and where what they write goes."""
    if there.person:
        who = _("A person sits in the client's seat.")
    else:
        who = _("The client is played by rules (the demo engine), not by a person.") if there.endpoint is None else _("The client is played by a model, not by a person.")
    return who if there.outside else who + " " + _("What you write is sent nowhere; it stays on this machine.")


def spoken_in(session: tables.Session) -> None:
    """Which language the session is in, where it is not the page's."""
    if session.language != language():
        layout.notice(_("This session is held in {language}: replies come in it, whatever you write in.").format(language=session_view.language_name(session.language)), "warning")


def stored_words(there: Across) -> str:
    words = _("What I write is stored here. Everyone with access to this workbench can open it; who does is kept, and I can see it.")
    return words if there.outside else words + " " + _("It is sent nowhere; it stays on this machine.")


def outside_words(there: Across) -> str:
    name = there.endpoint.name if there.endpoint is not None else ""
    return _("What I write leaves this machine: it is sent to {name} ({url}).").format(name=name, url=there.outside)


def shown(words: str, there: Across) -> str:
    """A sentence for a tick; the address stands as it is, since a link would swallow what follows it."""
    return plain(words).replace(plain(there.outside), f"`{there.outside}`") if there.outside else plain(words)


def points(there: Across) -> list[str]:
    """What somebody in the client's seat has to read, one tick each."""
    return [
        speaker_words(there),
        stored_words(there),
        *([outside_words(there)] if there.outside else []),
        _(
            "The people who run this workbench may have to act on what they read here when somebody is in danger "
            "or the law asks for it: then it cannot stay confidential."
        ),
        _("I am an adult and not in treatment now. (Otherwise: please talk to your clinician instead.)"),
    ]


def later_words() -> str:
    return _("You can stop at any time. On Data and privacy, in this browser, you can withdraw and delete what you wrote by yourself.")


def client_seat(session: tables.Session, key: str) -> Given:
    """The notice with its ticks and button. Call it until it says *begin*; nothing is saved before."""
    there = across(session, "client")
    with st.container(border=True):
        layout.card_title(_("Before you take the client's seat"))
        spoken_in(session)
        layout.muted(_("It is not suited when you think of harming yourself or someone else.") + " " + later_words())
        key = as_shown(session, "client", there, key)
        ticked = [st.checkbox(shown(words, there), key=f"{key}_tick_{n}") for n, words in enumerate(points(there), 1)]
        return answered(there, key, all(ticked))


def counselor_seat(session: tables.Session, key: str) -> Given:
    """The shorter notice for the counselor's seat."""
    there = across(session, "counselor")
    with st.container(border=True):
        layout.card_title(_("Before you take the counselor's seat"))
        spoken_in(session)
        layout.muted(across_words(there))
        layout.muted(
            _("What you write is stored here under your code, {code}. Everyone with access to this workbench can open it; who does is kept, and you can see it.").format(code=resources.person().code)
            + " " + later_words()
        )  # fmt: skip
        key = as_shown(session, "counselor", there, key)
        agreed = not there.outside or st.checkbox(shown(outside_words(there), there), key=f"{key}_outside")
        return answered(there, key, agreed)


def answered(there: Across, key: str, may_begin: bool) -> Given:
    """The purposes, each its own answer, for this session or all of theirs; and the button."""
    layout.muted(_("What may become of the session afterwards? Each is up to you: what you leave unticked is a no. You can change it later."))
    purposes = {purpose: st.checkbox(plain(words), key=f"{key}_{purpose}") for purpose, words in purpose_words(there).items()}
    scope = st.segmented_control(
        _("These answers, and the one about the address, are for") if there.outside else _("These answers are for"), ["session", "all"], default="session", required=True, key=f"{key}_scope",
        format_func=lambda one: _("this session") if one == "session" else _("all my sessions"),
    )  # fmt: skip
    begin = st.button(_("Begin"), key=f"{key}_begin", type="primary", disabled=not may_begin)
    return Given(begin and may_begin, purposes, scope == "all", there.outside)
