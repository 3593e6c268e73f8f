"""Binding: when a stage may begin, its units learn what they work on, get their keys, and find answers in the store."""

import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

from core import prompting
from core.errors import DataError, StoreError, WorkbenchError, place_of
from core.instruments import Instrument
from core.instruments import load as load_instrument
from core.judging.service import turns_to_judge
from core.people.agreements import Barred, barred
from core.reports.making import chosen_note
from core.roles.as_profile import as_profile
from core.sessions import seating
from core.studies import reasons, versions
from core.studies.keys import content_key, transcript_hash
from storage import tables, units
from storage.store import Store
from storage.waiting import Answered, Waiting

PAGE = 1000
NEEDS = ("role", "session", "first", "second", "note", "report")  # payload fields that may name a unit of this study
JUDGED = ("rating", "comparison")
GONE: dict[str, Any] = {"state": "gone", "reason": reasons.reason("gone"), "key": "", "result": {}}
SHOWN = ("session", "first", "second")
KEPT_SESSIONS = 800
KEPT_RECORDS = 400
log = logging.getLogger("rapport.worker")


class Missing(Exception):
    """A unit cannot be asked, because what it needs was not made; in words."""


class Gone(Exception):
    """A unit cannot be asked, because what it needs was deleted."""


class Shelf:
    """Records as units need them, read once and kept while they are used."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.role = lru_cache(maxsize=KEPT_RECORDS)(store.roles.get)
        self.report = lru_cache(maxsize=KEPT_RECORDS)(store.reports.get)
        self.instrument = lru_cache(maxsize=32)(load_instrument)
        self.rater = lru_cache(maxsize=64)(self._rater)
        self.judged = lru_cache(maxsize=256)(self._judged)
        self._agents: dict[int, tables.Agent] = {}
        self._addresses: dict[int, str] = {}
        self._sessions: dict[int, Shown] = {}

    def fetch(self, payloads: Iterable[Mapping[str, Any]]) -> None:
        """Read the sessions these payloads are about together, where they are not here yet."""
        ids = {id for payload in payloads for name in SHOWN if isinstance(id := payload.get(name), int)}
        wanted = sorted(ids - self._sessions.keys())
        for id, (session, turns) in units.shown_sessions(self.store, wanted).items():
            self._sessions[id] = Shown(session, turns)
        for id in list(self._sessions)[: max(0, len(self._sessions) - max(KEPT_SESSIONS, len(ids)))]:
            self._sessions.pop(id, None)

    def asked_with(self, study_id: int, payload: Mapping[str, Any]) -> Instrument:
        """The instrument of a unit, in the very version it was planned with.

        Raises:
            OtherVersion: it is here in another one.
        """
        found = self.instrument(payload["instrument"])
        if found.version != versions.version_of(payload):
            raise versions.other_version(study_id, versions.Moved(found.id, versions.version_of(payload), found.version))
        return found

    def session(self, id: int) -> "Shown":
        """A session with what a judge reads of it.

        Raises:
            NotFound, DataError: it is gone, or has no turn to judge.
        """
        shown = self._sessions.get(id)
        if shown is None or not shown.turns:
            session = self.store.sessions.get(id)
            shown = self._sessions[id] = Shown(session, turns_to_judge(self.store, session))
        return shown

    def agent(self, id: int) -> tables.Agent:
        if id not in self._agents:
            self._agents[id] = self.store.agents.get(id)
        return self._agents[id]

    def address(self, agent_id: int) -> str:
        """The base URL an agent asks at; empty where words stay here."""
        if agent_id not in self._addresses:
            endpoint = self.agent(agent_id).endpoint_id
            self._addresses[agent_id] = self.store.endpoints.get(endpoint).base_url if endpoint else ""
        return self._addresses[agent_id]

    def _rater(self, agent_id: int) -> tables.Rater:
        from core.judging.service import rater_of

        return rater_of(self.store, self.agent(agent_id))

    def _judged(self, agent_id: int, instrument: str, language: str, prompt: str) -> dict[str, Any]:
        """What all units share that ask the same judge with the same instrument."""
        found = self.instrument(instrument)
        return {
            "agent": self.agent(agent_id).hash,
            "prompt": prompt_hash(prompt, language),
            "instrument": [found.id, found.version, found.hash],
            "language": language,
        }

    def note(self, report_id: int, id: int) -> tables.Note | None:
        return chosen_note(self.store, report_id, id)


class Shown:
    """A session as a judge sees it."""

    def __init__(self, session: tables.Session, turns: list[dict[str, Any]]) -> None:
        self.session, self.turns = session, turns

    @cached_property
    def hash(self) -> str:
        return transcript_hash(self.turns)


def prompt_hash(prompt: str, language: str) -> str:
    return prompting.load(prompt, language).hash


def bind_stage(store: Store, study: tables.Study, stage: int) -> dict[str, int]:
    """Give every planned unit of a stage its key; those with an answer in the store are *reused*.

    Returns how many were bound, reused, and failed for want of what they need.
    """
    shelf, after, tally = Shelf(store), -1, {"bound": 0, "reused": 0, "failed": 0}
    refused = barred(store)
    while page := units.waiting(store, study.id or 0, stage, after, PAGE):
        after = page[-1].position
        fresh = [unit for unit in page if not unit.key]
        if not fresh:
            continue
        rows = bound(shelf, study, fresh)
        bar(shelf, fresh, rows, refused)
        reuse(store, shelf, study, rows, refused)
        units.bind(store, [{k: row[k] for k in ("id", "key", "state", "reason", "result")} for row in rows])
        for row in rows:
            tally["bound"] += 1
            tally["reused"] += row["state"] == "reused"
            tally["failed"] += row["state"] == "failed"
    return tally


def bound(shelf: Shelf, study: tables.Study, page: Sequence[Waiting]) -> list[dict[str, Any]]:
    """Each unit with its key and its records by id, or failed with what it lacks."""
    made = units.made_by(shelf.store, study.id or 0, needed(page))
    shelf.fetch(unit.payload for unit in page if unit.kind in JUDGED)
    rows: list[dict[str, Any]] = []
    for unit in page:
        row: dict[str, Any] = {
            "id": unit.id, "kind": unit.kind, "key": "", "state": "planned", "reason": "", "result": dict(unit.result)
        }  # fmt: skip
        payload = dict(unit.payload)
        try:
            payload = resolved(unit.payload, made)
            facts = FACTS[unit.kind](shelf, study, payload)
            kept = {name: unit.result[name] for name in ("retries", "partly") if unit.result.get(name)}
            row["key"] = content_key({"kind": unit.kind, "draw": study.draw, "seed": payload["seed"]} | facts)
            row["result"] = {k: payload[k] for k in NEEDS if k in payload} | kept
        except StoreError:
            raise
        except Gone:
            row |= GONE
        except Missing as error:
            row |= {"state": "failed", "reason": str(error)}
        except WorkbenchError as error:
            row |= GONE if units.lost_records(shelf.store, row["result"] | payload) else failed(error)
        except Exception as error:  # noqa: BLE001 - logged; it must not keep the other units from being asked
            log.error(
                "unit %s of study %s cannot be bound: %s", unit.id, study.id, place_of(error, whole=True)
            )
            row |= {"state": "failed", "reason": reasons.reason("fault", place_of(error))}
        rows.append(row)
    return rows


def bar(shelf: Shelf, page: Sequence[Waiting], rows: Sequence[dict[str, Any]], refused: Barred) -> None:
    """End the units that would judge a session somebody does not let be judged, here or at the judge's address."""
    for unit, row in zip(page, rows, strict=True):
        if row["kind"] in JUDGED and row["state"] == "planned":
            about = {row["result"][name] for name in JUDGED_OF[row["kind"]]}
            if about & (refused.judged[""] | refused.at(shelf.address(unit.payload["judge"]))):
                row |= {"state": "failed", "reason": reasons.CONSENT}


def failed(error: WorkbenchError) -> dict[str, str]:
    return {"state": "failed", "reason": str(error)}


def needed(page: Iterable[Waiting]) -> set[int]:
    return {ref["unit"] for unit in page for name in NEEDS if isinstance(ref := unit.payload.get(name), dict)}


def resolved(payload: Mapping[str, Any], made: Mapping[int, tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    """The payload with ids in the place of units.

    Raises:
        Missing: a unit it needs did not make its record. Gone: it did, and the record was deleted.
    """
    found = dict(payload)
    for name in NEEDS:
        if not isinstance(ref := found.get(name), dict):
            continue
        state, result = made.get(ref["unit"], ("", {}))
        record = {"first": "session", "second": "session"}.get(name, name)
        if state == "gone":
            raise Gone
        if state not in ("done", "reused") or record not in result:
            raise Missing(f"Not asked: the {record} it needs (unit {ref['unit'] + 1}) was not made.")
        found[name] = result[record]
    return found


def comparison_facts(shelf: Shelf, study: tables.Study, payload: Mapping[str, Any]) -> dict[str, Any]:
    first, second = shelf.session(payload["first"]), shelf.session(payload["second"])
    prompt = "judge/compare" if payload["dimension"] else "judge/compare_all"
    shelf.asked_with(study.id or 0, payload)
    return shelf.judged(payload["judge"], payload["instrument"], first.session.language, prompt) | {
        "texts": [first.hash, second.hash],
        "asked": payload["dimension"] or payload.get("dimensions", "all"),
        "repeat": payload["repeat"],
    }


def rating_facts(shelf: Shelf, study: tables.Study, payload: Mapping[str, Any]) -> dict[str, Any]:
    shown = shelf.session(payload["session"])
    instrument = shelf.asked_with(study.id or 0, payload)
    prompt = "judge/item" if payload["item"] else "judge/instrument"
    return shelf.judged(payload["judge"], payload["instrument"], shown.session.language, prompt) | {
        "texts": [shown.hash],
        "profile": profile_of(shelf, instrument, shown.session),
        "setting": payload["setting"],
        "asked": payload["item"] or payload.get("items", "all"),
        "repeat": [payload["repeat"], payload["of"]],
    }


def profile_of(shelf: Shelf, instrument: Instrument, session: tables.Session) -> dict[str, Any]:
    """The client's profile or role card, where the instrument is rated with it in sight.

    Raises:
        DataError: the session's client has none to hold the session against.
    """
    if not instrument.shows_profile:
        return {}
    profile = as_profile(shelf.role(session.role_id)) if session.role_id else {}
    if not profile:
        raise DataError(
            "Session {id} has no role card or client profile, which {instrument} is rated against. Choose sessions that "
            "were held with one; nothing was asked.",
            id=session.id,
            instrument=instrument.id,
        )
    return profile


def session_facts(shelf: Shelf, study: tables.Study, payload: Mapping[str, Any]) -> dict[str, Any]:
    role = shelf.role(payload["role"])
    seats = [shelf.agent(payload["client"]), shelf.agent(payload["counselor"])]
    return {
        "agents": [agent.hash for agent in seats],
        "prompts": [prompt_hash(agent.prompt, role.language) for agent in seats],
        "role": seating.role_inputs(role),
        "most_turns": payload["most_turns"],
        "opener": payload.get("opener"),
        "opens": payload.get("first_seat", "counselor"),
        "repeat": payload["repeat"],
    }


def writer_facts(shelf: Shelf, payload: Mapping[str, Any], language: str, *prompts: str) -> dict[str, Any]:
    return {
        "agent": shelf.agent(payload["writer"]).hash,
        "prompts": [prompt_hash(prompt, language) for prompt in prompts],
        "language": language,
    }


def role_facts(shelf: Shelf, study: tables.Study, payload: Mapping[str, Any]) -> dict[str, Any]:
    steps = ("role/demographics", "role/life_events", "role/scenarios", "role/compile")
    wanted = {name: payload[name] for name in ("number", "of", "sampling", "forbid")}
    return writer_facts(shelf, payload, study.language, *steps) | wanted


def report_text(report: tables.Report) -> list[str]:
    parts = ("title", "type", "method", "case_brief", "consultation_process", "experience_thoughts")
    return [getattr(report, part) for part in parts]


def note_facts(shelf: Shelf, study: tables.Study, payload: Mapping[str, Any]) -> dict[str, Any]:
    report = shelf.report(payload["report"])
    return writer_facts(shelf, payload, report.language, "report/note") | {"report": report_text(report)}


def dialogue_facts(shelf: Shelf, study: tables.Study, payload: Mapping[str, Any]) -> dict[str, Any]:
    report = shelf.report(payload["report"])
    prompt = "report/dialogue" if payload["method"] == "memo2demo" else "report/roleplay"
    note = shelf.note(payload["report"], payload["note"]) if payload.get("note") else None
    words = note.model_dump(exclude={"id", "call_id", "created", "version", "edited_by", "made_from", "elsewhere"}) if note else None
    facts = {"report": report_text(report), "note": words, "method": payload["method"]}
    return writer_facts(shelf, payload, report.language, prompt) | facts


FACTS: dict[str, Any] = {
    "role": role_facts,
    "session": session_facts,
    "note": note_facts,
    "dialogue": dialogue_facts,
    "comparison": comparison_facts,
    "rating": rating_facts,
}
JUDGED_OF = {"rating": ("session",), "comparison": ("first", "second")}
RECORDS = {"role": "role_card", "session": "session", "note": "note", "dialogue": "session"}


def reuse(store: Store, shelf: Shelf, study: tables.Study, rows: list[dict[str, Any]], refused: Barred) -> None:
    """Give the rows whose key has an answer elsewhere that answer, unless it is about a session somebody refuses."""
    found = units.answered(store, (row["key"] for row in rows if row["key"]), study.id or 0)
    if not found:
        return
    there = still_there(store, rows, {key: source for key, source in found.items() if not refused.about(source.result)})
    for row in rows:
        source = found.get(row["key"])
        if source is None or row["state"] != "planned" or source.id not in there:
            continue
        if row["result"].get("retries") or row["result"].get("partly"):
            continue
        adopt(store, study, row, source)


def still_there(store: Store, rows: Sequence[Mapping[str, Any]], found: Mapping[str, Answered]) -> set[int]:
    """Sources whose record, or whose judgments of their very sessions, have not been deleted since."""
    kinds = {row["key"]: row["kind"] for row in rows}
    fine: set[int] = set()
    for table, names in JUDGED_OF.items():
        judged = [source for key, source in found.items() if kinds[key] == table]
        about: dict[int, tuple[Any, ...]] = {s.id: (root_of(s), *map(s.result.get, names)) for s in judged}
        rows_there = units.judged(store, table, (place[0] for place in about.values()))
        fine |= {id for id, place in about.items() if place in rows_there}
    for kind, table in RECORDS.items():
        name = "session" if kind == "dialogue" else kind
        wanted = [(s.id, int(s.result.get(name) or 0)) for key, s in found.items() if kinds[key] == kind]
        there: set[int] = set()
        for some in units.chunks(sorted({id for _, id in wanted})):
            sql = f'SELECT id FROM "{table}" WHERE id IN ({units.numbers(some)})'
            there |= {id for (id,) in units.query(store, sql)}
        fine |= {source for source, id in wanted if id in there}
    return fine


def root_of(source: Answered) -> int:
    """The unit that has the rows: the source itself, or the one it took its answer from."""
    return int(source.result.get("source", source.id))


def adopt(store: Store, study: tables.Study, row: dict[str, Any], source: Answered) -> None:
    """Make the row's unit share the source's answer; other sessions with the same words get rows of their own.

    An answer that lacks some items gives only those it has: the unit stays *planned*, for the rest.
    """
    if row["kind"] not in JUDGED:
        row |= {"state": "reused", "result": dict(source.result) | {"source": source.id}}
        return
    mine = {name: row["result"][name] for name in JUDGED_OF[row["kind"]]}
    sessions = {f"{name}_id": id for name, id in mine.items()}
    root = root_of(source)
    if not source.whole:
        read = units.items_read(store, root)
        units.copy_judgments(store, row["kind"], root, row["id"], study.id or 0, sessions, read)
        row["result"] = mine | {"partly": True}
        return
    row["state"] = "reused" if source.state == "done" else "unscored"
    if all(source.result.get(name) == id for name, id in mine.items()):
        row["result"] = mine | {"source": root}
    else:
        units.copy_judgments(store, row["kind"], root, row["id"], study.id or 0, sessions)
        row["result"] = mine
    if row["state"] == "unscored":
        row["reason"] = source_reason(store, source.id)


def source_reason(store: Store, unit_id: int) -> str:
    found = units.query(store, "SELECT reason FROM unit WHERE id = :id", id=unit_id)
    return str(found[0][0]) if found else ""


def settle(store: Store, study: tables.Study) -> bool:
    """Bind stage after stage while nothing needs asking; true when no unit is left to do."""
    for stage in units.open_stages(store, study.id or 0):
        bind_stage(store, study, stage)
        if stage in units.open_stages(store, study.id or 0):
            return False
    return not units.open_stages(store, study.id or 0)


def parsed(result: str) -> dict[str, Any]:
    return dict(json.loads(result))
