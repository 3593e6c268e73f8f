"""Errors that speak to people: what happened, why, what to do."""

from collections.abc import Mapping
from typing import Any


class WorkbenchError(Exception):
    """A sentence for a person, as a message id (the English sentence) and its values.

    The message id is a ``str.format`` template and is looked up in the catalogue by the pages,
    so that each person reads it in their own language; ``str(error)`` is the English sentence.
    """

    def __init__(self, message: str, **values: Any) -> None:
        self.message = message
        self.values: Mapping[str, Any] = values
        super().__init__(message.format(**values))


class DataError(WorkbenchError):
    """Something given to the workbench (a file, a number, a text) cannot be used as it is."""


class PromptError(WorkbenchError):
    """A prompt or an instrument cannot be loaded or rendered."""


class ModelError(WorkbenchError):
    """A model endpoint did not answer, or not in a usable way.

    ``kind`` sorts the failure: ``wait`` (try again later), ``unit`` (this question fails),
    ``study`` (nothing will succeed until a person acts: bad key, no credit, model gone).
    """

    def __init__(self, message: str, *, kind: str = "unit", **values: Any) -> None:
        super().__init__(message, **values)
        self.kind = kind
        self.retry_after: float | None = None  # seconds the endpoint asked to wait
        self.attempts: tuple[Any, ...] = ()  # the requests that were made before giving up


class Refused(ModelError):
    """The gate: a text may not leave this machine. Nothing was sent."""

    def __init__(self, message: str, **values: Any) -> None:
        super().__init__(message, kind="study", **values)


class NotFound(WorkbenchError):
    """A record asked for is not in the store."""


class StoreError(WorkbenchError):
    """The database cannot be opened or written: read-only, locked, or from a newer version."""


def msg(text: str) -> str:
    """Marks a sentence that is put together elsewhere, so that the catalogues get it."""
    return text
