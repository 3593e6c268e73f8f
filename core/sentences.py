"""Sentences that are kept: written as message id and values, so that each person reads them in their own language."""

import json
from typing import Any

from core.errors import WorkbenchError

LONGEST = 200  # characters of a value: enough for a name or an endpoint's first words, too few for a text


def written(error: WorkbenchError) -> str:
    """An error's sentence as a column keeps it: JSON text with ``message`` and ``values``."""
    values = {name: kept(value) for name, value in error.values.items()}
    return json.dumps({"message": error.message, "values": values}, ensure_ascii=False)


def read(text: str) -> WorkbenchError:
    """What ``written`` gave; a plain sentence of an earlier version, or one that does not fit, stands as it is."""
    try:
        found = json.loads(text)
        message, values = str(found["message"]), dict(found["values"])
        return WorkbenchError(message, **values)
    except (ValueError, KeyError, TypeError, RecursionError):
        return WorkbenchError("{sentence}", sentence=text)


def english(text: str) -> str:
    """A kept sentence in English."""
    return str(read(text)) if text else ""


def kept(value: Any) -> Any:
    """Numbers as they are, words cut to what may be kept."""
    if value is None or isinstance(value, bool | int | float):
        return value
    words = str(value)
    return words if len(words) <= LONGEST else words[: LONGEST - 1] + "…"
