"""What a sentence tells people to use is there: labels in quotes, buttons to choose, pages, commands and their options."""

import re

import pytest
from typer.main import get_command

from core.cli import app
from core.commands.importing import KINDS
from core.errors import DataError
from pages.components import layout, places
from pages.locale.gather import messages
from tests.pages.conftest import AsPerson, Open, shown

# Words in quotes that are no labels: what somebody writes, or what is said of a record.
WRITTEN = {"Case 1", "Case 2", "Mother:", "both clients", "couple therapy", "I", "prompts", "general", "orders disagree", "version"}
SENTENCES = sorted({words for message, _file, _line in messages() for words in ([message] if isinstance(message, str) else message)})


def test_quoted_labels_and_buttons_are_on_some_page() -> None:
    short = {words.removesuffix(" …") for words in SENTENCES}
    named = {(quoted, words) for words in SENTENCES for quoted in re.findall(r"“([^”{]+)”", words)}
    named |= {(button, words) for words in SENTENCES for button in re.findall(r"\b[Cc]hoose ([A-Z][a-z]+)\b", words)}
    missing = {(label, words) for label, words in named if label not in short | WRITTEN}
    assert not missing and len(named) > 15


def test_pages_are_named_as_the_menu_names_them() -> None:
    titles = {title for entries in places.groups().values() for _file, title, _icon in entries}
    pages = {"Data and privacy", "Models and agents", "Instruments and prompts", "Live session", *layout.NAMED.values()}
    assert pages <= titles
    spoken = {found for words in SENTENCES for found in re.findall(r"\b(?:on|On) ([A-Z][a-z]+ and (?!choose)[a-z]+)\b", words)}
    assert spoken and spoken <= titles


def test_commands_and_their_options_exist() -> None:
    commands = get_command(app).commands  # type: ignore[attr-defined]
    named = {found for words in SENTENCES for found in re.findall(r"\brapport ([a-z-]+)((?: --[a-z-]+(?: [a-z]+)?)*)", words)}
    assert named
    for name, options in named:
        assert name in commands, name
        known = {option for one in commands[name].params for option in one.opts}
        for option, value in re.findall(r"(--[a-z-]+)(?: ([a-z]+))?", options):
            assert option in known and (option != "--as" or value in KINDS), (name, option, value)


def test_who_cannot_open_the_page_an_error_names_is_told_who_can(open_page: Open, as_person: AsPerson, monkeypatch: pytest.MonkeyPatch) -> None:
    error = DataError("Enter the key again on Models and agents.")
    for roles, told in ((None, False), ({"counselor": []}, True)):
        as_person(roles, "T-01" if roles else "")
        monkeypatch.setattr(layout, "title", lambda *_of: layout.problem(error))
        assert ("open to researchers only" in shown(open_page("reports.py"))) is told
