"""Instruments and prompts: every scale and every word sent to a model, to read."""

import streamlit as st

from core import instruments
from core.errors import WorkbenchError
from core.instruments import Instrument, Item, Level, said
from core.prompting import catalogue, load
from pages.components import badges, layout, transcript
from pages.components.drawing import esc
from pages.components.words import _, language, plain


def own(words: instruments.Words, wording: str) -> str:
    return words.zh if wording == "zh" else words.en


def choose_wording(key: str) -> str:
    return str(
        st.segmented_control(
            _("Wording"),
            ("en", "zh"),
            default=language(),
            required=True,
            format_func=lambda code: {"en": "English", "zh": "中文"}[code],
            key=key,
        )
    )


def number(value: float) -> str:
    return f"{value:g}"


def anchors(levels: tuple[Level, ...], wording: str) -> None:
    """The levels of a scale with their anchors."""
    rows = "".join(
        f"<dt>{number(level.value)}</dt><dd>{esc(own(level.anchor, wording)) if level.anchor else '–'}</dd>"
        for level in levels
    )
    st.html(f'<dl class="r-facts" lang="{wording}">{rows}</dl>')


def item_card(item: Item, wording: str) -> None:
    with st.container(border=True):
        layout.card_title(own(item.text, wording), over=own(item.name, wording) if item.name else item.id)
        told = [
            _("“{id}” in tables").format(id=item.id) if item.name else "",
            _("reverse-keyed: the score is turned once") if item.reversed else "",
            _("“not applicable” is allowed") if item.not_applicable else "",
            _("{value} means no evidence for or against").format(value=number(item.no_evidence))
            if item.no_evidence is not None
            else "",
        ]
        if any(told):
            layout.muted(_("; ").join(words for words in told if words))
        anchors(item.levels, wording)


def about(found: Instrument, wording: str) -> None:
    with st.container(border=True):
        layout.card_title(own(found.name, wording))
        transcript.text(own(found.purpose, wording), text_language=wording)
        kinds = {"rating": _("a rating of one session"), "comparison": _("a comparison of two sessions")}
        scoring = {"mean": _("mean of the items"), "sum": _("sum of the items")}
        facts: list[tuple[str, object]] = [
            (_("Id and version"), f"{found.id}, {found.version}"),
            (_("Gives"), kinds[found.kind]),
            (_("Source"), said(found.source, wording)),
            (_("Licence"), said(found.licence, wording)),
        ]
        if found.kind == "rating":
            facts.insert(2, (_("Score"), scoring[found.scoring]))
        if found.rule is not None:
            facts.append((_("Told to a judge"), own(found.rule, wording)))
        if found.note is not None:
            facts.append((_("Mind"), own(found.note, wording)))
        layout.facts(facts)


def dimensions(found: Instrument, wording: str) -> None:
    """Each dimension with what it means and its items; a comparison has dimensions only."""
    stage = ""
    for dimension in found.dimensions:
        if dimension.stage and dimension.stage != stage:
            stage = dimension.stage
            layout.section(own(found.stages[stage], wording) if stage in found.stages else stage)
        elif not dimension.stage:
            layout.section(own(dimension.name, wording))
        if dimension.stage:
            with st.container(border=True):
                layout.card_title(own(dimension.name, wording), over=dimension.id)
                transcript.text(own(dimension.definition, wording), text_language=wording)
        else:
            layout.muted(own(dimension.definition, wording))
        for item in found.items:
            if item.dimension == dimension.id:
                item_card(item, wording)


def show_instruments() -> None:
    ids = instruments.catalogue()
    loaded: dict[str, Instrument] = {}
    for id in ids:
        try:
            loaded[id] = instruments.load(id)
        except WorkbenchError as error:
            layout.problem(error)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox(
            _("Instrument"),
            list(loaded),
            format_func=lambda id: own(loaded[id].name, language()),
            key="instruments_id",
            bind="query-params",
        )
        wording = choose_wording("instruments_wording")
    if chosen:
        about(loaded[chosen], wording)
        if loaded[chosen].general:
            with st.container(border=True):
                layout.card_title(_("One scale for all items (prompt setting “general”)"))
                anchors(loaded[chosen].general, wording)
        dimensions(loaded[chosen], wording)


def show_prompts() -> None:
    known = dict(catalogue())
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox(_("Prompt"), list(known), key="instruments_prompt", bind="query-params")
        wording = choose_wording("instruments_prompt_wording")
    if not chosen:
        return
    try:
        prompt = load(chosen, wording)
    except WorkbenchError as error:
        layout.problem(error)
        return
    with st.container(border=True):
        layout.card_title(prompt.id)
        st.text(prompt.purpose)
        layout.facts(
            [
                (_("Version"), prompt.version),
                (_("Hash"), prompt.hash),
                (_("Inputs"), ", ".join(prompt.inputs)),
                (_("Changed"), prompt.changed),
            ]
        )
    st.code(prompt.text, language=None, wrap_lines=True)
    layout.muted(
        _(
            "This is the template; what is in braces is filled in. Every call is stored with its full messages, so "
            "no result depends on today's file. The files are under “prompts”."
        )
    )


layout.title(
    _("Instruments and prompts"),
    _(
        "Every scale people and judges rate by, and every word that is sent to a model. To read; the files are the source."
    ),
    [badges.fact(_("Read-only"), "visibility")],
)
view = st.segmented_control(
    _("Show"),
    ("instruments", "prompts"),
    default="instruments",
    required=True,
    format_func=lambda v: {"instruments": plain(_("Instruments")), "prompts": plain(_("Prompts"))}[v],
    key="instruments_view",
    label_visibility="collapsed",
    bind="query-params",
)
if view == "prompts":
    show_prompts()
else:
    show_instruments()
