"""Errors that speak to people: what happened, why, what to do."""

import re
import traceback
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

FIELD = re.compile(r"\{\{|\}\}|\{([A-Za-z_]\w*)(?::(,?(?:\.\d)?[fd%]?))?\}")
LONGEST_VALUE = 2_000  # characters of one value in a sentence


def fill(message: str, values: Mapping[str, Any]) -> str:
    """A sentence with its values: ``{name}``, or ``{name:.2f}`` for a number; whatever else stands in braces stays.

    Messages come out of the store and out of other people's exports too, so no more of ``str.format`` is
    understood: no attributes, no indexes, no widths. A name without a value stays as it is written.
    """

    def value(found: re.Match[str]) -> str:
        if found.group() in ("{{", "}}"):
            return found.group()[0]
        if found[1] not in values:
            return found.group()
        said = values[found[1]]
        if found[2] and isinstance(said, int | float):
            with suppress(ValueError, OverflowError):
                return format(said, found[2])
        return str(said)[:LONGEST_VALUE]

    return FIELD.sub(value, message)


class WorkbenchError(Exception):
    """A sentence for a person, as a message id (the English sentence) and its values.

    The message id holds its values as ``{name}`` and is looked up in the catalogue by the pages,
    so that each person reads it in their own language; ``str(error)`` is the English sentence.
    """

    def __init__(self, message: str, /, **values: Any) -> None:
        self.message = message
        self.values: Mapping[str, Any] = values
        super().__init__(fill(message, values))


class Several(tuple[str, ...]):
    """Several words of ours, or numbers, as one value of a message; each is translated by itself."""

    def __str__(self) -> str:
        return ", ".join(self)


class DataError(WorkbenchError):
    """Something given to the workbench (a file, a number, a text) cannot be used as it is."""


class PromptError(WorkbenchError):
    """A prompt or an instrument cannot be loaded or rendered."""


class ModelError(WorkbenchError):
    """A model endpoint did not answer, or not in a usable way.

    ``kind`` sorts the failure: ``again`` (at once: what was refused will be left out), ``wait`` (try again later),
    ``unit`` (this question fails), ``study`` (nothing will succeed until a person acts: bad key, no credit, model gone).
    """

    def __init__(self, message: str, *, kind: str = "unit", **values: Any) -> None:
        super().__init__(message, **values)
        self.kind = kind
        self.retry_after: float | None = None  # seconds the endpoint asked to wait
        self.attempts: tuple[Any, ...] = ()  # the requests that were made before giving up
        self.usage: Any = None  # tokens that were spent all the same, if any


class Refused(ModelError):
    """The gate: a text may not leave this machine. Nothing was sent."""

    def __init__(self, message: str, **values: Any) -> None:
        super().__init__(message, kind="study", **values)


class NotFound(WorkbenchError):
    """A record asked for is not in the store."""


class NotAllowed(WorkbenchError):
    """The person here may not do this, or not with this record. Nothing was shown or changed."""


class StoreError(WorkbenchError):
    """The database cannot be opened or written: read-only, locked, or from a newer version."""


def stored(row: Mapping[str, Any]) -> WorkbenchError:
    """The sentence kept in a row of the store as ``message`` and ``values``, wherever the row came from."""
    values = row.get("values")
    told = WorkbenchError(str(row.get("message", "")))
    told.values = {str(name): value for name, value in values.items()} if isinstance(values, Mapping) else {}
    told.args = (fill(told.message, told.values),)
    return told


def msg(text: str) -> str:
    """Marks a sentence that is put together elsewhere, so that the catalogues get it."""
    return text


def place_of(error: BaseException, whole: bool = False) -> str:
    """The kind of an error and the line it came from; ``whole`` with the lines that led there.

    Never its words: they may quote a transcript.
    """
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{Path(frames[-1].filename).name}, line {frames[-1].lineno}" if frames else "nowhere"
    words = f"{type(error).__name__} in {place}"
    if not whole:
        return words
    led = "".join(f"\n  {Path(one.filename).name}:{one.lineno} {one.name}" for one in frames)
    cause = error.__cause__ or error.__context__
    return words + led + (f"\n  from {place_of(cause)}" if cause is not None else "")
