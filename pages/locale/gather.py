"""Gather every English message of the code, and bring the catalogues up to date with it.

Run ``python -m pages.locale.gather`` after changing words: new messages are added without a translation, those no
longer used are dropped, and the count of what is missing is printed. The tests fail while anything is missing.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FLOORS = ("pages", "core", "storage")
LANGUAGES = ("zh",)
ERRORS = (
    "DataError", "ModelError", "NotAllowed", "NotFound", "PromptError", "Refused", "StoreError", "WorkbenchError", "Fault", "Note",
    "Remark",
)  # fmt: skip
CALLS = {"_": 1, "many": 2, "msg": 1} | dict.fromkeys(ERRORS, 1)
Message = str | tuple[str, ...]


def messages() -> Iterator[tuple[Message, str, int]]:
    """Each message with its file and line; a pair where one and more are told apart.

    Read from the syntax tree: Babel's own reader does not look into f-strings.
    """
    for floor in FLOORS:
        for path in sorted((ROOT / floor).rglob("*.py")):
            for call in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(call, ast.Call) and (message := message_of(call)):
                    yield message, str(path.relative_to(ROOT)), call.lineno


def message_of(call: ast.Call) -> Message | None:
    """The message a call names; ``None`` for other calls and for messages that are not written out."""
    name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
    if name not in CALLS:
        return None
    said = [arg.value for arg in call.args[: CALLS[name]] if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
    if not said or len(said) < CALLS[name] or not said[0]:
        return None
    return said[0] if CALLS[name] == 1 else (said[0], said[1])


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
