"""Finding a report's six components under their usual headings, and telling several cases apart. Pure.

Headings are data (``prompts/reports/headings.yaml``). A line is a heading when, without numbering and marks, it is
one of them, or begins with one and a colon. Components: CPsyCoun, Figure 5.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from core.errors import DataError
from core.llm.demo.text import CJK, folded, length
from core.llm.demo.writer_components import school_of, topic_of

FOLDER = Path(__file__).parents[2] / "prompts" / "reports"
PARTS = ("title", "type", "method", "case_brief", "consultation_process", "experience_thoughts")
SHORT = ("title", "type", "method")
NUMERALS = "一二三四五六七八九十"
NUMBER = re.compile(
    rf"^(?:(?:part|section|chapter)\s+(?:\d{{1,2}}|[ivx]{{1,4}}|one|two|three|four|five|six)\b\s*[.:：、)–—-]*\s*"
    rf"|第?[{NUMERALS}]{{1,3}}(?:部分|章|节)?\s*[、.．:：]\s*|第[{NUMERALS}\d]{{1,2}}(?:部分|章|节)\s*[：:、]?\s*"
    rf"|[（(][{NUMERALS}\d]{{1,2}}[)）]\s*、?\s*|\d{{1,2}}(?:\.\d{{1,2}})*\s*[.、．)）:]?\s+|\d{{1,2}}(?:\.\d{{1,2}})*[.、．)）]\s*"
    r"|[ivx]{1,4}[.)]\s+|[a-f][.)]\s+|[①-⑳]\s*)",
    re.IGNORECASE,
)
WHITE = "".join(chr(code) for code in range(0x3001) if chr(code).isspace())
OPENING = WHITE + "#>*_=~`【[〔《「■◆●•·▪▶★○-"
CLOSING = WHITE + "*_=~`】]〕》」#:：-"
LABEL = re.compile(r"^(?P<head>[^:：】\]]{1,60}?)\s{0,20}(?:[:：]|[】\]]\s*[:：]?|\s[–—-]\s|\t)(?P<rest>.*)$")
RULE = re.compile(r"^\s*(?:[=*_~-]\s*){3,}$")
ASIDE = re.compile(r"[（(][^()（）]{0,40}[)）]$")
LONGEST_TITLE = 30  # words or characters of a first line that can be a title
LONGEST_LINE = 400  # characters of a line that can hold a heading
LEAST_CASE = 20  # words or characters below which a stretch is no case


@dataclass(frozen=True)
class Case:
    """One case of a file.

    Attributes:
        parts: text of each component; empty where it is missing.
        where: stretches of ``text`` each component was taken from, (start, end).
        headed: whether any heading was found; without one everything stands in the case brief.
        label: the line that opened this case in a file of several, e.g. “Case 2”.
    """

    text: str
    language: str
    parts: Mapping[str, str]
    where: Mapping[str, tuple[tuple[int, int], ...]]
    headed: bool
    topic: str
    school: str
    label: str = ""

    @property
    def missing(self) -> tuple[str, ...]:
        return tuple(part for part in PARTS if not self.parts[part].strip())


@dataclass
class Reading:
    """The cases of a file, and why stretches of it were not taken as one."""

    cases: list[Case] = field(default_factory=list)
    refused: list[DataError] = field(default_factory=list)


@dataclass(frozen=True)
class Line:
    """A line and what it opens: ``part`` is empty for an ordinary line, ``level`` 0 when its depth cannot be told."""

    text: str
    start: int
    part: str = ""
    rest: str = ""
    rest_start: int = 0
    level: int = 0
    name: str = ""


@cache
def headings() -> dict[str, str]:
    """Every usual heading, folded, with its component."""
    read: dict[str, Any] = yaml.safe_load((FOLDER / "headings.yaml").read_text("utf-8"))
    return {folded(str(name)): part for part in PARTS for name in read[part]}


@cache
def case_lines() -> re.Pattern[str]:
    read: dict[str, Any] = yaml.safe_load((FOLDER / "headings.yaml").read_text("utf-8"))
    return re.compile("|".join(f"(?:{pattern})" for pattern in read["cases"]), re.IGNORECASE)


def language_of(text: str) -> str:
    """``zh`` where Chinese characters outweigh English words, else ``en``."""
    words = len(re.findall(r"[A-Za-z]{2,}", text))
    return "zh" if len(CJK.findall(text)) > words else "en"


def read_cases(name: str, text: str) -> Reading:
    """All cases of a text, each in its components; never two cases taken as one.

    Raises:
        DataError: it holds several cases and where one ends cannot be told.
    """
    reading = Reading()
    for label, piece in split_cases(name, text):
        if length(piece) < LEAST_CASE and label:
            reading.refused.append(
                DataError(
                    "“{label}” in {name} has no text of a case, so it was not taken. The other cases were.",
                    label=label, name=name,
                )
            )  # fmt: skip
            continue
        reading.cases.append(find_components(piece, label))
    return reading


def split_cases(name: str, text: str) -> list[tuple[str, str]]:
    """(opening line, text) of each case; one pair with an empty opening line for an ordinary file.

    Raises:
        DataError: headings come twice, as in two cases, without a line that tells them apart.
    """
    lines = list(read_lines(text))
    opens = [line for line in lines if opens_case(line)]
    if len({folded(line.name or line.text) for line in opens}) >= 2:
        return cut(text, opens)
    titles = [line for line in lines if line.part == "title"]
    if len(titles) >= 2 and repeated(lines, ("case_brief", "consultation_process")):
        return cut(text, titles, labelled=False)
    if repeated(lines, ("case_brief", "consultation_process")):
        raise DataError(
            "{name} seems to hold several cases: its headings come more than once, and where one case ends cannot be "
            "told. Put a line “Case 1”, “Case 2” before each, or save them as separate files; nothing was saved.",
            name=name,
        )
    return [("", text)]


def opens_case(line: Line) -> bool:
    """Whether a line like “Case 2: …” opens another case; a sentence that begins so does not."""
    plain = bare(line.text, numbers=False)
    found = case_lines().match(plain)
    if not found or length(plain) > LONGEST_TITLE:
        return False
    after = plain[found.end() :].lstrip()
    marked = line.text.lstrip().startswith(("#", "**", "【", "[", "="))
    closed = found.group().rstrip().endswith((":", "：", "、", ".", "．"))
    return marked or closed or not after or after[0] in ":：.、．,，-–—|（("


def cut(text: str, opens: Sequence[Line], labelled: bool = True) -> list[tuple[str, str]]:
    """Stretches from one opening line to the next; what stands before the first belongs to no case."""
    ends = [*(line.start for line in opens[1:]), len(text)]
    pieces = []
    for number, (line, end) in enumerate(zip(opens, ends, strict=True), start=1):
        label = bare(line.text, numbers=False)
        piece = text[line.start : end]
        pieces.append((label if labelled else f"{number}", piece.strip("\n")))
    return pieces


def repeated(lines: Sequence[Line], parts: Sequence[str]) -> bool:
    """Whether the same heading opens each of these components more than once."""
    names = [(line.part, line.name) for line in lines if line.part in parts]
    return all(any(names.count(name) > 1 for name in set(names) if name[0] == part) for part in parts)


def find_components(text: str, label: str = "") -> Case:
    """The six components of one case, under their headings."""
    texts: dict[str, list[str]] = {part: [] for part in PARTS}
    where: dict[str, list[tuple[int, int]]] = {part: [] for part in PARTS}

    def take(part: str, words: str, start: int) -> None:
        texts[part].append(words.strip() if words.strip() else "")
        if words.strip():
            where[part].append((start, start + len(words)))

    now, level, headed = "", 0, False
    opened: set[str] = set()
    for line in read_lines(text):
        if line.part and _opens(line, now, level, texts):
            again = line.part == now or line.part in opened
            if again and line.part not in SHORT:  # a second heading of the same component is part of its text
                take(line.part, line.text.lstrip("# "), line.start)
            elif line.rest.strip():
                take(line.part, line.rest, line.rest_start)
            now, headed = line.part, True
            opened.add(now)
            level = line.level if line.part not in SHORT else 0
        elif line.text.strip() and not RULE.match(line.text):
            title = not now and not texts["title"] and can_be_title(line, label)
            under = "" if now == "title" and texts["title"] else now  # a title is one line
            take("title" if title else under or "case_brief", _words_of(line, label, title), line.start)
        elif not line.text.strip() and now:
            take(now, "", line.start)
    parts = {part: joined(lines, part) for part, lines in texts.items()}
    return Case(
        text, language_of(text), parts, {p: tuple(w) for p, w in where.items()}, headed, topic_of(parts),
        school_of(parts), label,
    )  # fmt: skip


def _opens(line: Line, now: str, level: int, texts: Mapping[str, list[str]]) -> bool:
    """Whether a line with a heading's words opens that component here, or is part of the one it stands in."""
    if now and level and line.level > level:
        return False  # a heading below this component's own heading
    # “Assessment: …” in the middle of the process stays there
    return not (line.part != now and texts[line.part] and (line.rest.strip() or line.part in SHORT))


def _words_of(line: Line, label: str, title: bool) -> str:
    if title and label and folded(bare(line.text, numbers=False)) == folded(label):
        return case_lines().sub("", bare(line.text, numbers=False), count=1).lstrip(" :：.、．,，-–—|")
    return bare(line.text) if title else line.text.rstrip()


def can_be_title(line: Line, label: str) -> bool:
    """A first line that reads like a title: marked as one, or short and no sentence."""
    plain = line.text.strip()
    if length(plain) > LONGEST_TITLE or (LABEL.match(plain) and not line.text.lstrip().startswith("#") and not label):
        return False
    return line.text.lstrip().startswith("#") or not plain.endswith((".", "。", "!", "！", "?", "？", "；", ";", "，", ","))


def joined(lines: Sequence[str], part: str) -> str:
    """The lines of a component; a short component is one line, single empty lines stay."""
    if part in SHORT:
        return " ".join(line for line in lines if line).strip()
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def read_lines(text: str) -> Iterator[Line]:
    """The lines of a text with their offsets, and what each opens."""
    numerals = any(re.match(rf"[{NUMERALS}]、", line.lstrip(WHITE + "#*")) for line in text.split("\n"))
    start = 0
    for line in text.split("\n"):
        part, rest, name = heading(line)
        found = line.rfind(rest) if rest else 0
        yield Line(line, start, part, rest, start + max(found, 0), depth(line, numerals) if part else 0, name)
        start += len(line) + 1


def heading(line: str) -> tuple[str, str, str]:
    """(component, words behind the heading, heading) of a line; three empty strings for an ordinary line."""
    if not line.strip() or RULE.match(line):
        return "", "", ""
    for plain in dict.fromkeys((bare(line), without_aside(bare(line)))):
        if part := headings().get(folded(plain)):
            return part, "", folded(plain)
    found = LABEL.match(NUMBER.sub("", unmarked(unwrapped(line))))
    if found:
        for plain in dict.fromkeys((bare(found["head"]), without_aside(bare(found["head"])))):
            if part := headings().get(folded(plain)):
                return part, found["rest"].strip().removeprefix("**").strip(), folded(plain)
    return "", "", ""


def unwrapped(line: str) -> str:
    """A line without the marks of bold around its heading: ``**Title:** x`` → ``Title: x``."""
    return re.sub(r"^(\s*(?:#+\s*)?)(?:\*\*|__)(.{1,60}?)(?:\*\*|__)", r"\1\2", line)


def bare(line: str, numbers: bool = True) -> str:
    """A line without marks around it and, unless told otherwise, without numbering."""
    plain = unmarked(unicodedata.normalize("NFKC", line) if len(line) <= LONGEST_LINE and not CJK.search(line) else line)
    return unmarked(NUMBER.sub("", plain)) if numbers else plain


def unmarked(line: str) -> str:
    """A line without the marks of headings, lists and bold at its ends."""
    return line.lstrip(OPENING).rstrip(CLOSING)


def without_aside(line: str) -> str:
    """A line without a remark in brackets at its end."""
    found = ASIDE.search(line, max(0, len(line) - 42))
    return line[: found.start()].rstrip() if found else line


def depth(line: str, numerals: bool) -> int:
    """How deep a heading lies, 1 the highest; 0 when its look does not tell."""
    plain = line.lstrip()
    if marks := re.match(r"#+", plain):
        return len(marks.group())
    plain = plain.lstrip("*_ ")
    if re.match(rf"[{NUMERALS}]{{1,3}}、", plain):
        return 1
    if re.match(rf"[（(][{NUMERALS}]{{1,3}}[)）]", plain):
        return 2
    if found := re.match(r"(\d{1,2}(?:\.\d{1,2})*)[.、．)\s]", plain):
        return found.group(1).count(".") + (3 if numerals else 1)
    return 0
