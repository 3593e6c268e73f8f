"""Drawing the facets of a role. Every facet has a stream of its own, so that changing one moves no other.

Source: ESC-Judge, section 3.2 and appendix A; what differs is said at each function.
"""

import random
from collections.abc import Sequence
from typing import Literal, TypeVar

from core.roles import ingredients
from core.roles.ingredients import Stressor

Sampling = Literal["stratified", "paper"]
FAMILIES, OCCUPATIONS = 5, 10
MOST_DRAWS = 1000
Option = TypeVar("Option")


def stream(seed: int, facet: str) -> random.Random:
    """The generator of one facet; the same on every machine."""
    return random.Random(f"role {seed} {facet}")


def sample_stressor(
    seed: int, sampling: Sampling = "stratified", number: int = 1, set_seed: int | None = None
) -> Stressor:
    """The stressor of role ``number`` (from 1) of a set.

    ``paper`` draws a category, then one of its stressors, which over-samples small categories.
    ``stratified`` goes through all fifty in an order shuffled by ``set_seed`` (the role's own seed if the
    role stands alone), so that a set of fifty holds each once.
    """
    known = list(ingredients.stressors().values())
    if sampling == "paper":
        draw = stream(seed, "stressor")
        category = draw.choice(list(dict.fromkeys(stressor.category for stressor in known)))
        return draw.choice([stressor for stressor in known if stressor.category == category])
    order = stream(seed if set_seed is None else set_seed, "stressors")
    order.shuffle(known)
    return known[(number - 1) % len(known)]


def sample_gender(seed: int, sampling: Sampling = "stratified", allowed: Sequence[str] = ()) -> str:
    """A gender's id among the allowed ones; none given: the paper's two, or all known by their shares."""
    data = ingredients.read("genders")
    shares = {known["id"]: known["share"] for known in data["genders"]}
    choice = list(allowed) or (data["paper"] if sampling == "paper" else list(shares))
    return str(stream(seed, "gender").choices(choice, [shares[gender] for gender in choice])[0])


def sample_age(seed: int, stressor: Stressor) -> int:
    """Years, uniform over the span the stressor fits (the paper leaves the age to the model)."""
    return stream(seed, "age").randint(stressor.youngest, stressor.oldest)


def pick(seed: int, facet: str, count: int) -> int:
    """A place in a list of ``count``, from 1."""
    return stream(seed, facet).randint(1, count)


def chosen(options: Sequence[Option], place: int) -> Option:
    """The option at a place drawn for a list that may have turned out shorter (counted round)."""
    return options[(place - 1) % len(options)]


def sample_event_count(seed: int) -> int:
    data = ingredients.read("life_events")
    return stream(seed, "events").randint(data["fewest"], data["most"])


def sample_traits(seed: int, forbid_contradictions: bool = False) -> dict[str, str]:
    """One variant of each of the thirteen sub-categories, drawn independently.

    With ``forbid_contradictions`` draws that hold a clear contradiction are drawn again.
    """
    draw = stream(seed, "traits")
    for _ in range(MOST_DRAWS):
        traits = {sub: draw.choice(list(variants)) for sub, variants in ingredients.traits().items()}
        if not forbid_contradictions or not contradictions(traits, "clear"):
            break
    return traits


def contradictions(traits: dict[str, str], strength: str) -> list[tuple[str, str]]:
    """Pairs of sub-categories whose variants contradict each other (``clear``) or pull apart (``tension``)."""
    return [
        (rule["first"][0], rule["second"][0])
        for rule in ingredients.read("rules")["contradictions"]
        if rule["strength"] == strength
        and traits.get(rule["first"][0]) == rule["first"][1]
        and traits.get(rule["second"][0]) == rule["second"][1]
    ]
