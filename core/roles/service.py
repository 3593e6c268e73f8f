"""Building roles: a chain of sampled and written facets, compiled into one text, checked and saved."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel

from core.clearance import Clearance, Typed, kinds
from core.errors import DataError, ModelError, NotFound, WorkbenchError
from core.llm.asking import ask, make_question
from core.llm.seam import Engine, Settings
from core.people import reviews
from core.roles import drafts, ingredients
from core.roles.checks import check_role, mendable
from core.roles.drafts import Draft, Step, facets, next_step
from core.roles.importing import read_roles
from core.roles.replies import Compiled, Demographics, LifeEvents, Scenarios
from core.roles.sampling import FAMILIES, OCCUPATIONS, Sampling, chosen, pick
from storage import tables
from storage.store import Store

OnStep = Callable[[Step, Draft], None]


async def build_role(
    store: Store, engine: Engine, *, language: str = "en", seed: int = 0, sampling: Sampling = "stratified",
    number: int = 1, set_seed: int | None = None, forbid_contradictions: bool = True, genders: Sequence[str] = (),
    title: str = "", settings: Settings | None = None, on_step: OnStep | None = None, study_id: int | None = None,
    unit_id: int | None = None,
) -> tables.RoleCard:  # fmt: skip
    """Stressor → demographics → life events → traits → text → checks, then saved.

    Args:
        number, set_seed: place in a set and the set's seed, so that *stratified* goes through all stressors.
        on_step: told of each step as soon as it is done.
    Raises:
        ModelError: a writing step got no usable answer; nothing was saved but its call.
    """
    draft = Draft(
        language=cast(Any, language), seed=seed, sampling=sampling, number=number, set_seed=set_seed,
        forbid_contradictions=forbid_contradictions, genders=list(genders),
    )  # fmt: skip
    asking = Asking(store, engine, settings, study_id, unit_id)
    while step := next_step(draft):
        draft = await take_step(asking, draft)
        if on_step:
            on_step(step, draft)
    return save_role(store, draft, title)


@dataclass(frozen=True)
class Asking:
    """Whom a chain asks, and under which study's account."""

    store: Store
    engine: Engine
    settings: Settings | None = None
    study_id: int | None = None
    unit_id: int | None = None

    async def ask(
        self, draft: Draft, prompt: str, inputs: dict[str, Any], reply: type[BaseModel]
    ) -> tuple[Any, Draft]:
        """One writing question; the draft comes back with the call's id.

        Raises:
            ModelError: no answer, or one that cannot be read.
        """
        question = make_question(
            self.store, prompt, inputs, language=draft.language, reply=reply, settings=self.settings or Settings(),
            seed=draft.seed, use="writing", sources=[Typed(named(draft), draft.made_up or not draft.typed)],
        )  # fmt: skip
        answer, call = await ask(
            self.store, self.engine, question, study_id=self.study_id, unit_id=self.unit_id
        )
        if not answer.usable:
            raise ModelError(
                "The writer's answer to {prompt} could not be used: {why}. What was built before is kept; try again.",
                prompt=prompt,
                why=answer.reason or answer.state,
            )
        return answer.value, draft.model_copy(update={"engine": answer.engine, "calls": [*draft.calls, *answer.earlier, call]})


async def take_step(asking: Asking, draft: Draft) -> Draft:
    """Do the next step of a draft (one life event at a time); a complete draft comes back as it is."""
    match next_step(draft):
        case "stressor":
            return drafts.with_stressor(draft)
        case "demographics":
            return await write_demographics(asking, drafts.with_person(draft))
        case "life_events":
            return await write_life_event(asking, draft)
        case "traits":
            return drafts.with_traits(draft)
        case "text":
            return await compile_text(asking, draft)
        case "checks":
            return drafts.with_checks(draft)
    return draft


async def write_demographics(asking: Asking, draft: Draft) -> Draft:
    """Family situations and occupations from the writer; which of them, from our generator."""
    category = ingredients.stressor(draft.stressor["subcategory"]).category_label.of(draft.language)
    family, work = pick(draft.seed, "family", FAMILIES), pick(draft.seed, "occupation", OCCUPATIONS)
    inputs = {
        "challenge": draft.stressor["label"], "category": category, "age": draft.demographics["age"],
        "gender": ingredients.genders()[draft.demographics["gender"]].of(draft.language),
        "family_pick": family, "occupation_pick": work,
    }  # fmt: skip
    reply, draft = await asking.ask(draft, "role/demographics", inputs, Demographics)
    written = {
        "family_status": chosen(reply.family_options, family),
        "occupation": chosen(reply.occupation_options, work),
        "persona": reply.persona.strip(),
    }
    return draft.model_copy(update={"demographics": draft.demographics | written})


async def write_life_event(asking: Asking, draft: Draft) -> Draft:
    """Twenty kinds of events, one picked; twenty-five scenarios of it, one picked; none taken twice."""
    data = ingredients.read("life_events")
    number = len(draft.event_kinds) + 1
    inputs: dict[str, Any] = {
        "persona": draft.demographics["persona"], "categories": ingredients.event_categories(draft.language),
        "count": data["candidates"], "taken": draft.event_kinds,
    }  # fmt: skip
    reply, draft = await asking.ask(draft, "role/life_events", inputs, LifeEvents)
    fresh = [event for event in reply.events if event not in draft.event_kinds] or reply.events
    event = chosen(fresh, pick(draft.seed, f"event {number}", data["candidates"]))
    inputs = {"persona": draft.demographics["persona"], "event": event, "count": data["scenarios"]}
    reply, draft = await asking.ask(draft, "role/scenarios", inputs, Scenarios)
    scenario = chosen(reply.scenarios, pick(draft.seed, f"scenario {number}", data["scenarios"]))
    return draft.model_copy(
        update={"life_events": [*draft.life_events, scenario], "event_kinds": [*draft.event_kinds, event]}
    )


async def compile_text(asking: Asking, draft: Draft) -> Draft:
    """One text from all facets; what the checks can have mended is asked for once more."""
    draft = await compile_once(asking, draft, [])
    faults = mendable(check_role(**facets(draft)))
    return await compile_once(asking, draft, faults) if faults else draft


async def compile_once(asking: Asking, draft: Draft, faults: list[str]) -> Draft:
    gender = ingredients.genders()[draft.demographics["gender"]].of(draft.language)
    inputs = {
        "challenge": draft.stressor["label"], "demographics": draft.demographics | {"gender": gender},
        "life_events": draft.life_events, "traits": drafts.trait_inputs(draft.traits, draft.language),
        "faults": faults,
    }  # fmt: skip
    reply, draft = await asking.ask(draft, "role/compile", inputs, Compiled)
    return draft.model_copy(update={"text": reply.text.strip()})


def named(draft: Draft) -> str:
    """What a draft is called before it has a title."""
    return str(draft.stressor.get("label", ""))


def save_role(
    store: Store, draft: Draft, title: str = "", person: tables.Person | None = None, made_up: bool = False, kept: int | None = None
) -> tables.RoleCard:
    """Save a complete draft as a role card, under a title not yet in use. What a person typed, its title too, is
    *unconfirmed*, unless they said that it is made up.

    Args:
        made_up: they said so of all of it, as it is saved; or else ``draft.made_up`` of what it holds.
        kept: the draft's row in the store, which goes as the card comes.
    Raises:
        DataError: a step is missing, or the title given is in use. NotFound: the draft was saved or dropped before.
    """
    if step := next_step(draft):
        raise DataError(
            "The role is not complete: {step} is missing. Go on building; nothing was lost.", step=step
        )
    own, given = drafts.title_of(draft), title.strip()
    free = free_title(store, own)
    titled = given not in ("", own, free)
    typed = draft.typed or titled
    card = store.roles.add(
        tables.RoleCard(
            title=given or free, seed=draft.seed, sampling=draft.sampling, checks=draft.checks,
            edited_by=reviews.code_of(person) if typed else "", engine=draft.engine or "demo", **facets(draft),
        ),
        draft.calls, kept,
    )  # fmt: skip
    if person is not None and typed and (made_up or (draft.made_up and not titled)):
        confirm_made_up(store, card.id or 0, person, reviews.hash_of("role", card))
    return card


def free_title(store: Store, title: str) -> str:
    """The title, with a number behind it when it is taken."""
    tried, number = title, 1
    while store.roles.find(title=tried) is not None:
        number += 1
        tried = f"{title} ({number})"
    return tried


def change_role(store: Store, role_id: int, person: tables.Person | None = None, **fields: Any) -> tables.RoleCard:
    """Save a person's edits as the card's next version, checked again; every version stays.

    A new title is the whole card's, makes no version and lowers all of them: it was typed. Sessions in progress go on with the version they have.

    Raises:
        NotFound, DataError: no such card, or its new title is in use.
    """
    card = store.roles.get(role_id)
    title = fields.pop("title", card.title)
    if title != card.title:
        store.roles.rename(card.card_id or 0, title, reviews.code_of(person))
    if all(getattr(card, name) == value for name, value in fields.items()):
        return store.roles.get(role_id)
    changed = facets(card) | {name: value for name, value in fields.items() if name in facets(card)}
    by = reviews.code_of(person) if typed_in(card, fields) else card.edited_by
    kept = card.model_dump(exclude={"id", "created", "version"}) | {"title": title, "edited_by": by}
    checks = check_role(**changed) if card.kind == "role" else []
    return store.roles.add_version(tables.RoleCard(**(kept | fields | {"checks": checks})))


def typed_in(card: tables.RoleCard, fields: dict[str, Any]) -> bool:
    """Whether these changes hold words of a person."""
    changed = {name: value for name, value in fields.items() if value != getattr(card, name)}
    return any(drafts.typed(name, getattr(card, name), value, card.language) for name, value in changed.items())


def confirm_made_up(store: Store, role_id: int, person: tables.Person, shown: str) -> tables.RoleCard:
    """A person says that no real person stands behind this version of a card.

    Args:
        shown: ``reviews.shown`` of it, as they read it.
    Raises:
        NotFound: no such card. DataError: it was changed meanwhile; nothing was confirmed.
    """
    reviews.review(store, person, "role", role_id, "synthetic", shown)
    return store.roles.get(role_id)


def confirm_all_made_up(store: Store, person: tables.Person, shown: Mapping[int, str]) -> list[WorkbenchError]:
    """The same of several versions, by id with the hash of each as they read it; gives a sentence for each that was not confirmed."""
    failed: list[WorkbenchError] = []
    for id, hash in shown.items():
        try:
            confirm_made_up(store, id, person, hash)
        except WorkbenchError as error:
            failed.append(error)
    return failed


def waiting(store: Store) -> list[tables.RoleCard]:
    """Cards that stay on this machine until a person says that they are made up, in their newest version."""
    now = kinds(store, "role")
    return [card for card in store.roles.cards() if now.get(card.id or 0) is Clearance.UNCONFIRMED]


def write_profile(
    store: Store, title: str, language: str, profile: dict[str, Any], person: tables.Person, made_up: bool
) -> tables.RoleCard:
    """Save a client profile that a person wrote.

    Args:
        made_up: they say that no real person stands behind it.

    Raises:
        DataError: it has no title or says nothing of the client, or the title is in use.
    """
    if not title.strip() or not (profile["behavior"].strip() or profile["personas"]):
        raise DataError(
            "A profile needs a title and a behavior or a persona. Fill them in; nothing was saved."
        )
    card = store.roles.add(
        tables.RoleCard(
            title=title.strip(), kind="profile", language=language, sampling="written", profile=profile,
            stressor={"category": "", "subcategory": "", "label": profile["behavior"] or title.strip()},
            engine="person", edited_by=reviews.code_of(person),
        )
    )  # fmt: skip
    return confirm_made_up(store, card.id or 0, person, reviews.hash_of("role", card)) if made_up else card


@dataclass
class Imported:
    """What one file brought: records saved, and sentences about what was refused or needs a look."""

    saved: list[dict[str, Any]] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)


def import_roles(store: Store, source: Path | bytes, name: str = "") -> Imported:
    """Roles from a file: ESC-Judge's JSON lines, client profiles or own cards. What is odd is flagged, not refused.

    Raises:
        DataError: the file cannot be read at all.
    """
    name = name or (source.name if isinstance(source, Path) else "roles")
    brought = Imported()
    for read in read_roles(_bytes(source, name), name):
        if read.refused:
            brought.messages.append(f"Role {read.place} was refused: {read.refused}.")
            continue
        if read.dropped:
            brought.messages.append(f"Role {read.place}: {read.dropped} control characters were left out.")
        if _known(store, read.fields):
            brought.messages.append(f"Role {read.place} is in the store already and was not taken again.")
            continue
        fields = read.fields | {"title": free_title(store, read.fields["title"]), "checks": read.checks}
        card = store.roles.add(tables.RoleCard(**fields))
        brought.saved.append({"kind": "role", "id": card.id})
        brought.messages += [
            f"Role {read.place}: {one['message']}" for one in read.checks if one["severity"] != "note"
        ]
    return brought


def _bytes(source: Path | bytes, name: str) -> bytes:
    try:
        return source.read_bytes() if isinstance(source, Path) else source
    except OSError as error:
        raise NotFound(
            "The file {name} cannot be opened: {why}. Check its path; nothing was saved.",
            name=name,
            why=str(error),
        ) from error


def _known(store: Store, fields: dict[str, Any]) -> bool:
    return any(
        same.text == fields.get("text", "") and same.profile == fields.get("profile", {})
        for same in store.roles.all(title=fields["title"])
    )
