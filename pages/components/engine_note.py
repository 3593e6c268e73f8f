"""*What this engine is*: the demo engine's rules in plain words, its limits, and how far its raters were measured."""

import json
from pathlib import Path
from typing import Any

import streamlit as st

from pages.components import badges, layout
from pages.components.words import _

VALIDITY = Path(__file__).parents[2] / "prompts" / "demo" / "validity.json"
Run = dict[str, Any]


def draw() -> None:
    """The whole section, for the page on data and privacy; other pages link to it."""
    layout.section(_("What the demo engine is"))
    with st.container(border=True):
        badges.row([badges.engine("demo")])
        st.text(
            _(
                "Rules over word lists, in English and Chinese. It is no model, has no understanding, and asks no "
                "other machine. The same inputs and seed always give the same words."
            )
        )
        layout.facts(rules())
    with st.container(border=True):
        layout.card_title(_("What it cannot do"))
        st.text(limits())
    found = read_validity()
    if found.get("auc"):
        with st.container(border=True):
            measured(found)
            every_run(found)


def link() -> None:
    """Where to read about it, for a page that shows something the demo engine made."""
    layout.link("privacy.py", _("What the demo engine is"))


def rules() -> list[tuple[str, str]]:
    """Who in the engine does what, in plain words."""
    return [
        (
            _("Counselors"),
            _(
                "cut clauses from what the client said, turn “I” into “you”, and choose a question that was not asked "
                "yet: Hill-guided by stage, supportive, advising, or in CPsyCoun's four stages."
            ),
        ),
        (
            _("Clients"),
            _(
                "speak from the role card: its events in the first person, and lines for its stressor. Being "
                "understood adds trust and being pushed takes it; painful things need trust. Each trait changes how "
                "much is said, what is added and what is refused."
            ),
        ),
        (
            _("Writer"),
            _(
                "sorts a report's own sentences into components, note and four-stage dialogue and adds only the "
                "counselor's connecting words; what a report does not state is named as missing. Roles are put "
                "together from lists whose entries fit each other."
            ),
        ),
        (
            _("Raters"),
            _(
                "count features such as open questions, saying back, advice and planning together, weigh them with "
                "weights fixed beforehand, and quote the turns they counted. Without evidence they say so."
            ),
        ),
    ]


def limits() -> str:
    return _(
        "Its counselors, clients and raters were made to fit each other: what its raters say about its own sessions "
        "checks that everything runs and is never a finding, so Results names no winner. Repeats of a demo rater read "
        "different four fifths of a session; their agreement is that of subsamples and says nothing about a model. "
        "Irony, dialect and anything said between the lines pass it by."
    )


def read_validity() -> Run:
    try:
        return dict(json.loads(VALIDITY.read_text("utf-8")))
    except (OSError, ValueError):
        return {}


def rater_names() -> dict[str, str]:
    return {
        "alliance_total": _("Alliance, all items"),
        "hill_comparison": _("Nine Hill dimensions"),
        "length_only": _("Length alone"),
    }


def measured(found: Run) -> None:
    """How far the demo raters sort real sessions, as measured and kept with the rules."""
    data = found.get("data", {})
    layout.card_title(_("Measured on real transcripts"))
    st.text(
        _(
            "On {n} sessions labelled by experts ({name}), how often the rules put a high-quality session above a "
            "low-quality one (0.5 is chance, 1 is always):"
        ).format(n=data.get("sessions", "?"), name=data.get("name", "?"))
    )
    names = rater_names()
    st.dataframe(
        [
            {
                _("Rater"): names.get(name, name.replace("_", " ")),
                "AUC": value["value"],
                _("95 % interval"): "{:.2f}–{:.2f}".format(*value["interval"])
                if value.get("interval")
                else "",
            }
            for name, value in found["auc"].items()
            if isinstance(value, dict) and isinstance(value.get("value"), (int, float))
        ],
        hide_index=True,
        column_config={"AUC": st.column_config.NumberColumn(format="%.2f")},
        key="engine_validity",
    )
    layout.muted(
        _(
            "{engine}, {date}. The labels are about motivational-interviewing quality, not about alliance. Measured in "
            "English on whole sessions; Chinese is not validated, single utterances are not."
        ).format(engine=found.get("engine", ""), date=found.get("date", ""))
    )


def every_run(found: Run) -> None:
    """All runs on these labels, the first one included, so that nobody takes the last for the only one."""
    earlier = [
        (run["date"], run["rules"], run["auc"].get("alliance_total"), run["auc"].get("hill_comparison"))
        for run in found.get("earlier", [])
    ]
    last = [found["auc"].get(name, {}).get("value") for name in ("alliance_total", "hill_comparison")]
    names = rater_names()
    with st.expander(_("Every run on these labels, the first one included")):
        st.dataframe(
            [
                {
                    _("Date"): date,
                    _("Rules"): version,
                    names["alliance_total"]: alliance,
                    names["hill_comparison"]: hill,
                }
                for date, version, alliance, hill in [*earlier, (found["date"], found["rules"], *last)]
            ],
            hide_index=True,
            column_config={
                name: st.column_config.NumberColumn(format="%.2f")
                for name in (names["alliance_total"], names["hill_comparison"])
            },
            key="engine_runs",
        )
        layout.muted(
            _(
                "The weights were set before the first run. Later runs changed which phrases count, and are reported as such."
            )
        )
