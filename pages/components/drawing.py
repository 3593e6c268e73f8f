"""Transcripts and reports as HTML. Every text of a person or a model is escaped here, and only here."""

import html
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.judging.evidence import match_quote


@dataclass(frozen=True)
class Said:
    """One turn as it is drawn; ``names`` of seats and stages come with the drawing."""

    position: int
    seat: str
    text: str
    stage: str = ""
    state: str = "complete"
    risk: Sequence[Any] = field(default_factory=tuple)
    speaker: str = ""  # who spoke, as the turn keeps it
    agent_id: int | None = None
    person_id: int | None = None


@dataclass(frozen=True)
class Span:
    """A stretch of a text and how it is marked: ``open`` and ``close`` are our own tags."""

    start: int
    end: int
    opens: str
    closes: str


def esc(text: object) -> str:
    return html.escape(str(text), quote=True)


def said(turn: Any) -> Said:
    """A turn from a store row or from a plain mapping."""
    read: Callable[[str, Any], Any] = (
        (lambda name, default: turn.get(name, default))
        if isinstance(turn, Mapping)
        else (lambda name, default: getattr(turn, name, default))
    )
    return Said(
        position=int(read("position", 0)),
        seat=read("seat", "client"),
        text=read("text", ""),
        stage=read("stage", "") or "",
        state=read("state", "complete") or "complete",
        risk=read("risk", ()) or (),
        speaker=read("speaker", "") or "",
        agent_id=read("agent_id", None),
        person_id=read("person_id", None),
    )


def who(turn: Said, seat: str, names: Mapping[str, str]) -> str:
    """The name over a turn: of whoever spoke it, whoever sits in the seat now; else of the seat."""
    key = f"{seat} {turn.speaker} {turn.agent_id}" if turn.speaker == "agent" else f"{seat} {turn.speaker}"
    return names.get(key, names[seat]).replace("{person}", names.get(f"person {turn.person_id}", ""))


def place_of(quote: Mapping[str, Any]) -> int | None:
    """The position of the turn a quote names; ``None`` where it names none."""
    turn = quote.get("turn")
    return turn if type(turn) is int and turn > 0 else None


def numbered(quotes: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Quotes with their numbers: as given, else counted from 1."""
    return [{"number": at, **quote} for at, quote in enumerate(quotes, 1)]


def with_spans(text: str, spans: Iterable[Span]) -> str:
    """The text, escaped, with each span marked. A span that overlaps an earlier one starts after it."""
    pieces: list[str] = []
    at = 0
    for span in sorted(spans, key=lambda s: (s.start, s.end)):
        start = max(span.start, at)
        if start >= span.end:
            pieces.append(span.closes if span.closes.startswith("<sup") else "")
            continue
        pieces += [esc(text[at:start]), span.opens, esc(text[start : span.end]), span.closes]
        at = span.end
    return "".join([*pieces, esc(text[at:])])


def quote_spans(turn: Said, quotes: Iterable[Mapping[str, Any]]) -> list[Span]:
    """Where the quotes stand in this turn; the same stretch quoted twice carries both numbers."""
    found: dict[tuple[int, int, bool], list[str]] = {}
    for quote in quotes:
        if place_of(quote) != turn.position:
            continue
        match = match_quote(str(quote.get("text", "")), [{"position": turn.position, "text": turn.text}])
        if match.turn is not None:
            key = (match.start, match.end, quote.get("side") == "against")
            found.setdefault(key, []).append(str(quote["number"]))
    return [
        Span(
            start,
            end,
            f'<mark class="r-q{" r-against" if against else ""}">',
            f"<sup>{esc(', '.join(numbers))}</sup></mark>",
        )
        for (start, end, against), numbers in found.items()
    ]


def turn_html(
    turn: Said,
    *,
    names: Mapping[str, str],
    signs: Mapping[str, str],
    words: Mapping[str, str],
    quotes: Sequence[Mapping[str, Any]] = (),
    key: str = "turn",
    caret: bool = False,
) -> str:
    """One turn: a client's circle and plain text, or a counselor's square and tinted block with a bar."""
    seat = "counselor" if turn.seat == "counselor" else "client"
    flags = f'<span class="r-flag">{esc(words["risk"])}</span>' if turn.risk else ""
    if turn.state == "partial" and not caret:
        flags += f'<span class="r-left">{esc(words["partial"])}</span>'
    body = with_spans(turn.text, quote_spans(turn, quotes)) + ('<span class="r-caret"></span>' if caret else "")
    if turn.state == "deleted":
        body = f'<span class="r-left">{esc(words["deleted"])}</span>'
    return (
        f'<div class="r-turn r-{seat}" id="{esc(key)}-{turn.position}">'
        f'<div class="r-sign" aria-hidden="true">{esc(signs[seat])}</div><div>'
        f'<div class="r-who">{esc(who(turn, seat, names))}<span class="r-n"> · {turn.position}</span>{flags}</div>'
        f'<div class="r-said r-text">{body}</div></div></div>'
    )


def transcript_html(
    turns: Iterable[Any],
    quotes: Sequence[Mapping[str, Any]] = (),
    *,
    names: Mapping[str, str],
    signs: Mapping[str, str],
    words: Mapping[str, str],
    stages: Mapping[str, str] | None = None,
    key: str = "turn",
    language: str = "en",
    cut_at: int | None = None,
) -> str:
    """A transcript with its quotes marked and numbered, and a rule where the stage changes."""
    pieces: list[str] = []
    stage = ""
    for turn in map(said, turns):
        if turn.stage and turn.stage != stage:
            stage = turn.stage
            pieces.append(stage_html((stages or {}).get(stage, stage)))
        pieces.append(turn_html(turn, names=names, signs=signs, words=words, quotes=quotes, key=key))
        if cut_at is not None and turn.position == cut_at:
            pieces.append(f'<div class="r-cut">{esc(words["cut"])}</div>')
    return f'<div class="r-transcript" lang="{esc(language)}">{"".join(pieces)}{lit(quotes, key)}</div>'


def stage_html(name: str) -> str:
    return f'<div class="r-stage"><span>{esc(name)}</span></div>'


def lit(quotes: Iterable[Mapping[str, Any]], key: str) -> str:
    """The rule that lights a turn while the pointer is on a link to it, without a rerun."""
    turns = sorted({turn for quote in quotes if (turn := place_of(quote)) is not None})
    rules = "".join(
        f'body:has(a[href="#{esc(key)}-{n}"]:hover) #{esc(key)}-{n}'
        "{background:var(--r-lit);box-shadow:inset 0 0 0 2px var(--r-quote-line)}"
        for n in turns
    )
    return f"<style>{rules}</style>" if rules else ""


def quotes_html(
    quotes: Iterable[Mapping[str, Any]], *, words: Mapping[str, str], key: str = "turn", language: str = "en"
) -> str:
    """Quotes as a list, each with a link to its turn; against is dashed, not found is dotted and said."""
    pieces: list[str] = []
    for quote in quotes:
        turn = place_of(quote)
        found = turn is not None and quote.get("status") != "not found"
        against = quote.get("side") == "against"
        kind = " r-against" if against else ""
        label = quote.get("label") or words["against" if against else "for"]
        link = (
            f'<a href="#{esc(key)}-{turn}">{esc(words["turn"].format(n=turn))}</a>'
            if found
            else esc(words["unfound"])
        )
        alike = f" · {esc(words['alike'])}" if found and quote.get("status") == "normalised" else ""
        pieces.append(
            f'<div class="r-quote{kind if found else " r-unfound"}"><span class="r-from">'
            f"<b>{esc(quote['number'])}</b> {esc(label)} · {link}{alike}</span>"
            f"{esc(words['open'])}{esc(quote.get('text', ''))}{esc(words['close'])}</div>"
        )
    return f'<div class="r-quotes" lang="{esc(language)}">{"".join(pieces)}</div>'


def mask_spans(marks: Sequence[Mapping[str, Any]], current: int | None, kept_word: str) -> list[Span]:
    """Marks of a component as spans: ``kind → replacement`` after the text, dashed where it is kept."""
    return [
        Span(
            int(mark["start"]),
            int(mark["end"]),
            f'<span class="r-mask{" r-kept" if mark.get("kept") else ""}'
            f'{" r-now" if mark.get("number") == current and current is not None else ""}">',
            f"<small>{esc(mark.get('label', ''))} → "
            f"{esc(kept_word if mark.get('kept') else mark.get('replacement', ''))}</small></span>",
        )
        for mark in marks
    ]


def report_html(
    components: Iterable[tuple[str, str]],
    marks: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
    *,
    current: int | None = None,
    kept_word: str = "kept",
    language: str = "en",
    headings: Mapping[str, str] | None = None,
) -> str:
    """A report's components under their headings, with what is masked marked in the text."""
    pieces = []
    for name, text in components:
        spans = mask_spans((marks or {}).get(name, ()), current, kept_word)
        pieces.append(
            f'<div class="r-part">{esc((headings or {}).get(name, name))}</div>'
            f'<div class="r-text">{with_spans(text, spans)}</div>'
        )
    return f'<div class="r-report" lang="{esc(language)}">{"".join(pieces)}</div>'
