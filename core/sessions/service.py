"""Sessions: two seats make turns, each saved before the next begins."""

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from functools import partial
from typing import Any

from core.errors import DataError, ModelError, Refused, WorkbenchError
from core.llm.asking import ask, make_question
from core.llm.seam import Engine
from core.people import agreements
from core.sessions import ending, safety, seating
from core.sessions.casting import Cast, Ear, OnText, OnTurn, Speaker, check_seats
from core.sessions.detector import Detector
from core.sessions.seating import Place
from core.sessions.stages import stage_of
from storage import tables
from storage.store import Store

LONGEST = 4000  # characters a person may say in one turn
KeepTurn = Callable[[tables.Turn], Awaitable[tables.Turn]]
keeping_turns: ContextVar[KeepTurn | None] = ContextVar("keeping_turns", default=None)  # a study saves in groups


def begin(
    store: Store,
    role: tables.RoleCard | None,
    client_agent: tables.Agent | None,
    counselor_agent: tables.Agent | None,
    *,
    most_turns: int = 20,
    opener: str | None = None,
    first: str = "counselor",
    seed: int = 0,
    language: str | None = None,
    title: str = "",
    report: tables.Report | None = None,
    client_code: str = "",
    counselor_code: str = "",
    number: int | None = None,
    date: str = "",
    topic: str = "",
    unit_id: int | None = None,
) -> tables.Session:
    """Save a session that is ready to be held.

    Args:
        role: whom the client's agent plays; may be ``None`` when a person will take the client's seat.
        opener: the fixed first line, spoken by ``first`` and not counted; ``None`` for the default line of the
            language, empty for none (then ``first`` speaks the first turn in its own words).
        first: the seat that opens.
        language: follows the role, or the report, unless there is neither.
        unit_id: the unit of a study that makes it, which names it in the same moment.
    Raises:
        DataError: an agent does not fit its seat, or the limit is out of range.
    """
    check_seats(role, client_agent, counselor_agent)
    spoken = language or (role.language if role else report.language if report else "en")
    line = seating.opener_text(spoken) if opener is None else opener.strip()
    kinds = [agent.engine if agent else "person" for agent in (client_agent, counselor_agent)]
    session = tables.Session(
        title=title or " · ".join(part.title if isinstance(part, tables.RoleCard) else part.name
                                  for part in (role, counselor_agent) if part is not None),
        origin="simulated" if client_agent and counselor_agent else "live",
        language=spoken, role_id=role.id if role else None, report_id=report.id if report else None,
        client_agent_id=client_agent.id if client_agent else None,
        counselor_agent_id=counselor_agent.id if counselor_agent else None,
        client_code=client_code, counselor_code=counselor_code, number=number, date=date, topic=topic,
        state="paused", ended_by="ready", most_turns=seating.check_limit(most_turns), seed=seed,
        engine=seating.engine_label(*kinds),
    )  # fmt: skip
    opening = tables.Turn(session_id=0, position=1, seat=first, text=line, stage=seating.OPENER)
    if not line:
        opening = tables.Turn(session_id=0, position=1, seat=first, text="", state="partial")
    return store.sessions.add_with_turns(session, [opening], unit_id)


def cast_of(store: Store, session: tables.Session) -> Cast:
    ids = {"client": session.client_agent_id, "counselor": session.counselor_agent_id}
    agents = {seat: store.agents.get(id) if id else None for seat, id in ids.items()}
    return Cast(session, store.roles.get(session.role_id) if session.role_id else None, agents)


async def converse(
    store: Store,
    engine_client: Engine | None,
    engine_counselor: Engine | None,
    session_id: int,
    *,
    on_text: OnText = None,
    on_turn: OnTurn = None,
    stop: Callable[[], bool] | None = None,
    detector: Detector | None = None,
    study_id: int | None = None,
    unit_id: int | None = None,
) -> tables.Session:
    """Let the session go on from where it stands until it ends, is stopped, or waits for a person.

    Args:
        engine_client, engine_counselor: ``None`` where a person sits; the session then rests at that turn.
        on_turn: told position and seat whenever a turn begins (again); ``on_text`` gets its pieces.
        stop: asked before each turn.
        detector: the trained end-of-conversation detector; without it the farewell rules decide.
    Raises:
        DataError: the session was withdrawn.
        ModelError, PromptError: a turn could not be made. All turns before it are saved, the session is paused
            with the reason, and ``converse`` goes on at that turn when called again.
    """
    session = store.sessions.get(session_id)
    if session.state == "ended":
        return session
    seating.check_used(session)
    session = store.sessions.update(session_id, state="running", ended_by="")
    engines = {"client": engine_client, "counselor": engine_counselor}
    turns = store.sessions.turns(session_id)
    try:
        crew = cast_of(store, session)
        while not (reason := over(session, turns, detector)):
            place = seating.next_place(turns)
            engine = engines[place.seat]
            if engine is None or (stop is not None and stop()):
                return rest(store, session_id, "waiting" if engine is None else "stopped")
            ear = Ear(engine, place, on_text, on_turn)
            turn = await _speak(store, crew, ear, turns, study_id, unit_id)
            turns = [*turns[: place.position - 1], turn]
    except asyncio.CancelledError:
        rest(store, session_id, "paused")
        raise
    except WorkbenchError as error:
        rest(store, session_id, "error", fault_of(error, seating.next_place(turns).position))
        raise
    return finish(store, session_id, turns, reason)


async def _speak(
    store: Store, crew: Cast, ear: Ear, turns: list[tables.Turn], study_id: int | None, unit_id: int | None
) -> tables.Turn:
    """Ask for one turn and save it; what was said of a turn that broke off is saved as partial.

    Nothing is saved of a turn that answers words which were deleted or withdrawn meanwhile.
    """
    place, call_id = ear.place, None
    try:
        question = crew.question(partial(make_question, store), place, turns)
        answer, call_id = await ask(store, ear, question, study_id=study_id, unit_id=unit_id)
        if not answer.usable:
            ear.said = [answer.text]
            raise ModelError(
                "The {seat} said nothing usable at turn {n} of session {id}: {reason}. Try again, raise the agent's "
                "length limit, or choose another agent; the turns before it are saved.",
                seat=place.seat, n=place.position, id=crew.id, reason=answer.reason,
            )  # fmt: skip
    except (WorkbenchError, asyncio.CancelledError):
        if "".join(ear.said).strip() and store.sessions.get(crew.id).edition == crew.session.edition:
            put(store, crew.id, place, "".join(ear.said), crew.speaker(place.seat), state="partial", call_id=call_id)
        raise
    text = str(answer.value).strip()
    stage = ""
    if place.seat == "counselor":
        said = [turn.text for turn in seating.complete(turns) if turn.seat == "counselor"]
        stage = stage_of(crew.agents["counselor"], crew.session.language, [*said, text])
    if (keep := keeping_turns.get()) is not None:
        fields = turn_fields(place, text, crew.speaker(place.seat), "complete", stage, call_id)
        return await keep(tables.Turn(id=place.turn_id, session_id=crew.id, **fields))
    return put(store, crew.id, place, text, crew.speaker(place.seat), stage=stage, call_id=call_id)


def put(
    store: Store, session_id: int, place: Place, text: str, speaker: Speaker, *, state: str = "complete",
    stage: str = "", call_id: int | None = None,
) -> tables.Turn:  # fmt: skip
    """Save a turn in its place, over the partial one that stands there."""
    fields = turn_fields(place, text, speaker, state, stage, call_id)
    if place.turn_id is not None:
        return store.sessions.complete_turn(place.turn_id, **fields)
    return store.sessions.add_turn(tables.Turn(session_id=session_id, **fields))


def turn_fields(
    place: Place, text: str, speaker: Speaker, state: str, stage: str, call_id: int | None
) -> dict[str, Any]:  # fmt: skip
    return {
        "position": place.position, "seat": place.seat, "text": text, "state": state, "stage": stage,
        "call_id": call_id, "risk": safety.risk_of(place.seat, text), **speaker._asdict(),
    }  # fmt: skip


def over(session: tables.Session, turns: list[tables.Turn], detector: Detector | None = None) -> str:
    """Why the session has ended (``farewell``, ``detector`` or ``limit``); empty while it goes on."""
    if turns and turns[-1].state == "partial":
        return ""
    said = marked(turns)
    if ending.since(said, session.branch_turn):  # what ended the session it was branched off from does not end it
        if detector is not None and detector.ended(said) and not ending.in_danger(said):
            return "detector"
        if detector is None and ending.ended(said):
            return "farewell"
    return "limit" if seating.spoken(turns) >= session.most_turns else ""


def marked(turns: list[tables.Turn]) -> list[dict[str, Any]]:
    """Complete turns as ``ending`` reads them: with the signs of danger they were saved with."""
    return [one | {"risk": turn.risk} for turn in seating.complete(turns) for one in seating.as_inputs([turn])]


def rest(store: Store, session_id: int, why: str, fault: dict[str, Any] | None = None) -> tables.Session:
    """Pause the session, saying why in a code; a fault is kept with it."""
    fields: dict[str, Any] = {"state": "paused", "ended_by": why}
    if fault is not None:
        fields["faults"] = [*store.sessions.get(session_id).faults, fault]
    return store.sessions.update(session_id, **fields)


def finish(store: Store, session_id: int, turns: list[tables.Turn], why: str) -> tables.Session:
    """End the session; what a judge reads stops where the conversation first ended."""
    cut = ending.cut_at(marked(turns), branched=store.sessions.get(session_id).branch_turn)
    return store.sessions.update(session_id, state="ended", ended_by=why, cut_at=cut)


def fault_of(error: WorkbenchError, position: int) -> dict[str, Any]:
    """An error as it is kept with a session, so that everyone reads it in their own language.

    Its kind tells an ``endpoint`` that did not answer from any other ``error``.
    """
    values = {name: str(value) for name, value in error.values.items()}
    kind = "endpoint" if isinstance(error, ModelError) and not isinstance(error, Refused) else "error"
    return {"kind": kind, "turn": position, "message": error.message, "values": values}


def stop_session(store: Store, session_id: int) -> tables.Session:
    """A person stops the session for good; its turns stay, and it can be branched."""
    return store.sessions.update(session_id, state="stopped", ended_by="person")


def say(store: Store, session_id: int, seat: str, text: str, person: tables.Person, seen: int | None = None) -> tables.Turn:
    """Save what a person in a seat says as the next turn.

    Args:
        seen: position of the last turn they had before them when they wrote (0: none); ``None`` where nobody looked.
    Raises:
        DataError: nothing or too much was written, something was said meanwhile, the other seat speaks next, somebody
            else (or nobody) sits in the seat, or the session has ended or was withdrawn. Nothing was saved then.
    """
    words, members = text.strip(), store.persons.members(person.id or 0)

    def next_turn(session: tables.Session, turns: list[tables.Turn]) -> tables.Turn:
        seating.check_open(session)
        seating.check_sits(session, seat, members)
        place = seating.check_turn(session, turns, seat, seen, members)
        if not words or len(words) > LONGEST:
            raise DataError(
                "A turn has 1 to {most} characters; this one has {n}. Change it and send it again; nothing was saved.",
                most=LONGEST, n=len(words),
            )  # fmt: skip
        fields = turn_fields(place, words, Speaker("person", None, person.id), "complete", "", None)
        return tables.Turn(id=place.turn_id, session_id=session_id, **fields)

    turn = store.sessions.say_next(session_id, next_turn)
    if not getattr(store.sessions.get(session_id), f"{seat}_code"):  # by their first words a session becomes one of theirs
        agreements.set_codes(store, "session", session_id, **{f"{seat}_code": code_in(person, seat)})
    return turn


def code_in(person: tables.Person, seat: str) -> str:
    """The code a person goes by in a seat."""
    codes: list[str] = getattr(person, f"{seat}_codes")
    return next(iter(codes), person.code)


def check_free(store: Store, session_id: int, seat: str, person: tables.Person) -> tables.Session:
    """The session, where the person may take the seat.

    Raises:
        DataError: somebody else sits there, or the session was withdrawn.
    """
    session = store.sessions.get(session_id)
    seating.check_used(session)
    seating.check_free(session, seat, store.persons.members(person.id or 0))
    return session


def take_seat(store: Store, session_id: int, seat: str, person: tables.Person) -> tables.Session:
    """A person takes a seat. What they say travels as far as they agreed; a simulated session becomes a live one,
    while what was imported or rebuilt stays so, since its text needs its review all the same. It bears their code once
    they speak.

    Raises:
        DataError: somebody else sits there; only they leave it, or a researcher frees it.
    """
    session = check_free(store, session_id, seat, person)
    fields: dict[str, Any] = {"engine": "mixed"} | ({"origin": "live"} if session.origin == "simulated" else {})
    if not store.sessions.sit(session_id, seat, person.id or 0, store.persons.members(person.id or 0), **fields):
        raise seating.taken(session_id, seat)
    return store.sessions.get(session_id)


def check_leaves(store: Store, session_id: int, seat: str, person: tables.Person) -> None:
    """Raises DataError: somebody else sits there, and the person is no researcher."""
    if "researcher" not in person.roles:
        seating.check_sits(store.sessions.get(session_id), seat, store.persons.members(person.id or 0))


def leave_seat(store: Store, session_id: int, seat: str, person: tables.Person) -> tables.Session:
    """Hand the seat back to its agent; what was said stays, and stays of whoever said it.

    Raises:
        DataError: somebody else sits there, and the person is no researcher.
    """
    check_leaves(store, session_id, seat, person)
    return store.sessions.update(session_id, **{f"{seat}_person_id": None})


def branch(
    store: Store, session_id: int, at: int, person: tables.Person, *, counselor_agent: tables.Agent | None = None,
    most_turns: int | None = None, seed: int | None = None,
) -> tables.Session:  # fmt: skip
    """A new session that begins like this one, up to and with turn ``at``.

    Copied turns name no call: their provenance is the parent's. They keep who spoke; but only the person who makes
    the branch still sits in it. It can always go on: what ended the parent does not end it.

    Args:
        most_turns: its limit, those of the beginning counted; without it the parent's, or more where that is reached.
    Raises:
        DataError: the session has no complete turn there, was withdrawn, or the limit leaves nothing to say.
    """
    parent = store.sessions.get(session_id)
    seating.check_used(parent)
    kept = [turn for turn in store.sessions.turns(session_id) if turn.position <= at and turn.state in ("complete", "deleted")]
    if not kept or kept[-1].position != at or kept[-1].state == "deleted":
        raise DataError(
            "Session {id} has no complete turn {at} to branch from. Choose another turn; nothing was saved.",
            id=session_id, at=at,
        )  # fmt: skip
    siblings = store.sessions.count(parent_id=session_id)
    fields = parent.model_dump(exclude={"id", "created", "faults", "number", "cut_at"})
    fields |= {
        "parent_id": session_id, "branch_turn": at, "state": "paused", "ended_by": "ready",
        "most_turns": seating.branch_limit(parent.most_turns, kept, most_turns),
        "seed": seed if seed is not None else seating.turn_seed(parent.seed, -1 - siblings),
    }  # fmt: skip
    members = store.persons.members(person.id or 0)
    fields |= {f"{seat}_person_id": None for seat in seating.SEATS if seating.sitter(parent, seat) not in members}
    if counselor_agent is not None:
        check_seats(None, None, counselor_agent)
        fields |= {"counselor_agent_id": counselor_agent.id, "counselor_person_id": None}
    copies = [
        tables.Turn(**turn.model_dump(exclude={"id", "session_id", "call_id", "created"}), session_id=0)
        for turn in kept
    ]
    return store.sessions.add_with_turns(tables.Session(**fields), copies)
