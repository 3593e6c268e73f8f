"""Files into the store from the command line: each is accepted, warned about or refused, with the reason."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core import files
from core.errors import DataError, WorkbenchError
from storage.store import Store

KINDS = ("reports", "transcripts", "roles", "ratings", "comparisons")


@dataclass
class Brought:
    """What one file brought: records saved, and sentences about what was not taken or needs a look."""

    saved: list[dict[str, Any]] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)

    @property
    def status(self) -> str:
        if not self.saved:
            return "refused"
        return "warned" if self.messages else "accepted"


Bring = Callable[[Store, str, bytes], Brought]


def import_files(store: Store, files: list[Path], kind: str) -> dict[str, Any]:
    """Import every file and say for each what happened; one bad file stops no other.

    Raises:
        DataError: this kind cannot be imported.
    """
    if kind not in KINDS:
        raise DataError("“{kind}” cannot be imported. Choose one of: {kinds}.", kind=kind, kinds=", ".join(KINDS))
    told = [told_of(store, path, BRINGERS[kind]) for path in files]
    count = {status: sum(1 for t in told if t["status"] == status) for status in ("accepted", "warned", "refused")}
    return count | {"files": told}


def bring_reports(store: Store, name: str, data: bytes) -> Brought:
    from core.reports.service import take_report

    taken = take_report(store, name, data)
    saved = [{"kind": "report", "id": report.id} for report in taken.reports]
    return Brought(saved, [str(message) for message in taken.messages])


def bring_transcripts(store: Store, name: str, data: bytes) -> Brought:
    from core.sessions.importing import import_transcripts

    told = import_transcripts(store, name, data).plain()
    return Brought(told["saved"], told["messages"])


def bring_roles(store: Store, name: str, data: bytes) -> Brought:
    from core.roles.service import import_roles

    brought = import_roles(store, data, name)
    return Brought(brought.saved, brought.messages)


def bring_ratings(store: Store, name: str, data: bytes) -> Brought:
    from core.commands.judgments import import_ratings

    return Brought(import_ratings(store, name, data))


def bring_comparisons(store: Store, name: str, data: bytes) -> Brought:
    from core.commands.judgments import import_comparisons

    return Brought(import_comparisons(store, name, data))


BRINGERS: dict[str, Bring] = {
    "reports": bring_reports, "transcripts": bring_transcripts, "roles": bring_roles, "ratings": bring_ratings,
    "comparisons": bring_comparisons,
}  # fmt: skip


def told_of(store: Store, path: Path, bring: Bring) -> dict[str, Any]:
    name = files.shown(path.name)
    try:
        brought = bring(store, name, files.read_file(path))
    except WorkbenchError as error:
        brought = Brought(messages=[str(error)])
    return {"name": name, "status": brought.status, "saved": brought.saved, "messages": brought.messages}
