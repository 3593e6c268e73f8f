"""Values with their intervals, one line each, and the numbers beside them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from core.results.claims import rounded, short
from pages.components import charts
from pages.components.results_words import between, for_figure

STEP = 28  # pixels a line


@dataclass(frozen=True)
class Line:
    """One value; ``group`` is written over the lines that share it, ``series`` gives colour and symbol."""

    label: str
    value: float
    low: float
    high: float
    group: str = ""
    series: int = 0
    named: str = ""  # what the series is called, for the legend
    pick: Any = None  # comes back when the point is clicked
    n: int = 0  # what the value rests on, for those who point at it


def forest(
    lines: Sequence[Line], *, title: str, axis: str, over: str, span: tuple[float, float], middle: float | None = None,
    bands: Sequence[float] = (), digits: int = 0,
) -> go.Figure:  # fmt: skip
    """Lines from top to bottom, groups with a heading of their own; values and intervals at the right.

    Args:
        over: heading of the value column. middle: where a dotted line stands. bands: ends of shaded ranges.
        digits: write values as plain decimals of so many digits instead of as shares of 1.
    """
    k = charts.tokens()
    places, ticks = placed(lines)
    rows = len(ticks)
    figure = go.Figure()
    for series in dict.fromkeys(line.series for line in lines):
        own = [(line, at) for line, at in zip(lines, places, strict=True) if line.series == series]
        colour = k.series[series % len(k.series)]
        whole = [(line, at) for line, at in own if line.low == line.low and line.high == line.high]
        figure.add_scatter(  # one trace for all of them, a gap after each: a trace of its own for every line is slow to draw
            x=[end for line, _at in whole for end in (line.low, line.high, None)], y=[end for _line, at in whole for end in (at, at, None)],
            mode="lines", line={"color": colour, "width": 2}, hoverinfo="skip", showlegend=False,
        )  # fmt: skip
        figure.add_scatter(
            x=[line.value for line, _at in own], y=[at for _line, at in own], mode="markers",
            marker={"color": colour, "size": 11, "symbol": charts.SYMBOLS[series % len(charts.SYMBOLS)]},
            customdata=[[line.pick] for line, _at in own], name=for_figure(own[0][0].named),
            text=[f"{for_figure(line.label)}: {written(line.value, digits)} ({written_between(line, digits)}){f', n = {line.n:,}' if line.n else ''}" for line, _at in own],
            hovertemplate="%{text}<extra></extra>", showlegend=bool(own[0][0].named),
        )  # fmt: skip
    numbers_beside(figure, lines, places, over, digits)
    for start, end in zip(bands[::2], bands[1::2], strict=False):
        figure.add_vrect(x0=start, x1=end, fillcolor=k.band, line_width=0, layer="below")
    if middle is not None:
        figure.add_vline(x=middle, line={"color": k.muted, "width": 1, "dash": "dot"}, layer="below")
    legend = any(line.named for line in lines)
    figure.update_layout(
        title=title, height=72 + (96 if legend else 60) + STEP * (rows + 1), hovermode="closest",
        margin={"l": 8, "r": 128, "t": 72, "b": 96 if legend else 60},
    )  # fmt: skip
    figure.update_xaxes(
        title=axis, range=[span[0] - 0.02 * (span[1] - span[0]), span[1] + 0.02 * (span[1] - span[0])]
    )
    figure.update_yaxes(
        range=[rows - 0.4, -1.4],
        tickvals=list(range(rows)),
        ticktext=ticks,
        showgrid=False,
        linecolor="rgba(0,0,0,0)",
    )
    return figure


def numbers_beside(
    figure: go.Figure, lines: Sequence[Line], places: Sequence[int], over: str, digits: int
) -> None:
    """The value column at the right, with its heading."""
    beside = {"x": 1, "xref": "paper", "xshift": 14, "xanchor": "left", "showarrow": False}
    values = [
        beside | {
            "y": at, "align": "left", "font": {"size": 13},
            "text": f"<b>{written(line.value, digits)}</b>  {written_between(line, digits)}" if line.value == line.value else "–",
        }
        for line, at in zip(lines, places, strict=True)
    ]  # fmt: skip
    head = beside | {"y": -0.9, "text": f"<b>{for_figure(over)}</b>", "font": {"size": 12, "color": charts.tokens().muted}}
    figure.update_layout(annotations=[*values, head])  # at once: each single one added would copy all before it


def written(value: float, digits: int) -> str:
    return rounded(value, digits) if digits and value == value else short(value)


def written_between(line: Line, digits: int) -> str:
    if not digits or line.low != line.low:
        return between(line.low, line.high)
    return f"{rounded(line.low, digits)} – {rounded(line.high, digits)}"


def placed(lines: Sequence[Line]) -> tuple[list[int], list[str]]:
    """The height of each line, and the words at each height (headings of groups among them)."""
    places, ticks, group = [], [], ""
    for line in lines:
        if line.group and line.group != group:
            ticks.append(f"<b>{for_figure(line.group)}</b>")
            group = line.group
        places.append(len(ticks))
        ticks.append(for_figure(line.label))
    return places, ticks
