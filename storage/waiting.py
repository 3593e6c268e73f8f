"""Units as the worker handles them: waiting to be asked, or holding an answer."""

from typing import Any, NamedTuple


class Waiting(NamedTuple):
    """A unit as a worker takes it up."""

    id: int
    position: int
    kind: str
    stage: int
    key: str
    payload: dict[str, Any]
    attempts: int
    result: dict[str, Any]


class Answered(NamedTuple):
    """A unit that holds an answer."""

    id: int
    key: str
    state: str
    result: dict[str, Any]
    whole: bool = True  # false: some items of its instrument are unscored
