"""Studies: choose or write a design, see what it takes, run it, and watch it."""

from collections.abc import Mapping

import pandas as pd
import streamlit as st
import yaml

from core import clearance
from core.consent import EXPORT
from core.errors import DataError, WorkbenchError
from core.files import record_id
from core.people import looks
from core.studies import own, service
from core.studies.archive import records_in
from core.studies.estimate import Estimate, estimate
from core.studies.export import export_archive
from core.studies.importing import import_archive
from core.studies.progress import standing
from pages.components import (
    layout,
    resources,
    study_draft,
    study_form,
    study_money,
    study_rereading,
    study_standing,
)
from pages.components.words import _, many
from storage import tables, units
from storage.store import Store

NEW = 0


def chosen(store: Store) -> int:
    """The study of the address, or a new one."""
    rows = sorted(store.studies.all(), key=lambda study: -(study.id or 0))
    who = store.persons.names()
    newer = units.going_on(store)
    names = {study.id or 0: label(study, who, newer.get(study.id or 0)) for study in rows} | {NEW: _("New study")}
    asked = record_id(st.query_params.get("study", ""))
    if st.session_state.get("studies_study") not in names:
        first = NEW if study_draft.opened() else next(iter(names))  # what was being chosen is gone on with
        st.session_state["studies_study"] = asked if asked in names else first
    with st.container(horizontal=True, vertical_alignment="bottom"):
        picked = st.selectbox(_("Study"), list(names), format_func=lambda id: names[id], key="studies_study")
        if picked != NEW:
            st.button(_("New study"), key="studies_new", icon=":material/add:", on_click=begin_new)
    if picked != NEW:
        st.query_params["study"] = str(picked)
    elif "study" in st.query_params:
        del st.query_params["study"]
    return int(picked)


def label(study: tables.Study, who: Mapping[int, str], newer: int | None = None) -> str:
    """A study in one line; one that a counselor asked for, of an own session, says so, as does one that another goes on with."""
    words = f"{study.id} · {study.name}"
    if newer is not None:
        words = _("{study} (goes on as study {n})").format(study=words, n=newer)
    if own.session_of(study) is None:
        return words
    return _("{study} (asked for by {code}, of one session)").format(study=words, code=who.get(study.person_id or 0, "–"))


def begin_new() -> None:
    st.session_state["studies_study"] = NEW


def read(text: str) -> dict[str, object]:
    """The design as written. Raises DataError when it is not YAML."""
    try:
        found = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise DataError(
            "The design cannot be read: {why}. It must be YAML; nothing was started.", why=" ".join(str(error).split())
        ) from error
    if not isinstance(found, dict):
        raise DataError("The design is not a list of named fields. It needs at least a name and steps; nothing was started.")
    return found


def before_starting(store: Store, given: dict[str, object]) -> None:
    """What the design will take, from what past calls were like."""
    found, left_out = weighed(written(given), str(store.url), store.data_version())
    kinds = study_standing.kind_names()
    layout.section(_("Before you start"))
    study_money.takes(found)
    layout.muted(_(" · ").join(f"{kinds.get(kind, kind)}: {n:,}" for kind, n in found.units.items()))
    say_left_out(left_out)
    if found.unpriced:
        layout.notice(_("No price is known for {models}: the cost is not known, not 0.").format(models=", ".join(found.unpriced)), "warning")
    if found.goes_to:
        layout.notice(_("Texts go to: {names}").format(names=", ".join(found.goes_to)), "warning")


@st.cache_resource(max_entries=8, show_spinner=False)
def weighed(given: str, url: str, version: int) -> tuple[Estimate, list[str]]:
    """What a design (as YAML) will take, and why sessions are left out of it; anew when the store or the design changes.

    Raises:
        DataError: it cannot be run.
    """
    store = resources.store()
    _design, made, _drawn = service.plan(store, yaml.safe_load(given))
    return estimate(store, made), list(made.left_out.values())


def say_left_out(reasons: list[str]) -> None:
    """Sessions that would be judged, were it not for who spoke in them."""
    if n := reasons.count("not rated"):
        layout.notice(many("{n} session is not judged: somebody in it did not agree to being rated here.", "{n} sessions are not judged: somebody in them did not agree to being rated here.", n), "warning")
    if n := reasons.count("withdrawn"):
        layout.notice(many("{n} session is not judged: it was withdrawn.", "{n} sessions are not judged: they were withdrawn.", n), "warning")


def new_study(store: Store) -> None:
    """A design by choosing or as text; what it takes; one button."""
    names, begun = {"form": _("Choose"), "text": _("As text (YAML)")}, study_draft.opened()
    if begun is not None:
        study_draft.bar(begun)
    study_draft.catch_up(begun)
    way = study_draft.of("way", "form", names)
    ways = st.segmented_control(_("Design"), list(names), default=way, required=True, format_func=names.__getitem__, key=study_draft.key("way"))
    text = written_here() if ways == "text" else ""
    try:
        given = None if ways == "text" else study_form.form(store)
        study_draft.keep(begun)
        given = read(text) if ways == "text" else given
        if given is None:
            layout.notice(_("Something is still missing above."), "warning")
            return
        if ways == "form":
            st.session_state["studies_as_text"] = written(given)
        before_starting(store, given)
        with st.container(horizontal=True):
            go = st.button(_("Start"), key="studies_begin", type="primary", icon=":material/play_arrow:")
            plan = st.button(_("Save, and count what is answered already"), key="studies_plan", icon=":material/inventory_2:")
        if go or plan:
            resources.require("study")
            study_draft.check_current()
            study = service.begin(store, given, resources.person())
            study_draft.forget(study_draft.open_id())
            st.query_params["study"] = str(study.id)
            del st.session_state["studies_study"]
            (service.start(store, study.id or 0, resources.keys()) if go else service.count_known(store, study.id or 0))
            st.rerun()
    except WorkbenchError as error:
        layout.problem(error)


def written_here() -> str:
    """The design as YAML: what was chosen before, a file, or written here."""
    file = st.file_uploader(_("A design as a YAML file"), type=["yaml", "yml"], key="studies_file")
    start_with = study_draft.taken(study_draft.TEXT)
    start_with = start_with or (file.getvalue().decode("utf-8", "replace") if file else st.session_state.get("studies_as_text") or study_draft.of(study_draft.TEXT, ""))
    return st.text_area(_("Design"), start_with, height=320, key=study_draft.field(file.file_id if file else "0"))


def written(design: dict[str, object]) -> str:
    return yaml.safe_dump(design, allow_unicode=True, sort_keys=False)


def export(store: Store, id: int) -> None:
    """Everything behind the study's numbers as one file, which another workbench can bring in."""
    unread = st.checkbox(
        _("Also text that nobody has confirmed"), key="studies_unconfirmed",
        help=_("It may hold personal data: only for where it may be read. What people did not agree to export never leaves."),
    )  # fmt: skip
    if st.button(_("Prepare the export"), key="studies_export", icon=":material/folder_zip:"):
        with st.spinner(_("Collecting tables, calls, prompts and instruments …")):
            try:
                resources.require("export", store.studies.get(id))
                st.session_state["studies_zip"] = (id, unread, export_archive(store, id, unread), refused(store))
                looks.note_records(store, resources.person(), records_in(st.session_state["studies_zip"][2]), "export")
            except WorkbenchError as error:
                layout.problem(error)
    held = st.session_state.get("studies_zip")
    if held and held[:2] == (id, unread) and held[3] == refused(store):  # else somebody said something else since
        layout.muted(_("It holds made-up and confirmed text, and what people agreed to export. method.json in it counts what is left out, and why."))
        st.download_button(_("Save the export"), held[2], f"study-{id}.zip", "application/zip", key="studies_zip_save", icon=":material/download:")


def refused(store: Store) -> set[int]:
    return clearance.lacking(store, EXPORT)


def bring_in(store: Store) -> None:
    """A study exported from another workbench; its numbers stay the same."""
    with st.expander(_("Bring in an exported study"), icon=":material/upload_file:"):
        layout.muted(_("The file that “Save the export” gave. Its texts stay on this machine until you confirm them here."))
        file = st.file_uploader(_("Files"), type=["zip"], key="studies_zip_in")
        if st.button(_("Bring in"), key="studies_import", disabled=file is None) and file is not None:
            try:
                study = import_archive(store, file.getvalue())
            except WorkbenchError as error:
                layout.problem(error)
                return
            st.query_params["study"] = str(study.id)
            del st.session_state["studies_study"]
            st.rerun()


def one_study(store: Store, id: int) -> None:
    study = store.studies.get(id)
    study_standing.draw(id)
    study_rereading.offer(study)
    if study.state == "finished" and standing(store, study).answered:
        layout.next_step(
            _("Read what it shows"), _("From any number down to the quote behind it."), _("Open Results"),
            "results.py", {"study": id}, key="studies_next",
        )  # fmt: skip
    st.download_button(
        _("Download the design"), written(study.design),
        f"study-{id}.yaml", "application/yaml", key="studies_download",
    )  # fmt: skip
    export(store, id)
    if study.samples:
        layout.section(_("Samples as drawn"))
        rows = [{_("Sample"): name, _("Drawn"): str(drawn)} for name, drawn in study.samples.items()]
        st.dataframe(pd.DataFrame(rows), hide_index=True)


store = resources.store()
resources.require("study")
layout.title(_("Studies"), _("Design a study, see what it takes, and run it. Closing the browser stops nothing."))
picked = chosen(store)
if picked == NEW:
    new_study(store)
    study_money.prices(store)
    bring_in(store)
else:
    one_study(store, picked)
