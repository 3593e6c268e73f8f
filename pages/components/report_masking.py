"""Reviewing what is masked in a report: the text with its marks, the mark at hand, a list, and the person's word."""

from collections import Counter
from typing import Any

import streamlit as st

from core.errors import WorkbenchError
from core.reports import marking, masking, service
from core.reports.components import PARTS
from core.reports.drafts import shown_hash
from core.reports.masking import Span
from pages.components import layout, passage, resources, reviewing, transcript
from pages.components.words import _, plain
from storage import tables

SEEN = "reports_seen_{id}"
ADDED = ("name", "organisation", "address", "phone", "date", "other")


def kind_names() -> dict[str, str]:
    return {
        "name": _("Person's name"), "phone": _("Phone"), "email": _("E-mail"), "account": _("Account"), "id": _("Number"),
        "address": _("Address"), "organisation": _("Work, school, clinic"), "date": _("Date"), "age": _("Age"),
        "other": _("Other"),
    }  # fmt: skip


def review(report: tables.Report) -> None:
    """The step in which a person goes through the marks and confirms."""
    store, id = resources.store(), report.id or 0
    parts, spans = service.unmasked(store, id)
    hash = shown_hash(parts, spans)
    shown = reviewing.seen(SEEN.format(id=id), hash)  # what a click or key of this run was about
    flat = [(part, span) for part in PARTS for span in spans.get(part, [])]
    now = min(int(st.session_state.get("reports_mark", 0)), max(0, len(flat) - 1))
    grid = st.grid(3, min_column_width=250)
    with grid.cell(column_span=2), st.container(border=True):
        saved = st.segmented_control(
            _("Shown"), ["marks", "saved"], format_func=lambda view: _("As saved") if view == "saved" else _("Marks"),
            default="marks", required=True, label_visibility="collapsed", key="reports_shown",
        )  # fmt: skip
        if saved == "saved":
            masked = [(part, masking.apply(parts[part], spans.get(part, []))) for part in PARTS if parts[part]]
            transcript.report(masked, text_language=report.language)
        else:
            marked(report, shown, parts, spans, flat, now)
    with grid.cell():
        at_hand(report, shown, parts, spans, flat, now)
        found(flat)
        missed(report, shown, parts, spans)
        confirm(report, shown, hash)


def marked(report: tables.Report, shown: str, parts: dict[str, str], spans: dict[str, list[Span]], flat: list[Any], now: int) -> None:
    """The text itself: select what was missed; M masks, K keeps, J goes on."""
    names, kinds = transcript.component_names(), kind_names()
    numbers = {part: number for number, part in enumerate(PARTS, start=1)}
    blocks = passage.parts_of([(numbers[part], names[part], parts[part]) for part in PARTS if parts[part]])
    marks = [
        {
            "turn": numbers[part], "start": span.start, "end": span.end, "kind": "kept" if span.kept else "mask",
            "note": f"{kinds[span.kind]} → {_('kept') if span.kept else span.replacement}", "now": place == now,
        }
        for place, (part, span) in enumerate(flat)
    ]  # fmt: skip
    done = passage.show(blocks, marks, key="reports_text", keys=("m", "k", "j"), text_language=report.language, height=560)
    if done.picked is not None and done.picked.text.strip():
        kind = str(st.session_state.get("reports_add_kind") or "other")
        keep(report, shown, marking.add(parts, spans, done.picked.text.strip(), kind, report.language))
    elif done.key == "j":
        step(now, len(flat))
    elif done.key in ("m", "k") and flat:
        st.session_state["reports_mark"] = (now + 1) % len(flat)
        part, span = flat[now]
        keep(report, shown, marking.decide(parts, spans, parts[part][span.start : span.end], span.replacement, done.key == "k"))


def step(now: int, of: int) -> None:
    st.session_state["reports_mark"] = (now + 1) % max(1, of)
    st.rerun()


def keep(report: tables.Report, shown: str, spans: dict[str, list[Span]]) -> None:
    """Every decision is saved at once, so a refresh loses none; one about a text that changed meanwhile is not."""
    store, id = resources.store(), report.id or 0
    try:
        resources.require("change", report)
        service.save_masking(store, id, shown, spans)
    except WorkbenchError as error:
        layout.problem(error)
        return
    reviewing.seen(SEEN.format(id=id), shown_hash(*service.unmasked(store, id)))  # changed here: nothing to be surprised by
    st.rerun()


def at_hand(report: tables.Report, shown: str, parts: dict[str, str], spans: dict[str, list[Span]], flat: list[Any], now: int) -> None:
    """The mark at hand, with what can be done about it."""
    with st.container(border=True):
        if not flat:
            layout.card_title(_("Nothing was found"))
            layout.muted(_("Read the text; select what names a person, a place of work or a number."))
            return
        part, span = flat[now]
        words = parts[part][span.start : span.end]
        layout.card_title(words, over=_("Mark {n} of {all}").format(n=now + 1, all=len(flat)))
        layout.facts([(_("Kind"), kind_names()[span.kind]), (_("Becomes"), _("kept") if span.kept else span.replacement)])
        with st.container(horizontal=True, gap="small"):
            if st.button(_("Mask") + " · M", key="reports_mask", type="secondary" if span.kept else "primary", icon=":material/visibility_off:"):
                keep(report, shown, marking.decide(parts, spans, words, span.replacement, False))
            if st.button(_("Keep") + " · K", key="reports_keep", type="primary" if span.kept else "secondary", icon=":material/visibility:"):
                keep(report, shown, marking.decide(parts, spans, words, span.replacement, True))
        if st.button(_("Next") + " · J", key="reports_next", type="tertiary", icon=":material/arrow_downward:"):
            step(now, len(flat))


def found(flat: list[Any]) -> None:
    """How many of each kind are masked and kept."""
    if not flat:
        return
    names = kind_names()
    masked = Counter(span.kind for _part, span in flat if not span.kept)
    kept = Counter(span.kind for _part, span in flat if span.kept)
    with st.container(border=True):
        layout.card_title(_("Found in this report"))
        layout.facts(
            [
                (names[kind], _("{masked} masked, {kept} kept").format(masked=masked[kind], kept=kept[kind]))
                for kind in names if masked[kind] or kept[kind]
            ]
        )  # fmt: skip


def missed(report: tables.Report, shown: str, parts: dict[str, str], spans: dict[str, list[Span]]) -> None:
    """The way without selecting: type what was missed; it is masked wherever it stands."""
    with st.container(border=True):
        layout.card_title(_("Something missed?"))
        layout.muted(_("Select it in the text, or paste it here. It is masked wherever it stands."))
        st.selectbox(_("Kind"), ADDED, format_func=lambda kind: kind_names()[kind], key="reports_add_kind")
        said = st.text_input(_("Name, place, number"), key="reports_add").strip()
        if st.button(_("Mask it"), key="reports_add_go", icon=":material/visibility_off:", disabled=not said):
            if any(marking.everywhere(parts, said).values()):
                kind = str(st.session_state["reports_add_kind"])
                keep(report, shown, marking.add(parts, spans, said, kind, report.language))
            else:
                layout.notice(_("These words do not stand in the report."), "warning")


def confirm(report: tables.Report, shown: str, hash: str) -> None:
    """The person's word, about the text this tab showed: the tick is taken off when somebody else changed it."""
    if shown != hash:
        st.session_state["reports_read"] = False
        layout.notice(_("The report was changed elsewhere meanwhile. Read it again as it is now, then confirm it."), "warning")
    read = st.checkbox(_("I have read the whole report."), key="reports_read")
    confirmed = st.button(_("Confirm and save"), key="reports_confirm", type="primary", icon=":material/check:", disabled=not read, width="stretch")
    made_up = st.button(
        _("No real person stands behind it"), key="reports_made_up", type="tertiary", disabled=not read, width="stretch",
        help=_("For invented reports, such as examples. With “Confirm and save” you say that nobody can be recognized."),
    )  # fmt: skip
    if not (confirmed or made_up):
        return
    say = service.confirm_made_up if made_up else service.confirm_masking
    try:
        resources.require("confirm", report)
        say(resources.store(), report.id or 0, resources.person(), shown)
    except WorkbenchError as error:
        layout.problem(error)
        return
    st.query_params.pop("step", None)
    st.toast(plain(_("Saved. The text may now be used with any engine.")))
    st.rerun()
