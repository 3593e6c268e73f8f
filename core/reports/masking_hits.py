"""What the masking rules of every language share: the form of a find, and their words."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parents[2] / "prompts" / "masking"


@dataclass(frozen=True)
class Hit:
    """What a rule found in a text as patterns read it; ``entity`` joins the forms of one name."""

    start: int
    end: int
    kind: str
    why: str
    entity: str = ""
    client: bool = False


@cache
def words(language: str) -> dict[str, Any]:
    """The words of a language; treat them as read-only."""
    loaded: dict[str, Any] = yaml.safe_load((FOLDER / f"{language}.yaml").read_text("utf-8"))
    return loaded
