"""Where to turn in a crisis, by country. The numbers are data: ``prompts/safety/crisis.yaml``."""

from functools import lru_cache
from pathlib import Path
from typing import Any

import streamlit as st
import yaml

from pages.components import resources
from pages.components.drawing import esc
from pages.components.words import _, in_words, language

FILE = Path(__file__).parents[2] / "prompts" / "safety" / "crisis.yaml"


@lru_cache(maxsize=2)
def _read(changed_ns: int) -> dict[str, Any]:
    return dict(yaml.safe_load(FILE.read_text("utf-8")))


def numbers() -> dict[str, Any]:
    """The file: when it was dated, and its countries."""
    return _read(FILE.stat().st_mtime_ns)


def countries() -> dict[str, str]:
    """Codes with the country's name in the language of this session."""
    return {entry["code"]: in_words(entry["name"]) for entry in numbers()["countries"]}


def shown() -> list[dict[str, Any]]:
    """The chosen country; while none is chosen, every country that has a line."""
    chosen = resources.country()
    entries = numbers()["countries"]
    return [e for e in entries if e["code"] == chosen] or [e for e in entries if e["lines"]]


def where_to_turn() -> str:
    """The numbers as HTML of our own words."""
    entries = shown()
    if len(entries) == 1:
        return _one(entries[0])
    listed = _("; ").join(
        _("{country}: {numbers}").format(
            country=esc(in_words(e["name"])),
            numbers=" · ".join(f"<b>{esc(x['number'])}</b>" for x in e["lines"]),
        )
        for e in entries
    )
    return _("Call your local emergency number, or a crisis line. {listed}").format(listed=listed)


def _one(entry: dict[str, Any]) -> str:
    emergency = _(" or ").join(f"<b>{esc(number)}</b>" for number in entry["emergency"])
    lines = _("; ").join(
        _("{number} ({name})").format(
            number=f"<b>{esc(line['number'])}</b>", name=esc(in_words(line["name"]))
        )
        for line in entry["lines"]
    )
    if not emergency:
        return esc(
            _("Call your local emergency number, or ask a doctor or someone you trust to help you call.")
        )
    first = _("In {country}: emergency {emergency}.").format(
        country=esc(in_words(entry["name"])), emergency=emergency
    )
    return first + (_(" Somebody to talk to: {lines}.").format(lines=lines) if lines else "")


def note() -> None:
    """The quiet note at the foot of Home, the live session and every feedback page."""
    st.html(
        f'<div class="r-note r-crisis" lang="{language()}"><b>{esc(_("This is not care and not a diagnosis."))}</b> '
        f"{esc(_('It is a research and training tool. Nobody watches over this: do not expect help here. Whoever opens a session can read it as it goes on. If you or someone you know may be in danger, turn to people now.'))} "
        f"{where_to_turn()}</div>"
    )


def panel(sentence: str = "") -> None:
    """The panel that takes the place of an answer when a person may be at risk."""
    head = sentence or _("What you wrote may mean that you, or someone else, are in danger.")
    st.html(
        f'<div class="r-risk r-crisis" role="alert" lang="{language()}"><b>{esc(head)}</b> '
        f"{esc(_('No program can help with that. Nobody watches over this: do not expect help here. Please turn to people now.'))} "
        f"{where_to_turn()}</div>"
    )


def banner(turn: int) -> None:
    """Under a simulated session: a sign of risk was noticed; the session goes on."""
    head = _("A possible sign of risk was noticed in turn {n}.").format(n=turn)
    st.html(
        f'<div class="r-risk" lang="{language()}"><b>{esc(head)}</b> '
        f"{esc(_('A simple list of words marks it; it misses things and can be wrong. The session goes on and is marked. If this concerns a real person:'))} "
        f"{where_to_turn()}</div>"
    )


def choose_country(key: str, label_visibility: str = "visible") -> None:
    """The choice of country; saved for this workbench."""
    named = countries()
    chosen = resources.country()
    choice = st.selectbox(
        _("Country, for crisis numbers"),
        list(named),
        index=list(named).index(chosen) if chosen in named else None,
        format_func=lambda code: named[code],
        placeholder=_("Choose a country"),
        key=key,
        label_visibility="visible" if label_visibility == "visible" else "collapsed",
    )
    if choice and choice != chosen:
        resources.store().settings.set("country", choice)
        st.rerun()
