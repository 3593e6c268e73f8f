"""A study as a folder of files: tables anyone can open, the words that were used, and how it was done. No keys.

The folder is its owner's alone. ``importing`` reads it again.
"""

import csv
import io
import json
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any

from core import instruments
from core.cells import cell
from core.errors import DataError, PromptError
from core.private_files import private_file, private_folder
from core.studies import service
from core.studies.archive import packed
from core.studies.exported import FORMAT, MANIFEST, VERSION
from core.studies.exported_rows import OURS
from core.studies.outgoing import SESSIONS, Outgoing, without_codes
from core.studies.translating import AGENTS
from storage import tables, units
from storage.store import Store

PROMPTS = Path(__file__).parents[2] / "prompts"
NAME = re.compile(r"[\w-]+(?:/[\w-]+)*", re.ASCII)
Row = dict[str, Any]


def export_study(store: Store, study_id: int, out: Path, with_unconfirmed: bool = False) -> Path:
    """Write the study to a folder and return it: what may leave of it, and how much does not, by kind and reason.

    Args:
        with_unconfirmed: also text that nobody confirmed; a researcher asked for it by name, and the manifest says so.
    Raises:
        NotFound: no such study. DataError: the folder cannot be written.
    """
    study = store.studies.get(study_id)
    going = Outgoing(store, with_unconfirmed)
    try:
        folder = Folder(private_folder(out))
        judged, calls = judged_and_calls(store, study_id, going)
        for table, rows in judged.items():
            folder.table(f"{table}s", rows)
        work = [going.unit(row) for row in units_of(store, study_id)]
        folder.table("units", work)
        whole, bare = sessions_of(store, study_id, judged, going)
        sessions = session_table(store, [*whole, *bare])
        folder.table("sessions", sessions)
        turns = turn_table(store, [row.id or 0 for row in whole], calls)
        folder.table("turns", turns)
        folder.lines("calls.jsonl", whole_calls(store, calls))
        write_around(store, folder, going, judged, work, sessions, turns, calls)
        codes = codes_of(rows_of(store, tables.Session, units.session_ids(store, study_id))) - codes_of(whole)
        folder.lines("study.json", [study_row(study, going, codes)])
        words_used(store, folder, calls, {r["instrument"] for rows in judged.values() for r in rows})
        how = method(store, study_id, judged) | going.told()
        folder.write("method.json", json.dumps(how, ensure_ascii=False, indent=2).encode())
        folder.manifest(store.identity(), records_in(store, study_id, calls, sessions, work), with_unconfirmed)
    except OSError as error:
        raise DataError(
            "The folder {name} cannot be written: {why}. Choose another; the study is unchanged.", name=str(out), why=str(error)
        ) from error
    return out


def export_archive(store: Store, study_id: int, with_unconfirmed: bool = False) -> bytes:
    """The exported folder as a zip, for a browser to save."""
    with tempfile.TemporaryDirectory() as folder:
        return packed(export_study(store, study_id, Path(folder) / f"study-{study_id}", with_unconfirmed))


# ---- what goes -----------------------------------------------------------------------------------------------------


def judged_and_calls(store: Store, study_id: int, going: Outgoing) -> tuple[dict[str, list[Row]], list[int]]:
    """The study's ratings and comparisons as they go out, and the calls that may."""
    sources = sorted(set(units.source_units(store, study_id)))
    found = {table: judgments(store, table, study_id, sources) for table in ("rating", "comparison")}
    used = calls_of(store, study_id, found.values())
    calls = going.calls(about_calls(store, used))
    return {table: going.judged(table, rows, calls) for table, rows in found.items()}, sorted(calls)


def about_calls(store: Store, calls: Sequence[int]) -> dict[int, set[tuple[str, int]]]:
    """The records whose words each call carried or made: by its links, and those of its unit."""
    found: dict[int, set[tuple[str, int]]] = {id: set() for id in calls}
    for some in units.chunks(calls):
        for id, records in store.calls.about(some).items():
            found[id] |= set(records)
        sql = f"SELECT c.id, u.role_id, u.note_id, u.session_id FROM call c JOIN unit u ON u.id = c.unit_id WHERE c.id IN ({units.numbers(some)})"
        for id, *made in units.query(store, sql):
            found[id] |= {(kind, record) for kind, record in zip(("role", "note", "session"), made, strict=True) if record}
    return found


def units_of(store: Store, study_id: int) -> list[Row]:
    found = units.query(store, "SELECT * FROM unit WHERE study_id = :study ORDER BY position", study=study_id)
    return plain(found, tables.Unit)


def sessions_of(
    store: Store, study_id: int, judged: Mapping[str, Sequence[Row]], going: Outgoing
) -> tuple[list[tables.Session], list[tables.Session]]:
    """The study's sessions: those that go whole, and those of which figures go."""
    figures_of = {row[name] for table, rows in judged.items() for row in rows for name in SESSIONS[table]}
    ids = list(dict.fromkeys([*units.session_ids(store, study_id), *sorted(figures_of)]))
    return going.sessions(rows_of(store, tables.Session, ids), figures_of)


def session_table(store: Store, sessions: Sequence[tables.Session]) -> list[Row]:
    """Sessions as they go out; a person by the code that is shown for them."""
    names = store.persons.names()
    return [
        leaving(row) | {f"{seat}_person": names.get(getattr(row, f"{seat}_person_id") or 0, "") for seat in ("client", "counselor")}
        for row in sessions
    ]  # fmt: skip


def turn_table(store: Store, sessions: Sequence[int], calls: Sequence[int]) -> list[Row]:
    """Turns as they go out; what was never said to its end was read by nobody, and stays."""
    names, kept = store.persons.names(), set(calls)
    turns = [turn for id in sessions for turn in store.sessions.turns(id) if turn.state != "partial"]
    return [
        leaving(turn) | {"person": names.get(turn.person_id or 0, ""), "call_id": turn.call_id if turn.call_id in kept else None}
        for turn in turns
    ]  # fmt: skip


def leaving(row: Any) -> Row:
    """A record's columns without what means something in this store only."""
    return {name: value for name, value in row.model_dump().items() if name not in OURS}


def codes_of(sessions: Iterable[tables.Session]) -> set[str]:
    return {code for row in sessions for code in (row.client_code, row.counselor_code)} - {""}


def study_row(study: tables.Study, going: Outgoing, codes: set[str]) -> Row:
    """The study without the codes of sessions that stay; its last trouble may quote one of them."""
    row = without_codes(leaving(study), codes)
    return row | ({"reason": ""} if going.left or going.bare else {})


def records_in(
    store: Store, study: int, calls: Sequence[int], sessions: Sequence[Row], work: Sequence[Row]
) -> dict[str, set[int]]:
    """Every record whose words the export holds, by kind: of its tables, and those its calls carried."""
    results = [unit["result"] for unit in work]
    found = {
        "study": {study}, "session": {row["id"] for row in sessions},
        "role": named(sessions, "role_id") | named(results, "role"),
        "report": named(sessions, "report_id") | named(work, "report_id"), "note": named(results, "note"),
    }  # fmt: skip
    for some in units.chunks(calls):
        for about in store.calls.about(some).values():
            for kind, id in about:
                found[kind].add(id)
    return found


class Folder:
    """The folder being written: each file closed to others, and its hash kept for the manifest."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.hashes: dict[str, str] = {}

    def write(self, name: str, data: bytes) -> None:
        self.blocks(name, [data])

    def blocks(self, name: str, blocks: Iterable[bytes]) -> None:
        target, hash = self.path / name, sha256()
        for part in reversed(Path(name).parents):
            private_folder(self.path / part)
        with private_file(target) as file:
            for block in blocks:
                hash.update(block)
                file.write(block)
        self.hashes[name] = hash.hexdigest()

    def lines(self, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
        self.blocks(name, (line(row) for row in rows))

    def table(self, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """The rows as CSV with guarded cells, and unguarded as JSON lines."""
        self.lines(f"{name}.jsonl", rows)
        self.blocks(f"{name}.csv", csv_lines(rows))

    def manifest(self, store: str, records: Mapping[str, Iterable[int]], with_unconfirmed: bool) -> None:
        """What the folder holds, with each file's sha256, so that a copy can be checked before it is read.

        ``store`` and ``records`` (ids by kind) say whose words are in it, so that it goes when one of them is deleted.
        """
        whose = {kind: sorted(ids) for kind, ids in records.items()}
        told = {
            "format": FORMAT, "version": VERSION, "store": store, "with_unconfirmed": with_unconfirmed, "records": whose,
            "files": dict(sorted(self.hashes.items())),
        }  # fmt: skip
        self.write(MANIFEST, json.dumps(told, indent=1).encode())


def line(row: Mapping[str, Any]) -> bytes:
    return (json.dumps(row, ensure_ascii=False, default=str) + "\n").encode()


def csv_lines(rows: Sequence[Mapping[str, Any]]) -> Iterator[bytes]:
    """The table as CSV with guarded cells and a byte order mark."""
    yield b"\xef\xbb\xbf"
    heads = [list(rows[0])] if rows else []
    for values in chain(heads, (list(row.values()) for row in rows)):
        text = io.StringIO(newline="")
        csv.writer(text).writerow([cell(value) for value in values])
        yield text.getvalue().encode()


def write_around(
    store: Store, folder: Folder, going: Outgoing, judged: Mapping[str, Sequence[Row]], work: Sequence[Row], sessions: Sequence[Row],
    turns: Sequence[Row], calls: Sequence[int],
) -> None:  # fmt: skip
    """Role versions, agents, raters, reports and notes that sessions, judgments and units name, as far as they may leave."""
    results, payloads = [unit["result"] for unit in work], [unit["payload"] for unit in work]
    roles = named(sessions, "role_id") | named(judged["comparison"], "role_id") | named(results, "role")
    agents = named(sessions, "client_agent_id", "counselor_agent_id") | named(turns, "agent_id") | named(payloads, *AGENTS)
    reports = going.records("report", rows_of(store, tables.Report, sorted(named(sessions, "report_id") | named(results, "report"))))
    there = {report.id for report in reports}
    notes = [note for note in rows_of(store, tables.Note, sorted(named(results, "note"))) if note.report_id in there]
    raters = {row["rater_id"] for rows in judged.values() for row in rows}
    for name, rows in (
        ("roles", going.records("role", rows_of(store, tables.RoleCard, sorted(roles)))),
        ("agents", rows_of(store, tables.Agent, sorted(agents))), ("raters", rows_of(store, tables.Rater, sorted(raters))),
        ("reports", reports), ("notes", going.records("note", notes)),
    ):  # fmt: skip
        folder.table(name, [called(leaving(row), set(calls)) for row in rows])


def called(row: Row, calls: set[int]) -> Row:
    """The row without a call that does not go."""
    return row | {"call_id": None} if row.get("call_id") and row["call_id"] not in calls else row


def named(rows: Iterable[Mapping[str, Any]], *fields: str) -> set[int]:
    """Ids in these fields; a unit of the study in the place of an id names no record yet."""
    return {id for row in rows for name in fields if isinstance(id := row.get(name), int)}


def rows_of(store: Store, table: Any, ids: Sequence[int]) -> list[Any]:
    """These records in the order of their ids, those that are gone left out."""
    found = [row for some in units.chunks(ids) for row in units.rows_of(store, table, some)]
    return sorted(found, key=lambda row: row.id)


def whole_calls(store: Store, ids: Sequence[int]) -> Iterator[Row]:
    """Calls with their texts, and the records these come from."""
    for some in units.chunks(ids):
        about = store.calls.carried(some)
        for id in some:
            records = [{"kind": kind, "id": record, "hash": hash} for (kind, record), hash in about.get(id, {}).items()]
            yield store.calls.whole(id) | {"records": records}


def judgments(store: Store, table: str, study_id: int, sources: Sequence[int]) -> list[dict[str, Any]]:
    """A study's own rows, and those of other studies that it reused; the rater by name and kind."""
    model: Any = tables.Rating if table == "rating" else tables.Comparison
    found = plain(units.query(store, f"SELECT * FROM {table} WHERE study_id = :study ORDER BY id", study=study_id), model)
    for some in units.chunks(sources):
        found += plain(units.query(store, f"SELECT * FROM {table} WHERE unit_id IN ({units.numbers(some)}) ORDER BY id"), model)
    raters = {rater.id: rater for rater in store.raters.all()}
    rows = {row["id"]: row | {"rater": raters[row["rater_id"]].name, "rater_kind": raters[row["rater_id"]].kind} for row in found}
    return list(rows.values())


def plain(rows: Iterable[Any], model: Any) -> list[dict[str, Any]]:
    """Rows of plain SQL as dicts, with their JSON columns read."""
    as_json = {c.name for c in model.__table__.columns if type(c.type).__name__ == "JSON"}
    return [
        {name: json.loads(value) if name in as_json and isinstance(value, str) else value for name, value in row._mapping.items()}
        for row in rows
    ]


def calls_of(store: Store, study_id: int, judged: Iterable[Sequence[Mapping[str, Any]]]) -> list[int]:
    """The study's calls, and those behind reused judgments."""
    own = {row[0] for row in units.query(store, "SELECT id FROM call WHERE study_id = :study", study=study_id)}
    return sorted(own | {row["call_id"] for rows in judged for row in rows if row["call_id"]})


def words_used(store: Store, folder: Folder, calls: Sequence[int], used: Iterable[str]) -> None:
    """The prompt files the calls name, and all files of the instruments, as they are now; each call holds its words as sent."""
    prompts = {r[0] for some in units.chunks(calls) for r in units.query(store, f"SELECT DISTINCT prompt FROM call WHERE id IN ({units.numbers(some)})")}
    patterns = [f"{id}.*.md" for id in prompts if NAME.fullmatch(id)]
    files = {file for pattern in patterns for file in PROMPTS.glob(pattern)}
    files |= {file for id in used if NAME.fullmatch(id) for file in instruments.files_of(id)}  # a name from elsewhere may be no name
    for file in sorted(files):
        folder.write(f"prompts/{file.relative_to(PROMPTS).as_posix()}", file.read_bytes())


def method(store: Store, study_id: int, judged: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, Any]:
    """How the study was done, in counts: planned, sent, answered, repaired, unreadable, tied; superseded readings apart."""
    status = service.status(store, study_id)
    counted = {table: [row for row in rows if row["superseded_by"] is None] for table, rows in judged.items()}
    return {
        "study": status["name"], "state": status["state"], "engine": status["engine"],
        "planned": status["units"]["planned"], "sent": status["requests"], "answered": status["calls"],
        "repaired": status["repaired"], "unreadable": status["units"]["unscored"], "skipped": status["units"]["failed"] + status["units"]["refused"],
        "reused": status["units"]["reused"], "asked_twice": status["asked_twice"],
        "tied": sum(row["verdict"] == "tie" for row in counted["comparison"]),
        "ratings": len(counted["rating"]), "comparisons": len(counted["comparison"]),
        "superseded": sum(len(rows) - len(counted[table]) for table, rows in judged.items()),
        "instruments": versions_used(judged), "tokens": status["tokens"], "cost": status["cost"], "notes": status["notes"],
    }  # fmt: skip


def versions_used(judged: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, dict[str, Any]]:
    """For each instrument the versions its rows were asked with, and the version of the file that lies beside them."""
    rows = [row for rows in judged.values() for row in rows]
    found: dict[str, dict[str, Any]] = {}
    for id in sorted({row["instrument"] for row in rows}):
        versions = sorted({row["instrument_version"] for row in rows if row["instrument"] == id})
        try:
            here: int | None = instruments.load(id).version
        except PromptError:
            here = None
        found[id] = {"versions": versions, "file": here}
    return found
