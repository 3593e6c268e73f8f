"""Results: which counselor does better, in which stage, and how sure is it; from any number down to its quotes."""

import streamlit as st

from core.results import labels
from core.results.agreements import Voice
from core.results.trust import Trust
from pages.components import (
    badges,
    layout,
    results_data,
    results_detail,
    results_wins,
    results_words,
)
from pages.components.words import _

WINS, RADAR, REPEATS = "wins", "radar", "repeats"


def asked(name: str) -> int | None:
    given = st.query_params.get(name, "")
    return int(given) if given.isdigit() else None


def study_choice(known: dict[int, str]) -> int:
    """The study of the address, else the newest; the address follows the choice."""
    kept = list(known)
    wanted = asked("study")
    if st.session_state.get("results_study") not in kept:
        st.session_state["results_study"] = wanted if wanted in kept else kept[0]
    study = st.selectbox(
        _("Study"), kept, key="results_study", format_func=lambda id: study_name(id, known[id])
    )
    st.query_params["study"] = str(study)
    return int(study)


def study_name(id: int, name: str) -> str:
    return _("Study {n}: {name}").format(n=id, name=name) if id else _("Everything in this workbench")


def voice_choice(voices: list[Voice], key: str) -> Voice:
    """One judge at a time: kinds of raters, and ways of rating, are never pooled."""
    by_key = {voice.key: voice for voice in voices}
    if st.session_state.get(key) not in by_key:
        st.session_state[key] = next(iter(by_key))
    picked = st.selectbox(
        _("Judge"), list(by_key), key=key, format_func=lambda name: results_words.voice_name(by_key[name])
    )
    return by_key[picked]


def sections(study: int) -> dict[str, str]:
    found: dict[str, str] = {}
    if len(results_data.comparisons(study).rows):
        found |= {WINS: _("Win rates"), RADAR: _("Dimensions")}
    return found


def head(engine: str = "") -> None:
    layout.title(
        _("Results"),
        _(
            "Which counselor does better, in which stage, and how sure is it? Choose a number to read the evidence."
        ),
        [badges.engine(engine)] if engine else [],
    )


def nothing() -> None:
    head()
    layout.empty(
        _("Nothing has been judged yet"),
        _("A study compares counselors on nine dimensions and rates the alliance on twelve items; people can rate too. Their numbers appear here."),
        _("Open Studies"), "studies.py", key="results_empty",
    )  # fmt: skip


def compared(study: int) -> None:
    frame = results_data.comparisons(study)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        used = list(dict.fromkeys(frame.rows["instrument"]))
        instrument = used[0]
        if len(used) > 1:
            instrument = st.selectbox(
                _("Instrument"), used, key="results_compared_with", format_func=results_words.instrument_name
            )
        own = frame.rows[frame.rows["instrument"] == instrument]
        voice = voice_choice(labels.comparison_voices(own), "results_judge")
    trust(results_data.label("comparison", instrument, voice), voice, ratings=False)
    results_wins.section(results_data.contested(study, instrument, voice), study)


def trust(label: Trust, voice: Voice, *, ratings: bool) -> None:
    if voice.kind in labels.WITH_LABEL:
        with st.container(horizontal=True, vertical_alignment="center"):
            badges.draw(results_words.trust_badge(label, ratings))
            layout.muted(results_words.trust_words(label, ratings))


def page() -> None:
    known = results_data.studies()
    if not known:
        nothing()
        return
    head()
    if (id := asked("comparison")) is not None:
        results_detail.comparison(id, asked("study") or 0)
        return
    if (id := asked("rating")) is not None:
        results_detail.rating(id, asked("study") or 0)
        return
    study = study_choice(known)
    compared(study)


page()
