"""The demo engine's role writer: facets from lists whose entries fit age, gender and challenge, and the text of a role.

The prompts are those of ESC-Judge's chain (Figures 5–7); the words are data, ``prompts/demo/<language>/roles.yaml``.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from core.llm.demo.bank import entry, lines, pattern
from core.llm.demo.perspective import to_second
from core.llm.demo.text import folded, shorten
from core.llm.demo.words import words

WORDS = "roles"
FAMILIES, OCCUPATIONS = 5, 10
AGE = 35  # what is assumed where a card gives no age that can be read
YOUNGEST_STUDENT, RETIRES = 27, 60
SPECIAL = frozenset({"ended", "infant", "expecting"})
FORM = re.compile(r"\[([^|\]]*)\|([^\]]*)\]")


@dataclass(frozen=True)
class Entry:
    """A family situation or occupation: its words, its sentence in a persona, the ages it fits, and its kinds."""

    text: str
    sentence: str
    youngest: int
    oldest: int
    kinds: frozenset[str]

    def fits(self, age: int) -> bool:
        return self.youngest <= age <= self.oldest


@cache
def entries(language: str, name: str) -> tuple[Entry, ...]:
    """The entries of a list, in the order of the file."""
    found = []
    for line in lines(language, WORDS, name):
        text, sentence, ages, kinds = (part.strip() for part in line.split(" | "))
        low, high = ages.split("-")
        found.append(Entry(text, sentence, int(low), int(high), frozenset(kinds.split())))
    return tuple(found)


def language_of(language: str) -> str:
    return "zh" if language == "zh" else "en"


# ---- demographics --------------------------------------------------------------------------------------------------


@cache
def wanted_kinds(challenge: str) -> tuple[frozenset[str], frozenset[str]]:
    """What a challenge asks of family and occupation, found by its label in either language."""
    for category in words("../roles", "stressors")["categories"]:
        for known in category["stressors"]:
            if folded(challenge) in (folded(known["label"]["en"]), folded(known["label"]["zh"])):
                return frozenset(known.get("family", ())), frozenset(known.get("work", ()))
    return frozenset(), frozenset()


def demographics(inputs: Mapping[str, Any], rng: Random, language: str) -> dict[str, Any]:
    """Five family situations, ten occupations, the chosen ones, and a persona made from them."""
    code, age = language_of(language), age_of(inputs.get("age"))
    challenge = str(inputs.get("challenge") or "").strip()
    family_kinds, work_kinds = wanted_kinds(challenge)
    families = options(entries(code, "families"), FAMILIES, age, family_kinds, rng, plain="plain")
    work = options(entries(code, "occupations"), OCCUPATIONS, age, work_kinds or usual_work(age), rng)
    family = picked(families, inputs.get("family_pick"))
    occupation = picked(work, inputs.get("occupation_pick"))
    return {
        "family_options": [one.text for one in families], "family_status": family.text,
        "occupation_options": [one.text for one in work], "occupation": occupation.text,
        "persona": persona(code, rng, age, str(inputs.get("gender") or ""), challenge, family, occupation),
    }  # fmt: skip


def usual_work(age: int) -> frozenset[str]:
    """What people of an age mostly do, where the challenge asks for nothing."""
    if age >= RETIRES + 5:
        return frozenset({"retired"})
    if age <= YOUNGEST_STUDENT:
        return frozenset({"studying", "working"})
    return frozenset({"working", "own", "retired"} if age >= RETIRES else {"working", "own"})


def options(
    known: Sequence[Entry], count: int, age: int, kinds: frozenset[str], rng: Random, plain: str = ""
) -> list[Entry]:
    """That many entries that fit age and kinds; where there are too few, the age gives way before the kind."""
    wanted = kinds or frozenset({plain})
    of_kind = [one for one in known if one.kinds & wanted]
    fitting = [one for one in of_kind if one.fits(age)]
    rng.shuffle(fitting)
    rest = sorted((one for one in of_kind if not one.fits(age)), key=lambda one: distance(one, age))
    return (fitting + rest if len(fitting) < count else fitting)[: max(1, min(count, len(fitting) or count))]


def distance(one: Entry, age: int) -> int:
    return max(one.youngest - age, age - one.oldest, 0)


def picked(found: Sequence[Entry], place: Any) -> Entry:
    number = int(place) if isinstance(place, int | float) else 1
    return found[(number - 1) % len(found)]


def age_of(value: Any) -> int:
    """An age in years from whatever a card gives."""
    found = re.search(r"\d{1,3}", str(value if value is not None else ""))
    return min(100, max(14, int(found.group()))) if found else AGE


def persona(
    language: str, rng: Random, age: int, gender: str, challenge: str, family: Entry, work: Entry
) -> str:
    """A few sentences in the third person."""
    person = entry(language, WORDS, "people").get(gender.strip(), "they")
    pronouns = entry(language, WORDS, "pronouns")[person]
    weighs = rng.choice(lines(language, WORDS, "weighs")) if challenge else ""
    text = (
        entry(language, WORDS, "persona")
        .replace("{work}", work.sentence)
        .replace("{family}", family.sentence)
    )
    text = FORM.sub(lambda form: form.group(2 if person == "they" else 1), text.replace("{weighs}", weighs))
    values = {"age": str(age), "challenge": small(challenge)} | pronouns
    values |= {name.capitalize(): word.capitalize() for name, word in pronouns.items()}
    return fill(text, values).strip()


def small(text: str) -> str:
    """A label as it stands inside a sentence: ``Job loss`` → ``job loss``, ``PhD`` stays."""
    return text[:1].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text


def fill(text: str, values: Mapping[str, str]) -> str:
    """Put values in; braces of a card's own words stay as they are."""
    return re.sub(r"\{(\w+)\}", lambda slot: values.get(slot.group(1), slot.group()), text)


# ---- life events -----------------------------------------------------------------------------------------------------


def life_events(inputs: Mapping[str, Any], rng: Random, language: str) -> dict[str, Any]:
    """Kinds of events that this age can have behind it, category after category; none that is taken."""
    code = language_of(language)
    age, taken = told_age(inputs, code), {str(kind) for kind in inputs.get("taken") or ()}
    persona = str(inputs.get("persona") or "")
    fitting = [
        known
        for known in entry(code, WORDS, "events")
        if known["ages"][0] < age
        and known["kind"] not in taken
        and not (known.get("unless") and re.search(known["unless"], persona))
    ]
    rng.shuffle(fitting)
    wanted = inputs.get("count")
    count = int(wanted) if isinstance(wanted, int | float) and wanted > 0 else 20
    return {"events": [str(known["kind"]) for known in fitting[:count]]}


def told_age(inputs: Mapping[str, Any], language: str) -> int:
    found = re.search(str(entry(language, WORDS, "age")), str(inputs.get("persona") or ""))
    return age_of(next((group for group in found.groups() if group), None) if found else None)


def scenarios(inputs: Mapping[str, Any], rng: Random, language: str) -> dict[str, Any]:
    """Ways in which an event may have happened, every one different: when, what, and what it left."""
    code, event = language_of(language), str(inputs.get("event") or "")
    wanted = inputs.get("count")
    count = int(wanted) if isinstance(wanted, int | float) and wanted > 0 else 25
    age = told_age(inputs, code)
    known = next((one for one in entry(code, WORDS, "events") if one["kind"] == event), None)
    if known is None:
        frames, ages = entry(code, WORDS, "scenario_other"), range(8, max(9, age))
        every = [
            fill(frame, {"age": str(year), "event": shorten(event, 25).rstrip(".。")})
            for year in ages
            for frame in frames
        ]
    else:
        frames, (low, high) = entry(code, WORDS, "scenario"), known["ages"]
        every = [
            fill(frame, {"age": str(year), "what": what, "left": left})
            for year in range(low, max(low + 1, min(high + 1, age)))
            for what in known["what"] for left in known["left"] for frame in frames
        ]  # fmt: skip
    rng.shuffle(every)
    return {"scenarios": every[:count]}


# ---- the text --------------------------------------------------------------------------------------------------------


def compiled(inputs: Mapping[str, Any], rng: Random, language: str) -> dict[str, Any]:
    """All facets in the second person under five headings; every event and every trait's label once."""
    code, person = language_of(language), inputs.get("demographics")
    person = person if isinstance(person, Mapping) else {}
    challenge = str(inputs.get("challenge") or "").strip()
    traits = [trait for trait in inputs.get("traits") or () if isinstance(trait, Mapping)]
    here = ("response_style", "trust", "triggers", "self_soothing")
    about = [said_of(code, trait) for trait in traits if trait.get("subcategory") not in here]
    parts = [
        fill(str(entry(code, WORDS, "you_are")), values_of(code, person)),
        space(code).join(
            [
                fill(str(entry(code, WORDS, "brings")), {"challenge": small(challenge)}),
                *own_words(code, challenge, rng),
            ]
        ),
        "\n".join(
            sentence(str(event), code) for event in inputs.get("life_events") or () if str(event).strip()
        ),
        space(code).join([*about, str(entry(code, WORDS, "both"))] if about else []),
        space(code).join(said_of(code, trait) for trait in traits if trait.get("subcategory") in here),
    ]
    headed = zip(entry(code, WORDS, "headings"), parts, strict=True)
    return {"text": "\n\n".join(f"{heading}\n{part}" for heading, part in headed if part.strip())}


def space(language: str) -> str:
    return "" if language == "zh" else " "


def values_of(language: str, person: Mapping[str, Any]) -> dict[str, str]:
    unknown = "未说明" if language == "zh" else "not stated"
    names = {"age": "age", "gender": "gender", "family": "family_status", "work": "occupation"}
    return {slot: str(person.get(name) or unknown).strip().rstrip(".。") for slot, name in names.items()}


def own_words(language: str, challenge: str, rng: Random) -> list[str]:
    """Two lines of what the stressor is like, the same that its client speaks from, turned to the second person."""
    from core.llm.demo.client_card import stressor_words

    known = stressor_words({"stressor": {"label": challenge}}, language)
    found = []
    for kind in ("story", "impact"):
        said = [
            line.split(" | ")[0].strip() for line in str(known.get(kind, "")).splitlines() if line.strip()
        ]
        turned = [second for line in said if (second := in_second(line, language))]
        found += [rng.choice(turned)] if turned else []
    return found


def in_second(line: str, language: str) -> str:
    if language == "zh":
        return "" if "你" in line or "您" in line else line.replace("我", "你")
    said = to_second(line)
    return said[:1].upper() + said[1:] if said else ""


def sentence(text: str, language: str) -> str:
    text = text.strip()
    stop = "" if pattern(language, WORDS, "ends").search(text) else "。" if language == "zh" else "."
    return text[:1].upper() + text[1:] + stop


def said_of(language: str, trait: Mapping[str, Any]) -> str:
    """A trait's sentence; one that is not known here keeps its own label and description."""
    name, label = str(trait.get("subcategory", "")), str(trait.get("label", ""))
    known = str(entry(language, WORDS, "traits", name, str(trait.get("variant", ""))) or "")
    if known and label.casefold() in known.casefold():
        return known
    values = {
        "subcategory": name.replace("_", " "),
        "label": label,
        "description": str(trait.get("description", "")),
    }
    return fill(str(entry(language, WORDS, "trait_other")), values).strip()


ANSWERS = {
    "role/demographics": demographics,
    "role/life_events": life_events,
    "role/scenarios": scenarios,
    "role/compile": compiled,
}
