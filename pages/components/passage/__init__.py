"""A text a person works on: select a stretch, step and decide by keys.

A custom component in plain JavaScript. Texts go in as data and are drawn with ``textContent`` only. It returns
what was selected as (turn, start, end), counted in characters, and which key was pressed. ``by_hand`` is the way
without it: choose the turn, paste the quote.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from core.errors import DataError
from core.judging.evidence import match_quote
from pages.components.drawing import said
from pages.components.transcript import names_of, signs
from pages.components.words import _, language

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Picked:
    """A stretch of one turn (or part of a report): offsets in characters, end not included."""

    turn: int
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Done:
    """What the person just did; both are ``None`` on every other run."""

    picked: Picked | None = None
    key: str | None = None


def _component() -> Any:
    return st.components.v2.component(
        "rapport_passage",
        html='<div class="passage" part="passage"></div>',
        css=(HERE / "passage.css").read_text("utf-8"),
        js=(HERE / "passage.js").read_text("utf-8"),
    )


component = _component()


def blocks_of(turns: Sequence[Any], names: Mapping[str, str] | None = None) -> list[dict[str, Any]]:
    """Turns as the component draws them."""
    named, signed = names_of(names), signs()
    return [
        {
            "turn": turn.position,
            "text": turn.text,
            "head": f"{named[seat]} · {turn.position}",
            "sign": signed[seat],
            "seat": seat,
        }
        for turn in map(said, turns)
        for seat in ["counselor" if turn.seat == "counselor" else "client"]
    ]


def parts_of(parts: Sequence[tuple[int, str, str]]) -> list[dict[str, Any]]:
    """Parts of a report as the component draws them: number, heading, text."""
    return [{"turn": n, "text": text, "head": head, "sign": "", "seat": ""} for n, head, text in parts]


def show(
    blocks: Sequence[Mapping[str, Any]],
    marks: Sequence[Mapping[str, Any]] = (),
    *,
    key: str,
    keys: Sequence[str] = (),
    text_language: str = "",
    height: int | None = None,
) -> Done:
    """Draw the text and tell what the person did.

    Args:
        blocks: from ``blocks_of`` or ``parts_of``.
        marks: turn, start, end (characters) and kind: ``mask``, ``kept``, ``for`` or ``against``; optional
            ``note`` (small words after the stretch) and ``now`` (the current one, outlined).
        keys: keys to listen to while no field is being typed in, e.g. ``("m", "k", "j")`` or digits.
        height: pixels; longer texts scroll inside.
    """
    if not blocks:
        return Done()
    result = component(
        key=key,
        data={
            "blocks": [dict(block) for block in blocks],
            "marks": [dict(mark) for mark in marks],
            "keys": [k.lower() for k in keys],
            "lang": text_language or language(),
            "height": height,
            "label": _("Text; select a stretch with the mouse or the arrow keys"),
        },
        on_picked_change=_nothing,
        on_pressed_change=_nothing,
    )
    return _read(result, blocks)


def _nothing() -> None:
    """A component tells of a change only when something listens."""


def _read(result: Any, blocks: Sequence[Mapping[str, Any]]) -> Done:
    """What came back, checked: it comes from a browser."""
    picked, pressed = getattr(result, "picked", None), getattr(result, "pressed", None)
    key = str(pressed["key"])[:12] if isinstance(pressed, Mapping) and "key" in pressed else None
    if not isinstance(picked, Mapping):
        return Done(key=key)
    try:
        turn, start, end = (int(picked[name]) for name in ("turn", "start", "end"))
    except (KeyError, TypeError, ValueError):
        return Done(key=key)
    text = next((str(block["text"]) for block in blocks if block["turn"] == turn), "")
    if not 0 <= start < end <= len(text):
        return Done(key=key)
    return Done(Picked(turn, start, end, text[start:end]), key)


def by_hand(blocks: Sequence[Mapping[str, Any]], *, key: str) -> Picked | None:
    """The same without selecting: choose the turn, paste the quote.

    Raises:
        DataError: the quote does not stand in that turn.
    """
    heads = {int(block["turn"]): str(block["head"]) for block in blocks}
    texts = {int(block["turn"]): str(block["text"]) for block in blocks}
    with st.form(f"{key}_form", clear_on_submit=False, border=False):
        turn = st.selectbox(_("Where"), list(heads), format_func=lambda n: heads[n], key=f"{key}_turn")
        quote = st.text_input(_("Paste the words"), key=f"{key}_quote")
        sent = st.form_submit_button(_("Take these words"), key=f"{key}_take")
    if not sent or turn is None:
        return None
    match = match_quote(quote, [{"position": turn, "text": texts[turn]}])
    if match.turn is None:
        raise DataError(
            "These words do not stand in “{where}”. Copy them from the text, at least two characters; nothing was saved.",
            where=heads[turn],
        )
    return Picked(turn, match.start, match.end, texts[turn][match.start : match.end])
