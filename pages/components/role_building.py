"""Building a role step by step: each step drawn as soon as it is done, and open to changes before the next."""

import json
import secrets
import zlib
from dataclasses import dataclass
from typing import Any, cast

import streamlit as st

from core.errors import WorkbenchError
from core.files import record_id
from core.llm import engines
from core.llm.asking import now
from core.llm.seam import Language
from core.people import begun
from core.roles import drafts, ingredients, service
from core.roles.drafts import STEPS, Draft, Step
from pages.components import asked, badges, layout, resources, role_facets, session_view
from pages.components.words import _, language, many, plain
from storage import tables

RUNNING, TROUBLE = "roles_running", "roles_trouble"  # in the browser session: the draft that is being built, and what stopped it
UNKEPT = "roles_unkept"  # there too: what was written in a window that was behind, to be read and copied
OPEN = "draft"  # in the address while a draft is open: its number
LATEST_SEED = 99_999
PLACES_BELOW = 14  # more than the library draws
# what a changed part leaves standing of the parts after it
EMPTY: dict[str, Any] = {"stressor": {}, "demographics": {}, "life_events": [], "event_kinds": [], "traits": {}, "text": ""}


@dataclass(frozen=True)
class Kept:
    """A draft as it stands in the store."""

    row: tables.Draft
    draft: Draft

    @property
    def id(self) -> int:
        return self.row.id or 0

    @property
    def writer(self) -> int:
        return int(self.row.content.get("writer") or 0)


def opened(row: tables.Draft) -> Kept:
    return Kept(row, Draft.model_validate(row.content))


def content(one: Draft, writer: int) -> dict[str, Any]:
    return one.model_dump(mode="json") | {"writer": writer}


def asked_for() -> Kept | None:
    """The draft of the address, if the person here began it."""
    row = begun.find(resources.store(), resources.person(), "role", record_id(st.query_params.get(OPEN, "")))
    return opened(row) if row is not None else None


def keep(seen: Kept, one: Draft) -> bool:
    """Keep what a person made of the draft as this window showed it; where another window was faster, that is said.

    What a person does to a draft comes here from the click itself, not from a later run, which has read a newer draft.
    """
    clear_trouble()
    if one == seen.draft:
        return True
    try:
        begun.keep(resources.store(), seen.row, content(one, seen.writer))
    except WorkbenchError as error:
        st.session_state[TROUBLE] = error
        return False
    return True


def clear_trouble() -> None:
    for key in (TROUBLE, UNKEPT):
        st.session_state.pop(key, None)


def leave() -> None:
    clear_trouble()
    st.session_state.pop(RUNNING, None)
    st.query_params.pop(OPEN, None)


def set_aside() -> None:
    """Drafts begun earlier, here, in another window or before a restart: go on with one, or drop it."""
    for row in begun.all_of(resources.store(), resources.person(), "role"):
        one = opened(row)
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            ahead = drafts.next_step(one.draft)
            badges.draw(badges.fact(_("A draft is open"), "edit_note"))
            begun_on = _("begun on {date}, seed {n}").format(date=row.created[:10], n=one.draft.seed)
            layout.muted(_(" · ").join([_("Next: {step}").format(step=next_words(one.draft, ahead)) if ahead else _("Complete, not saved yet."), begun_on]))
            st.space("stretch")
            if st.button(_("Go on with it"), key=f"roles_go_on_{one.id}", icon=":material/arrow_forward:"):
                leave()
                st.query_params[OPEN] = str(one.id)
                st.rerun()
            drop(one)


def drop(one: Kept) -> None:
    """Drop a draft; one that calls were made for only when asked again."""
    if st.button(_("Drop this draft"), key=f"roles_drop_{one.id}", type="tertiary", icon=":material/close:"):
        if one.draft.calls:
            confirm_drop(one)
        else:
            dropped(one)
            st.rerun()


def confirm_drop(one: Kept) -> None:
    @st.dialog(_("Drop this draft?"))
    def ask() -> None:
        n = len(one.draft.calls)
        st.text(many("{n} call was made for it. What came of it is deleted with the call and cannot be brought back.", "{n} calls were made for it. What came of them is deleted with the calls and cannot be brought back.", n))
        if st.button(_("Drop this draft"), key=f"roles_drop_sure_{one.id}", type="primary", on_click=dropped, args=(one,)):
            st.rerun()

    ask()


def dropped(one: Kept) -> None:
    begun.drop(resources.store(), resources.person(), one.id)
    leave()


def made_by(one: Kept) -> list[badges.Badge]:
    """Which engine writes the draft, and whether its text leaves this machine."""
    agent = resources.store().agents.find(id=one.writer)
    return asked.made_by(agent) if agent else []


# ---- beginning -----------------------------------------------------------------------------------------------------


def begin() -> None:
    """What a new role starts from; the same seed and language build the same role again with the same writer."""
    with st.container(border=True):
        layout.lead_card(
            _("Build a role"),
            _("Stressor, demographics, life events, thirteen traits, then one text made of them, checked. Each step is shown as it happens, and you can change it."),
        )
        agent = asked.writer("roles_writer")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            spoken = st.selectbox(
                _("Language of the role"), ["en", "zh"], index=int(language() == "zh"), key="roles_language",
                format_func=session_view.language_name, width=160,
            )  # fmt: skip
            seed = st.number_input(_("Seed"), 0, 2_147_483_647, suggested_seed(), key="roles_seed", width=150, help=_("The same seed builds the same role again."))
            more = rare_choices()
            whole = st.button(_("Build"), key="roles_build", type="primary", icon=":material/play_arrow:", disabled=agent is None)
            single = st.button(_("Step by step"), key="roles_steps", icon=":material/stairs:", disabled=agent is None)
        if (whole or single) and agent:
            start(wanted(cast(Any, spoken), int(seed), more), agent, whole)


def wanted(spoken: Language, seed: int, more: dict[str, Any]) -> Draft:
    """An empty draft, or one that holds what was chosen instead of drawn."""
    stressor, age = more.pop("stressor"), more.pop("age")
    return Draft(
        language=spoken, seed=seed, stressor=drafts.stressor_facet(stressor, spoken) if stressor else {},
        demographics={"age": int(age)} if age is not None else {}, **more,
    )  # fmt: skip


def suggested_seed() -> int:
    """A seed of this browser session, another one after each saved role."""
    if "roles_suggested" not in st.session_state:
        st.session_state["roles_suggested"] = secrets.randbelow(LATEST_SEED)
    return int(st.session_state["roles_suggested"])


def rare_choices() -> dict[str, Any]:
    with st.popover(_("More"), icon=":material/tune:"):
        layout.muted(_("What you leave open is drawn by the seed."))
        stressors = role_facets.stressor_names()
        stressor = st.selectbox(_("Stressor"), list(stressors), index=None, format_func=stressors.__getitem__, placeholder=_("Drawn"), key="roles_stressor")
        age = st.number_input(_("Age"), 14, 100, None, placeholder=_("Drawn"), key="roles_age")
        known = {code: role_facets.gender_name(code) for code in ingredients.genders()}
        genders = st.multiselect(_("Genders to draw from"), list(known), format_func=known.__getitem__, placeholder=_("All"), key="roles_genders")
        sampling = st.segmented_control(
            _("Sampling"), ["stratified", "paper"], default="stratified", required=True, key="roles_sampling",
            format_func={"stratified": _("Stratified"), "paper": _("As in the paper")}.__getitem__,
            help=_("Stratified gives every stressor the same chance. The paper draws an area of life first, so stressors of small areas come more often, and it draws women and men only."),
        )  # fmt: skip
        forbid = st.checkbox(_("Draw again when traits contradict each other"), value=True, key="roles_forbid")
    return {"stressor": stressor, "age": age, "genders": genders, "sampling": sampling, "forbid_contradictions": forbid}


def start(one: Draft, agent: tables.Agent, whole: bool) -> None:
    leave()
    row = begun.begin(resources.store(), resources.person(), "role", content(one, agent.id or 0))
    st.session_state[RUNNING] = row.id if whole else None
    st.query_params[OPEN] = str(row.id)
    if not whole:
        advance(opened(row))
    st.rerun()


# ---- the steps -----------------------------------------------------------------------------------------------------


def advance(one: Kept) -> None:
    """Do the next step and keep it at once; on trouble the draft stays as it was, and the sentence is kept to be shown.

    Between an answer and its keeping no line touches the browser session: a click ends the run there.
    """
    store, keys = resources.store(), resources.keys()
    clear_trouble()
    trouble: WorkbenchError | None = None
    try:
        agent = store.agents.get(one.writer)
        asking = service.Asking(store, engines.engine_of(store, agent, keys), engines.settings_of(agent))
        begun.keep(store, one.row, content(now(service.take_step(asking, one.draft)), one.writer))
    except WorkbenchError as error:
        trouble = error
    if trouble is not None:
        st.session_state[TROUBLE], st.session_state[RUNNING] = trouble, None


def show(one: Kept) -> None:
    """The draft so far, and the one next action; while it is being built, the next step after it is shown."""
    ahead = drafts.next_step(one.draft)
    running = st.session_state.get(RUNNING) == one.id and ahead is not None
    with st.empty().container() if running else st.container():
        if ahead is None:
            save(one)
        else:
            head(one, ahead, running)
        if trouble := st.session_state.get(TROUBLE):
            layout.problem(trouble)
            unkept()
        if ahead is not None and not running:
            ask_made_up(one)
        so_far(one, ahead, running)
        waiting = st.empty()
    if running and ahead:
        clear_below()
        with waiting, st.spinner(plain(next_words(one.draft, ahead)) + " …"):
            advance(one)
        st.rerun()


def so_far(one: Kept, ahead: Step | None, running: bool) -> None:
    names = role_facets.part_names()
    for step in STEPS[: STEPS.index(ahead)] if ahead else ("checks", *STEPS[:-1]):
        drawn(one, step, names[step], running)
    if ahead == "life_events" and one.draft.life_events:
        drawn(one, ahead, names[ahead], running)


def clear_below() -> None:
    """Take away what the library drew in these places: a run that ends by another leaves the old page standing."""
    for _place in range(PLACES_BELOW):
        st.empty()


def head(one: Kept, ahead: Step, running: bool) -> None:
    done, ahead_words = STEPS.index(ahead), next_words(one.draft, ahead)
    where = [_("Step {n} of {all}").format(n=done + 1, all=len(STEPS)), ahead_words]
    st.progress(done / len(STEPS), text=plain(_(" · ").join(where)))
    with st.container(horizontal=True, vertical_alignment="center"):
        if running:
            if st.button(_("Stop"), key="roles_stop", icon=":material/stop:"):
                st.session_state[RUNNING] = None
                st.rerun()
        else:
            words = _("Next: {step}").format(step=ahead_words)
            if st.button(plain(words), key="roles_next", type="primary", icon=":material/arrow_forward:"):
                advance(one)
                st.rerun()
            if st.button(_("Build the rest"), key="roles_rest", icon=":material/play_arrow:"):
                st.session_state[RUNNING] = one.id
                st.rerun()
        drop(one)
        layout.muted(_("Seed {n}").format(n=one.draft.seed))


def ask_made_up(kept: Kept) -> None:
    """A writer outside reads what a person typed only when they say, of these very words, that it is made up."""
    one, agent = kept.draft, resources.store().agents.find(id=kept.writer)
    if not one.typed or agent is None or asked.stays_here(agent):
        return
    with st.container(border=True):
        layout.muted(_("You typed in this draft. The next steps send it to a writer outside this machine."))
        key = f"roles_draft_made_up_{typed_words(one)}"
        st.session_state[key] = one.made_up  # as it was said last, in whichever window
        st.checkbox(_("What I typed is made up; no real person stands behind it."), key=key, on_change=say_made_up, args=(kept, key))


def say_made_up(seen: Kept, key: str) -> None:
    """The person's own click, and nothing else, says it: of the draft as this window showed it."""
    keep(seen, seen.draft.model_copy(update={"made_up": bool(st.session_state[key])}))


def typed_words(one: Draft) -> int:
    """A number for what a person can type in a draft: the tick is of these very words."""
    return zlib.crc32(json.dumps([one.demographics, one.life_events, one.text, one.stressor], sort_keys=True).encode("utf-8", "replace"))


def next_words(one: Draft, ahead: Step) -> str:
    if ahead != "life_events":
        return role_facets.part_names()[ahead]
    return _("Life event {n} of {all}").format(n=len(one.event_kinds) + 1, all=one.events_wanted)


def drawn(kept: Kept, step: str, name: str, running: bool) -> None:
    """A finished step: to be read, and to be changed."""
    one = kept.draft
    with st.container(border=True, key=f"roles_step_{step}"):
        layout.card_title(name)
        if step == "checks":
            role_facets.findings(one.checks)
            return
        role_facets.draw(step, one.model_dump(), one.language)
        if not running:
            change(kept, step)


def change(kept: Kept, step: str) -> None:
    one = kept.draft
    with st.expander(_("Change this step"), icon=":material/edit:"), st.form(f"roles_form_{step}_{version(one)}", border=False):
        if step not in ("stressor", "traits"):
            layout.muted(_("What you write goes on to the writer: to one outside only after you say that it is made up."))
        role_facets.form(step, one.model_dump(), f"roles_{step}_{version(one)}", one.language)
        if step in ("stressor", "demographics") and one.demographics.get("persona"):
            st.checkbox(_("Write the steps after it anew"), value=True, key=f"roles_anew_{step}_{version(one)}")
        st.form_submit_button(_("Keep the change"), key=f"roles_keep_{step}", icon=":material/check:", on_click=keep_change, args=(kept, step))


def keep_change(seen: Kept, step: str) -> None:
    """Keep a changed step, in the draft as this window showed it; what cannot be kept stands on the page."""
    one = seen.draft
    fields = role_facets.read(step, one.model_dump(), f"roles_{step}_{version(one)}", one.language)
    anew = bool(st.session_state.get(f"roles_anew_{step}_{version(one)}"))
    if not keep(seen, changed(one, step, fields, anew)):
        st.session_state[UNKEPT] = (step, fields, one.language)


def unkept() -> None:
    """What a person wrote in a window that was behind: nothing of it is in the draft."""
    if held := st.session_state.get(UNKEPT):
        step, fields, spoken = held
        with st.container(border=True):
            layout.card_title(_("Not kept: {part}").format(part=role_facets.part_names()[step]))
            role_facets.draw(step, fields, spoken)


def version(one: Draft) -> int:
    """A number that changes with the draft, so that a form never shows the fields of an older one."""
    return zlib.crc32(one.model_dump_json().encode("utf-8", "replace"))


def changed(one: Draft, step: str, fields: dict[str, Any], anew: bool) -> Draft:
    """The draft with a person's change; ``anew`` empties what was written from it."""
    with_change = drafts.with_edits(one, **fields)
    if not anew or with_change == one:
        return with_change
    names = list(EMPTY)
    after = {name: EMPTY[name] for name in names[names.index(step) + 1 :]}
    return with_change.model_copy(update=after | {"checked": False, "checks": []})


def save(kept: Kept) -> None:
    one = kept.draft
    with st.container(border=True):
        layout.lead_card(_("The role is complete"), _("Read it through, change a step where you like, then save it under a title."))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            suggested = service.free_title(resources.store(), drafts.title_of(one))
            title = st.text_input(_("Title"), suggested, key=f"roles_title_{zlib.crc32(suggested.encode())}", width=420)
            made_up = st.checkbox(_("No real person stands behind it"), one.made_up, key=f"roles_save_made_up_{version(one)}") if one.typed else False
            if st.button(_("Save role"), key="roles_save", type="primary", icon=":material/save:"):
                said = one.model_copy(update={"made_up": one.made_up and made_up})  # taken back here, it is not made up
                try:
                    card = service.save_role(resources.store(), said, title, resources.person(), made_up, kept.id)
                except WorkbenchError as error:
                    layout.problem(error)
                    return
                leave()
                st.session_state.pop("roles_suggested", None)
                st.query_params["role"] = str(card.id)
                st.rerun()
            drop(kept)
        layout.muted(_("Seed {n}").format(n=one.seed))
