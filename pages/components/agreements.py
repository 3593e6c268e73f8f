"""What somebody agreed to, on Data and privacy: to read, to withdraw, to agree to again; and their words, to delete."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core.consent import EXPORT, FIGURES, OUTSIDE, PURPOSES, RATED, SUPERVISION, TAKING_PART
from core.errors import WorkbenchError
from core.people import agreements, answers, looks
from core.people.agreements import Who
from core.people.answers import Group, Line
from core.sessions import live
from pages.components import consent, deleting, layout, looking, resources, session_view
from pages.components.words import _, language, many, plain, say
from storage.store import Store

LOOKS = 50  # of who looked, the newest
PROBLEM = "agreements_problem"  # what did not work in a dialog, said once the page runs again


def purpose_name(purpose: str) -> str:
    return {
        TAKING_PART: _("Taking part"), RATED: _("Being rated here"), OUTSIDE: _("Being sent to an address outside"),
        SUPERVISION: _("Supervision"), FIGURES: _("Figures about many sessions"), EXPORT: _("Export"),
    }.get(purpose, purpose)  # fmt: skip


def answer_name(answer: str, who: Who | None = None) -> str:
    """An answer in words; of a code that was not asked, by what decides then."""
    if not answer and who is not None and who.code and not resources.store().settings.get("ask codes"):
        return _("not asked: its masking decides")
    return {"yes": _("yes"), "no": _("no"), "withdrawn": _("withdrawn"), "": _("not asked: a no")}[answer]


def follows(purpose: str) -> str:
    """What a withdrawal brings about, said before it."""
    return {
        RATED: _("From now on nobody and nothing rates it here. Ratings made before stay in figures, unless figures are withdrawn too."),
        OUTSIDE: _("From now on nothing of it is sent to this address. What was sent before, the endpoint may have kept; that is beyond reach."),
        SUPERVISION: _("From now on nobody reads it in supervision."),
        FIGURES: _("From now on it is left out of figures about many sessions."),
        EXPORT: _("From now on it leaves in no export. Exports made before are beyond reach."),
    }[purpose]  # fmt: skip


def everything_follows() -> str:
    return _("It is hidden at once: nobody reads it any more, and it is left out of every page, figure and export and only counted as withdrawn. What is waiting to be rated is not rated. Nothing is deleted yet. What an address outside has kept, and exports made before, are beyond reach.")


# ---- one's own ------------------------------------------------------------------------------------------------------


def mine(store: Store) -> None:
    """The section on what the person here agreed to, with what they can do about it."""
    me = resources.person()
    who, found = Who(me), answers.groups(store, Who(me))
    layout.section(_("What you agreed to"))
    if problem := st.session_state.pop(PROBLEM, ""):
        st.error(plain(problem))
    deleting.show_receipt("words")
    if not found:
        layout.muted(_("You, {code}, have not taken a seat in this browser yet. What you answer before you do stands here, and you can withdraw it here.").format(code=me.code))
        return
    table(found)
    group = chosen(who, found, f"privacy_agreed_{me.id}")
    card(store, who, group)
    with st.container(horizontal=True):
        if len(found) > 1 and st.button(_("Withdraw everything in all my sessions …"), key="privacy_withdraw_all", icon=":material/visibility_off:"):
            withdraw_dialog(store, who, tuple(PURPOSES), None)
    if n := answers.without_effect(store, who):
        layout.muted(many("{n} answer from before answers named a session is kept, and allows nothing.", "{n} answers from before answers named a session are kept, and allow nothing.", n))
    looked(store)


def group_name(who: Who, group: Group) -> str:
    if group.session is None:
        return _("All my sessions") if who.entered_by is None else _("All sessions of {code}").format(code=who.person.code if who.person else who.code)
    return _(" · ").join([session_view.label(group.session), group.session.created[:10]])


def table(groups: Sequence[Group]) -> None:
    """All answers at one look, where there are several sessions."""
    if len(groups) < 2:
        return
    rows = [{_("For"): short_name(one)} | {short_purpose(p): in_short(one.lines, p) for p in PURPOSES} for one in groups]
    st.dataframe(pd.DataFrame(rows), hide_index=True, height="content" if len(rows) < 8 else 300)


def short_name(group: Group) -> str:
    if group.session is None:
        return _("All my sessions")
    words = _("{id} · withdrawn").format(id=group.id) if group.session.withdrawn else _("Session {n}").format(n=group.id)
    return _(" · ").join([words, group.session.created[:10]])


def short_purpose(purpose: str) -> str:
    return {RATED: _("Rated here"), OUTSIDE: _("Sent outside"), FIGURES: _("In figures")}.get(purpose) or purpose_name(purpose)


def in_short(lines: Iterable[Line], purpose: str) -> str:
    said = dict.fromkeys(answer_name(one.answer) for one in lines if one.purpose == purpose)
    return _(", ").join(said) or "–"


def chosen(who: Who, groups: Sequence[Group], key: str) -> Group:
    by_id = {group.id or 0: group for group in groups}
    if len(groups) == 1:
        return groups[0]
    id = st.selectbox(_("Show"), list(by_id), format_func=lambda one: group_name(who, by_id[one]), key=key)
    return by_id.get(id or 0, groups[0])


def card(store: Store, who: Who, group: Group, key: str = "privacy") -> None:
    """One session's answers (or those for all), each with the button that changes it."""
    with st.container(border=True, key=f"{key}_answers"):
        layout.card_title(group_name(who, group))
        for line in [*group.lines, *unasked(group)]:
            one_line(store, who, group, line, key)
        if group.session is None and answers.once_withdrew(store, who):
            layout.muted(_("What was withdrawn for all sessions comes back session by session: agree to it there."))
        with st.container(horizontal=True):
            another_address(store, who, group, key)
            taking = next((one.answer for one in group.lines if one.purpose == TAKING_PART), "yes")
            if taking == "yes" and st.button(_("Withdraw everything …") if who.entered_by is None else _("Withdraw everything for them …"), key=f"{key}_withdraw_{group.id or 0}", icon=":material/visibility_off:"):
                withdraw_dialog(store, who, tuple(PURPOSES), group.id)
            if group.spoke and st.button(_("Delete what I said …") if who.entered_by is None else _("Delete what they said …"), key=f"{key}_words_{group.id}", icon=":material/delete:"):
                delete_dialog(store, who, group)


def unasked(group: Group) -> list[Line]:
    said = {line.purpose for line in group.lines}
    return [Line(one, "", "", 0) for one in PURPOSES if one not in said and one != OUTSIDE]  # type: ignore[arg-type]


def one_line(store: Store, who: Who, group: Group, line: Line, key: str) -> None:
    name = f"{key}_{group.id or 0}_{line.purpose}_{line.endpoint}"
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        with st.container(gap=None, width="content"):
            st.text(_("{purpose}: {answer}").format(purpose=purpose_name(line.purpose), answer=answer_name(line.answer, who)))
            layout.muted(_(" · ").join(part for part in details(store, line) if part))
        if line.answer == "yes" and line.purpose != TAKING_PART:
            if st.button(_("Withdraw") if who.entered_by is None else _("Record withdrawal"), key=f"{name}_withdraw", type="tertiary"):
                withdraw_dialog(store, who, (line.purpose,), group.id, line.endpoint)
        elif line.answer == "withdrawn" and group.session is None:
            return  # a yes for all would bring nothing back
        elif line.answer != "yes" and (line.purpose != OUTSIDE or line.endpoint):
            words = _("Record yes") if who.entered_by else _("Agree") if line.purpose != TAKING_PART else _("Take part again")
            if st.button(words, key=f"{name}_agree", type="tertiary"):
                agree(store, who, line.purpose, group.id, line.endpoint)


def details(store: Store, line: Line) -> list[str]:
    """Where to, since when, and how it was given: under a notice on screen, or on paper."""
    since = _("since {date}").format(date=line.since[:10]) if line.since else ""
    form = _("notice, version {n}").format(n=line.form_version) if line.form_version else ""
    if line.entered_by is not None:
        form = _("on paper, entered by {code}").format(code=store.persons.names().get(line.entered_by, "–"))
    return [line.endpoint, since, form, _("said for all sessions") if line.general and line.since else ""]


def another_address(store: Store, who: Who, group: Group, key: str) -> None:
    """Agree to an address outside that is entered here."""
    known = {line.endpoint for line in group.lines if line.purpose == OUTSIDE}
    open_ones = {one.base_url.rstrip("/"): one.name for one in store.endpoints.all() if consent.is_outside(one)}
    left = [url for url in open_ones if url not in known]
    if not left:
        return
    with st.popover(_("Agree to an address …") if who.entered_by is None else _("Record yes to an address …")):
        url = st.selectbox(_("Address"), left, format_func=lambda one: f"{open_ones[one]} ({one})", key=f"{key}_address_{group.id or 0}")
        if st.button(_("Agree") if who.entered_by is None else _("Record yes"), key=f"{key}_address_agree_{group.id or 0}") and url:
            agree(store, who, OUTSIDE, group.id, url)


def agree(store: Store, who: Who, purpose: str, session_id: int | None, endpoint: str = "") -> None:
    try:
        agreements.answer(store, who, {purpose: True}, session_id, endpoint=endpoint, language=language())
    except WorkbenchError as error:
        layout.problem(error)
        return
    st.rerun()


def asking(title: str, lines: Sequence[str], button: str, key: str, act: Callable[[], Any]) -> None:
    """Say what follows, and do it on a second click."""

    def done() -> None:
        try:
            act()
        except WorkbenchError as error:
            st.session_state[PROBLEM] = say(error)

    @st.dialog(title)
    def ask() -> None:
        for words in lines:
            st.text(words)
        if st.button(button, key=key, type="primary", on_click=done):
            st.rerun()

    ask()


def withdraw_dialog(store: Store, who: Who, purposes: Sequence[str], session_id: int | None, endpoint: str = "") -> None:
    def act() -> None:
        agreements.withdraw(store, who, purposes, session_id, endpoint)
        live.of(store).put_down_withdrawn()

    words = everything_follows() if TAKING_PART in purposes else follows(purposes[0])
    again = _("You can agree again later.") if session_id else _("You can agree again later, for each session by itself.")
    if who.entered_by is not None:
        again = _("A yes can be recorded again later.") if session_id else _("A yes can be recorded again later, for each session by itself.")
    asking(_("Withdraw?"), [words, again], _("Withdraw"), "privacy_withdraw_sure", act)


def delete_dialog(store: Store, who: Who, group: Group) -> None:
    id, person = group.id or 0, who.person

    def act() -> None:
        if person is not None:
            live.of(store).put_down(id)
            deleting.keep_receipt(answers.delete_words(store, person, id), "words")

    words = _("These words are deleted for good, here and in sessions branched off from it, with every rating, quote and call that holds them. Replies of a model or of rules that came after them are emptied too, as they may repeat them. What other people said stays. It cannot be undone. Copies sent to an address outside, exports elsewhere and backups are beyond reach.")
    asking(_("Delete these words for good?"), [group_name(who, group), words], _("Delete for good"), "privacy_words_sure", act)


def looked(store: Store) -> None:
    """Who opened what this person said."""
    found = looks.at_mine(store, resources.person())
    with st.expander(many("Who opened my sessions ({n} time)", "Who opened my sessions ({n} times)", len(found)), icon=":material/visibility:"):
        look_table(found, _("Nobody has opened them yet. Each time somebody does, it is kept here."))


def look_table(found: Sequence[looks.Looked], nobody: str) -> None:
    if not found:
        layout.muted(nobody)
        return
    rows = [
        {_("When"): one.when[:16].replace("T", " "), _("Who"): one.code, _("What"): f"{record_name(one.record.kind)} {one.record.id}", _("Page"): looking.page_name(one.page)}
        for one in found[:LOOKS]
    ]  # fmt: skip
    st.dataframe(pd.DataFrame(rows), hide_index=True, height="content" if len(rows) < 8 else 300)


def record_name(kind: str) -> str:
    return {"session": _("Session"), "report": _("Report")}.get(kind, kind)
