"""Transcripts: what every format is read into, and the checks all of them go through. Pure.

Nothing is taken or left out silently: each change to what the file says is a remark.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.errors import DataError, msg
from core.files import cleaned, dropped_remark, places
from core.sessions.speakers import counted, parted, seat_of, several

HAN = re.compile(r"[\u3400-\u9fff]")
LETTER = re.compile(r"[^\W\d_]")
MOST_NAMED = 20  # further speakers named in remarks of their own


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
    lines, dropped = without_controls(lines)
    seen = frozenset(parted(line.speaker).word for line in lines)
    seated = [(seat_of(line.speaker, seen), line) for line in lines]
    said = [*remarks, *dropped_remark(title, dropped), *_left_out(seated)]
    kept = [(seat, line) for seat, line in seated if seat and line.text.strip()]
    _check_seats(title, lines, {seat for seat, _ in kept})
    _check_persons(title, seated)
    turns, joined = _joined(kept)
    if joined:
        n, where = sum(joined.values()), places(sorted(joined))
        one = msg(
            "“{title}”: where one speaker spoke several times in a row, the utterances were joined (turn {where})."
        )
        more = msg(
            "“{title}”: where one speaker spoke several times in a row, the utterances were joined ({n} utterances, into turns {where})."
        )
        said.append(DataError(one if len(joined) == 1 else more, title=title, n=n, where=where))
    return Transcript(
        title, language_of([t["text"] for t in turns]), tuple(turns), tuple(said), dict(fields or {})
    )


def without_controls(lines: Sequence[Line]) -> tuple[list[Line], int]:
    """The lines without control characters, and how many were dropped."""
    plain, dropped = [], 0
    for line in lines:
        (speaker, n), (text, m) = cleaned(line.speaker), cleaned(line.text)
        plain.append(Line(speaker, text, line.at) if n or m else line)
        dropped += n + m
    return plain, dropped


def _joined(kept: Sequence[tuple[str, Line]]) -> tuple[list[dict[str, Any]], dict[int, int]]:
    turns: list[dict[str, Any]] = []
    said: list[list[str]] = []
    joined: dict[int, int] = {}
    for seat, line in kept:
        if turns and turns[-1]["seat"] == seat:
            said[-1].append(line.text.strip())
            joined[len(turns)] = joined.get(len(turns), 0) + 1
        else:
            turns.append({"position": len(turns) + 1, "seat": seat})
            said.append([line.text.strip()])
    return [turn | {"text": "\n".join(texts)} for turn, texts in zip(turns, said, strict=True)], joined


def _left_out(seated: Sequence[tuple[str, Line]]) -> list[DataError]:
    said = []
    strangers: dict[str, list[int]] = {}
    for seat, line in seated:
        if not seat:
            strangers.setdefault(line.speaker.strip(), []).append(line.at)
    if len(strangers) > MOST_NAMED:
        everywhere = sorted(at for where in strangers.values() for at in where)
        strangers = {", ".join(list(strangers)[:MOST_NAMED]) + " …": everywhere}
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


def _check_persons(title: str, seated: Sequence[tuple[str, Line]]) -> None:
    labels = {seat: [line.speaker for at, line in seated if at == seat] for seat in ("client", "counselor")}
    numbered = all(counted(own) for own in labels.values())
    for seat, own in labels.items():
        if several(own, numbered):
            raise DataError(
                "“{title}”: several people speak as the {seat} ({labels}). A session here is one client with one "
                "counselor; give everybody else a label of their own, such as “Mother:”, and their words are left "
                "out. It was not saved.", title=title, seat=seat, labels=", ".join(dict.fromkeys(own))[:200],
            )  # fmt: skip
