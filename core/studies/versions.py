"""Versions of instruments in studies: a study asks with the versions it was planned with, or not at all.

A rating counts for the version whose words were shown. So a study that was planned with another version than the one
here is not continued; the same plan is begun as a new study, which shares all answers that are the same.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from typing import Any

from core import instruments
from core.errors import DataError, PromptError
from storage import tables, units
from storage.store import Store

NUMBERED = re.compile(r" \(\d+\)$")
FIRST = 1  # what units were planned with that name no version: there was none but the first


class OtherVersion(DataError):
    """Work was planned with another version of an instrument than the one here."""


@dataclass(frozen=True)
class Moved:
    """An instrument a study was planned with in a version that is not here."""

    instrument: str
    planned: int
    here: int


def version_of(payload: Mapping[str, Any]) -> int:
    """The version of its instrument that a unit was planned with."""
    return int(payload.get("version") or FIRST)


def moved(store: Store, study_id: int, which: units.Which) -> list[Moved]:
    """The instruments of a study's units (the *open* ones, those to *redo*, or *all*) that are here in another version.

    Raises:
        PromptError: an instrument is not here any more.
    """
    here = lru_cache(instruments.load)
    planned = [(id, version or FIRST) for id, version in units.planned_with(store, study_id, which)]
    return [Moved(id, version, here(id).version) for id, version in planned if here(id).version != version]


def cannot_go_on(store: Store, study_id: int) -> bool:
    """Whether what is open in a study was planned with instruments that are not here (any more)."""
    try:
        return bool(moved(store, study_id, "open"))
    except PromptError:
        return True


def check(store: Store, study_id: int, which: units.Which = "open") -> None:
    """Refuse to ask what was planned with another version.

    Raises:
        OtherVersion: with what to do. Nothing was asked.
    """
    for found in moved(store, study_id, which):
        raise other_version(study_id, found, units.going_on(store).get(study_id))


def other_version(study_id: int, found: Moved, new: int | None = None) -> OtherVersion:
    """Why a study is not continued, and what to do: begin it as a new one, or open the one (*new*) that it was begun as."""
    if new is not None:
        return OtherVersion(
            "Study {id} was begun with version {planned} of the instrument {instrument}, and here it is version {here}. Study {new} "
            "goes on with its plan. Nothing more is asked in study {id}; its answers stay, with their version.",
            id=study_id, planned=found.planned, instrument=found.instrument, here=found.here, new=new,
        )  # fmt: skip
    return OtherVersion(
        "Study {id} was begun with version {planned} of the instrument {instrument}, and here it is version {here}. Ratings of "
        "two versions do not belong together, so nothing more is asked in this study. Its answers stay, with their version. "
        "Choose “Begin it as a new study” on Studies, or run rapport study anew {id}: what is the same is not asked again.",
        id=study_id, planned=found.planned, instrument=found.instrument, here=found.here,
    )  # fmt: skip


def begin_anew(store: Store, study: tables.Study, person: tables.Person | None = None) -> tables.Study:
    """The same plan as a new study with the versions here: the same records, samples and seeds; nothing is asked yet.

    Raises:
        DataError: it was begun anew before, or an instrument of today lacks an item or dimension of the plan. Nothing was saved.
    """
    if (new := units.going_on(store).get(study.id or 0)) is not None:
        raise DataError("Study {id} was begun anew already: study {new} goes on with its plan. Nothing was saved.", id=study.id, new=new)
    plan = [unit | {"payload": with_versions_here(unit["payload"])} for unit in units.plan_of(store, study.id or 0)]
    fields = study.model_dump(include={"samples", "budget", "engine", "language", "draw"})
    name = free_name(study.name, {one.name for one in store.studies.all()})
    fields |= {"name": name, "design": study.design | {"name": name}}
    made = tables.Study(**fields, person_id=person.id if person is not None else None)
    return units.add_study(store, made, plan, instead_of=study.id)


def free_name(name: str, taken: Collection[str]) -> str:
    """The name with the first number that no other study of this name bears: “Alliance” gives “Alliance (2)”."""
    bare = NUMBERED.sub("", name)
    return next(tried for n in count(2) if (tried := f"{bare} ({n})") not in taken)


def with_versions_here(payload: Mapping[str, Any]) -> dict[str, Any]:
    """A unit's payload with the version its instrument has here; others as they are."""
    if not payload.get("instrument"):
        return dict(payload)
    instrument = instruments.load(payload["instrument"])
    for item in [payload.get("item"), *payload.get("items", [])]:
        if item:
            instrument.item(item)
    for dimension in [payload.get("dimension"), *payload.get("dimensions", [])]:
        if dimension:
            instrument.dimension(dimension)
    return dict(payload) | {"version": instrument.version}
