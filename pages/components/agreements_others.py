"""What a researcher records for others: answers given on paper, by code or for a person nobody signs in as."""

import streamlit as st

from core.consent import OUTSIDE, PURPOSES
from core.errors import WorkbenchError
from core.people import agreements, answers, looks
from core.people.agreements import Who
from core.sessions import live
from pages.components import consent, layout, people, resources, session_view
from pages.components.agreements import card, chosen, look_table, purpose_name
from pages.components.words import _, language, plain
from storage import tables
from storage.store import Store

SAVED = "privacy_others_saved"  # whose answer was saved last, said once


def section(store: Store) -> None:
    """For researchers: an answer for somebody else, the rule for codes, and who looked at what."""
    if not resources.may("answer for others"):
        return
    layout.section(_("What others agreed to"))
    saved = st.session_state.pop(SAVED, "")
    if saved:
        st.session_state["privacy_others_purposes"] = []
    with st.container(border=True):
        if saved:
            layout.notice(_("Saved: the answer of {code}.").format(code=saved))
        who = whose(store)
        if who is not None:
            record(store, who)
    if who is not None and (found := answers.groups(store, who)):
        card(store, who, chosen(who, found, f"privacy_others_{who.code}_{who.person.id if who.person else 0}"), key="others")
    ask_codes(store)
    everyone_looked(store)


def whose(store: Store) -> Who | None:
    """Whose answer it is: a client's or counselor's code, or a person without a secret."""
    kinds = {"client": _("Client's code"), "counselor": _("Counselor's code"), "person": _("A person nobody signs in as")}
    me = resources.person()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kind = st.selectbox(_("Answer of"), list(kinds), format_func=lambda one: kinds[one], key="privacy_others_kind", width=240)
        if kind == "person":
            listed, _left_out = people.listed(store)
            unsigned = [one for one in listed if not one.secret_hash and not one.sign_in]
            person = st.selectbox(_("Person"), unsigned, format_func=lambda one: f"{one.id} · {one.code}", key="privacy_others_person", placeholder=_("There is none"), width=240)
            return Who(person, entered_by=me) if person is not None else None
        code = st.selectbox(
            _("Code"), codes(store, kind), index=None, accept_new_options=True, key=f"privacy_others_{kind}", width=240,
            placeholder=_("Choose or type"),
        )  # fmt: skip
    return Who(seat=kind, code=code.strip(), entered_by=me) if code and code.strip() else None


def codes(store: Store, seat: str) -> list[str]:
    return sorted((store.sessions.distinct(f"{seat}_code") | store.reports.distinct(f"{seat}_code")) - {""})


def record(store: Store, who: Who) -> None:
    """The answer itself, as it was given on paper."""
    said = {"yes": _("agreed"), "no": _("refused"), "withdrawn": _("withdrawn")}
    sessions = of(store, who)
    names = session_view.labels(sessions)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        purposes = st.multiselect(_("Purposes"), list(PURPOSES), format_func=purpose_name, key="privacy_others_purposes", placeholder=_("Choose"))
        answer = st.segmented_control(_("Answer"), list(said), format_func=lambda one: said[one], default="yes", required=True, key="privacy_others_answer")
    about = st.selectbox(
        _("For"), [None, *names], format_func=lambda id: names[id] if id else _("all of theirs"), key=f"privacy_others_session_{who.code}",
    )  # fmt: skip
    endpoint = address(store) if OUTSIDE in purposes else ""
    if not st.button(_("Record"), key="privacy_others_record", disabled=not purposes):
        return
    resources.require("answer for others")
    try:
        if answer == "withdrawn":
            agreements.withdraw(store, who, purposes, about, endpoint)
            live.of(store).put_down_withdrawn()
        else:
            agreements.answer(store, who, dict.fromkeys(purposes, answer == "yes"), about, endpoint=endpoint, language=language())
    except WorkbenchError as error:
        layout.problem(error)
        return
    st.session_state[SAVED] = who.person.code if who.person else who.code
    st.rerun()


def of(store: Store, who: Who) -> list[tables.Session]:
    if who.person is not None:
        return [store.sessions.get(id) for id in store.sessions.spoken_by(store.persons.members(who.person.id or 0))]
    return store.sessions.all(**{f"{who.seat}_code": who.code})


def address(store: Store) -> str:
    known = [one.base_url.rstrip("/") for one in store.endpoints.all() if consent.is_outside(one)]
    given = st.selectbox(_("Address (empty: none may have it)"), known, index=None, accept_new_options=True, key="privacy_others_address")
    return (given or "").strip()


def ask_codes(store: Store) -> None:
    before = bool(store.settings.get("ask codes"))
    words = _("Imported and rebuilt text is used only with a recorded yes of its client's or counselor's code")
    now = st.toggle(
        plain(words), before, key="privacy_ask_codes", disabled=not resources.may("settings"),
        help=_("Off: it travels once its masking is reviewed, unless its code refused."),
    )  # fmt: skip
    if now != before:
        resources.require("settings")
        agreements.ask_codes(store, now)
        st.rerun()


def everyone_looked(store: Store) -> None:
    with st.expander(_("Who opened sessions and reports"), icon=":material/visibility:"):
        look_table(looks.newest(store), _("Nobody has opened what another person said or brought in."))
