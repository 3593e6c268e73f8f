"""Sentences that are kept: written as message id and values, so that each person reads them in their own language."""

import json
import re
from string import Formatter
from typing import Any

from core.errors import WorkbenchError

LONGEST = 200  # characters of a value: enough for a name or an endpoint's first words, too few for a text
SPEC = re.compile(r",?(\.\d)?[dfg%]?")


def written(error: WorkbenchError) -> str:
    """An error's sentence as a column keeps it: JSON text with ``message`` and ``values``."""
    values = {name: kept(value) for name, value in error.values.items()}
    return json.dumps({"message": error.message, "values": values}, ensure_ascii=False)


def read(text: str) -> WorkbenchError:
    """What ``written`` gave; a plain sentence of an earlier version, or one that does not fit, stands as it is."""
    try:
        found = json.loads(text)
        message, values = str(found["message"]), dict(found["values"])
        if harmless(message):
            return WorkbenchError(message, **values)
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        pass
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


def harmless(message: str) -> bool:
    """Whether its places are plain names, and its formats short: a message may come from an imported study."""
    return all(
        name is None or (name.isidentifier() and SPEC.fullmatch(spec or "") and not conversion)
        for _, name, spec, conversion in Formatter().parse(message)
    )
