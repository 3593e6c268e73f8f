"""How often a judge and people name the same side of a comparison."""

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from core import instruments
from core.instruments import Instrument
from core.results import labels
from core.results.trust import ENOUGH, ENOUGH_CLUSTERS, LEAST, state_of
from core.results.voices import Voice
from pages.components import (
    agreement_store,
    badges,
    charts,
    counted,
    forest,
    interval_words,
    layout,
    results_data,
    trust_table,
    trust_words,
)
from pages.components.results_words import dimension_name, stage_name
from pages.components.words import _, many


@st.cache_resource(max_entries=24, show_spinner=False)
def _matched(instrument: str, voice: Voice, made: str, url: str, state: int) -> tuple[list[labels.Match], list[labels.StageMatch], int]:
    stages = results_data.stages(instruments.load(instrument, voice.version))
    found = results_data.asked_with_people(instrument, voice).on(made)
    return labels.matches(found, stages), labels.stage_matches(found, stages), len(found.people)


def shared(instrument: str, voice: Voice) -> list[str]:
    """How the sessions were made that the judge and people compared."""
    found = results_data.asked_with_people(instrument, voice)
    both = {q for said in found.people.values() for q in said} & set(found.judge)
    return [made for made in labels.MADE if any(found.by_rules[q] == (made == labels.RULES) for q in both)]


def verdicts(instrument: str, voice: Voice) -> None:
    """How often a judge and people name the same side."""
    used = instruments.load(instrument, voice.version)
    engine = "demo" if voice.kind == "rules" else "openai"
    with st.container(border=True):
        trust_table.head("comparison", instrument, voice, [badges.engine(engine)])
    kinds = shared(instrument, voice)
    made = agreement_store.made_choice(kinds, "agreement_compared_made")
    found, stages, persons = _matched(instrument, voice, made, *results_data.state())
    if not found:
        layout.empty(
            _("No pair was compared by both"),
            _("Have people compare some of the pairs this judge compared, with the same instrument in the same language, and bring their table in under “From a file”, “Keep with the sessions here”."),
            key="agreement_none_compared",
        )  # fmt: skip
        return
    total, words = found[-1], agreement_store.made_words(instrument, voice.version, voice, made, len(kinds) > 1)
    if total.pairs < LEAST:
        with st.container(border=True):
            layout.lead_card(_("Too few pairs for figures"), under_least(total))
        return
    if stages:
        with st.container(border=True):
            aggregated(stages, total, used, words)
    with st.container(border=True):
        matched([one for one in found if one.pairs >= LEAST], persons, used, words)


def under_least(total: labels.Match) -> str:
    """How much both compared, and what figures need."""
    words = _("Both compared {counted} so far, those with a common verdict of people. Figures start at {least} pairs; {n} pairs and {k} clients or roles are wanted.")
    return words.format(counted=pairs_of(total), least=LEAST, n=ENOUGH, k=ENOUGH_CLUSTERS)


def pairs_of(total: labels.Match) -> str:
    pairs = many("{n} pair of sessions", "{n} pairs of sessions", total.pairs)
    return _("{judged}, {clusters}").format(judged=pairs, clusters=trust_words.clusters(total.rate.clusters))


def aggregated(found: Sequence[labels.StageMatch], total: labels.Match, used: Instrument, made: str) -> None:
    """Stage by stage, how often the judge and a person prefer the same of two counselors over all their roles."""
    title = _("Same counselor preferred in a stage")
    if state_of(total.pairs, total.rate.clusters) != "figures":
        title = _("{title}, too few ({counted})").format(title=title, counted=pairs_of(total))
    layout.card_title(title)
    table = pd.DataFrame(
        [(stage_name(used, m.id), m.rates.without_ties, m.rates.n_without_ties, m.rates.with_ties, m.rates.n_with_ties, m.pairs, m.people)
         for m in found],
        columns=[_("Stage"), _("Ties discarded"), _("n, ties discarded"), _("Tie as a class"), _("n, tie as a class"), _("Pairs of counselors"), _("People")],
    )  # fmt: skip
    charts.show_table(
        table, name="match-aggregated", key="agreement_aggregated", whole=True, made_by=made,
        columns={name: st.column_config.NumberColumn(format="%.2f") for name in (_("Ties discarded"), _("Tie as a class"))},
    )  # fmt: skip
    layout.muted(
        _("One verdict of the judge and one of each person on each pair of counselors: the mean over dimensions and roles of what both judged, above or below ½ (as in ESC-Judge, Table 3). n: pairs times people. Without an interval: the verdicts share their roles.")
    )  # fmt: skip


def matched(found: Sequence[labels.Match], persons: int, used: Instrument, made: str) -> None:
    """Verdict by verdict, the judge beside the majority of people."""
    groups: Mapping[str, tuple[str, int]] = {d.id: (_("Dimensions"), 0) for d in used.dimensions}
    lines = [
        forest.Line(
            name_of(one.id, used), one.rates.with_ties, one.rate.low, one.rate.high,
            groups.get(one.id, (_("Stages"), 1) if one.id in used.stages else (_("All"), 2))[0],
            groups.get(one.id, ("", 1) if one.id in used.stages else ("", 2))[1], n=one.rates.n_with_ties,
        )
        for one in found
    ]  # fmt: skip
    judged = _("{questions} on {pairs}").format(
        questions=counted.questions([one.rates.n_with_ties for one in found]),
        pairs=many("{n} pair of sessions", "{n} pairs of sessions", found[-1].pairs),
    )  # fmt: skip
    under = counted.enough(judged, [one.pairs for one in found], [one.rate.clusters for one in found])
    under = _("{judged}, {people}").format(judged=under, people=many("{n} person", "{n} people", persons))
    title = _("Same verdict as the majority of people")
    figure = forest.forest(
        lines, title=charts.title_block(title, under, made), axis=_("Match rate, tie as a third class"),
        over=_("rate, 95 %"), span=(0, 1),
    )  # fmt: skip
    table = pd.DataFrame(
        [(name_of(m.id, used), m.rates.without_ties, m.rates.n_without_ties, m.rates.with_ties, m.rates.n_with_ties, m.rates.kappa, m.apart)
         for m in found],
        columns=[_("What"), _("Ties discarded"), _("n, ties discarded"), _("Tie as a class"), _("n, tie as a class"), _("Kappa"), _("No common verdict")],
    )  # fmt: skip
    words = _("Orders that disagree count as a tie. The paper discards ties; both are shown. Where people have no majority there is no common verdict; these are counted apart. Intervals: 95 %, leaving out one role after the other; binomial bounds where nearly all agree.")
    charts.show(
        figure, alt=title, table=table, name="match-rates", key="agreement_matches", made_by=made, whole=True,
        caption=f"{words} {interval_words.caution(one.rate for one in found)}".strip(),
        columns={name: st.column_config.NumberColumn(format="%.2f") for name in (_("Ties discarded"), _("Tie as a class"), _("Kappa"))},
    )  # fmt: skip


def name_of(id: str, used: Instrument) -> str:
    return stage_name(used, id) if id in used.stages else dimension_name(used, id)
