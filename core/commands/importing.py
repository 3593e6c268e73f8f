"""Files into the store from the command line: each is accepted, warned about or refused, with the reason."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from core import files
from core.errors import DataError, WorkbenchError
from storage.store import Store

RATED_BY = ("person", "reference")
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


Bring = Callable[..., Brought]  # store, name of the file, its bytes


def import_files(store: Store, files: list[Path], kind: str, rated_by: str = "") -> dict[str, Any]:
    """Import every file and say for each what happened; one bad file stops no other.

    Args:
        rated_by: of ratings and comparisons, whether they are of people (*person*, also when empty) or labels that came
            with the data (*reference*).
    Raises:
        DataError: this kind cannot be imported.
    """
    if kind not in KINDS:
        raise DataError("“{kind}” cannot be imported. Choose one of: {kinds}.", kind=kind, kinds=", ".join(KINDS))
    told = [told_of(store, path, bringer(kind, rated_by)) for path in files]
    count = {status: sum(1 for t in told if t["status"] == status) for status in ("accepted", "warned", "refused")}
    return count | {"files": told}


def bringer(kind: str, rated_by: str) -> Bring:
    """How files of a kind come in.

    Raises:
        DataError: only ratings and comparisons are of people or reference.
    """
    bring = BRINGERS[kind]
    if not rated_by:
        return bring
    if kind not in ("ratings", "comparisons") or rated_by not in RATED_BY:
        raise DataError(
            "The kind of ratings and comparisons is one of: {kinds}. Of other files there is none to give; nothing was read.",
            kinds=", ".join(RATED_BY),
        )
    return partial(bring, rated_by=rated_by)


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


def bring_ratings(store: Store, name: str, data: bytes, rated_by: str = "person") -> Brought:
    from core.judging.importing import import_ratings

    taken = import_ratings(store, name, data, rated_by)
    return Brought([{"kind": "rating", "id": id} for id in taken.ids], [str(message) for message in taken.messages])


def bring_comparisons(store: Store, name: str, data: bytes, rated_by: str = "person") -> Brought:
    from core.judging.importing import import_comparisons

    taken = import_comparisons(store, name, data, rated_by)
    return Brought([{"kind": "comparison", "id": id} for id in taken.ids], [str(message) for message in taken.messages])


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
