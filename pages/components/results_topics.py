"""Scores by topic: the radar of one dimension over topics, each counselor a line, and its table."""

from collections.abc import Callable, Mapping

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
import yaml

from core import instruments
from core.agreement.clustered import Clustered
from core.instruments import Instrument
from core.prompting import FOLDER
from core.results.reading import Held
from pages.components import charts, interval_words, layout, results_words
from pages.components.results_dimensions import heads_of
from pages.components.results_wins import logs
from pages.components.results_words import dimension_name, for_figure
from pages.components.words import _, in_words, many

FEWEST = 3  # topics that make a radar
MOST = 4  # counselors it can carry


def topic_names() -> dict[str, str]:
    data = yaml.safe_load((FOLDER / "reports" / "topics.yaml").read_text("utf-8"))
    return {code: in_words(words) for code, words in data.items() if isinstance(words, dict)}


def section(
    table: pd.DataFrame, held: Mapping[int, Held], used: Instrument, made_by: str,
    of: Callable[[str], dict[str, dict[str, Clustered]]],
) -> None:  # fmt: skip
    """Nothing where the sessions have fewer than three topics.

    Args:
        table: sessions × dimensions.
        of: the means by counselor and topic (``scores.by_topic``) of a dimension.
    """
    if len({held[int(s)].topic for s in table.index if int(s) in held and held[int(s)].topic}) < FEWEST:
        return
    with st.container(border=True):
        columns = [str(name) for name in table.columns]
        picked = st.segmented_control(
            _("Dimension"), columns, default=columns[-1], required=True, key="results_topic_dimension", persist_state="session",
            format_func=lambda name: dimension_name(used, str(name)), label_visibility="collapsed",
        )  # fmt: skip
        dimension = str(picked or columns[-1])
        shown(of(dimension), dimension, used, made_by)


def shown(
    by_topic: dict[str, dict[str, Clustered]], dimension: str, used: Instrument, made_by: str
) -> None:
    names, topics = results_words.counselors(), topic_names()
    order = [code for code in topics if any(code in own for own in by_topic.values())]
    order += sorted({code for own in by_topic.values() for code in own} - set(order))
    figure = radar(by_topic, order, dimension, used, made_by)
    rows = [
        (topics.get(code, code), *(cell for name in by_topic for cell in cells(by_topic[name].get(code))),
         sum(own[code].n for own in by_topic.values() if code in own))
        for code in order
    ]  # fmt: skip
    table = pd.DataFrame(
        rows, columns=[_("Topic"), *(head for name in by_topic for head in heads_of(names.get(name, name))), _("Sessions")]
    )
    if len(by_topic) > MOST:
        layout.muted(_("The figure shows the first four counselors; the table has all of them."))
    charts.show(
        figure, alt=_("Radar of scores by topic; the table has the same numbers."), table=table, name="topics", key="results_topics", made_by=made_by,
        whole=True, caption=interval_words.over_clusters(one for own in by_topic.values() for one in own.values()),
    )  # fmt: skip


def cells(one: Clustered | None) -> tuple[float, str]:
    return (float("nan"), "–") if one is None else (one.value, logs(one.low, one.high))


def radar(
    by_topic: dict[str, dict[str, Clustered]], order: list[str], dimension: str, used: Instrument, made_by: str
) -> go.Figure:  # fmt: skip
    k, names, topics, figure = charts.tokens(), results_words.counselors(), topic_names(), go.Figure()
    labels = [for_figure(topics.get(code, code), 14) for code in order]
    for at, name in enumerate(sorted(by_topic)[:MOST]):
        own = by_topic[name]
        values = [own[code].value if code in own else None for code in order]
        figure.add_scatterpolar(
            r=[*values, values[0]], theta=[*labels, labels[0]], mode="lines+markers", name=for_figure(names.get(name, name)),
            line={"color": k.series[at], "dash": charts.DASHES[at], "width": 2}, marker={"symbol": charts.SYMBOLS[at], "size": 9},
            hovertemplate="%{theta}: %{r:.2f}<extra>%{fullData.name}</extra>",
        )  # fmt: skip
    low, high = scale(used, dimension)
    counted = many(
        "n = {n} session",
        "n = {n} sessions",
        sum(one.n for own in by_topic.values() for one in own.values()),
    )
    title = _("{dimension} by topic").format(dimension=dimension_name(used, dimension))
    under = (
        _(", ").join([counted, _("scale {low}–{high}").format(low=instruments.plain(low), high=instruments.plain(high))])
    )
    figure.update_layout(
        title=charts.title_block(title, under, made_by),
        height=560,
        margin={"l": 92, "r": 92, "t": 116, "b": 90},
    )
    figure.update_polars(radialaxis={"range": [low, high], "nticks": 5})
    return figure


def scale(used: Instrument, dimension: str) -> tuple[float, float]:
    """The ends of a dimension's scale: of its items, or of their sum."""
    items = [item for item in used.items if item.dimension == dimension] or list(used.items)
    if used.scoring == "mean":
        return min(i.lowest for i in items), max(i.highest for i in items)
    return 0.0, sum(i.highest for i in items)
