"""A study from a folder that ``export`` wrote, on this machine or another: checked, then saved whole or not at all.

It is read-only here (``study.origin``): its texts were not read here, and its units were not asked here.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.errors import DataError, msg
from core.people import agreements
from core.results.voices import PEOPLE
from core.studies import translating
from core.studies.archive import unpacked
from core.studies.exported import Exported, Row, read_export, unfit
from core.studies.former import calls_about, speakers
from core.studies.translating import Ids
from storage import tables
from storage.bringing import free_name, point, same, set_json, tell_how_asked
from storage.ledger import insert
from storage.store import Store
from storage.writing import ANY_EDITION, About, pack_call, save_call

REPORT = ("title", "type", "method", "case_brief", "consultation_process", "experience_thoughts", "language")
NOTE = ("client_basics", "problems", "goals", "techniques", "steps", "reflections")
UNREAD = {"elsewhere": True}


def import_study(store: Store, folder: Path) -> tables.Study:
    """Bring an exported study in; the same study brought in twice is found again.

    Texts keep to this machine until somebody confirms them here; answers brought along are never reused for a
    study of this store, since nobody here saw them given. What was exported from this very store is here already, as
    people agreed to it since: it is found again where the study is still here, and else not brought in.

    Raises:
        DataError: the folder is not an export, was changed, holds what does not fit, or what was said here; nothing was
            saved.
    """
    found, here = read_export(folder), store.identity()
    try:
        study = store.database.write(lambda connection: bring(connection, found, here))
    except sqlite3.IntegrityError as error:
        raise DataError(
            "The export {name} does not fit together: {why}. Export the study again; nothing was saved.",
            name=str(folder), why=str(error),
        ) from error  # fmt: skip
    agreements.settle(store)
    return store.studies.get(study)


def import_archive(store: Store, data: bytes) -> tables.Study:
    """``import_study`` from a zip of the folder; only files an export has are taken out of it.

    Raises:
        DataError: as ``import_study``, or it is no zip, or unpacks to more than an export can hold.
    """
    with unpacked(data) as folder:
        return import_study(store, folder)


@dataclass
class Bringing:
    """One study on its way in: where it comes from, what is written to, and what its ids are called here."""

    connection: sqlite3.Connection
    found: Exported
    study: int = 0
    ids: Ids = field(default_factory=Ids)
    renamed: dict[str, str] = field(default_factory=dict)  # agents whose name was taken
    new_notes: set[int] = field(default_factory=set)
    untold: set[str] = field(default_factory=set)  # tables whose rows do not say how they were asked

    def rows(self, name: str) -> Iterator[Row]:
        return self.found.rows(name)

    def add(self, name: str, table: Any, row: Mapping[str, Any], /, **changed: Any) -> int:
        """Save the row under a new id, with some columns changed."""
        new = insert(self.connection, table, {**row, **changed})
        self.ids.of[name][row["id"]] = new
        return new

    def need(self, table: str, id: int | None, file: str, row: Row) -> int:
        """Raises DataError: the export does not hold what this row belongs to."""
        here = self.ids.get(table, id)
        if here is None:
            raise unfit(file, row["id"], msg("it belongs to a record that is not in the export"))
        return here


def bring(connection: sqlite3.Connection, found: Exported, here: str) -> int:
    """Everything in one transaction, under new ids; returns the study's.

    Args:
        here: the identity of this store.
    """
    told = found.study
    if known := same(connection, tables.Study, {name: told.get(name, "") for name in ("name", "created")}):
        return known[0]
    if found.store == here and (known := same(connection, tables.Study, {name: told[name] for name in ("id", "created") if name in told})):
        return known[0]
    if found.store == here or said_here(connection, found):
        raise DataError(
            "The study “{name}” was exported from this workbench, and what it holds is here, as people agreed to since. It is "
            "not brought in a second time; nothing was saved.",
            name=str(told.get("name", "")),
        )  # fmt: skip
    on = Bringing(connection, found)
    state = "finished" if told.get("state") == "finished" else "stopped"
    on.study = insert(connection, tables.Study, told | {"origin": "elsewhere", "state": state, "budget": None, "design": {}, "samples": {}})
    save_agents(on)
    save_raters(on)
    save_reports(on)
    save_roles(on)
    save_sessions(on)
    save_units(on)
    save_calls(on)
    save_turns(on)
    save_ratings(on)
    save_comparisons(on)
    for table in sorted(on.untold):
        tell_how_asked(connection, table, on.study)
    design = told.get("design", {})
    set_json(connection, tables.Study, on.study, {
        "design": translating.design(design, on.ids, on.renamed), "samples": translating.samples(told.get("samples", {}), design, on.ids),
    })  # fmt: skip
    return on.study


def said_here(connection: sqlite3.Connection, found: Exported) -> bool:
    """Whether one of its live sessions was held in this store, whatever way the export took since."""
    began = {row["created"] for row in found.rows("sessions") if row["origin"] == "live" and row.get("created")}
    return any(same(connection, tables.Session, {"origin": "live", "created": at, "elsewhere": False}) for at in began)


def save_agents(on: Bringing) -> None:
    """The same agent if it is here; else one of its own without an endpoint, so that it asks nobody."""
    for agent in on.rows("agents"):
        known = same(on.connection, tables.Agent, {name: agent[name] for name in ("name", "hash")})
        if known:
            on.ids.of["agents"][agent["id"]] = known[0]
            continue
        name = free_name(on.connection, tables.Agent, "name", agent["name"])
        on.add("agents", tables.Agent, agent, name=name, endpoint_id=None)
        if name != agent["name"]:
            on.renamed[agent["name"]] = name


def save_raters(on: Bringing) -> None:
    """The same rater if it is here; one of another make under this name is another rater, and keeps the name.

    A person of elsewhere is nobody here, whatever they are called: a rater of their own, as a person without a secret.
    """
    for rater in on.rows("raters"):
        make = {"kind": rater["kind"], "agent_hash": "" if rater["kind"] in PEOPLE else rater.get("agent_hash", "")}
        person = rater["kind"] == "person"
        if not person and (known := same(on.connection, tables.Rater, make | {"name": rater["name"]})):
            on.ids.of["raters"][rater["id"]] = known[0]
            continue
        name = free_name(on.connection, tables.Rater, "name", rater["name"], **make)
        who = insert(on.connection, tables.Person, {"code": rater["name"], "origin": "imported"}) if person else None
        on.add("raters", tables.Rater, rater, **make, name=name, person_id=who)


def save_reports(on: Bringing) -> None:
    """A report is the one here only if it and the notes made from it are the same to the letter; else it is another.

    So no note from elsewhere becomes the newest of a report of this store.
    """
    notes: dict[int, list[Row]] = defaultdict(list)
    for note in on.rows("notes"):
        notes[note["report_id"]].append(note)
    for report in on.rows("reports"):
        mine = notes.pop(report["id"], [])
        if not found_again(on, report, mine):
            hash = free_name(on.connection, tables.Report, "content_hash", report["content_hash"])
            here = on.add("reports", tables.Report, report, content_hash=hash, **UNREAD)
            for note in mine:
                on.new_notes.add(on.add("notes", tables.Note, note, report_id=here, call_id=None, **UNREAD))
    for left in notes.values():
        raise unfit("notes.jsonl", left[0]["id"], msg("it belongs to a record that is not in the export"))


def found_again(on: Bringing, report: Row, notes: list[Row]) -> bool:
    """Whether a report here has these words and these notes; if so, they are what the export's are called."""
    for here in same(on.connection, tables.Report, words(report, REPORT)):
        matches = [same(on.connection, tables.Note, words(note, NOTE) | {"report_id": here}) for note in notes]
        if all(matches):
            on.ids.of["reports"][report["id"]] = here
            on.ids.of["notes"] |= {note["id"]: match[0] for note, match in zip(notes, matches, strict=True)}
            return True
    return False


def words(row: Row, columns: tuple[str, ...]) -> Row:
    return {name: row.get(name, [] if name in ("goals", "techniques", "steps") else "") for name in columns}


def save_roles(on: Bringing) -> None:
    """Versions of role cards; those of one card stay versions of one card."""
    cards: dict[int, tuple[int, str]] = {}  # what a card of the export is called here: id and title
    for role in sorted(on.rows("roles"), key=lambda role: (role.get("version", 1), role["id"])):
        card = role.get("card_id") or role["id"]
        if known := same(on.connection, tables.RoleCard, {name: role.get(name, "") for name in ("title", "text", "created")} | {"profile": role.get("profile", {})}):
            on.ids.of["roles"][role["id"]] = known[0]
            on.ids.of["cards"].setdefault(card, card_of(on, known[0]))
            continue
        here, title = cards.get(card) or (None, free_name(on.connection, tables.RoleCard, "title", role["title"]))
        new = on.add("roles", tables.RoleCard, role, title=title, card_id=here, **UNREAD)
        cards.setdefault(card, (new, title))
        on.ids.of["cards"].setdefault(card, new)
        point(on.connection, tables.RoleCard, "card_id", [(new, cards[card][0])])


def card_of(on: Bringing, role: int) -> int:
    return int(on.connection.execute("SELECT card_id FROM role_card WHERE id = ?", (role,)).fetchone()[0])


def save_sessions(on: Bringing) -> None:
    """Sessions as they ended; none goes on here."""
    parents: list[tuple[int, int | None]] = []
    for held in on.rows("sessions"):
        over = held.get("state", "ended") if held.get("state") in ("ended", "stopped") else "stopped"
        why = "stopped" if held.get("ended_by") == "ready" else held.get("ended_by", "")
        parent = held.get("parent_id")
        new = on.add(
            "sessions", tables.Session, held, role_id=on.ids.get("roles", held.get("role_id")), parent_id=None,
            report_id=on.ids.get("reports", held.get("report_id")), state=over, ended_by=why,
            client_agent_id=on.ids.get("agents", held.get("client_agent_id")),
            counselor_agent_id=on.ids.get("agents", held.get("counselor_agent_id")), **UNREAD,
        )  # fmt: skip
        parents.append((new, parent))
    point(on.connection, tables.Session, "parent_id", [(new, on.ids.get("sessions", parent)) for new, parent in parents])


def save_units(on: Bringing) -> None:
    """The units as they ended; one that used an answer of another study stands for that answer's unit."""
    for unit in on.rows("units"):
        new = on.add("units", tables.Unit, translating.unit_row(unit, on.ids), study_id=on.study)
        if source := unit.get("result", {}).get("source"):
            on.ids.of["units"].setdefault(source, new)


def save_calls(on: Bringing) -> None:
    """Calls with their texts, linked to the records these come from."""
    before = calls_about(on.found, on.ids) if on.found.version == 1 else {}
    for call in on.rows("calls"):
        named = [(one["kind"], on.ids.get(translating.RECORDS[one["kind"]], one["id"]), one.get("hash", "")) for one in call.get("records", [])]
        about = [About(kind, id, ANY_EDITION, hash) for kind, id, hash in named if id is not None]
        about = about or [About(*one, ANY_EDITION) for one in sorted(before.get(call["id"], ()))]
        fields = {name: value for name, value in call.items() if name not in ("id", "messages", "raw", "records")} | {
            "study_id": on.study if call.get("study_id") == on.found.study["id"] else None,
            "unit_id": on.ids.get("units", call.get("unit_id")), "about": about,
        }  # fmt: skip
        on.ids.of["calls"][call["id"]] = save_call(on.connection, pack_call(fields, call.get("messages", []), call.get("raw", "")))
    made = [(on.ids.get("notes", note["id"]), on.ids.get("calls", note.get("call_id"))) for note in on.rows("notes")]
    point(on.connection, tables.Note, "call_id", [(note, call) for note, call in made if note in on.new_notes])


def save_turns(on: Bringing) -> None:
    spoken = speakers(on.found) if on.found.version == 1 else None
    for turn in on.rows("turns"):
        who = spoken(turn) if spoken else {"agent_id": turn.get("agent_id")}
        on.add(
            "turns", tables.Turn, turn | who, session_id=on.need("sessions", turn["session_id"], "turns.jsonl", turn),
            call_id=on.ids.get("calls", turn.get("call_id")), agent_id=on.ids.get("agents", who["agent_id"]),
        )  # fmt: skip


def save_ratings(on: Bringing) -> None:
    newer: list[tuple[int, int | None]] = []
    for row in on.rows("ratings"):
        session = on.need("sessions", row["session_id"], "ratings.jsonl", row)
        new = on.add("ratings", tables.Rating, row, **judged(on, row, "ratings.jsonl"), session_id=session)
        if "prompt" not in row:
            on.untold.add("rating")
        newer.append((new, row.get("superseded_by")))
    point(on.connection, tables.Rating, "superseded_by", [(new, on.ids.get("ratings", by)) for new, by in newer])


def save_comparisons(on: Bringing) -> None:
    file = "comparisons.jsonl"
    newer: list[tuple[int, int | None]] = []
    for row in on.rows("comparisons"):
        pair = {name: on.need("sessions", row[name], file, row) for name in ("first_id", "second_id")}
        winner = on.ids.get("sessions", row.get("winner_id"))
        if (row["verdict"] == "won") != (winner is not None) or (winner is not None and winner not in pair.values()):
            raise unfit(file, row["id"], msg("its verdict names another session than the two"))
        role = on.ids.get("roles", row.get("role_id"))
        new = on.add("comparisons", tables.Comparison, row, **judged(on, row, file), **pair, winner_id=winner, role_id=role)
        if "prompt" not in row:
            on.untold.add("comparison")
        newer.append((new, row.get("superseded_by")))
    point(on.connection, tables.Comparison, "superseded_by", [(new, on.ids.get("comparisons", by)) for new, by in newer])


def judged(on: Bringing, row: Row, file: str) -> Row:
    return {
        "study_id": on.study, "unit_id": on.ids.get("units", row.get("unit_id")), "call_id": on.ids.get("calls", row.get("call_id")),
        "rater_id": on.need("raters", row["rater_id"], file, row), "quotes": translating.quotes(row.get("quotes", []), on.ids),
        "superseded_by": None,
    }  # fmt: skip
