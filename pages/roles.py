"""Roles: build a simulated client step by step, write or bring in others, and read any of them whole."""

import streamlit as st

from core.clearance import Clearance, kind_of
from core.errors import WorkbenchError
from core.people import reviews
from core.roles import service
from pages.components import (
    asked,
    badges,
    deleting,
    layout,
    leaving,
    resources,
    reviewing,
    role_bringing,
    role_building,
    role_facets,
    role_library,
    role_profile,
    role_waiting,
    session_view,
)
from pages.components.words import _
from storage import tables

store = resources.store()


# ---- the library ---------------------------------------------------------------------------------


def library() -> None:
    layout.title(_("Roles"), _("Simulated clients: built from facets, written by hand, or brought in."))
    deleting.show_receipt()
    role_bringing.what_happened()
    if resources.is_researcher():
        role_building.set_aside()
        role_building.begin()
        role_waiting.all_at_once()
    roles = resources.visible(reversed(store.roles.cards()), "role card")
    if roles:
        role_library.listed(roles)
    elif not resources.is_researcher():
        layout.empty(_("No role card yet"), _("A researcher builds the roles; sessions with them appear under Sessions."), key="roles_empty")
    if resources.is_researcher():
        role_bringing.write_profile()
        role_bringing.bring_in()


# ---- one role ------------------------------------------------------------------------------------


def one(role: tables.RoleCard) -> None:
    sessions = resources.visible(store.sessions.of_card(role.card_id or 0))
    kind = _("Client profile") if role.kind == "profile" else _("Role card")
    versions = store.roles.versions(role.card_id or 0)
    layout.title(role.title, f"{kind} {role.card_id}", [badges.engine(role.engine), *role_profile.which_version(role, versions)])
    with st.container(horizontal=True, vertical_alignment="center"):
        layout.link("roles.py", _("All roles"))
        rename(role)
        download(role)
        deleting.button("role", role.card_id, role.title, key="roles_delete", record=role)
    layout.next_step(
        _("Try it in a live session"), _("Choose a counselor, and watch the two speak."),
        _("Open Live session"), "live.py", {"role": role.id}, key="roles_live",
    )  # fmt: skip
    role_profile.say_saved(role)
    unconfirmed(role)
    grid = st.grid(3, min_column_width=255)
    with grid.cell(column_span=2):
        whole(role)
    with grid.cell():
        beside(role, sessions)


def unconfirmed(role: tables.RoleCard) -> None:
    """A card that may be about a real person stays here until somebody says of these very words that it is not."""
    id = role.id or 0
    if kind_of(store, "role", id) is not Clearance.UNCONFIRMED or not resources.is_researcher():
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        by_hand = _("A person wrote in it, so it stays on this machine until you say that it is made up.")
        unknown = _("It may be about a real person, so it stays on this machine.")
        layout.muted(by_hand if role.engine in ("demo", "openai") else unknown)
        reviewing.button(
            _("No real person stands behind it"), "roles_made_up", id, reviews.hash_of("role", role),
            lambda hash: service.confirm_made_up(store, id, resources.person(), hash),
        )  # fmt: skip


def whole(role: tables.RoleCard) -> None:
    """Every facet, to be read and to be changed."""
    names, facets = role_facets.part_names(), role.model_dump()
    if role.kind == "profile":
        role_profile.draw(role)
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
        if st.form_submit_button(_("Save and check again"), key=f"roles_edit_save_{part}", icon=":material/save:"):
            try:
                saved = service.change_role(store, role.id or 0, resources.person(), **fields)
            except WorkbenchError as error:
                layout.problem(error)
                return
            role_profile.show_version(saved)


def rename(role: tables.RoleCard) -> None:
    if not resources.is_researcher():
        return
    with st.popover(_("Rename"), type="tertiary", icon=":material/edit:"):
        title = st.text_input(_("Title"), role.title, key=f"roles_title_{role.id}", width=360)
        if st.button(_("Save"), key="roles_rename", icon=":material/save:", disabled=title.strip() in ("", role.title)):
            try:
                service.change_role(store, role.id or 0, resources.person(), title=title.strip())
            except WorkbenchError as error:
                layout.problem(error)
                return
            st.rerun()


def beside(role: tables.RoleCard, sessions: list[tables.Session]) -> None:
    """The check, where the card comes from, and the sessions held with it."""
    if role.kind == "role":
        with st.container(border=True):
            layout.card_title(_("Consistency check"))
            role_facets.findings(role.checks)
    versions = store.roles.versions(role.card_id or 0)
    ways = {"stratified": _("Stratified"), "paper": _("As in the paper")}
    with st.container(border=True):
        layout.card_title(_("Where it comes from"))
        layout.facts(
            [
                (_("Made by"), badges.engine_words(role.engine)),
                *([(_("Changed by"), role.edited_by)] if role.edited_by else []),
                *([(_("Sampling"), ways[role.sampling]), (_("Seed"), role.seed)] if role.sampling in ways else []),
                (_("Language"), session_view.language_name(role.language)),
                (_("Date"), role.created[:10]),
            ]
        )  # fmt: skip
        reviewing.said("role", role.id or 0, reviews.hash_of("role", role))
    role_profile.history(role, versions)
    with st.container(border=True):
        layout.card_title(_("Sessions"))
        if not sessions:
            layout.muted(_("None yet."))
        held = {one.id: _("version {n}").format(n=one.version) for one in versions if len(versions) > 1}
        for session in sessions[:8]:
            words = _(" · ").join(part for part in (held.get(session.role_id), session_view.label(session)) if part)
            layout.link("sessions.py", words, {"session": session.id})
        if len(sessions) > 8:
            layout.muted(_("and {n} more").format(n=len(sessions) - 8))


def download(role: tables.RoleCard) -> None:
    if not resources.may("export", role) or not leaving.allowed("role", role.id or 0, "roles_unconfirmed"):
        return
    st.download_button(
        _("Save as a file"), leaving.still(store, "role", role.id or 0, role_library.as_file(role)), file_name=f"role-{role.id}.json", mime="application/json",
        key="roles_download", type="tertiary", icon=":material/download:", on_click="ignore",
    )  # fmt: skip


role = asked.record("role", store.roles.get)
if role is not None:
    one(role)
elif resources.is_researcher() and (building := role_building.asked_for()) is not None:
    layout.title(
        _("Build a role"), _("Each step is shown as it happens. Change one where you like; the check runs at the end."),
        role_building.made_by(building),
    )  # fmt: skip
    layout.link("roles.py", _("All roles"))
    role_building.show(building)
else:
    library()
