"""The one place where pages reach the store, the typed keys and who is sitting here."""

import os

import streamlit as st
import yaml

from core.llm.agents import SHIPPED, ensure_shipped
from pages.components.words import _, language
from storage import tables
from storage.store import Store, open_store

RIGHTS = ("researcher", "rater", "counselor")


@st.cache_resource(show_spinner=False)
def _opened(url: str) -> Store:
    opened = open_store()
    ensure_shipped(opened)
    return opened


def store() -> Store:
    """The store, opened once a process.

    Raises:
        StoreError: it cannot be opened; the frame says so before any page runs.
    """
    return _opened(os.environ.get("RAPPORT_DATABASE_URL", ""))


def keys() -> dict[str, str]:
    """Keys typed in this browser session, by base URL. They live in its memory and nowhere else."""
    return st.session_state.setdefault("typed_keys", {})


def signed_in() -> str:
    """The e-mail address a sign-in gives, or nothing."""
    return str(getattr(st.user, "email", "") or "")


def person() -> str:
    """The code of the person here: from a sign-in, else as chosen in the sidebar (no proof)."""
    return signed_in() or str(st.session_state.get("frame_person") or remembered_person())


def remembered_person() -> str:
    """The code used last in this workbench, so that one person at one machine types it once."""
    return str(store().settings.get("person", "P-01"))


def rights() -> str:
    """researcher, rater or counselor: what this person is here as."""
    chosen = st.session_state.get("frame_rights")
    return chosen if chosen in RIGHTS else "researcher"


def is_researcher() -> bool:
    return rights() == "researcher"


def country() -> str:
    """The country whose crisis numbers are shown; empty until somebody chose one."""
    return str(store().settings.get("country", ""))


def rights_name(code: str) -> str:
    return {"researcher": _("Researcher"), "rater": _("Rater"), "counselor": _("Counselor")}[code]


def agent_name(agent: tables.Agent) -> str:
    """An agent's name; a shipped one's in the language of this session."""
    shipped = {known["name"]: known for known in yaml.safe_load(SHIPPED.read_text("utf-8"))}
    if agent.name in shipped and language() == "zh":
        return str(shipped[agent.name].get("zh") or agent.name)
    return agent.name
