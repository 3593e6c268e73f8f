"""A study as a folder of files: tables anyone can open, the words that were used, and how it was done. No keys."""

import csv
import io
import json
import tempfile
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from core.errors import DataError
from core.studies import service
from storage import tables, units
from storage.store import Store

FORMAT, VERSION, MANIFEST = "rapport study", 1, "manifest.json"
GUARDED = ("=", "+", "-", "@", "\t", "\r")
PROMPTS = Path(__file__).parents[2] / "prompts"


def export_study(store: Store, study_id: int, out: Path) -> Path:
    """Write the study to a folder and return it.

    Raises:
        NotFound: no such study. DataError: the folder cannot be written.
    """
    study = store.studies.get(study_id)
    sources = sorted(set(units.source_units(store, study_id)))
    try:
        out.mkdir(parents=True, exist_ok=True)
        judged = {table: judgments(store, table, study_id, sources) for table in ("rating", "comparison")}
        for table, rows in judged.items():
            write_table(out / f"{table}s", rows)
        units_rows = plain(units.query(store, "SELECT * FROM unit WHERE study_id = :study ORDER BY position", study=study_id), tables.Unit)
        write_table(out / "units", units_rows)
        ids = units.session_ids(store, study_id)
        write_table(out / "sessions", [row.model_dump() for some in units.chunks(ids) for row in units.rows_of(store, tables.Session, some)])
        write_table(out / "turns", [turn.model_dump() for id in ids for turn in store.sessions.turns(id)])
        used = calls_of(store, study_id, judged.values())
        (out / "calls.jsonl").write_text("".join(line(store.calls.whole(id)) for id in used), "utf-8")
        (out / "study.json").write_text(line(study.model_dump()), "utf-8")
        left_out = write_around(store, out, ids, judged)
        words_used(store, used, {r["instrument"] for rows in judged.values() for r in rows}, out)
        (out / "method.json").write_text(json.dumps(method(store, study_id, judged) | {"reports_left_out": left_out}, ensure_ascii=False, indent=2), "utf-8")
        write_manifest(out)
    except OSError as error:
        raise DataError(
            "The folder {name} cannot be written: {why}. Choose another; the study is unchanged.", name=str(out), why=str(error)
        ) from error
    return out


def export_archive(store: Store, study_id: int) -> bytes:
    """The exported folder as a zip, for a browser to save."""
    packed = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder:
        out = export_study(store, study_id, Path(folder) / f"study-{study_id}")
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(out.rglob("*")):
                archive.write(path, path.relative_to(out.parent))
    return packed.getvalue()


def write_around(store: Store, out: Path, sessions: Sequence[int], judged: Mapping[str, Sequence[Mapping[str, Any]]]) -> int:
    """Roles, agents, raters and reports the sessions and judgments belong to; returns how many reports were left out.

    A report whose masking nobody confirmed stays in the store it is in.
    """
    held = [row for some in units.chunks(sessions) for row in units.rows_of(store, tables.Session, some)]
    roles = {row.role_id for row in held} - {None}
    agents = {id for row in held for id in (row.client_agent_id, row.counselor_agent_id)} - {None}
    raters = {row["rater_id"] for rows in judged.values() for row in rows}
    reports = [store.reports.get(id) for id in sorted({row.report_id for row in held if row.report_id})]
    confirmed = [report for report in reports if report.masking == "confirmed"]
    write_table(out / "roles", [store.roles.get(id).model_dump() for id in sorted(id for id in roles if id)])
    write_table(out / "agents", [store.agents.get(id).model_dump() for id in sorted(id for id in agents if id)])
    write_table(out / "raters", [store.raters.get(id).model_dump() for id in sorted(raters)])
    write_table(out / "reports", [report.model_dump() for report in confirmed])
    return len(reports) - len(confirmed)


def write_manifest(out: Path) -> None:
    """What the folder holds, with each file's sha256, so that a copy can be checked before it is read."""
    files = sorted(path for path in out.rglob("*") if path.is_file() and path.name != MANIFEST)
    hashes = {path.relative_to(out).as_posix(): sha256(path.read_bytes()).hexdigest() for path in files}
    (out / MANIFEST).write_text(json.dumps({"format": FORMAT, "version": VERSION, "files": hashes}, indent=1), "utf-8")


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


def write_table(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """The rows as CSV with guarded cells, and unguarded as JSON lines."""
    path.with_suffix(".jsonl").write_text("".join(line(row) for row in rows), "utf-8")
    with path.with_suffix(".csv").open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        if rows:
            writer.writerow(rows[0].keys())
            writer.writerows([cell(value) for value in row.values()] for row in rows)


def cell(value: Any) -> Any:
    """A value as a spreadsheet may safely open it."""
    if isinstance(value, dict | list):
        value = json.dumps(value, ensure_ascii=False)
    return f"'{value}" if isinstance(value, str) and value.startswith(GUARDED) else value


def line(row: Mapping[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False, default=str) + "\n"


def words_used(store: Store, calls: Sequence[int], instruments: Iterable[str], out: Path) -> None:
    """The prompt files the calls name, and the instruments, as they are now; each call holds its words as sent."""
    prompts = {r[0] for some in units.chunks(calls) for r in units.query(store, f"SELECT DISTINCT prompt FROM call WHERE id IN ({units.numbers(some)})")}
    files = [file for id in prompts for file in PROMPTS.glob(f"{id}.*.md")]
    files += [file for id in instruments for file in (PROMPTS / "instruments").glob(f"{id}.*")]
    for file in files:
        target = out / "prompts" / file.relative_to(PROMPTS)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.read_bytes())


def method(store: Store, study_id: int, judged: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, Any]:
    """How the study was done, in counts: planned, sent, answered, repaired, unreadable, tied; superseded readings apart."""
    status = service.status(store, study_id)
    counted = {table: [row for row in rows if row["superseded_by"] is None] for table, rows in judged.items()}
    return {
        "study": status["name"], "state": status["state"], "engine": status["engine"],
        "planned": status["units"]["planned"], "sent": status["requests"], "answered": status["calls"],
        "repaired": status["repaired"], "unreadable": status["units"]["unscored"], "skipped": status["units"]["failed"],
        "reused": status["units"]["reused"], "asked_twice": status["asked_twice"],
        "tied": sum(row["verdict"] == "tie" for row in counted["comparison"]),
        "ratings": len(counted["rating"]), "comparisons": len(counted["comparison"]),
        "superseded": sum(len(rows) - len(counted[table]) for table, rows in judged.items()),
        "tokens": status["tokens"], "cost": status["cost"], "notes": status["notes"],
    }  # fmt: skip
