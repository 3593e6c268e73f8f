"""What has to be said beside a number: why it is missing, or how it is to be read."""

from collections.abc import Mapping
from typing import Any


class Note:
    """A sentence as a message id (the English template) and its values, so that a page can say it in Chinese."""

    def __init__(self, message: str, **values: Any) -> None:
        self.message = message
        self.values: Mapping[str, Any] = values

    def __str__(self) -> str:
        return self.message.format(**self.values)

    def __repr__(self) -> str:
        return f"Note({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Note) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))
