"""Reviews: a person read this very text, and says that nobody can be recognized in it or that it is made up."""

from collections.abc import Iterable
from typing import Literal

from sqlmodel import SQLModel

from core.errors import DataError, NotFound
from storage import standing, tables
from storage.reviewed import session_text_hash, text_hash
from storage.store import Store

Says = Literal["confirmed", "synthetic"]


def shown(store: Store, kind: str, id: int) -> str:
    """The hash of a record's words as they are: take it when they are shown, give it to ``review``.

    Raises:
        NotFound: it is not there.
    """
    if kind == "session":
        store.sessions.get(id)
        return store.database.read(lambda connection: standing.session_hash(connection, id))
    facts = store.database.read(lambda connection: standing.text_facts(connection, kind, id))
    if facts is None:
        raise NotFound("There is no {noun} {id}. It may have been deleted; choose another one.", noun=kind, id=id)
    return facts.hash


def hash_of(kind: str, row: SQLModel) -> str:
    """The same of a report, note or role version that is at hand: of the very words that are drawn."""
    return text_hash(kind, row.model_dump())


def hash_of_session(session: tables.Session, turns: Iterable[tables.Turn]) -> str:
    """The same of a session, from its title and turns that are drawn."""
    return session_text_hash(session.title, ((turn.position, turn.seat, turn.text) for turn in turns if turn.state == "complete"))


def review(store: Store, person: tables.Person, kind: str, id: int, says: Says, hash: str) -> tables.Review:
    """Keep what a person says of the text they were shown.

    Args:
        hash: of the words as they were shown.
    Raises:
        DataError: the words changed meanwhile; nothing was confirmed. NotFound: the record is gone.
    """
    if shown(store, kind, id) != hash:
        raise DataError(
            "The text changed after it was shown, so it was not confirmed. Read it again as it is now, then confirm it."
        )
    return store.reviews.add(tables.Review(kind=kind, record_id=id, hash=hash, says=says, person_id=person.id))


def of_record(store: Store, kind: str, id: int) -> list[tables.Review]:
    """All reviews of a record, oldest first."""
    return store.reviews.all(kind=kind, record_id=id)


def code_of(person: tables.Person | None) -> str:
    """How a person is named beside what they edited."""
    return (person.code if person is not None else "") or "person"
