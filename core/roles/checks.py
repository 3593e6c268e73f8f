"""Checking a role: do its facets fit each other, and does the text hold all of them?

Rules and words are data (``prompts/roles/rules.yaml``, ``findings.yaml``); patterns see words, not meaning,
so a finding is something for a person to look at, never a refusal.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.errors import fill
from core.roles import ingredients
from core.roles.ingredients import Stressor
from core.roles.sampling import contradictions

Finding = dict[str, Any]
EVENT_AGE = re.compile(r"\b(?:at|aged?|age of|was|were|turned) (\d{1,3})\b|(\d{1,3}) ?岁", re.IGNORECASE)
NOW_AGE = re.compile(
    r"(?:\b(?:you are|you're|this is an?|is an?|is now|are an?) )(\d{1,3})(?:[- ]years?[- ]old|(?=[,.;]))"
    r"|(?:你|今年|现年)(?:今年|现在|是(?:一位|一名|个)?)? ?(\d{1,3}) ?岁(?!时|那年|的时候|起|以后|之后|之前)",
    re.IGNORECASE,
)
WORD = re.compile(r"[a-z][a-z'-]{3,}", re.IGNORECASE)
HAN = re.compile(r"[\u4e00-\u9fff]+")
ENOUGH = 0.5  # share of an event's words (or pairs of characters) that must stand in the text
LATIN_AT_LEAST = 40  # letters: a shorter text may well have no capital


def check_role(
    *, language: str, stressor: Mapping[str, Any], demographics: Mapping[str, Any], life_events: Sequence[str],
    traits: Mapping[str, str], text: str,
) -> list[Finding]:  # fmt: skip
    """Everything the rules find: ``{"code", "severity", "message", "values"}``, faults first.

    Severity is *fault* (a facet is lost or contradicted by the text), *warning* or *note*.
    """
    known = ingredients.stressors().get(str(stressor.get("subcategory", "")))
    found = [
        *missing(demographics, life_events, text),
        *trait_clashes(dict(traits), language),
        *unsampled(traits, language),
        *lost_traits(traits, text, language),
        *event_findings(life_events, demographics.get("age"), text),
        *age_findings(known, demographics, text, language),
        *fit_findings(known, demographics, language),
        *case_findings(text, language),
    ]
    order = ("fault", "warning", "note")
    told = [finding(code, language, **values) for code, values in found]
    return sorted(told, key=lambda one: order.index(one["severity"]))


Found = tuple[str, dict[str, Any]]


def finding(code: str, language: str, **values: Any) -> Finding:
    """A finding with its sentence in this language."""
    known = ingredients.read("findings")["findings"][code]
    return {
        "code": code,
        "severity": known["severity"],
        "message": say(code, values, language),
        "values": values,
    }


def say(code: str, values: Mapping[str, Any], language: str) -> str:
    """A finding's sentence in the reader's language (values stay in the role's); the code where it is not known."""
    known = ingredients.read("findings")["findings"].get(code)
    return fill(str(known[language]), values) if known else code


def mendable(findings: Sequence[Finding]) -> list[str]:
    """Sentences of the findings that compiling the text again can put right."""
    known = ingredients.read("findings")["findings"]
    return [one["message"] for one in findings if known[one["code"]].get("mend")]


def missing(demographics: Mapping[str, Any], life_events: Sequence[str], text: str) -> Iterator[Found]:
    for facet in ("age", "gender", "family_status", "occupation", "persona"):
        if not demographics.get(facet):
            yield "missing_facet", {"facet": facet.replace("_", " ")}
    if not text.strip():
        yield "missing_text", {}
    limits = ingredients.read("life_events")
    if not limits["fewest"] <= len(life_events) <= limits["most"]:
        values = {"count": len(life_events), "fewest": limits["fewest"], "most": limits["most"]}
        yield "event_count", values


def trait_clashes(traits: dict[str, str], language: str) -> Iterator[Found]:
    for code, strength in (("contradiction", "clear"), ("tension", "tension")):
        for first, second in contradictions(traits, strength):
            labels = (ingredients.variant(sub, traits[sub]).label.of(language) for sub in (first, second))
            yield code, dict(zip(("first", "second"), labels, strict=True))


def unsampled(traits: Mapping[str, str], language: str) -> Iterator[Found]:
    for sub, variants in ingredients.traits().items():
        if sub not in traits:
            yield "sampled_missing", {"trait": next(iter(variants.values())).subcategory_label.of(language)}


def lost_traits(traits: Mapping[str, str], text: str, language: str) -> Iterator[Found]:
    """Traits whose names are not in the text; longer names take their place first, each place counts once."""
    wanted = [ingredients.variant(sub, code) for sub, code in traits.items()]
    left = " ".join(text.casefold().split())
    names = [(name.casefold(), one) for one in wanted for name in one.names(language)]
    there: set[str] = set()
    for name, one in sorted(names, key=lambda pair: -len(pair[0])):
        if one.subcategory not in there and (at := left.find(name)) >= 0:
            there.add(one.subcategory)
            left = left[:at] + "·" * len(name) + left[at + len(name) :]
    if text.strip():
        yield from (
            ("lost_trait", {"trait": one.label.of(language)})
            for one in wanted
            if one.subcategory not in there
        )


def event_findings(life_events: Sequence[str], age: Any, text: str) -> Iterator[Found]:
    there = pieces(text)
    few = bool(text.strip()) and len(life_events) <= ingredients.read("life_events")["most"]
    for event in life_events:
        wanted = pieces(event)
        if few and wanted and len(wanted & there) < ENOUGH * len(wanted):
            yield "lost_event", {"event": event}
        said = max((int(one or two) for one, two in EVENT_AGE.findall(event)), default=0)
        if isinstance(age, int) and said > age:
            yield "event_age", {"said": said, "age": age, "event": event}


def pieces(text: str) -> set[str]:
    """Words of four letters and more, and pairs of Chinese characters."""
    runs = HAN.findall(text)
    pairs = {run[at : at + 2] for run in runs for at in range(len(run) - 1)}
    return {word.casefold() for word in WORD.findall(text)} | pairs


def age_findings(
    stressor: Stressor | None, demographics: Mapping[str, Any], text: str, language: str
) -> Iterator[Found]:
    age = demographics.get("age")
    if not isinstance(age, int):
        return
    if stressor and not stressor.youngest <= age <= stressor.oldest:
        span = {"youngest": stressor.youngest, "oldest": stressor.oldest}
        yield "age_span", {"age": age, "stressor": stressor.label.of(language)} | span
    for source in (str(demographics.get("persona", "")), text):
        said = NOW_AGE.search(source)
        if said and int(said.group(1) or said.group(2)) != age:
            yield "other_age", {"said": int(said.group(1) or said.group(2)), "age": age}
    for rule in ingredients.read("rules")["ages"]:
        part = str(demographics.get(rule["part"], ""))
        outside = age < rule.get("at_least", 0) or age > rule.get("at_most", 200)
        if outside and matches(rule, part):
            yield "part_age", {"said": part, "age": age}


def fit_findings(
    stressor: Stressor | None, demographics: Mapping[str, Any], language: str
) -> Iterator[Found]:
    """Whether family situation and occupation show what the stressor asks for."""
    if stressor is None:
        return
    family, work = (str(demographics.get(part, "")) for part in ("family_status", "occupation"))
    label = stressor.label.of(language)
    if family and any(not of_kind("families", kind, family) for kind in stressor.family):
        yield "family_challenge", {"family": family, "stressor": label}
    if work and any(not of_kind("occupations", kind, work) for kind in stressor.work):
        yield "work_challenge", {"occupation": work, "stressor": label}


def of_kind(part: str, kind: str, said: str) -> bool:
    """Whether a family situation or occupation is of a kind; *working* is none of the others."""
    kinds = ingredients.read("rules")[part]
    if kind == "working":
        return not any(matches(kinds[other], said) for other in ("jobless", "retired", "none"))
    return matches(kinds[kind], said)


def matches(patterns: Mapping[str, str], said: str) -> bool:
    return any(re.search(patterns[language], said, re.IGNORECASE) for language in ("en", "zh"))


def case_findings(text: str, language: str) -> Iterator[Found]:
    letters = [letter for letter in text if letter.isascii() and letter.isalpha()]
    if (
        language == "en"
        and len(letters) >= LATIN_AT_LEAST
        and not any(letter.isupper() for letter in letters)
    ):
        yield "lower_case", {}
