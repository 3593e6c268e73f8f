"""One comparison or one rating: reasoning, quotes lit up in the transcript, and the call that made it."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from core import instruments
from core.results import quoted, reading
from core.results.scores import item_values
from core.results.voices import JUDGES, frame_of, of_voice, voices
from pages.components import (
    badges,
    layout,
    looking,
    resources,
    results_call,
    results_data,
    results_words,
    session_view,
    transcript,
    trust_words,
)
from pages.components.reasons import reason_words
from pages.components.results_words import dimension_name, rater_kind
from pages.components.words import _, language, many, plain
from storage import tables

Row = Mapping[str, Any]


def back(name: str) -> None:
    """The way up again."""
    if st.button(_("Back to the results"), key="results_back", icon=":material/arrow_back:", type="tertiary"):
        del st.query_params[name]
        st.rerun()


def engine_of(row: Row) -> str:
    return {"rules": "demo", "model": "openai", "person": "person", "consensus": "person"}.get(
        row["rater_kind"], "imported"
    )


def facts(row: Row) -> list[tuple[str, object]]:
    used = results_words.instrument_name(row["instrument"])
    return [
        (_("Judged by"), f"{results_words.rater_name(row['rater'], row['rater_kind'], row['agent_hash'])} · {rater_kind(row['rater_kind'])}"),
        (_("Instrument"), _("{name}, version {n}").format(name=used, n=row["instrument_version"])),
        (_("Repeat"), row["repeat"]),
    ]  # fmt: skip


def quotes_of(row: Row, session: int | None = None) -> list[dict[str, Any]]:
    """Quotes numbered over the whole row, then those of one session."""
    numbered = [{**quote, "number": at} for at, quote in enumerate(row["quotes"], 1)]
    return [q for q in numbered if session is None or q.get("session") == session]


def evidence_note(row: Row, neutral: float | None = None) -> None:
    """What has to be said of the quotes: none found, or some not; nothing where none were asked for."""
    if quoted.lacking(row, neutral):
        layout.notice(_("No quote that supports this was found in the transcript. The value is kept, and marked."), "warning")
    lost = [q for q in row["quotes"] if q.get("status") not in ("exact", "normalised")]
    if lost and row["verified"]:
        layout.notice(many("{n} quote was not found in the transcript", "{n} quotes were not found in the transcript", len(lost)), "warning")  # fmt: skip


# ---- a comparison --------------------------------------------------------------------------------


def comparison(id: int) -> None:
    store = resources.store()
    row = reading.reading(store, "comparison", id)
    back("comparison")
    used = instruments.load(row["instrument"], row["instrument_version"])
    sessions = [resources.see(store.sessions.get(row[name])) for name in ("first_id", "second_id")]
    looking.at(*(("session", session.id or 0) for session in sessions))
    held = reading.sessions(store, [row["first_id"], row["second_id"]])
    names = results_words.counselors()
    called = [names.get(held[s.id or 0].counselor, held[s.id or 0].counselor) for s in sessions]
    layout.card_title(
        _("{dimension}: {verdict}").format(
            dimension=dimension_name(used, row["dimension"]), verdict=verdict_words(row, called)
        ),
        over=_("Comparison {n} · {a} was shown first, {b} second").format(n=id, a=called[0], b=called[1]),
    )
    badges.row([badges.engine(engine_of(row)), *trust_of(row, "comparison")])
    other_order(row)
    layout.muted(used.dimension(row["dimension"]).definition.of(language()))
    reasoning(row, _("A is {a}, B is {b}").format(a=called[0], b=called[1]))
    for session, name in zip(sessions, called, strict=True):
        if own := quotes_of(row, session.id):
            layout.muted(_("Quotes from {name}").format(name=name))
            transcript.quote_list(own, key=f"s{session.id}", text_language=session.language)
    evidence_note(row)
    side_by_side(sessions, row, called)
    layout.facts(facts(row))
    results_call.call(row)


def verdict_words(row: Row, called: Sequence[str]) -> str:
    if row["verdict"] == "won":
        return _("the verdict is for {name}").format(
            name=called[0] if row["winner_id"] == row["first_id"] else called[1]
        )
    return _("tie") if row["verdict"] == "tie" else _("could not be read")


def other_order(row: Row) -> None:
    """The same question of the same voice with the sessions the other way round."""
    found = of_same_voice(row, resources.store().comparisons.rows(
        first_id=row["second_id"], second_id=row["first_id"], instrument=row["instrument"], dimension=row["dimension"],
        repeat=row["repeat"],
    ))  # fmt: skip
    if not found:
        layout.muted(_("This question was put in one order only."))
        return
    other = found[-1]
    alike = (other["verdict"], other["winner_id"]) == (row["verdict"], row["winner_id"])
    with st.container(horizontal=True, vertical_alignment="center"):
        layout.muted(
            _("The other order gave the same verdict.") if alike else _("The other order gave another verdict, so this is a tie, counted under “orders disagree”.")
            if "unscored" not in (row["verdict"], other["verdict"]) else _("One of the two orders could not be read, so the question is undecided.")
        )  # fmt: skip
        if st.button(_("Read the other order"), key="results_other", type="tertiary"):
            st.query_params["comparison"] = str(other["id"])
            st.rerun()


def side_by_side(sessions: Sequence[tables.Session], row: Row, called: Sequence[str]) -> None:
    grid = st.grid(2, min_column_width=340)
    for session, name in zip(sessions, called, strict=True):
        with grid.cell():
            layout.card_title(name, over=_("Session {n}").format(n=session.id))
            with st.container(height=520, border=True, key=f"results_session_{session.id}"):
                read(session, quotes_of(row, session.id))
            layout.link("sessions.py", _("Open this session"), {"session": session.id})


def read(session: tables.Session, quotes: Sequence[Mapping[str, Any]]) -> None:
    transcript.draw(
        resources.store().sessions.turns(session.id or 0), quotes, names=session_view.names(session),
        text_language=session.language, key=f"s{session.id}", cut_at=session.cut_at,
    )  # fmt: skip


# ---- a rating ------------------------------------------------------------------------------------


def rating(id: int) -> None:
    store = resources.store()
    row = reading.reading(store, "rating", id)
    back("rating")
    used, session = instruments.load(row["instrument"], row["instrument_version"]), resources.see(store.sessions.get(row["session_id"]))
    looking.at(("session", session.id or 0))
    item = used.item(row["item"])
    held = reading.sessions(store, [row["session_id"]])[row["session_id"]]
    counselor = results_words.counselors().get(held.counselor, held.counselor)
    grid = st.grid(2, min_column_width=380)
    with grid.cell():
        layout.card_title(
            f"{results_words.item_name(used, item.id)}: {item.text.of(language())}",
            over=_("Rating {n} · {dimension} · {counselor}, session {s}").format(
                n=id, dimension=dimension_name(used, item.dimension), counselor=counselor, s=session.id
            ),
        )
        badges.row([badges.engine(engine_of(row)), *trust_of(row, "rating")])
        value(row, item)
        repeats(row)
        reasoning(row)
        transcript.quote_list(quotes_of(row), key=f"s{session.id}", text_language=session.language)
        evidence_note(row, item.no_evidence)
        layout.facts(facts(row))
        results_call.call(row)
    with grid.cell(), st.container(height=720, border=True, key="transcript"):
        read(session, quotes_of(row))
    layout.link("sessions.py", _("Open this session"), {"session": session.id})


def trust_of(row: Row, table: str) -> list[badges.Badge]:
    """The label of the voice that gave this, on this very item or dimension and sessions of this kind; people have none."""
    if row["rater_kind"] not in JUDGES:
        return [badges.fact(rater_kind(row["rater_kind"]), "person")]
    (voice,) = voices(frame_of([row]))
    of = row["item"] if table == "rating" else row["dimension"]
    sessions = [row["session_id"]] if table == "rating" else [row["first_id"], row["second_id"]]
    made = results_data.kind_of(sessions)
    return trust_words.badges_of(results_data.label(table, row["instrument"], voice, of), ratings=table == "rating", made=made)


def of_same_voice(row: Row, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of these rows those that count of the voice that gave this one."""
    if not rows:
        return []
    (voice,) = voices(frame_of([row]))
    kept = set(of_voice(frame_of(rows), voice)["id"])
    return [one for one in rows if one["id"] in kept]


def value(row: Row, item: instruments.Item) -> None:
    """The value with the words of its anchor; the raw value too where the item is keyed the other way."""
    if row["value"] is None:
        layout.notice(_("Unscored: {why}").format(why=reason_words(row["reason"]) or _("no value was given")), "warning")
        return
    anchors = {level.value: level.anchor for level in item.levels}
    anchor = anchors.get(row["value"])
    words = _("{value} of {most}").format(value=number(row["value"]), most=number(item.highest))
    layout.lead_card(words, anchor.of(language()) if anchor else "")
    if item.reversed:
        layout.muted(_("This item is keyed the other way round: {raw} as given counts as {score}.").format(raw=number(row["value"]), score=number(row["score"])))  # fmt: skip


def number(value: float) -> str:
    return str(instruments.plain(value))


def repeats(row: Row) -> None:
    """The other repeats of the same voice on the same session and item."""
    rows = resources.store().ratings.rows(session_id=row["session_id"], item=row["item"], instrument=row["instrument"])
    every = sorted(of_same_voice(row, rows), key=lambda one: one["repeat"])
    found: Any = item_values(frame_of(every)).to_dict("records")[0]
    if found["asked"] < 2:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        layout.muted(
            _("Repeats of this rating, mean {mean} ({readable} of {asked} readable):").format(
                mean=f"{found['value']:.2f}" if found["value"] == found["value"] else "–", readable=found["readable"], asked=found["asked"]
            )
        )
        for one in every:
            shown = number(one["score"]) if one["score"] is not None else "–"
            if st.button(
                plain(f"{one['repeat']}: {shown}"),
                key=f"results_repeat_{one['id']}",
                disabled=one["id"] == row["id"],
                type="tertiary",
            ):
                st.query_params["rating"] = str(one["id"])
                st.rerun()
    if row["rater_kind"] == "rules":
        layout.muted(_("A repeat of a demo rater reads a seeded four fifths of the turns."))


def reasoning(row: Row, letters: str = "") -> None:
    if row["reasoning"]:
        layout.card_title(_("Reasoning"), over=letters)
        transcript.text(row["reasoning"], text_language=row["language"])
    elif row["reason"]:
        layout.notice(_("Unscored: {why}").format(why=reason_words(row["reason"])), "warning")
