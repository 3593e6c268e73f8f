"""The one place where pages reach the store, the typed keys and who is sitting here."""

import os
from collections.abc import Iterable
from functools import cache
from typing import Any, Literal, TypeVar

import streamlit as st
import yaml

from core.errors import NotFound
from core.llm.agents import SHIPPED, ensure_shipped
from core.people import rights
from pages.components import identity
from pages.components.words import _, language
from storage import tables
from storage.store import Store, open_store

Row = TypeVar("Row")

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


def person() -> tables.Person:
    """The person here, by the secret in their browser or a sign-in. The frame lets nobody unknown in.

    Raises:
        NotFound: nobody is known here.
    """
    here = identity.found(store())
    if here is None:
        raise NotFound("This browser is not known yet. Reload the page.")
    return here


def may(what: rights.What, record: Any = None) -> bool:
    """Whether the person here may do this."""
    return rights.may(store(), person(), what, record)


def require(what: rights.What, record: Any = None) -> None:
    """Ask before an action, or before showing a record.

    Raises:
        NotAllowed: the person here may not; the frame says so in place of the page.
    """
    rights.require(store(), person(), what, record)


def see(record: Row) -> Row:
    """The record, if the person here may see it.

    Raises:
        NotAllowed: it is somebody else's; the frame says so in place of the page.
    """
    require("see", record)
    return record


def visible(rows: Iterable[Row], kind: Literal["session", "report", "role card"] = "session") -> list[Row]:
    """Those of many records, or rows of a list, that the person here may see."""
    return rights.visible(store(), person(), rows, kind)


def own_codes() -> tuple[str, ...]:
    """The counselor codes under which what the person here brings in or begins is theirs; none for a researcher.

    Raises:
        DataError: a counselor has no code.
    """
    return rights.series_of(store(), person())


def is_researcher() -> bool:
    return "researcher" in person().roles


def country() -> str:
    """The country whose crisis numbers are shown; empty until somebody chose one."""
    return str(store().settings.get("country", ""))


def role_name(code: str) -> str:
    return {
        "researcher": _("Researcher"), "supervisor": _("Supervisor"), "counselor": _("Counselor"), "rater": _("Rater"),
        "client": _("Client"),
    }[code]  # fmt: skip


def agent_name(agent: tables.Agent) -> str:
    """An agent's name; a shipped one's in the language of this session."""
    if agent.name in shipped_agents() and language() == "zh":
        return str(shipped_agents()[agent.name].get("zh") or agent.name)
    return agent.name


@cache
def shipped_agents() -> dict[str, dict[str, str]]:
    """The agents that come with the workbench, by name."""
    return {known["name"]: known for known in yaml.safe_load(SHIPPED.read_text("utf-8"))}
