"""Drafts of reports, and the key that ties a masked text to the words it came with. Pure."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.errors import DataError, WorkbenchError
from core.files import composed
from core.reports import masking
from core.reports.components import PARTS
from core.reports.marking import pattern
from core.reports.masking import Span
from storage import tables
from storage.reviewed import hashed

Spans = Mapping[str, Sequence[Span]]


@dataclass
class Draft:
    """One case, read but not saved: its components as they stand in the file, and the whole text."""

    source: str
    text: str
    language: str
    parts: dict[str, str]
    topic: str
    school: str
    headed: bool = True
    label: str = ""

    @property
    def missing(self) -> tuple[str, ...]:
        return tuple(part for part in PARTS if not self.parts[part].strip())


@dataclass
class Imported:
    """What a file holds: drafts to save, and why stretches of it were not taken."""

    drafts: list[Draft] = field(default_factory=list)
    refused: list[DataError] = field(default_factory=list)


def content_hash(parts: Mapping[str, str]) -> str:
    """The same for the same words, whatever the spaces and the name of the file."""
    words = "\n".join(composed(parts[part], "NFKC") for part in PARTS if part != "title")
    return hashlib.sha256("".join(words.split()).encode()).hexdigest()


@dataclass
class Taken:
    """What one file brought: reports saved, and sentences about what was not taken or needs a look."""

    reports: list[tables.Report] = field(default_factory=list)
    messages: list[WorkbenchError] = field(default_factory=list)


def key_of(report_id: int, parts: Mapping[str, str], spans: Spans) -> list[tables.Mask]:
    """The key to a masking: every stretch in order, kept ones too."""
    return [
        tables.Mask(
            report_id=report_id, component=part, kind=span.kind, original=parts[part][span.start : span.end],
            replacement=span.replacement, kept=span.kept,
        )
        for part in PARTS
        for span in masking.settled(spans.get(part, ()), len(parts[part]))
        if not span.kept or parts[part][span.start : span.end].strip()
    ]  # fmt: skip


def shown_hash(parts: Mapping[str, str], spans: Spans) -> str:
    """The hash of a report as a person reviews it: its text as it will travel, and every mark in it."""
    masked = [masking.apply(parts[part], spans.get(part, ())) for part in PARTS]
    marks = [[part, one.start, one.end, one.kind, one.replacement, one.kept] for part in PARTS for one in spans.get(part, ())]
    return hashed([masked, marks])


def placed(text: str, rows: Sequence[tables.Mask], stretches: Sequence[tuple[int, int]]) -> list[Span]:
    """Spans of the key's rows: masked ones where they were put back, kept ones at their next occurrence."""
    found, masked, at = [], iter(stretches), 0
    for row in rows:
        place = pattern(row.original).search(text, at) if row.kept else None
        if row.kept and place is None:
            continue
        start, end = place.span() if place else next(masked)
        found.append(Span(start, end, row.kind, row.replacement, row.kept))
        at = end
    return found


def before_masking(report: tables.Report, rows: Sequence[tables.Mask]) -> tuple[dict[str, str], dict[str, list[Span]]]:
    """A report as it came, and what is marked in it; where the key no longer fits, as it stands and what is found in it."""
    parts: dict[str, str] = {}
    spans: dict[str, list[Span]] = {}
    for part in PARTS:
        mine = [row for row in rows if row.component == part]
        back = masking.restore(getattr(report, part), [(r.original, r.replacement) for r in mine if not r.kept])
        if back is None:
            return as_it_stands(report)
        parts[part] = back[0]
        spans[part] = placed(back[0], mine, back[1])
    return parts, spans


def as_it_stands(report: tables.Report) -> tuple[dict[str, str], dict[str, list[Span]]]:
    parts = {part: getattr(report, part) for part in PARTS}
    return parts, masking.find(parts, report.language)
