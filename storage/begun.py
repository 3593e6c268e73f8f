"""What persons have begun and not saved yet: roles being built, studies being planned. One person's are nobody else's."""

import json
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from sqlalchemy import text
from sqlmodel import col, select

from core.errors import DataError, NotFound
from storage import deletion, reclaiming, tables, writing
from storage.records import Records

MINE = "id = ? AND person_id IN ({members})"


class Left(NamedTuple):
    """Somebody's draft, as whoever looks after the store may know of it."""

    id: int
    kind: str  # role | study
    person_id: int
    changed: str
    calls: int


class Drafts(Records[tables.Draft]):
    def of(self, person_ids: Iterable[int], kind: str) -> list[tables.Draft]:
        """A person's drafts of a kind, the last changed first."""
        draft = tables.Draft
        query = select(draft).where(col(draft.person_id).in_(list(person_ids)), draft.kind == kind)
        query = query.order_by(col(draft.changed).desc(), col(draft.id).desc())
        return self.database.run(lambda session: list(session.exec(query).all()))

    def change(self, draft: tables.Draft, content: Mapping[str, Any]) -> tables.Draft:
        """Keep what has become of a draft since it was read.

        Raises:
            NotFound: it was saved or dropped meanwhile. DataError: it was changed meanwhile. Nothing was changed.
        """

        def work(connection: sqlite3.Connection) -> str:
            newest = read(connection, draft)
            if newest.changed != draft.changed:
                raise DataError("This draft was changed in another window meanwhile. Here it is as it stands there; what was changed there is kept.")
            return put(connection, newest, content)

        return tables.Draft(**draft.model_dump(exclude={"content", "changed"}), content=dict(content), changed=self.database.write(work))

    def choose(self, draft: tables.Draft, choices: Mapping[str, Any]) -> None:
        """Keep these choices in a draft as it stands now; all others stay as they are there.

        Raises:
            NotFound: it was saved or dropped meanwhile. Nothing was changed.
        """

        def work(connection: sqlite3.Connection) -> None:
            newest = read(connection, draft)
            put(connection, newest, newest.content | dict(choices))

        self.database.write(work)

    def drop(self, person_ids: Iterable[int], id: int) -> None:
        """Delete a person's draft and the calls it was written with, unless a record was made from them; one that is gone is gone."""
        members = list(person_ids)

        def work(connection: sqlite3.Connection) -> None:
            mine = MINE.format(members=deletion.places(members))
            found = connection.execute(f"SELECT content FROM draft WHERE {mine}", (id, *members)).fetchone()
            if found is None:
                return
            connection.execute("DELETE FROM draft WHERE id = ?", (id,))
            deletion.delete_calls(connection, unused(connection, json.loads(found[0]).get("calls", ())))
            writing.keep_setting(connection, reclaiming.UNFINISHED, True)

        self.database.write(work)

    def of_others(self, person_ids: Iterable[int]) -> list[Left]:
        """Drafts of everybody but these, whoever they are and whether they will come again: no word of what is in them."""
        mine = ", ".join(str(int(id)) for id in person_ids)
        sql = (
            "SELECT d.id, d.kind, d.person_id, d.changed, coalesce(json_array_length(d.content, '$.calls'), 0) FROM draft d "
            f"WHERE d.person_id NOT IN ({mine}) ORDER BY d.changed, d.id"
        )
        return self.database.run(lambda session: [Left(*row) for row in session.connection().execute(text(sql))])


def read(connection: sqlite3.Connection, draft: tables.Draft) -> tables.Draft:
    """The draft as it stands now.

    Raises:
        NotFound: it was saved or dropped meanwhile.
    """
    found = connection.execute("SELECT content, changed FROM draft WHERE id = ?", (draft.id,)).fetchone()
    if found is None:
        raise NotFound("This draft was saved or dropped in another window. Nothing of it was changed here.")
    return tables.Draft(**draft.model_dump(exclude={"content", "changed"}), content=json.loads(found[0]), changed=found[1])


def put(connection: sqlite3.Connection, newest: tables.Draft, content: Mapping[str, Any]) -> str:
    """Write the content; gives when it was changed: never the same twice, so that whoever read it before is told."""
    now = max(tables.now(), f"{newest.changed}+")
    connection.execute("UPDATE draft SET content = ?, changed = ? WHERE id = ?", (json.dumps(dict(content)), now, newest.id))
    return now


def unused(connection: sqlite3.Connection, calls: Iterable[int]) -> list[int]:
    """Those of these calls that no record was made from and no study made."""
    sql = "SELECT id FROM call c WHERE id = ? AND study_id IS NULL AND NOT EXISTS (SELECT 1 FROM call_record r WHERE r.call_id = c.id)"
    return [row[0] for call in calls for row in connection.execute(sql, (call,))]


def taken(connection: sqlite3.Connection, id: int) -> None:
    """A record was made of a draft: it goes with the transaction that saves the record.

    Raises:
        NotFound: it was saved or dropped before.
    """
    if not connection.execute("DELETE FROM draft WHERE id = ?", (id,)).rowcount:
        raise NotFound("This draft was saved or dropped in another window. Nothing was saved here.")
