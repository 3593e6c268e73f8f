"""Agreement from the store: a judge beside people, people among themselves, and a judge's verdicts beside theirs."""

from collections.abc import Collection, Iterable, Mapping, Sequence

import pandas as pd
import streamlit as st

from core import instruments
from core.instruments import Instrument
from core.results import agreements, scores
from core.results.agreements import TWO_WAY, Agreed
from core.results.claims import short
from core.results.labels import MADE, REAL, RULES, Label
from core.results.reading import Held
from core.results.voices import PEOPLE, Voice
from pages.components import (
    badges,
    charts,
    forest,
    interval_words,
    layout,
    results_data,
    results_words,
    trust_table,
    trust_words,
)
from pages.components.results_data import ALL, dimensions
from pages.components.results_words import between, dimension_name, item_text
from pages.components.words import _, many, plain

Tables = dict[str, pd.DataFrame]


def form_choice(key: str) -> str:
    """Which ICC the figure shows; the table has all of them."""
    picked = st.segmented_control(
        _("Form"), list(TWO_WAY), default=TWO_WAY[0], required=True, key=key, label_visibility="collapsed", persist_state="session"
    )  # fmt: skip
    return str(picked or TWO_WAY[0])


@st.cache_resource(max_entries=24, show_spinner=False)
def _people(instrument: str, version: int, language: str, kind: str, url: str, state: int) -> Tables:
    """Sessions × (items, dimensions, total) of every rater of one kind who used this version in this language."""
    frame, used = results_data.ratings(ALL, instrument), instruments.load(instrument, version)
    found = agreements.people_values(frame.rows, kind, version, language)
    return {
        name: agreements.with_sums(values, dimensions(used), used.scoring) for name, values in found.items()
    }


def people(instrument: str, version: int, language: str, kind: str = "person") -> Tables:
    return _people(instrument, version, language, kind, *results_data.state())


def kind_choice(instrument: str, voice: Voice) -> str:
    """Whose ratings stand beside the judge's: people's, a consensus, or those that came with the data; never pooled."""
    rows = results_data.ratings(ALL, instrument).rows
    own = rows[(rows["version"] == voice.version) & (rows["language"] == voice.language)]
    kinds = [kind for kind in PEOPLE if kind in set(own["rater_kind"])]
    if not kinds or kinds == ["person"]:
        return "person"
    if st.session_state.get("agreement_kind_of_people") not in kinds:
        st.session_state["agreement_kind_of_people"] = kinds[0]
    picked = st.segmented_control(
        _("Beside"), kinds, key="agreement_kind_of_people", required=True, persist_state="session",
        format_func=lambda kind: plain(results_words.rater_kind(kind)),
    )  # fmt: skip
    return str(picked)


def made_choice(kinds: Collection[str], key: str) -> str:
    """Sessions in which rules spoke, or the real ones: never pooled. Asked where there are both."""
    if len(set(kinds)) < 2:
        return next(iter(kinds), REAL)
    names = {REAL: _("Real sessions"), RULES: _("Sessions by rules")}
    picked = st.segmented_control(
        _("Sessions"), list(MADE), default=REAL, key=key, required=True, persist_state="session",
        format_func=lambda made: names[made],
    )  # fmt: skip
    return str(picked or REAL)


def made_of(sessions: Iterable[object], held: Mapping[int, Held]) -> set[str]:
    """How these sessions were made."""
    return {RULES if held[int(str(s))].by_rules else REAL for s in sessions if int(str(s)) in held}


def made_in(table: pd.DataFrame, held: Mapping[int, Held], made: str) -> pd.DataFrame:
    """The sessions of one making."""
    return table[[made_of([s], held) == {made} for s in table.index]]


@st.cache_resource(max_entries=24, show_spinner=False)
def _judged(instrument: str, voice: Voice, url: str, state: int) -> pd.DataFrame:
    frame, used = results_data.heard(ALL, instrument, voice), instruments.load(instrument, voice.version)
    return agreements.with_sums(scores.item_values(frame.rows), dimensions(used), used.scoring)


@st.cache_resource(max_entries=24, show_spinner=False)
def _beside(
    instrument: str, voice: Voice, kind: str, made: str, url: str, state: int
) -> tuple[pd.DataFrame, Tables, list[Agreed]]:
    held, used = results_data.heard(ALL, instrument, voice).held, instruments.load(instrument, voice.version)
    judge = made_in(_judged(instrument, voice, url, state), held, made)
    every = people(instrument, voice.version, voice.language, kind)
    known = {name: own for name, table in every.items() if len(own := made_in(table, held, made))}
    return judge, known, agreements.judge_and_people(judge, known, dimensions(used), held)


def shared(instrument: str, voice: Voice, kind: str) -> set[str]:
    """How the sessions were made that the judge and people rated."""
    judged = _judged(instrument, voice, *results_data.state()).index
    rated = {s for table in people(instrument, voice.version, voice.language, kind).values() for s in table.index}
    return made_of(rated & set(judged), results_data.heard(ALL, instrument, voice).held)


@st.cache_resource(max_entries=24, show_spinner=False)
def _between(instrument: str, version: int, language: str, url: str, state: int) -> list[Agreed]:
    frame, used = results_data.ratings(ALL, instrument), instruments.load(instrument, version)
    return agreements.between_people(people(instrument, version, language), dimensions(used), frame.held)


# ---- judge and people ----------------------------------------------------------------------------


def judge_and_people(instrument: str, voice: Voice) -> None:
    """The trust label first, then item by item, the largest disagreements, and what it does not show."""
    used = instruments.load(instrument, voice.version)
    kind = kind_choice(instrument, voice)
    labels = results_data.label_parts("rating", instrument, voice)
    label = labels[agreements.TOTAL]
    engine = "demo" if voice.kind == "rules" else "openai"
    with st.container(border=True):
        badges.row([*trust_words.badges_of(label, True), badges.engine(engine)])
        layout.lead_card(sentence(labels, used), trust_words.sentence(label, True))
        if label.real.n or label.rules.n:
            trust_table.show("rating", instrument, voice)
    made = made_choice(shared(instrument, voice, kind), "agreement_made")
    judge, known, found = _beside(instrument, voice, kind, made, *results_data.state())
    if not found:
        layout.empty(
            _("No session was rated by both"),
            _("Have people rate some of the sessions this judge rated, with the same instrument in the same language, and bring their table in (rapport import --as ratings)."),
            key="agreement_none_shared",
        )  # fmt: skip
        return
    with st.container(border=True):
        form = form_choice("agreement_form")
        title = _("Agreement of the judge with people, {form}").format(form=form)
        layout.muted(_("The judge against the mean of those who rated a session ({people}).").format(people=many("{n} person", "{n} people", len(known))))
        draw(found, used, form, title, made_words(engine, made), "agreement_judge")
    grid = st.grid(2, min_column_width=360, border=True)
    with grid.cell():
        disagreements(judge, known, instrument, voice, used)
    with grid.cell():
        limits(judge, used)


def sentence(labels: Mapping[str, Label], used: Instrument) -> str:
    """The dimensions in the order of their agreement with one person, without an adjective; real sessions where there are any."""
    for trusts, words in (
        ({name: label.real for name, label in labels.items()}, _("ICC(A,1) with one person: {dimensions}")),
        ({name: label.rules for name, label in labels.items()}, _("ICC(A,1) with one person, on sessions by rules: {dimensions}")),
    ):
        known = {name: one.judge.agreement.value for name, one in trusts.items() if one.judge is not None and name != agreements.TOTAL}
        ordered = sorted((value, name) for name, value in known.items() if value == value)[::-1]
        if ordered:
            return words.format(dimensions=_(", ").join(f"{dimension_name(used, name)} {short(value)}" for value, name in ordered))
    return _("How far this judge agrees with people is not known here")


def made_words(engine: str, made: str) -> str:
    """What judged, and that rules made what was judged, where they did."""
    words = badges.engine_words(engine)
    return words if made == REAL else _("{engine}; sessions by rules").format(engine=words)


def draw(found: Sequence[Agreed], used: Instrument, form: str, title: str, made: str, key: str) -> None:
    order = [*(d.id for d in used.dimensions), agreements.TOTAL]
    lines = [
        forest.Line(
            _("Score") if one.id == one.dimension else one.id, one.forms[form].value, one.forms[form].low, one.forms[form].high,
            dimension_name(used, one.dimension), order.index(one.dimension),
        )
        for one in sorted(found, key=lambda one: order.index(one.dimension))
        if form in one.forms
    ]  # fmt: skip
    most = max(one.n for one in found)
    counted = many("n = {n} session rated by all of them", "n = {n} sessions rated by all of them", most)
    lowest = min([0.0, *(value for line in lines for value in (line.low, line.value) if value == value)])
    figure = forest.forest(
        lines, title=charts.title_block(title, counted, made), axis=form,
        over=_("{form}, 95 %").format(form=form), span=(max(lowest, -1.0), 1), bands=(0, 0.5, 0.75, 0.9),
    )  # fmt: skip
    words = _(
        "Two-way, absolute agreement (A) or consistency (C), of one rater (1) or the mean (k). Shading: below .50, .50–.75, "
        ".75–.90, above (Koo and Li 2016), a guide only. Intervals: 95 %, leaving out one client or role after the other. {engine}."
    )
    charts.show(
        figure, alt=title, table=table_of(found, used), name="agreement", key=key, made_by=made, whole=True,
        caption=f"{words.format(engine=made)} {interval_words.caution(one.forms[form] for one in found if form in one.forms)}".strip(),
        columns={_("Spread (SD)"): st.column_config.NumberColumn(format="%.2f")},
    )  # fmt: skip


def table_of(found: Sequence[Agreed], used: Instrument) -> pd.DataFrame:
    rows = [
        (_("Score") if one.id == one.dimension else one.id, dimension_name(used, one.dimension), one.n, one.dropped, one.spread,
         *(value_words(one, form) for form in TWO_WAY), r_words(one), item_text(used, one.id) if one.id != one.dimension else "")
        for one in found
    ]  # fmt: skip
    heads = [
        _("Item"),
        _("Dimension"),
        _("Sessions"),
        _("Dropped"),
        _("Spread (SD)"),
        *TWO_WAY,
        _("r"),
        _("Text"),
    ]
    return pd.DataFrame(rows, columns=heads)


def value_words(one: Agreed, form: str) -> str:
    value = one.forms.get(form)
    if value is None or value.value != value.value:
        return _("too few") if one.n < 2 else _("no variance, no ICC")
    return f"{short(value.value)} ({between(value.low, value.high)})"


def r_words(one: Agreed) -> str:
    return (
        "–"
        if one.r is None or one.r.value != one.r.value
        else f"{short(one.r.value)} ({between(one.r.low, one.r.high)})"
    )


def disagreements(
    judge: pd.DataFrame, known: Tables, instrument: str, voice: Voice, used: Instrument
) -> None:
    """Where judge and people are furthest apart; a row leads to the judge's reasoning."""
    from pages.components.results_picking import to_results

    layout.card_title(_("Largest disagreements"))
    gaps = agreements.gaps(judge, known, [item.id for item in used.items])
    frame = results_data.heard(ALL, instrument, voice).rows
    first = frame.drop_duplicates(["session", "item"]).set_index(["session", "item"])["id"]
    table = pd.DataFrame(
        [(gap.session, gap.item, gap.people, gap.judge, item_text(used, gap.item)) for gap in gaps],
        columns=[_("Session"), _("Item"), _("People"), _("Judge"), _("Text")],
    )
    layout.muted(_("Choose a row to read what the judge wrote."))
    to_results(
        table,
        [int(first[gap.session, gap.item]) for gap in gaps],
        "rating",
        key="agreement_gaps",
        name="disagreements",
        made_by=badges.engine_words("demo" if voice.kind == "rules" else "openai"),
    )


def limits(judge: pd.DataFrame, used: Instrument) -> None:
    layout.card_title(_("What this does not show"))
    st.text(
        _(
            "Agreement is not truth: two raters can share a blind spot. Repeats of one judge that agree only say that it is steady."
        )
    )
    alpha = agreements.halo(judge, [item.id for item in used.items])
    if alpha > agreements.HALO:
        badges.draw(
            badges.partly(
                _("Possible halo: items move together (alpha = {value})").format(value=short(alpha))
            )
        )


# ---- people among themselves ---------------------------------------------------------------------


def people_words(instrument: str, known: Tables) -> str:
    """That people rated, and that rules made what they rated, where they did."""
    held = results_data.ratings(ALL, instrument).held
    rated = {int(str(session)) for table in known.values() for session in table.index}
    words = _("Rated by people")
    if any(held[session].engine == "demo" for session in rated if session in held):
        words += _("; sessions: {engine}").format(engine=badges.engine_words("demo"))
    return words


def between_people(instrument: str, version: int, language: str) -> None:
    from pages.components import agreement_incomplete, agreement_tables

    used, known = instruments.load(instrument, version), people(instrument, version, language)
    if len(known) < 2:
        layout.empty(
            _("Two people are needed"),
            _("{n} person has rated with this instrument in this language. Ask another one to rate the same sessions, and bring their table in (rapport import --as ratings).").format(n=len(known)),
            key="agreement_one_person",
        )  # fmt: skip
        return
    layout.muted(_("People: {names}").format(names=_(", ").join(known)))
    found = _between(instrument, version, language, *results_data.state())
    made = people_words(instrument, known)
    if found:
        with st.container(border=True):
            form = form_choice("agreement_people_form")
            title = _("Agreement of people, {form}").format(form=form)
            draw(found, used, form, title, made, "agreement_people")
    agreement_incomplete.show(instrument, version, language, made)
    cells = {
        item.id: [
            (session, name, None if value != value else float(value))
            for name, table in known.items()
            if item.id in table
            for session, value in table[item.id].items()
        ]
        for item in used.items
    }
    agreement_tables.show(agreement_tables.of_items(cells), "people", made)
