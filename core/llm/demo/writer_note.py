"""The four-part note made from a report's own sentences; what the report does not say is named as missing."""

import re
from collections.abc import Iterable

from core.llm.demo.bank import lines
from core.llm.demo.text import length, shorten
from core.llm.demo.writer_reading import Line, Report
from core.llm.demo.writer_techniques import techniques_in
from core.llm.demo.writer_voice import VOICES

Note = dict[str, str | list[str]]
ROOM = {"client_basics": 110, "problems": 150, "reflections": 170}  # words; Chinese characters come to twice as many
MOST_ENTRIES = 6
AIM_EN = re.compile(
    r"\b(?:hop(?:es|ed) (?:to|that|for)|hope is to|(?:wants?|wanted|wishes|wished) to|would like to|goals?(?: \w+){0,4}?(?:: | (?:was|were|is) (?:to )?)|agreed (?:to|on)|aims?(?: \w+)?(?:: | (?:was|is) (?:to )?)|aimed to)\s*",
    re.IGNORECASE,
)  # fmt: skip
AIM_ZH = re.compile(r"(?:希望(?:能够|能|可以)?|目标(?:是|为|：|:)|想要|期待(?:能)?|想(?=学会|摆脱|改变))")
METHOD_CUT = re.compile(r"[,;，；、+]|\band\b|\bwith\b|[()（）]|配合|结合|以及|与")
RELATION = re.compile(r"(?:Her|His|Their|The client's) \w+|(?:来访者的?)?(?:父|母|丈夫|妻子|爸爸|妈妈|家)")
SESSIONS = re.compile(r"\bsessions?\b|\bweeks?\b|次$|^\W*\d", re.IGNORECASE)


def note(report: Report) -> Note:
    """The note: who the client is, what troubles them, aims, techniques, steps, what can be learned."""
    missing = lines(report.language, "writer_lines", "missing")[0]
    brief = tuple(line for line in report.of("case_brief") if not line.has("heading"))
    basic = [line for line in brief if _tells_who(line)]
    problems = [line for line in brief if line not in basic and not _aims(line)]
    return {
        "client_basics": _joined(basic, "client_basics", report.language) or missing,
        "problems": _problems(report, problems) or missing,
        "goals": goals(report) or [missing],
        "techniques": techniques(report) or [missing],
        "steps": steps(report) or [missing],
        "reflections": _joined([line for line in report.of("experience_thoughts") if not line.has("heading")], "reflections", report.language) or missing,
    }


def _tells_who(line: Line) -> bool:
    """Background: who the client is, how they grew up, the people around them; not what troubles them now."""
    if line.quote or line.has("goal", "came", "risk", "score"):
        return line.number == 0 and line.has("basics")
    return line.has("basics", "history") or (RELATION.match(line.text) is not None and not line.has("problem", "since"))


def _aims(line: Line) -> bool:
    return line.has("goal") and not line.quote


def _problems(report: Report, found: list[Line]) -> str:
    kind = list(report.of("type"))[:1]
    return _joined([*kind, *found], "problems", report.language)


def _joined(found: Iterable[Line], part: str, language: str) -> str:
    """The sentences in their order, as many as there is room for."""
    room = ROOM[part] * (2 if language == "zh" else 1)
    kept: list[str] = []
    for line in found:
        room -= length(line.text)
        if room < 0 and kept:
            break
        text = shorten(line.text, 60 if language == "en" else 90)
        kept.append(text if text[-1:] in ".!?。！？…”\"" else text + ("。" if language == "zh" else "."))
    return ("" if language == "zh" else " ").join(dict.fromkeys(kept))


def goals(report: Report) -> list[str]:
    """What the work aims at: from the client's hopes, then what both agreed on."""
    found: list[str] = []
    for line in (*report.of("case_brief"), *report.of("consultation_process")):
        ours = line.part == "case_brief" or line.has("agreed")
        if line.has("goal") and ours and not line.quote:
            found += aims_in(line.text, report.language)
    return list(dict.fromkeys(found))[:MOST_ENTRIES]


def aims_in(text: str, language: str) -> list[str]:
    """The aims a sentence names, one an entry, in the report's words."""
    text = text.rstrip(".。!！ ")
    if language == "zh":
        hit = AIM_ZH.search(text)
        rest = text[hit.end() :] if hit else ""
        parts = re.split(r"[；;]", rest)
        return [part.strip(" ，,：:") for part in parts if 3 <= length(part) <= 45]
    hit = AIM_EN.search(text)
    rest = text[hit.end() :] if hit else ""
    rest = re.sub(r"^\w+ (?:goals?|aims?|things?):? ", "", rest)
    parts = re.split(r",? and (?=to )|; |, (?=to )", rest)
    cleaned = [part.strip(" ,:") for part in parts]
    if hit and hit.group().rstrip().endswith(" to"):
        cleaned[0] = "to " + cleaned[0]
    return [part for part in cleaned if 2 <= length(part) <= 30]


def techniques(report: Report) -> list[str]:
    """The techniques in the report's own words: what its method lists, else what the process names."""
    listed = [part.strip(" .。:：") for part in METHOD_CUT.split(" ".join(line.text for line in report.of("method")))]
    listed = [part for part in listed if part and length(part) >= 2 and not SESSIONS.search(part) and length(part) <= 14]
    known = techniques_in([line.text for line in report.of("consultation_process")], report.language)
    named = [one.named for one in known if not any(_same(one.named, part) for part in listed)]
    return list(dict.fromkeys([*listed, *named]))[:MOST_ENTRIES]


def _same(name: str, part: str) -> bool:
    words = set(re.findall(r"[a-z]{4,}|[\u4e00-\u9fff]{2}", name.lower()))
    return any(word in part.lower() for word in words)


def steps(report: Report) -> list[str]:
    """What was done, in order: the sentences in which the counselor acts, spread over the whole course."""
    voice = VOICES[report.language]
    process = report.of("consultation_process")
    acted = [
        line for line in process
        if not line.has("heading") and any(seat == "counselor" for seat, _text in voice.events(line.text, report.gender)) and not line.quote
    ]  # fmt: skip
    acted = acted or [line for line in process if not line.quote and not line.has("outcome", "reaction")]
    if len(acted) > MOST_ENTRIES:
        acted = [acted[round(at * (len(acted) - 1) / (MOST_ENTRIES - 1))] for at in range(MOST_ENTRIES)]
    return [shorten(line.text, 40 if report.language == "en" else 60) for line in acted]
