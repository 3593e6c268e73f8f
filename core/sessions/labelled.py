"""Transcripts as text with a label before each utterance (CPsyCounD, and what people paste). Pure."""

import re
from collections.abc import Sequence

from core.errors import DataError
from core.sessions.transcripts import Line, Reading, Transcript, assemble, places, seat_of, tried

# A label opens a line, is short, and ends in a colon; list numbers and clauses with punctuation are none.
LABEL = re.compile(
    r"^[\s*_#>\-]*([^\d\s：:，。,.!?！？；;“”\"'（(][^：:，。,.!?！？；;“”\"]{0,39}?)[*_\s]*[：:][*_]*\s*(.*)$"
)
INSERT = re.compile(r"[（(【\[](.*?)[)）】\]]")
ASIDE = re.compile(r"^\s*[（(【\[][^（(【\[]*[)）】\]]\s*$")
BREAK = re.compile(r"^\s*(?:-{3,}|={3,}|\*{3,}|_{3,})\s*$")
LONGEST_LABEL = 12  # letters of a further speaker's name, so that a sentence with a colon is none


def read_labelled(name: str, text: str) -> list[Reading]:
    """The sessions of a labelled text; a ruled line (---) between blocks begins the next one.

    Raises:
        DataError: no block is a conversation between a client and a counselor.
    """
    blocks = _blocks(text)
    if len(blocks) == 1:
        return [_session(name, blocks[0])]
    return [tried(_session, f"{name} · {n}", block) for n, block in enumerate(blocks, 1)]


def read_list(name: str, items: Sequence[str]) -> Transcript:
    """A session given as a list of labelled strings (CPsyCounE)."""
    return _session(name, list(enumerate((str(item) for item in items), 1)), whole=True)


def _blocks(text: str) -> list[list[tuple[int, str]]]:
    blocks: list[list[tuple[int, str]]] = [[]]
    for at, line in enumerate(text.splitlines(), 1):
        if BREAK.match(line):
            blocks.append([])
        else:
            blocks[-1].append((at, line))
    return [block for block in blocks if any(_label(line)[0] for _, line in block)] or [blocks[0]]


def _label(line: str) -> tuple[str, str]:
    """The label and the words after it; an empty label where the line goes on with the utterance before."""
    found = LABEL.match(line)
    if not found:
        return "", line
    label = found.group(1).strip()
    if seat_of(label) or _may_be_a_name(label):
        return label, found.group(2)
    return "", line


def _may_be_a_name(label: str) -> bool:
    bare = INSERT.sub("", label).strip()
    words = bare.split()
    return (
        0 < len(bare) <= LONGEST_LABEL * 2
        and len(words) <= 3
        and (len(words) > 1 or len(bare) <= LONGEST_LABEL)
    )


def _session(title: str, block: list[tuple[int, str]], whole: bool = False) -> Transcript:
    """``whole``: each item is one utterance, its line breaks included."""
    speakers, named = _speakers(block), _further_speakers(block)
    lines: list[Line] = []
    asides: list[int] = []
    before: list[int] = []
    inserts: dict[str, int] = {}
    unsure: dict[str, int] = {}
    for at, raw in block:
        label, said = _parted(raw) if whole else _label(raw)
        if label and (seat_of(label, speakers) or label in named):
            if insert := INSERT.search(label):
                inserts[insert.group(1)] = inserts.get(insert.group(1), 0) + 1
            lines.append(Line(label, said, at))
        elif ASIDE.match(raw):
            asides.append(at)
        elif raw.strip() and lines:
            if label:
                unsure.setdefault(label, at)
            last = lines[-1]
            lines[-1] = Line(last.speaker, f"{last.text}\n{raw.strip()}", last.at)
        elif raw.strip():
            before.append(at)
    return assemble(title, lines, _remarks(asides, before, inserts, unsure))


def _parted(item: str) -> tuple[str, str]:
    """Label and words of an item that may hold line breaks."""
    head, _, rest = item.partition("\n")
    label, said = _label(head)
    return label, f"{said}\n{rest}".strip() if rest else said


def _speakers(block: list[tuple[int, str]]) -> frozenset[str]:
    return frozenset(label.casefold() for _, line in block if (label := _label(line)[0]))


def _further_speakers(block: list[tuple[int, str]]) -> frozenset[str]:
    """Labels of further speakers: short, and used more than once, so that a lone “Note:” stays text."""
    labels = [label for _, line in block if (label := _label(line)[0]) and not seat_of(label)]
    return frozenset(label for label in labels if labels.count(label) > 1)


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
    for label, at in unsure.items():
        said.append(
            DataError(
                "“{label}” in line {at} may be a further speaker; the line was kept in the turn before it.",
                label=label,
                at=at,
            )
        )
    for insert, n in inserts.items():
        said.append(
            DataError("The words “{insert}” in speaker labels ({n}) were left out.", insert=insert, n=n)
        )
    return said
