"""What the pages about sessions share: who sits where, the role card, where a session stands, in words."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import streamlit as st

from core.llm import engines
from core.llm.seam import Engine
from core.people import answers
from core.people.agreements import Who
from core.roles import ingredients
from core.sessions import ending, figures, safety, seating
from pages.components import badges, deleting, layout, places, resources
from pages.components.words import _, in_words, language
from storage import tables

SHOWN_TRAITS = 6


def seat_name(seat: str) -> str:
    return {"client": _("Client"), "counselor": _("Counselor")}.get(seat, seat)


def origin_name(origin: str) -> str:
    return {
        "simulated": _("Simulated"),
        "reconstructed": _("Rebuilt from a report"),
        "imported": _("Imported"),
        "live": _("With a person"),
    }.get(origin, origin)


def language_name(code: str) -> str:
    return {"en": "English", "zh": "中文"}.get(code, code)


def agent_of(session: tables.Session, seat: str) -> tables.Agent | None:
    id = getattr(session, f"{seat}_agent_id")
    return resources.store().agents.find(id=id) if id else None


def endpoint_of(agent: tables.Agent | None) -> tables.Endpoint | None:
    """Where an agent's engine is; ``None`` for the demo engine."""
    if agent is None or agent.endpoint_id is None:
        return None
    return resources.store().endpoints.find(id=agent.endpoint_id)


def role_of(session: tables.Session) -> tables.RoleCard | None:
    return resources.store().roles.find(id=session.role_id) if session.role_id else None


def names(session: tables.Session) -> dict[str, str]:
    """Names for the lines over the turns: of the seats, and of each agent that may have spoken in them.

    A person's turns bear that person's code; a seat taken later does not rename the turns before it.
    """
    role, agent = role_of(session), agent_of(session, "counselor")
    found = {
        "client": role.title if role else session.client_code,
        "counselor": resources.agent_name(agent) if agent else session.counselor_code,
    }
    for one in resources.store().agents.all(seat="counselor"):
        found[f"counselor agent {one.id}"] = resources.agent_name(one)
    return found | {f"person {id}": code for id, code in resources.store().persons.names().items()}


def sitting(session: tables.Session) -> dict[str, str]:
    """Who sits in the seats now: a person by code, else as ``names`` says."""
    called = names(session)
    return {seat: called.get(f"person {person_in(session, seat)}") or called[seat] for seat in ("client", "counselor")}


def person_in(session: tables.Session, seat: str) -> int | None:
    """The id of the person who sits in a seat now."""
    found: int | None = getattr(session, f"{seat}_person_id")
    return found


def engines_of(session: tables.Session, pace: float) -> dict[str, Engine | None]:
    """The engines of both seats; ``None`` where a person sits.

    Raises:
        DataError: an endpoint is gone, or its key is not known here.
    """
    found: dict[str, Engine | None] = {}
    for seat in ("client", "counselor"):
        agent = agent_of(session, seat)
        person = person_in(session, seat)
        found[seat] = (
            None
            if person or agent is None
            else engines.engine_of(resources.store(), agent, resources.keys(), pace=pace)
        )
    return found


def made_by(session: tables.Session) -> list[badges.Badge]:
    """Which engine made the session, and whether its text leaves this machine."""
    agents = [agent_of(session, seat) for seat in ("client", "counselor")]
    shown = [badges.engine(session.engine)]
    if session.engine == "mixed":
        kinds = dict.fromkeys(agent.engine for agent in agents if agent is not None)
        shown = [badges.engine(kind) for kind in kinds]
        if written_by_a_person(session):
            shown.append(badges.engine("person"))
    outside = [badge for agent in agents if (badge := badges.endpoint(endpoint_of(agent))).colour == "yellow"]
    if session.state in ("ended", "stopped") or session.origin == "imported":
        return shown
    return [*shown, *(outside or [badges.local(True)])]


def written_by_a_person(session: tables.Session) -> bool:
    """Whether a person sits in a seat, or spoke in one before it was handed back."""
    turns = resources.store().sessions.turns(session.id or 0)
    spoke = any(turn.speaker in ("person", "unknown person") for turn in turns)
    return spoke or bool(session.client_person_id or session.counselor_person_id)


def role_card(role: tables.RoleCard) -> None:
    """The role card beside a session: who this is, and how they are."""
    layout.card_title(_("Role card {title}").format(title=role.title), icon="badge")
    person = role.demographics
    pairs = [
        (_("Stressor"), str(role.stressor.get("label", ""))),
        (_("Age, work"), _(", ").join(str(person[k]) for k in ("age", "occupation") if person.get(k))),
        (_("Family"), str(person.get("family_status", ""))),
        (_("Life events"), _("; ").join(event.rstrip(".。") for event in role.life_events)),
        (_("Behavior"), str(role.profile.get("behavior", ""))),
        (_("Receptivity"), _("{n} of 5").format(n=role.profile["receptivity"]) if role.profile.get("receptivity") else ""),
    ]  # fmt: skip
    chips = traits(role)
    more = [f"+{len(chips) - SHOWN_TRAITS}"] if len(chips) > SHOWN_TRAITS else []
    layout.facts(
        [(label, value) for label, value in pairs if value],
        [*chips[:SHOWN_TRAITS], *more],
        text_language=role.language,
    )


def traits(role: tables.RoleCard) -> list[str]:
    known = ingredients.traits()
    return [
        known[sub][code].label.of(language()) if code in known.get(sub, {}) else code
        for sub, code in role.traits.items()
    ]


def seats(session: tables.Session) -> None:
    """Who sits in the two seats, and what speaks for them."""
    layout.card_title(_("Seats"))
    called = sitting(session)
    pairs = []
    for seat in ("client", "counselor"):
        agent, person = agent_of(session, seat), person_in(session, seat)
        engine = badges.engine_words("person" if person else agent.engine if agent else "imported")
        pairs.append((seat_name(seat), _(" · ").join(part for part in (called[seat], engine) if part)))
    layout.facts(pairs)


def so_far(turns: Sequence[tables.Turn]) -> None:
    """The session in figures; length counts words, or Chinese characters."""
    layout.card_title(_("How long it is"))
    found = figures.of(turns)
    share = "–" if found.client_share is None else f"{found.client_share * 100:.0f} %"
    per_turn = "–" if found.per_turn is None else f"{found.per_turn:.1f}"
    layout.facts(
        [
            (_("Turns"), found.turns),
            (_("Client speaks"), share),
            (_("Words or characters a turn"), per_turn),
        ]
    )


def risk_words(turns: Sequence[tables.Turn]) -> list[str]:
    """What was marked, turn by turn: the kind and the words."""
    return [
        _("turn {n}: {kind} (“{phrase}”)").format(
            n=turn.position, kind=safety.name_of(mark["kind"], language()), phrase=mark["phrase"]
        )
        for turn in turns
        for mark in turn.risk
    ]


def awaits_a_person(session: tables.Session) -> bool:
    """Whether a person sits in the seat that speaks next."""
    place = seating.next_place(resources.store().sessions.turns(session.id or 0))
    return bool(person_in(session, place.seat))


def ended_words(session: tables.Session) -> str:
    """Why the session ended or rests, in words."""
    if session.ended_by == "waiting" and not awaits_a_person(session):
        return _("The seat is the agent's again. Choose Continue to go on.")
    why: Mapping[str, str] = {
        "farewell": _("Both said goodbye: the farewell rules ended the session."),
        "detector": _("The trained detector found the end of the conversation."),
        "limit": limit_words(session) if session.ended_by == "limit" else "",
        "person": _("A person stopped the session. Its turns are kept."),
        "imported": _("Imported as it is."),
        "ready": _("Ready. Choose Start."),
        "paused": _("Paused. Choose Continue to go on; a turn that broke off is said again."),
        "stopped": _("Paused. Choose Continue to go on."),
        "restart": _("The workbench was started anew, and the session stands where it was. Choose Continue."),
        "waiting": _("It is a person's turn."),
        "risk": _("The session rests, because of what was said last."),
        "error": _("The session rests, because a turn could not be made."),
    }
    return why.get(session.ended_by, "")


def limit_words(session: tables.Session) -> str:
    """That the limit was reached; with a goodbye in its last turn, and an opener that does not count, where it is so."""
    turns = seating.complete(resources.store().sessions.turns(session.id or 0))
    goodbye = bool(turns) and ending.parts(turns[-1].text)
    words = _("The session said goodbye at its limit of {n} turns.") if goodbye else _("The session reached its limit of {n} turns.")
    opened = _(" The opening turn does not count.") if seating.spoken(turns) < len(turns) else ""
    return words.format(n=session.most_turns) + opened


def withdrawn(session: tables.Session) -> None:
    """What stands in the place of a session that somebody withdrew: no word of it, to nobody."""
    layout.title(_("Session {n}").format(n=session.id))
    with st.container(border=True):
        layout.card_title(_("Withdrawn"), icon="visibility_off")
        me = Who(resources.person())
        mine = answers.withdrew(resources.store(), me, session.id or 0)
        st.text(
            _("You withdrew it on {date}. Nobody reads it any more, and it is left out of every page, figure and export. On Data and privacy you can delete your words, or agree again.").format(date=session.withdrawn[:10])
            if mine else
            _("Somebody who has a say in this session withdrew it on {date}. Nobody reads it any more, and it is left out of every page, figure and export. A researcher can delete it; whoever spoke in it can delete their words, or agree again, on Data and privacy.").format(date=session.withdrawn[:10])
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            layout.link("privacy.py", _("Data and privacy"))
            if places.is_open("sessions", resources.person().roles):
                layout.link("sessions.py", _("All sessions"))
            deleting.button("session", session.id, label(session), key="withdrawn_delete", record=session)


def label(session: tables.Session) -> str:
    """A session in one line, for choices; of a withdrawn one nothing but its number."""
    return labels([session])[session.id or 0]


LABELLED = ("id", "title", "origin", "withdrawn")  # columns a label is made of


def labels(sessions: Iterable[Any]) -> dict[int, str]:
    """Many sessions, each in one line, by id; what they have in common is put into words once.

    Args:
        sessions: rows with at least the columns ``LABELLED``.
    """
    rows = list(sessions)
    hidden, shown, untitled = _("{id} · withdrawn"), _("{id} · {title} ({origin})"), _("untitled")
    origins = {code: origin_name(code) for code in {row.origin for row in rows}}
    return {
        row.id: hidden.format(id=row.id) if row.withdrawn
        else shown.format(id=row.id, title=row.title or untitled, origin=origins[row.origin])
        for row in rows
    }  # fmt: skip


def opener_name(known: Mapping[str, dict[str, str]]) -> str:
    return in_words(known["name"])


def risk_list(turns: Sequence[tables.Turn]) -> None:
    """The marks under a transcript, as text."""
    for words in risk_words(turns):
        st.text(words)
