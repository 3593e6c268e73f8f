"""Cards that stay on this machine until a person says that they are made up: several at once, each of its own words."""

import streamlit as st

from core.people import reviews
from core.roles import service
from pages.components import layout, resources, role_facets, role_profile, transcript
from pages.components.words import _, many, plain, say
from storage import tables

SHOWN = 50  # cards to read at once
NOT_SAID, DRAWN = "roles_not_said", "roles_waiting_drawn"


def all_at_once() -> None:
    """What was imported or typed and nobody spoke for yet: read them here, tick those, say it once."""
    for error in st.session_state.pop(NOT_SAID, []):
        layout.notice(say(error), "warning")
    found = service.waiting(resources.store())[:SHOWN]
    if not found:
        return
    with st.expander(many("{n} role waits for your word", "{n} roles wait for your word", len(found)), icon=":material/person_alert:"):
        layout.muted(_("They were brought in or typed, and may be about real persons: they stay on this machine until you say that they are made up. Read each one; take off the tick where you are not sure."))
        before = st.session_state.get(DRAWN, {})  # what this tab showed when the button was pressed: no card that came since
        st.session_state[DRAWN] = {role.id or 0: drawn(role) for role in found}
        ticked = {id: hash for id, hash in before.items() if st.session_state.get(f"roles_tick_{id}")}
        if st.button(_("I have read these; all are made up"), key="roles_all_made_up", type="primary", icon=":material/check:"):
            st.session_state[NOT_SAID] = service.confirm_all_made_up(resources.store(), resources.person(), ticked)
            st.rerun()


def drawn(role: tables.RoleCard) -> str:
    """One card to read, with its tick; gives the hash of its words as drawn."""
    hash = reviews.hash_of("role", role)
    with st.container(border=True):
        st.checkbox(plain(role.title), True, key=f"roles_tick_{role.id}")
        if role.kind == "profile":
            lines = [role.profile.get("behavior", ""), *(line for part in role_profile.LISTS for line in role.profile.get(part) or []), role.profile.get("motivation", "")]
            transcript.text("\n".join(str(line) for line in lines if line), text_language=role.language)
        else:
            for part in ("stressor", "demographics", "life_events", "text"):
                role_facets.draw(part, role.model_dump(), role.language)
    return hash
