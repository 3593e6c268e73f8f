"""The library of roles: as cards to look through, or as a table to sort."""

import json
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.roles.importing import CARD
from pages.components import badges, layout, resources, session_view
from pages.components.words import _, many
from storage import tables

AT_ONCE, SHOWN_TRAITS = 12, 5
MORE = "roles_shown"


def listed(roles: Sequence[tables.RoleCard]) -> None:
    """All roles, with filters, in one of two views."""
    layout.section(_("Saved roles"))
    views = {"cards": _("Cards"), "table": _("Table")}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        sought = st.text_input(_("Search"), key="roles_search", width=260)
        spoken = st.segmented_control(_("Language"), ["en", "zh"], selection_mode="multi", format_func=session_view.language_name, key="roles_f_language")
        odd = st.toggle(_("Only those to look at"), key="roles_f_odd", help=_("Roles in which the consistency check found a fault or a warning."))
        st.space("stretch")
        view = st.segmented_control(_("View"), list(views), default="cards", required=True, format_func=views.__getitem__, key="roles_view", label_visibility="collapsed")
    kept = [role for role in roles if (not spoken or role.language in spoken) and sought.strip().casefold() in words_of(role) and (not odd or to_check(role))]
    layout.muted(_("{shown} of {all} roles").format(shown=f"{len(kept):,}", all=f"{len(roles):,}"))
    if kept and view == "table":
        choose(kept)
    elif kept:
        gallery(kept)


def words_of(role: tables.RoleCard) -> str:
    """What a search looks through."""
    facets = [role.demographics, role.profile, role.life_events, session_view.traits(role)]
    return " ".join([role.title, str(role.stressor.get("label", "")), json.dumps(facets, ensure_ascii=False)]).casefold()


def to_check(role: tables.RoleCard) -> int:
    return sum(one["severity"] != "note" for one in role.checks)


def as_file(role: tables.RoleCard) -> str:
    """A role as JSON, as it can be brought in again: a profile as a profile, a card as a card."""
    made = {"title": role.title, "engine": role.engine, "made_by": badges.engine_words(role.engine)}
    facets = role.profile if role.kind == "profile" else role.model_dump(include=set(CARD))
    return json.dumps(made | facets, ensure_ascii=False, indent=1)


def gallery(roles: Sequence[tables.RoleCard]) -> None:
    """A card for each role, some at a time."""
    shown = int(st.session_state.get(MORE, AT_ONCE))
    grid = st.grid(3, min_column_width=255, border=True)
    for role in roles[:shown]:
        with grid.cell():
            card(role)
    if len(roles) > shown and st.button(_("Show more"), key="roles_more", type="tertiary", icon=":material/expand_more:"):
        st.session_state[MORE] = shown + AT_ONCE
        st.rerun()


def card(role: tables.RoleCard) -> None:
    kind = _("Client profile") if role.kind == "profile" else _("Role card")
    number = _("{kind} {n}").format(kind=kind, n=role.card_id)
    held = resources.store().sessions.per_card().get(role.card_id or 0, 0)
    over = [number, session_view.language_name(role.language), *([many("{n} session", "{n} sessions", held)] if held else [])]
    layout.card_title(role.title, over=_(" · ").join(over))
    chips = session_view.traits(role)
    more = [f"+{len(chips) - SHOWN_TRAITS}"] if len(chips) > SHOWN_TRAITS else []
    layout.facts([(label, value) for label, value in lines(role) if value], [*chips[:SHOWN_TRAITS], *more], text_language=role.language)
    badges.draw(badges.engine(role.engine))
    with st.container(horizontal=True, vertical_alignment="center"):
        if role.kind == "role":
            badges.draw(checked(role))
        st.space("stretch")
        layout.link("roles.py", _("Read it"), {"role": role.id})


def lines(role: tables.RoleCard) -> list[tuple[str, str]]:
    """Who this is, in a few words."""
    person, stressor = role.demographics, str(role.stressor.get("label", ""))
    return [
        (_("Stressor"), stressor if role.kind == "role" and stressor not in role.title else ""),
        (_("Age, work"), _(", ").join(str(person[k]) for k in ("age", "occupation") if person.get(k))),
        (_("Family"), str(person.get("family_status") or "")),
        (_("Behavior"), str(role.profile.get("behavior", ""))),
        (_("Receptivity"), _("{n} of 5").format(n=role.profile["receptivity"]) if role.profile.get("receptivity") else ""),
    ]


def checked(role: tables.RoleCard) -> badges.Badge:
    """What the consistency check came to."""
    n = to_check(role)
    return badges.partly(_("{n} to look at").format(n=n)) if n else badges.agrees(_("Consistent"))


def choose(roles: Sequence[tables.RoleCard]) -> None:
    """The table; a row chosen opens its role."""
    height: int | str = "content" if len(roles) < 14 else 520
    event = st.dataframe(table(roles), hide_index=True, selection_mode="single-row", on_select="rerun", key="roles_table", height=height)  # type: ignore[call-overload]
    for row in event.selection.rows:
        if row < len(roles):
            st.query_params["role"] = str(roles[row].id)
            st.rerun()


def table(roles: Sequence[tables.RoleCard]) -> pd.DataFrame:
    held = resources.store().sessions.per_card()
    ages = [role.demographics.get("age") for role in roles]
    return pd.DataFrame(
        {
            _("Title"): [role.title for role in roles],
            _("Age"): pd.array([age if isinstance(age, int) else None for age in ages], dtype="Int64"),
            _("Language"): [session_view.language_name(role.language) for role in roles],
            _("To look at"): [to_check(role) for role in roles],
            _("Sessions"): [held.get(role.card_id or 0, 0) for role in roles],
            _("Made by"): [badges.engine_words(role.engine) for role in roles],
            _("Date"): [role.created[:10] for role in roles],
        }
    )
