"""Reports: bring a case report in, mask it, confirm it; then its note and its dialogue."""

from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st
import yaml

from core.clearance import Clearance, kind_of, kinds
from core.errors import WorkbenchError
from core.people import reviews
from core.reports import examples, service
from core.reports.components import PARTS, SHORT
from core.reports.parsing import KINDS
from pages.components import (
    asked,
    badges,
    deleting,
    layout,
    looking,
    report_making,
    report_masking,
    resources,
    reviewing,
    session_view,
    transcript,
)
from pages.components.words import _, in_words, many, plain, say
from storage import tables

LEXICONS = Path(__file__).parents[1] / "prompts" / "reports"

store = resources.store()


@st.cache_data
def labels(name: str) -> dict[str, dict[str, str]]:
    """Topics or schools with their names in both languages."""
    read: dict[str, Any] = yaml.safe_load((LEXICONS / f"{name}.yaml").read_text("utf-8"))
    return {code: {"en": entry["en"], "zh": entry["zh"]} for code, entry in read.items()}


def label_of(name: str, code: str) -> str:
    return in_words(labels(name)[code]) if code in labels(name) else "–"


def states() -> dict[str, str]:
    """What a person said of a report's text, by the kind of its words."""
    return {"unconfirmed": _("Masking not confirmed"), "confirmed": _("Masking confirmed"), "synthetic": _("Made up")}


# ---- bringing in ---------------------------------------------------------------------------------


def take(given: list[tuple[str, bytes | str]]) -> None:
    """Save what can be read at once; say of the rest why not. One new report opens by itself."""
    saved: list[tables.Report] = []
    told: list[WorkbenchError] = []
    for name, data in given:
        try:
            resources.require("import")
            taken = service.take_report(store, name, data, resources.person())
        except WorkbenchError as error:
            told.append(error)
            continue
        saved += taken.reports
        told += taken.messages
    st.session_state["reports_told"] = told
    if len(saved) == 1 and len(given) == 1:
        st.session_state["reports_mark"] = 0
        st.query_params["report"] = str(saved[0].id)
        st.rerun()
    st.session_state["reports_count"] = len(saved)
    st.rerun()


def what_happened() -> None:
    """What became of the files brought in last, once."""
    told = st.session_state.pop("reports_told", [])
    count = st.session_state.pop("reports_count", 0)
    if count:
        layout.notice(many("{n} report brought in", "{n} reports brought in", count))
    for error in told:
        st.warning(plain(say(error)), icon=":material/info:")


def bring() -> None:
    """Upload, paste, or try an example."""
    with st.container(border=True):
        layout.lead_card(
            _("Bring in a case report"),
            _("English or Chinese, one case or several in a file. It is read on this machine; personal data is marked, and nothing goes anywhere before you have read it."),
        )
        upload, paste = st.tabs([_("Upload"), _("Paste")])
        with upload:
            files = st.file_uploader(
                _("Files"), type=[kind.lstrip(".") for kind in KINDS], accept_multiple_files=True, key="reports_files"
            )
            if st.button(_("Bring in"), key="reports_read_files", type="primary", disabled=not files, icon=":material/upload_file:"):
                take([(file.name, file.getvalue()) for file in files])
        with paste:
            pasted = st.text_area(_("Text of the report"), key="reports_pasted", height=180)
            if st.button(_("Bring in"), key="reports_paste", type="primary", disabled=not pasted.strip(), icon=":material/content_paste:"):
                take([(_("Pasted report"), pasted)])
        with st.container(horizontal=True, vertical_alignment="center"):
            layout.muted(_("Try an example (invented):"))
            for number, path in enumerate(examples.files()):
                if st.button(plain(path.stem.replace("-", " ").capitalize()), key=f"reports_example_{number}", type="tertiary", icon=":material/description:"):
                    open_example(path)


def open_example(path: Path) -> None:
    """An example that is in the store already is opened again."""
    known = examples.known(store, path)
    if known is not None and resources.may("see", known):
        st.query_params["report"] = str(known.id)
        st.rerun()
    take([(path.name, path.read_bytes())])


def library() -> None:
    """All saved reports, with filters."""
    reports = resources.visible(reversed(store.reports.all()), "report")
    if not reports:
        return
    layout.section(_("Library"))
    with st.container(horizontal=True):
        language = st.selectbox(_("Language"), ["", "en", "zh"], format_func=lambda c: session_view.language_name(c) if c else _("All"), key="reports_f_language", width=150)
        topic = st.selectbox(_("Topic"), ["", *labels("topics")], format_func=lambda c: label_of("topics", c) if c else _("All"), key="reports_f_topic", width=200)
        school = st.selectbox(_("School"), ["", *labels("schools")], format_func=lambda c: label_of("schools", c) if c else _("All"), key="reports_f_school", width=220)
        state = st.selectbox(_("State"), ["", *states()], format_func=lambda c: states()[c] if c else _("All"), key="reports_f_state", width=200)
    wanted, now = {"language": language, "topic": topic, "school": school}, kinds(store, "report")
    kept = [r for r in reports if all(not value or getattr(r, name) == value for name, value in wanted.items()) and state in ("", now[r.id or 0])]
    layout.muted(_("{shown} of {all} reports").format(shown=len(kept), all=len(reports)))
    if not kept:
        return
    notes = store.notes.per("report_id")
    dialogues = store.sessions.per("report_id", origin="reconstructed", withdrawn="")
    words, languages = states(), {code: session_view.language_name(code) for code in {r.language for r in kept}}
    topics = {code: label_of("topics", code) for code in {r.topic for r in kept}}
    schools = {code: label_of("schools", code) for code in {r.school for r in kept}}
    table = pd.DataFrame(
        {
            _("Title"): [r.title for r in kept],
            _("Language"): [languages[r.language] for r in kept],
            _("Topic"): [topics[r.topic] for r in kept],
            _("School"): [schools[r.school] for r in kept],
            _("State"): [words[now[r.id or 0]] for r in kept],
            _("Notes"): [notes.get(r.id, 0) for r in kept],
            _("Dialogues"): [dialogues.get(r.id, 0) for r in kept],
        }
    )
    picked: Any = st.dataframe(table, hide_index=True, on_select="rerun", selection_mode="single-row", key="reports_table")
    if rows := picked.selection.rows:
        st.query_params["report"] = str(kept[rows[0]].id)
        st.session_state["reports_mark"] = 0
        st.rerun()


# ---- one report ----------------------------------------------------------------------------------


def head(report: tables.Report, step: str, kind: Clearance) -> None:
    number = {"components": 1, "masking": 2}.get(step, 3)
    sentence = {
        1: _("Is every part where it belongs? Correct what is not, then go on to the masking."),
        2: _("This text is confirmed. If you change a mark, nothing is sent before you confirm it again.")
        if kind is not Clearance.UNCONFIRMED
        else _("Masking is a help, not a guarantee. Read the text once through; nothing is sent before you confirm."),
        3: _("Read and confirmed. Make a note, then rebuild the dialogue."),
    }[number]
    state = badges.partly(states()[kind]) if kind is Clearance.UNCONFIRMED else badges.agrees(states()[kind])
    shown = [state] if number == 3 else [badges.fact(_("Step {n} of 3").format(n=number), "checklist"), badges.local(True)]
    layout.title(report.title, sentence, shown)
    what_happened()


def components(report: tables.Report) -> None:
    """The six components as they came, for correction; missing ones are named."""
    parts, _spans = service.unmasked(store, report.id or 0)
    names = transcript.component_names()
    missing = [names[part] for part in PARTS if not parts[part].strip()]
    if missing:
        st.warning(
            plain(_("Not found in the text: {parts}. Fill in what you have; what stays empty stays missing.").format(parts=" · ".join(missing))),
            icon=":material/info:",
        )
    if not any(parts[part].strip() for part in ("consultation_process", "experience_thoughts", "method", "type")):
        sort(report)
    with st.form("reports_components"):
        fields: dict[str, str] = {}
        with st.container(horizontal=True):
            fields["language"] = st.selectbox(_("Language"), ["en", "zh"], index=int(report.language == "zh"), format_func=session_view.language_name, key=f"reports_language_{report.id}")
            topics, schools = list(labels("topics")), list(labels("schools"))
            fields["topic"] = st.selectbox(_("Topic (suggested)"), topics, index=topics.index(report.topic) if report.topic in topics else 0, format_func=lambda c: label_of("topics", c), key=f"reports_topic_{report.id}")
            fields["school"] = st.selectbox(_("School (suggested)"), schools, index=schools.index(report.school) if report.school in schools else 0, format_func=lambda c: label_of("schools", c), key=f"reports_school_{report.id}")
            fields["client_code"] = st.text_input(_("Client's code"), report.client_code, max_chars=40, key=f"reports_client_{report.id}", width=150)
            fields["counselor_code"] = st.text_input(_("Counselor's code"), report.counselor_code, max_chars=40, key=f"reports_counselor_{report.id}", width=150, disabled=not resources.is_researcher())
        for part in PARTS:
            if part in SHORT:
                fields[part] = st.text_input(names[part], parts[part], key=f"reports_{part}_{report.id}")
            else:
                fields[part] = st.text_area(names[part], parts[part], height=220, key=f"reports_{part}_{report.id}")
        if st.form_submit_button(_("Go on to the masking"), key="reports_to_masking", type="primary", icon=":material/arrow_forward:", icon_position="right"):
            try:
                resources.require("change", report)
                service.change_components(store, report.id or 0, **fields)
            except WorkbenchError as error:
                layout.problem(error)
            else:
                st.query_params["step"] = "masking"
                st.session_state["reports_mark"] = 0
                st.rerun()


def sort(report: tables.Report) -> None:
    """No heading was found: the writing agent may sort the text."""
    with st.container(border=True):
        layout.card_title(_("No usual headings"), icon="segment")
        layout.muted(_("The writer can sort the text into the six components; the words stay the author's."))
        agent = asked.writer("reports_writer")
        if agent is not None and st.button(_("Let the writer sort it"), key="reports_sort", icon=":material/auto_awesome:"):
            changed = report_making.attempt(agent, lambda engine: service.sort_report(store, engine, report.id or 0), _("Sorting …"))
            if changed is not None:
                for part in PARTS:
                    st.session_state.pop(f"reports_{part}_{report.id}", None)
                st.rerun()


def saved(report: tables.Report) -> None:
    """A confirmed report: its text, its note, its dialogues."""
    agent = asked.writer("reports_writer")
    grid = st.grid(2, min_column_width=380)
    with grid.cell(), st.container(border=True):
        layout.facts([(_("Language"), session_view.language_name(report.language)), (_("Topic"), label_of("topics", report.topic)), (_("School"), label_of("schools", report.school)), (_("File"), report.source_name or "–")])
        with st.container(height=640, border=False):
            transcript.report([(part, getattr(report, part)) for part in PARTS if getattr(report, part)], text_language=report.language)
        with st.container(horizontal=True):
            for step, words, icon in (("components", _("Correct the components"), "edit"), ("masking", _("Review the masking"), "visibility_off")):
                if st.button(words, key=f"reports_again_{step}", type="tertiary", icon=f":material/{icon}:"):
                    st.query_params["step"] = step
                    st.rerun()
        shipped = report.content_hash in examples.hashes()
        reviewing.said(
            "report", report.id or 0, reviews.hash_of("report", report), _("the authors of this example") if shipped else ""
        )  # fmt: skip
    with grid.cell(), st.container(border=True):
        report_making.note(report, agent)
    report_making.dialogue(report, agent)


def show(report: tables.Report) -> None:
    looking.at(("report", report.id or 0))
    step, kind = st.query_params.get("step", ""), kind_of(store, "report", report.id or 0)
    if not resources.may("change", report):
        to_read(report)
        return
    if kind is Clearance.UNCONFIRMED and step not in ("components", "masking"):
        step = "components"
    head(report, step, kind)
    if step == "components":
        components(report)
        later(_("Review the masking") if kind is Clearance.UNCONFIRMED else "", "masking")
    elif step == "masking":
        report_masking.review(report)
        later(_("Back to the components"), "components")
    else:
        saved(report)
    with st.container(horizontal=True):
        all_reports()
        deleting.button("report", report.id, report.title, key="reports_delete", record=report)
    looking.who_looked(("report", report.id or 0))


def to_read(report: tables.Report) -> None:
    """The text as it is masked, for who may read it and not change it."""
    layout.title(report.title)
    transcript.report([(part, getattr(report, part)) for part in PARTS if getattr(report, part)], text_language=report.language)
    all_reports()


def all_reports() -> None:
    if st.button(_("All reports"), key="reports_all", type="tertiary", icon=":material/arrow_back:"):
        for name in ("report", "step"):
            st.query_params.pop(name, None)
        st.rerun()


def later(words: str, step: str) -> None:
    """The quiet way to the step beside this one."""
    if words and st.button(words, key="reports_other_step", type="tertiary"):
        st.query_params["step"] = step
        st.rerun()


if report := asked.record("report", store.reports.get):
    show(report)
else:
    layout.title(
        _("Reports"), _("From a counseling report to a note and a dialogue, with personal data masked first."),
        [badges.local(True)],
    )  # fmt: skip
    looking.at()
    deleting.show_receipt()
    what_happened()
    bring()
    library()
