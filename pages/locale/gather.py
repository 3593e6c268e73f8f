"""Gather every English message of the code, and bring the catalogues up to date with it.

Run ``python -m pages.locale.gather`` after changing words: new messages are added without a translation, those no
longer used are dropped, and the count of what is missing is printed. The tests fail while anything is missing.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FLOORS = ("pages", "core", "storage")
LANGUAGES = ("zh",)
ERRORS = (
    "DataError", "ModelError", "NotFound", "PromptError", "Refused", "StoreError", "WorkbenchError", "Fault", "Note",
    "Remark",
)  # fmt: skip
KEYWORDS: dict[str, Any] = {"_": None, "many": (1, 2), "msg": None} | dict.fromkeys(ERRORS)
Message = str | tuple[str, ...]


def messages() -> Iterator[tuple[Message, str, int]]:
    """Each message with its file and line; a pair where one and more are told apart."""
    for floor in FLOORS:
        found = extract_from_dir(
            ROOT / floor, method_map=[("**.py", "python")], keywords=KEYWORDS, comment_tags=(),
            options_map={"**.py": {"encoding": "utf-8"}},
        )  # fmt: skip
        for file, line, message, _comments, _context in found:
            if message:
                yield message, f"{floor}/{file}", line


def gathered() -> Catalog:
    """A catalogue of all messages, without translations."""
    catalogue = Catalog(project="Rapport", charset="utf-8")
    for message, file, _line in messages():
        catalogue.add(message, locations=[(file, 0)], flags=())
    return catalogue


def path_of(language: str) -> Path:
    return HERE / language / "LC_MESSAGES" / "rapport.po"


def known(language: str) -> Catalog:
    path = path_of(language)
    if not path.exists():
        return Catalog(locale=language, project="Rapport", charset="utf-8")
    with path.open("rb") as file:
        return read_po(file, locale=language, abort_invalid=True)


def missing(catalogue: Catalog) -> list[Message]:
    """Messages without a translation, or with one that was guessed."""
    return [
        cast(Message, message.id)
        for message in catalogue
        if message.id and (message.fuzzy or not all(cast(Any, message.string) if message.pluralizable else [message.string]))
    ]


def update(language: str) -> Catalog:
    """Bring one catalogue up to date and write it."""
    catalogue = known(language)
    catalogue.update(gathered(), no_fuzzy_matching=True)
    catalogue.obsolete.clear()
    with path_of(language).open("wb") as file:
        write_po(file, catalogue, sort_output=True, omit_header=False, no_location=True, width=110)
    return catalogue


if __name__ == "__main__":
    for language in LANGUAGES:
        path_of(language).parent.mkdir(parents=True, exist_ok=True)
        lacking = missing(update(language))
        print(f"{language}: {len(lacking)} messages have no translation", file=sys.stderr)
        for message in lacking:
            print(message)
