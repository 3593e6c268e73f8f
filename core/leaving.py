"""What may leave this workbench as a file, read when it is asked for.

Made-up and confirmed words may; what persons said here only where everybody agreed to *export*. Words that nobody
confirmed leave only when they are asked for by name, and what was withdrawn never does.
"""

import sqlite3
from collections.abc import Iterable

from core import clearance
from core.clearance import Clearance, Source, Standing
from core.consent import EXPORT
from core.errors import DataError, msg
from storage import standing
from storage.store import Store

WITHDRAWN, NOT_AGREED, UNCONFIRMED = "withdrawn", "no consent to export", "unconfirmed"
REASONS = (WITHDRAWN, NOT_AGREED, UNCONFIRMED)  # the most lasting first
STAYS = {
    WITHDRAWN: msg("Session {id} was withdrawn, so it leaves in no file. Nothing was written."),
    NOT_AGREED: msg(
        "Not everybody who has a say in {noun} {id} agreed to its export, so it leaves in no file. Ask them for their "
        "consent; nothing was written."
    ),
    UNCONFIRMED: msg(
        "{noun} {id} may still hold personal data. Read and confirm it first, or ask for unconfirmed text by name; nothing "
        "was written."
    ),
}


def why_not(now: Standing, with_unconfirmed: bool = False) -> str:
    """Why words that stand so may not leave, one of ``REASONS``; empty where they may."""
    if now.withdrawn:
        return WITHDRAWN
    if now.everybody is not None and not now.everybody.allow(EXPORT):
        return NOT_AGREED
    return UNCONFIRMED if now.clearance is Clearance.UNCONFIRMED and not with_unconfirmed else ""


class Leaving:
    """Why records may not leave, each looked at once.

    Args:
        with_unconfirmed: somebody asked for unconfirmed text by name.
    """

    def __init__(self, store: Store, with_unconfirmed: bool = False) -> None:
        self.store, self.with_unconfirmed = store, with_unconfirmed
        self.known: dict[tuple[str, int], str] = {}

    def look(self, kind: str, ids: Iterable[int]) -> None:
        """Read how these records stand, together."""
        wanted = sorted({id for id in ids if (kind, id) not in self.known})

        def find(connection: sqlite3.Connection) -> dict[tuple[str, int], str]:
            return {(kind, id): self.found(connection, kind, id) for id in wanted}

        if wanted:
            self.known |= self.store.database.read(find)

    def found(self, connection: sqlite3.Connection, kind: str, id: int) -> str:
        now = clearance.of_session(connection, id) if kind == "session" else clearance.of_text(connection, Source(kind, id))
        if now is None:
            return UNCONFIRMED  # gone meanwhile: nobody can say any more
        own = why_not(now, self.with_unconfirmed)
        return own if kind != "session" else worst((own, self.of_its_report(connection, id)))

    def of_its_report(self, connection: sqlite3.Connection, session: int) -> str:
        """What its client or counselor refused for the report a session was rebuilt from, they refused for the session."""
        report = standing.report_of(connection, session)
        now = clearance.of_text(connection, Source("report", report)) if report else None
        return "" if now is None else why_not(now, with_unconfirmed=True)

    def why(self, kind: str, id: int) -> str:
        """Why this record may not leave; empty where it may."""
        self.look(kind, [id])
        return self.known[kind, id]


def worst(reasons: Iterable[str]) -> str:
    """The most lasting of several reasons; empty where there is none."""
    found = set(reasons)
    return next((reason for reason in REASONS if reason in found), "")


def check(store: Store, kind: str, id: int, with_unconfirmed: bool = False) -> None:
    """Raises DataError: the record may not leave; the sentence says why."""
    if why := Leaving(store, with_unconfirmed).why(kind, id):
        raise DataError(STAYS[why], noun=kind, id=id)
