"""The trust label at the head of a tab: its state, one line, and on demand a table of every dimension."""

from collections.abc import Iterable

import streamlit as st

from core import instruments
from core.agreement.clustered import Clustered
from core.results.agreements import TOTAL
from core.results.labels import Label
from core.results.voices import Voice
from pages.components import badges, charts, interval_words, layout, results_data, trust_words
from pages.components.badges import Badge
from pages.components.results_words import dimension_name
from pages.components.words import _


def head(table: str, instrument: str, voice: Voice, more: Iterable[Badge] = ()) -> None:
    """The label of the total.

    Args:
        table: rating or comparison. more: badges beside the state.
    """
    labels, ratings = results_data.label_parts(table, instrument, voice), table == "rating"
    badges.row([trust_words.state(labels[TOTAL]), *more])
    layout.muted(trust_words.line(labels[TOTAL], ratings))
    if any(label.on(made).judge for label in labels.values() for made in label.judged):
        with st.expander(_("How far this judge agrees with people"), icon=":material/balance:"):
            show(labels, table, instrument, voice)


def show(labels: dict[str, Label], table: str, instrument: str, voice: Voice) -> None:
    used, ratings = instruments.load(instrument, voice.version), table == "rating"
    named = {dimension_name(used, of): label for of, label in labels.items()}
    charts.show_table(
        trust_words.table(named, ratings), name=f"trust-{instrument}", key=f"trust_{table}", whole=True,
        made_by=badges.engine_words("demo" if voice.kind == "rules" else "openai"),
    )  # fmt: skip
    words = [
        _("Judge and people on the same sessions; a mean over people, and over pairs of people.") if ratings
        else _("Judge and people on the same pairs of sessions; a mean over people, and over pairs of people. A tie is a verdict of its own."),
        _("Intervals: 95 %, leaving out one client or role after the other."),
        interval_words.caution(figures(labels.values())),
    ]  # fmt: skip
    if any(label.mixed for label in labels.values()):
        words.append(_("Sessions made by rules: the demo engine spoke in them. They and other sessions have figures of their own."))
    layout.muted(" ".join(one for one in words if one))


def figures(labels: Iterable[Label]) -> list[Clustered]:
    """Every figure of the table."""
    trusts = [label.on(made) for label in labels for made in label.judged]
    found = [one for trust in trusts for one in (trust.judge, trust.people_alone) if one is not None]
    return [value for one in found for value in (one.agreement, one.second)]
