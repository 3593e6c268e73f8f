"""Ratings and comparisons made elsewhere, of sessions that are in the store: read from a table, kept whole or not at all.

They are of people (*person*), or labels that came with the data (*reference*). A name proves nothing: a person from a
table is never somebody who rated here, but the same name in the next table is the same rater again.

Rows are of the instrument as it is here, unless a column *version* says that another version was rated with.
"""

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from core import files, instruments
from core.clearance import lacking
from core.consent import RATED
from core.csv_files import needed, number, rows_of
from core.errors import DataError, NotFound, PromptError, WorkbenchError
from core.judging.given import (
    Given,
    check_agree,
    check_once,
    check_version,
    doubled_remark,
    remarks,
    same_but_for_version,
)
from core.judging.readings import READER
from storage import judged, tables
from storage.store import Store

RATINGS = ("session", "rater", "instrument", "item", "value")
COMPARISONS = ("first", "second", "rater", "instrument", "dimension", "verdict")
VERSION = ("version",)  # of the instrument; may be absent
KINDS = ("person", "reference")
LONGEST = 100  # characters of a rater's name
BLANK = "blank in the file"


@dataclass(frozen=True)
class Taken:
    """What came in: ids of rows saved, and what has to be said of the table."""

    ids: list[int]
    messages: list[WorkbenchError] = field(default_factory=list)


def import_ratings(store: Store, name: str, data: bytes, kind: str = "person") -> Taken:
    """One rating a row; a blank value is unscored.

    Raises:
        DataError: a column, session, instrument, item or level is not there, rows say something twice or against what is
            here, or somebody refuses to be rated. Nothing was saved.
    """
    return take(store, "rating", name, table_of("rating", name, data), rating, kind)


def import_comparisons(store: Store, name: str, data: bytes, kind: str = "person") -> Taken:
    """One comparison a row, ``first`` shown first: ``verdict`` is the number of the session that won, ``tie``, or blank
    where unreadable.

    Raises:
        DataError: as ``import_ratings``. Nothing was saved.
    """
    return take(store, "comparison", name, table_of("comparison", name, data), comparison, kind)


COLUMNS = {"rating": RATINGS, "comparison": COMPARISONS}


def table_of(table: str, name: str, data: bytes) -> list[dict[str, str]]:
    """The rows of a table; one of the other kind is told from one that lacks a column.

    Raises:
        DataError: as ``rows_of``.
    """
    try:
        return rows_of(name, data, COLUMNS[table], VERSION)
    except DataError as error:
        check_kind(table, name, data, error)
        raise


def check_kind(table: str, name: str, data: bytes, error: DataError) -> None:
    """Raises DataError: what cannot be read as one kind of table is one of the other."""
    try:
        rows_of(name, data, COLUMNS["comparison" if table == "rating" else "rating"])
    except DataError:
        return
    if table == "rating":
        raise DataError(
            "{name} is a table of comparisons, not of ratings. Bring it in under Comparisons (rapport import --as comparisons); "
            "nothing was saved.", name=files.shown(name),
        ) from error  # fmt: skip
    raise DataError(
        "{name} is a table of ratings, not of comparisons. Bring it in under Ratings (rapport import --as ratings); nothing was saved.",
        name=files.shown(name),
    ) from error  # fmt: skip


class Here:
    """The sessions and instruments that the rows of one table name."""

    def __init__(self, store: Store, name: str) -> None:
        self.store, self.name = store, name
        self.refused = lacking(store, RATED)
        self.sessions: dict[int, tables.Session] = {}
        self.instruments: dict[tuple[str, str, str], instruments.Instrument] = {}

    def session(self, row: dict[str, str], column: str) -> tables.Session:
        told = needed(row, column, self.name)
        id = files.record_id(told) or 0
        if id in self.refused:
            raise DataError(
                "Line {line} of {name}: not everybody who has a say in session {session} agreed to its being rated here. Take the "
                "line out; nothing was saved.", line=row["line"], name=self.name, session=told,
            )  # fmt: skip
        if id not in self.sessions:
            try:
                self.sessions[id] = self.store.sessions.get(id)
            except NotFound as error:
                raise DataError(
                    "Line {line} of {name} names session {session}, which is not in the store. Bring the session in first; "
                    "nothing was saved.", line=row["line"], name=self.name, session=told,
                ) from error  # fmt: skip
        return self.sessions[id]

    def instrument(self, row: dict[str, str], kind: str) -> instruments.Instrument:
        """The one a row names, in the version it names."""
        named = (needed(row, "instrument", self.name), row["version"], kind)
        if named not in self.instruments:
            self.instruments[named] = self.read_instrument(row, kind)
        return self.instruments[named]

    def read_instrument(self, row: dict[str, str], kind: str) -> instruments.Instrument:
        told = row["instrument"]
        try:
            found = instruments.load(told)
        except PromptError as error:
            raise DataError(
                "Line {line} of {name} names the instrument “{told}”, which is not known. Choose one of: {known}; nothing "
                "was saved.", line=row["line"], name=self.name, told=told, known=", ".join(instruments.catalogue()),
            ) from error  # fmt: skip
        if found.kind != kind:
            raise DataError(
                "Line {line} of {name}: “{told}” is not an instrument for a {kind}; nothing was saved.",
                line=row["line"], name=self.name, told=told, kind=kind,
            )  # fmt: skip
        return instruments.load(told, self.version(row, found)) if row["version"] else found

    def version(self, row: dict[str, str], used: instruments.Instrument) -> int:
        told = files.record_id(row["version"]) or 0
        if not 0 < told <= used.version:
            raise DataError(
                "Line {line} of {name}: {instrument} has no version {version}; it is at version {here}. Correct the line, or leave "
                "the version blank for the one here; nothing was saved.",
                line=row["line"], name=self.name, instrument=used.id, version=row["version"], here=used.version,
            )  # fmt: skip
        return told

    def rater(self, row: dict[str, str]) -> str:
        told = needed(row | {"rater": files.named(row["rater"])}, "rater", self.name)
        if len(told) > LONGEST:
            raise DataError(
                "Line {line} of {name}: the rater's name is longer than {most} characters. Shorten it; nothing was saved.",
                line=row["line"], name=self.name, most=LONGEST,
            )  # fmt: skip
        return told


def rating(here: Here, row: dict[str, str]) -> Given:
    session, used = here.session(row, "session"), here.instrument(row, "rating")
    told, value = needed(row, "item", here.name), number(row, "value", here.name)
    item = next((one for one in used.items if one.id == told), None)
    if item is None:
        raise DataError(
            "Line {line} of {name}: {instrument} has no item {item}. Its items: {known}. Correct the line; nothing was saved.",
            line=row["line"], name=here.name, instrument=used.id, item=told, known=", ".join(one.id for one in used.items),
        )  # fmt: skip
    if value is not None and value not in {level.value for level in item.levels}:
        raise DataError(
            "Line {line} of {name}: {item} of {instrument} has no level {value}. Its levels: {known}. Correct the line; nothing "
            "was saved.", line=row["line"], name=here.name, instrument=used.id, item=told, value=row["value"],
            known=", ".join(f"{level.value:g}" for level in item.levels),
        )  # fmt: skip
    fields = {
        "session_id": session.id, "instrument": used.id, "instrument_version": used.version, "language": session.language,
        "item": told, "value": value, "score": None if value is None else used.scored(told, value),
        "reason": BLANK if value is None else "", "reader": READER,
    }  # fmt: skip
    about = (session.id, used.id, told, used.version)
    return Given(int(row["line"]), here.rater(row), about, value, fields, bool(row["version"]))


def comparison(here: Here, row: dict[str, str]) -> Given:
    pair = [here.session(row, column) for column in ("first", "second")]
    used, told = here.instrument(row, "comparison"), needed(row, "dimension", here.name)
    verdict, ids = row["verdict"].lower(), [session.id or 0 for session in pair]
    winner = files.record_id(verdict)
    known = verdict in ("", "tie") or winner in ids
    if told not in {one.id for one in used.dimensions} or not known or ids[0] == ids[1]:
        raise DataError(
            "Line {line} of {name}: the dimension must be one of {instrument}, and the verdict one of the two sessions, "
            "tie or blank. Correct the line; nothing was saved.", line=row["line"], name=here.name, instrument=used.id,
        )  # fmt: skip
    fields = {
        "first_id": ids[0], "second_id": ids[1], "role_id": pair[0].role_id if pair[0].role_id == pair[1].role_id else None,
        "instrument": used.id, "instrument_version": used.version, "language": pair[0].language, "dimension": told,
        "winner_id": winner, "verdict": "won" if winner else verdict or "unscored", "reason": "" if verdict else BLANK,
        "reader": READER,
    }  # fmt: skip
    about = (min(ids), max(ids), used.id, told, used.version)
    return Given(int(row["line"]), here.rater(row), about, winner or verdict or None, fields, bool(row["version"]))


# ---- all or nothing ----------------------------------------------------------------------------------


def take(
    store: Store, table: str, name: str, rows: Iterable[dict[str, str]], read: Callable[[Here, dict[str, str]], Given], kind: str
) -> Taken:
    """Read every row, then save those that are new, in one transaction."""
    name = files.shown(name)
    if kind not in KINDS:
        raise DataError("Ratings cannot be of the kind “{kind}”. Choose one of: {kinds}.", kind=kind, kinds=", ".join(KINDS))
    here = Here(store, name)
    found = [read(here, row) for row in rows]
    check_once(name, found)
    try:
        return store.database.write(lambda connection: saved(connection, table, name, found, kind))
    except sqlite3.IntegrityError as error:
        raise DataError(
            "{name} was not taken: a session it names was deleted just now. Look at the table and try again; nothing was saved.",
            name=name,
        ) from error  # fmt: skip


def saved(connection: sqlite3.Connection, table: str, name: str, rows: Sequence[Given], kind: str) -> Taken:
    """Save what is not here yet.

    Raises:
        DataError: a row contradicts what the same rater said here before, or may be of another version.
    """
    known = raters_of(connection, kind)
    before = {rater: judged.said(connection, table, known[rater]) if rater in known else {} for rater in {one.rater for one in rows}}
    check_agree(name, [(one, before[one.rater].get(one.about)) for one in rows])
    new = [one for one in rows if one.about not in before[one.rater] or one.said != before[one.rater][one.about]]
    if same_but_for_version(rows, before):
        new = []
    check_version(name, new, before)
    for rater in dict.fromkeys(one.rater for one in new if one.rater not in known):
        known[rater] = judged.add_rater(connection, kind, rater)
    made = judged.save(connection, table, ({**one.row, "rater_id": known[one.rater]} for one in new))
    other = next(one for one in KINDS if one != kind)
    doubled = elsewhere(connection, table, rows, raters_of(connection, other)) if new else 0
    return Taken(made, [*remarks(name, len(new), len(rows)), *doubled_remark(name, doubled, len(rows), other)])


def raters_of(connection: sqlite3.Connection, kind: str) -> dict[str, int]:
    """The raters of a kind that tables brought, by their names in one form."""
    found: dict[str, int] = {}
    for written, id in judged.brought(connection, kind):
        found.setdefault(files.named(written), id)
    return found


def elsewhere(connection: sqlite3.Connection, table: str, rows: Sequence[Given], raters: Mapping[str, int]) -> int:
    """How many rows say what a rater of this name said here as one of these."""
    said = {rater: judged.said(connection, table, raters[rater]) for rater in {one.rater for one in rows} & raters.keys()}
    return sum(one.said is not None and said.get(one.rater, {}).get(one.about) == one.said for one in rows)
