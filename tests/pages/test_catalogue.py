"""The Chinese catalogue: every message translated, and every value still in its place."""

import ast
import re
from typing import Any

import pytest

from core.errors import WorkbenchError
from core.studies import versions
from pages.locale import gather
from pages.locale.gather import LANGUAGES, gathered, known, missing

SLOT = re.compile(r"\{\w+\}")


def slots(text: str) -> set[str]:
    return set(SLOT.findall(text))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_message_is_translated(language: str) -> None:
    catalogue = known(language)
    lacking = [message.id for message in gathered() if message.id and _plain(message.id) not in catalogue]
    assert not lacking and not missing(catalogue), "run python -m pages.locale.gather, then translate"


@pytest.mark.parametrize("language", LANGUAGES)
def test_values_stay_in_place(language: str) -> None:
    for message in known(language):
        if message.id:
            for said in message.string if message.pluralizable else [message.string]:
                assert slots(said) == slots(_more(message.id)), message.id


def _children(kind: type) -> set[str]:
    return {kind.__name__}.union(*map(_children, kind.__subclasses__()))


def test_what_every_kind_of_error_says_is_gathered() -> None:
    """Those of the code that runs studies, which has the most kinds."""
    trees = [ast.parse(path.read_text("utf-8")) for floor in gather.FLOORS for path in (gather.ROOT / floor).rglob("*.py")]
    kinds = {name for name in _children(WorkbenchError) if not name.startswith("_")}
    assert kinds | {versions.OtherVersion.__name__, "OverBudget", "CannotLive"} <= gather.errors_of(trees)
    said = {_plain(message.id) for message in gathered() if message.id}
    assert any(sentence.startswith("Study {id} was begun with version {planned}") for sentence in said)


def _plain(id: Any) -> str:
    return str(id[0] if isinstance(id, tuple) else id)


def _more(id: Any) -> str:
    return str(id[-1] if isinstance(id, tuple) else id)
