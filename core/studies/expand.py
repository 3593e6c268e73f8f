"""From a design to its units, in a fixed order. Pure: what the store holds comes in as a catalogue."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, NamedTuple

from core.errors import DataError
from core.studies import design as plan
from core.studies.keys import derived_seed
from core.studies.samples import shuffled

Ref = int | dict[str, int]  # the id of a record in the store, or {"unit": position} of the unit that makes it


class Planned(NamedTuple):
    """One unit: its place is its index; units of a later stage wait for the earlier ones."""

    kind: str
    stage: int
    payload: dict[str, Any]


@dataclass(frozen=True)
class Instrument:
    """What expanding needs to know of an instrument."""

    id: str
    version: int
    comparison: bool
    entries: tuple[str, ...]  # ids of its items, or of its dimensions where it is for comparisons


@dataclass(frozen=True)
class Catalogue:
    """What the store holds: agents by name, rows of records, instruments by id, and ids of drawn samples."""

    agents: Mapping[str, int]
    roles: Sequence[Mapping[str, Any]] = ()
    reports: Sequence[Mapping[str, Any]] = ()  # id, note_id
    sessions: Sequence[Mapping[str, Any]] = ()  # id, role_id, report_id, by (counselor agent id or method)
    instruments: Mapping[str, Instrument] = field(default_factory=dict)
    samples: Mapping[str, Sequence[int]] = field(default_factory=dict)
    refused: Mapping[int, str] = field(default_factory=dict)  # sessions nobody may judge: *withdrawn* or *not rated*


@dataclass(frozen=True)
class Made:
    """A session there is or will be: what it shares with others, and by whom it was made."""

    ref: Ref
    group: str
    by: int | str
    stage: int


@dataclass
class Expansion:
    """The units so far and what they will make."""

    catalogue: Catalogue
    draw: int
    design: plan.Design
    units: list[Planned] = field(default_factory=list)
    roles: list[tuple[Ref, int]] = field(default_factory=list)
    notes: dict[int, tuple[Ref, int]] = field(default_factory=dict)
    sessions: list[Made] = field(default_factory=list)
    pairs: dict[str, list[list[Ref]]] = field(default_factory=dict)
    left_out: dict[int, str] = field(default_factory=dict)  # sessions that would be judged, were they not refused

    def add(self, kind: str, stage: int, payload: dict[str, Any]) -> Ref:
        self.units.append(Planned(kind, stage, payload))
        return {"unit": len(self.units) - 1}

    def seed(self, *parts: Any) -> int:
        return derived_seed(self.design.seed, self.draw, *parts)

    def agent(self, name: str) -> int:
        try:
            return self.catalogue.agents[name]
        except KeyError as error:
            raise DataError(
                "There is no agent “{name}”. Choose one of: {names}; nothing was started.",
                name=name,
                names=", ".join(sorted(self.catalogue.agents)),
            ) from error


def expand(design: plan.Design, catalogue: Catalogue, draw: int = 0) -> Expansion:
    """All units of a design.

    Raises:
        DataError: a step names an agent, instrument or sample that is not there, or has nothing to work on.
    """
    made = Expansion(catalogue, draw, design)
    for number, step in enumerate(design.steps, start=1):
        before = len(made.units)
        STEPS[step.kind](made, step)
        if len(made.units) == before:
            raise DataError(
                "Step {number} ({kind}) has nothing to work on. Give it records, or a step before it that makes "
                "them; nothing was started.",
                number=number,
                kind=step.kind,
            )
    return made


def roles(made: Expansion, step: plan.Roles) -> None:
    for n in range(1, step.count + 1):
        payload = {
            "writer": made.agent(step.writer),
            "number": n,
            "of": step.count,
            "sampling": step.sampling,
            "forbid": step.forbid_contradictions,
            "seed": made.seed("role", n),
        }
        made.roles.append((made.add("role", 0, payload), 0))


def sessions(made: Expansion, step: plan.Sessions) -> None:
    client = made.agent(step.client)
    counselors = [made.agent(name) for name in dict.fromkeys(step.counselors)]
    for role, stage in chosen_roles(made, step.roles):
        for repeat in range(1, step.repeats + 1):
            for counselor in counselors:
                payload: dict[str, Any] = {
                    "role": role,
                    "client": client,
                    "counselor": counselor,
                    "most_turns": step.most_turns,
                    "repeat": repeat,
                    "seed": made.seed("session", repeat),
                    "first_seat": step.first,
                }
                if step.opener is not None:
                    payload["opener"] = step.opener
                ref = made.add("session", stage, payload)
                made.sessions.append(Made(ref, f"role {role} {repeat}", counselor, stage + 1))


def notes(made: Expansion, step: plan.Notes) -> None:
    for report in chosen(made, step.reports, made.catalogue.reports, "reports"):
        payload = {"report": report["id"], "writer": made.agent(step.writer), "seed": made.seed("note")}
        made.notes[report["id"]] = (made.add("note", 0, payload), 1)


def dialogues(made: Expansion, step: plan.Dialogues) -> None:
    for report in chosen(made, step.reports, made.catalogue.reports, "reports"):
        for method in dict.fromkeys(step.methods):
            payload = {"report": report["id"], "writer": made.agent(step.writer), "method": method}
            stage = 0
            if method == "memo2demo":
                payload["note"], stage = note_for(made, report, step.writer)
            payload["seed"] = made.seed("dialogue")
            ref = made.add("dialogue", stage, payload)
            made.sessions.append(Made(ref, f"report {report['id']}", method, stage + 1))


def note_for(made: Expansion, report: Mapping[str, Any], writer: str) -> tuple[Ref, int]:
    """The note this study writes, else the newest in the store, else a unit that writes one."""
    if report["id"] not in made.notes:
        if report.get("note_id"):
            return report["note_id"], 0
        payload = {"report": report["id"], "writer": made.agent(writer), "seed": made.seed("note")}
        made.notes[report["id"]] = (made.add("note", 0, payload), 1)
    return made.notes[report["id"]]


def comparisons(made: Expansion, step: plan.Comparisons) -> None:
    instrument = the_instrument(made, step.instrument, comparison=True)
    entries = entries_of(instrument, step.dimensions)
    pairs = list(session_pairs(made, step))
    if step.pairs is not None:
        kept = {
            id(p) for p in shuffled(pairs, step.pairs_seed, lambda p: f"{p[0].ref} {p[1].ref}")[: step.pairs]
        }
        pairs = [pair for pair in pairs if id(pair) in kept]
        made.pairs[f"pairs of {step.instrument}"] = [[a.ref, b.ref] for a, b in pairs]
    orders = (False, True) if step.orders == "both" else (False,)
    for judge in judges(made, step):
        for a, b in pairs:
            for swapped in orders:
                first, second = (b, a) if swapped else (a, b)
                for entry in entries if step.calls == "item" else [None]:
                    for repeat in range(1, step.repeats + 1):
                        payload: dict[str, Any] = {
                            "first": first.ref, "second": second.ref, "instrument": instrument.id, "version": instrument.version,
                            "dimension": entry, "judge": judge, "repeat": repeat, "of": step.repeats,
                            "seed": made.seed("comparison", repeat),
                        }  # fmt: skip
                        if entry is None and step.dimensions:
                            payload["dimensions"] = entries
                        made.add("comparison", max(a.stage, b.stage), payload)


def session_pairs(made: Expansion, step: plan.Comparisons) -> Iterator[tuple[Made, Made]]:
    """Pairs of sessions that share a role or a report: all of them, or each against the baseline."""
    groups: dict[str, list[Made]] = {}
    for session in chosen_sessions(made, step.sessions):
        if session.group:
            groups.setdefault(session.group, []).append(session)
    baseline = made.catalogue.agents.get(step.baseline or "", step.baseline)
    for group in groups.values():
        for a, b in combinations(group, 2):
            if a.by == b.by and a.by != "":
                continue
            if baseline is None:
                yield a, b
            elif baseline in (a.by, b.by):
                yield (a, b) if a.by == baseline else (b, a)


def ratings(made: Expansion, step: plan.Ratings) -> None:
    instrument = the_instrument(made, step.instrument, comparison=False)
    entries = entries_of(instrument, step.items)
    for judge in judges(made, step):
        for session in chosen_sessions(made, step.sessions):
            for entry in entries if step.calls == "item" else [None]:
                for repeat in range(1, step.repeats + 1):
                    payload: dict[str, Any] = {
                        "session": session.ref, "instrument": instrument.id, "version": instrument.version, "item": entry,
                        "setting": step.setting, "judge": judge, "repeat": repeat, "of": step.repeats,
                        "seed": made.seed("rating", repeat),
                    }  # fmt: skip
                    if entry is None and step.items:
                        payload["items"] = entries
                    made.add("rating", session.stage, payload)


def judges(made: Expansion, step: plan.Judged) -> list[int]:
    return [made.agent(name) for name in dict.fromkeys(step.judges)]


def the_instrument(made: Expansion, id: str, comparison: bool) -> Instrument:
    found = made.catalogue.instruments.get(id)
    if found is None or found.comparison != comparison:
        fitting = sorted(i.id for i in made.catalogue.instruments.values() if i.comparison == comparison)
        raise DataError(
            "The instrument “{name}” is not there or not made for this step. Choose one of: {names}; nothing was started.",
            name=id,
            names=", ".join(fitting),
        )
    return found


def entries_of(instrument: Instrument, wanted: list[str] | None) -> list[str]:
    """The instrument's items or dimensions, all or those asked for, in the instrument's order."""
    unknown = sorted(set(wanted or ()) - set(instrument.entries))
    if unknown:
        raise DataError(
            "The instrument {name} has no {entry}. It has: {entries}; nothing was started.",
            name=instrument.id,
            entry=", ".join(unknown),
            entries=", ".join(instrument.entries),
        )
    return [entry for entry in instrument.entries if wanted is None or entry in wanted]


def chosen_roles(made: Expansion, which: plan.Which) -> list[tuple[Ref, int]]:
    if which == "steps" and made.roles:
        return [(ref, stage + 1) for ref, stage in made.roles]
    return [
        (row["id"], 0)
        for row in chosen(made, "all" if which == "steps" else which, made.catalogue.roles, "roles")
    ]


def chosen_sessions(made: Expansion, which: plan.Which) -> list[Made]:
    if which == "steps" and made.sessions:
        return made.sessions
    if isinstance(which, str):  # a choice of all, or a sample of all: what somebody refuses is not in it
        made.left_out |= made.catalogue.refused
    rows = chosen(made, "all" if which == "steps" else which, made.catalogue.sessions, "sessions")
    return [Made(row["id"], group_of(row), row["by"], 0) for row in rows]


def group_of(row: Mapping[str, Any]) -> str:
    """What a stored session shares with those it may be compared to."""
    if row.get("role_id"):
        return f"role {row['role_id']}"
    return f"report {row['report_id']}" if row.get("report_id") else ""


def chosen(
    made: Expansion, which: plan.Which, rows: Sequence[Mapping[str, Any]], noun: str
) -> list[Mapping[str, Any]]:
    """Rows by the name of a sample, by their ids, or all of them; each once. *All* roles are the newest versions."""
    if which in ("all", "steps"):
        return [row for row in rows if row.get("newest", True)]
    known = {row["id"]: row for row in rows}
    ids = made.catalogue.samples.get(which) if isinstance(which, str) else which
    if ids is None:
        raise DataError(
            "There is no sample “{name}” in this design. Name it under samples, or give ids; nothing was started.",
            name=str(which),
        )
    gone = [id for id in ids if id not in known]
    if noun == "sessions" and (refused := [id for id in gone if id in made.catalogue.refused]):
        raise DataError(
            "Not everybody who has a say in the sessions {ids} agreed to their being rated here. Take them out of the design; "
            "nothing was started.",
            ids=", ".join(map(str, refused[:10])),
        )
    if gone:
        raise DataError(
            "The store has no {noun} {ids}. Choose others; nothing was started.",
            noun=noun,
            ids=", ".join(map(str, gone[:10])),
        )
    return [known[id] for id in dict.fromkeys(ids)]


STEPS: dict[str, Any] = {
    "roles": roles,
    "sessions": sessions,
    "notes": notes,
    "dialogues": dialogues,
    "comparisons": comparisons,
    "ratings": ratings,
}
