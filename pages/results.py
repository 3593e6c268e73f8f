"""Results: which counselor does better, in which stage, and how sure is it; from any number down to its quotes."""

from collections.abc import Mapping

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.errors import NotFound
from core.files import record_id
from core.results.reading import Held, mixed_versions
from core.results.voices import JUDGES, Voice, voices
from pages.components import (
    badges,
    interval_words,
    layout,
    left_out,
    resources,
    results_data,
    results_detail,
    results_dimensions,
    results_items,
    results_picking,
    results_repeats,
    results_wins,
    results_words,
    trust_table,
)
from pages.components.words import _, many, plain

WINS, RADAR, REPEATS = "wins", "radar", "repeats"


def asked(name: str) -> int | None:
    return record_id(st.query_params.get(name, ""))


def head(kinds: list[str]) -> None:
    layout.title(
        _("Results"),
        _("Which counselor does better, in which stage, and how sure is it? Choose a number to read the evidence."),
        [badges.engine(kind) for kind in kinds],
    )  # fmt: skip


def nothing() -> None:
    head([])
    layout.empty(
        _("Nothing has been judged yet"),
        _("A study compares counselors on nine dimensions and rates the alliance on twelve items; people can rate too. Their numbers appear here."),
        _("Open Studies"), "studies.py", key="results_empty",
    )  # fmt: skip


# ---- choices -------------------------------------------------------------------------------------


def study_choice(known: dict[int, str]) -> int:
    """The study of the address, else the newest; the address follows the choice."""
    kept, wanted = list(known), asked("study")
    anew = wanted is not None and wanted != st.session_state.get("results_asked")
    if anew or st.session_state.get("results_study") not in kept:
        st.session_state["results_study"] = wanted if wanted in kept else kept[0]
    study = int(
        st.selectbox(
            _("Study"), kept, key="results_study", format_func=lambda id: study_name(id, known[id]), width=420, persist_state="session"
        )
    )  # fmt: skip
    st.query_params["study"] = str(study)
    st.session_state["results_asked"] = study
    return study


def study_name(id: int, name: str) -> str:
    return _("Study {n}: {name}").format(n=id, name=name) if id else _("Everything in this workbench")


def sections(study: int) -> dict[str, str]:
    """What this study has numbers of; instruments by their names."""
    found: dict[str, str] = {}
    if len(results_data.comparisons(study).rows):
        found |= {WINS: _("Win rates"), RADAR: _("Dimensions")}
    rated = results_data.rated_with(study)
    found |= {name: results_words.instrument_name(name) for name in rated}
    return found | ({REPEATS: _("Repeats")} if rated else {})


def section_choice(known: dict[str, str]) -> str:
    """What the address asks for, until another is chosen; the address follows."""
    wanted = st.query_params.get("section", "")
    anew = wanted and wanted != st.session_state.get("results_section_asked")
    if anew or st.session_state.get("results_section") not in known:
        st.session_state["results_section"] = wanted if wanted in known else next(iter(known))
    picked = st.segmented_control(
        _("Show"), list(known), key="results_section", required=True, label_visibility="collapsed", persist_state="session",
        format_func=lambda name: plain(known[name]),
    )  # fmt: skip
    st.query_params["section"] = st.session_state["results_section_asked"] = str(picked)
    return str(picked)


def instrument_choice(used: list[str], key: str) -> str:
    if len(used) == 1:
        return used[0]
    return str(
        st.selectbox(
            _("Instrument"), used, key=key, format_func=results_words.instrument_name, width=420, persist_state="session"
        )
    )  # fmt: skip


# ---- sections ------------------------------------------------------------------------------------


def trust(table: str, instrument: str, voice: Voice) -> None:
    """The trust label of the total, in one line, and those of its dimensions on demand."""
    if voice.kind not in JUDGES:
        return
    trust_table.head(table, instrument, voice)


def versions(held: Mapping[int, Held]) -> None:
    """Say where sessions of one role card were held with several versions of it."""
    if n := mixed_versions(held.values()):
        layout.notice(
            many("{n} role card was used in more than one version; its sessions count as one role.",
                 "{n} role cards were used in more than one version; the sessions of each count as one role.", n),
            "warning",
        )  # fmt: skip


def compared(study: int, which: str, place: DeltaGenerator) -> None:
    rows = results_data.comparisons(study).rows
    with place:
        instrument = instrument_choice(list(dict.fromkeys(rows["instrument"])), "results_compared_with")
        voice = results_picking.voice(
            voices(rows[rows["instrument"] == instrument]), "results_judge"
        )
    trust("comparison", instrument, voice)
    found = results_data.contested(study, instrument, voice)
    versions(found.held)
    if which == WINS:
        results_wins.section(found)
    else:
        results_dimensions.section(found)
    interval_words.how(interval_words.HOW_ROLES)


def rated(study: int, which: str, place: DeltaGenerator) -> None:
    with place:
        used = results_data.rated_with(study) if which == REPEATS else [which]
        instrument = instrument_choice(used, "results_repeats_of")
        voice = results_picking.voice(results_data.rating_voices(study, instrument), "results_rater")
    trust("rating", instrument, voice)
    versions(results_data.heard(study, instrument, voice).held)
    if which == REPEATS:
        results_repeats.section(study, instrument, voice)
    else:
        results_items.section(study, instrument, voice)
    interval_words.how(interval_words.HOW_ICC if which == REPEATS else interval_words.HOW_MEANS)


def one(kind: str, id: int) -> None:
    """A single comparison or rating, by its address."""
    resources.require("groups")
    try:
        (results_detail.comparison if kind == "comparison" else results_detail.rating)(id)
    except NotFound as error:
        layout.problem(error)


def page() -> None:
    known = results_data.studies()
    if not known:
        nothing()
        left_out.tell(results_data.left_out(results_data.ALL))
        return
    for kind in ("comparison", "rating"):
        if (id := asked(kind)) is not None:
            head([])
            one(kind, id)
            return
    wanted = asked("study")
    head(results_data.engines(wanted if wanted in known else next(iter(known))))
    if wanted is not None and wanted not in known:
        layout.notice(_("Study {n} has no results yet. Here is the newest that has some.").format(n=wanted), "warning")
        left_out.tell(results_data.left_out(wanted))
    choices = st.container(horizontal=True, vertical_alignment="bottom")
    with choices:
        study = study_choice(known)
    left_out.tell(results_data.left_out(study))
    show = sections(study)
    if not show:
        with st.container(border=True):
            layout.lead_card(
                _("No figures of this study are left"),
                _("It was judged, but every session in it was withdrawn or is without consent to group figures. Nothing was deleted."),
            )
        return
    which = section_choice(show)
    (compared if which in (WINS, RADAR) else rated)(study, which, choices)


if not resources.may("groups"):
    head([])
    layout.empty(
        _("Results of a group are the researcher's"),
        _("Sessions of your own, with what was said of them, are on the page Sessions."),
        _("Open Sessions"), "sessions.py", key="results_counselor",
    )  # fmt: skip
else:
    page()
