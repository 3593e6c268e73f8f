"""A client profile: written, read, and changed in sentences instead of traits."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from core.clearance import Clearance, kind_of
from core.errors import WorkbenchError
from core.roles import service
from pages.components import badges, layout, resources, transcript
from pages.components.words import _
from storage import tables

SAVED = "roles_saved_version"
LISTS = ("personas", "beliefs", "acceptable_plans")


def names() -> dict[str, str]:
    return {
        "behavior": _("Behavior at issue"), "personas": _("Who the client is"), "beliefs": _("What the client believes"),
        "motivation": _("What could move the client to change"), "acceptable_plans": _("Plans the client could accept"),
        "receptivity": _("Receptivity: 1 resists throughout, 5 is open to help"),
    }  # fmt: skip


def fields(now: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The fields of a profile inside a form; gives the profile as typed."""
    said = names()
    typed: dict[str, Any] = {}
    for part in ("behavior", "personas", "beliefs", "motivation", "acceptable_plans"):
        value = now.get(part) or ""
        if part in LISTS:
            text = st.text_area(said[part], "\n".join(value), key=f"{key}_{part}", height=100, help=_("One on each line."))
            typed[part] = [line.strip() for line in text.splitlines() if line.strip()]
        else:
            typed[part] = st.text_area(said[part], str(value), key=f"{key}_{part}", height=80).strip()
    typed["receptivity"] = int(st.slider(said["receptivity"], 1, 5, int(now.get("receptivity") or 3), key=f"{key}_receptivity"))
    return typed


def draw(role: tables.RoleCard) -> None:
    """A profile to be read, and to be changed by those who may."""
    said, told = names(), role.profile
    with st.container(border=True):
        layout.card_title(said["behavior"])
        transcript.text(str(told.get("behavior") or "–"), text_language=role.language)
        for part in LISTS:
            layout.card_title(said[part])
            transcript.text("\n".join(f"– {line}" for line in told.get(part) or []) or "–", text_language=role.language)
        layout.card_title(said["motivation"])
        transcript.text(str(told.get("motivation") or "–"), text_language=role.language)
        layout.card_title(_("Receptivity"))
        st.text(_("{n} of 5").format(n=told.get("receptivity", 3)))
        if resources.is_researcher():
            change(role)


def change(role: tables.RoleCard) -> None:
    with st.expander(_("Change"), icon=":material/edit:"), st.form(f"roles_edit_profile_{role.id}", border=False):
        typed = fields(role.profile, f"roles_edit_{role.id}")
        if st.form_submit_button(_("Save"), key="roles_edit_save_profile", icon=":material/save:"):
            try:
                saved = service.change_role(resources.store(), role.id or 0, resources.person(), profile=typed)
            except WorkbenchError as error:
                layout.problem(error)
                return
            show_version(saved)


def show_version(role: tables.RoleCard) -> None:
    """Open this version, by its own address, and say once that it was saved."""
    st.query_params["role"] = str(role.id)
    st.session_state[SAVED] = role.id
    st.rerun()


def say_saved(role: tables.RoleCard) -> None:
    """What became of the change that was just saved."""
    if st.session_state.pop(SAVED, None) != role.id:
        return
    words = _("Saved as version {n}. Sessions so far keep their version.").format(n=role.version)
    if kind_of(resources.store(), "role", role.id or 0) is Clearance.UNCONFIRMED:
        words += _(" It stays on this machine until you say that it is made up.")
    layout.notice(words)


def which_version(role: tables.RoleCard, versions: Sequence[tables.RoleCard]) -> list[badges.Badge]:
    """Which version is shown, where there is more than one."""
    if len(versions) < 2:
        return []
    return [badges.fact(_("Version {n} of {most}").format(n=role.version, most=versions[-1].version), "history")]


def history(role: tables.RoleCard, versions: Sequence[tables.RoleCard]) -> None:
    """All versions of the card, newest first; sessions keep the version they were held with."""
    if len(versions) < 2:
        return
    with st.container(border=True):
        layout.card_title(_("Versions"))
        for one in reversed(versions):
            words = _("Version {n}, {date}").format(n=one.version, date=one.created[:10])
            if one.id == role.id:
                st.text(words)
            else:
                layout.link("roles.py", words, {"role": one.id})
        layout.muted(_("A session keeps the version it was held with."))
