"""Transcripts as text with a label before each utterance (CPsyCounD, and what people paste). Pure."""

import re
from collections import Counter
from collections.abc import Sequence

from core import files
from core.errors import DataError
from core.files import places
from core.sessions.speakers import is_other, parted, seat_of
from core.sessions.transcripts import Line, Reading, Transcript, assemble, tried

# A label opens a line, is short, and ends in a colon; list numbers and clauses with punctuation are none.
LONGEST_HEAD = 60  # characters before the colon, marks included
MARKS = " \t*_#>-"
NEVER = frozenset("，。,!?！？；;“”\"")
HONORIFIC = re.compile(r"\b(?:Dr|Mr|Mrs|Ms|Mx|Prof|St)\.", re.IGNORECASE)
INSERT = re.compile(r"[（(【\[](.*?)[)）】\]]")
ASIDE = re.compile(r"^\s*[（(【\[][^（(【\[]*[)）】\]]\s*$")
WHOLE = re.compile(r"[（(【\[]([^（(【\[）)】\]]*)[)）】\]]")
BREAK = re.compile(r"^\s*(?:-{3,}|={3,}|\*{3,}|_{3,})\s*$")
MOST_UNSURE = 20  # remarks on labels that may be a name
LONGEST_LABEL = 12  # letters of a further speaker's name, so that a sentence with a colon is none


def read_labelled(name: str, text: str) -> list[Reading]:
    """The sessions of a labelled text; a ruled line (---) between blocks begins the next one.

    Raises:
        DataError: no block is a conversation between a client and a counselor.
    """
    lines = files.lines_of(name, text)
    remarks: list[Reading] = [*files.dropped_remark(name, lines.dropped)]
    blocks = _blocks(lines.value)
    if len(blocks) == 1:
        return [_session(name, blocks[0]), *remarks]
    return [*(tried(_session, f"{name} · {n}", block) for n, block in enumerate(blocks, 1)), *remarks]


def read_list(name: str, items: Sequence[str]) -> Transcript:
    """A session given as a list of labelled strings (CPsyCounE)."""
    return _session(name, list(enumerate((str(item) for item in items), 1)), whole=True)


def _blocks(lines: Sequence[str]) -> list[list[tuple[int, str]]]:
    blocks: list[list[tuple[int, str]]] = [[]]
    for at, line in enumerate(lines, 1):
        if BREAK.match(line):
            blocks.append([])
        else:
            blocks[-1].append((at, line))
    return [block for block in blocks if any(_label(line)[0] for _, line in block)] or [blocks[0]]


def _label(line: str) -> tuple[str, str]:
    """The label and the words after it; an empty label where the line goes on with the utterance before."""
    colon = next((at for at, sign in enumerate(line[: LONGEST_HEAD + 40]) if sign in ":："), -1)
    label = line[: max(colon, 0)].strip(MARKS)
    if whole := WHOLE.fullmatch(label):
        label = whole[1].strip()
    if not label or len(label) > LONGEST_HEAD or label[0].isdigit() or NEVER & set(label) or "." in HONORIFIC.sub("", label):
        return "", line
    if seat_of(label) or is_other(label) or _may_be_a_name(label):
        return label, line[colon + 1 :].lstrip("*_").lstrip()
    return "", line


def _may_be_a_name(label: str) -> bool:
    bare = INSERT.sub("", label).strip()
    words = bare.split()
    return (
        0 < len(bare) <= LONGEST_LABEL * 2
        and bare[0] not in "'’([（【"
        and len(words) <= 3
        and (len(words) > 1 or len(bare) <= LONGEST_LABEL)
    )


def _session(title: str, block: list[tuple[int, str]], whole: bool = False) -> Transcript:
    """``whole``: each item is one utterance, its line breaks included."""
    speakers, named = _speakers(block), _further_speakers(block)
    lines: list[tuple[str, int]] = []
    words: list[list[str]] = []
    asides: list[int] = []
    before: list[int] = []
    inserts: dict[str, int] = {}
    unsure: dict[str, int] = {}
    for at, raw in block:
        label, said = _parted(raw) if whole else _label(raw)
        if label and (seat_of(label, speakers) or label in named):
            if insert := INSERT.search(label):
                inserts[insert.group(1)] = inserts.get(insert.group(1), 0) + 1
            lines.append((label, at))
            words.append([said])
        elif ASIDE.match(raw):
            asides.append(at)
        elif raw.strip() and lines:
            if label:
                unsure.setdefault(label, at)
            words[-1].append(raw.strip())
        elif raw.strip():
            before.append(at)
    spoken = [Line(label, "\n".join(text), at) for (label, at), text in zip(lines, words, strict=True)]
    return assemble(title, spoken, _remarks(asides, before, inserts, unsure))


def _parted(item: str) -> tuple[str, str]:
    """Label and words of an item that may hold line breaks."""
    head, _, rest = item.partition("\n")
    label, said = _label(head)
    return label, f"{said}\n{rest}".strip() if rest else said


def _speakers(block: list[tuple[int, str]]) -> frozenset[str]:
    return frozenset(parted(label).word for _, line in block if (label := _label(line)[0]))


def _further_speakers(block: list[tuple[int, str]]) -> frozenset[str]:
    """Labels of further speakers: known as such, or used more than once, so that a lone “Note:” stays text."""
    labels = Counter(label for _, line in block if (label := _label(line)[0]) and not seat_of(label))
    return frozenset(label for label, n in labels.items() if n > 1 or is_other(label))


def _remarks(
    asides: list[int], before: list[int], inserts: dict[str, int], unsure: dict[str, int]
) -> list[DataError]:
    said = []
    if asides:
        said.append(
            DataError(
                "Left out as notes, because the whole line stands in brackets: lines {where}.",
                where=places(asides),
            )
        )
    if before:
        said.append(
            DataError("Left out, because nobody had spoken yet: lines {where}.", where=places(before))
        )
    for label, at in list(unsure.items())[:MOST_UNSURE]:
        said.append(
            DataError(
                "“{label}” in line {at} may be a further speaker; the line was kept in the turn before it.",
                label=label,
                at=at,
            )
        )
    for insert, n in list(inserts.items())[:MOST_UNSURE]:
        said.append(
            DataError("The words “{insert}” in speaker labels ({n}) were left out.", insert=insert, n=n)
        )
    return said
