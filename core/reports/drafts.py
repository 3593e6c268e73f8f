"""Drafts of reports, and the key that ties a masked text to the words it came with. Pure."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.errors import DataError, WorkbenchError
from core.files import composed
from core.reports import masking
from core.reports.components import PARTS
from core.reports.masking import Span
from storage import tables

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
        for span in masking.merged(spans.get(part, ()), len(parts[part]))
    ]  # fmt: skip


def placed(text: str, rows: Sequence[tables.Mask], stretches: Sequence[tuple[int, int]]) -> list[Span]:
    """Spans of the key's rows: masked ones where they were put back, kept ones at their next occurrence."""
    found, masked, at = [], iter(stretches), 0
    for row in rows:
        start, end = (text.find(row.original, at), 0) if row.kept else next(masked)
        if start < 0:
            continue
        end = end or start + len(row.original)
        found.append(Span(start, end, row.kind, row.replacement, row.kept))
        at = end
    return found


def kept_decisions(parts: Mapping[str, str], fresh: Spans, before: Spans) -> dict[str, list[Span]]:
    """Fresh spans with what a person had decided for the same words in the same component: kept stays kept."""
    kept = {span.replacement for spans in before.values() for span in spans if span.kept}
    return {
        part: [replace(span, kept=span.replacement in kept) for span in spans] for part, spans in fresh.items()
    }
