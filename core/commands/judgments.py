"""Ratings and comparisons made elsewhere, for sessions that are in the store: read from a CSV file, kept as reference."""

from collections.abc import Set
from typing import Any

from core import files, instruments
from core.clearance import lacking
from core.consent import RATED
from core.errors import DataError, NotFound, PromptError
from core.results.csv_files import needed, number, rows_of
from storage import tables
from storage.store import Store

RATINGS = ("session", "rater", "instrument", "item", "value")
COMPARISONS = ("first", "second", "rater", "instrument", "dimension", "verdict")


def session_of(store: Store, row: dict[str, str], column: str, name: str, refused: Set[int]) -> tables.Session:
    told = needed(row, column, name)
    if files.record_id(told) in refused:
        raise DataError(
            "Line {line} of {name}: not everybody who has a say in session {session} agreed to its being rated here. Take the "
            "line out; nothing was saved.", line=row["line"], name=name, session=told,
        )  # fmt: skip
    try:
        return store.sessions.get(files.record_id(told) or 0)
    except NotFound as error:
        raise DataError(
            "Line {line} of {name} names session {session}, which is not in the store. Bring the session in first; "
            "nothing was saved.", line=row["line"], name=name, session=told,
        ) from error  # fmt: skip


def instrument_of(row: dict[str, str], name: str, kind: str) -> instruments.Instrument:
    told = needed(row, "instrument", name)
    try:
        found = instruments.load(told)
    except PromptError as error:
        raise DataError(
            "Line {line} of {name} names the instrument “{told}”, which is not known. Choose one of: {known}; nothing "
            "was saved.", line=row["line"], name=name, told=told, known=", ".join(instruments.catalogue()),
        ) from error  # fmt: skip
    if found.kind != kind:
        raise DataError(
            "Line {line} of {name}: “{told}” is not an instrument for a {kind}; nothing was saved.",
            line=row["line"], name=name, told=told, kind=kind,
        )  # fmt: skip
    return found


def import_ratings(store: Store, name: str, data: bytes) -> list[dict[str, Any]]:
    """One rating a row; a blank value is unscored.

    Raises:
        DataError: a column, session, instrument, item or level is not there, or somebody refuses. Nothing was saved.
    """
    refused = lacking(store, RATED)
    made = [rating(store, row, name, refused) for row in rows_of(name, data, RATINGS)]
    return [{"kind": "rating", "id": store.ratings.add(one).id} for one in made]


def rating(store: Store, row: dict[str, str], name: str, refused: Set[int]) -> tables.Rating:
    session, instrument = session_of(store, row, "session", name, refused), instrument_of(row, name, "rating")
    told, value = needed(row, "item", name), number(row, "value", name)
    item = next((one for one in instrument.items if one.id == told), None)
    if item is None or (value is not None and value not in {level.value for level in item.levels}):
        raise DataError(
            "Line {line} of {name}: {instrument} has no item {item} with the value {value}. Correct the line; nothing "
            "was saved.", line=row["line"], name=name, instrument=instrument.id, item=told, value=value,
        )  # fmt: skip
    rater = store.raters.ensure("reference", needed(row, "rater", name))
    return tables.Rating(
        rater_id=rater.id or 0, session_id=session.id or 0, instrument=instrument.id, language=session.language,
        instrument_version=instrument.version, item=told, value=value, reason="" if value is not None else "blank in the file",
        score=None if value is None else instrument.scored(told, value),
    )  # fmt: skip


def import_comparisons(store: Store, name: str, data: bytes) -> list[dict[str, Any]]:
    """One comparison a row: ``verdict`` is the number of the session that won, ``tie``, or blank where unreadable.

    Raises:
        DataError: a column, session, instrument or dimension is not there, or somebody refuses. Nothing was saved.
    """
    refused = lacking(store, RATED)
    made = [comparison(store, row, name, refused) for row in rows_of(name, data, COMPARISONS)]
    return [{"kind": "comparison", "id": store.comparisons.add(one).id} for one in made]


def comparison(store: Store, row: dict[str, str], name: str, refused: Set[int]) -> tables.Comparison:
    pair = [session_of(store, row, column, name, refused) for column in ("first", "second")]
    instrument, told = instrument_of(row, name, "comparison"), needed(row, "dimension", name)
    verdict, ids = row["verdict"].strip().lower(), [str(session.id) for session in pair]
    if told not in {one.id for one in instrument.dimensions} or verdict not in ("", "tie", *ids) or ids[0] == ids[1]:
        raise DataError(
            "Line {line} of {name}: the dimension must be one of {instrument}, and the verdict one of the two sessions, "
            "tie or blank. Correct the line; nothing was saved.", line=row["line"], name=name, instrument=instrument.id,
        )  # fmt: skip
    rater = store.raters.ensure("reference", needed(row, "rater", name))
    return tables.Comparison(
        rater_id=rater.id or 0, first_id=pair[0].id or 0, second_id=pair[1].id or 0, instrument=instrument.id,
        role_id=pair[0].role_id if pair[0].role_id == pair[1].role_id else None, instrument_version=instrument.version,
        language=pair[0].language, dimension=told, winner_id=int(verdict) if verdict in ids else None,
        verdict="won" if verdict in ids else verdict or "unscored", reason="" if verdict else "blank in the file",
    )  # fmt: skip
