"""The one drawing of transcripts, quotes and reports, used by every page."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.components import drawing
from pages.components.words import _, language

PAINT = 0.05  # seconds between looks at a turn that is being spoken


@dataclass(frozen=True)
class Following:
    """What a running session shows at one moment."""

    turns: Sequence[Any]
    partial: Mapping[str, Any] | None = None  # position, seat, text of the turn being spoken
    running: bool = True


def names_of(given: Mapping[str, str] | None = None) -> dict[str, str]:
    """The names over the turns: the seat, then who is in it (``{"client": "R-014", "counselor agent 3": "Hill"}``).

    A turn that a person spoke bears that person's code (``{"person 7": "C-01"}``) in the place of ``{person}``.
    """
    found: dict[str, str] = {}
    given = given or {}
    for seat, label in {"client": _("Client"), "counselor": _("Counselor")}.items():
        found[seat] = _("{seat} · {name}").format(seat=label, name=given[seat]) if given.get(seat) else label
        found[f"{seat} person"] = _("{seat} · {name}").format(seat=label, name="{person}")
        found[f"{seat} unknown person"] = _("{seat} · {name}").format(seat=label, name=_("unknown person"))
        agents = {key: name for key, name in given.items() if key.startswith(f"{seat} agent ")}
        found |= {key: _("{seat} · {name}").format(seat=label, name=name) for key, name in agents.items()}
    return found | {key: code for key, code in given.items() if key.startswith("person ")}


def signs() -> dict[str, str]:
    return {"client": _("Cl"), "counselor": _("Co")}


def stage_names() -> dict[str, str]:
    return {
        "opener": _("Opening line"),
        "exploration": _("Exploration"),
        "insight": _("Insight"),
        "action": _("Action"),
        "reception": _("Reception"),
        "diagnosis": _("Diagnosis"),
        "consultation": _("Consultation"),
        "consolidation": _("Consolidation"),
    }


def words() -> dict[str, str]:
    return {
        "risk": _("possible risk"),
        "partial": _("stopped in the middle"),
        "deleted": _("(deleted)"),
        "cut": _("A judge reads up to here. The rest is kept."),
        "for": _("Evidence"),
        "against": _("Counter-evidence"),
        "turn": _("turn {n}"),
        "unfound": _("not found in the transcript"),
        "alike": _("found with other spacing or punctuation"),
        "open": _("“"),
        "close": _("”"),
    }


def draw(
    turns: Sequence[Any],
    quotes: Sequence[Mapping[str, Any]] = (),
    *,
    names: Mapping[str, str] | None = None,
    text_language: str = "",
    key: str = "turn",
    cut_at: int | None = None,
) -> None:
    """A transcript. ``key`` names its turns (``#turn-7``): give each transcript on a page another one.

    Args:
        turns: store rows or mappings with position, seat, text (and stage, state, risk).
        quotes: as stored with a rating: text, turn, status, side; numbered as given or from 1.
        names: who sits in the seats, by seat.
    """
    st.html(
        drawing.transcript_html(
            turns,
            drawing.numbered(quotes),
            names=names_of(names),
            signs=signs(),
            words=words(),
            stages=stage_names(),
            key=key,
            language=text_language or language(),
            cut_at=cut_at,
        )
    )


def quote_list(quotes: Sequence[Mapping[str, Any]], *, key: str = "turn", text_language: str = "") -> None:
    """Quotes with links to their turns in the transcript drawn with the same ``key``."""
    if quotes:
        st.html(
            drawing.quotes_html(
                drawing.numbered(quotes), words=words(), key=key, language=text_language or language()
            )
        )


def report(
    components: Sequence[tuple[str, str]],
    marks: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
    *,
    current: int | None = None,
    text_language: str = "",
) -> None:
    """A report. ``marks`` by component: start, end, label (kind in words), replacement, kept, number."""
    st.html(
        drawing.report_html(
            components,
            marks,
            current=current,
            kept_word=_("kept"),
            language=text_language or language(),
            headings=component_names(),
        )
    )


def component_names() -> dict[str, str]:
    return {
        "title": _("Title"),
        "type": _("Type of case"),
        "method": _("Method"),
        "case_brief": _("Case brief"),
        "consultation_process": _("Consultation process"),
        "experience_thoughts": _("Experience and thoughts"),
    }


def text(body: str, *, text_language: str = "", small: bool = False) -> None:
    """A text of a person or a model, as text: line breaks stay, nothing in it is read as markup."""
    kind = "r-text r-small" if small else "r-text"
    st.html(
        f'<div class="{kind}" lang="{drawing.esc(text_language or language())}">{drawing.esc(body) or "&nbsp;"}</div>'
    )


def follow(
    watch: Callable[[], Following],
    *,
    names: Mapping[str, str] | None = None,
    text_language: str = "",
    key: str = "turn",
) -> Following:
    """Draw a running session and follow it until it rests; returns what it looked like last.

    Each turn has a place of its own, so only the turn being spoken is painted again. Any click on the
    page ends the following at once: the session itself runs in the server and is not touched.
    """
    places: dict[int, Any] = {}
    painted: dict[int, str] = {}
    box = st.container()
    fixed: dict[str, Any] = {"names": names_of(names), "signs": signs(), "words": words(), "key": key}
    stages = stage_names()
    while True:
        seen = watch()
        stage = ""
        for turn in map(drawing.said, seen.turns):
            head = (
                drawing.stage_html(stages.get(turn.stage, turn.stage))
                if turn.stage not in ("", stage)
                else ""
            )
            stage = turn.stage or stage
            _paint(
                box, places, painted, turn.position, head + drawing.turn_html(turn, **fixed), text_language
            )
        if seen.partial is not None and seen.running:
            turn = drawing.said(seen.partial)
            _paint(
                box,
                places,
                painted,
                turn.position,
                drawing.turn_html(turn, caret=True, **fixed),
                text_language,
            )
        if not seen.running:
            return seen
        time.sleep(PAINT)


def _paint(
    box: Any, places: dict[int, Any], painted: dict[int, str], position: int, markup: str, text_language: str
) -> None:
    if painted.get(position) == markup:
        return
    if position not in places:
        places[position] = box.empty()
    painted[position] = markup
    places[position].html(f'<div lang="{drawing.esc(text_language or language())}">{markup}</div>')
