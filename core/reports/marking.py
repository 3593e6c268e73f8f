"""What a person marks and unmarks in a report. Pure.

Only the very words somebody decides about are uncovered: never the rest of a name, nor another name of the same kind.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from core.reports.masking import Labels, Parts, Span, merged, settled

Marks = Mapping[str, Sequence[Span]]


def everywhere(parts: Parts, said: str) -> dict[str, list[tuple[int, int]]]:
    """All places where these words stand, in every component."""
    whole = pattern(said)
    return {part: [found.span() for found in whole.finditer(text)] if said.strip() else [] for part, text in parts.items()}


def pattern(said: str) -> re.Pattern[str]:
    """Finds words as they are; those in Latin letters not inside another word."""
    words = said.strip()
    edge, close = (r"(?<![^\W_])" if words[:1].isascii() else ""), (r"(?![^\W_])" if words[-1:].isascii() else "")
    return re.compile(edge + re.escape(words) + close)


def add(parts: Parts, spans: Marks, said: str, kind: str, language: str) -> dict[str, list[Span]]:
    """Spans with these words masked wherever they stand. What was masked before stays covered, whole."""
    replacement = known_as(parts, spans, said, kind)
    if not replacement:
        taken = {span.replacement for here in spans.values() for span in here}
        replacement = Labels(language, "\n".join(parts.values()), taken).next(kind, False, said)
    new = Span(0, 0, kind, replacement, False, "person")
    return {part: covered(spans.get(part, ()), places, new, len(parts[part])) for part, places in everywhere(parts, said).items()}


def covered(spans: Sequence[Span], places: Sequence[tuple[int, int]], new: Span, size: int) -> list[Span]:
    """Spans with more stretches masked: inside a longer one that is masked it changes nothing, what one reaches over goes into it."""
    masked = merged([span for span in spans if not span.kept], size)
    ends, gone, added = [span.end for span in masked], set(), []
    for start, end in places:
        reached = list(reached_by(masked, bisect_right(ends, start), end))
        whole = min([start, *(masked[i].start for i in reached)]), max([end, *(masked[i].end for i in reached)])
        if len(reached) == 1 and whole == (masked[reached[0]].start, masked[reached[0]].end) != (start, end):
            continue
        gone.update(reached)
        added.append(replace(new, start=whole[0], end=whole[1]))
    rest = [span for i, span in enumerate(masked) if i not in gone]
    return settled([*rest, *added, *(span for span in spans if span.kept)], size)


def reached_by(masked: Sequence[Span], first: int, end: int) -> Iterator[int]:
    """The places in the list of those that begin before this end."""
    while first < len(masked) and masked[first].start < end:
        yield first
        first += 1


def known_as(parts: Parts, spans: Marks, said: str, kind: str) -> str:
    """The replacement of the one entity of this kind that these words are a form of, longer or shorter; else empty."""
    found = {
        span.replacement for _part, span, words in marked(parts, spans)
        if span.kind == kind and (pattern(said).search(words) or pattern(words).search(said))
    }  # fmt: skip
    return found.pop() if len(found) == 1 else ""


def marked(parts: Parts, spans: Marks) -> Iterator[tuple[str, Span, str]]:
    """Every span with its component and its words."""
    for part, here in spans.items():
        for span in here:
            yield part, span, parts[part][span.start : span.end]


def decide(parts: Parts, spans: Marks, words: str, replacement: str, kept: bool) -> dict[str, list[Span]]:
    """Spans with one entity masked, everywhere; or with these words of it kept, everywhere they stand by themselves.

    Args:
        words: the words of the mark at hand. A longer form of the name stays masked: it holds more than they show.
        replacement: of the entity.
    """
    return {
        part: [
            replace(span, kept=kept)
            if span.replacement == replacement and (not kept or pattern(parts[part][span.start : span.end]).search(words)) else span
            for span in here
        ]
        for part, here in spans.items()
    }  # fmt: skip


def carried(parts: Parts, fresh: Marks, before: Parts, decided: Marks, language: str) -> dict[str, list[Span]]:
    """Fresh spans of a text that was changed, with what was decided about the same words before it was.

    Args:
        before, decided: the text as it was, and its spans. A label may be another entity's now: words decide.
    """
    masked = {(words, span.kind) for _part, span, words in marked(before, decided) if not span.kept}
    known = {(words, span.kind) for _part, span, words in marked(before, decided) if span.kept} - masked
    spans = {
        part: [replace(span, kept=(parts[part][span.start : span.end], span.kind) in known) for span in here]
        for part, here in fresh.items()
    }
    found = {(words, span.kind) for _part, span, words in marked(parts, fresh)}  # the rules know where these stand
    for words, kind in sorted(masked - found, key=lambda one: (-len(one[0]), one)):
        spans = add(parts, spans, words, kind, language)
    return spans
