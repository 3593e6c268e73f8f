"""What the address of a page asks for, and who writes: choices several pages share."""

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

from core.errors import NotFound
from core.files import record_id
from core.people import rights
from pages.components import badges, layout, resources
from pages.components.words import _
from storage import tables

Row = TypeVar("Row")


def record(name: str, get: Callable[[int], Row], what: rights.What | None = "see") -> Row | None:
    """The record the address names under this word; one that is gone is said, and none is shown.

    Raises:
        NotAllowed: it is somebody else's; the frame says so, in place of the page.
    """
    wanted = record_id(st.query_params.get(name, ""))
    if wanted is None:
        return None
    try:
        found = get(wanted)
        if what is not None:
            resources.require(what, found)
        return found
    except NotFound as error:
        layout.problem(error)
        return None


def session(name: str, *enough: rights.What) -> tables.Session | None:
    """The session the address names under this word; one that was withdrawn comes back too, for its page to say so.

    Args:
        enough: what the person has to be allowed to do with it, one of these; *see* if none is given.
    Raises:
        NotAllowed: it is somebody else's; the frame says so, in place of the page.
    """
    found = record(name, resources.store().sessions.get, None)
    if found is not None and not found.withdrawn and not any(resources.may(what, found) for what in enough):
        resources.require("see", found)
    return found


def writer(key: str) -> tables.Agent | None:
    """The writing agent, chosen here, with what that means for the text."""
    agents = resources.store().agents.all(seat="writer")
    if not agents:
        can = resources.is_researcher()
        words = _("There is no writing agent. Add one on Models and agents.") if can else _("There is no writing agent. Ask a researcher to add one.")
        layout.notice(words, "warning")
        return None
    names = {agent.id: resources.agent_name(agent) for agent in agents}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        agent = st.selectbox(_("Writer"), agents, format_func=lambda one: names[one.id], key=key, width=280)
        for badge in made_by(agent):
            badges.draw(badge)
    return agent


def made_by(agent: tables.Agent) -> list[badges.Badge]:
    """What an agent is, and where its texts go."""
    place = resources.store().endpoints.find(id=agent.endpoint_id) if agent.endpoint_id else None
    return [badges.engine(agent.engine, place.model if place else ""), badges.endpoint(place)]


def stays_here(agent: tables.Agent) -> bool:
    """Whether what an agent is sent stays on this machine."""
    place = resources.store().endpoints.find(id=agent.endpoint_id) if agent.endpoint_id else None
    return badges.endpoint(place).colour == "green"
