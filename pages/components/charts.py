"""Figures: one template for both themes, labels that travel with the figure, and the table beside it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core.csv_files import csv_bytes
from pages.components import layout
from pages.components.words import _, plain

FONT = "Source Sans, PingFang SC, Microsoft YaHei, Noto Sans CJK SC, WenQuanYi Zen Hei, sans-serif"
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "star")
LINE = 50  # letters of a line under a title that a window of 400 pixels shows
CLOSING = tuple("，。；：、）”")  # never begin a line
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


@dataclass(frozen=True)
class Tokens:
    """The colours of one theme."""

    ink: str
    muted: str
    line: str
    grid: str
    ground: str
    band: str
    quote_line: str
    series: tuple[str, ...]
    diverging: tuple[str, ...]  # ochre to teal
    sequential: tuple[str, ...]


LIGHT = Tokens(
    ink="#1C2B2E", muted="#566467", line="#D5DEDD", grid="#E3EAE9", ground="#FFFFFF", band="#F2F6F5",
    quote_line="#B88700",
    series=("#0F6E6E", "#CF7615", "#3443A8", "#C2479C", "#5B4A1E", "#5B9BD0"),
    diverging=("#8A4B12", "#C98A4A", "#EBD2B1", "#F4F5F3", "#B9DAD6", "#4FA09A", "#0F5F5F"),
    sequential=("#F2F6F5", "#C9E0DD", "#8EC3BD", "#4D9F99", "#0F6E6E"),
)  # fmt: skip
DARK = Tokens(
    ink="#E6ECEB", muted="#A3B2B3", line="#354145", grid="#2A3336", ground="#14191B", band="#1E2628",
    quote_line="#E2C25A",
    series=("#4FC3B5", "#F0A261", "#8FA4F5", "#CE6BB4", "#D9D35A", "#A9D8F5"),
    diverging=("#E9A566", "#A86E37", "#5A412A", "#262D2F", "#23504D", "#2F8A82", "#7FDACD"),
    sequential=("#1E2628", "#21403F", "#27605D", "#318580", "#4FC3B5"),
)  # fmt: skip


def tokens() -> Tokens:
    """The colours of the theme this session shows."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def template(k: Tokens | None = None) -> go.layout.Template:
    k = k or tokens()
    axis = {
        "gridcolor": k.grid, "linecolor": k.line, "zeroline": False, "ticks": "", "automargin": True,
        "title": {"standoff": 10, "font": {"size": 13, "color": k.muted}},
    }  # fmt: skip
    return go.layout.Template(
        layout={
            "font": {"family": FONT, "size": 14, "color": k.ink},
            "colorway": k.series,
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "title": {
                "x": 0, "xref": "container", "y": 1, "yref": "container", "yanchor": "top",
                "pad": {"t": 24}, "font": {"size": 16, "weight": 600},
            },
            "margin": {"l": 8, "r": 16, "t": 72, "b": 72},
            "xaxis": axis,
            "yaxis": axis,
            "legend": {"orientation": "h", "x": 0.5, "xanchor": "center", "yref": "container", "y": 0,
                       "yanchor": "bottom"},
            "hoverlabel": {"bgcolor": k.ground, "bordercolor": k.line, "font": {"color": k.ink, "family": FONT}},
            "polar": {
                "bgcolor": "rgba(0,0,0,0)",
                "radialaxis": {"gridcolor": k.grid, "linecolor": k.line, "angle": 70, "tickangle": 70, "ticks": ""},
                "angularaxis": {"gridcolor": k.grid, "linecolor": k.line, "rotation": 90, "direction": "clockwise"},
            },
        }
    )  # fmt: skip


def title_block(title: str, n: str, engine: str) -> str:
    """A figure's title with how many and what made it under it, so that an export keeps both and no window cuts them off."""
    small = "<br>".join(_safe(line) for words in (n, engine) if words for line in folded(words))
    style = f"font-size:12.5px;font-weight:400;color:{tokens().muted}"
    return f"{_safe(title)}<br><span style='{style}'>{small}</span>"


def folded(words: str, most: int = LINE) -> list[str]:
    """Words in lines of at most so many letters; a Chinese character is as wide as two, and may end any line."""
    lines, width = [""], 0
    for piece in re.findall(r"[\u2e80-\uffff]|[^\s\u2e80-\uffff]+|\s+", words):
        wide = sum(2 if letter > "\u2e7f" else 1 for letter in piece)
        if width + wide > most and lines[-1].strip() and piece not in CLOSING:
            lines, width = [*lines, ""], 0
        lines[-1], width = lines[-1] + piece, width + wide
    return [line.strip() for line in lines if line.strip()]


def make_room(figure: go.Figure) -> None:
    """A title of many lines pushes its figure down instead of covering it."""
    lines = str(figure.layout.title.text or "").count("<br>")
    if lines > 1:
        figure.update_layout(
            margin_t=(figure.layout.margin.t or 72) + 16 * (lines - 1), height=(figure.layout.height or 450) + 16 * (lines - 1)
        )


def _safe(words: str) -> str:
    """Words for a plotly title, which reads a few HTML tags."""
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def scale(colours: tuple[str, ...]) -> list[list[Any]]:
    """A palette as a plotly colour scale from 0 to 1."""
    return [[at / (len(colours) - 1), colour] for at, colour in enumerate(colours)]


def shade(colours: tuple[str, ...], share: float) -> str:
    """The colour at ``share`` (0 to 1) of a palette, in between mixed."""
    at = min(max(share, 0.0), 1.0) * (len(colours) - 1)
    low = min(int(at), len(colours) - 2)
    pair = zip(_rgb(colours[low]), _rgb(colours[low + 1]), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * (at - low)):02X}" for a, b in pair)


def ink_on(colour: str) -> str:
    """The ink that reads better on this ground: white or near black."""
    light = _luminance(colour)
    return "#FFFFFF" if 1.05 / (light + 0.05) > (light + 0.05) / (_luminance("#101A1C") + 0.05) else "#101A1C"


def clear(colour: str, share: float) -> str:
    """A colour let through, for bands."""
    red, green, blue = _rgb(colour)
    return f"rgba({red},{green},{blue},{share})"


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _luminance(colour: str) -> float:
    parts = [c / 255 for c in _rgb(colour)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def csv(table: pd.DataFrame) -> bytes:
    """A table as CSV that spreadsheets open safely and in the right letters (``core.cells``)."""
    return csv_bytes(table)


def as_page(figure: go.Figure, caption: str) -> str:
    """The figure as a page of its own: on a solid ground, with its caption, needing nothing from outside."""
    from html import escape

    solid = go.Figure(figure)
    k = tokens()
    solid.update_layout(paper_bgcolor=k.ground, plot_bgcolor=k.ground, template=template(k))
    chart = solid.to_html(include_plotlyjs=True, full_html=False, config={"displaylogo": False})
    return (
        f'<!doctype html><meta charset="utf-8"><title>Rapport</title><body style="margin:24px;background:{k.ground};'
        f'color:{k.ink};font-family:{escape(FONT, quote=True)}">{chart}<p style="color:{k.muted}">{escape(caption)}</p>'
    )


def show(
    figure: go.Figure,
    *,
    alt: str,
    table: pd.DataFrame | None = None,
    caption: str = "",
    name: str = "figure",
    key: str = "",
    on_select: Any = "ignore",
    columns: Mapping[str, Any] | None = None,
    beside: bool = False,
    whole: bool = False,
    made_by: str = "",
) -> Any:
    """A figure with its caption, its table and downloads; returns the selection.

    Args:
        alt: what the figure shows, in a sentence, for those who do not see it.
        table: the same numbers; drawn under the figure unless ``beside`` leaves that to the page.
        name: file name of the downloads, without ending; letters, digits and hyphens.
        columns: ``column_config`` of the table. whole: the table shows all its rows at once.
        made_by: judge, engines and versions in words (``results_made``); a column of its own in the CSV, so that they
            travel with the numbers. The figure has them under its title.
    """
    figure.update_layout(template=template())
    make_room(figure)
    key = key or re.sub(r"\W+", "_", name)
    selected = st.plotly_chart(
        figure,
        theme=None,
        alt=alt,
        key=f"{key}_figure",
        on_select=on_select,
        selection_mode="points",
        config={"displayModeBar": False},
    )
    if caption:
        layout.muted(caption)
    if table is not None and not beside:
        show_table(table, name=name, key=key, columns=columns, figure=figure, caption=caption, whole=whole, made_by=made_by)
    return selected


def show_table(
    table: pd.DataFrame,
    *,
    name: str,
    key: str = "",
    columns: Mapping[str, Any] | None = None,
    figure: go.Figure | None = None,
    caption: str = "",
    whole: bool = False,
    made_by: str = "",
) -> None:
    """A table and its downloads (CSV; the figure as a page when one is given); what made it stands under it, or in its figure."""
    key = key or re.sub(r"\W+", "_", name)
    height: Any = "content" if whole else "auto"
    st.dataframe(table, hide_index=True, column_config=numbers(table) | dict(columns or {}), key=f"{key}_table", height=height)
    if made_by and figure is None:
        layout.muted(made_by)
    with st.container(horizontal=True):
        csv_button(table, name=name, key=key, made_by=made_by)
        if figure is not None:
            st.download_button(
                _("Figure"),
                lambda: as_page(figure, caption),
                f"{name}.html",
                "text/html",
                key=f"{key}_html",
                on_click="ignore",
                icon=":material/insert_chart:",
            )


def numbers(table: pd.DataFrame) -> dict[str, Any]:
    """Two digits for measures; counts and whole values as they are."""
    return {
        str(name): st.column_config.NumberColumn(format="%.2f")
        for name in table.columns
        if pd.api.types.is_float_dtype(table[name]) and (table[name].dropna() % 1 != 0).any()
    }


def csv_button(table: pd.DataFrame | Callable[[], pd.DataFrame], *, name: str, key: str, made_by: str = "") -> None:
    """The table as a file, made when it is asked for; ``made_by`` becomes its last column."""
    column = _("Made by")

    def made() -> bytes:
        rows = table() if callable(table) else table
        return csv(rows.assign(**{column: made_by}) if made_by else rows)

    st.download_button(
        plain("CSV"),
        made,
        f"{name}.csv",
        "text/csv",
        key=f"{key}_csv",
        on_click="ignore",
        icon=":material/download:",
    )
