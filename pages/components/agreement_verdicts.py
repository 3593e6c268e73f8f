"""How often a judge and people name the same side of a comparison."""

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from core import instruments
from core.instruments import Instrument
from core.results import labels
from core.results.voices import Voice
from pages.components import badges, charts, forest, layout, results_data, results_words
from pages.components.results_data import ALL, Frame
from pages.components.results_words import dimension_name, stage_name
from pages.components.words import _, many


@st.cache_resource(max_entries=24, show_spinner=False)
def _matched(instrument: str, voice: Voice, url: str, state: int) -> tuple[list[labels.Match], int]:
    frame: Frame = results_data.comparisons(ALL)
    used = instruments.load(instrument, voice.version)
    own = frame.rows[frame.rows["instrument"] == instrument]
    found = labels.asked(own, voice, results_data.stages(used), frame.held)
    return labels.matches(found, results_data.stages(used)), len(found.people)


def verdicts(instrument: str, voice: Voice) -> None:
    """How often a judge and the majority of people name the same side."""
    used = instruments.load(instrument, voice.version)
    found, persons = _matched(instrument, voice, *results_data.state())
    label = results_data.label("comparison", instrument, voice)
    engine = "demo" if voice.kind == "rules" else "openai"
    with st.container(border=True):
        badges.row([results_words.trust_badge(label, False), badges.engine(engine)])
        layout.muted(results_words.trust_words(label, False))
    if not found:
        layout.empty(
            _("No pair was compared by both"),
            _("Have people compare some of the pairs this judge compared, with the same instrument in the same language, and bring their table in (rapport import --as comparisons)."),
            key="agreement_none_compared",
        )  # fmt: skip
        return
    with st.container(border=True):
        matched(found, persons, used, engine)


def matched(found: Sequence[labels.Match], persons: int, used: Instrument, engine: str) -> None:
    groups: Mapping[str, tuple[str, int]] = {d.id: (_("Dimensions"), 0) for d in used.dimensions}
    lines = [
        forest.Line(
            name_of(one.id, used), one.rates.with_ties, one.low, one.high,
            groups.get(one.id, (_("Stages"), 1) if one.id in used.stages else (_("All"), 2))[0],
            groups.get(one.id, ("", 1) if one.id in used.stages else ("", 2))[1],
        )
        for one in found
    ]  # fmt: skip
    total = found[-1].rates
    counted = (
        many("n = {n} question", "n = {n} questions", total.n_with_ties)
        + ", "
        + many("{n} person", "{n} people", persons)
    )
    title = _("Same verdict as the majority of people")
    figure = forest.forest(
        lines, title=charts.title_block(title, counted, badges.engine_words(engine)), axis=_("Match rate, tie as a third class"),
        over=_("rate, 95 %"), span=(0, 1),
    )  # fmt: skip
    table = pd.DataFrame(
        [(name_of(m.id, used), m.rates.without_ties, m.rates.n_without_ties, m.rates.with_ties, m.rates.n_with_ties, m.rates.kappa)
         for m in found],
        columns=[_("What"), _("Ties discarded"), _("n, ties discarded"), _("Tie as a class"), _("n, tie as a class"), _("Kappa")],
    )  # fmt: skip
    charts.show(
        figure, alt=title, table=table, name="match-rates", key="agreement_matches", made_by=badges.engine_words(engine), whole=True,
        caption=_("Orders that disagree count as a tie. The paper discards ties; both are shown. Intervals: 95 %, leaving out one role after the other; binomial bounds where nearly all agree. {engine}.").format(
            engine=badges.engine_words(engine)
        ),
        columns={name: st.column_config.NumberColumn(format="%.2f") for name in (_("Ties discarded"), _("Tie as a class"), _("Kappa"))},
    )  # fmt: skip


def name_of(id: str, used: Instrument) -> str:
    return stage_name(used, id) if id in used.stages else dimension_name(used, id)
