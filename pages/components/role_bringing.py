"""Roles that are not built here: a client profile a person writes, and roles from files."""

import streamlit as st

from core.errors import WorkbenchError
from core.roles import service
from pages.components import layout, resources, role_profile, session_view
from pages.components.words import _, language, many, plain, say

FOUND = "roles_brought"


def write_profile() -> None:
    """A client profile: what is at issue, who the client is, what it believes, and how it answers to help."""
    with st.expander(_("Write a client profile"), icon=":material/edit_note:"), st.form("roles_profile", border=False):
        layout.muted(_("A profile in sentences instead of traits, as clinicians write one."))
        title = st.text_input(_("Title"), key="roles_profile_title")
        profile = role_profile.fields({}, "roles_profile")
        spoken = st.selectbox(_("Language of the role"), ["en", "zh"], index=int(language() == "zh"), format_func=session_view.language_name, key="roles_profile_language")
        made_up = st.checkbox(_("No real person stands behind this profile."), key="roles_profile_made_up", help=_("Otherwise it stays on this machine until somebody says so."))
        if st.form_submit_button(_("Save profile"), key="roles_profile_save", icon=":material/save:"):
            save(title, spoken, profile, made_up)


def save(title: str, spoken: str, profile: dict[str, object], made_up: bool) -> None:
    try:
        card = service.write_profile(resources.store(), title, spoken, profile, resources.person(), made_up)
    except WorkbenchError as error:
        layout.problem(error)
        return
    st.query_params["role"] = str(card.id)
    st.rerun()


def bring_in() -> None:
    """Roles from files: ESC-Judge's JSON lines, client profiles, or cards exported here."""
    with st.expander(_("Bring in roles"), icon=":material/upload_file:"):
        layout.muted(_("JSON or JSON lines: roles as ESC-Judge published them, client profiles, or cards saved here. They stay on this machine until you say that they are made up."))
        files = st.file_uploader(_("Files"), type=["json", "jsonl"], accept_multiple_files=True, key="roles_files")
        if st.button(_("Bring in"), key="roles_import", disabled=not files):
            st.session_state[FOUND] = [take(file.name, file.getvalue()) for file in files or []]
            st.rerun()


def take(name: str, data: bytes) -> tuple[str, int, list[str]]:
    try:
        brought = service.import_roles(resources.store(), data, name)
    except WorkbenchError as error:
        return name, 0, [say(error)]
    return name, len(brought.saved), brought.messages


def what_happened() -> None:
    """What became of the files brought in last, once."""
    for name, count, messages in st.session_state.pop(FOUND, []):
        words = _("{name}: {n} brought in.").format(name=name, n=many("{n} role", "{n} roles", count))
        if not count:
            words = _("{name}: nothing was saved.").format(name=name)
        layout.notice(words, "done" if count and not messages else "warning")
        if messages:
            with st.expander(many("{n} remark on {name}", "{n} remarks on {name}", len(messages), name=plain(name))):
                for message in messages[:200]:
                    st.text(message)
