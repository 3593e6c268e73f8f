"""People who rated some of the sessions each: how far they agree over all, and pair by pair."""

import pandas as pd
import streamlit as st

from core import instruments
from core.agreement.clustered import Clustered
from core.instruments import Instrument
from core.results import incomplete
from core.results.claims import short
from core.results.incomplete import Among, TwoPeople
from pages.components import charts, interval_words, layout, results_data
from pages.components.agreement_store import chosen
from pages.components.results_data import ALL, dimensions
from pages.components.results_words import between, dimension_name, item_name, item_text
from pages.components.words import _


@st.cache_resource(max_entries=24, show_spinner=False)
def _found(
    instrument: str, version: int, language: str, names: tuple[str, ...], kind: str, url: str, state: int
) -> tuple[list[Among], list[TwoPeople]]:  # fmt: skip
    held, used = results_data.ratings(ALL, instrument).held, instruments.load(instrument, version)
    known = chosen(instrument, version, language, names, kind)
    return (
        incomplete.among_people(known, dimensions(used), held),
        incomplete.pairs_of_people(known, dimensions(used), held),
    )


def show(instrument: str, version: int, language: str, names: tuple[str, ...], kind: str, made: str) -> None:
    """Both tables of the people named, on one kind of sessions; nothing where no session was rated by two.

    Args:
        made: what rated, in words.
    """
    used = instruments.load(instrument, version)
    among, pairs = _found(instrument, version, language, names, kind, *results_data.state())
    if not among:
        return
    with st.container(border=True):
        layout.card_title(_("Every session that two or more people rated"))
        charts.show_table(among_table(among, used), name="people-one-way", key="agreement_one_way", whole=True, made_by=made)
        words = _(
            "One-way: not every person rated every session. ICC(1,1): one person; ICC(1,k): the mean of as many as rated a "
            "session on average. Intervals: 95 %, leaving out one client or role after the other."
        )
        layout.muted(f"{words} {interval_words.caution(one.found.single for one in among)}".strip())
    with st.container(border=True):
        layout.card_title(_("Pair by pair, over the sessions both rated"))
        charts.show_table(pairs_table(pairs, used), name="people-pairs", key="agreement_two", made_by=made)
        words = _("Intervals: 95 %, leaving out one client or role after the other.")
        layout.muted(f"{words} {interval_words.caution(two.agreement for two in pairs)}".strip())


def among_table(among: list[Among], used: Instrument) -> pd.DataFrame:
    rows = [
        (_("Score") if one.id == one.dimension else item_name(used, one.id), dimension_name(used, one.dimension), value(one.found.single),
         value(one.found.mean), one.found.single.n, one.found.single.clusters, each(one), one.found.alone,
         item_text(used, one.id) if one.id != one.dimension else "")
        for one in among
    ]  # fmt: skip
    heads = [
        _("Item"), _("Dimension"), "ICC(1,1)", "ICC(1,k)", _("Sessions"), _("Clients or roles"), _("People per session"),
        _("Sessions of one person, left out"), _("Text"),
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=heads)


def each(one: Among) -> str:
    """How many people a session has: on average, and from the fewest to the most."""
    found = one.found
    if found.fewest == found.most:
        return str(found.fewest)
    return _("{mean} ({fewest}–{most})").format(mean=f"{found.raters:.1f}", fewest=found.fewest, most=found.most)


def pairs_table(pairs: list[TwoPeople], used: Instrument) -> pd.DataFrame:
    rows = [
        (two.a, two.b, dimension_name(used, two.id), two.n, two.agreement.clusters, value(two.agreement), value(two.r))
        for two in pairs
    ]
    heads = [_("Rater"), _("And"), _("Dimension"), _("Sessions"), _("Clients or roles"), "ICC(A,1)", _("r")]
    return pd.DataFrame(rows, columns=heads)


def value(one: Clustered) -> str:
    return f"{short(one.value)} ({between(one.low, one.high)})" if one.value == one.value else _("no variance, no ICC")
