"""Where a study stands, by aggregate queries: what is done, what failed and why, what it cost, how long it takes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from core.people.agreements import refused_units
from core.studies import reasons
from storage import tables, units
from storage.store import Store

STATES = ("planned", "running", "done", "reused", "unscored", "failed", "refused", "gone")
ANSWERED = ("done", "reused")
ENDED = (*ANSWERED, "unscored", "failed", "refused")  # what is *gone* came to no end: its record was deleted
JUDGMENTS = ("rating", "comparison")
LATELY = 30.0  # seconds over which the pace is measured


@dataclass(frozen=True)
class Failure:
    """One kind of failure: its code, how many units, and one unit's details."""

    code: str
    state: str
    count: int
    example: str


@dataclass(frozen=True)
class Standing:
    """A study at one moment."""

    study: tables.Study
    kinds: Mapping[str, Mapping[str, int]]
    figures: units.Figures
    asked_twice: int
    failures: tuple[Failure, ...]
    pace: float  # calls a second, lately
    doing: Mapping[str, Any] = field(default_factory=dict)
    models: tuple[tuple[str, str, int], ...] = ()
    gaps: units.Gaps = field(
        default_factory=lambda: units.Gaps(0, 0)
    )  # units that are done but for some items
    again: int = 0  # of the *refused*, those that may be asked again, since everybody agreed meanwhile

    @property
    def counts(self) -> dict[str, int]:
        return {state: sum(by.get(state, 0) for by in self.kinds.values()) for state in STATES}

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def ended(self) -> int:
        return sum(self.counts[state] for state in ENDED)

    @property
    def answered(self) -> int:
        """Units with something to read: judgments where the study asks for any, else what it makes."""
        kinds = [kind for kind in self.kinds if kind in JUDGMENTS] or list(self.kinds)
        return sum(self.kinds[kind].get(state, 0) for kind in kinds for state in ANSWERED)

    @property
    def none_read(self) -> int:
        """How many judgments came back, where not one of them could be read; else 0."""
        states = [self.kinds[kind] for kind in JUDGMENTS if kind in self.kinds]
        unread = sum(by.get("unscored", 0) for by in states)
        return 0 if self.answered or sum(by.get("failed", 0) for by in states) else unread

    @property
    def redo(self) -> int:
        """Units that asking again can help."""
        return self.counts["failed"] + self.counts["unscored"] + self.gaps.units + self.again

    @property
    def waiting(self) -> int:
        return self.counts["planned"] + self.counts["running"]

    @property
    def seconds_left(self) -> float | None:
        """From the pace of units lately; ``None`` while it is not known."""
        if not self.pace or not self.ended or self.study.state != "running":
            return None
        asked = self.counts["done"] + self.counts["unscored"] + self.counts["failed"]
        calls_each = self.figures.calls / asked if asked else 1.0
        return self.waiting * max(1.0, calls_each) / self.pace

    @property
    def two_models(self) -> list[str]:
        """Models that answered under more than one name: asked for, then the names."""
        names: dict[str, set[str]] = {}
        for asked, answered, _ in self.models:
            names.setdefault(asked, set()).add(answered or asked)
        return [f"{asked}: {', '.join(sorted(found))}" for asked, found in names.items() if len(found) > 1]

    @property
    def notes(self) -> list[str]:
        said: list[str] = []
        if self.two_models:
            said.append("Answered under more than one model name: " + "; ".join(self.two_models))
        if self.figures.unpriced:
            said.append("No price is known for some calls, so the cost is not complete.")
        if self.figures.estimated:
            said.append("Some token counts are estimated: the server did not report them.")
        return said


def standing(store: Store, study: tables.Study, doing: Mapping[str, Any] | None = None) -> Standing:
    id = study.id or 0
    running = study.state in ("running", "stopping")
    kinds = units.counts(store, id)
    refused = sum(by.get("refused", 0) for by in kinds.values())
    return Standing(
        study=study,
        kinds=kinds,
        figures=units.figures(store, id),
        asked_twice=units.asked_twice(store, id),
        failures=failures(units.reasons(store, id)),
        pace=pace(units.recent_calls(store, id)) if running else 0.0,
        doing=doing or {},
        models=tuple(units.models_answered(store, id)),
        gaps=units.gaps(store, id),
        again=refused and refused - still_refused(store, id),
    )


def still_refused(store: Store, study_id: int) -> int:
    """How many units of a study nobody may ask, since somebody still refuses."""
    return len(refused_units(store, study_id))


def failures(rows: list[tuple[str, str, int]]) -> tuple[Failure, ...]:
    """Rows (state, reason, count) by their code, most frequent first."""
    found: dict[tuple[str, str], list[Any]] = {}
    for state, reason, count in rows:
        code, details = reasons.split(reason)
        kept = found.setdefault((state, code), [0, details])
        kept[0] += count
    ordered = sorted(found.items(), key=lambda item: -item[1][0])
    return tuple(Failure(code, state, count, details) for (state, code), (count, details) in ordered)


def pace(times: list[str], at: datetime | None = None) -> float:
    """Calls a second over the last half minute, from the newest calls' times (newest first)."""
    if not times:
        return 0.0
    at = at or datetime.now(UTC)
    ages = [(at - datetime.fromisoformat(moment)).total_seconds() for moment in times]
    lately = [age for age in ages if age <= LATELY]
    if not lately:
        return 0.0
    span = max(lately) if len(lately) == len(ages) else LATELY
    return len(lately) / max(span, 1.0)
