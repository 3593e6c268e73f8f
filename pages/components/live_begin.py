"""Beginning a live session: the client's role card, the counselor, and how they open."""

import streamlit as st

from core.errors import WorkbenchError
from core.files import record_id
from core.people import rights
from core.sessions import live, seating, service
from pages.components import consent, layout, resources, session_view, transcript
from pages.components.words import _, language
from storage import tables

MOST_OFFERED = 20  # newest waiting sessions that are looked through for a free seat
PACE = 0.04  # seconds between the pieces the demo engine speaks in, while somebody watches


def pace() -> float:
    return float(resources.store().settings.get("demo_pace", PACE))


def open_session(id: int | None) -> None:
    st.query_params["session"] = str(id)
    st.rerun()


def form() -> None:
    """Choose who sits in the seats, or what has to be made first."""
    if not resources.may("hold"):
        layout.title(_("Live session"), _("A researcher or a counselor begins sessions. Those you sit in, and seats you may take, stand here."))
        if not recent():
            layout.muted(_("There is none now. Ask whoever invited you."))
        return
    layout.title(
        _("Live session"),
        _("Choose a client and a counselor. They speak word by word, and you can take a seat at any time."),
    )
    roles = resources.visible(resources.store().roles.cards(), "role card")
    if not roles:
        layout.empty(
            _("No role card yet"),
            _("A role card is the simulated client's story and character. Build one first, then come back."),
            _("Build a role"),
            "roles.py",
            key="live_empty",
        )
        return
    # an element of its own, so that the running session that takes this place leaves nothing of the form behind
    with st.empty().container():
        chosen_seats(roles)


def chosen_seats(roles: list[tables.RoleCard]) -> None:
    """Who sits in the seats, and Start."""
    wanted = wanted_version()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        role = st.selectbox(
            _("Role card"),
            wanted_first(list(reversed(roles)), wanted),
            format_func=role_words,
            key=f"live_role_{wanted.id}" if wanted else "live_role",
        )
        counselor = st.selectbox(
            _("Counselor"),
            resources.store().agents.all(seat="counselor"),
            format_func=resources.agent_name,
            key="live_counselor",
        )
        most = st.number_input(_("Turns at most"), 2, 200, 20, key="live_turns", width=140)
        extra = more_choices(role.language if role else language())
        started = st.button(_("Start"), key="live_start", type="primary", icon=":material/play_arrow:")
    if started and role and counselor:
        start(role, counselor, int(most), extra)
    if role:
        with st.container(border=True):
            session_view.role_card(role)
            which_version(role)
    recent()


def wanted_version() -> tables.RoleCard | None:
    """The version of a role card that the address names, if it is there."""
    id = record_id(st.query_params.get("role", ""))
    found = resources.store().roles.find(id=id) if id is not None else None
    return found if found is not None and resources.may("hold", found) else None


def wanted_first(roles: list[tables.RoleCard], wanted: tables.RoleCard | None) -> list[tables.RoleCard]:
    """The role cards, the wanted version before the others and in the place of its card's newest one."""
    if wanted is None:
        return roles
    return [wanted, *(role for role in roles if role.card_id != wanted.card_id)]


def which_version(role: tables.RoleCard) -> None:
    """Which version the session will be held with, where the card has several."""
    most = resources.store().roles.versions(role.card_id or 0)[-1].version
    if most > 1:
        layout.muted(
            _("The session uses version {n} of {most} of this card.").format(n=role.version, most=most)
        )


def role_words(role: tables.RoleCard) -> str:
    return f"{role.title} · {session_view.language_name(role.language)}"


def more_choices(code: str) -> dict[str, object]:
    """Rare choices: who plays the client, how it opens, the seed."""
    openers = {o["id"]: o for o in seating.openers()} | {"": {"name": {}}}
    with st.popover(_("More"), icon=":material/tune:"):
        client = st.selectbox(
            _("The client is played by"), resources.store().agents.all(seat="client"), format_func=resources.agent_name,
            key="live_client",
        )  # fmt: skip
        opener = st.selectbox(
            _("Opening line"),
            list(openers),
            format_func=lambda id: session_view.opener_name(openers[id]) if id else _("None"),
            key="live_opener",
            help=_("A fixed first line, the same for every counselor. It does not count as a turn."),
        )
        if opener:
            transcript.text(openers[opener][code], text_language=code, small=True)
        first = st.segmented_control(
            _("Who opens"), list(seating.SEATS), format_func=session_view.seat_name, default="counselor",
            required=True, key="live_first",
        )  # fmt: skip
        seed = st.number_input(_("Seed"), 0, 2_147_483_647, 1, key="live_seed")
    return {
        "client": client,
        "opener": openers[opener][code] if opener else "",
        "first": first or "counselor",
        "seed": int(seed),
    }


def start(role: tables.RoleCard, counselor: tables.Agent, most: int, extra: dict[str, object]) -> None:
    try:
        resources.require("hold", role)
        own = resources.own_codes()
        session = service.begin(
            resources.store(), role, extra["client"], counselor, most_turns=most, opener=str(extra["opener"]),  # type: ignore[arg-type]
            first=str(extra["first"]), seed=int(str(extra["seed"])), counselor_code=own[0] if own else "",
        )  # fmt: skip
        live.of(resources.store()).start(session.id or 0, session_view.engines_of(session, pace()))
    except WorkbenchError as error:
        layout.problem(error)
        return
    open_session(session.id)


def waiting() -> list[tables.Session]:
    """Sessions that can be gone on with, the newest first."""
    found = [s for state in ("running", "paused") for s in resources.store().sessions.all(state=state, withdrawn="")]
    return sorted(found, key=lambda s: s.id or 0, reverse=True)


def recent() -> bool:
    """Sessions that can be gone on with, and for who begins none those with a seat to take, without a word of them.

    Returns:
        Whether there is any.
    """
    newest = waiting()
    shown = resources.visible(newest)
    if shown:
        layout.section(_("Go on with"))
    for session in shown[:5]:
        layout.link("live.py", session_view.label(session), {"session": session.id})
    if resources.may("hold"):
        return bool(shown)
    seen = {session.id for session in shown}
    free = [session for session in newest[:MOST_OFFERED] if session.id not in seen and resources.may("sit", session)]
    if free:
        layout.section(_("Take a seat"))
    for session in free[:5]:
        layout.link("live.py", _(" · ").join(what_is_free(session)), {"session": session.id})
    return bool(shown or free)


def what_is_free(session: tables.Session) -> list[str]:
    """Which seats of a session somebody may take, who replies there, and in which language; no word of it."""
    here = resources.person()
    seats = [seat for seat in reversed(seating.SEATS) if seating.sitter(session, seat) is None and rights.may_take(resources.store(), here, session, seat)]
    free = [_("free: {seat}, {replies}").format(seat=session_view.seat_name(seat), replies=replies(consent.across(session, seat))) for seat in seats]
    return [_("Live session {n}").format(n=session.id), *free, session_view.language_name(session.language)]


def replies(there: consent.Across) -> str:
    if there.person:
        return _("a person replies")
    if there.endpoint is None:
        return _("rules reply")
    return _("a model outside replies") if there.outside else _("a model on this machine replies")
