"""The example reports that come with Rapport: which files they are is data, and that they are made up stands there too."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml

from core.errors import WorkbenchError
from core.reports.drafts import Draft, content_hash
from core.reports.service import import_report, numbered, save_report
from storage import tables
from storage.store import Store

FOLDER = Path(__file__).parents[2] / "examples"
LIST = "reports.yaml"


@cache
def listed() -> dict[str, Any]:
    """The list of examples as it is shipped; without one there are none. Treat it as read-only."""
    path = FOLDER / LIST
    read: dict[str, Any] = yaml.safe_load(path.read_text("utf-8")) if path.is_file() else {"made_up": False, "reports": []}
    return read


def files(language: str = "") -> list[Path]:
    """The files of the examples of a language, or of all; those that are not there are left out."""
    named = [FOLDER / row["file"] for row in listed()["reports"] if language in ("", row["language"])]
    return [path for path in named if path.is_file()]


def take(store: Store, language: str) -> tuple[list[int], list[WorkbenchError | OSError]]:
    """Ids of the example reports of a language, saved as made up where the store lacks them; and why one was left out."""
    reports, reasons = list[tables.Report](), list[WorkbenchError | OSError]()
    for path in files(language):
        try:
            reports.append(known(store, path) or save_report(store, numbered(store, draft_of(path)), made_up=listed()["made_up"]))
        except (WorkbenchError, OSError) as error:
            reasons.append(error)
    return [report.id or 0 for report in reports], reasons


def known(store: Store, path: Path) -> tables.Report | None:
    """The report of an example if it is in the store, by its words, whoever brought them in."""
    return store.reports.find(content_hash=content_hash(draft_of(path).parts))


@cache
def draft_of(path: Path) -> Draft:
    """An example as it is read: one case."""
    return import_report(path.name, path.read_bytes()).drafts[0]


@cache
def hashes() -> frozenset[str]:
    """The content hashes of all examples."""
    return frozenset(content_hash(draft_of(path).parts) for path in files())
