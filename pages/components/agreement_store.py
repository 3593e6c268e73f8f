"""Agreement from the store: a judge beside people, people among themselves, and a judge's verdicts beside theirs."""

from collections.abc import Collection, Iterable, Mapping, Sequence

import pandas as pd
import streamlit as st

from core import instruments
from core.instruments import Instrument
from core.results import agreements, scores
from core.results.agreements import TWO_WAY, Agreed
from core.results.claims import short
from core.results.labels import MADE, OTHER, RULES
from core.results.reading import Held
from core.results.trust import EACH, ENOUGH, ENOUGH_CLUSTERS, LEAST
from core.results.voices import PEOPLE, Voice
from pages.components import (
    badges,
    charts,
    counted,
    forest,
    interval_words,
    layout,
    results_data,
    results_made,
    results_words,
    trust_table,
    trust_words,
)
from pages.components.results_data import ALL, dimensions
from pages.components.results_made import Made
from pages.components.results_words import between, dimension_name, item_name, item_text
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
    """Sessions made by rules, or others: never pooled. Asked where there are both."""
    if len(set(kinds)) < 2:
        return next(iter(kinds), OTHER)
    names = {made: trust_words.kind_name(made) for made in MADE}
    picked = st.segmented_control(
        _("Sessions"), list(MADE), default=OTHER, key=key, required=True, persist_state="session",
        format_func=lambda made: names[made],
    )  # fmt: skip
    return str(picked or OTHER)


def made_of(sessions: Iterable[object], held: Mapping[int, Held]) -> set[str]:
    """How these sessions were made."""
    return {RULES if held[int(str(s))].by_rules else OTHER for s in sessions if int(str(s)) in held}


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


def chosen(instrument: str, version: int, language: str, names: Collection[str], made: str) -> Tables:
    """What some of the people gave to sessions of one kind."""
    held, every = results_data.ratings(ALL, instrument).held, people(instrument, version, language)
    return {name: own for name in names if len(own := made_in(every[name], held, made))}


@st.cache_resource(max_entries=24, show_spinner=False)
def _between(instrument: str, version: int, language: str, names: tuple[str, ...], made: str, url: str, state: int) -> list[Agreed]:
    held, used = results_data.ratings(ALL, instrument).held, instruments.load(instrument, version)
    return agreements.between_people(chosen(instrument, version, language, names, made), dimensions(used), held)


# ---- judge and people ----------------------------------------------------------------------------


def judge_and_people(instrument: str, voice: Voice) -> None:
    """The trust label first, then item by item, the largest disagreements, and what it does not show."""
    used = instruments.load(instrument, voice.version)
    kind = kind_choice(instrument, voice)
    engine = "demo" if voice.kind == "rules" else "openai"
    with st.container(border=True):
        trust_table.head("rating", instrument, voice, [badges.engine(engine)])
    kinds = shared(instrument, voice, kind)
    made = made_choice(kinds, "agreement_made")
    judge, known, found = _beside(instrument, voice, kind, made, *results_data.state())
    if not found:
        layout.empty(
            _("No session was rated by both"),
            _("Have people rate some of the sessions this judge rated, with the same instrument in the same language, and bring their table in under “From a file”, “Keep with the sessions here”."),
            key="agreement_none_shared",
        )  # fmt: skip
        return
    words = made_words(instrument, voice.version, voice, made, len(kinds) > 1)
    with st.container(border=True):
        if max(one.n for one in found) < LEAST:
            layout.lead_card(_("Too few sessions for figures"), under_least(found))
        else:
            against(found, used, len(known), words)
    grid = st.grid(2, min_column_width=360, border=True)
    with grid.cell():
        disagreements(judge, known, instrument, voice, used, words)
    with grid.cell():
        limits(judge, used)


def under_least(found: Sequence[Agreed]) -> str:
    """How much both rated, and what figures need."""
    most = max(found, key=lambda one: one.n)
    clusters = max(value.clusters for value in most.forms.values())
    words = _("Both rated {counted} so far. Figures start at {least} sessions; {n} sessions and {k} clients or roles are wanted.")
    return words.format(
        counted=_("{judged}, {clusters}").format(judged=many("{n} session", "{n} sessions", most.n), clusters=trust_words.clusters(clusters)),
        least=LEAST, n=ENOUGH, k=ENOUGH_CLUSTERS,
    )  # fmt: skip


def against(found: Sequence[Agreed], used: Instrument, people: int, made: str) -> None:
    """The judge against the mean of people; what both rated under ``LEAST`` times is named and has no line."""
    form = form_choice("agreement_form")
    title = _("Agreement of the judge with people, {form}").format(form=form)
    layout.muted(_("The judge against the mean of those who rated a session ({people}).").format(people=many("{n} person", "{n} people", people)))
    draw([one for one in found if one.n >= LEAST], used, form, title, made, "agreement_judge")
    rest = [f"{name_of(one, used)} ({one.n})" for one in found if one.n < LEAST]
    if rest:
        layout.muted(_("Left out, under {n} sessions: {items}.").format(n=LEAST, items=_(", ").join(rest)))


def name_of(one: Agreed, used: Instrument) -> str:
    return dimension_name(used, one.dimension) if one.id == one.dimension else one.id


def made_words(instrument: str, version: int, voice: Voice | None, made: str, mixed: bool) -> str:
    """Who judged (``None``: people), with what, and what kind of sessions, where the engine does not say it already."""
    if voice is not None:
        words = results_made.words(Made(ALL, voice, instrument, (voice.rules,) if voice.rules else (), ()))
    else:
        name = _("{name}, version {n}").format(name=results_words.instrument_name(instrument), n=version)
        words = _(" · ").join([_("Rated by people"), name])
    if mixed or (made == RULES and (voice is None or voice.kind != "rules")):
        return _("{engine}; {sessions}").format(engine=words, sessions=trust_words.in_sentence(made))
    return words


def draw(found: Sequence[Agreed], used: Instrument, form: str, title: str, made: str, key: str, also: str = "") -> None:
    """One line for each item, dimension and the total, and the table of all forms."""
    order = [*(d.id for d in used.dimensions), agreements.TOTAL]
    lines = [
        forest.Line(
            _("Score") if one.id == one.dimension else one.id, one.forms[form].value, one.forms[form].low, one.forms[form].high,
            dimension_name(used, one.dimension), order.index(one.dimension), n=one.n,
        )
        for one in sorted(found, key=lambda one: order.index(one.dimension))
        if form in one.forms
    ]  # fmt: skip
    counts = [one.n for one in found]
    under = counted.enough(counted.sessions(counts), counts, [max(v.clusters for v in one.forms.values()) for one in found])
    lowest = min([0.0, *(value for line in lines for value in (line.low, line.value) if value == value)])
    figure = forest.forest(
        lines, title=charts.title_block(title, under, made), axis=form,
        over=_("{form}, 95 %").format(form=form), span=(max(lowest, -1.0), 1), bands=(0, 0.5, 0.75, 0.9),
    )  # fmt: skip
    words = _(
        "Two-way, absolute agreement (A) or consistency (C), of one rater (1) or the mean (k). Shading: below .50, .50–.75, "
        ".75–.90, above (Koo and Li 2016), a guide only. Intervals: 95 %, leaving out one client or role after the other."
    )
    charts.show(
        figure, alt=title, table=table_of(found, used), name="agreement", key=key, made_by=made, whole=True,
        caption=" ".join(one for one in (also, words, interval_words.caution(one.forms[form] for one in found if form in one.forms)) if one),
        columns={_("Spread (SD)"): st.column_config.NumberColumn(format="%.2f")},
    )  # fmt: skip


def table_of(found: Sequence[Agreed], used: Instrument) -> pd.DataFrame:
    rows = [
        (_("Score") if one.id == one.dimension else item_name(used, one.id), dimension_name(used, one.dimension), one.n, one.dropped, one.spread,
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
    judge: pd.DataFrame, known: Tables, instrument: str, voice: Voice, used: Instrument, made: str
) -> None:
    """Where judge and people are furthest apart; a row leads to the judge's reasoning."""
    from pages.components.results_picking import to_results

    layout.card_title(_("Largest disagreements"))
    gaps = agreements.gaps(judge, known, [item.id for item in used.items])
    frame = results_data.heard(ALL, instrument, voice).rows
    first = frame.drop_duplicates(["session", "item"]).set_index(["session", "item"])["id"]
    table = pd.DataFrame(
        [(gap.session, item_name(used, gap.item), gap.people, gap.judge, item_text(used, gap.item)) for gap in gaps],
        columns=[_("Session"), _("Item"), _("People"), _("Judge"), _("Text")],
    )
    layout.muted(_("Choose a row to read what the judge wrote."))
    to_results(
        table,
        [int(first[gap.session, gap.item]) for gap in gaps],
        "rating",
        key="agreement_gaps",
        name="disagreements",
        made_by=made,
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


def people_choice(known: Tables, way: str) -> tuple[str, ...]:
    """Whose ratings are compared: at first of all who rated enough sessions, so that a stray row empties no table."""
    rated = {name: many("{n} session", "{n} sessions", len(table)) for name, table in known.items()}
    named = {name: _("{name} ({counted})").format(name=name, counted=words) for name, words in rated.items()}
    picked = st.multiselect(
        _("People"), list(known), default=[name for name, table in known.items() if len(table) >= EACH],
        format_func=lambda name: named[name], key=f"agreement_people_{way}", placeholder=_("Choose"), persist_state="session",
    )  # fmt: skip
    if rest := [named[name] for name in known if name not in picked]:
        layout.muted(_("Not among them: {people}.").format(people=_(", ").join(rest)))
    return tuple(name for name in known if name in picked)


def between_people(instrument: str, version: int, language: str) -> None:
    """How far people agree: those whom all of them rated, everything that two rated, item by item."""
    every = people(instrument, version, language)
    if len(every) < 2:
        layout.empty(
            _("Two people are needed"),
            _("{n} person has rated with this instrument in this language. Ask another one to rate the same sessions, and bring their table in under “From a file”, “Keep with the sessions here”.").format(n=len(every)),
            key="agreement_one_person",
        )  # fmt: skip
        return
    held = results_data.ratings(ALL, instrument).held
    kinds = made_of((session for table in every.values() for session in table.index), held)
    made = made_choice(kinds, "agreement_people_made")
    of_kind = chosen(instrument, version, language, list(every), made)
    names = people_choice(of_kind, f"{instrument}_{version}_{language}_{made}")
    if len(names) < 2:
        layout.empty(_("Two people are needed"), _("Choose two people or more whose ratings are to be compared."), key="agreement_two_people")
        return
    words = made_words(instrument, version, None, made, len(kinds) > 1)
    among(instrument, version, language, names, made, words)


def among(instrument: str, version: int, language: str, names: tuple[str, ...], made: str, words: str) -> None:
    """The figure and the tables of the people chosen."""
    from pages.components import agreement_incomplete, agreement_tables

    used, known = instruments.load(instrument, version), chosen(instrument, version, language, names, made)
    if found := _between(instrument, version, language, names, made, *results_data.state()):
        with st.container(border=True):
            form = form_choice("agreement_people_form")
            title = _("Agreement of people, {form}").format(form=form)
            also = many("Sessions that {n} person rated.", "Sessions that all {n} people rated.", len(names))
            draw(found, used, form, title, words, "agreement_people", also)
    agreement_incomplete.show(instrument, version, language, names, made, words)
    cells = {
        item.id: [
            (session, name, None if value != value else float(value))
            for name, table in known.items()
            if item.id in table
            for session, value in table[item.id].items()
        ]
        for item in used.items
    }
    agreement_tables.show(agreement_tables.of_items(cells), "people", words)
