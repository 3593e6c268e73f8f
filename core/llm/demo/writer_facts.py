"""What a dialogue can be made of: a report's sentences, sorted by where they belong and said by who can say them."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from core.llm.demo.bank import pattern
from core.llm.demo.text import folded
from core.llm.demo.writer_reading import Line, Report
from core.llm.demo.writer_voice import VOICES, Talked

BUSY = 10
__all__ = ["Facts", "Talked"]


@dataclass
class Facts:
    """Sentences ready to be said; lists are used up from the front. ``second`` maps the client's words to the counselor's."""

    came: list[str] = field(default_factory=list)
    basics: list[str] = field(default_factory=list)
    hopes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    risk: str = ""
    history: list[str] = field(default_factory=list)
    process: list[Talked] = field(default_factory=list)
    outcomes: list[str] = field(default_factory=list)
    review: list[str] = field(default_factory=list)
    second: dict[str, str] = field(default_factory=dict)
    heavy: set[str] = field(default_factory=set)

    @property
    def busy(self) -> bool:
        """Whether so much was done that the rounds are needed for it."""
        return len(self.process) >= BUSY

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
        if line.has("risk"):
            _risk(facts, line, said, report.language)
        if not said or line.has("risk", "score", "heading") or (report.language == "zh" and not line.kinds and not line.quote):
            continue
        if not line.quote and (back := voice.second(line.text, gender)):
            facts.second[said] = back
            if line.has("problem"):
                facts.heavy.add(said)
        if line.quote:
            facts.problems.append(said)
        elif line.has("came") and not facts.came:
            facts.came.append(said)
        elif line.has("goal"):
            facts.hopes.append(said)
        elif line.has("history") and not _is_basics(line):
            facts.history.append(said)
        elif not line.has("problem", "since") and said.startswith(OF_OTHERS):
            facts.basics.append(said)
        elif not _is_basics(line):
            facts.problems.append(said)
    facts.problems = _ordered(facts.problems)


OF_OTHERS = ("My ", "我父", "我母", "我爸", "我妈", "我丈夫", "我妻子", "我老公", "我老婆", "我的父", "我的母")


def _risk(facts: Facts, line: Line, said: str, language: str) -> None:
    """A sentence about thoughts of suicide or self-harm: denied, or told by the client when asked."""
    text = folded(line.text)
    denied = pattern(language, "writer_cues", "denied").search(text) and not pattern(language, "writer_cues", "contrast").search(text)
    facts.risk = facts.risk if facts.risk not in ("", "denied") else ("denied" if denied else said or "told")


def _is_basics(line: Line) -> bool:
    return line.has("basics") and not line.has("goal") and (not line.has("came") or line.number == 0)


def _ordered(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(texts))


def _process(facts: Facts, report: Report) -> None:
    voice, gender = VOICES[report.language], report.gender
    process = report.of("consultation_process")
    end = _end(process)
    for line in process:
        late = line.number >= end
        if line.has("heading"):
            continue
        said = [("client", line.quote)] if line.quote else voice.events(line.text, gender)
        if late:
            facts.outcomes += [text for seat, text in said if seat == "client"]
            continue
        aims = line.has("agreed") and line.has("goal") and pattern(report.language, "writer_cues", "aims").search(folded(line.text))
        facts.process += [Talked(seat, text, bool(aims)) for seat, text in said if not line.has("risk")]
        looked = voice.review(line.text, gender)
        if looked:
            facts.review.append(looked)


def _end(process: tuple[Line, ...]) -> int:
    """Where the outcome begins: at the first sentence that says "at the end", else the outcomes that come last."""
    marked = [line.number for line in process if line.has("end") and line.number >= len(process) / 2]
    first = marked[0] if marked else len(process)
    before = [line for line in process if line.number < first]
    others = 0 if marked else 1  # one sentence of another kind may stand among the last
    while before and first > len(process) / 2:
        last = before.pop()
        if not (last.has("outcome") or last.quote):
            others -= 1
            if others < 0 or not before or not before[-1].has("outcome"):
                break
        first = last.number
    return first
