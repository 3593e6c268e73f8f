"""Agreement: how far can each rater be trusted; judges beside people, people among themselves, or a table of one's own."""

import streamlit as st

from core.results.voices import JUDGES, Voice, voices
from pages.components import (
    agreement_store,
    agreement_upload,
    agreement_verdicts,
    layout,
    left_out,
    resources,
    results_data,
    results_picking,
    results_repeats,
    results_words,
)
from pages.components.results_data import ALL
from pages.components.words import _

SECTIONS = ("judge", "people", "repeats", "verdicts", "file")


def head() -> None:
    layout.title(
        _("Agreement"),
        _("How far can each rater be trusted? Judges are compared with people on the same sessions."),
    )


def section_choice() -> str:
    names = {
        "judge": _("Judge and people"), "people": _("Between people"), "repeats": _("Repeats"),
        "verdicts": _("Comparisons"), "file": _("From a file"),
    }  # fmt: skip
    wanted = st.query_params.get("section", "")
    anew = wanted and wanted != st.session_state.get("agreement_section_asked")
    if anew or "agreement_section" not in st.session_state:
        st.session_state["agreement_section"] = wanted if wanted in SECTIONS else SECTIONS[0]
    picked = st.segmented_control(
        _("Show"), list(SECTIONS), key="agreement_section", required=True, format_func=lambda one: names[one],
        label_visibility="collapsed", persist_state="session",
    )  # fmt: skip
    st.query_params["section"] = st.session_state["agreement_section_asked"] = str(picked)
    return str(picked)


def no_judge() -> None:
    layout.empty(
        _("No judge has rated a session yet"),
        _("Let a study rate some sessions, and have people rate the same ones. Or choose “From a file” for a table of your own."),
        _("Open Studies"), "studies.py", key="agreement_empty",
    )  # fmt: skip


def chosen_instrument(used: list[str]) -> str:
    return str(
        st.selectbox(
            _("Instrument"), used, key="agreement_instrument", format_func=results_words.instrument_name, width=420,
            persist_state="session",
        )
    )  # fmt: skip


def judges(instrument: str) -> list[Voice]:
    return [voice for voice in results_data.rating_voices(ALL, instrument) if voice.kind in JUDGES]


def judge_and_people(repeats: bool) -> None:
    used = [name for name in results_data.rated_with(ALL) if judges(name)]
    if not used:
        no_judge()
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        instrument = chosen_instrument(used)
        voice = results_picking.voice(judges(instrument), "agreement_judge_voice")
    if repeats:
        results_repeats.section(ALL, instrument, voice)
    else:
        agreement_store.judge_and_people(instrument, voice)


def people() -> None:
    ways: dict[str, tuple[str, int, str]] = {}
    for instrument in results_data.rated_with(ALL):
        for voice in results_data.rating_voices(ALL, instrument):
            if voice.kind == "person":
                key = f"{instrument}.{voice.version}.{voice.language}"
                ways[key] = (instrument, voice.version, voice.language)
    if not ways:
        layout.empty(
            _("No person has rated a session yet"),
            _("The agreement of people is the ceiling for every judge. Bring their ratings in as a table under “From a file”, “Keep with the sessions here”."),
            key="agreement_no_people",
        )  # fmt: skip
        return
    picked = st.selectbox(
        _("Instrument"), list(ways), key="agreement_way", width=500, persist_state="session",
        format_func=lambda key: _("{name}, version {n}").format(
            name=results_words.instrument_name(ways[key][0]), n=f"{ways[key][1]} · {ways[key][2]}"
        ),
    )  # fmt: skip
    agreement_store.between_people(*ways[picked])


def verdicts() -> None:
    rows = results_data.comparisons(ALL).rows
    known = (
        [voice for voice in voices(rows) if voice.kind in JUDGES]
        if len(rows)
        else []
    )
    if not known:
        layout.empty(
            _("No judge has compared sessions yet"),
            _("Let a study compare counselors, and have people compare the same pairs."),
            _("Open Studies"), "studies.py", key="agreement_no_verdicts",
        )  # fmt: skip
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        used = list(dict.fromkeys(rows["instrument"]))
        instrument = chosen_instrument(used) if len(used) > 1 else used[0]
        own = voices(rows[rows["instrument"] == instrument])
        voice = results_picking.voice(
            [one for one in own if one.kind in JUDGES], "agreement_comparing_voice"
        )
    agreement_verdicts.verdicts(instrument, voice)


def page() -> None:
    head()
    if not resources.may("groups"):
        layout.empty(
            _("Agreement of raters is the researcher's"),
            _("Sessions of your own, with what was said of them, are on the page Sessions."),
            _("Open Sessions"), "sessions.py", key="agreement_counselor",
        )  # fmt: skip
        return
    which = section_choice()
    if which != "file":
        left_out.tell(results_data.left_out(ALL))
    if which == "file":
        agreement_upload.section()
    elif which == "people":
        people()
    elif which == "verdicts":
        verdicts()
    else:
        judge_and_people(repeats=which == "repeats")


page()
