"""Gather every English message of the code, and bring the catalogues up to date with it.

Run ``python -m pages.locale.gather`` after changing words: new messages are added without a translation, those no
longer used are dropped, and the count of what is missing is printed. The tests fail while anything is missing.
"""

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FLOORS = ("pages", "core", "storage")
LANGUAGES = ("zh",)
ROOT_ERROR = "WorkbenchError"  # it and its children, wherever they are, take their message first
CALLS = {"_": 1, "many": 2, "msg": 1} | dict.fromkeys(("Fault", "Note", "Remark"), 1)
Message = str | tuple[str, ...]


def messages() -> Iterator[tuple[Message, str, int]]:
    """Each message with its file and line; a pair where one and more are told apart.

    Read from the syntax tree: Babel's own reader does not look into f-strings.
    """
    paths = [path for floor in FLOORS for path in sorted((ROOT / floor).rglob("*.py"))]
    trees = {path: ast.parse(path.read_text("utf-8")) for path in paths}
    calls = CALLS | dict.fromkeys(errors_of(trees.values()), 1)
    for path, tree in trees.items():
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and (message := message_of(call, calls)):
                yield message, str(path.relative_to(ROOT)), call.lineno


def errors_of(trees: Iterable[ast.Module]) -> set[str]:
    """The names of all errors that speak to people: children and their children."""
    classes = [one for tree in trees for one in ast.walk(tree) if isinstance(one, ast.ClassDef)]
    found = {ROOT_ERROR}
    while more := {one.name for one in classes if found & {called(base) for base in one.bases}} - found:
        found |= more
    return found


def called(node: ast.expr) -> str:
    """A name as it is written last: ``DataError`` of ``errors.DataError``."""
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


def message_of(call: ast.Call, calls: Mapping[str, int]) -> Message | None:
    """The message a call names; ``None`` for other calls and for messages that are not written out."""
    wanted = calls.get(called(call.func), 0)
    said = [arg.value for arg in call.args[:wanted] if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
    if not said or len(said) < wanted or not said[0]:
        return None
    return said[0] if wanted == 1 else (said[0], said[1])


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
