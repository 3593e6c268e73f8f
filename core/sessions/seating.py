"""Who speaks next, with which seed, from which inputs. Pure."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from core.errors import DataError, msg
from core.llm.seam import Settings
from storage import tables

OPENERS = Path(__file__).parents[2] / "prompts" / "sessions" / "openers.yaml"
OPENER = "opener"  # the stage code of the fixed first line
SEATS = ("client", "counselor")
SAMPLING = {"temperature": 0.7, "top_p": 0.9, "max_tokens": 512}  # ESC-Judge §3.3
LEAST_TURNS, MOST_TURNS = 2, 200
MORE_TURNS = 10  # what a branch may go on for where its beginning is as long as the parent could be


@dataclass(frozen=True)
class Place:
    """The turn to be spoken; ``turn_id`` names the partial turn that stands there, if any."""

    position: int
    seat: str
    turn_id: int | None = None


def other(seat: str) -> str:
    return "counselor" if seat == "client" else "client"


def complete(turns: Sequence[tables.Turn]) -> list[tables.Turn]:
    """The turns that were spoken to their end; partial ones are never judged or answered."""
    return [turn for turn in turns if turn.state == "complete"]


def spoken(turns: Sequence[tables.Turn]) -> int:
    """How many utterances count towards the limit: complete ones, the opener left out."""
    return sum(turn.stage != OPENER for turn in complete(turns))


def next_place(turns: Sequence[tables.Turn]) -> Place:
    """Where the session goes on: at the turn that was left partial, else after the last one."""
    if not turns:
        return Place(1, "client")
    last = turns[-1]
    if last.state == "partial":
        return Place(last.position, last.seat, last.id)
    return Place(last.position + 1, other(last.seat))


def sitter(session: tables.Session, seat: str) -> int | None:
    """The id of the person who sits in a seat."""
    found: int | None = getattr(session, f"{seat}_person_id")
    return found


def check_used(session: tables.Session) -> None:
    """Raises DataError: the session was withdrawn, so nothing is done with it any more."""
    if session.withdrawn:
        raise DataError(
            "Session {id} was withdrawn by somebody who has a say in it, so it does not go on. Begin another one.",
            id=session.id,
        )


def check_open(session: tables.Session) -> None:
    """Raises DataError: nothing is said in the session any more: it was withdrawn, has ended, or was stopped."""
    check_used(session)
    if session.state in ("ended", "stopped"):
        raise DataError("Session {id} has ended, so your words were not sent. What was said in it before is saved.", id=session.id)


def check_turn(
    session: tables.Session, turns: Sequence[tables.Turn], seat: str, seen: int | None, members: Collection[int]
) -> Place:
    """Where the words of a person in a seat go, if it is their turn and nothing was said since they looked.

    Raises:
        DataError: somebody spoke meanwhile (who, and where), or the other seat speaks next.
    """
    newer = [turn for turn in turns if seen is not None and turn.position > seen and turn.state != "partial"]
    if newer:
        own = newer[0].seat == seat and newer[0].person_id in members
        raise DataError(OWN_WORDS if own else OTHERS_WORDS, seat=newer[0].seat, n=newer[0].position, id=session.id)
    place = next_place(turns)
    if place.seat != seat:
        raise DataError(
            "The {seat} speaks next in session {id}. Wait for that turn, then send yours; nothing was saved.",
            seat=place.seat, id=session.id,
        )  # fmt: skip
    return place


OTHERS_WORDS = msg("While you wrote, the {seat} spoke (turn {n} of session {id}). Your words were not sent: read that turn, then send them if they still fit.")
OWN_WORDS = msg("While you wrote here, you spoke in another window (turn {n} of session {id}). These words were not sent: look at that turn, then send them if they still fit.")


def check_sits(session: tables.Session, seat: str, members: Collection[int]) -> None:
    """Raises DataError: the person (all ids they have) does not sit in the seat."""
    sits = sitter(session, seat)
    if sits is None:
        raise DataError(
            "You do not sit in the seat {seat} of session {id}. Take the seat first; nothing was saved.", seat=seat, id=session.id
        )
    if sits not in members:
        raise taken(session.id or 0, seat)


def check_free(session: tables.Session, seat: str, members: Collection[int]) -> None:
    """Raises DataError: somebody else sits in the seat."""
    if sitter(session, seat) not in (None, *members):
        raise taken(session.id or 0, seat)


def taken(session_id: int, seat: str) -> DataError:
    return DataError(
        "Somebody else sits in the seat {seat} of session {id}. They can leave it, or a researcher frees it; nothing was changed.",
        seat=seat, id=session_id,
    )  # fmt: skip


def as_inputs(turns: Sequence[tables.Turn]) -> list[dict[str, Any]]:
    """Complete turns as a prompt reads them."""
    return [{"position": t.position, "seat": t.seat, "text": t.text} for t in complete(turns)]


def role_inputs(role: tables.RoleCard) -> dict[str, Any]:
    """A role card as the client's prompt reads it."""
    names = (
        "title", "kind", "language", "stressor", "demographics", "life_events", "traits", "profile", "text"
    )  # fmt: skip
    return {name: getattr(role, name) for name in names}


def turn_seed(seed: int, position: int) -> int:
    """The seed of one turn: fixed by the session's seed and the turn's position (31 bits)."""
    digest = hashlib.sha256(f"turn {seed} {position}".encode()).digest()
    return int.from_bytes(digest[:4], "big") & 0x7FFFFFFF


def sampling(settings: Settings, given: Mapping[str, Any]) -> Settings:
    """An agent's settings, with the paper's where the agent names none."""
    chosen: dict[str, Any] = {
        name: getattr(settings, name) if name in given else value for name, value in SAMPLING.items()
    }
    return Settings(**chosen, extra=settings.extra)


def engine_label(client: str, counselor: str) -> str:
    """What made a session: one kind of engine, or ``mixed``."""
    return client if client == counselor else "mixed"


@cache
def openers() -> list[dict[str, Any]]:
    """The openers on offer: id, name (en, zh), en, zh."""
    return list(yaml.safe_load(OPENERS.read_text("utf-8"))["openers"])


def opener_text(language: str, id: str = "invitation") -> str:
    """An opener in a language.

    Raises:
        DataError: no such opener.
    """
    for known in openers():
        if known["id"] == id:
            return str(known[language])
    raise DataError(
        "There is no opener “{id}”. Choose one of: {known}.",
        id=id,
        known=", ".join(o["id"] for o in openers()),
    )


def check_limit(most_turns: int) -> int:
    """Raises DataError: the limit is out of range."""
    if not LEAST_TURNS <= most_turns <= MOST_TURNS:
        raise DataError(
            "A session takes {least} to {most} turns, not {given}. Choose another limit; nothing was started.",
            least=LEAST_TURNS,
            most=MOST_TURNS,
            given=most_turns,
        )
    return most_turns


def branch_limit(parent: int, kept: Sequence[tables.Turn], wanted: int | None = None) -> int:
    """How many turns a branch takes at most, those it begins with counted.

    Args:
        parent: limit of the session it is branched off from; it holds where it leaves something to say.
        wanted: the limit somebody chose.
    Raises:
        DataError: it is out of range, or leaves nothing to say.
    """
    said = spoken(kept)
    limit = wanted or (parent if parent >= said + LEAST_TURNS else min(said + MORE_TURNS, MOST_TURNS))
    if check_limit(limit) <= said:
        raise DataError(
            "The branch begins with {n} turns, so a limit of {given} leaves nothing to say. Branch after an earlier turn, or "
            "choose a limit of up to {most}; nothing was saved.", n=said, given=limit, most=MOST_TURNS,
        )  # fmt: skip
    return limit
