"""Roles: build a simulated client step by step, write or bring in others, and read any of them whole."""

import json

import pandas as pd
import streamlit as st

from core.errors import NotFound, WorkbenchError
from core.llm.seam import Clearance
from core.roles import service
from core.roles.importing import CARD
from pages.components import (
    badges,
    deleting,
    layout,
    resources,
    role_bringing,
    role_building,
    role_facets,
    session_view,
    transcript,
)
from pages.components.words import _
from storage import tables

store = resources.store()


def chosen_role() -> tables.RoleCard | None:
    """The role the address names."""
    wanted = st.query_params.get("role", "")
    if not wanted.isdigit():
        return None
    try:
        return store.roles.get(int(wanted))
    except NotFound as error:
        layout.problem(error)
        return None


# ---- the library ---------------------------------------------------------------------------------


def library() -> None:
    layout.title(_("Roles"), _("Simulated clients: built from facets, written by hand, or brought in."))
    deleting.show_receipt()
    role_bringing.what_happened()
    if resources.is_researcher():
        role_building.begin()
    roles = list(reversed(store.roles.all()))
    if roles:
        listed(roles)
    elif not resources.is_researcher():
        layout.empty(_("No role card yet"), _("A researcher builds the roles; sessions with them appear under Sessions."), key="roles_empty")
    if resources.is_researcher():
        role_bringing.write_profile()
        role_bringing.bring_in()


def listed(roles: list[tables.RoleCard]) -> None:
    layout.section(_("Library"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        sought = st.text_input(_("Search"), key="roles_search", width=260)
        spoken = st.segmented_control(_("Language"), ["en", "zh"], selection_mode="multi", format_func=session_view.language_name, key="roles_f_language")
    kept = [role for role in roles if (not spoken or role.language in spoken) and sought.strip().casefold() in words_of(role)]
    layout.muted(_("{shown} of {all} roles. Choose one to read it.").format(shown=len(kept), all=len(roles)))
    if not kept:
        return
    event = st.dataframe(table(kept), hide_index=True, selection_mode="single-row", on_select="rerun", key="roles_table", height="content" if len(kept) < 14 else 520)
    for row in event.selection.rows:
        if row < len(kept):
            st.query_params["role"] = str(kept[row].id)
            st.rerun()


def words_of(role: tables.RoleCard) -> str:
    return " ".join([role.title, str(role.stressor.get("label", "")), json.dumps(role.demographics, ensure_ascii=False)]).casefold()


def table(roles: list[tables.RoleCard]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            _("Title"): [role.title for role in roles],
            _("Stressor"): [role.stressor.get("label", "") for role in roles],
            _("Age"): [role.demographics.get("age") for role in roles],
            _("Language"): [session_view.language_name(role.language) for role in roles],
            _("To check"): [sum(one["severity"] != "note" for one in role.checks) for role in roles],
            _("Sessions"): [store.sessions.count(role_id=role.id) for role in roles],
            _("Made by"): [badges.engine_words(role.engine) for role in roles],
            _("Date"): [role.created[:10] for role in roles],
        }
    )


# ---- one role ------------------------------------------------------------------------------------


def one(role: tables.RoleCard) -> None:
    sessions = store.sessions.all(role_id=role.id)
    kind = _("Client profile") if role.kind == "profile" else _("Role card")
    layout.title(role.title, f"{kind} {role.id}", [badges.engine(role.engine)])
    with st.container(horizontal=True, vertical_alignment="center"):
        layout.link("roles.py", _("All roles"))
        download(role)
        deleting.button("role", role.id, role.title, key="roles_delete")
    layout.next_step(
        _("Try it in a live session"), _("Choose a counselor, and watch the two speak."),
        _("Open Live session"), "live.py", {"role": role.id}, key="roles_live",
    )  # fmt: skip
    unconfirmed(role)
    grid = st.grid(3, min_column_width=255)
    with grid.cell(column_span=2):
        whole(role)
    with grid.cell():
        beside(role, sessions)


def unconfirmed(role: tables.RoleCard) -> None:
    """A profile that may be about a real person stays here until somebody says that it is not."""
    if role.clearance >= int(Clearance.SYNTHETIC) or not resources.is_researcher():
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        layout.muted(_("It may be about a real person, so it stays on this machine."))
        if st.button(_("No real person stands behind it"), key="roles_made_up", icon=":material/check:"):
            service.confirm_made_up(store, role.id or 0)
            st.rerun()


def whole(role: tables.RoleCard) -> None:
    """Every facet, to be read and to be changed."""
    names, facets = role_facets.part_names(), role.model_dump()
    if role.kind == "profile":
        profile(role)
        return
    for part in reversed(role_facets.PARTS):
        with st.container(border=True, key=f"roles_card_{part}"):
            layout.card_title(names[part])
            role_facets.draw(part, facets, role.language)
            if resources.is_researcher():
                edit(role, part)


def edit(role: tables.RoleCard, part: str) -> None:
    with st.expander(_("Change"), icon=":material/edit:"), st.form(f"roles_edit_{part}_{role.id}", border=False):
        fields = role_facets.form(part, role.model_dump(), f"roles_edit_{part}_{role.id}", role.language)
        if part == "text":
            fields["title"] = st.text_input(_("Title"), role.title, key=f"roles_edit_title_{role.id}").strip() or role.title
        if st.form_submit_button(_("Save and check again"), key=f"roles_edit_save_{part}", icon=":material/save:"):
            try:
                service.change_role(store, role.id or 0, **fields)
            except WorkbenchError as error:
                layout.problem(error)
                return
            st.rerun()


def profile(role: tables.RoleCard) -> None:
    told = role.profile
    with st.container(border=True):
        layout.facts(
            [
                (_("Behavior at issue"), told.get("behavior", "")),
                (_("What could move the client to change"), told.get("motivation", "") or _("nothing so far")),
                (_("Receptivity"), _("{n} of 5").format(n=told.get("receptivity", 3))),
            ],
            text_language=role.language,
        )
        names = {"personas": _("Who the client is"), "beliefs": _("What the client believes"), "acceptable_plans": _("Plans the client could accept")}
        for part, name in names.items():
            layout.card_title(name)
            for line in told.get(part, []) or [_("none")]:
                transcript.text(f"– {line}", text_language=role.language)


def beside(role: tables.RoleCard, sessions: list[tables.Session]) -> None:
    """The check, where the card comes from, and the sessions held with it."""
    if role.kind == "role":
        with st.container(border=True):
            layout.card_title(_("Consistency check"))
            role_facets.findings(role.checks)
    ways = {"stratified": _("Stratified"), "paper": _("As in the paper"), "written": _("Written by hand"), "imported": _("Brought in")}
    with st.container(border=True):
        layout.card_title(_("Where it comes from"))
        layout.facts(
            [
                (_("Made by"), badges.engine_words(role.engine)), (_("Seed"), role.seed),
                (_("Sampling"), ways.get(role.sampling, role.sampling)), (_("Language"), session_view.language_name(role.language)),
                (_("Date"), role.created[:10]),
            ]
        )  # fmt: skip
    with st.container(border=True):
        layout.card_title(_("Sessions"))
        if not sessions:
            layout.muted(_("None yet."))
        for session in sessions[:8]:
            layout.link("sessions.py", session_view.label(session), {"session": session.id})
        if len(sessions) > 8:
            layout.muted(_("and {n} more").format(n=len(sessions) - 8))


def download(role: tables.RoleCard) -> None:
    """The card as a file that can be brought in again."""
    held = role.model_dump()
    data = json.dumps({"title": role.title} | {name: held.get(name) for name in CARD}, ensure_ascii=False, indent=1)
    st.download_button(
        _("Save as a file"), data, file_name=f"role-{role.id}.json", mime="application/json", key="roles_download",
        type="tertiary", icon=":material/download:",
    )  # fmt: skip


building, role = role_building.draft(), chosen_role()
if role is not None:
    one(role)
elif building is not None:
    layout.title(_("Build a role"), _("Each step is shown as it happens. Change one where you like; the check runs at the end."))
    role_building.show(building)
else:
    library()
