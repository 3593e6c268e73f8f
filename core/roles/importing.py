"""Reading roles from files: ESC-Judge's JSON lines, client profiles, and the workbench's own cards. Pure."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.errors import DataError
from core.llm.seam import Clearance
from core.roles import ingredients
from core.roles.checks import Finding, check_role

AGED = re.compile(
    r"\b(\d{1,3})[- ]years?[- ]old|\bage\W*:?\W*(\d{1,3})|\baged (\d{1,3})|(\d{1,3}) ?岁", re.IGNORECASE
)
EVENT = re.compile(r"^\s*(?:\d+[.)]|[-*•])\s*", re.MULTILINE)
TRAIT_LINE = re.compile(r"^\s*(?P<heading>[-*])?\s*\**(?P<name>[^:*]+?)\**\s*(?::|$)")
HEADINGS = {  # of ESC-Judge's trait list, by a word that occurs in no other
    "big five": "personality", "cognitive": "thinking", "response style": "response", "social support": "support_coping",
    "triggers, sens": "triggers_soothing",
}  # fmt: skip
STATED = {  # a gender said outright; else the commoner pronouns tell
    "non_binary": r"non-?binary|非二元",
    "woman": r"\b(?:woman|female)\b|女性|，女，",
    "man": r"\b(?:man|male)\b|男性|，男，",
}
PRONOUNS = {"woman": r"\b(?:she|her)\b|她", "man": r"\b(?:he|his|him)\b|他"}
PART = r"{name}\W*:\W*([^\n*]+)"
PROFILE = ("behavior", "personas", "beliefs", "motivation", "acceptable_plans", "receptivity")
CARD = ("language", "seed", "stressor", "demographics", "life_events", "traits", "profile", "text")


@dataclass
class ReadRole:
    """One role of a file: the columns of its card, or why it was not taken."""

    place: int
    fields: dict[str, Any] = field(default_factory=dict)
    refused: str = ""
    checks: list[Finding] = field(default_factory=list)


def read_roles(data: bytes, name: str) -> list[ReadRole]:
    """All roles of a file, in its order; a bad line refuses itself, not the file.

    Raises:
        DataError: the file is empty, not UTF-8, or holds no JSON at all.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(
            "The file {name} is not UTF-8 text. Save it as UTF-8 and choose it again; nothing was saved.",
            name=name,
        ) from error
    if not text.strip():
        raise DataError("The file {name} is empty. Choose another file; nothing was saved.", name=name)
    roles = [read_role(place, value) for place, value in objects(text)]
    if roles and all(role.refused.startswith("it is not JSON") for role in roles):
        raise DataError(
            "The file {name} holds no roles: it is not JSON. Choose a file of JSON lines, one role a line; "
            "nothing was saved.",
            name=name,
        )
    return roles


def objects(text: str) -> Iterator[tuple[int, Any]]:
    """The values of a JSON list, or of JSON lines (a line that is no JSON comes as its error)."""
    try:
        whole = json.loads(text)
        yield from enumerate(whole if isinstance(whole, list) else [whole], 1)
        return
    except ValueError:
        pass
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except ValueError as error:
                yield number, error


def read_role(place: int, value: Any) -> ReadRole:
    if isinstance(value, ValueError):
        return ReadRole(place, refused=f"it is not JSON ({value})")
    if not isinstance(value, dict):
        return ReadRole(place, refused="it is not an object with fields")
    if isinstance(value.get("role"), str) and "challenge" in value:
        return checked(ReadRole(place, esc_judge(value)))
    if isinstance(value.get("traits"), dict) and isinstance(value.get("text"), str):
        return own_card(place, value)
    if any(key in value for key in ("personas", "beliefs", "acceptable_plans")):
        return profile_card(place, value)
    return ReadRole(
        place, refused="it has neither the fields of a role (role, challenge) nor of a client profile"
    )


def checked(role: ReadRole) -> ReadRole:
    names = ("language", "stressor", "demographics", "life_events", "traits", "text")
    role.checks = check_role(**{name: role.fields[name] for name in names})
    return role


def esc_judge(value: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of one published help-seeker role; what its text does not tell stays empty and is flagged."""
    words = {key: str(value.get(key) or "") for key in ("role", "challenge", "final_persona", "life_events")}
    text, persona = words["role"].strip(), words["final_persona"].strip()
    known = stressor_named(words["challenge"])
    label = words["challenge"].strip()
    stressor = {
        "category": known.category if known else "",
        "subcategory": known.id if known else "",
        "label": label,
    }
    name = str(value.get("pid") or "")[:8]
    return {
        "title": f"{label} ({name})" if name else label,
        "kind": "role", "language": "zh" if ingredients.is_chinese(text) else "en", "sampling": "imported",
        "stressor": stressor, "demographics": demographics_in(persona or text),
        "life_events": [line.strip() for line in EVENT.split(words["life_events"]) if line.strip()],
        "traits": traits_in(str(value.get("behavioral_traits") or "")),
        "text": text, "engine": "imported", "clearance": int(Clearance.SYNTHETIC),
    }  # fmt: skip


def stressor_named(challenge: str) -> ingredients.Stressor | None:
    """The stressor whose label shares most words with this challenge, if at least half of them."""
    said = set(re.findall(r"[a-z]+", challenge.lower()))
    best, share = None, 0.0
    for known in ingredients.stressors().values():
        wanted = set(re.findall(r"[a-z]+", known.label.en.lower())) - {"of", "a", "to", "or", "and", "the"}
        now = 1.0 if known.label.zh == challenge.strip() else len(wanted & said) / len(wanted)
        if now > share:
            best, share = known, now
    return best if share >= 0.5 else None


def demographics_in(persona: str) -> dict[str, Any]:
    """Age, gender, family situation and occupation as far as the persona names them plainly."""
    found: dict[str, Any] = {"persona": persona}
    if age := AGED.search(persona):
        found["age"] = int(next(group for group in age.groups() if group))
    found["gender"] = gender_in(persona)
    for part, name in (
        ("family_status", "(?:family|relationship|marital) status"),
        ("occupation", "occupation"),
    ):
        stated = re.search(PART.format(name=name), persona, re.IGNORECASE)
        found[part] = stated.group(1).strip() if stated else ""
    return found


def gender_in(persona: str) -> str:
    for code, words in STATED.items():
        if re.search(words, persona, re.IGNORECASE):
            return code
    said = {code: len(re.findall(words, persona, re.IGNORECASE)) for code, words in PRONOUNS.items()}
    return max(said, key=said.__getitem__) if said["woman"] != said["man"] else ""


def traits_in(listed: str) -> dict[str, str]:
    """Variants from a list of ``Label: description`` under group headings."""
    traits: dict[str, str] = {}
    group = ""
    for line in listed.splitlines():
        said = TRAIT_LINE.match(line)
        if not said:
            continue
        name = said["name"].strip().casefold()
        if heading := next((code for word, code in HEADINGS.items() if word in name), None):
            group = heading
            continue
        for variants in ingredients.traits().values():
            for one in variants.values():
                if one.group == group and named(one, name):
                    traits.setdefault(one.subcategory, one.id)
    return traits


def named(one: ingredients.Variant, name: str) -> bool:
    return any(name == known.casefold() for language in ("en", "zh") for known in one.names(language))


def profile_card(place: int, value: Mapping[str, Any]) -> ReadRole:
    """A client profile: behavior, personas, beliefs, motivation, acceptable plans, receptivity."""
    profile: dict[str, Any] = {key: value[key] for key in PROFILE if value.get(key) not in (None, "", "None")}
    lists = ("personas", "beliefs", "acceptable_plans")
    if any(not texts(profile.get(key, [])) for key in lists):
        return ReadRole(place, refused="personas, beliefs and acceptable_plans must be lists of texts")
    receptivity = profile.get("receptivity", 3)
    if receptivity not in (1, 2, 3, 4, 5):
        return ReadRole(place, refused="receptivity must be a whole number from 1 to 5")
    profile = (
        {"behavior": "", "motivation": ""}
        | {key: [] for key in lists}
        | profile
        | {"receptivity": receptivity}
    )
    said = str(profile["behavior"]) + "".join(profile["personas"])
    if not said.strip():
        return ReadRole(place, refused="the profile is empty")
    title = str(value.get("title") or profile["behavior"] or profile["personas"][0])[:80]
    return ReadRole(place, {
        "title": title, "kind": "profile", "language": "zh" if ingredients.is_chinese(said) else "en",
        "sampling": "imported", "profile": profile, "stressor": {"category": "", "subcategory": "", "label": title},
        "engine": "imported", "clearance": int(Clearance.UNCONFIRMED),
    })  # fmt: skip


def own_card(place: int, value: Mapping[str, Any]) -> ReadRole:
    """A card as the workbench exports it; its clearance is not taken over."""
    fields = {name: value[name] for name in CARD if name in value}
    defaults: dict[str, Any] = {
        "language": "en",
        "stressor": {},
        "demographics": {},
        "life_events": [],
        "profile": {},
    }
    fields = defaults | fields
    wrong = [name for name, usual in defaults.items() if not isinstance(fields[name], type(usual))]
    if wrong or fields["language"] not in ("en", "zh") or not texts(fields["life_events"]):
        return ReadRole(
            place,
            refused=f"these fields are not in the form of a role card: {', '.join(wrong) or 'language, life_events'}",
        )
    if strange := [
        f"{sub}: {code}"
        for sub, code in fields["traits"].items()
        if code not in ingredients.traits().get(sub, {})
    ]:
        return ReadRole(place, refused=f"it names traits that are not known ({', '.join(strange)})")
    fields |= {
        "title": str(value.get("title") or fields["stressor"].get("label") or "Role"), "kind": "role",
        "sampling": "imported", "engine": "imported", "clearance": int(Clearance.UNCONFIRMED),
    }  # fmt: skip
    return checked(ReadRole(place, fields))


def texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)
