"""A counselor has an own session rated: a small study of this one session, by an agent that a researcher released.

It is a study like any other: the worker works it off, it survives a restart, and the gate and the consents hold.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core import instruments
from core.clearance import standing_of
from core.errors import DataError, Refused
from core.llm import gate
from core.llm.engines import place_of
from core.people import rights
from core.studies import service, versions
from core.studies.estimate import Estimate, estimate
from storage import tables
from storage.store import Store

REPEATS = 3


@dataclass(frozen=True)
class Wish:
    """Which session is to be rated, by which released agent, on which instrument."""

    session: tables.Session
    agent: tables.Agent
    instrument: str

    def design(self) -> dict[str, Any]:
        rating = {
            "kind": "ratings", "sessions": [self.session.id], "judges": [self.agent.name], "instrument": self.instrument,
            "repeats": REPEATS,
        }  # fmt: skip
        asked = instruments.load(self.instrument).name.of("en")
        name = f"Session {self.session.id} · {self.agent.name} · {asked}"
        return {"name": name, "language": self.session.language, "steps": [rating]}


def offered(store: Store) -> list[tables.Agent]:
    """The judges that a researcher released for counselors."""
    return store.agents.all(seat="judge", released=True)


def release(store: Store, person: tables.Person, agent_id: int, released: bool) -> tables.Agent:
    """Let counselors have their own sessions rated by an agent, or no longer; what it has begun goes on.

    Raises:
        NotAllowed: the person is no researcher. DataError: the agent is no judge.
    """
    agent = store.agents.get(agent_id)
    rights.require(store, person, "agents", agent)
    if released and agent.seat != "judge":
        raise DataError("{name} is no judge, so it cannot rate. Release a judge; nothing was changed.", name=agent.name)
    return store.agents.update(agent_id, released=released)


def expected(store: Store, wish: Wish) -> Estimate:
    """What it will take: calls, money where a price is known, time.

    Raises:
        DataError, Refused: it cannot be rated so; the sentence says why.
    """
    check(store, wish)
    _design, made, _drawn = service.plan(store, wish.design())
    return estimate(store, made)


def have_rated(store: Store, person: tables.Person, wish: Wish, keys: Mapping[str, str] | None = None, worker: bool = True) -> tables.Study:
    """Begin, or go on with, the rating of a person's own session.

    Raises:
        NotAllowed: it is not theirs, or the agent is not released. DataError, Refused: it cannot be rated so.
    """
    rights.require(store, person, "rate", wish.session)
    rights.require(store, person, "rate", wish.agent)
    check(store, wish)
    mine = asked_before(store, person, wish)
    study = mine[-1] if mine else service.begin(store, wish.design(), person)
    return service.start(store, study.id or 0, keys, worker)


def asked_before(store: Store, person: tables.Person, wish: Wish) -> list[tables.Study]:
    """The studies by which this person asked for the very same, in the versions that are here, oldest first."""
    known = [study for study in of_session(store, wish.session.id or 0) if study.design["steps"] == design_steps(wish)]
    known = [study for study in known if not versions.moved(store, study.id or 0, "all")]
    return [study for study in known if rights.may(store, person, "study", study)]


def is_rated(store: Store, person: tables.Person, wish: Wish) -> bool:
    """Whether they asked for the very same before, and it is finished."""
    before = asked_before(store, person, wish)
    return bool(before) and before[-1].state == "finished"


def design_steps(wish: Wish) -> Any:
    """The steps as a study keeps them."""
    return service.read_design(wish.design()).model_dump(mode="json")["steps"]


def check(store: Store, wish: Wish) -> None:
    """Say before anything is planned what the gate would refuse for each of its questions.

    Raises:
        DataError: the session has not ended, or there is nothing in it to rate.
        Refused: not everybody who spoke agreed to this, or its text may not leave this machine.
    """
    place = place_of(store.endpoints.get(wish.agent.endpoint_id)) if wish.agent.endpoint_id else None
    outside = place.base_url if place is not None and not gate.is_local(place) else ""
    held_back = gate.held_back(standing_of(store, "session", wish.session.id or 0), "rating", outside)
    if held_back:
        raise Refused(held_back, noun="session", id=wish.session.id, where=outside)
    if wish.session.id not in {row["id"] for row in service.session_rows(store)}:
        raise DataError(
            "Session {id} cannot be rated: it has not ended, or words in it were deleted. End it first; nothing was started.",
            id=wish.session.id,
        )


def session_of(study: tables.Study) -> int | None:
    """The session of a study that rates this one session only, for whoever asked; ``None`` for any other study."""
    steps = study.design.get("steps", [])
    if study.person_id is None or len(steps) != 1 or steps[0].get("kind") != "ratings":
        return None
    sessions = steps[0].get("sessions")
    return int(sessions[0]) if isinstance(sessions, list) and len(sessions) == 1 else None


def of_session(store: Store, session_id: int) -> list[tables.Study]:
    """The studies that rate this one session only, oldest first."""
    return [study for study in store.studies.all() if session_of(study) == session_id]
