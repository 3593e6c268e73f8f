"""Sorting a report into its six components by its headings, and suggesting topic and school from words.

Headings and cue words are data (``prompts/reports``). Passages are the report's own, in their order.
"""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from core.llm.demo.text import folded, length, sentences, shorten
from core.llm.demo.writer_reading import MARKS, PARTS

FOLDER = Path(__file__).parents[3] / "prompts" / "reports"
LABEL = re.compile(r"^(.{1,40}?)\s*[:：]\s*(.*)$")
BOXED = re.compile(r"^\s*[【\[]([^】\]]{1,20})[】\]]\s*[:：]?\s*(.*)$")
WRAP = re.compile(r"^[\s#>*_【\[（(]+|[\s*_】\]）):：]+$")
MOST = 100_000
TITLE_LENGTH = 24  # words or characters of a first line that can be a title
GENERAL = "emotion_stress"  # the topic where no word speaks for any


@cache
def data(name: str) -> dict[str, Any]:
    """A data file of ``prompts/reports``; treat it as read-only."""
    read: dict[str, Any] = yaml.safe_load((FOLDER / f"{name}.yaml").read_text("utf-8"))
    return read


@cache
def _headings() -> Mapping[str, str]:
    return {folded(name): part for part in PARTS for name in data("headings")[part]}


def sort_components(text: str) -> dict[str, str]:
    """The six components of a report, empty where it has none, with ``topic`` and ``school`` suggested."""
    found: dict[str, list[str]] = {part: [] for part in PARTS}
    part, headed = "", False
    for number, line in enumerate(text[:MOST].splitlines()):
        named, rest = heading(line)
        if named:
            part, headed = named, True
            if rest:
                found[part].append(rest)
        elif line.strip():
            if not part and not found["title"] and _can_be_title(line, number):
                found["title"].append(bare(line))
            else:
                found[part or "case_brief"].append(line.strip())
    parts = {name: "\n".join(lines).strip() for name, lines in found.items()}
    if not headed:
        parts = _without_headings(parts)
    parts["title"] = parts["title"] or _made_title(parts)
    return parts | {"topic": topic_of(parts), "school": school_of(parts)}


def heading(line: str) -> tuple[str, str]:
    """The component a line opens and what follows on it; two empty strings for an ordinary line."""
    boxed = BOXED.match(line)
    if boxed and folded(bare(boxed.group(1))) in _headings():
        return _headings()[folded(bare(boxed.group(1)))], boxed.group(2).strip()
    plain = bare(line)
    if folded(plain) in _headings():
        return _headings()[folded(plain)], ""
    found = LABEL.match(MARKS.sub("", line.strip().lstrip("#*_ ")))
    if found and folded(bare(found.group(1))) in _headings():
        return _headings()[folded(bare(found.group(1)))], found.group(2).strip("*_ ")
    return _likely(line) if line.lstrip().startswith("#") and length(plain) <= 8 else "", ""


@cache
def _words_of_headings() -> Mapping[str, re.Pattern[str]]:
    return {part: re.compile(cues) for part, cues in data("headings_like").items()}


def _likely(line: str) -> str:
    """The component an unknown heading speaks for by a word in it."""
    said = folded(bare(line))
    return next((part for part, cues in _words_of_headings().items() if cues.search(said)), "")


def bare(line: str) -> str:
    """A line without numbering and marks."""
    return WRAP.sub("", MARKS.sub("", WRAP.sub("", line)))


def _can_be_title(line: str, number: int) -> bool:
    return number < 5 and (line.lstrip().startswith("#") or (length(line) <= TITLE_LENGTH and not line.rstrip().endswith((".", "。", "!", "?"))))


def _without_headings(parts: Mapping[str, str]) -> dict[str, str]:
    """A report without headings: what the counselor did begins where the counselor first acts; the rest is the case."""
    from core.llm.demo.bank import pattern
    from core.llm.demo.text import is_chinese

    text = parts["case_brief"]
    language = "zh" if is_chinese(text) else "en"
    starts = {
        name: next((p.start for p in sentences(text) if pattern(language, "writer_cues", "begins", name).search(folded(p.text))), len(text))
        for name in ("process", "thoughts")
    }
    end = max(starts["thoughts"], starts["process"]) if starts["thoughts"] < len(text) else len(text)
    return {
        **parts,
        "case_brief": text[: min(starts["process"], end)].strip(),
        "consultation_process": text[starts["process"] : end].strip(),
        "experience_thoughts": text[end:].strip(),
    }


def _made_title(parts: Mapping[str, str]) -> str:
    """A title from the report's own words: the type, or the first sentence, shortened."""
    source = parts["type"] or parts["case_brief"] or parts["consultation_process"] or parts["experience_thoughts"]
    first = next((piece.text for piece in sentences(source)), "")
    return shorten(first, 12 if first.isascii() else 20)


# ---- topic and school --------------------------------------------------------------------------------------------


def topic_of(parts: Mapping[str, str]) -> str:
    """The topic whose words weigh most; title and type count more than the process."""
    weighed = ((parts["title"], 4.0), (parts["type"], 4.0), (parts["case_brief"], 1.0), (parts["consultation_process"], 0.3))
    scores = {
        code: sum(weight * _spread(text, cues) for text, weight in weighed) for code, cues in _cues("topics").items()
    }
    best = max(scores, key=lambda code: scores[code])
    return best if scores[best] > 0 else GENERAL


def school_of(parts: Mapping[str, str]) -> str:
    """The school the method names; several of like weight: integrative; none named there: what the process and thoughts speak for."""
    for text in (f"{parts['method']} {parts['type']} {parts['title']}", f"{parts['consultation_process']} {parts['experience_thoughts']}"):
        weight = {code: _spread(text, cues) for code, cues in _cues("schools").items()}
        named = [code for code in weight if weight[code] > 0]
        most = max((weight[code] for code in named if code not in ("integrative", "other")), default=0.0)
        clear = [code for code in named if code not in ("integrative", "other") and 2 * weight[code] >= most]
        if "integrative" in named or len(clear) > 1:
            return "integrative"
        if named:
            return (clear or named)[0]
    return "other"


@cache
def _cues(name: str) -> Mapping[str, re.Pattern[str]]:
    found = {}
    for code, words in data(name).items():
        latin = "|".join(rf"\b{re.escape(word.lower())}" for word in words["cues_en"])
        found[code] = re.compile("|".join([latin, *(re.escape(word) for word in words["cues_zh"])]))
    return found


def _spread(text: str, cues: re.Pattern[str]) -> float:
    """How much a text speaks for a code: each cue counts up to three times."""
    hits: dict[str, int] = {}
    for hit in cues.findall(folded(text)):
        hits[hit] = min(3, hits.get(hit, 0) + 1)
    return float(sum(hits.values()))
