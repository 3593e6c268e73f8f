"""The corner of the sidebar that says who sits here, and lets somebody else sit down."""

from collections.abc import Sequence

import streamlit as st

from core.errors import NotAllowed, WorkbenchError
from core.people import service
from core.people.rights import ROLES
from pages.components import crisis, identity, layout, resources
from pages.components.tickets import LINKS
from pages.components.words import _, say
from storage import tables

HOME = "/"
ASKED = "frame_asked"  # the dialog that is open
CLOSED = "frame_you_closed"  # how often the corner was closed from within


def corner() -> None:
    """Who sits here, as text: a code is a person's own word and is never read as Markdown."""
    here = resources.person()
    layout.muted(f"{here.code} · {roles_of(here)}")
    closed = int(st.session_state.get(CLOSED, 0))  # another number is another popover, and that one is closed
    with st.container(key="frame_you"), st.popover(_("You"), type="tertiary", icon=":material/person:", key=f"frame_you_{closed}"):
        shown_code(here)
        if identity.signed_in():
            layout.muted(_("Signed in. A researcher says on Data and privacy what you are here as."))
        else:
            st.button(_("Somebody else sits here now …"), key="frame_else", icon=":material/switch_account:", on_click=ask, args=("else",))
            st.button(_("I use another browser too …"), key="frame_also", icon=":material/add_link:", on_click=ask, args=("also",))
            layout.muted(_("As long as this workbench is not shared, codes and roles guard against accidents only, not against people."))
        crisis.choose_country("frame_country")
    asked = st.session_state.get(ASKED)
    if asked == "else":
        st.dialog(_("Somebody else sits here now"), on_dismiss=answered)(new_person)(here)
    elif asked == "also":
        st.dialog(_("I use another browser too"), on_dismiss=answered)(show_link)(here)


def ask(what: str) -> None:
    """Open a dialog, and put the corner away before it: it would lie over it."""
    st.session_state[ASKED] = what
    put_away()


def put_away() -> None:
    st.session_state[CLOSED] = int(st.session_state.get(CLOSED, 0)) + 1


def answered() -> None:
    st.session_state.pop(ASKED, None)


def roles_of(person: tables.Person) -> str:
    """What somebody is here as, in words."""
    return _(", ").join(resources.role_name(role) for role in ROLES if role in person.roles) or _("no role yet")


def shown_code(here: tables.Person) -> None:
    with st.form("frame_code_form", border=False):
        code = st.text_input(
            _("Your code"), value=here.code, max_chars=service.LONGEST_CODE, key=f"frame_code_{here.id}",
            help=_("What others see. It proves nothing: somebody with the same code stays somebody else."),
        )  # fmt: skip
        saved = st.form_submit_button(_("Save"), key="frame_code_save")
    if saved and code != here.code:
        try:
            service.rename(resources.store(), here, code)
        except WorkbenchError as error:
            layout.problem(error)
            return
        put_away()
        st.rerun()


def new_person(here: tables.Person) -> None:
    """Ask what the new person is here as, then give this browser to them."""
    st.text(_("This browser becomes theirs. What you typed here and did not save is lost."))
    layout.muted(_("{code} cannot come back here alone: a researcher can join the two, on Data and privacy.").format(code=here.code))
    role = st.selectbox(
        _("Here as"), ROLES, index=None, format_func=resources.role_name, placeholder=_("Choose"), key="frame_else_role"
    )
    code = st.text_input(
        _("Their code"), max_chars=service.LONGEST_CODE, key="frame_else_code", placeholder=_("empty: a number is given")
    )
    codes = asked_codes(role)
    if not st.button(_("Sit down"), key="frame_else_go", type="primary"):
        return
    if role is None or (role == "supervisor" and not codes["supervised"]):
        layout.notice(_("Choose what they are here as; a supervisor also names whom they supervise."), "warning")
        return
    own = {"counselor_codes": codes["counselor"]} if codes["counselor"] else {}
    ticket = identity.a_seat(resources.store(), {role: codes["supervised"]}, code, **own)
    identity.send_to_seat(ticket, _("Go on"), identity.base() + HOME)


def asked_codes(role: str | None) -> dict[str, list[str]]:
    """The counselor codes that go with a role."""
    given = {"counselor": "", "supervised": ""}
    if role == "counselor":
        given["counselor"] = st.text_input(
            _("Counselor code of their series"), key="frame_else_counselor", placeholder=_("empty: the same code")
        )
    if role == "supervisor":
        given["supervised"] = st.text_input(_("Counselor codes they supervise, with commas between"), key="frame_else_supervised")
    return {name: split(text) for name, text in given.items()}


def split(text: str) -> list[str]:
    """Codes out of one line, with commas of either script between them."""
    return [one.strip() for one in text.replace("，", ",").replace("、", ",").split(",") if one.strip()]


def show_link(here: tables.Person) -> None:
    """A link that another browser of this person opens, within minutes and once."""
    if "frame_link" not in st.session_state or not identity.is_live(st.session_state["frame_link"]):
        st.session_state["frame_link"] = identity.a_link(here)
    st.text(_("Open this link in your other browser within ten minutes. It works once."))
    st.code(st.session_state["frame_link"], language=None, wrap_lines=True)
    layout.muted(_("Whoever opens it can act as {code}: give it to nobody.").format(code=here.code))


def ask_to_join(ticket: str) -> None:
    """In place of the page: this browser opened a link; name both persons and ask."""
    store, here = resources.store(), resources.person()
    made_it = LINKS.look(ticket)
    other = store.persons.root(made_it or 0)
    layout.title(_("Is this you too?"))
    with st.container(border=True):
        kept = None
        if other.id == here.id:
            st.text(_("This browser is known as {code} already.").format(code=here.code))
        else:
            layout.facts([(_("This browser"), named(here)), (_("The link was made by"), named(other))])
            kept = who_both_are(here, other)
        with st.container(horizontal=True):
            if kept is not None and st.button(_("Yes, both are me"), key="frame_join_yes", type="primary"):
                joined(ticket, here)
            if st.button(_("No") if kept is not None else _("Go on"), key="frame_join_no"):
                LINKS.take(ticket)
                st.rerun()


def who_both_are(here: tables.Person, other: tables.Person) -> tables.Person | None:
    """Say who both are from then on, or why a link does not join them."""
    try:
        kept = service.kept_by_link(resources.store(), here.id or 0, other.id or 0)
    except WorkbenchError as error:
        layout.problem(error)
        return None
    st.text(
        _("If you say yes, both are one person, {code}, here as {role}: what either said, agreed to or rated is theirs from then on.").format(code=kept.code, role=roles_of(kept))
    )
    layout.muted(_("A link gives nobody more rights: of two, the one who may do less here is kept. A researcher can undo it on Data and privacy."))
    layout.muted(_("Say yes only if you made this link yourself, in your other browser."))
    return kept


def joined(ticket: str, here: tables.Person) -> None:
    made = LINKS.take(ticket)
    if made is not None:
        try:
            service.join_by_link(resources.store(), here.id or 0, made)
        except WorkbenchError as error:
            layout.problem(error)
            return
    st.rerun()


def named(person: tables.Person) -> str:
    return f"{person.code} · {roles_of(person)}"


def not_known_yet() -> None:
    """In place of every page, for a browser nobody knows: it goes to the route that makes it somebody, and comes back."""
    store = resources.store()
    ticket = identity.kept_ticket(store)
    layout.title("Rapport", _("One moment: this browser gets a code of its own."))
    identity.send_to_seat(ticket, _("Go on, if nothing happens"))


def not_yours(title: str, roles: Sequence[str]) -> None:
    """In place of a page that is for other roles: whose it is."""
    here = resources.person()
    layout.title(title)
    layout.empty(
        _("This page is for: {roles}").format(roles=_(", ").join(resources.role_name(role) for role in roles)),
        _("You are here as {role}. If that is not right, choose “You” at the left, then “Somebody else sits here now”.").format(role=roles_of(here)),
        _("Open Home"), "home.py", key="frame_not_yours",
    )  # fmt: skip


def not_shown(error: NotAllowed, page: str) -> None:
    """In place of a page whose address names what is not for the person here: why, and ways on."""
    own = {"sessions": _("Your sessions"), "live": _("Your live sessions"), "reports": _("Your reports")}
    layout.title(_("This cannot be shown"))
    with st.container(border=True, key="frame_not_shown"):
        st.text(say(error))
        with st.container(horizontal=True):
            if page in own and st.button(own[page], key="frame_own", type="primary"):
                st.switch_page(f"{page}.py")
            if st.button(_("Open Home"), key="frame_home"):
                st.switch_page("home.py")
