"""Home: where everything stands, and what to do next."""

import importlib
import importlib.util

import streamlit as st

from core.clearance import Clearance, kinds
from core.errors import WorkbenchError
from core.results import reading
from core.studies import versions
from pages.components import badges, crisis, home_for, layout, resources, role_library, update_note
from pages.components.words import _, language, many
from storage import tables, units
from storage.store import Store

KINDS = ("person", "consensus", "rules", "model", "reference")  # of raters, as Home counts them apart


def counted(store: Store) -> dict[str, int]:
    """What is in the store, in figures."""
    reports = len(resources.visible(store.reports.all(), "report"))
    return {
        "reports": reports,
        "waiting": len(unconfirmed(store)),
        "roles": store.roles.count(version=1),
    } | reading.counts(store)


def unconfirmed(store: Store) -> list[tables.Report]:
    """Reports whose text, as it is now, nobody confirmed."""
    now = kinds(store, "report")
    return [r for r in resources.visible(store.reports.all(), "report") if now.get(r.id or 0) is Clearance.UNCONFIRMED]


def load_demo(store: Store) -> None:
    """Run the demo study; everything it makes carries the demo engine's label."""
    demo = importlib.import_module("core.studies.demo")
    with st.spinner(_("Running the demo study on this machine. It fills every page in under a minute …")):
        try:
            demo.load_demo(store, language(), size="small", wait=True)
        except WorkbenchError as error:
            layout.problem(error)
            return
    st.rerun()


def first_steps(store: Store) -> None:
    """The store is empty: begin with the demo study or with a report of one's own."""
    with st.container(border=True):
        layout.lead_card(
            _("Nothing is here yet. Look at an example first?"),
            _(
                "The demo study makes reports, roles, sessions and their ratings on this machine, by rules, "
                "without a model. It takes less than a minute, and you can delete all of it again."
            ),
        )
        with st.container(horizontal=True):
            if st.button(
                _("Load the demo study"),
                key="home_demo",
                type="primary",
                icon=":material/play_arrow:",
                disabled=importlib.util.find_spec("core.studies.demo") is None,
            ):
                load_demo(store)
            if st.button(_("Begin with my report"), key="home_report", icon=":material/upload_file:"):
                st.switch_page("reports.py")


def next_step(store: Store, n: dict[str, int]) -> None:
    """The one thing to do next, by what is still missing."""
    waiting = next(iter(unconfirmed(store)), None)
    paused = store.sessions.find(origin="live", state="paused", withdrawn="")
    newer = units.going_on(store)
    unfinished = next(
        (s for s in store.studies.all() if s.state in ("running", "stopped", "needs the key") and s.id not in newer), None
    )
    if unfinished is not None and unfinished.state != "running" and versions.cannot_go_on(store, unfinished.id or 0):
        layout.next_step(
            _("Look after the study “{name}”").format(name=unfinished.name),
            _("It was begun with another version of an instrument and cannot go on. Begin it as a new study; what is the same is not asked again."),
            _("Open Studies"), "studies.py", {"study": unfinished.id}, key="home_next",
        )  # fmt: skip
    elif unfinished is not None:
        layout.next_step(
            _("Look after the study “{name}”").format(name=unfinished.name),
            _("It is not finished: see how far it is, or let it go on."),
            _("Open Studies"), "studies.py", {"study": unfinished.id}, key="home_next",
        )  # fmt: skip
    elif waiting is not None:
        layout.next_step(
            _("Confirm the masking of “{title}”").format(title=waiting.title),
            _("Until a person has read it through, it stays on this machine."),
            _("Open Reports"), "reports.py", {"report": waiting.id}, key="home_next",
        )  # fmt: skip
    elif paused is not None:
        layout.next_step(
            _("Go on with a paused session"),
            _("Every turn so far is saved."),
            _("Open Live session"), "live.py", {"session": paused.id}, key="home_next",
        )  # fmt: skip
    elif not n["sessions"]:
        layout.next_step(
            _("Watch a first session"),
            _("Choose a role card and a counselor; they speak word by word, and you can take a seat."),
            _("Open Live session"), "live.py", key="home_next",
        )  # fmt: skip
    elif not n["ratings"] and not n["comparisons"]:
        layout.next_step(
            _("Have the sessions judged"),
            _("A study compares counselors on nine dimensions, or rates the alliance on twelve items."),
            _("Open Studies"), "studies.py", key="home_next",
        )  # fmt: skip
    else:
        layout.next_step(
            _("Read what the ratings show"),
            _("From any number down to the quote behind it."),
            _("Open Results"), "results.py", key="home_next",
        )  # fmt: skip


def by_whom(n: dict[str, int]) -> str:
    """Who gave the ratings and comparisons; kinds of raters are never pooled silently."""
    if not n["ratings"] + n["comparisons"]:
        return _("none yet")
    of = {kind: n.get(f"ratings by {kind}", 0) + n.get(f"comparisons by {kind}", 0) for kind in KINDS}
    rest = n["ratings"] + n["comparisons"] - sum(of.values())
    parts = [
        many("{n} by people", "{n} by people", of["person"]) if of["person"] else "",
        many("{n} by a consensus of people", "{n} by a consensus of people", of["consensus"]) if of["consensus"] else "",
        many("{n} by the demo engine", "{n} by the demo engine", of["rules"]) if of["rules"] else "",
        many("{n} by models", "{n} by models", of["model"]) if of["model"] else "",
        many("{n} came with the data", "{n} came with the data", of["reference"]) if of["reference"] else "",
        many("{n} by others", "{n} by others", rest) if rest else "",
    ]
    return _(", ").join(part for part in parts if part)


def figures(store: Store, n: dict[str, int]) -> None:
    none = _("none yet")
    warned = sum(bool(role_library.to_check(role)) for role in store.roles.cards()) if n["roles"] else 0
    cells = [
        ("description", _("Reports"), n["reports"],
         (many("{n} to be confirmed", "{n} to be confirmed", n["waiting"]) if n["waiting"] else _("all confirmed or made up"))
         if n["reports"] else none),
        ("badge", _("Roles"), n["roles"],
         (many("{n} with something to check", "{n} with something to check", warned) if warned else _("all checked"))
         if n["roles"] else none),
        ("forum", _("Sessions"), n["sessions"],
         (many("{n} of them live", "{n} of them live", n["live"]) if n["sessions"] else none)
         + (_(", ") + many("{n} withdrawn", "{n} withdrawn", n["withdrawn"]) if n["withdrawn"] else "")),
        ("rate_review", _("Ratings and comparisons"), n["ratings"] + n["comparisons"], by_whom(n)),
    ]  # fmt: skip
    grid = st.grid(4, min_column_width=190, border=True)
    for icon, label, value, under in cells:
        with grid.cell():
            layout.figure(icon, label, value, under)


def how_it_connects() -> None:
    """For those to whom all three pages are open."""
    layout.section(_("How the pieces connect"))
    cells = [
        ("edit_document", _("1 Make"),
         _("Upload a report, mask it, rebuild it as a dialogue. Or build a role and watch a session."),
         "reports.py", _("Open Reports")),
        ("rate_review", _("2 Judge"),
         _("Compare counselors on nine dimensions, or rate the alliance on twelve items: blind, in both orders, with quotes."),
         "studies.py", _("Open Studies")),
        ("timeline", _("3 Read"),
         _("From any number down to the quote behind it. See which raters agree with people."),
         "results.py", _("Open Results")),
    ]  # fmt: skip
    grid = st.grid(3, min_column_width=255, border=True)
    for icon, words, sentence, page, link in cells:
        with grid.cell():
            layout.card_title(words, icon=icon)
            st.text(sentence)
            layout.link(page, link)


def what_it_is_not() -> None:
    crisis.note()
    if not resources.country():
        with st.container(border=True):
            st.text(_("Where are you? The crisis numbers shown here follow from it."))
            crisis.choose_country("home_country", "collapsed")


def in_use(store: Store) -> list[badges.Badge]:
    """Which engine the agents use, and whether text can leave this machine."""
    used = {agent.endpoint_id for agent in store.agents.all() if agent.engine == "openai"}
    named = [row.name for row in store.endpoints.all() if row.id in used]
    shown = [badges.engine("demo")] + [badges.engine("openai", name) for name in named]
    return [*shown, badges.workbench(store.endpoints.all())]


store = resources.store()
n = counted(store)
layout.title(
    _("From counseling reports to evidence"),
    _(
        "Rebuild dialogues, let simulated clients and counselors talk, have models rate the sessions, bring in people's ratings, "
        "and see how far each rating can be trusted."
    ),
    in_use(store),
)
update_note.tell()
if not resources.is_researcher():
    home_for.draw(store, resources.person())
elif not any(n.values()):
    first_steps(store)
else:
    next_step(store, n)
if resources.is_researcher():
    figures(store, n)
    how_it_connects()
what_it_is_not()
