"""Facets of a role: drawn to be read, and as a form to be changed; the same for a draft and for a saved card."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from core.roles import checks, ingredients
from core.roles.checks import Finding
from core.roles.ingredients import Variant
from pages.components import layout, transcript
from pages.components.words import _, language, many

Facets = Mapping[str, Any]
PARTS = ("stressor", "demographics", "life_events", "traits", "text")
ICONS = {"fault": ":material/error:", "warning": ":material/warning:", "note": ":material/info:"}
PLACES = {
    "demographics": ("missing_facet", "age_span", "family_challenge", "work_challenge", "part_age"),
    "life_events": ("event_count", "event_age"),
    "traits": ("contradiction", "tension", "sampled_missing"),
}  # every other finding is about the text


def part_names() -> dict[str, str]:
    return {
        "stressor": _("Stressor"), "demographics": _("Demographics"), "life_events": _("Life events"),
        "traits": _("Traits"), "text": _("Text of the role"), "checks": _("Consistency check"),
    }  # fmt: skip


def gender_name(code: str) -> str:
    known = ingredients.genders()
    return known[code].of(language()) if code in known else code


def stressor_names() -> dict[str, str]:
    """All stressors with their area of life, for a list to choose from."""
    known = ingredients.stressors().items()
    return {code: _("{area}: {stressor}").format(area=one.category_label.of(language()), stressor=one.label.of(language())) for code, one in known}


def severities() -> dict[str, str]:
    return {"fault": _("Fault"), "warning": _("Warning"), "note": _("Remark")}


def place(code: str) -> str:
    """Which part of the role a finding is about."""
    names = part_names()
    return next((names[part] for part, codes in PLACES.items() if code in codes), names["text"])


# ---- reading -------------------------------------------------------------------------------------------------------


def draw(part: str, facets: Facets, text_language: str) -> None:
    """One part of a role, to be read."""
    match part:
        case "stressor":
            layout.facts([(_("Stressor"), facets["stressor"].get("label", "")), (_("Area of life"), area(facets))], text_language=text_language)
        case "demographics":
            person = facets["demographics"]
            pairs = [
                (_("Age"), person.get("age") or ""), (_("Gender"), gender_name(str(person.get("gender") or ""))),
                (_("Family"), person.get("family_status") or ""), (_("Work"), person.get("occupation") or ""),
            ]  # fmt: skip
            layout.facts([(label, value) for label, value in pairs if value], text_language=text_language)
            if person.get("persona"):
                transcript.text(str(person["persona"]), text_language=text_language)
        case "life_events":
            for number, event in enumerate(facets["life_events"], start=1):
                transcript.text(f"{number}. {event}", text_language=text_language)
        case "traits":
            pairs = trait_pairs(facets["traits"])
            half = (len(pairs) + 1) // 2
            grid = st.grid(2, min_column_width=290)
            for some in (pairs[:half], pairs[half:]):
                with grid.cell():
                    layout.facts(some)
        case "text":
            transcript.text(str(facets["text"]), text_language=text_language)


def area(facets: Facets) -> str:
    known = ingredients.stressors().get(str(facets["stressor"].get("subcategory", "")))
    return known.category_label.of(language()) if known else ""


def trait_pairs(traits: Mapping[str, str]) -> list[tuple[str, str]]:
    """Sub-category and variant of each trait, in the words of this page."""
    known = ingredients.traits()
    return [
        (known[sub][code].subcategory_label.of(language()), known[sub][code].label.of(language()))
        if code in known.get(sub, {})
        else (sub, code)
        for sub, code in traits.items()
    ]


def findings(found: Sequence[Finding]) -> None:
    """What the consistency check says, the heaviest first."""
    if not found:
        layout.notice(_("Nothing was found"))
        layout.muted(_("The facets fit each other, and the text holds all of them, as far as rules can tell."))
        return
    counts = {kind: sum(one["severity"] == kind for one in found) for kind in ("fault", "warning", "note")}
    told = [
        many("{n} fault", "{n} faults", counts["fault"]) if counts["fault"] else "",
        many("{n} warning", "{n} warnings", counts["warning"]) if counts["warning"] else "",
        many("{n} remark", "{n} remarks", counts["note"]) if counts["note"] else "",
    ]
    layout.muted(_(" · ").join(part for part in told if part))
    for one in found:
        with st.container(gap=None):
            st.markdown(f":small[{ICONS[one['severity']]} **{severities()[one['severity']]}** · {place(one['code'])}]")
            transcript.text(checks.say(one["code"], one["values"], language()), small=True, text_language=language())


# ---- changing ------------------------------------------------------------------------------------------------------


def form(part: str, facets: Facets, key: str, text_language: str) -> dict[str, Any]:
    """The fields of one part; gives the part's new value under its name, inside a form."""
    match part:
        case "stressor":
            stressor_field(facets["stressor"], key)
        case "demographics":
            person_fields(facets["demographics"], key)
        case "life_events":
            st.text_area(_("One event on each line"), "\n".join(facets["life_events"]), key=f"{key}_events", height=160)
        case "traits":
            trait_fields(facets["traits"], key)
        case "text":
            st.text_area(_("Text of the role"), str(facets["text"]), key=f"{key}_text", height=420)
    return read(part, facets, key, text_language)


def read(part: str, facets: Facets, key: str, text_language: str) -> dict[str, Any]:
    """The part's new value under its name, as it stands in the fields that ``form`` drew with this key."""
    entered = {str(name).removeprefix(f"{key}_"): value for name, value in st.session_state.items() if str(name).startswith(f"{key}_")}
    match part:
        case "stressor":
            return {"stressor": stressor_of(facets["stressor"], entered["stressor"], text_language)}
        case "demographics":
            return {"demographics": dict(facets["demographics"]) | person_of(entered)}
        case "life_events":
            return {"life_events": [line.strip() for line in entered["events"].splitlines() if line.strip()]}
        case "traits":
            return {"traits": {sub: entered[sub] for sub in ingredients.traits()}}
        case "text":
            return {"text": entered["text"].strip()}
    return {}


def stressor_of(now: Mapping[str, Any], picked: str | None, text_language: str) -> dict[str, str]:
    known = ingredients.stressors()
    if picked is None or picked == now.get("subcategory"):
        return dict(now)
    return {"category": known[picked].category, "subcategory": picked, "label": known[picked].label.of(text_language)}


def person_of(entered: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "age": int(entered["age"]), "gender": entered["gender"], "family_status": entered["family"].strip(),
        "occupation": entered["work"].strip(), "persona": entered["persona"].strip(),
    }  # fmt: skip


def stressor_field(now: Mapping[str, Any], key: str) -> None:
    known, labels = ingredients.stressors(), stressor_names()
    codes = list(known)
    here = codes.index(now["subcategory"]) if now.get("subcategory") in known else None
    st.selectbox(_("Stressor"), codes, index=here, key=f"{key}_stressor", format_func=labels.__getitem__)


def person_fields(now: Mapping[str, Any], key: str) -> None:
    labels = {code: gender_name(code) for code in ingredients.genders()}
    codes = list(labels)
    here = codes.index(now["gender"]) if now.get("gender") in codes else 0
    with st.container(horizontal=True):
        st.number_input(_("Age"), 14, 100, int(now.get("age") or 35), key=f"{key}_age", width=120)
        st.selectbox(_("Gender"), codes, index=here, format_func=labels.__getitem__, key=f"{key}_gender", width=220)
    st.text_input(_("Family"), str(now.get("family_status") or ""), key=f"{key}_family")
    st.text_input(_("Work"), str(now.get("occupation") or ""), key=f"{key}_work")
    st.text_area(_("Persona"), str(now.get("persona") or ""), key=f"{key}_persona", height=140)


def trait_fields(now: Mapping[str, str], key: str) -> None:
    """A choice for each of the thirteen sub-categories."""
    grid = st.grid(3, min_column_width=220)
    for sub, variants in ingredients.traits().items():
        with grid.cell():
            one_trait(variants, now.get(sub, ""), f"{key}_{sub}")


def one_trait(variants: Mapping[str, Variant], now: str, key: str) -> None:
    labels = {code: one.label.of(language()) for code, one in variants.items()}
    codes = list(variants)
    st.selectbox(
        next(iter(variants.values())).subcategory_label.of(language()), codes, key=key,
        index=codes.index(now) if now in codes else 0, format_func=labels.__getitem__,
    )  # fmt: skip
