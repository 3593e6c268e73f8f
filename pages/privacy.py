"""Data and privacy: what is stored where, what leaves, what the demo engine is, and deleting."""

import os
from pathlib import Path
from typing import Any

import streamlit as st

from core import upkeep
from core.people import begun
from core.people.begun import Left
from pages.components import (
    agreements,
    agreements_others,
    badges,
    crisis,
    deleting,
    engine_note,
    layout,
    people,
    resources,
    session_view,
    update_note,
)
from pages.components.words import _, many
from storage.store import Store

MOST_OFFERED = 200  # sessions to choose from at once; others are searched for


def kind_names() -> dict[str, str]:
    return {
        "session": _("Session"),
        "report": _("Report"),
        "role": _("Role card"),
        "study": _("Study"),
        "client": _("Client (all sessions and outcomes)"),
        "counselor": _("Counselor (all sessions)"),
    }


def sessions_to_choose(store: Store) -> dict[Any, str]:
    """Sessions that can be deleted: all, or the newest that were searched for, and those chosen already."""
    wanted = (*session_view.LABELLED, "created")
    many_more, sought = store.sessions.count() > MOST_OFFERED, ""
    if many_more:
        sought = st.text_input(_("Search"), key="privacy_search", placeholder=_("Title or number"))
    rows = store.sessions.newest(*wanted, most=MOST_OFFERED, like=sought.strip())
    kept = set(st.session_state.get("privacy_which_session", [])) - {row.id for row in rows}
    rows += [row for id in sorted(kept) for row in store.sessions.brief(*wanted, id=id)]
    if many_more:
        layout.muted(_("Offered are the newest {n} that match. Search for others by a word of the title or the number.").format(n=f"{MOST_OFFERED:,}"))
    words = session_view.labels(rows)
    return {row.id: f"{words[row.id]} · {row.created[:10]}" for row in rows}


def choices(store: Store, kind: str) -> dict[Any, str]:
    """Records of this kind that can be deleted, by id, with words to tell them apart."""
    if kind == "session":
        return sessions_to_choose(store)
    if kind == "report":
        shown = {r.id for r in resources.visible(store.reports.all(), "report")}
        return {r.id: f"{r.id} · {r.title}" if r.id in shown else _("{n} · withdrawn").format(n=r.id) for r in store.reports.all()}
    if kind == "role":
        return {r.card_id: f"{r.card_id} · {r.title}" for r in store.roles.cards()}
    if kind == "study":
        return {s.id: f"{s.id} · {s.name}" for s in store.studies.all()}
    codes = store.sessions.distinct(f"{kind}_code")
    if kind == "client":
        codes |= store.outcomes.distinct("client_code")
    return {code: code for code in sorted(codes - {""})}


def what_is_stored(store: Store) -> None:
    layout.section(_("What is stored, and where"))
    with st.container(border=True):
        where = str(store.path.resolve()) if store.path is not None else _("a database server")
        layout.facts(
            [
                (_("Database"), where),
                (_("Rights"), rights_of(store.path)),
                (
                    _("Encryption"),
                    _("none: whoever can read this account's files can read it. Use an encrypted disk."),
                ),
                (
                    _("Keys"),
                    _("never stored: from the environment, or typed, and then only in memory, until this browser session and the studies they were typed for end"),
                ),
                (_("Outside requests"), _("none, except to the endpoints that were entered on Models and agents")),
                (_("Usage statistics"), _("off")),
            ]
        )
    with st.container(border=True):
        layout.card_title(_("What this does not protect against"))
        st.text(
            _(
                "As long as it is not shared, whoever opens this address in a new browser is a new person and may choose "
                "any role: codes and roles guard against accidents, not against people. Masking is an aid and misses things. Deleting does not "
                "reach backups, copies you exported or sent, or what an endpoint outside has kept."
            )
        )


def rights_of(path: Path | None) -> str:
    if path is None or not path.exists():
        return _("as the server sets them")
    if os.name == "nt":
        return _("as this Windows account's")
    mode, folder = path.stat().st_mode & 0o777, path.resolve().parent.stat().st_mode & 0o777
    words = _("file {file}, folder {folder}").format(file=f"{mode:o}", folder=f"{folder:o}")
    return words + (_(" (this account only)") if not (mode | folder) & 0o077 else "")


def left_over(store: Store) -> None:
    """What lies beside the records: copies from before updates, calls of drafts, space not overwritten yet."""
    if not resources.is_researcher():
        return
    loose, finished = len(store.calls.loose()), upkeep.cleaned(store)
    others = begun.of_others(store, resources.person())
    if finished and not loose and not others and not store.copies():
        return
    layout.section(_("Left over"))
    with st.container(border=True):
        update_note.copies("privacy")
        if loose:
            layout.muted(many("{n} call of a draft that was never saved is kept.", "{n} calls of drafts that were never saved are kept.", loose))
            if st.button(_("Delete these calls"), key="privacy_loose", icon=":material/delete:"):
                upkeep.delete_loose_calls(store)
                st.rerun()
        if others:
            drafts_of_others(store, others)
        if not finished:
            layout.notice(deleting.unfinished_words(), "warning")


def drafts_of_others(store: Store, others: list[Left]) -> None:
    """How many drafts other people have begun, and deleting one: its person may be gone for good."""
    kinds, who = {"role": _("Role card"), "study": _("Study")}, store.persons.names()
    known = {one.id: one for one in others}

    def words(id: int) -> str:
        one = known[id]
        made = many("{n} call", "{n} calls", one.calls)
        return _(" · ").join([kinds.get(one.kind, one.kind), who.get(one.person_id, "–"), _("changed {date}").format(date=one.changed[:10]), made])

    layout.muted(many("{n} draft of somebody else is kept. Only they can open it.", "{n} drafts of other people are kept. Only they can open them.", len(others)))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        id = st.selectbox(_("Draft"), list(known), format_func=words, key="privacy_draft", width=420)
        if st.button(_("Delete …"), key="privacy_draft_delete", icon=":material/delete:"):
            confirm_draft(known[id], words(id))


def confirm_draft(one: Left, words: str) -> None:
    @st.dialog(_("Delete for good?"))
    def ask() -> None:
        st.text(words)
        layout.muted(_("The person who began it cannot go on with it any more. The calls made for it go too."))
        if st.button(_("Delete for good"), key="privacy_draft_sure", type="primary", on_click=drop_left, args=(one,)):
            st.rerun()

    ask()


def drop_left(one: Left) -> None:
    begun.drop_left(resources.store(), resources.person(), one)


def where_text_goes(store: Store) -> None:
    layout.section(_("Where text goes"))
    with st.container(border=True):
        badges.row([badges.workbench(store.endpoints.all())])
        st.text(
            _(
                "Before anything is sent, it is checked where it comes from and where it goes: made-up text, and text in "
                "which a person confirmed that nobody can be recognized, may leave; all other text stays here; what people "
                "said in a seat goes only where all of them agreed. A refusal names the record."
            )
        )


def delete_section(store: Store) -> None:
    layout.section(_("Delete"))
    if not resources.is_researcher():
        if "counselor" in resources.person().roles:
            layout.muted(_("Your own sessions and reports you delete where you read them, your own words under “What you agreed to”. The rest is deleted by a researcher."))
            return
        layout.muted(_("Whole records are deleted by a researcher. Your own words you delete under “What you agreed to”."))
        return
    with st.container(border=True):
        names = kind_names()
        kind = st.selectbox(_("What"), list(names), format_func=lambda k: names[k], key="privacy_kind")
        there = choices(store, kind)
        if not there:
            layout.muted(_("There is none of this kind."))
        chosen = st.multiselect(
            _("Which"),
            list(there),
            format_func=lambda id: there[id],
            placeholder=_("Choose"),
            key=f"privacy_which_{kind}",
            disabled=not there,
        )
        if st.button(_("Delete …"), key="privacy_delete", disabled=not chosen, icon=":material/delete:"):
            deleting.confirm(kind, chosen, [there[id] for id in chosen])
    deleting.show_receipt()


store = resources.store()
layout.title(
    _("Data and privacy"),
    _("What is kept where, what leaves this machine, and how to remove it."),
    [badges.workbench(store.endpoints.all())],
)
if not resources.is_researcher():  # what is theirs to decide comes before what is the researcher's to know
    agreements.mine(store)
what_is_stored(store)
left_over(store)
where_text_goes(store)
if resources.is_researcher():
    agreements.mine(store)
agreements_others.section(store)
people.section(store)
delete_section(store)
engine_note.draw()
crisis.note()
