"""The store: one attribute a noun, each with named operations."""

import os
import sqlite3
import threading
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from storage import deletion, judged, reclaiming, tables
from storage.begun import Drafts
from storage.copies import copies
from storage.database import database_url, open_database, sqlite_path
from storage.nouns import Calls, Judgments, Raters, Reports, Roles, Sessions, Settings
from storage.people import Consents, Looks, Persons
from storage.records import Database, Records


@dataclass(frozen=True)
class Receipt:
    """What a deletion removed: rows by table, files and folders; ``finished``: the freed space is overwritten too."""

    rows: dict[str, int]
    files: int
    finished: bool


class Store:
    """Everything that is kept. One per process; safe to use from many threads."""

    def __init__(self, given: str | Path | None = None) -> None:
        self.url = database_url(given)
        self.path = sqlite_path(self.url)
        database = Database(open_database(self.url))
        self.database = database
        self.settings = Settings(database)
        self.reports = Reports(database, tables.Report, "report")
        self.notes = Records(database, tables.Note, "note")
        self.roles = Roles(database, tables.RoleCard, "role card")
        self.endpoints = Records(database, tables.Endpoint, "endpoint")
        self.agents = Records(database, tables.Agent, "agent")
        self.sessions = Sessions(database, tables.Session, "session")
        self.raters = Raters(database, tables.Rater, "rater")
        self.ratings = Judgments(database, tables.Rating, "rating")
        self.comparisons = Judgments(database, tables.Comparison, "comparison")
        self.studies = Records(database, tables.Study, "study")
        self.units = Records(database, tables.Unit, "unit")
        self.calls = Calls(database, tables.Call, "call")
        self.feedback = Records(database, tables.Feedback, "feedback")
        self.outcomes = Records(database, tables.Outcome, "outcome")
        self.persons = Persons(database, tables.Person, "person")
        self.consents = Consents(database, tables.Consent, "consent")
        self.reviews = Records(database, tables.Review, "review")
        self.drafts = Drafts(database, tables.Draft, "draft")
        self.looks = Looks(database, tables.Look, "look")
        self._watch = threading.Lock()
        self._watcher: sqlite3.Connection | None = None
        self.clean_up()

    @property
    def folder(self) -> Path:
        """The private folder beside the database, for exports and sockets."""
        return self.path.parent if self.path is not None else Path("data")

    def data_version(self) -> int:
        """Changes whenever anyone commits a change: a cheap key for caches."""
        if self.path is None:  # in memory: one connection, which knows its own changes
            with self.database.engine.connect() as connection:
                return int(connection.exec_driver_sql("SELECT total_changes()").scalar() or 0)
        with self._watch:
            if self._watcher is None:
                self._watcher = sqlite3.connect(str(self.path), check_same_thread=False)
            return int(self._watcher.execute("PRAGMA data_version").fetchone()[0])

    def delete(self, kind: str, id: int | str, branches: bool = True) -> "Receipt":
        """Delete a record and all that follows from it by its links; returns a receipt of what went.

        Args:
            kind: session, report, role (a card with all its versions), study, client or counselor (the last two by code).
            branches: whether sessions branched off go too; else they stay with the words they began with.
        Raises:
            DataError: this kind cannot be deleted. NotFound: no such record. Nothing was deleted.
        """
        return self._deleted(lambda connection: deletion.remove(connection, kind, id, branches))

    def branches(self, kind: str, ids: Iterable[int | str]) -> int:
        """How many sessions were branched off from what deleting these would take, and are not part of it."""

        def count(connection: sqlite3.Connection) -> int:
            return len(set().union(*(deletion.branches_of(connection, kind, id) for id in ids)))

        return self.database.write(count)

    def delete_words(self, person_id: int, session_id: int) -> "Receipt":
        """Delete what a person said in a session and in its branches, and what engines replied; what other people said stays.

        Raises:
            NotFound: the person said nothing in it.
        """
        return self._deleted(lambda connection: deletion.remove_words(connection, person_id, session_id))

    def take_back(self, rater_id: int) -> "Receipt":
        """Delete the ratings and comparisons that tables brought of a rater; nothing else goes.

        Raises:
            NotFound: no table brought in such a rater. Nothing was deleted.
        """
        return self._deleted(lambda connection: judged.take_back(connection, rater_id))

    def _deleted(self, work: "Callable[[sqlite3.Connection], deletion.Going]") -> "Receipt":
        def both(connection: sqlite3.Connection) -> deletion.Going:
            going = work(connection)
            deletion.note_unfinished(connection, going)
            return going

        going = self.database.write(both)
        files, finished = self._cleaned()
        return Receipt({name: n for name, n in sorted(going.removed.items()) if n}, files, finished)

    def clean_up(self) -> bool:
        """Remove the files that deletions noted and overwrite what they freed.

        False where others held the database or a file could not be removed: it is tried again at the next start.
        """
        return self._cleaned()[1]

    def is_clean(self) -> bool:
        """Whether no deletion waits for its files to go or its space to be overwritten."""
        return self.path is None or not self.settings.get(reclaiming.UNFINISHED)

    def _cleaned(self) -> tuple[int, bool]:
        """How many files went, and whether nothing is left to do."""
        pending = self.settings.get(reclaiming.UNFINISHED)
        if self.path is None or not pending:
            return 0, True
        files = left = 0
        if isinstance(pending, dict):  # after an update only the freed pages are to be overwritten
            named = {(str(name), str(created)) for name, created in pending.pop(reclaiming.STUDIES, [])}
            gone = {kind: set(ids) for kind, ids in pending.items()}
            files, left = reclaiming.remove_files(self.path, gone, self._own(named))
        if left or not reclaiming.reclaim(self.path):
            return files, False
        self.settings.set(reclaiming.UNFINISHED, False)
        return files, True

    def identity(self) -> str:
        """What names this store in what it exports; made when first asked for."""
        return str(self.settings.get("identity") or self.settings.keep_first("identity", uuid.uuid4().hex))

    def _own(self, deleted: set[tuple[str, str]]) -> reclaiming.Own:
        return reclaiming.Own(self.identity(), {(study.name, study.created) for study in self.studies.all()}, deleted)

    def copies(self) -> list[Path]:
        """Copies of the database from before an update, which hold all that was there then."""
        return copies(self.path) if self.path is not None else []

    def delete_copies(self) -> int:
        """Delete these copies; returns how many."""
        found = self.copies()
        for copy in found:
            copy.unlink(missing_ok=True)
        return len(found)

    def close(self) -> None:
        with self._watch:
            if self._watcher is not None:
                self._watcher.close()
                self._watcher = None
        self.database.engine.dispose()


def open_store(given: str | Path | None = None) -> Store:
    """Open (and when new, create) the store.

    Raises:
        StoreError: the database cannot be opened; the sentence says why and what to do.
    """
    return Store(given)


def is_default() -> bool:
    """Whether the database stands where it does unless told otherwise."""
    return "RAPPORT_DATABASE_URL" not in os.environ
