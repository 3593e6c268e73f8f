"""What the pages of results read: once for each state of the store, then from memory."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from core import instruments
from core.agreement.clustered import Clustered
from core.results import agreements, asked, labels, reading, scores
from core.results.labels import Label
from core.results.reading import Held
from core.results.voices import Voice, of_voice, voices
from core.results.wins import Contest, contest
from pages.components import resources, results_made

if TYPE_CHECKING:
    import pandas as pd

ALL = 0  # in place of a study: everything in the store


@dataclass(frozen=True)
class Frame:
    """Ratings or comparisons of a study without their texts, and what is known of their sessions."""

    rows: "pd.DataFrame"
    held: dict[int, Held]


def state() -> tuple[str, int]:
    """Changes whenever the store does."""
    store = resources.store()
    return str(store.url), store.data_version()


def studies() -> dict[int, str]:
    """Studies that have results, the newest first, ``ALL`` where something belongs to no study; at the end those whose
    every session is left out.
    """
    return _studies(*state())


@st.cache_resource(max_entries=8, show_spinner=False)
def _studies(url: str, version: int) -> dict[int, str]:
    store = resources.store()
    tables = ("rating", "comparison")
    ids = {id for table in tables for id in reading.studies_with(store, table)}
    judged = {id for table in tables for id in reading.studies_with(store, table, left_out_too=True)}
    found = {id: store.studies.get(id).name for id in sorted(ids, reverse=True)} | ({ALL: ""} if reading.loose(store) else {})
    return found | {id: store.studies.get(id).name for id in sorted(judged - ids, reverse=True)}


def ratings(study: int, instrument: str = "") -> Frame:
    return _frame("rating", study, instrument, *state())


def comparisons(study: int) -> Frame:
    return _frame("comparison", study, "", *state())


@st.cache_resource(max_entries=24, show_spinner=False)
def _frame(table: str, study: int, instrument: str, url: str, version: int) -> Frame:
    store = resources.store()
    if table == "rating":
        rows = reading.ratings(store, study or None, instrument)
        return Frame(rows, reading.sessions(store, rows["session"].unique()))
    rows = reading.comparisons(store, study or None)
    return Frame(rows, reading.sessions(store, {*rows["first"], *rows["second"]}))


def left_out(study: int) -> reading.Aside:
    """The sessions judged in a study that its figures leave out."""
    return _left_out(study, *state())


@st.cache_resource(max_entries=24, show_spinner=False)
def _left_out(study: int, url: str, version: int) -> reading.Aside:
    return reading.left_out(resources.store(), study or None)


def rated_with(study: int) -> list[str]:
    """Instruments that ratings of the study were made with, in the order of the catalogue."""
    return _rated_with(study, *state())


@st.cache_resource(max_entries=24, show_spinner=False)
def _rated_with(study: int, url: str, version: int) -> list[str]:
    used = set(_instruments(study, url, version))
    known = instruments.catalogue()
    return [name for name in known if name in used] + sorted(used - set(known))


@st.cache_resource(max_entries=24, show_spinner=False)
def _instruments(study: int, url: str, version: int) -> dict[str, set[str]]:
    return reading.rated_with(resources.store(), study or None)


def rating_voices(study: int, instrument: str) -> list[Voice]:
    """Who rated with an instrument, and how."""
    return _rating_voices(study, instrument, *state())


@st.cache_resource(max_entries=24, show_spinner=False)
def _rating_voices(study: int, instrument: str, url: str, version: int) -> list[Voice]:
    return voices(ratings(study, instrument).rows)


def engines(study: int) -> list[str]:
    """The engines that judged, or made, anything of the study; for the badges beside the title."""
    return _engines(study, *state())


@st.cache_resource(max_entries=24, show_spinner=False)
def _engines(study: int, url: str, version: int) -> list[str]:
    compared = comparisons(study)
    kinds = {*compared.rows["rater_kind"].unique(), *(kind for own in _instruments(study, url, version).values() for kind in own)}
    judged = {"rules": "demo", "model": "openai", "person": "person", "consensus": "person"}
    made = {held.engine for held in compared.held.values()} | reading.engines(resources.store(), study or None)
    found = {judged.get(kind, "imported") for kind in kinds} | made
    return [kind for kind in ("demo", "openai", "person", "imported", "mixed") if kind in found]


def dimensions(instrument: instruments.Instrument) -> dict[str, list[str]]:
    return {d.id: [item.id for item in instrument.items_of(d.id)] for d in instrument.dimensions}


def stages(instrument: instruments.Instrument) -> dict[str, str]:
    return {d.id: d.stage for d in instrument.dimensions}


@dataclass(frozen=True)
class Compared:
    """The comparisons of one voice, and what they say."""

    rows: "pd.DataFrame"
    held: Mapping[int, Held]
    contest: Contest
    instrument: instruments.Instrument
    made: results_made.Made


def contested(study: int, instrument: str, voice: Voice) -> Compared:
    return _contested(study, instrument, voice, *state())


@st.cache_resource(max_entries=24, show_spinner=False)
def _contested(study: int, instrument: str, voice: Voice, url: str, version: int) -> Compared:
    frame, used = comparisons(study), instruments.load(instrument, voice.version)
    rows = of_voice(frame.rows[frame.rows["instrument"] == instrument], voice)
    wanted = asked.asked_of(_asked(study, url, version), voice, instrument, list(stages(used)))
    counted = rows.assign(study=study) if study else rows  # what a study reuses, it asked for itself
    held = frame.held | reading.sessions(resources.store(), wanted.sessions - set(frame.held))
    return Compared(rows, held, contest(counted, held, stages(used), wanted), used, results_made.made(study, instrument, voice, rows, held))


@st.cache_resource(max_entries=24, show_spinner=False)
def _asked(study: int, url: str, version: int) -> "pd.DataFrame":
    return asked.compared(resources.store(), study or None)


def heard(study: int, instrument: str, voice: Voice) -> Frame:
    """The ratings of one voice."""
    return _heard(study, instrument, voice, *state())


@st.cache_resource(max_entries=24, show_spinner=False)
def _heard(study: int, instrument: str, voice: Voice, url: str, version: int) -> Frame:
    frame = ratings(study, instrument)
    return Frame(of_voice(frame.rows, voice), frame.held)


@dataclass(frozen=True)
class Scored:
    """Ratings of one voice as scores: a value for each session and item, dimension scores, counselors' means."""

    values: "pd.DataFrame"
    sums: "pd.DataFrame"
    items: "pd.DataFrame"  # readable items behind each of the sums
    counselor: Mapping[int, str]  # of each session
    counselors: list[scores.CounselorScore]


def scored(study: int, instrument: str, voice: Voice) -> Scored:
    return _scored(study, instrument, voice, *state())


@st.cache_resource(max_entries=24, show_spinner=False)
def _scored(study: int, instrument: str, voice: Voice, url: str, version: int) -> Scored:
    frame, used = heard(study, instrument, voice), instruments.load(instrument, voice.version)
    values = scores.item_values(frame.rows)
    table = scores.wide(values, [item.id for item in used.items])
    sums = agreements.with_sums(values, dimensions(used), used.scoring)
    sums = sums[[*(d.id for d in used.dimensions), agreements.TOTAL]]
    parts = dimensions(used) | {agreements.TOTAL: [item.id for item in used.items]}
    who = {int(s): frame.held[int(s)].counselor for s in sums.index if int(s) in frame.held}
    return Scored(values, sums, scores.items_behind(table, parts), who, scores.counselor_scores(sums, frame.held, agreements.scales_of(used)))


@dataclass(frozen=True)
class Items:
    """What one voice gave each item, over clients or roles: of all sessions, their SD, and of each counselor's."""

    every: Mapping[str, Clustered]
    spread: Mapping[str, float]
    each: Mapping[str, Mapping[str, Clustered]]


def items(study: int, instrument: str, voice: Voice) -> Items:
    return _items(study, instrument, voice, *state())


@st.cache_resource(max_entries=24, show_spinner=False)
def _items(study: int, instrument: str, voice: Voice, url: str, version: int) -> Items:
    used = instruments.load(instrument, voice.version)
    names, ends = [item.id for item in used.items], agreements.scales_of(used)
    wide, held = scores.wide(scored(study, instrument, voice).values, names), heard(study, instrument, voice).held
    return Items(
        {name: scores.mean_over_clusters(wide[name], held, ends[name]) for name in names},
        {name: scores.sd_over_clusters(wide[name], held) for name in names},
        scores.by_counselor(wide, held, ends),
    )  # fmt: skip


def by_topic(study: int, instrument: str, voice: Voice, dimension: str) -> dict[str, dict[str, Clustered]]:
    """A dimension's mean of each counselor in each topic."""
    return _by_topic(study, instrument, voice, dimension, *state())


@st.cache_resource(max_entries=24, show_spinner=False)
def _by_topic(study: int, instrument: str, voice: Voice, dimension: str, url: str, version: int) -> dict[str, dict[str, Clustered]]:
    held, ends = heard(study, instrument, voice).held, agreements.scales_of(instruments.load(instrument, voice.version))
    return scores.by_topic(scored(study, instrument, voice).sums, dimension, held, ends)


def repeats(study: int, instrument: str, voice: Voice) -> list[agreements.Agreed]:
    return _repeats(study, instrument, voice, *state())


@st.cache_resource(max_entries=24, show_spinner=False)
def _repeats(study: int, instrument: str, voice: Voice, url: str, version: int) -> list[agreements.Agreed]:
    frame = heard(study, instrument, voice)
    return agreements.repeats(frame.rows, dimensions(instruments.load(instrument, voice.version)), frame.held)


def label(table: str, instrument: str, voice: Voice, of: str = agreements.TOTAL) -> Label:
    """The trust label of a voice, over everything in the store that people judged too.

    Args:
        table: rating or comparison. of: an item, a dimension, a stage or the total.
    """
    return _label(table, instrument, voice, of, *state())


@st.cache_resource(max_entries=240, show_spinner=False)
def _label(table: str, instrument: str, voice: Voice, of: str, url: str, version: int) -> Label:
    # asked apart, since only sessions that people rated too are read
    rules = _judged_by_rules(table, instrument, voice, url, version)
    judged = tuple(made for made in labels.MADE if (made == labels.RULES) in rules)
    if table == "rating":
        found = labels.rating_label(_rated(instrument, voice, url, version), _beside_people(table, instrument, voice, url, version).held, of)
    else:
        found = labels.comparison_label(asked_with_people(instrument, voice), stages(instruments.load(instrument, voice.version)), of)
    return replace(found, judged=judged)


@st.cache_resource(max_entries=24, show_spinner=False)
def _judged_by_rules(table: str, instrument: str, voice: Voice, url: str, version: int) -> set[bool]:
    return reading.judged_by_rules(resources.store(), table, instrument, voice)


@st.cache_resource(max_entries=24, show_spinner=False)
def _rated(instrument: str, voice: Voice, url: str, version: int) -> labels.Rated:
    used = instruments.load(instrument, voice.version)
    return labels.rated(_beside_people("rating", instrument, voice, url, version).rows, voice, dimensions(used), used.scoring)


@st.cache_resource(max_entries=24, show_spinner=False)
def _beside_people(table: str, instrument: str, voice: Voice, url: str, version: int) -> Frame:
    store = resources.store()
    rows = reading.beside_people(store, table, instrument, voice.who, voice.version, voice.language)
    ids = rows["session"] if table == "rating" else [*rows["first"], *rows["second"]]
    return Frame(rows, reading.sessions(store, set(ids)))


def asked_with_people(instrument: str, voice: Voice) -> labels.Asked:
    """What a judge and people said to the same questions."""
    return _asked_with_people(instrument, voice, *state())


@st.cache_resource(max_entries=24, show_spinner=False)
def _asked_with_people(instrument: str, voice: Voice, url: str, version: int) -> labels.Asked:
    found, used = _beside_people("comparison", instrument, voice, url, version), instruments.load(instrument, voice.version)
    return labels.asked(found.rows, voice, stages(used), found.held)


def kind_of(sessions: Collection[int]) -> str:
    """The kind of sessions that a single rating or comparison is of; empty where they are in no figure."""
    return _kind_of(tuple(sessions), *state())


@st.cache_resource(max_entries=240, show_spinner=False)
def _kind_of(sessions: tuple[int, ...], url: str, version: int) -> str:
    store = resources.store()
    held = reading.sessions(store, sessions)
    if any(id not in held for id in sessions) or reading.aside(store).all & set(sessions):
        return ""
    return labels.RULES if any(held[id].by_rules for id in sessions) else labels.OTHER


def label_parts(table: str, instrument: str, voice: Voice) -> dict[str, Label]:
    """The labels of the dimensions, then of the total."""
    used = instruments.load(instrument, voice.version)
    names = [*(d.id for d in used.dimensions), agreements.TOTAL]
    return {name: label(table, instrument, voice, name) for name in names}


def call_of(row: Mapping[str, Any]) -> dict[str, Any] | None:
    """The call behind a rating or comparison, whole; ``None`` where no model or rule was asked."""
    id = row.get("call_id")
    return resources.store().calls.whole(int(id)) if id else None
