"""Tickets: what a page hands to a browser, to be shown at a route of the app once, and soon.

They are kept in memory alone: after a restart a page makes another one.
"""

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

LIFETIME = 600.0  # seconds
MOST = 5_000  # then the oldest go
What = TypeVar("What")


@dataclass(frozen=True)
class Seat:
    """A new person for a browser: what they are here as.

    Attributes:
        before: the row this browser was known by when the ticket was made; ``None``: by none.
        codes: ``counselor_codes`` and ``client_codes`` that are theirs, where they are not the code itself.
    """

    before: int | None
    roles: Mapping[str, Sequence[str]]
    code: str = ""
    codes: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Offered:
    """A seat whose secret was given to a browser; it counts when the browser shows that it kept it."""

    seat: Seat
    hash: str


class Tickets(Generic[What]):
    """Tickets of one kind: made, looked at, taken once."""

    def __init__(self, lifetime: float = LIFETIME, clock: Callable[[], float] = time.monotonic) -> None:
        self.lifetime = lifetime
        self.clock = clock
        self._lock = threading.Lock()
        self._held: OrderedDict[str, tuple[float, What]] = OrderedDict()

    def make(self, what: What) -> str:
        """A new ticket, as it stands in an address."""
        name = secrets.token_urlsafe(24)
        with self._lock:
            self._forget_old()
            self._held[name] = (self.clock() + self.lifetime, what)
            while len(self._held) > MOST:
                self._held.popitem(last=False)
        return name

    def look(self, name: str) -> What | None:
        """What a ticket is for; ``None`` when it was taken, is too old or never was one."""
        with self._lock:
            self._forget_old()
            return self._held[name][1] if name in self._held else None

    def take(self, name: str) -> What | None:
        """As ``look``; it counts no more."""
        with self._lock:
            self._forget_old()
            return self._held.pop(name)[1] if name in self._held else None

    def live(self) -> list[What]:
        """What all tickets that still count are for."""
        with self._lock:
            self._forget_old()
            return [what for _end, what in self._held.values()]

    def _forget_old(self) -> None:
        at = self.clock()
        while self._held and next(iter(self._held.values()))[0] <= at:
            self._held.popitem(last=False)


SEATS: Tickets[Seat] = Tickets()  # a page made them
OFFERED: Tickets[Offered] = Tickets()  # between the two steps of the route
LINKS: Tickets[int] = Tickets()  # “this browser is me too”: the id of who made the link
