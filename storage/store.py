"""The store: one attribute a noun, each with named operations."""

import os
import sqlite3
import threading
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import func, or_, text, update
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session as Transaction
from sqlmodel import col, select

from storage import deletion, reclaiming, tables, writing
from storage.copies import copies
from storage.database import database_url, open_database, sqlite_path
from storage.records import Database, Records


class Settings:
    """Choices of this workbench, by name."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def get(self, name: str, default: Any = None) -> Any:
        row = self.database.run(lambda session: session.get(tables.Setting, name))
        return default if row is None else row.value

    def set(self, name: str, value: Any) -> None:
        self.database.run(lambda session: session.merge(tables.Setting(name=name, value=value)))


class Reports(Records[tables.Report]):
    def save(self, report: tables.Report, masks: list[tables.Mask]) -> tables.Report:
        """A report with the key to its masking, in one transaction."""

        def both(session: Transaction) -> None:
            session.add(report)
            session.flush()
            for mask in masks:
                mask.report_id = report.id or 0
                session.add(mask)

        self.database.run(both)
        return report

    def masks(self, report_id: int) -> list[tables.Mask]:
        return Records(self.database, tables.Mask, "mask").all(report_id=report_id)

    def replace_masks(self, report_id: int, masks: list[tables.Mask]) -> None:
        def swap(session: Transaction) -> None:
            for old in session.exec(select(tables.Mask).filter_by(report_id=report_id)):
                session.delete(old)
            for mask in masks:
                session.add(mask)

        self.database.run(swap)

    def notes(self, report_id: int) -> list[tables.Note]:
        return Records(self.database, tables.Note, "note").all(report_id=report_id)

    def add_note(self, note: tables.Note) -> tables.Note:
        """Save the note as the next version of its report's note."""

        def next_version(session: Transaction) -> None:
            newest = session.exec(
                select(func.max(tables.Note.version)).where(tables.Note.report_id == note.report_id)
            ).one()
            note.version = (newest or 0) + 1
            session.add(note)

        self.database.run(next_version)
        return note


class Roles(Records[tables.RoleCard]):
    """Role cards; each row is one version of a card."""

    def add(self, row: tables.RoleCard) -> tables.RoleCard:
        """Save a new card, as its first version."""

        def first(session: Transaction) -> None:
            session.add(row)
            session.flush()
            row.card_id = row.id

        return self._saved(row, first)

    def add_version(self, row: tables.RoleCard) -> tables.RoleCard:
        """Save the next version of the card that ``row.card_id`` names."""

        def next_version(session: Transaction) -> None:
            newest = select(func.max(tables.RoleCard.version)).where(tables.RoleCard.card_id == row.card_id)
            row.version = (session.exec(newest).one() or 0) + 1
            session.add(row)

        return self._saved(row, next_version)

    def _saved(self, row: tables.RoleCard, work: Callable[[Transaction], None]) -> tables.RoleCard:
        try:
            self.database.run(work)
        except IntegrityError as error:
            raise self._clash(row, error) from error
        return row

    def cards(self, **equals: Any) -> list[tables.RoleCard]:
        """Every card in its newest version, in the order the cards were made."""
        role = tables.RoleCard
        newest = select(func.max(role.id)).group_by(col(role.card_id))
        query = select(role).filter_by(**equals).where(col(role.id).in_(newest)).order_by(col(role.card_id))
        return self.database.run(lambda session: list(session.exec(query).all()))

    def versions(self, card_id: int) -> list[tables.RoleCard]:
        """All versions of a card, oldest first."""
        return sorted(self.all(card_id=card_id), key=lambda role: role.version)

    def rename(self, card_id: int, title: str) -> None:
        """A new title for all versions of a card.

        Raises:
            DataError: the title is in use.
        """
        try:
            self.database.run(
                lambda session: session.execute(
                    update(tables.RoleCard).where(col(tables.RoleCard.card_id) == card_id).values(title=title)
                )
            )
        except IntegrityError as error:
            raise self._clash(None, error, {"title": title}) from error


class Sessions(Records[tables.Session]):
    def turns(self, session_id: int) -> list[tables.Turn]:
        """Turns of one session in their order."""
        query = select(tables.Turn).filter_by(session_id=session_id).order_by(tables.Turn.position)  # type: ignore[arg-type]
        return self.database.run(lambda session: list(session.exec(query).all()))

    def of_card(self, card_id: int) -> list[tables.Session]:
        """Sessions held with any version of a role card, in the order they were made."""
        versions = select(tables.RoleCard.id).where(tables.RoleCard.card_id == card_id)
        query = select(tables.Session).where(col(tables.Session.role_id).in_(versions)).order_by(col(tables.Session.id))
        return self.database.run(lambda session: list(session.exec(query).all()))

    def per_card(self) -> dict[int, int]:
        """How many sessions each role card has, its versions together."""
        card = col(tables.RoleCard.card_id)
        query = select(card, func.count()).join(tables.Session, tables.Session.role_id == tables.RoleCard.id).group_by(card)  # type: ignore[arg-type]
        return self.database.run(lambda session: {id or 0: n for id, n in session.exec(query)})

    def overview(self) -> list[dict[str, Any]]:
        """All sessions for a list, newest first: their facts, who speaks, how many turns, marks and judgments."""
        one, turn = tables.Session, tables.Turn
        per_session = [
            (select(func.count()).where(table.session_id == one.id, *more).scalar_subquery().label(name))
            for name, table, more in (
                ("turns", turn, (turn.state == "complete",)),
                ("risk", turn, (func.json_array_length(turn.risk) > 0,)),
                ("ratings", tables.Rating, (col(tables.Rating.superseded_by).is_(None),)),
            )
        ]
        query = (
            select(  # type: ignore[call-overload]
                one.id, one.title, one.origin, one.language, one.state, one.topic, one.engine, one.created, one.clearance,
                one.client_code, one.counselor_code, tables.RoleCard.title.label("role"),  # type: ignore[attr-defined]
                tables.Agent.name.label("counselor"), *per_session,  # type: ignore[attr-defined]
            )
            .outerjoin(tables.RoleCard, tables.RoleCard.id == one.role_id)
            .outerjoin(tables.Agent, tables.Agent.id == one.counselor_agent_id)
            .order_by(col(one.id).desc())
        )  # fmt: skip
        return self.database.run(lambda session: [dict(row._mapping) for row in session.exec(query)])

    def add_turn(self, turn: tables.Turn) -> tables.Turn:
        """Save one turn; a position is filled once."""
        return Records(self.database, tables.Turn, "turn").add(turn)

    def set_turn(self, turn_id: int, **fields: Any) -> tables.Turn:
        return Records(self.database, tables.Turn, "turn").update(turn_id, **fields)

    def add_with_turns(self, session: tables.Session, turns: list[tables.Turn]) -> tables.Session:
        """A session and all its turns in one transaction."""

        def both(transaction: Transaction) -> None:
            transaction.add(session)
            transaction.flush()
            for turn in turns:
                turn.session_id = session.id or 0
                transaction.add(turn)

        self.database.run(both)
        return session


class Raters(Records[tables.Rater]):
    def ensure(self, kind: str, name: str, agent_hash: str = "") -> tables.Rater:
        """The rater of this kind and name, made when it is new."""
        return self.find(kind=kind, name=name) or self.add(
            tables.Rater(kind=kind, name=name, agent_hash=agent_hash)
        )


class Judgments(Records[Any]):
    """Ratings or comparisons: rows with their rater's kind and name beside them."""

    def rows(self, **equals: Any) -> list[dict[str, Any]]:
        """Tidy rows, oldest first; each with ``rater_kind`` and ``rater`` (the name).

        With ``study_id``, also the rows of earlier studies whose answers that study reused.
        """
        where = [getattr(self.table, name) == value for name, value in equals.items()]
        where.append(self.table.superseded_by.is_(None))
        if equals.get("study_id") is not None:
            where = [c for name, c in zip([*equals, ""], where, strict=True) if name != "study_id"]
            return self._rows([*where, self._of_study(int(equals["study_id"]))])
        return self._rows(where)

    def count(self, **equals: Any) -> int:
        """Rows that count: those a newer reader superseded do not."""
        return super().count(**equals, superseded_by=None)

    def _of_study(self, study_id: int) -> Any:
        source = col(tables.Unit.result)["source"].as_integer()
        reused = select(source).where(tables.Unit.study_id == study_id, source.is_not(None))
        return or_(self.table.study_id == study_id, self.table.unit_id.in_(reused))

    def _rows(self, where: list[Any]) -> list[dict[str, Any]]:
        query = (
            select(self.table, tables.Rater.kind, tables.Rater.name, tables.Rater.agent_hash)
            .join(tables.Rater, tables.Rater.id == self.table.rater_id)
            .where(*where)
            .order_by(self.table.id)
        )
        found = self.database.run(lambda session: list(session.exec(query).all()))
        return [
            row.model_dump() | {"rater_kind": kind, "rater": name, "agent_hash": hash}
            for row, kind, name, hash in found
        ]


class Calls(Records[tables.Call]):
    def save(self, fields: dict[str, Any], messages: list[dict[str, str]], raw: str) -> int:
        """One call, its texts stored once each by content, and its links; returns its id.

        0: a record it is ``about`` was deleted meanwhile, so its words were not kept (``writing.save_call``).
        """
        packed = writing.pack_call(fields, messages, raw)
        return self.database.write(lambda connection: writing.save_call(connection, packed))

    def loose(self) -> list[int]:
        """Calls that no record was made from and no study made: those of drafts nobody saved."""
        sql = (
            "SELECT id FROM call c WHERE study_id IS NULL AND raw <> '' AND NOT EXISTS "
            "(SELECT 1 FROM call_record r WHERE r.call_id = c.id)"
        )
        return self.database.run(lambda session: [row[0] for row in session.connection().execute(text(sql))])

    def drop(self, ids: Iterable[int]) -> None:
        """Delete calls that no record was made from, with the texts only they carry."""
        wanted = list(ids)

        def work(connection: sqlite3.Connection) -> None:
            deletion.delete_calls(connection, wanted)
            writing.keep_setting(connection, reclaiming.UNFINISHED, True)

        self.database.write(work)

    def link(self, ids: Iterable[int], kind: str, record_id: int) -> None:
        """Name a record that was made from these calls."""

        def work(connection: sqlite3.Connection) -> None:
            for id in ids:
                writing.link_call(connection, id, [(kind, record_id)])

        self.database.write(work)

    def about(self, ids: Iterable[int]) -> dict[int, list[tuple[str, int]]]:
        """The records (kind, id) these calls' texts come from, by call."""
        link = tables.CallRecord
        query = select(link).where(col(link.call_id).in_(list(ids))).order_by(col(link.call_id), col(link.kind), col(link.record_id))
        found: dict[int, list[tuple[str, int]]] = {}
        for row in self.database.run(lambda session: list(session.exec(query).all())):
            found.setdefault(row.call_id, []).append((row.kind, row.record_id))
        return found

    def whole(self, id: int) -> dict[str, Any]:
        """The call with its messages and raw reply as they were."""
        call = self.get(id)
        wanted = {m["hash"] for m in call.messages} | {call.raw}
        query = select(tables.TextPart).where(tables.TextPart.hash.in_(wanted))  # type: ignore[attr-defined]
        parts = self.database.run(
            lambda session: {p.hash: zlib.decompress(p.data).decode() for p in session.exec(query)}
        )
        messages: list[dict[str, str]] = []
        for named in call.messages:
            said = parts.get(named["hash"], "")
            if named.get("joined"):  # one message in two parts: the transcript it shares, and the rest
                messages[-1]["content"] += said
            else:
                messages.append({"role": named["role"], "content": said})
        kept = call.model_dump(exclude={"messages"})
        return kept | {"messages": messages, "raw": parts.get(call.raw, "")}


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
        self.consents = Records(database, tables.Consent, "consent")
        self._watch = threading.Lock()
        self._watcher: sqlite3.Connection | None = None
        self.clean_up()

    @property
    def folder(self) -> Path:
        """The private folder beside the database, for exports and sockets."""
        return self.path.parent if self.path is not None else Path("data")

    def data_version(self) -> int:
        """Changes whenever anyone commits a change: a cheap key for caches."""
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

    def delete_words(self, person: str, session_id: int) -> "Receipt":
        """Delete what a person said in a session and in its branches; what others said stays.

        Raises:
            NotFound: the person said nothing in it.
        """
        return self._deleted(lambda connection: deletion.remove_words(connection, person, session_id))

    def _deleted(self, work: "Callable[[sqlite3.Connection], deletion.Going]") -> "Receipt":
        def both(connection: sqlite3.Connection) -> deletion.Going:
            going = work(connection)
            writing.keep_setting(connection, reclaiming.UNFINISHED, True)
            return going

        going = self.database.write(both)
        files = reclaiming.remove_files(self.path, going.by_kind()) if self.path is not None else 0
        return Receipt({name: n for name, n in sorted(going.removed.items()) if n}, files, finished=self.clean_up())

    def clean_up(self) -> bool:
        """Overwrite what deletions freed; false where others held the database, so that it is done at the next start."""
        if self.path is None or not self.settings.get(reclaiming.UNFINISHED):
            return True
        if not reclaiming.reclaim(self.path):
            return False
        self.settings.set(reclaiming.UNFINISHED, False)
        return True

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
