"""A report as the writer reads it: sentences with offsets, without names and contacts, sorted by what they tell.

Word lists are data (``prompts/demo/<language>/writer_cues.yaml``). Nothing is added: what a reader finds here stands
in the report, and the order is the report's.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from core.llm.demo.bank import keys, pattern
from core.llm.demo.text import QUOTED, Piece, folded, length, normal, sentences, shorten
from core.llm.demo.writer_names import NEAR, WIDE, Names, clean

PARTS = ("title", "type", "method", "case_brief", "consultation_process", "experience_thoughts")
MOST_READ = 40_000  # characters of one part that are read closely
MOST_SENTENCES = 160
LONGEST = 700  # characters of one sentence
MARKS = re.compile(r"^(?:[#>*•·√✓\-–]+\s*|\(?\d{1,2}[.)、．]\s*|[（(]?[一二三四五六七八九十]{1,2}[）)、．]\s*)+")
CUES = "writer_cues"
STATED = re.compile(r"(?:^|[，,、\s（(：:])(男|女)(?:性|生|孩|士)?(?=[，,、。\s）)]|\d)")
SHOUTED = 12  # capital letters in a sentence, and hardly any small ones


@dataclass(frozen=True)
class Line:
    """A sentence of the report: ``piece`` as it stands there, ``text`` without names and contacts."""

    piece: Piece
    text: str
    part: str
    number: int
    kinds: frozenset[str]
    quote: str = ""

    def has(self, *kinds: str) -> bool:
        return any(kind in self.kinds for kind in kinds)


@dataclass(frozen=True)
class Report:
    """The six parts of a report, read."""

    parts: Mapping[str, str]
    language: str
    names: Names

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        return tuple(line for part in PARTS for line in _lines(self, part))

    def of(self, part: str) -> tuple[Line, ...]:
        return tuple(line for line in self.lines if line.part == part)

    @cached_property
    def text(self) -> str:
        return "\n".join(self.parts[part] for part in PARTS)

    @cached_property
    def gender(self) -> str:
        """"she", "he" or "they": which the case speaks of most."""
        stated = STATED.search(self.parts["case_brief"][:300]) if self.language == "zh" else None
        if stated:
            return "she" if stated.group(1) == "女" else "he"
        said = folded(self.parts["case_brief"] + " " + self.parts["consultation_process"])[:MOST_READ]
        counts = {kind: len(pattern(self.language, CUES, "gender", kind).findall(said)) for kind in ("she", "he", "they")}
        if counts["she"] == counts["he"]:
            return "they" if counts["she"] == 0 else ""
        return max(("she", "he"), key=lambda kind: counts[kind])


def read_report(inputs: Mapping[str, Any], language: str) -> Report:
    """The report among a question's inputs; parts that are missing are empty."""
    given = inputs.get("report")
    given = given if isinstance(given, Mapping) else {"case_brief": given or ""}
    parts = {part: str(given.get(part) or "")[:MOST_READ] for part in PARTS}
    names = Names.of(parts["case_brief"] or parts["consultation_process"], language)
    if NEAR.search("\n".join(parts.values())):
        names = replace(names, couple=True)
    return Report(parts, language, names)


def _lines(report: Report, part: str) -> list[Line]:
    found: list[Line] = []
    for piece in whole_sentences(report.parts[part])[:MOST_SENTENCES]:
        plain = MARKS.sub("", normal(piece.text) if report.language == "en" else full_width(normal(piece.text)))
        text = clean(_calm(plain[:LONGEST]), report.names, report.language)
        kinds = kinds_of(text, report.language)
        if not text or (length(text) < 2 and "end" not in kinds):
            continue
        if part in PARTS[3:] and _is_heading(piece, text):
            kinds = (kinds & {"end"}) | {"heading"}
        found.append(Line(piece, text, part, len(found), kinds, quote_of(text, report.language)))
    return found


def _calm(text: str) -> str:
    """A sentence all in capitals in small letters: nobody shouts a report."""
    large, small = sum(map(str.isupper, text)), sum(map(str.islower, text))
    return re.sub(r"\bi\b", "I", text.capitalize()) if large >= SHOUTED and large > 3 * small else text


def _is_heading(piece: Piece, text: str) -> bool:
    """A few words on a line of their own, without a stop."""
    return piece.text.startswith("#") or (text[-1:] not in ".!?…。！？；\"”)）" and "," not in text and "，" not in text and length(text) <= 5)


def full_width(text: str) -> str:
    """Chinese punctuation again, which normalising made narrow."""
    return re.sub(r"(?<=\d)：(?=\d)", ":", text.translate(WIDE)).replace("......", "……").replace("...", "…")


def whole_sentences(text: str) -> list[Piece]:
    """Sentences; what stands between quotation marks stays with the sentence that quotes it."""
    found: list[Piece] = []
    for piece in sentences(text):
        before = found[-1] if found else None
        goes_on = before is not None and (_open_quote(before.text) or (piece.text[0] in "的，、" and "\n" not in text[before.end : piece.start]))
        if before is not None and goes_on and piece.end - before.start < LONGEST:
            found[-1] = Piece(text[before.start : piece.end], before.start, piece.end)
        else:
            found.append(piece)
    return found


def _open_quote(text: str) -> bool:
    if "\n" in text:
        return False
    return text.count("“") > text.count("”") or text.count("「") > text.count("」") or text.count('"') % 2 == 1


def kinds_of(text: str, language: str) -> frozenset[str]:
    """What a sentence tells, by its cues: goal, outcome, history, problem, reaction …"""
    said = folded(text)
    return frozenset(kind for kind in keys(language, CUES, "kinds") if pattern(language, CUES, "kinds", kind).search(said))


def quote_of(text: str, language: str) -> str:
    """The client's own words in a sentence, where it says that they spoke; else empty."""
    found = QUOTED.search(text)
    if found is None:
        return ""
    around = f"{folded(text[: found.start()])} ¦ {folded(text[found.end() :])}"
    alone = not around.strip(" ¦.。,，") and pattern(language, CUES, "first_person").search(folded(text))
    if not (alone or pattern(language, CUES, "speaks").search(around)) or pattern(language, CUES, "others_speak").search(around):
        return ""
    said = next(part for part in found.groups() if part).strip(" ,，")
    if length(said) < 4 or (not pattern(language, CUES, "first_person").search(folded(said)) and length(said) < 5):
        return ""
    said = shorten(said, 40)
    return said if said[-1:] in ".!?…。！？" else said + ("。" if language == "zh" else ".")
