"""Checking a rebuilt dialogue by the rules a reader can see: rounds, order, length, stages, copying, privacy.

Rules, limits and sentences are data (``prompts/reports/faults.yaml``). Length counts Chinese characters
(zh) or words (en); a round is one turn of the client and one of the counselor.
Source: CPsyCoun, section 3.3 and Figure 8.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml

from core.llm.demo.text import QUOTED, folded, length, tokens
from core.llm.demo.writer_copies import longest_copy, runs

FILE = Path(__file__).parents[2] / "prompts" / "reports" / "faults.yaml"
SHOWN = 40  # characters of what was found that are told


@cache
def rules() -> dict[str, Any]:
    """The rules as data; treat them as read-only."""
    read: dict[str, Any] = yaml.safe_load(FILE.read_text("utf-8"))
    return read


@dataclass(frozen=True)
class Fault:
    """One fault of a dialogue.

    Attributes:
        turn: position of the turn, from 1; 0 for the dialogue as a whole.
        language: the dialogue's language, in which ``message`` speaks.
        aim: whether it misses an aim (length) rather than a rule.
    """

    code: str
    turn: int = 0
    language: str = "en"
    values: Mapping[str, Any] = field(default_factory=dict)

    @property
    def aim(self) -> bool:
        return bool(rules()["faults"][self.code].get("aim", False))

    @property
    def message(self) -> str:
        return self.told(self.language)

    def told(self, language: str) -> str:
        """The fault in the reader's language."""
        return str(rules()["faults"][self.code][language].format(turn=self.turn, **self.values))


Turns = Sequence[Mapping[str, Any]]
Found = tuple[str, int, dict[str, Any]]


def dialogue_faults(turns: Turns, report_text: str, language: str) -> list[Fault]:
    """Everything that is wrong with a dialogue ``[{seat, text, stage}]``, the whole first, then turn by turn."""
    if not turns:
        return [Fault("no_turns", 0, language)]
    found = [
        *_rounds(turns),
        *_seats(turns),
        *_stages(turns),
        *_lengths(turns, language),
        *_words(turns, language),
        *_copies(turns, report_text, language),
    ]
    faults = [Fault(code, turn, language, values) for code, turn, values in found]
    return sorted(faults, key=lambda fault: fault.turn)


def count_rounds(turns: Turns) -> int:
    """Rounds: a counselor's turn that answers one of the client."""
    seats = [turn.get("seat") for turn in turns]
    return sum(pair == ("client", "counselor") for pair in pairwise(seats))


def _rounds(turns: Turns) -> Iterator[Found]:
    limits, rounds = rules()["limits"]["rounds"], count_rounds(turns)
    if rounds < limits["least"]:
        yield "few_rounds", 0, {"rounds": rounds, "least": limits["least"]}
    if rounds > limits["most"]:
        yield "many_rounds", 0, {"rounds": rounds, "most": limits["most"]}


def _seats(turns: Turns) -> Iterator[Found]:
    if turns[0].get("seat") != "client":
        yield "client_first", 0, {}
    if turns[-1].get("seat") != "counselor":
        yield "counselor_last", 0, {}
    known = rules()["names"]["seats"]
    before = None
    for number, turn in enumerate(turns, start=1):
        seat = turn.get("seat")
        if seat not in known:
            yield "unknown_seat", number, {}
        elif seat == before:
            yield "alternation", number, {"seat": seat, "seat_zh": known[seat]}
        before = seat


def _stages(turns: Turns) -> Iterator[Found]:
    order, named = rules()["stages"], rules()["names"]["stages"]
    present = [turn.get("stage") for turn in turns]
    for stage in order:
        if stage not in present:
            yield "stage_missing", 0, {"stage": stage, "stage_zh": named[stage]}
    furthest = 0
    for number, stage in enumerate(present, start=1):
        if stage not in order:
            yield "stage_unknown", number, {}
        elif order.index(stage) < furthest:
            yield "stage_order", number, {"stage": stage, "stage_zh": named[stage]}
        else:
            furthest = order.index(stage)


def _lengths(turns: Turns, language: str) -> Iterator[Found]:
    most = rules()["limits"]["length"][language]
    for number, turn in enumerate(turns, start=1):
        said = length(str(turn.get("text", "")))
        if not str(turn.get("text", "")).strip():
            yield "empty_turn", number, {}
        elif said > most:
            yield "long_turn", number, {"length": said, "most": most}


@cache
def _pattern(name: str, language: str = "") -> re.Pattern[str]:
    block = rules()[name][language] if language else rules()[name]
    return re.compile("|".join(line.strip() for line in block.splitlines() if line.strip()), re.IGNORECASE)


def _words(turns: Turns, language: str) -> Iterator[Found]:
    for number, turn in enumerate(turns, start=1):
        text = str(turn.get("text", ""))
        said = folded(text)
        for code, pattern in (("mentions_report", _pattern("mentions", language)), ("placeholder", _pattern("placeholders"))):
            hit = pattern.search(said if code == "mentions_report" else text)
            if hit:
                yield code, number, {"found": hit.group()[:SHOWN]}
        if _pattern("personal", "en").search(said) or _pattern("personal", "zh").search(said):
            yield "personal_data", number, {}


def _copies(turns: Turns, report_text: str, language: str) -> Iterator[Found]:
    """Long runs of tokens taken over; what the report itself quotes is the client's own and free."""
    least = rules()["limits"]["copied"][language]
    source = tokens(QUOTED.sub(" \n ", report_text))
    known = runs(source, least)
    for number, turn in enumerate(turns, start=1):
        copied = longest_copy(tokens(str(turn.get("text", ""))), known, least)
        if copied:
            yield "copied", number, {"length": copied}
