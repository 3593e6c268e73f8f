"""What rows of consent say together. Pure.

The narrower row wins: one for a session beats one for the session it was branched off from, and that one beats one for
all of theirs. A withdrawal beats whatever was agreed before it. What was withdrawn for all comes back session by
session, each by its own yes: a later yes for all brings back none. *Before* and *later* go by the numbers of the rows,
since clocks are set back.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urlsplit

from core.errors import msg

TAKING_PART, RATED, OUTSIDE = "taking part", "rated here", "outside endpoint"
SUPERVISION, FIGURES, EXPORT = "supervision", "group figures", "export"
LEAVING = (OUTSIDE, EXPORT)  # what takes words out of this workbench
PURPOSES = {
    TAKING_PART: msg("taking part"),
    RATED: msg("being rated here"),
    OUTSIDE: msg("being sent to an endpoint outside"),
    SUPERVISION: msg("supervision"),
    FIGURES: msg("group figures"),
    EXPORT: msg("export"),
}


class Row(Protocol):
    """A row of consent, as far as it decides."""

    @property
    def id(self) -> int | None: ...
    @property
    def session_id(self) -> int | None: ...
    @property
    def purpose(self) -> str: ...
    @property
    def endpoint(self) -> str: ...
    @property
    def agreed(self) -> bool: ...
    @property
    def counts(self) -> bool: ...
    @property
    def given(self) -> str: ...
    @property
    def withdrawn(self) -> str: ...


@dataclass(frozen=True)
class Stands:
    """What one person (or code) said last about a purpose, and what became of it."""

    row: Any  # a Row
    agreed: bool
    withdrawn: str  # when it was withdrawn, if it was; empty: it is a plain yes or no


def stands(rows: Iterable[Row], purpose: str, family: Iterable[int], endpoint: str = "") -> Stands | None:
    """How a purpose stands, for one session (or, with no session, for all of theirs).

    Args:
        rows: all rows of this person.
        family: the session and those it was branched off from.
        endpoint: base URL, for *outside endpoint*; a refusal may name none, and then is of all.
    Returns:
        ``None`` where no row speaks of it.
    """
    ids, where = set(family), same(endpoint)
    about = [
        row for row in rows
        if row.counts and row.purpose == purpose and (row.session_id is None or row.session_id in ids)
        and (same(row.endpoint) == where or not row.endpoint)
    ]  # fmt: skip
    if not about:
        return None
    gone = [row for row in about if ids and row.withdrawn and row.session_id is None]
    latest = max(
        [row for row in about if row.session_id is not None] or gone or about,
        key=lambda row: (row.session_id or 0, row.id or 0),  # a branch is newer than what it is of
    )
    later = [row for row in about if row.withdrawn and not row.agreed and (row.id or 0) > (latest.id or 0)]
    ended = latest.withdrawn or max((row.withdrawn for row in later), default="")
    return Stands(latest, latest.agreed and not ended and same(latest.endpoint) == where, ended)


def decided(rows: Iterable[Row], purpose: str, family: Iterable[int], endpoint: str = "") -> bool | None:
    """What one person (or code) said about a purpose: yes, no, or ``None`` where no row speaks of it."""
    found = stands(rows, purpose, family, endpoint)
    return None if found is None else found.agreed


def same(endpoint: str) -> str:
    """A base URL as it is compared: one place has many spellings."""
    parts = urlsplit(endpoint.strip())
    if not parts.hostname:
        return endpoint.strip().rstrip("/")
    scheme, host = parts.scheme.lower(), parts.hostname.lower().rstrip(".")
    try:
        port = parts.port
    except ValueError:
        return endpoint.strip()
    shown = "" if port in (None, {"http": 80, "https": 443}.get(scheme)) else f":{port}"
    path = re.sub("/+", "/", parts.path).rstrip("/")
    return f"{scheme}://{f'[{host}]' if ':' in host else host}{shown}{path}"


@dataclass(frozen=True)
class Everybody:
    """All who have a say in a session: the rows of each person who spoke here, and those of its codes.

    Attributes:
        unknown: somebody spoke whom nobody knows; nobody can agree for them.
        elsewhere: persons spoke in a seat in another workbench; nobody here can agree for them that their words leave.
        must_ask: imported and rebuilt text needs a row for one of its codes too.
    """

    family: frozenset[int]
    persons: Sequence[Sequence[Row]] = ()
    codes: Sequence[Sequence[Row]] = ()
    unknown: bool = False
    must_ask: bool = False
    elsewhere: bool = False

    def allow(self, purpose: str, endpoint: str = "") -> bool:
        """Whether everybody agreed; for persons no row means no, for codes only a refusal does."""
        if self.unknown or (self.elsewhere and purpose in LEAVING):
            return False
        said = [decided(rows, purpose, self.family, endpoint) for rows in self.codes]
        if any(one is False for one in said) or (self.must_ask and True not in said):
            return False
        return all(decided(rows, purpose, self.family, endpoint) is True for rows in self.persons)

    @property
    def spoke(self) -> bool:
        """Whether a person said something in a seat, here or elsewhere."""
        return bool(self.persons) or self.unknown or self.elsewhere

    @property
    def withdrew(self) -> bool:
        """Whether one of them takes part no longer; who never said anything does."""
        everyone = [*self.persons, *self.codes]
        return any(decided(rows, TAKING_PART, self.family) is False for rows in everyone)
