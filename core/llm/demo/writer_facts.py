"""What a dialogue can be made of: a report's sentences, sorted by where they belong and said by who can say them."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from core.llm.demo.writer_reading import Line, Report
from core.llm.demo.writer_voice import VOICES, Talked

__all__ = ["Facts", "Talked"]


@dataclass
class Facts:
    """Sentences ready to be said; lists are used up from the front. ``second`` maps the client's words to the counselor's."""

    came: list[str] = field(default_factory=list)
    basics: list[str] = field(default_factory=list)
    hopes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    history: list[str] = field(default_factory=list)
    process: list[Talked] = field(default_factory=list)
    outcomes: list[str] = field(default_factory=list)
    review: list[str] = field(default_factory=list)
    second: dict[str, str] = field(default_factory=dict)

    @staticmethod
    def of(report: Report) -> "Facts":
        facts = Facts()
        _brief(facts, report)
        _process(facts, report)
        return facts


def _brief(facts: Facts, report: Report) -> None:
    voice, gender = VOICES[report.language], report.gender
    brief = report.of("case_brief")
    facts.basics = voice.basics([line.text for line in brief if _is_basics(line)], gender)
    for line in brief:
        said = line.quote or voice.first(line.text, gender) or ""
        if not said or line.has("risk", "score"):
            continue
        if not line.quote and (back := voice.second(line.text, gender)):
            facts.second[said] = back
        if line.quote:
            facts.problems.append(said)
        elif line.has("came") and not facts.came:
            facts.came.append(said)
        elif line.has("goal"):
            facts.hopes.append(said)
        elif line.has("history") and not _is_basics(line):
            facts.history.append(said)
        elif not _is_basics(line):
            facts.problems.append(said)
    facts.problems = _ordered(facts.problems)


def _is_basics(line: Line) -> bool:
    return line.has("basics") and not line.has("came", "goal")


def _ordered(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(texts))


def _process(facts: Facts, report: Report) -> None:
    voice, gender = VOICES[report.language], report.gender
    process = report.of("consultation_process")
    end = _end(process)
    for line in process:
        late = line.number >= end
        said = [("client", line.quote)] if line.quote else voice.events(line.text, gender)
        if late:
            facts.outcomes += [text for seat, text in said if seat == "client"]
            continue
        facts.process += [Talked(seat, text) for seat, text in said if not line.has("risk")]
        looked = voice.review(line.text, gender)
        if looked:
            facts.review.append(looked)


def _end(process: tuple[Line, ...]) -> int:
    """Where the outcome begins: at the first sentence that says "at the end", else the outcomes that come last."""
    marked = [line.number for line in process if line.has("end") and line.number >= len(process) / 2]
    first = marked[0] if marked else len(process)
    before = [line for line in process if line.number < first]
    while before and (before[-1].has("outcome") or before[-1].quote) and first > 2 * len(process) / 3:
        first = before.pop().number
    return first
