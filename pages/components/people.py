"""The people who sit here, for researchers: what each is here as, whose old codes they are, who is the same as whom."""

from collections.abc import Callable, Mapping
from functools import partial

import pandas as pd
import streamlit as st

from core.errors import WorkbenchError
from core.people import service
from core.people.rights import ROLES
from core.upkeep import Persons
from pages.components import layout, resources
from pages.components.sitting import named, roles_of, split
from pages.components.words import _, many
from storage import tables
from storage.standing import Tally
from storage.store import Store

JOINED = ", "


def section(store: Store) -> None:
    """A list of everybody, and what a researcher may change about one of them."""
    if not resources.may("people"):
        return
    layout.section(_("People"))
    layout.muted(
        _("Each browser is a person of its own until it is joined with another. Codes are shown names: two with the same code are two persons.")
    )
    rows, tally = rows_of(store.persons.all(), store), store.persons.tally()
    everyone, empty = known(store.persons.everyone(), rows, tally)
    if empty:
        layout.muted(many("{n} person who never did anything and has no browser any more is left out.", "{n} persons who never did anything and have no browser any more are left out.", empty))
    if not everyone:
        return
    st.dataframe(table(everyone, rows, tally), hide_index=True, width="stretch")
    with st.container(border=True):
        ids = [person.id or 0 for person in everyone]
        by_id = {person.id or 0: person for person in everyone}
        chosen = st.selectbox(
            _("Person"), ids, index=None, format_func=lambda id: label(by_id[id]), placeholder=_("Choose"),
            key=f"people_who_{len(ids)}",
        )  # fmt: skip
        if chosen is not None:
            change_roles(store, by_id[chosen])
            same_person(store, by_id[chosen], [one for one in everyone if one.id != chosen])
            part(store, by_id[chosen], rows[chosen])


def rows_of(persons: list[tables.Person], store: Store) -> dict[int, list[tables.Person]]:
    """The rows that are joined to each person."""
    found: dict[int, list[tables.Person]] = {one.id or 0: [] for one in persons if one.joined_to is None}
    for one in persons:
        if one.joined_to is not None:
            found.setdefault(store.persons.root(one.id or 0).id or 0, []).append(one)
    return found


def known(
    everyone: list[tables.Person], rows: Mapping[int, list[tables.Person]], tally: Mapping[int, Tally]
) -> tuple[list[tables.Person], int]:
    """Those there is something to say or do about, and how many others there are: no browser, no code, nothing done."""
    kept = [one for one in everyone if is_known(one, rows.get(one.id or 0, []), tally.get(one.id or 0, Tally()))]
    return kept, len(everyone) - len(kept)


def listed(store: Store) -> tuple[list[tables.Person], int]:
    """``known`` of the whole store."""
    return known(store.persons.everyone(), rows_of(store.persons.all(), store), store.persons.tally())


def is_known(person: tables.Person, joined: list[tables.Person], counted: Tally) -> bool:
    if joined or person.origin != "here" or any(counted):
        return True
    return bool(person.secret_hash or person.sign_in or person.counselor_codes or person.client_codes)


def sessions_of(counted: Tally) -> str:
    if not counted.withdrawn:
        return str(counted.sessions)
    return _("{n} · withdrawn ({withdrawn})").format(n=counted.sessions, withdrawn=counted.withdrawn)


def table(everyone: list[tables.Person], rows: Mapping[int, list[tables.Person]], tally: Mapping[int, Tally]) -> pd.DataFrame:
    """One line a person."""
    here = resources.person().id
    lines = []
    for person in everyone:
        id = person.id or 0
        theirs, counted = rows.get(id, []), tally.get(id, Tally())
        lines.append(
            {
                _("No."): id,
                _("Code"): f"{person.code} ({_('you')})" if id == here else person.code,
                _("Here as"): roles_of(person),
                _("Comes from"): origin(person),
                _("Browsers"): sum(bool(one.secret_hash) for one in [person, *theirs]),
                _("Joined with"): JOINED.join(one.code for one in theirs),
                _("Own codes"): JOINED.join(dict.fromkeys([*person.counselor_codes, *person.client_codes])),
                _("Supervises"): JOINED.join(person.roles.get("supervisor", ())),
                _("Sessions"): sessions_of(counted),
                _("Answers about consent"): counted.consents,
                _("Ratings"): counted.ratings,
            }
        )
    return pd.DataFrame(lines)


def origin(person: tables.Person) -> str:
    if person.origin == "former":
        return _("a code used here before")
    if person.origin == "imported":
        return _("a rater brought in")
    if person.sign_in:
        return _("the command line") if person.sign_in == service.OWNER else _("a sign-in")
    return _("a browser")


def label(person: tables.Person) -> str:
    return f"{person.id} · {named(person)} · {origin(person)}"


def change_roles(store: Store, person: tables.Person) -> None:
    """What the person is here as, whom they supervise, and which codes of series are theirs."""
    id = person.id or 0
    with st.form(f"people_roles_form_{id}", border=False):
        roles = st.multiselect(
            _("Here as"), ROLES, default=[one for one in ROLES if one in person.roles], format_func=resources.role_name,
            placeholder=_("Choose"), key=f"people_roles_{id}",
        )  # fmt: skip
        lines = {
            "supervisor": (_("Counselor codes they supervise, with commas between"), person.roles.get("supervisor", ())),
            "counselor_codes": (_("Counselor codes of their series"), person.counselor_codes),
            "client_codes": (_("Client codes that are theirs"), person.client_codes),
        }
        told = {name: st.text_input(words, JOINED.join(held), key=f"people_{name}_{id}") for name, (words, held) in lines.items()}
        saved = st.form_submit_button(_("Save"), key=f"people_save_{id}")
    if saved:
        given: dict[str, list[str]] = {role: [] for role in roles}
        if "supervisor" in given:
            given["supervisor"] = split(told["supervisor"])
        codes = {name: split(told[name]) for name in ("counselor_codes", "client_codes")}
        do(lambda: service.set_roles(store, id, given, **codes))


def same_person(store: Store, person: tables.Person, others: list[tables.Person]) -> None:
    """Join the person with another one: who is known from then on is the one chosen here."""
    by_id = {one.id or 0: one for one in others}
    id = person.id or 0
    with st.container(horizontal=True, vertical_alignment="bottom"):
        onto = st.selectbox(
            _("Is the same person as"), list(by_id), index=None, format_func=lambda one: label(by_id[one]),
            placeholder=_("Choose"), key=f"people_same_{id}",
        )  # fmt: skip
        asked = st.button(_("Join"), key=f"people_join_{id}", icon=":material/link:")
    if onto is not None:
        layout.muted(_("Both are then {code}, here as {role}. It can be undone.").format(code=by_id[onto].code, role=roles_of(by_id[onto])))
    if asked and onto is None:
        layout.notice(_("Choose who it is the same as."), "warning")
    elif asked and onto is not None:
        do(lambda: service.assign(store, id, onto))


def part(store: Store, person: tables.Person, joined: list[tables.Person]) -> None:
    """Take back that somebody was joined to this person."""
    for one in joined:
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.text(_("{code} was joined with {onto}.").format(code=f"{one.id} · {one.code}", onto=person.code))
            if st.button(_("Part"), key=f"people_part_{one.id}", icon=":material/link_off:"):
                do(partial(service.part, store, one.id or 0))


def do(change: Callable[[], object]) -> None:
    """A change of who is who, by somebody who may."""
    try:
        resources.require("people")
        change()
    except WorkbenchError as error:
        layout.problem(error)
        return
    st.rerun()


def became_of_codes(told: Persons) -> None:
    """What an update made of the codes people worked under."""
    st.text(
        many("{n} code people worked under here is a person now.", "{n} codes people worked under here are persons now.", told.persons)
    )
    layout.facts(
        [
            (_("Answers about consent that could be tied to a session, and count"), told.consents),
            (_("Answers that could not, and grant nothing"), told.without),
        ]
    )
    layout.muted(
        _("Nobody can act as these persons yet. Say who is who under People on Data and privacy; until then only a researcher can withdraw or delete for them.")
    )
