"""Who holds a session: the agents in their seats, what they are asked, and what is heard of them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from core.clearance import Source
from core.errors import DataError
from core.llm.engines import settings_of
from core.llm.seam import Answer, Endpoint, Engine, Language, Question
from core.sessions import seating
from core.sessions.seating import Place
from storage import tables

OnText = Callable[[str], None] | None
OnTurn = Callable[[int, str], None] | None


def check_seats(
    role: tables.RoleCard | None, client: tables.Agent | None, counselor: tables.Agent | None
) -> None:
    """Raises DataError: an agent sits in a seat it is not made for, or a client's agent has no role."""
    for seat, agent in (("client", client), ("counselor", counselor)):
        if agent is not None and agent.seat != seat:
            raise DataError(
                "The agent {name} is made for the seat {made}, not {seat}. Choose another agent; nothing was started.",
                name=agent.name, made=agent.seat, seat=seat,
            )  # fmt: skip
    if client is not None and role is None:
        raise DataError("The client's agent needs a role card. Choose one; nothing was started.")


class Speaker(NamedTuple):
    """Who spoke a turn, as it is kept with it: an agent, or a person."""

    speaker: str  # agent | person | unknown person | text
    agent_id: int | None = None
    person_id: int | None = None


@dataclass(frozen=True)
class Cast:
    """Everyone a session needs: the agents in their seats and the role the client plays."""

    session: tables.Session
    role: tables.RoleCard | None
    agents: dict[str, tables.Agent | None]

    @property
    def id(self) -> int:
        return self.session.id or 0

    def speaker(self, seat: str) -> Speaker:
        agent = self.agents[seat]
        return Speaker("agent", agent.id if agent else None)

    def question(self, make: Callable[..., Question], place: Place, turns: list[tables.Turn]) -> Question:
        """What is asked of the agent in this place; ``make`` is ``make_question`` at the session's store."""
        agent = self.agents[place.seat]
        if agent is None or (place.seat == "client" and self.role is None):
            raise DataError(
                "Nobody sits in the seat {seat} of session {id}. Choose an agent or take the seat; nothing was lost.",
                seat=place.seat, id=self.id,
            )  # fmt: skip
        said = seating.as_inputs(turns)
        opened = any(turn.stage == seating.OPENER for turn in turns)
        inputs: dict[str, Any] = {"turns": said}
        if place.seat == "client" and self.role is not None:
            inputs["role"] = seating.role_inputs(self.role)
        else:
            inputs["most_turns"] = self.session.most_turns + opened
        role = [Source("role", self.session.role_id)] if "role" in inputs and self.session.role_id else []
        return make(
            agent.prompt, inputs, language=cast(Language, self.session.language),
            settings=seating.sampling(settings_of(agent), agent.settings),
            seed=seating.turn_seed(self.session.seed, place.position),
            use="session", sources=[*role, Source("session", self.id, self.session.edition)],
        )  # fmt: skip


class Ear:
    """An engine that is listened to: keeps what the turn in flight has said so far."""

    def __init__(self, engine: Engine, place: Place, on_text: OnText, on_turn: OnTurn) -> None:
        self.endpoint: Endpoint = engine.endpoint
        self.version: str = engine.version
        self.engine, self.place, self.on_text, self.on_turn = engine, place, on_text, on_turn
        self.said: list[str] = []

    async def ask(self, question: Question, on_text: OnText = None) -> Answer:
        """Each try begins the turn anew, so a stream that broke leaves no words behind."""
        self.said.clear()
        if self.on_turn is not None:
            self.on_turn(self.place.position, self.place.seat)
        return await self.engine.ask(question, self._hear if self.on_text is not None else None)

    def _hear(self, piece: str) -> None:
        self.said.append(piece)
        if self.on_text is not None:
            self.on_text(piece)
