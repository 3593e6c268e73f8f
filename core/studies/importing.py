"""A study from a folder that ``export`` wrote, on this machine or another: checked, then saved whole or not at all."""

import io
import json
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import ValidationError
from sqlalchemy import update
from sqlmodel import Session as Transaction
from sqlmodel import SQLModel, col, select

from core.errors import DataError
from core.llm.seam import Clearance
from core.studies.export import FORMAT, MANIFEST, VERSION
from storage import tables
from storage.store import Store
from storage.writing import pack_call, save_call

NEEDED: dict[str, type[SQLModel]] = {
    "reports": tables.Report, "roles": tables.RoleCard, "agents": tables.Agent, "raters": tables.Rater,
    "sessions": tables.Session, "turns": tables.Turn, "units": tables.Unit, "ratings": tables.Rating,
    "comparisons": tables.Comparison,
}  # fmt: skip
LARGEST = 2_000_000_000  # bytes of one file
LARGEST_UNPACKED = 500_000_000  # bytes of one file out of a zip
Row = dict[str, Any]


@dataclass
class Folder:
    """What an export holds, read and checked; nothing of it is saved yet."""

    study: tables.Study
    rows: dict[str, list[Any]]
    calls: list[Row]


@dataclass
class Ids:
    """What the ids of the export are called here."""

    of: dict[str, dict[int, int]] = field(default_factory=lambda: {name: {} for name in (*NEEDED, "calls")})

    def get(self, kind: str, id: int | None) -> int | None:
        return None if id is None else self.of[kind].get(id)


def import_study(store: Store, folder: Path) -> tables.Study:
    """Bring an exported study in; the same study brought in twice is found again.

    Texts keep to this machine until somebody confirms them here; answers brought along are never reused for a
    study of this store, since nobody here saw them given.

    Raises:
        DataError: the folder is not an export, was changed, or holds what does not fit; nothing was saved.
    """
    found = read_folder(folder)
    known = store.studies.find(name=found.study.name, created=found.study.created)
    if known is not None:
        return known
    return store.studies.get(store.database.run(lambda session: save(session, found)))


def import_archive(store: Store, data: bytes) -> tables.Study:
    """``import_study`` from a zip of the folder; only files an export has are taken out of it.

    Raises:
        DataError: as ``import_study``, or it is no zip, or unpacks to more than an export can hold.
    """
    with tempfile.TemporaryDirectory() as folder:
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                unpack(archive, Path(folder))
        except (zipfile.BadZipFile, OSError, NotImplementedError, RuntimeError) as error:
            raise DataError("This is not a zip of an exported study ({why}). Choose the file that export gave; nothing was saved.", why=str(error)) from error
        return import_study(store, Path(folder))


def unpack(archive: zipfile.ZipFile, folder: Path) -> None:
    """The files of an export by their own names, wherever in the zip they lie; nothing else is written."""
    wanted = {MANIFEST, "study.json", *(f"{name}.jsonl" for name in (*NEEDED, "calls"))}
    for entry in archive.infolist():
        name = PurePosixPath(entry.filename).name
        if name not in wanted or entry.is_dir():
            continue
        if entry.file_size > LARGEST_UNPACKED:
            raise DataError("{name} is too large to be an export. Nothing was saved.", name=name)
        (folder / name).write_bytes(archive.read(entry))


# ---- reading -------------------------------------------------------------------------------------------------------


def read_folder(folder: Path) -> Folder:
    """Everything of an export, each row checked against its table."""
    check_manifest(folder)
    rows = {name: list(checked(folder, name, table)) for name, table in NEEDED.items()}
    study = one(tables.Study, "study.json", 1, read_json(folder / "study.json"))
    return Folder(study, rows, [row for _number, row in lines(folder / "calls.jsonl")])


def check_manifest(folder: Path) -> None:
    """Whether the folder is an export, of a version known here, and as it was written."""
    manifest = read_json(folder / MANIFEST)
    if manifest.get("format") != FORMAT or not isinstance(manifest.get("files"), dict):
        raise DataError("{name} is not an exported study. Choose the folder that export wrote; nothing was saved.", name=str(folder))
    if manifest.get("version") != VERSION:
        raise DataError(
            "{name} was exported by another version of Rapport ({version}). Update Rapport, then try again; nothing was saved.",
            name=str(folder), version=str(manifest.get("version")),
        )  # fmt: skip
    for needed in (*(f"{name}.jsonl" for name in (*NEEDED, "calls")), "study.json"):
        if needed not in manifest["files"]:
            raise DataError("{name} lacks {file}. Export the study again; nothing was saved.", name=str(folder), file=needed)
        path = folder / needed  # only names of our own are opened, whatever else the manifest says
        if sha256(read_bytes(path)).hexdigest() != manifest["files"][needed]:
            raise DataError("{file} was changed after the export. Export the study again; nothing was saved.", file=needed)


def read_bytes(path: Path) -> bytes:
    try:
        if path.stat().st_size > LARGEST:
            raise DataError("{name} is too large to be an export. Nothing was saved.", name=path.name)
        return path.read_bytes()
    except OSError as error:
        raise DataError(
            "{name} cannot be read: {why}. Choose the folder that export wrote; nothing was saved.", name=str(path), why=error.strerror or str(error)
        ) from error


def read_json(path: Path) -> Row:
    try:
        found = json.loads(read_bytes(path))
    except ValueError as error:
        raise DataError("{name} is not JSON ({why}). Export the study again; nothing was saved.", name=path.name, why=str(error)) from error
    if not isinstance(found, dict):
        raise DataError("{name} is not an object with fields. Export the study again; nothing was saved.", name=path.name)
    return found


def lines(path: Path) -> Iterator[tuple[int, Row]]:
    for number, line in enumerate(read_bytes(path).decode("utf-8", "replace").splitlines(), start=1):
        try:
            row = json.loads(line)
        except ValueError as error:
            raise unfit(path.name, number, str(error)) from error
        if not isinstance(row, dict):
            raise unfit(path.name, number, "it is not an object")
        yield number, row


def checked(folder: Path, name: str, table: type[SQLModel]) -> Iterator[Any]:
    for number, row in lines(folder / f"{name}.jsonl"):
        yield one(table, f"{name}.jsonl", number, row)


def one(table: type[SQLModel], file: str, number: int, row: Mapping[str, Any]) -> Any:
    """A row of a table, its types checked; columns the table does not have are left out."""
    try:
        return table.model_validate({name: value for name, value in row.items() if name in table.model_fields})
    except ValidationError as error:
        raise unfit(file, number, "; ".join(f"{e['loc'][0]}: {e['msg']}" for e in error.errors()[:3])) from error


def unfit(file: str, number: int, why: str) -> DataError:
    return DataError("{file}, line {number} does not fit: {why}. Export the study again; nothing was saved.", file=file, number=number, why=why)


# ---- saving --------------------------------------------------------------------------------------------------------


def save(session: Transaction, found: Folder) -> int:
    """Everything in one transaction, under new ids; returns the study's."""
    ids = Ids()
    study = add(session, found.study, state="finished" if found.study.state == "finished" else "stopped", budget=None)
    for agent in found.rows["agents"]:
        ids.of["agents"][agent.id] = agent_here(session, agent)
    for rater in found.rows["raters"]:
        ids.of["raters"][rater.id] = the_same(session, rater, ("kind", "name", "agent_hash")) or add(session, rater)
    for report in found.rows["reports"]:
        ids.of["reports"][report.id] = the_same(session, report, ("content_hash",)) or add(
            session, report, masking="unconfirmed", clearance=int(Clearance.UNCONFIRMED)
        )
    save_roles(session, found, ids)
    for call in found.calls:
        ids.of["calls"][int(call.get("id") or 0)] = add_call(session, call, study)
    save_sessions(session, found, ids)
    save_units(session, found, ids, study)
    save_judgments(session, found, ids, study)
    return study


def add(session: Transaction, row: Any, **changed: Any) -> int:
    """The row as a new one, with some columns changed; its id here."""
    computed = {column.name for column in type(row).__table__.columns if column.computed is not None}
    fresh = type(row)(**(row.model_dump(exclude={"id", *computed}) | changed))
    session.add(fresh)
    session.flush()
    return int(fresh.id or 0)


def the_same(session: Transaction, row: Any, by: tuple[str, ...]) -> int | None:
    """The id here of a row that agrees in these columns."""
    table = type(row)
    query = select(table.id).filter_by(**{name: getattr(row, name) for name in by}).limit(1)
    return session.exec(query).first()


def save_roles(session: Transaction, found: Folder, ids: Ids) -> None:
    """Versions of role cards; those of one card stay versions of one card."""
    cards: dict[int, tuple[int, str]] = {}  # what a card of the export is called here: id and title
    for role in sorted(found.rows["roles"], key=lambda role: role.version):
        mark = role.card_id or role.id
        known = the_same(session, role, ("title", "text", "created"))
        if known is not None:
            ids.of["roles"][role.id] = known
            continue
        card, title = cards.get(mark) or (None, free_name(session, tables.RoleCard, "title", role.title))
        new = add(session, role, title=title, card_id=card, clearance=int(Clearance.UNCONFIRMED), review={})
        cards.setdefault(mark, (new, title))
        session.execute(update(tables.RoleCard).where(col(tables.RoleCard.id) == new).values(card_id=cards[mark][0]))
        ids.of["roles"][role.id] = new


def free_name(session: Transaction, table: Any, column: str, name: str) -> str:
    tried, number = name, 1
    while session.exec(select(table.id).filter_by(**{column: tried})).first() is not None:
        number += 1
        tried = f"{name} ({number})"
    return tried


def agent_here(session: Transaction, agent: tables.Agent) -> int:
    """The same agent if it is here; else one of its own without an endpoint, so that it asks nobody."""
    known = the_same(session, agent, ("name", "hash"))
    return known or add(session, agent, name=free_name(session, tables.Agent, "name", agent.name), endpoint_id=None)


def add_call(session: Transaction, call: Row, study: int) -> int:
    """A call with its messages and raw reply as they were."""
    messages = [{"role": str(m.get("role", "")), "content": str(m.get("content", ""))} for m in call.get("messages") or []]
    raw = str(call.get("raw") or "")
    fields = one(tables.Call, "calls.jsonl", int(call.get("id") or 0), call | {"messages": [], "raw": ""}).model_dump(
        exclude={"id", "messages", "raw", "unit_id", "study_id"}
    )
    packed = pack_call(fields | {"study_id": study, "unit_id": None}, messages, raw)
    connection: Any = session.connection().connection.dbapi_connection
    return save_call(connection, packed)


def save_sessions(session: Transaction, found: Folder, ids: Ids) -> None:
    for held in found.rows["sessions"]:
        ids.of["sessions"][held.id] = add(
            session, held, role_id=ids.get("roles", held.role_id), report_id=ids.get("reports", held.report_id),
            client_agent_id=ids.get("agents", held.client_agent_id), counselor_agent_id=ids.get("agents", held.counselor_agent_id),
            parent_id=None, clearance=int(Clearance.UNCONFIRMED), consented_to="",
        )  # fmt: skip
    for turn in found.rows["turns"]:
        place = ids.get("sessions", turn.session_id)
        if place is None:
            raise unfit("turns.jsonl", turn.id or 0, "it belongs to no session of the export")
        session.add(tables.Turn(**(turn.model_dump(exclude={"id"}) | {"session_id": place, "call_id": ids.get("calls", turn.call_id), "agent_id": ids.get("agents", turn.agent_id)})))
    session.flush()


def save_units(session: Transaction, found: Folder, ids: Ids, study: int) -> None:
    """The units as they ended, without keys: what they answered is not reused for studies of this store."""
    for unit in found.rows["units"]:
        result = {name: ids.get("sessions", value) or value if name in ("session", "first", "second") else value for name, value in unit.result.items()}
        result = {name: value for name, value in result.items() if name != "source"}
        state = "done" if unit.state == "reused" else unit.state
        ids.of["units"][unit.id] = add(session, unit, study_id=study, key="", result=result, state=state)


def save_judgments(session: Transaction, found: Folder, ids: Ids, study: int) -> None:
    made: dict[str, dict[int, int]] = {"ratings": {}, "comparisons": {}}
    for row in found.rows["ratings"]:
        made["ratings"][row.id] = add(
            session, row, **common(row, ids, study), session_id=need(ids, "sessions", row.session_id, "ratings.jsonl", row.id)
        )
    for row in found.rows["comparisons"]:
        quotes = [quote | {"session": ids.get("sessions", quote.get("session"))} for quote in row.quotes]
        made["comparisons"][row.id] = add(
            session, row, **common(row, ids, study), quotes=quotes, role_id=ids.get("roles", row.role_id),
            first_id=need(ids, "sessions", row.first_id, "comparisons.jsonl", row.id),
            second_id=need(ids, "sessions", row.second_id, "comparisons.jsonl", row.id),
            winner_id=ids.get("sessions", row.winner_id),
        )  # fmt: skip
    for name, here in made.items():
        supersede(session, found.rows[name], here)


def supersede(session: Transaction, rows: Sequence[Any], here: Mapping[int, int]) -> None:
    """Rows that a newer reading superseded stay so, by that reading's id here; where it is not in the export, they count."""
    for row in rows:
        newer = here.get(row.superseded_by or 0)
        if newer is not None:
            table = type(row)
            session.execute(update(table).where(col(table.id) == here[row.id]).values(superseded_by=newer))


def common(row: Any, ids: Ids, study: int) -> Row:
    return {
        "study_id": study, "unit_id": ids.get("units", row.unit_id), "call_id": ids.get("calls", row.call_id),
        "rater_id": need(ids, "raters", row.rater_id, "raters.jsonl", row.id), "superseded_by": None,
    }  # fmt: skip


def need(ids: Ids, kind: str, id: int | None, file: str, number: int | None) -> int:
    found = ids.get(kind, id)
    if found is None:
        raise unfit(file, number or 0, f"{kind} {id} is not in the export")
    return found
