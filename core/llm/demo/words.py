"""The demo engine's words: lexicons, question banks, templates and weights, read from ``prompts/demo``."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml

from core.errors import PromptError

FOLDER = Path(__file__).parents[3] / "prompts" / "demo"


@cache
def words(language: str, name: str) -> Any:
    """The data of ``prompts/demo/<language>/<name>.yaml``; treat it as read-only.

    Raises:
        PromptError: the file is missing or not YAML.
    """
    path = FOLDER / language / f"{name}.yaml"
    try:
        return yaml.safe_load(path.read_text("utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise PromptError(
            "The demo engine's word file {path} cannot be read ({why}). Restore it from the project; nothing was lost.",
            path=f"prompts/demo/{language}/{name}.yaml",
            why=str(error),
        ) from error
