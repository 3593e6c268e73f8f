"""Transcripts: what every format is read into, and the checks all of them go through. Pure.

Nothing is taken or left out silently: each change to what the file says is a remark.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from core.errors import DataError
from core.sessions.phrases import phrase_file

HAN = re.compile(r"[\u3400-\u9fff]")
LETTER = re.compile(r"[^\W\d_]")
SHOWN = 8  # places named in one remark


@dataclass(frozen=True)
class Line:
    """One utterance as the file has it; ``at`` is where: a line or row number, or a place in a list."""

    speaker: str
    text: str
    at: int


@dataclass(frozen=True)
class Transcript:
    """One session read from a file. ``remarks`` are sentences for the person who brings it in."""

    title: str
    language: str
    turns: tuple[dict[str, Any], ...]
    remarks: tuple[DataError, ...] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)


Reading = Transcript | DataError


def tried(read: Callable[..., Transcript], *given: Any) -> Reading:
    """One session of a file may be unreadable without costing the others."""
    try:
        return read(*given)
    except DataError as error:
        return error


@cache
def known(name: str) -> tuple[str, ...]:
    """A list of the labels file, in lower case."""
    return tuple(str(word).casefold() for word in phrase_file("sessions/labels")[name])


def seat_of(label: str, seen: frozenset[str] = frozenset()) -> str:
    """The seat a label stands for; empty when it stands for neither.

    Args:
        seen: all labels of the file, since one-letter labels are taken only in pairs.
    """
    bare = re.sub(r"[（(【\[].*?[)）】\]]", "", label).strip(" *_#\t-:：").casefold()
    bare = re.sub(r"\s*\d+$", "", bare)
    for seat in ("client", "counselor"):
        if bare in known(seat):
            return seat
    for pair in phrase_file("sessions/labels")["pairs"]:
        if {pair["client"], pair["counselor"]} <= seen:
            if bare == pair["client"]:
                return "client"
            if bare == pair["counselor"]:
                return "counselor"
    return ""


def language_of(texts: Sequence[str]) -> str:
    """``zh`` where at least a fifth of the letters are Chinese characters, else ``en``."""
    text = " ".join(texts)[:20_000]
    return "zh" if len(HAN.findall(text)) * 5 >= max(1, len(LETTER.findall(text))) else "en"


def assemble(
    title: str,
    lines: Sequence[Line],
    remarks: Sequence[DataError] = (),
    fields: Mapping[str, Any] | None = None,
) -> Transcript:
    """A checked transcript from its lines: seats known, empty lines out, consecutive ones joined, all of it said.

    Raises:
        DataError: it is not a conversation between a client and a counselor.
    """
    seen = frozenset(line.speaker.strip(" *_#\t-:：").casefold() for line in lines)
    seated = [(seat_of(line.speaker, seen), line) for line in lines]
    said = [*remarks, *_left_out(seated)]
    kept = [(seat, line) for seat, line in seated if seat and line.text.strip()]
    _check_seats(title, lines, {seat for seat, _ in kept})
    turns, joined = _joined(kept)
    if joined:
        said.append(
            DataError(
                "“{title}”: where one speaker spoke several times in a row, the utterances were joined ({n}, into turns {where}).",
                title=title,
                n=sum(joined.values()),
                where=places(sorted(joined)),
            )
        )
    return Transcript(
        title, language_of([t["text"] for t in turns]), tuple(turns), tuple(said), dict(fields or {})
    )


def _joined(kept: Sequence[tuple[str, Line]]) -> tuple[list[dict[str, Any]], dict[int, int]]:
    turns: list[dict[str, Any]] = []
    joined: dict[int, int] = {}
    for seat, line in kept:
        if turns and turns[-1]["seat"] == seat:
            turns[-1]["text"] += "\n" + line.text.strip()
            joined[len(turns)] = joined.get(len(turns), 0) + 1
        else:
            turns.append({"position": len(turns) + 1, "seat": seat, "text": line.text.strip()})
    return turns, joined


def _left_out(seated: Sequence[tuple[str, Line]]) -> list[DataError]:
    said = []
    strangers: dict[str, list[int]] = {}
    for seat, line in seated:
        if not seat:
            strangers.setdefault(line.speaker.strip(), []).append(line.at)
    for speaker, where in strangers.items():
        said.append(
            DataError(
                "Left out, because “{speaker}” is neither client nor counselor: utterances at {where}.",
                speaker=speaker,
                where=places(where),
            )
        )
    if empty := [line.at for seat, line in seated if seat and not line.text.strip()]:
        said.append(
            DataError("Left out, because they are empty: utterances at {where}.", where=places(empty))
        )
    return said


def _check_seats(title: str, lines: Sequence[Line], seats: set[str]) -> None:
    if seats == {"client", "counselor"}:
        return
    speakers = ", ".join(dict.fromkeys(line.speaker.strip() for line in lines)) or "–"
    raise DataError(
        "“{title}” is not a conversation between a client and a counselor: its speakers are {speakers}. Label the "
        "utterances Client: and Counselor: (来访者： and 咨询师：) and choose it again; it was not saved.",
        title=title, speakers=speakers[:200],
    )  # fmt: skip


def places(where: Sequence[int]) -> str:
    """A short list of places: the first few, and how many more."""
    named = ", ".join(str(at) for at in where[:SHOWN])
    return named if len(where) <= SHOWN else f"{named} … (+{len(where) - SHOWN})"
