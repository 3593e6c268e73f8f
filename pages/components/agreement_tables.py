"""Agreement of raters item by item as the command line gives it: figure, table of items, table of pairs, notes."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core.agreement.matrix import Cell
from core.results import agreement_file
from core.results.claims import short
from pages.components import badges, charts, counted, forest, layout
from pages.components.results_words import between, say_note
from pages.components.words import _

Found = Mapping[str, Any]
FORMS = ("ICC(A,1)", "ICC(A,k)", "ICC(C,1)", "ICC(C,k)", "ICC(1,1)", "ICC(1,k)")
NAN = float("nan")


def of_items(cells: Mapping[str, Sequence[Cell]]) -> Found:
    return agreement_file.agreement_of_items({item: own for item, own in cells.items() if own}, say_note)


def figure(found: Found, form: str, engine: str, key: str) -> None:
    """One line for each item, with the library's F intervals (raters and targets as they are)."""
    items = found["items"]
    lines = []
    for name, item in items.items():
        value = item["icc"][form]
        lines.append(forest.Line(name, none(value["value"]), none(value["low"]), none(value["high"]), n=item["n_targets"]))
    under = _("{targets}, {raters}").format(
        targets=counted.targets([item["n_targets"] for item in items.values()]),
        raters=counted.raters([item["n_raters"] for item in items.values()]),
    )
    title = _("Agreement of the raters, {form}").format(form=form)
    lowest = min([0.0, *(v for line in lines for v in (line.low, line.value) if v == v)])
    drawn = forest.forest(
        lines, title=charts.title_block(title, under, badges.engine_words(engine)), axis=form,
        over=_("{form}, 95 %").format(form=form), span=(max(lowest, -1.0), 1), bands=(0, 0.5, 0.75, 0.9),
    )  # fmt: skip
    charts.show(
        drawn, alt=title, table=items_table(found), name="agreement-items", key=key, made_by=badges.engine_words(engine), whole=len(items) <= 30,
        caption=_(
            "Targets that lack a rater are dropped from the ICC and counted. Intervals treat targets as independent: where "
            "several belong to one client they are too narrow. Shading: Koo and Li 2016, a guide only. {engine}."
        ).format(engine=badges.engine_words(engine)),
    )  # fmt: skip


def none(value: float | None) -> float:
    return NAN if value is None else float(value)


def items_table(found: Found, forms: Sequence[str] = FORMS) -> pd.DataFrame:
    rows = []
    for name, item in found["items"].items():
        alpha = item["krippendorff"]
        rows.append(
            (name, item["n_targets"], item["n_raters"], item["dropped_targets"], *(estimate(item["icc"][form]) for form in forms),
             *(short(none(alpha[level])) for level in ("nominal", "ordinal", "interval")))
        )  # fmt: skip
    heads = [
        _("Item"), _("Targets"), _("Raters"), _("Dropped"), *forms, _("Alpha, nominal"), _("Alpha, ordinal"), _("Alpha, interval"),
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=heads)


def estimate(value: Mapping[str, Any]) -> str:
    if value["value"] is None:
        return _("no ICC")
    return f"{short(none(value['value']))} ({between(none(value['low']), none(value['high']))})"


def pairs_table(found: Found) -> pd.DataFrame:
    rows = [
        (one["item"], one["a"], one["b"], one["n"], none(one["pearson"]), none(one["spearman"]), none(one["kappa"]),
         none(one["weighted_kappa"]))
        for one in found["pairs"]
    ]  # fmt: skip
    heads = [
        _("Item"),
        _("Rater"),
        _("And"),
        _("n"),
        _("Pearson"),
        _("Spearman"),
        _("Kappa"),
        _("Weighted kappa"),
    ]
    return pd.DataFrame(rows, columns=heads)


def show(found: Found, key: str, made: str) -> None:
    """Krippendorff's alpha per item, kappa and correlations of every pair of raters, and the notes."""
    with st.container(border=True):
        layout.card_title(_("Item by item: Krippendorff's alpha"))
        charts.show_table(
            items_table(found, ()), name="alpha-items", key=f"agreement_{key}_items", whole=True, made_by=made
        )
    pairs(found, key, made)
    notes(found)


def pairs(found: Found, key: str, made: str) -> None:
    with st.container(border=True):
        layout.card_title(_("Pair by pair: correlation and kappa"))
        table = pairs_table(found)
        columns = {name: st.column_config.NumberColumn(format="%.2f") for name in table.columns[4:]}
        charts.show_table(
            table, name="agreement-pairs", key=f"agreement_{key}_pairs", columns=columns, made_by=made
        )
        layout.muted(
            _("Weighted kappa: quadratic weights. n: targets both rated. Empty: too few, or no variance.")
        )


def notes(found: Found) -> None:
    told = [f"{name}: {note}" for name, item in found["items"].items() for note in item["notes"]]
    if told:
        with st.container(border=True):
            layout.card_title(_("What has to be said beside these numbers"))
            for words in told[:40]:
                st.text(words)
