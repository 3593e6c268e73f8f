"""A dialogue rebuilt from a report: four stages, the report's facts in its own order, plain lines between them.

The client says what the report tells of the client; the counselor's steps become proposals; what came out of it belongs
to the last stage. The counselor's reflections are not used: the client never speaks them. Where the report is silent,
the two say so in general words and no fact is made up.
"""

import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from core.llm.demo.bank import lines
from core.llm.demo.text import folded, length, sentences
from core.llm.demo.writer_components import topic_of
from core.llm.demo.writer_facts import Facts, Talked
from core.llm.demo.writer_guard import Guard
from core.llm.demo.writer_reading import Report
from core.llm.demo.writer_techniques import Technique

LINES = "writer_lines"
STAGES = ("reception", "diagnosis", "consultation", "consolidation")
ROOM = 46  # words or characters a turn
MOST = 50
MOST_ROUNDS = 15


@dataclass(frozen=True)
class Plan:
    """What the note adds to the report: an aim and techniques; and how thorough the dialogue is."""

    goals: tuple[str, ...] = ()
    techniques: tuple[Technique, ...] = ()
    explorations: int = 3
    steps: int = 8
    sums_up: bool = True


@dataclass
class Draft:
    """The dialogue while it is written."""

    language: str
    rng: random.Random
    guard: Guard
    turns: list[dict[str, str]] = field(default_factory=list)
    said: set[str] = field(default_factory=set)

    def line(self, *path: str, **slots: str) -> str:
        """A line that was not said yet."""
        options = lines(self.language, LINES, *path)
        fresh = [line for line in options if line not in self.said] or list(options)
        chosen = self.rng.choice(fresh) if fresh else ""
        self.said.add(chosen)
        return chosen.format(**slots) if slots else chosen

    def fit(self, *texts: str) -> str:
        """Texts said one after the other, as many as a turn has room for."""
        kept: list[str] = []
        room = min(ROOM, self.guard.room)
        for text in texts:
            text = self.guard.safe(text)
            if not text:
                continue
            if kept and (length(text) > room or self.guard.copied(" ".join([*kept, text]))):
                continue
            kept.append(text)
            room -= length(text)
        return ("" if self.language == "zh" else " ").join(kept)

    def fact(self, facts: list[str], most: int = 2, room: int = 40) -> str:
        """The next facts, taken from the list, as many as fit into one turn."""
        taken: list[str] = []
        while facts and len(taken) < most:
            text = self.guard.safe(facts[0])
            if text and folded(text) not in self.said:
                if taken and (length(text) > room or self.guard.copied(" ".join([*taken, text]))):
                    break
                taken.append(text)
                self.said.add(folded(text))
                room -= length(text)
            facts.pop(0)
        return ("" if self.language == "zh" else " ").join(taken)

    def fresh(self, texts: Iterable[str]) -> list[str]:
        """Texts that may be said and were not said yet."""
        kept = [text for one in texts if (text := self.guard.safe(one)) and folded(text) not in self.said]
        self.said.update(folded(text) for text in kept)
        return list(dict.fromkeys(kept))

    def round(self, stage: str, client: str, counselor: str) -> None:
        self.turns.append({"seat": "client", "text": client, "stage": stage})
        self.turns.append({"seat": "counselor", "text": counselor, "stage": stage})


def dialogue(report: Report, plan: Plan, rng: random.Random, faults: Sequence[str]) -> list[dict[str, str]]:
    """The turns of a dialogue, ``{seat, text, stage}``."""
    facts = Facts.of(report)
    draft = Draft(report.language, rng, Guard.of(report.text, report.language, strict=bool(faults)))
    _reception(draft, facts, report)
    _diagnosis(draft, facts, plan)
    _consultation(draft, facts, plan)
    _consolidation(draft, facts)
    if report.language == "zh" and _young(report):
        for turn in draft.turns:
            turn["text"] = turn["text"].replace("您", "你") if turn["seat"] == "counselor" else turn["text"]
    return draft.turns


def _young(report: Report) -> bool:
    """A client under 18 is spoken to as 你."""
    said = report.parts["case_brief"][:200]
    if re.search(r"[高初][一二三]|小学生|中学生", said[:80]):
        return True
    age = re.search(r"(?<![一二三四五六七八九十]个)(\d{1,2})岁(?!的?(?:儿|女|孩|时|那))", said)
    return age is not None and int(age.group(1)) < 18


def _reception(draft: Draft, facts: Facts, report: Report) -> None:
    opening = draft.fact(facts.came, 1) or draft.line("opener", topic_of(report.parts))
    draft.round(
        "reception",
        draft.fit(draft.line("hello"), opening),
        draft.fit(draft.line("receive"), draft.line("ask_basics")),
    )
    basics = draft.fact(facts.basics, 3)
    if basics and facts.busy and facts.hopes and length(basics + facts.hopes[0]) <= ROOM:
        hope = draft.fact(facts.hopes, 1)
        draft.round("reception", draft.fit(basics, hope), draft.fit(draft.line("hope_heard"), draft.line("ask_problem")))
        return
    draft.round(
        "reception",
        basics or draft.line("say_little"),
        draft.fit(draft.line("thanks") if basics else draft.line("step_on"), draft.line("ask_hope")),
    )
    hope = draft.fact(facts.hopes, 1)
    draft.round(
        "reception",
        hope or draft.line("hope_plain"),
        draft.fit(draft.line("hope_heard"), draft.line("ask_problem")),
    )


def _diagnosis(draft: Draft, facts: Facts, plan: Plan) -> None:
    heard = list(facts.problems)
    if facts.busy and facts.risk == "denied":
        facts.risk = ""
    explorations = min(2, plan.explorations) if facts.busy else plan.explorations
    for number in range(explorations):
        told = draft.fact(facts.problems, 3)
        if not told and number:
            break
        last = number == explorations - 1 or not facts.problems
        after = "ask_risk" if facts.risk else "ask_history" if plan.sums_up else "ask_more"
        question = draft.line(after if last else "ask_more")
        draft.round("diagnosis", told or draft.line("more_plain"), draft.fit(draft.line("hear"), question))
        if last:
            break
    if facts.risk:
        _risk(draft, facts, plan)
    if plan.sums_up:
        past = draft.fact(facts.history, 3)
        draft.round("diagnosis", past or draft.line("history_plain"), _summed(draft, facts, heard))


def _risk(draft: Draft, facts: Facts, plan: Plan) -> None:
    """The counselor asked about danger because the report speaks of it; the client answers what the report says."""
    question = draft.line("ask_history_then") if plan.sums_up else ""
    if facts.risk == "denied":
        draft.round("diagnosis", draft.line("risk_denied"), draft.fit(draft.line("risk_noted"), question))
        return
    told = draft.guard.safe(facts.risk) if facts.risk != "told" else ""
    draft.round("diagnosis", told or draft.line("risk_told"), draft.fit(draft.line("risk_kept"), question))


def _summed(draft: Draft, facts: Facts, heard: Sequence[str]) -> str:
    """The trouble that was told, put together by the counselor and offered for correction."""
    for text in sorted(heard, key=lambda text: text not in facts.heavy):
        fact = facts.second.get(text, "")
        if folded(text) in draft.said and 5 <= length(fact) <= 32 and not fact.startswith(GOES_ON) and draft.guard.safe(fact) == fact:
            said = draft.line("sum_up", fact=fact)
            if draft.guard.safe(said) == said:
                return said
    return draft.line("sum_plain")


GOES_ON = ("since then", "then ", "if ", "when ", "从那", "此后", "自那")

# ---- consultation ------------------------------------------------------------------------------------------------


def _consultation(draft: Draft, facts: Facts, plan: Plan) -> None:
    more = draft.fact(facts.problems or facts.history, 1, 30)
    agreed = draft.fit(draft.line("confirm"), more) if plan.sums_up else draft.line("ask_how")
    draft.round("consultation", agreed, draft.fit(draft.line("propose"), *_way(draft, plan), draft.line("fits")))
    aim = draft.line("aim", goal=plan.goals[0]) if plan.goals else ""
    room = MOST_ROUNDS - len(draft.turns) // 2 - 2
    process = [talked for talked in facts.process if not (aim and talked.aims)]
    steps = thinned(_rounds(draft, process), min(room, plan.steps))
    if not steps:
        draft.round("consultation", draft.line("accept"), draft.fit(aim or draft.line("after_step"), draft.line("explore")))
    for number, (client, counselor) in enumerate(steps):
        silent = client in lines(draft.language, LINES, "moved")
        heard = draft.line("time" if silent else "step_on") if client else ""
        said = draft.fit(*counselor)
        before = [heard, aim] if number == 0 and client else [aim if number == 0 else heard]
        said = draft.fit(*before, *counselor) if length("".join(before) + said) <= ROOM else said
        if not counselor and not (aim and number == 0):
            said = draft.fit(said, draft.line("explore"))
        draft.round("consultation", client or draft.line("accept" if number else "agree"), said)


def _way(draft: Draft, plan: Plan) -> list[str]:
    if not plan.techniques:
        return [draft.line("technique_plain")]
    technique = plan.techniques[0]
    return [draft.line("technique", technique=technique.name), technique.plain]


Round = tuple[str, list[str]]


def _rounds(draft: Draft, process: Iterable[Talked]) -> list[Round]:
    """What the client said, and what was done upon it, in the report's order, as rounds."""
    rounds: list[tuple[list[str], list[str]]] = [([], [])]
    for talked in process:
        if talked.seat == "seen":
            continue
        text = draft.line("moved") if talked.seat == "moved" else talked.text
        if _opens_round(rounds[-1], talked.seat, text):
            rounds.append(([], []))
        rounds[-1][talked.seat == "counselor"].append(text)
    said = [(draft.fact(client, 2), draft.fresh(counselor)) for client, counselor in rounds]
    return [one for one in said if one[0] or one[1]]


def _opens_round(last: tuple[list[str], list[str]], seat: str, text: str) -> bool:
    """Whether a new round begins: the client speaks after the counselor, or what is said no longer fits."""
    client, counselor = last
    before, most = (counselor, 38) if seat == "counselor" else (client, 42)
    full = len(before) >= 2 or bool(before and sum(map(length, before)) + length(text) > most)
    return full or (seat != "counselor" and bool(counselor))


def thinned(rounds: list[Round], most: int) -> list[Round]:
    """At most so many rounds: steps without an answer join the round before where there is room, then the steps that
    tell least go, each with the answer to it; the order stays."""
    rounds = _merged(rounds, most)
    while len(rounds) > max(1, most):
        worth = [sum(map(length, rounds[at][1])) + length(rounds[at + 1][0]) + ROOM * (at == 0) for at in range(len(rounds) - 1)]
        at = worth.index(min(worth))
        joined = (rounds[at][0], rounds[at + 1][1])
        rounds[at : at + 2] = [joined] if joined[0] or joined[1] else []
    return rounds


def _merged(rounds: list[Round], most: int) -> list[Round]:
    kept: list[Round] = []
    over = len(rounds) - most
    for client, counselor in rounds:
        rest = list(counselor)
        while over > 0 and kept and not client and rest and sum(map(length, [*kept[-1][1], rest[0]])) <= ROOM:
            kept[-1][1].append(rest.pop(0))
        if client or rest:
            kept.append((client, rest))
        else:
            over -= 1
    return kept


# ---- consolidation -----------------------------------------------------------------------------------------------


def _consolidation(draft: Draft, facts: Facts) -> None:
    before = draft.turns[-1]
    asks = draft.line("look_back")
    before["text"] = _ending(draft, before["text"], asks)
    changed = draft.fact(facts.outcomes, 3)
    reviewed = list(dict.fromkeys(facts.review))[:2]
    review = draft.line("review", steps=_joined(draft, reviewed)) if reviewed else draft.line("review_plain")
    draft.round(
        "consolidation",
        changed or draft.line("no_change"),
        draft.fit(draft.line("well_done") if changed else "", review, draft.line("take_with")),
    )
    left = draft.fact(facts.outcomes, 2)
    draft.round("consolidation", draft.fit(left, draft.line("keep")), draft.line("goodbye"))


def _ending(draft: Draft, text: str, asks: str) -> str:
    """The last reply before the looking back does not also ask something else."""
    asking = ("explore", "after_step", "fits")
    for path in asking:
        for line in lines(draft.language, LINES, path):
            text = text.replace(line, "").strip()
    glue = "" if draft.language == "zh" else " "
    for whole in (text, text[sentences(text)[0].end :].strip() if text else ""):
        if whole and length(whole + asks) <= MOST:
            return whole + glue + asks
    return text or asks


def _joined(draft: Draft, steps: Sequence[str]) -> str:
    return ("，" if draft.language == "zh" else ", and ").join(steps)
