"""A role while it is being built: plain values that survive a rerun, and which step comes next."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, Field

from core.llm.seam import Language
from core.roles import ingredients, sampling
from core.roles.checks import Finding, check_role
from core.roles.sampling import Sampling

Step = Literal["stressor", "demographics", "life_events", "traits", "text", "checks"]
STEPS: tuple[Step, ...] = ("stressor", "demographics", "life_events", "traits", "text", "checks")


class Draft(BaseModel):
    """What was asked for, and what there is so far."""

    language: Language = "en"
    seed: int = 0
    sampling: Sampling = "stratified"
    number: int = 1
    set_seed: int | None = None
    forbid_contradictions: bool = True
    genders: list[str] = Field(default_factory=list)

    stressor: dict[str, Any] = Field(default_factory=dict)
    demographics: dict[str, Any] = Field(default_factory=dict)
    life_events: list[str] = Field(default_factory=list)
    event_kinds: list[str] = Field(default_factory=list)
    traits: dict[str, str] = Field(default_factory=dict)
    text: str = ""
    checks: list[Finding] = Field(default_factory=list)
    checked: bool = False
    engine: str = ""
    typed: bool = False  # a person typed in it
    made_up: bool = False  # and said, of these very words, that no real person stands behind them
    calls: list[int] = Field(default_factory=list)

    @property
    def events_wanted(self) -> int:
        return sampling.sample_event_count(self.seed)


def next_step(draft: Draft) -> Step | None:
    """The first step whose result is not there yet; ``None`` when the role is complete."""
    if not draft.stressor:
        return "stressor"
    if not draft.demographics.get("persona"):
        return "demographics"
    written = max(len(draft.life_events), len(draft.event_kinds))  # one that a person took out stays out
    if written < draft.events_wanted and not draft.text:
        return "life_events"
    if not draft.traits:
        return "traits"
    if not draft.text:
        return "text"
    return None if draft.checked else "checks"


def with_stressor(draft: Draft) -> Draft:
    """Draw the challenge."""
    drawn = sampling.sample_stressor(draft.seed, draft.sampling, draft.number, draft.set_seed)
    return draft.model_copy(update={"stressor": stressor_facet(drawn.id, draft.language)})


def with_person(draft: Draft) -> Draft:
    """Draw gender and age, which the writer then builds on; what is there already stays."""
    known = ingredients.stressor(draft.stressor["subcategory"])
    drawn = {
        "gender": sampling.sample_gender(draft.seed, draft.sampling, draft.genders),
        "age": sampling.sample_age(draft.seed, known),
    }
    return draft.model_copy(update={"demographics": drawn | draft.demographics})


def with_traits(draft: Draft) -> Draft:
    drawn = sampling.sample_traits(draft.seed, draft.forbid_contradictions)
    return draft.model_copy(update={"traits": drawn})


def with_checks(draft: Draft) -> Draft:
    """Run the checks on what the draft holds."""
    return draft.model_copy(update={"checks": check_role(**facets(draft)), "checked": True})


def with_edits(draft: Draft, **fields: Any) -> Draft:
    """A person's changes. Changed facets empty the compiled text, a changed text is only checked again."""
    changed = {name for name, value in fields.items() if getattr(draft, name) != value}
    if not changed:
        return draft
    stale: dict[str, Any] = {"checked": False, "checks": []}
    if any(typed(name, getattr(draft, name), fields[name], draft.language) for name in changed):
        stale |= {"typed": True, "made_up": False}
    if changed - {"text"}:
        stale |= {"text": ""} if "text" not in changed else {}
    return draft.model_copy(update=stale | fields)


def typed(name: str, before: Any, now: Any, language: str) -> bool:
    """Whether a person's change of one facet holds words of their own: choices from our lists, and what is taken out, do not."""
    match name:
        case "stressor":
            return bool(now) and now not in [stressor_facet(code, language) for code in ingredients.stressors()]
        case "demographics":
            return any(now.get(key) and now.get(key) != before.get(key) for key in {*now} - {"age", "gender"})
        case "life_events":
            return not set(now) <= set(before)
        case "traits":
            known = ingredients.traits()
            return any(code not in known.get(sub, {}) for sub, code in now.items())
    return True


def facets(part: Any) -> dict[str, Any]:
    """The facets of a draft or a role card, as the checks take them."""
    names = ("language", "stressor", "demographics", "life_events", "traits", "text")
    return {name: getattr(part, name) for name in names}


def stressor_facet(code: str, language: str) -> dict[str, str]:
    """A stressor as a role stores it: codes, and the label in the role's language."""
    known = ingredients.stressor(code)
    return {"category": known.category, "subcategory": known.id, "label": known.label.of(language)}


def trait_inputs(traits: Mapping[str, str], language: str) -> list[dict[str, str]]:
    """Traits as the compiling prompt takes them: codes with their words in this language."""
    known = [ingredients.variant(sub, code) for sub, code in traits.items()]
    return [
        {
            "category": one.group_label.of(language),
            "subcategory": one.subcategory,
            "variant": one.id,
            "label": one.label.of(language),
            "description": one.description.of(language),
        }
        for one in known
    ]


def title_of(draft: Draft) -> str:
    """A title from the challenge and the person: ``Job loss · woman, 41``."""
    gender = ingredients.genders()[draft.demographics["gender"]].of(draft.language)
    age = draft.demographics["age"]
    person = f"{gender}，{age}岁" if draft.language == "zh" else f"{gender}, {age}"
    return f"{draft.stressor['label']} · {person}"
