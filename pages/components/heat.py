"""The matrix of win scores: a cell for each pair, its interval in it, and cells that can be chosen."""

from collections.abc import Mapping, Sequence
from html import escape

import plotly.graph_objects as go
import streamlit as st

from core.results.claims import short
from core.results.wins import Stage
from pages.components import charts
from pages.components.results_words import for_figure
from pages.components.words import _, language

CELL = 58  # pixels


def heat(
    stage: Stage,
    agents: Sequence[str],
    names: Mapping[str, str],
    *,
    title: str,
    chosen: tuple[str, str] | None,
) -> go.Figure:
    """Row against column: 1 where the row won everything, ½ even.

    The squares over the cells are invisible points, since cells of a heat map send no selection; each gives
    back ``[row, column]``.
    """
    k = charts.tokens()
    found = {(a, b): stage.pair(a, b) for a in agents for b in agents if a != b}
    scores = [[pair.score if (pair := found.get((a, b))) else None for b in agents] for a in agents]
    figure = go.Figure(
        go.Heatmap(
            z=scores, zmin=0, zmax=1, colorscale=charts.scale(k.diverging), showscale=False, xgap=3, ygap=3,
            hoverinfo="skip",
        )
    )  # fmt: skip
    for (a, b), pair in found.items():
        if pair is None or pair.score != pair.score:
            continue
        mark = "" if pair.supported else " ≈"
        ink = charts.ink_on(charts.shade(k.diverging, pair.score))
        low_high = f"{short(pair.low)}–{short(pair.high)}" if pair.low == pair.low else "–"
        figure.add_annotation(
            x=agents.index(b), y=agents.index(a), showarrow=False, font={"color": ink, "size": 14},
            text=f"<b>{short(pair.score)}</b>{mark}<br><span style='font-size:11px'>{low_high}</span>",
        )  # fmt: skip
    cells = [(a, b) for (a, b), pair in found.items() if pair is not None]
    figure.add_scatter(
        x=[agents.index(b) for _a, b in cells], y=[agents.index(a) for a, _b in cells], mode="markers",
        marker={"symbol": "square", "size": CELL - 6, "color": "rgba(0,0,0,0)"}, customdata=[list(cell) for cell in cells],
        text=[for_figure(_("{a} against {b}").format(a=names.get(a, a), b=names.get(b, b))) for a, b in cells],
        hovertemplate="%{text}<extra></extra>", showlegend=False, selected={"marker": {"opacity": 0}},
        unselected={"marker": {"opacity": 0}},
    )  # fmt: skip
    if chosen in cells:
        x, y = agents.index(chosen[1]), agents.index(chosen[0])
        figure.add_shape(
            type="rect", x0=x - 0.48, x1=x + 0.48, y0=y - 0.48, y1=y + 0.48, line={"color": k.ink, "width": 3}
        )
    places, called = list(range(len(agents))), [names.get(a, a) for a in agents]
    figure.update_xaxes(
        tickvals=places, ticktext=[for_figure(name, 9) for name in called], showgrid=False, tickangle=0, tickfont={"size": 12}, ticklabeloverflow="allow",
        range=[-0.5, len(agents) - 0.5], linecolor="rgba(0,0,0,0)",
    )  # fmt: skip
    figure.update_yaxes(
        tickvals=places, ticktext=[for_figure(name, 18) for name in called], showgrid=False,
        range=[len(agents) - 0.5, -0.5], linecolor="rgba(0,0,0,0)",
    )  # fmt: skip
    figure.update_layout(
        title=title, height=154 + CELL * len(agents), margin={"l": 8, "r": 8, "t": 72, "b": 56}
    )
    return figure


def key() -> None:
    """What the colours and the sign in the cells mean."""
    k = charts.tokens()
    swatches = [
        (k.diverging[5], _("row scores higher")), (k.diverging[3], _("≈ not decided: the interval holds one half")),
        (k.diverging[1], _("column scores higher")),
    ]  # fmt: skip
    shown = "".join(
        f'<span><i style="background:{colour}"></i>{escape(words)}</span>' for colour, words in swatches
    )
    st.html(f'<div class="r-key" lang="{language()}">{shown}</div>')
