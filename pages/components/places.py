"""The pages of the workbench: where they stand, and for whom they are."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import streamlit as st

from core.people.rights import ROLES
from pages.components.words import _

FOLDER = Path(__file__).parent.parent
EVERYBODY = ("home", "privacy")
OPEN_TO: Mapping[str, tuple[str, ...]] = {  # role → the pages that are theirs, beside everybody's; a researcher's: all
    "counselor": ("reports", "live", "sessions", "instruments"),
    "supervisor": ("sessions", "instruments"),
    "rater": ("instruments",),
    "client": ("live",),
}
Entries = list[tuple[str, str, str]]


def groups() -> dict[str, Entries]:
    """Groups of pages: file and url_path (fixed), title (translated), icon."""
    return {
        "": [("home", _("Home"), "home")],
        _("Make"): [
            ("reports", _("Reports"), "description"),
            ("roles", _("Roles"), "badge"),
            ("live", _("Live session"), "forum"),
        ],
        _("Judge"): [
            ("sessions", _("Sessions"), "library_books"),
            ("studies", _("Studies"), "science"),
            ("rate", _("Rate"), "edit_note"),
        ],
        _("Read"): [
            ("results", _("Results"), "grid_on"),
            ("agreement", _("Agreement"), "balance"),
            ("alliance", _("Alliance"), "diversity_1"),
        ],
        _("Set up"): [
            ("models", _("Models and agents"), "tune"),
            ("instruments", _("Instruments and prompts"), "straighten"),
            ("privacy", _("Data and privacy"), "shield"),
        ],
    }


def is_open(page: str, roles: Iterable[str]) -> bool:
    """Whether a page (``live`` or ``live.py``) is for somebody with these roles."""
    name = page.removesuffix(".py")
    return name in EVERYBODY or any(role == "researcher" or name in OPEN_TO.get(role, ()) for role in roles)


def whose(page: str) -> list[str]:
    """The roles a page is for."""
    return [role for role in ROLES if is_open(page, [role])]


def entries(roles: Iterable[str]) -> dict[str, list[st.Page]]:
    """All pages there are; those of other roles are hidden, and the frame says whose they are."""
    held = list(roles)
    there = {group: [one for one in some if (FOLDER / f"{one[0]}.py").exists()] for group, some in groups().items()}
    return {
        group: [
            st.Page(
                FOLDER / f"{name}.py", title=title, icon=f":material/{icon}:", url_path=name, default=name == "home",
                visibility="visible" if is_open(name, held) else "hidden",
            )
            for name, title, icon in some
        ]
        for group, some in there.items() if some
    }  # fmt: skip
