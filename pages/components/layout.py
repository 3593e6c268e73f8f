"""The shapes pages are made of: title row, cards, facts, figures of the store, calm failures."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import streamlit as st

from core.errors import WorkbenchError
from pages.components import badges as labels
from pages.components import places, resources
from pages.components.drawing import esc
from pages.components.words import _, language, plain, say

SHEET = Path(__file__).with_name("look.css")
PAGES = Path(__file__).parent.parent

# Pages that sentences of core send people to, as they name them.
NAMED = {"models": "Models and agents", "studies": "Studies", "agreement": "Agreement", "instruments": "Instruments and prompts"}


def sheet() -> None:
    """The one stylesheet, put in by the frame on every page."""
    st.html(SHEET)


def title(words: str, sentence: str = "", badges: Sequence[labels.Badge] = ()) -> None:
    """A page's head: its title, badges at the right, one muted sentence under it."""
    with st.container(gap="xsmall"):
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            st.title(plain(words), anchor=False, width="content")
            if badges:
                with st.container(horizontal=True, width="content", gap="small"):
                    for badge in badges:
                        labels.draw(badge)
        if sentence:
            st.html(f'<p class="r-lead" lang="{language()}">{esc(sentence)}</p>')


def section(words: str) -> None:
    """A heading between blocks of a page."""
    st.header(plain(words), anchor=False)


def card_title(words: str, over: str = "", icon: str = "") -> None:
    """A card's own title, with a small line over it."""
    mark = f":material/{icon}: " if icon else ""
    with st.container(gap=None):
        if over:
            st.html(f'<p class="r-over">{esc(over)}</p>')
        st.markdown(f"{mark}**{plain(words)}**")


def muted(words: str) -> None:
    """A small muted line under something."""
    st.html(f'<div class="r-small" lang="{language()}">{esc(words)}</div>')


def next_step(
    words: str, sentence: str, button: str, page: str, query: Mapping[str, Any] | None = None, *, key: str
) -> None:
    """The card that says what to do next, with the page's one primary button."""
    with (
        st.container(border=True, key=f"{key}_card"),
        st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"),
    ):
        st.html(
            f'<div lang="{language()}"><p class="r-over">{esc(_("Next step"))}</p>'
            f'<p class="r-serif">{esc(words)}</p><div style="margin-top:.5rem">{esc(sentence)}</div></div>',
            width="content",
        )
        if st.button(
            plain(button), key=key, type="primary", icon=":material/arrow_forward:", icon_position="right"
        ):
            st.switch_page(page, query_params={k: str(v) for k, v in (query or {}).items()})


def lead_card(words: str, sentence: str) -> None:
    """The words of a card that leads: a line in the heading's letters and a sentence."""
    st.html(
        f'<div lang="{language()}"><p class="r-serif">{esc(words)}</p>'
        f'<div style="margin-top:.5rem">{esc(sentence)}</div></div>'
    )


def link(page: str, words: str, query: Mapping[str, Any] | None = None) -> None:
    """A quiet link to a page; nothing where that page is not there."""
    if (PAGES / page).exists():
        st.page_link(
            page,
            label=plain(words),
            icon=":material/arrow_forward:",
            icon_position="right",
            query_params={k: str(v) for k, v in (query or {}).items()} or None,
        )


def empty(words: str, sentence: str, button: str = "", page: str = "", *, key: str = "") -> None:
    """Nothing is here yet: what would be here, and where to begin."""
    with st.container(border=True):
        lead_card(words, sentence)
        if button and (PAGES / page).exists() and st.button(plain(button), key=key, type="primary"):
            st.switch_page(page)


def facts(pairs: Iterable[tuple[str, object]], chips: Sequence[str] = (), text_language: str = "") -> None:
    """Labels and values in two columns; chips under them."""
    rows = "".join(f"<dt>{esc(label)}</dt><dd>{esc(value)}</dd>" for label, value in pairs)
    more = "".join(f'<span class="r-chip">{esc(chip)}</span>' for chip in chips)
    tail = f'<div class="r-chips">{more}</div>' if more else ""
    st.html(f'<div lang="{esc(text_language or language())}"><dl class="r-facts">{rows}</dl>{tail}</div>')


def figure(icon: str, label: str, value: int | str, under: str) -> None:
    """One figure of the store, for a cell of ``st.grid(…, border=True)``."""
    shown = f"{value:,}" if isinstance(value, int) else value
    with st.container(gap=None):
        st.markdown(f":material/{icon}: :small[{plain(label)}]")
        st.html(f'<div class="r-metric">{esc(shown)}</div><div class="r-small">{esc(under)}</div>')


def problem(error: WorkbenchError) -> None:
    """An error as a sentence: what happened, why, what to do; and who can do it, where that is on a page of others."""
    st.error(plain(" ".join([say(error), *whose(error)])), icon=":material/error:")


def whose(error: WorkbenchError) -> list[str]:
    """That a page the error sends people to is not open to the person here."""
    named = [page for page, title in NAMED.items() if title in error.message]
    if all(places.is_open(page, resources.person().roles) for page in named):
        return []
    return [_("That page is open to researchers only: tell one of them.")]


def notice(words: str, kind: Literal["done", "warning"] = "done") -> None:
    """A quiet block: something was done, or wants attention. The words are shown whole, and as text."""
    st.html(f'<div class="r-notice r-{kind}" role="status" lang="{language()}">{esc(words)}</div>')


def cannot_open(error: WorkbenchError) -> None:
    """The page shown when the database cannot be opened."""
    title(_("The workbench cannot open its database"), _("Nothing was changed. Here is what happened."))
    with st.container(border=True):
        st.html(f'<div class="r-text" lang="{language()}">{esc(say(error))}</div>')
        st.button(_("Try again"), key="frame_again", type="primary", icon=":material/refresh:")


def broken() -> None:
    """A bug, calmly: its traceback is in the log of the server, not here."""
    st.html(
        f'<div class="r-note" lang="{language()}"><b>{esc(_("Something went wrong on this page."))}</b> '
        f"{esc(_('It was not your fault, and what was shown as saved is safe. Reload the page, or choose another one at the left; the details are in the window where Rapport was started.'))}</div>"
    )
