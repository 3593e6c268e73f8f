"""The named operations of each noun, beside those every noun has (``storage.records``)."""

import json
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import String, and_, cast, func, or_, text, update
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session as Transaction
from sqlmodel import col, select

from core.errors import DataError, msg
from storage import begun, deletion, reclaiming, tables, writing
from storage.records import Database, Records

NAME_SESSION = "UPDATE unit SET result = json_set(result, '$.session', :session) WHERE id = :unit AND state <> 'gone'"


def plain(session: Transaction) -> sqlite3.Connection:
    """The connection of a transaction, for plain SQL in it."""
    raw: Any = session.connection().connection.dbapi_connection
    connection: sqlite3.Connection = raw
    return connection

RESTING = 1800.0  # seconds before an answer that nothing was made of counts as left over: a step under way takes less


class Settings:
    """Choices of this workbench, by name."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def get(self, name: str, default: Any = None) -> Any:
        row = self.database.run(lambda session: session.get(tables.Setting, name))
        return default if row is None else row.value

    def set(self, name: str, value: Any) -> None:
        self.database.run(lambda session: session.merge(tables.Setting(name=name, value=value)))

    def keep_first(self, name: str, value: Any) -> Any:
        """Save a setting unless somebody was faster; returns what is kept."""
        add = "INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING"
        self.database.write(lambda connection: connection.execute(add, (name, json.dumps(value))))
        return self.get(name)


class Rewritten(NamedTuple):
    """What a report becomes: columns, the key to its masking (``None``: as it is), and what a person says of the new words."""

    fields: Mapping[str, Any]
    masks: Sequence[tables.Mask] | None = None
    reviews: Sequence[tables.Review] = ()


class Reports(Records[tables.Report]):
    def save(self, report: tables.Report, masks: Iterable[tables.Mask], reviews: Iterable[tables.Review] = ()) -> tables.Report:
        """A report with the key to its masking, and what is said of its words, in one transaction.

        Raises:
            DataError: another report has the very same words, or its title.
        """
        return self.add_whole(report, {"report_id": masks, "record_id": reviews})

    def masks(self, report_id: int) -> list[tables.Mask]:
        return Records(self.database, tables.Mask, "mask").all(report_id=report_id)

    def rewrite(self, report_id: int, work: "Callable[[tables.Report, list[tables.Mask]], Rewritten]") -> tables.Report:
        """Change a report's words with the key to its masking, and keep what a person said of them: all or nothing.

        Args:
            work: what the report becomes, from the report and its key as they are; nobody else writes meanwhile.
        Raises:
            NotFound: no such report. DataError: another report has the very same words.
        """

        def all_of_it(session: Transaction) -> tables.Report | None:
            report = session.get(tables.Report, report_id)
            if report is None:
                return None
            old = list(session.exec(select(tables.Mask).filter_by(report_id=report_id).order_by(col(tables.Mask.id))))
            new = work(report, old)
            report.sqlmodel_update(dict(new.fields))
            for row in old if new.masks is not None else ():
                session.delete(row)
            session.add_all([report, *(new.masks or ()), *new.reviews])
            return report

        try:
            return self.database.run(all_of_it, alone=True) or self.get(report_id)
        except IntegrityError as error:
            raise self._clash(None, error) from error

    def notes(self, report_id: int) -> list[tables.Note]:
        return Records(self.database, tables.Note, "note").all(report_id=report_id)

    def add_note(self, note: tables.Note, calls: Iterable[int] = ()) -> tables.Note:
        """Save the note as the next version of its report's note, linked to the calls it was made from."""

        def next_version(session: Transaction) -> None:
            newest = session.exec(
                select(func.max(tables.Note.version)).where(tables.Note.report_id == note.report_id)
            ).one()
            note.version = (newest or 0) + 1
            session.add(note)
            session.flush()
            writing.link_made(plain(session), "note", note.id or 0, calls)

        self.database.run(next_version)
        return note


class Roles(Records[tables.RoleCard]):
    """Role cards; each row is one version of a card."""

    def add(self, row: tables.RoleCard, calls: Iterable[int] = (), draft_id: int | None = None) -> tables.RoleCard:
        """Save a new card, as its first version, in one transaction with what names it.

        Args:
            calls: those it was made from, which go where it goes.
            draft_id: the draft it was, which goes.
        Raises:
            DataError: the title is in use. NotFound: the draft was saved or dropped before. Nothing was saved.
        """

        def first(session: Transaction) -> None:
            session.add(row)
            session.flush()
            row.card_id = row.id
            for call in calls:
                writing.link_call(plain(session), call, [writing.About("role", row.id or 0)])
            if draft_id is not None:
                begun.taken(plain(session), draft_id)

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

    def rename(self, card_id: int, title: str, edited_by: str) -> None:
        """A new title for all versions of a card, which somebody typed.

        Raises:
            DataError: the title is in use.
        """
        try:
            self.database.run(
                lambda session: session.execute(
                    update(tables.RoleCard).where(col(tables.RoleCard.card_id) == card_id).values(title=title, edited_by=edited_by)
                )
            )
        except IntegrityError as error:
            raise self._clash(None, error, {"title": title}) from error


FILLED = msg("Somebody else spoke at turn {n} of session {id} meanwhile, so what was said there at the same time was not saved. Open the session again.")


class Turns(Records[tables.Turn]):
    """Turns: a place in a session is filled once."""

    def _clash(self, row: tables.Turn | None, error: IntegrityError, fields: dict[str, Any] | None = None) -> DataError:
        if row is not None and "UNIQUE" in str(error.orig):
            return DataError(FILLED, n=row.position, id=row.session_id)
        return super()._clash(row, error, fields)


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
        """How many sessions each role card has, its versions together; without those that were withdrawn."""
        card = col(tables.RoleCard.card_id)
        query = select(card, func.count()).join(tables.Session, tables.Session.role_id == tables.RoleCard.id)  # type: ignore[arg-type]
        query = query.where(tables.Session.withdrawn == "").group_by(card)
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
                one.id, one.title, one.origin, one.language, one.state, one.topic, one.engine, one.created,
                one.client_code, one.counselor_code, tables.RoleCard.title.label("role"),  # type: ignore[attr-defined]
                tables.Agent.name.label("counselor"), *per_session,  # type: ignore[attr-defined]
            )
            .outerjoin(tables.RoleCard, tables.RoleCard.id == one.role_id)
            .outerjoin(tables.Agent, tables.Agent.id == one.counselor_agent_id)
            .where(one.withdrawn == "")
            .order_by(col(one.id).desc())
        )  # fmt: skip
        return self.database.run(lambda session: [dict(row._mapping) for row in session.exec(query)])

    def newest(self, *columns: str, most: int, like: str = "") -> list[Any]:
        """These columns of the newest sessions, newest first.

        Args:
            most: how many at most.
            like: only those whose number, or title while they are not withdrawn, has this in it.
        """
        one = tables.Session
        query = select(*(getattr(one, name) for name in columns)).order_by(col(one.id).desc()).limit(most)
        if like:
            titled = and_(col(one.withdrawn) == "", col(one.title).icontains(like, autoescape=True))
            query = query.where(or_(cast(one.id, String).contains(like, autoescape=True), titled))
        return self.database.run(lambda session: list(session.exec(query).all()))

    def count_withdrawn(self) -> int:
        """Sessions that nobody reads any more."""
        query = select(func.count()).where(tables.Session.withdrawn != "")
        return int(self.database.run(lambda session: session.exec(query).one()))

    def spoken_by(self, person_ids: Iterable[int]) -> list[int]:
        """Sessions in which this person said something, oldest first."""
        ids = list(person_ids)
        query = select(tables.Turn.session_id).where(col(tables.Turn.person_id).in_(ids)).distinct()
        return sorted(self.database.run(lambda session: list(session.exec(query).all())))

    def sit(self, session_id: int, seat: str, person_id: int, members: Iterable[int], **fields: Any) -> bool:
        """Seat a person where nobody else sits; false where somebody else does.

        Args:
            members: all ids of the person.
        """
        one, taken = tables.Session, col(getattr(tables.Session, f"{seat}_person_id"))
        free = or_(taken.is_(None), taken.in_(list(members)))
        change = update(one).where(col(one.id) == session_id, free).values({f"{seat}_person_id": person_id, **fields})
        return self.database.run(lambda session: bool(session.connection().execute(change).rowcount))

    def add_turn(self, turn: tables.Turn) -> tables.Turn:
        """Save one turn; a position is filled once.

        Raises:
            DataError: somebody was faster; their words stay.
        """
        return Turns(self.database, tables.Turn, "turn").add(turn)

    def set_turn(self, turn_id: int, **fields: Any) -> tables.Turn:
        return Turns(self.database, tables.Turn, "turn").update(turn_id, **fields)

    def complete_turn(self, turn_id: int, **fields: Any) -> tables.Turn:
        """Save a turn over the partial one that stands in its place.

        Raises:
            DataError: it is partial no more, since somebody was faster; their words stay. NotFound: it is gone.
        """
        one = tables.Turn
        change = update(one).where(col(one.id) == turn_id, col(one.state) == "partial").values(**fields)
        done = self.database.run(lambda session: bool(session.connection().execute(change).rowcount))
        turn = Turns(self.database, one, "turn").get(turn_id)
        if not done:
            raise DataError(FILLED, n=turn.position, id=turn.session_id)
        return turn

    def say_next(self, session_id: int, work: "Callable[[tables.Session, list[tables.Turn]], tables.Turn]") -> tables.Turn:
        """Save what is said next in a session; nobody else says something meanwhile.

        Args:
            work: the turn, from the session and its turns as they are; with the id of a partial one it takes its place.
        Raises:
            NotFound: no such session; and whatever ``work`` raises: nothing was saved.
        """

        def both(transaction: Transaction) -> tables.Turn | None:
            session = transaction.get(tables.Session, session_id)
            if session is None:
                return None
            turns = select(tables.Turn).filter_by(session_id=session_id).order_by(col(tables.Turn.position))
            return transaction.merge(work(session, list(transaction.exec(turns).all())))

        said = self.database.run(both, alone=True)
        if said is None:
            self.get(session_id)  # raises
            raise AssertionError
        return said

    def add_with_turns(
        self, session: tables.Session, turns: list[tables.Turn], unit_id: int | None = None, calls: Iterable[int] = ()
    ) -> tables.Session:
        """A session and all its turns in one transaction, in which the unit that makes it, if one does, names it.

        Args:
            calls: those it was made from, which go where it goes.
        """

        def named(transaction: Transaction, id: int) -> None:
            if unit_id is not None:
                transaction.connection().execute(text(NAME_SESSION), {"session": id, "unit": unit_id})
            writing.link_made(plain(transaction), "session", id, calls)

        return self.add_whole(session, {"session_id": turns}, named)


class Raters(Records[tables.Rater]):
    def ensure(self, kind: str, name: str, agent_hash: str = "") -> tables.Rater:
        """The rater of this kind, name and make, made when it is new: an agent of another make is another rater."""
        found = self.find(kind=kind, name=name, agent_hash=agent_hash)
        return found or self.add(tables.Rater(kind=kind, name=name, agent_hash=agent_hash))

    def rated(self, person_ids: Iterable[int], session_id: int) -> bool:
        """Whether one of these rows of a person gave this session a rating."""
        rating: Any = tables.Rating
        query = (
            select(rating.id).join(tables.Rater, tables.Rater.id == rating.rater_id)
            .where(rating.session_id == session_id, col(tables.Rater.person_id).in_(list(person_ids))).limit(1)
        )  # fmt: skip
        return self.database.run(lambda session: session.exec(query).first()) is not None


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

    def loose(self, resting: float = RESTING) -> list[int]:
        """Calls that no record was made from, no study made and no draft holds: those of drafts nobody saved.

        Args:
            resting: seconds since the call; what an answer of just now becomes may not be kept yet.
        """
        until = (datetime.now(UTC) - timedelta(seconds=resting)).isoformat(timespec="milliseconds")
        sql = (
            "SELECT id FROM call c WHERE study_id IS NULL AND raw <> '' AND NOT EXISTS "
            "(SELECT 1 FROM call_record r WHERE r.call_id = c.id) AND id NOT IN "
            "(SELECT held.value FROM draft d, json_each(d.content, '$.calls') held) AND created <= :until"
        )
        return self.database.run(lambda session: [row[0] for row in session.connection().execute(text(sql), {"until": until})])

    def drop(self, ids: Iterable[int]) -> None:
        """Delete calls that no record was made from, with the texts only they carry."""
        wanted = list(ids)

        def work(connection: sqlite3.Connection) -> None:
            deletion.delete_calls(connection, wanted)
            writing.keep_setting(connection, reclaiming.UNFINISHED, True)

        self.database.write(work)

    def about(self, ids: Iterable[int]) -> dict[int, list[tuple[str, int]]]:
        """The records (kind, id) these calls' texts come from, by call."""
        return {call: list(records) for call, records in self.carried(ids).items()}

    def carried(self, ids: Iterable[int]) -> dict[int, dict[tuple[str, int], str]]:
        """The same with the hash of the words each carried, empty where it is not known."""
        link = tables.CallRecord
        query = select(link).where(col(link.call_id).in_(list(ids))).order_by(col(link.call_id), col(link.kind), col(link.record_id))
        found: dict[int, dict[tuple[str, int], str]] = {}
        for row in self.database.run(lambda session: list(session.exec(query).all())):
            found.setdefault(row.call_id, {})[row.kind, row.record_id] = row.hash
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
