"""The design being chosen on Studies, kept in the store as it is chosen: back after a refresh, in another window, after a restart."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import streamlit as st

from core.errors import DataError, NotFound
from core.people import begun
from pages.components import badges, layout, resources
from pages.components.words import _
from storage import tables

# In the browser session: the draft's row; the choices its widgets begin with; what the store held when this window last
# looked; and the widgets' values at the end of the last run, which tell what was chosen here since.
KEPT = "studies_kept"
ROUNDS = "studies_rounds"  # how often a choice's widget was begun anew, by name: with another window's choice, or after a drop
TEXT = "text"
MISSING = object()
PLAIN = (
    "way", "name", "language", "counselors", "client", "turns", "sessions_each", "seed", "methods", "rebuilder", "new_roles", "writer",
    "judges", "compare", "rate", "budget", "instrument", "setting", "repeats",
)  # fmt: skip
BY_LANGUAGE = ("source", "reports", "roles", "every", "which")
Choice = TypeVar("Choice")


def names() -> list[str]:
    return [*PLAIN, *(f"{name}_{code}" for name in BY_LANGUAGE for code in ("en", "zh"))]


def key(name: str) -> str:
    """The key of a choice's widget; another one after it was begun anew."""
    rounds = st.session_state.get(ROUNDS, {}).get(name, 0)
    return f"studies_{name}" + (f"_{rounds}" if rounds else "")


def anew(some: Iterable[str]) -> None:
    """Let the widgets of these choices begin anew."""
    rounds = st.session_state.setdefault(ROUNDS, {})
    for name in some:
        rounds[name] = rounds.get(name, 0) + 1


def opened() -> tables.Draft | None:
    """The person's draft of a study, if there is one; its choices are what the form begins with."""
    rows = begun.all_of(resources.store(), resources.person(), "study")
    row = rows[0] if rows else None
    id, held = row.id if row else None, st.session_state.get(KEPT)
    if held is None or (held["last"] is None and held["id"] != id):  # nothing was chosen here yet
        choices = dict(row.content) if row else {}
        st.session_state[KEPT] = {"id": id, "choices": choices, "seen": choices, "last": None, "taken": {}, "gone": False, "field": key(TEXT)}
    return row


def catch_up(row: tables.Draft | None) -> None:
    """Take over what another window chose since this one last looked, and say so; what was chosen here stays."""
    held = st.session_state[KEPT]
    held["taken"], held["gone"] = {}, held["id"] is not None and row is None
    if held["gone"]:
        held["id"], held["seen"] = None, {}
        layout.notice(_("This draft was saved or dropped in another window. What you choose here begins a new one."), "warning")
    if row is None or held["last"] is None:
        return
    found = begun.news(row.content, held["seen"], held["last"], chosen())
    held["id"], held["seen"], held["taken"] = row.id, dict(row.content), found.taken
    held["choices"] = held["choices"] | found.taken
    anew(found.taken)
    if found.taken:
        layout.notice(_("Changed in another window, and taken over here: {names}.").format(names=listed(found.taken)))
    if found.otherwise:
        layout.notice(_("Chosen otherwise in another window: {names}. What you chose here last is kept.").format(names=listed(found.otherwise)), "warning")


def open_id() -> int | None:
    """The draft's number, once something was chosen."""
    id: int | None = st.session_state[KEPT]["id"]
    return id


def check_current() -> None:
    """Raises DataError: this window showed an older draft until now, so nothing can be begun of it yet."""
    held = st.session_state[KEPT]
    if held["gone"]:
        raise DataError("This draft was saved or dropped in another window. Nothing was started here; start it again if it is wanted twice.")
    if held["taken"]:
        raise DataError("This draft was changed in another window meanwhile. Look it over, then start it again; nothing was started.")


def of(name: str, usual: Choice, options: Iterable[Choice] | None = None) -> Choice:
    """What a choice begins with: as in the draft where that can still be chosen."""
    kept = st.session_state.get(KEPT, {}).get("choices", {}).get(name, usual)
    return kept if options is None or kept in list(options) else usual


def some(name: str, usual: Sequence[Choice], options: Iterable[Choice]) -> list[Choice]:
    """The same of a choice of several: what is gone since is left out."""
    there = list(options)
    return [one for one in st.session_state.get(KEPT, {}).get("choices", {}).get(name, usual) if one in there]


def place(name: str, options: Sequence[Any], usual: int = 0) -> int:
    """The same, as a place among the options."""
    return list(options).index(of(name, options[usual], options)) if options else 0


def chosen() -> dict[str, Any]:
    """The choices as they stand, by name."""
    at = {name: key(name) for name in names()} | {TEXT: st.session_state[KEPT]["field"]}
    return {name: st.session_state[place] for name, place in at.items() if place in st.session_state}


def field(more: str) -> str:
    """The key of the field a design is written in; ``more`` tells apart what it began with."""
    st.session_state[KEPT]["field"] = f"{key(TEXT)}_{more}"
    return str(st.session_state[KEPT]["field"])


def taken(name: str) -> Any:
    """Another window's choice, in the run that takes it over; else nothing."""
    return st.session_state[KEPT]["taken"].get(name)


def keep(row: tables.Draft | None) -> None:
    """Keep what was chosen in this window since its last run; nothing is begun before the first change."""
    held, now = st.session_state[KEPT], chosen()
    last = held["last"]
    new = {name: value for name, value in now.items() if last is not None and name not in held["taken"] and value != last.get(name, MISSING)}
    if new:
        held["id"] = saved(row, held["choices"] | now, new)
        held["seen"], held["choices"] = held["seen"] | new, held["choices"] | new
    held["last"] = (last or {}) | now


def saved(row: tables.Draft | None, whole: dict[str, Any], new: dict[str, Any]) -> int | None:
    """Write into the draft what is new, or begin one with the whole; its number."""
    store = resources.store()
    if row is not None:
        try:
            begun.choose(store, row, new)
            return row.id
        except NotFound:
            pass  # dropped in another window this moment: what is chosen here begins a new one
    return begun.begin(store, resources.person(), "study", whole).id


def bar(row: tables.Draft) -> None:
    """That a draft is open, and how to be rid of it."""
    with st.container(horizontal=True, vertical_alignment="center"):
        badges.draw(badges.fact(_("A draft is open"), "edit_note"))
        layout.muted(_("Kept as you choose, since {date}.").format(date=row.created[:10]))
        st.space("stretch")
        if st.button(_("Drop this draft"), key="studies_drop", type="tertiary", icon=":material/close:"):
            forget(row.id)
            anew([*names(), TEXT])
            st.rerun()


def forget(id: int | None) -> None:
    """The study was begun, or its draft dropped."""
    if id is not None:
        begun.drop(resources.store(), resources.person(), id)
    for name in (KEPT, "studies_as_text"):
        st.session_state.pop(name, None)


def listed(some: Iterable[str]) -> str:
    """Choices by the names they have on the form, each once."""
    known = labels()
    there = [known[name] for name in [*names(), TEXT] if name in set(some)]
    return _(", ").join(dict.fromkeys(there))


def labels() -> dict[str, str]:
    words = {
        "way": _("Design"), "name": _("Name"), "language": _("Language"), "counselors": _("Counselors"), "client": _("The client is played by"),
        "turns": _("Turns at most"), "sessions_each": _("Sessions of each pair"), "seed": _("Seed"), "methods": _("Way"), "rebuilder": _("Writer"),
        "new_roles": _("New roles"), "writer": _("Writer"), "judges": _("Judges"), "compare": _("Comparisons"), "rate": _("Ratings"),
        "budget": _("Budget in US dollars (0: none)"), "instrument": _("Instrument"), "setting": _("Instruction"), "repeats": _("Repeats"), TEXT: _("Design"),
    }  # fmt: skip
    there = {"source": _("The sessions are made with"), "reports": _("Reports"), "roles": _("Roles"), "every": _("Sessions"), "which": _("Sessions")}
    return words | {f"{name}_{code}": label for name, label in there.items() for code in ("en", "zh")}
