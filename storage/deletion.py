"""Deleting a record with all that follows from it, and saying what went."""

from typing import Any

from sqlalchemy import text
from sqlmodel import Session, select

from core.errors import DataError, NotFound
from storage import tables
from storage.records import Database

KINDS = ("session", "report", "role", "study", "client", "counselor")


def delete(database: Database, kind: str, id: int | str) -> dict[str, Any]:
    """Remove the record, its dependants, their calls and orphaned texts; then reclaim the pages.

    Raises:
        DataError: this kind cannot be deleted.
        NotFound: no such record.
    """
    if kind not in KINDS:
        raise DataError(
            "A {kind} cannot be deleted on its own. Delete the report, role, session or study it belongs to.",
            kind=kind,
        )
    before = database.run(counts)
    database.run(lambda session: remove(session, kind, id))
    database.run(drop_orphans)
    after = database.run(counts)
    reclaim(database)
    return {name: before[name] - after[name] for name in before if before[name] != after[name]}


def counts(session: Session) -> dict[str, int]:
    names = [table.name for table in tables.SQLModel.metadata.sorted_tables if table.name != "setting"]
    return {
        name: int(session.connection().execute(text(f'SELECT count(*) FROM "{name}"')).scalar() or 0)
        for name in names
    }


def remove(session: Session, kind: str, id: int | str) -> None:
    rows: list[Any]
    if kind in ("client", "counselor"):
        rows = list(session.exec(select(tables.Session).filter_by(**{f"{kind}_code": str(id)})).all())
        if kind == "client":
            rows += list(session.exec(select(tables.Outcome).filter_by(client_code=str(id))).all())
    else:
        table: Any = {
            "session": tables.Session,
            "report": tables.Report,
            "role": tables.RoleCard,
            "study": tables.Study,
        }[kind]
        rows = [row for row in [session.get(table, int(id))] if row is not None]
    if not rows:
        raise NotFound("There is no {noun} {id}. It may have been deleted already.", noun=kind, id=id)
    calls = derived_calls(session, kind, rows)
    for row in rows:
        session.delete(row)
    session.flush()
    delete_calls(session, calls)


def derived_calls(session: Session, kind: str, rows: list[Any]) -> set[int]:
    """Ids of the calls whose messages hold text of the rows that go."""
    if kind == "study":
        return {
            c
            for row in rows
            for c in session.exec(select(tables.Call.id).filter_by(study_id=row.id)).all()
            if c
        }
    sessions = [row.id for row in rows if isinstance(row, tables.Session)]
    if kind in ("report", "role"):
        column = {"report": "report_id", "role": "role_id"}[kind]
        sessions = [
            s.id
            for row in rows
            for s in session.exec(select(tables.Session).filter_by(**{column: row.id})).all()
        ]
    calls: set[int | None] = set()
    for id in sessions:
        for table, where in (
            (tables.Turn, "session_id"),
            (tables.Rating, "session_id"),
            (tables.Comparison, "first_id"),
            (tables.Comparison, "second_id"),
        ):
            calls |= set(session.exec(select(table.call_id).filter_by(**{where: id})).all())
        # turns that broke off and were said again: their calls name the session, and no turn any more
        calls |= set(session.exec(select(tables.Call.id).filter_by(purpose=f"session {id}")).all())
    if kind == "report":
        for row in rows:
            calls |= set(session.exec(select(tables.Note.call_id).filter_by(report_id=row.id)).all())
            calls |= set(session.exec(select(tables.Call.id).filter_by(purpose=f"report {row.id}")).all())
    return {id for id in calls if id}


def delete_calls(session: Session, calls: set[int]) -> None:
    for id in calls:
        call = session.get(tables.Call, id)
        if call is not None:
            session.delete(call)


def drop_orphans(session: Session) -> None:
    """Texts no call refers to any more."""
    used: set[str] = set()
    for messages, raw in session.exec(select(tables.Call.messages, tables.Call.raw)):
        used |= {m["hash"] for m in messages} | {raw}
    for hash in session.exec(select(tables.TextPart.hash)).all():
        if hash not in used:
            part = session.get(tables.TextPart, hash)
            if part is not None:
                session.delete(part)


def reclaim(database: Database) -> None:
    """Overwrite what was freed: checkpoint the log and rebuild the file."""
    if database.engine.url.get_backend_name() != "sqlite":
        return
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("PRAGMA wal_checkpoint(TRUNCATE)"))
        connection.execute(text("VACUUM"))
        connection.execute(text("PRAGMA wal_checkpoint(TRUNCATE)"))
