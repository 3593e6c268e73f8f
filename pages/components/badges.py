"""The small labels that travel with everything: which engine, does text leave, how far to trust it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import streamlit as st

from core.llm import gate
from core.llm.seam import Endpoint
from pages.components.words import _, plain
from storage import tables

Colour = Literal["violet", "green", "yellow", "gray", "blue", "red"]


@dataclass(frozen=True)
class Badge:
    """Words, an icon and a colour; the words alone say it. The words are read as plain text."""

    words: str
    icon: str
    colour: Colour
    help: str | None = None


def engine_words(kind: str, name: str = "") -> str:
    """What made a record, in words: for captions, tables and figures."""
    return {
        "demo": _("Demo engine (rules, no model)"),
        "openai": _("Model: {name}").format(name=name) if name else _("A model"),
        "person": _("Written by a person"),
        "imported": _("Imported"),
        "mixed": _("Several engines"),
    }.get(kind, kind)


def engine(kind: str, name: str = "") -> Badge:
    icons = {"demo": "rule", "openai": "neurology", "person": "person", "imported": "upload_file"}
    return Badge(
        engine_words(kind, name),
        f":material/{icons.get(kind, 'category')}:",
        "violet" if kind == "demo" else "gray",
    )


def local(stays: bool, name: str = "") -> Badge:
    """Whether text stays on this machine."""
    if stays:
        return Badge(_("Nothing leaves this machine"), ":material/lock:", "green")
    words = _("Text leaves this machine: {name}").format(name=name) if name else _("Text leaves this machine")
    return Badge(words, ":material/cloud_upload:", "yellow")


def endpoint(row: tables.Endpoint | None) -> Badge:
    """Whether text sent to this endpoint stays here; ``None`` is the demo engine."""
    if row is None:
        return local(True)
    place = Endpoint(kind="openai", base_url=row.base_url, model=row.model, name=row.name)
    return local(gate.is_local(place), row.name)


def workbench(rows: Iterable[tables.Endpoint]) -> Badge:
    """Whether text can leave this machine at all: it can once an endpoint outside is entered, in use or not."""
    outside = [row.name for row in rows if endpoint(row).colour == "yellow"]
    return local(not outside, ", ".join(outside))


def running(words: str) -> Badge:
    return Badge(words, ":material/progress_activity:", "blue")


def confidential() -> Badge:
    return Badge(_("Confidential"), ":material/lock:", "gray")


def unknown(words: str) -> Badge:
    """Not validated here, too few, not known."""
    return Badge(words, ":material/help:", "gray")


def partly(words: str) -> Badge:
    return Badge(words, ":material/published_with_changes:", "yellow")


def agrees(words: str) -> Badge:
    return Badge(words, ":material/check_circle:", "green")


def risk(words: str = "") -> Badge:
    return Badge(words or _("Possible risk"), ":material/warning:", "red")


def fact(words: str, icon: str = "info") -> Badge:
    """A neutral fact: n, a step, a date."""
    return Badge(words, f":material/{icon}:", "gray")


def draw(badge: Badge) -> None:
    st.badge(plain(badge.words), icon=badge.icon, color=badge.colour, help=badge.help)


def row(badges: Iterable[Badge], alignment: Literal["left", "right"] = "left") -> None:
    """Badges side by side; they wrap where there is no room."""
    with st.container(horizontal=True, horizontal_alignment=alignment, gap="small"):
        for badge in badges:
            draw(badge)
