"""What stands beside a session: faults found, its place in a series, and what raters said of it."""

from collections import defaultdict
from dataclasses import replace
from datetime import date
from typing import Any

import pandas as pd
import streamlit as st

from core import instruments
from core.errors import NotFound, WorkbenchError, stored
from core.people import agreements
from core.results.scores import item_values
from core.results.voices import JUDGES, Voice, frame_of, of_voice, voices
from pages.components import badges, layout, resources, results_data, results_words, transcript, trust_words
from pages.components.reasons import reason_words
from pages.components.words import _, language, say
from storage import tables


def faults(session: tables.Session) -> None:
    """What the checks found in a rebuilt dialogue, in words."""
    told = [fault for fault in session.faults if "message" in fault]
    if not told or session.origin != "reconstructed":
        return
    with st.container(border=True):
        layout.card_title(_("Checked against the rules"), icon="rule")
        for fault in told:
            st.text(say(stored(fault)))


def series(session: tables.Session) -> None:
    """Codes, number and date: what makes sessions a series of one client with one counselor."""
    store = resources.store()
    with st.container(border=True):
        layout.card_title(_("In a series"))
        layout.facts(
            [
                (_("Client"), session.client_code or "–"), (_("Counselor"), session.counselor_code or "–"),
                (_("Number"), session.number or "–"), (_("Date"), session.date or "–"),
            ]
        )  # fmt: skip
        if not resources.may("change", session):
            return
        with st.popover(_("Change"), type="tertiary"), st.form("sessions_series", border=False):
            client = st.text_input(_("Client's code"), session.client_code, max_chars=40)
            counselor = st.text_input(
                _("Counselor's code"), session.counselor_code, max_chars=40, disabled=not resources.is_researcher(),
                help=None if resources.is_researcher() else _("A researcher can give it to another counselor."),
            )  # fmt: skip
            number = st.number_input(_("Session number"), 0, 9999, session.number or 0, help=_("0: none"))
            held = st.date_input(_("Date"), as_date(session.date), min_value=date(1950, 1, 1))
            if st.form_submit_button(_("Save"), type="primary"):
                resources.require("change", session)
                agreements.set_codes(
                    store, "session", session.id or 0, client_code=client.strip(), counselor_code=counselor.strip(),
                    number=int(number) or None, date=held.isoformat() if held else "",
                )  # fmt: skip
                st.rerun()


def as_date(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def judged(session: tables.Session) -> None:
    """Mean of the readable ratings, voice by voice (who and how) and instrument by instrument; never pooled."""
    rows = resources.store().ratings.rows(session_id=session.id)
    with st.container(border=True):
        layout.card_title(_("Rated"))
        if not rows:
            layout.muted(_("Nobody and nothing has rated this session yet. A study does, for many sessions at once.") if resources.may("study") else _("Nobody and nothing has rated this session yet."))
            if resources.may("study"):
                layout.link("studies.py", _("Studies"))
            return
        for instrument in dict.fromkeys(row["instrument"] for row in rows):
            frame = frame_of(row for row in rows if row["instrument"] == instrument)
            for voice in voices(frame):
                counted = set(of_voice(frame, voice)["id"])
                rated_by(session, instrument, voice, [row for row in rows if row["id"] in counted])
        studies = [row["study_id"] for row in rows if row["study_id"]]
        if studies and resources.may("groups"):
            layout.link("results.py", _("See them in Results"), {"study": studies[-1]})


def rated_by(session: tables.Session, instrument: str, voice: Voice, rows: list[dict[str, Any]]) -> None:
    """What one voice said of the session, and how far it can be trusted."""
    layout.card_title(results_words.voice_name(voice), over=instrument_name(instrument))
    if voice.kind in JUDGES:
        known = instrument in instruments.catalogue()
        trust = trust_of(session, instrument, voice) if known else []
        badges.row([made_by(voice, rows), *trust])
    st.dataframe(items(instrument, voice.version, rows), hide_index=True, height="content")
    if how := scale_words(instrument):
        layout.muted(how)
    evidence(session, instrument, voice.version, rows)


def trust_of(session: tables.Session, instrument: str, voice: Voice) -> list[badges.Badge]:
    """The label of the total, on sessions of this one's kind."""
    made = results_data.kind_of([session.id or 0])
    return trust_words.badges_of(results_data.label("rating", instrument, voice), ratings=True, of=_("Total"), made=made)


def made_by(voice: Voice, rows: list[dict[str, Any]]) -> badges.Badge:
    """The engine that rated, with the versions it had."""
    kind = "demo" if voice.kind == "rules" else "openai"
    versions = list(dict.fromkeys(row["engine_version"] for row in rows if row["engine_version"]))
    mark = badges.engine(kind)
    if not versions:
        return mark
    return replace(mark, words=_("{engine}, version {version}").format(engine=mark.words, version=_(", ").join(versions)))


def evidence(session: tables.Session, instrument: str, version: int, rows: list[dict[str, Any]]) -> None:
    """Why each item was rated so: the reasoning and the quotes of each repeat, linked to their turns."""
    told = [row for row in rows if row["reasoning"] or row["quotes"] or row["reason"]]
    if not told:
        return
    by_item: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in told:
        by_item[row["item"]].append(row)
    with st.expander(_("Reasons and quotes"), icon=":material/format_quote:"):
        for item, given in by_item.items():
            layout.card_title(item_words(instrument, version, item), over=item_name(instrument, item))
            for row in given:
                shown = "–" if row["score"] is None else f"{row['score']:g}"
                layout.muted(_("Repeat {n}: {value}").format(n=row["repeat"], value=shown))
                if row["reason"]:
                    st.text(reason_words(row["reason"]))
                transcript.text(row["reasoning"], text_language=row["language"], small=True)
                transcript.quote_list(row["quotes"], key="turn", text_language=session.language)


def item_words(instrument: str, version: int, item: str) -> str:
    """An item as this version words it; its id where the instrument is not here."""
    try:
        return next((one.text.of(language()) for one in instruments.load(instrument, version).items if one.id == item), item)
    except WorkbenchError:
        return item


def item_name(instrument: str, item: str) -> str:
    """What readers see for an item; its id where the instrument is not here."""
    try:
        return results_words.item_name(instruments.load(instrument), item)
    except WorkbenchError:
        return item


def scale_words(instrument: str) -> str:
    """How to read the table: the range of the scale, and what its columns count; empty where the instrument is not here."""
    try:
        asked = instruments.load(instrument).items
    except WorkbenchError:
        return ""
    return _("From {low} to {high}. n: how often it was rated; Unscored: how often no rating could be read or the call failed. A mean needs two thirds of them.").format(
        low=f"{min(one.lowest for one in asked):g}", high=f"{max(one.highest for one in asked):g}"
    )


def items(instrument: str, version: int, rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Per item, as in Results: its wording, its score, the readable repeats, and those asked for that were not.

    No score where under two thirds of what was asked could be read, or where the item does not apply.
    """
    known = [one.id for one in instruments.load(instrument).items] if instrument in instruments.catalogue() else []
    found: Any = item_values(frame_of(rows)).to_dict("records")
    order = [*known, *(one["item"] for one in found)]
    return pd.DataFrame(
        [
            {
                _("Item"): item_name(instrument, one["item"]),
                _("Mean"): round(one["value"], 2) if one["value"] == one["value"] else None,
                _("n"): int(one["readable"]),
                _("Unscored"): int(one["asked"] - one["readable"]) if one["applies"] else 0,
                _("Asked"): item_words(instrument, version, one["item"]),
            }
            for one in sorted(found, key=lambda one: order.index(one["item"]))
        ]
    )


def instrument_name(id: str) -> str:
    try:
        return instruments.load(id).name.of(language())
    except (NotFound, WorkbenchError):
        return id
