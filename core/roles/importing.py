"""Reading roles from files: ESC-Judge's JSON lines, client profiles, and the workbench's own cards. Pure."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from core import files
from core.errors import DataError, msg
from core.roles import ingredients
from core.roles.checks import Finding, check_role

AGED = re.compile(
    r"\b(\d{1,3})[- ]years?[- ]old|\bage\W{0,8}(\d{1,3})|\baged (\d{1,3})|(\d{1,3}) ?岁", re.IGNORECASE
)
EVENT = re.compile(r"^[^\S\n]*+(?:\d{1,3}[.)]|[-*•])\s*", re.MULTILINE)
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
PART = r"{name}\W{{0,8}}:\W{{0,8}}([^\n*]+)"
LONGEST_PART = 50_000  # characters of one field
PROFILE = ("behavior", "personas", "beliefs", "motivation", "acceptable_plans", "receptivity")
CARD = ("language", "seed", "stressor", "demographics", "life_events", "traits", "profile", "text")

DRAWN = {  # what a card shows, so that nobody says of words they cannot see that they are made up
    "stressor": ("category", "subcategory", "label"), "profile": (),
    "demographics": ("age", "gender", "family_status", "occupation", "persona"),
}  # fmt: skip


@dataclass
class ReadRole:
    """One role of a file: the columns of its card, or why it was not taken."""

    place: int
    fields: dict[str, Any] = field(default_factory=dict)
    refused: str = ""
    dropped: int = 0  # control characters
    checks: list[Finding] = field(default_factory=list)


def read_roles(data: bytes, name: str) -> list[ReadRole]:
    """All roles of a file, in its order; a bad line refuses itself, not the file.

    Raises:
        DataError: the file is empty, too large, damaged, or holds no JSON at all.
    """
    with files.edge(
        msg(
            "The file {name} holds no roles that can be read: it is damaged, or another kind of file under this name. "
            "Choose a file of JSON lines, one role a line; nothing was saved."
        ), name=name,
    ):  # fmt: skip
        text = files.decode(name, data).text
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
        whole = files.json_of(text)
    except ValueError:
        yield from files.json_lines(text)
        return
    values = whole.value if isinstance(whole.value, list) else [whole.value]
    for place, value in enumerate(values, 1):
        yield place, files.Clean(value, whole.dropped if place == 1 else 0)


def read_role(place: int, value: Any) -> ReadRole:
    """One role; ``value`` may be ``files.Clean``, an error, or the plain value."""
    if isinstance(value, ValueError):
        return ReadRole(place, refused=f"it is not JSON ({value})")
    dropped, value = (value.dropped, value.value) if isinstance(value, files.Clean) else (0, value)
    try:
        read = formed(place, value)
    except (TypeError, KeyError, AttributeError, ValueError):  # a field of another form than any card has
        return ReadRole(place, refused="its fields are not in the form of a role")
    read.dropped = dropped
    return read


def formed(place: int, value: Any) -> ReadRole:
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
    keys = ("role", "challenge", "final_persona", "life_events", "behavioral_traits", "pid")
    if strange := [key for key in keys if not isinstance(value.get(key), str | int | None)]:
        raise TypeError(strange[0])
    words = {key: str(value.get(key) or "")[:LONGEST_PART] for key in keys}
    text, persona = words["role"].strip(), words["final_persona"].strip()
    known = stressor_named(words["challenge"])
    label = words["challenge"].strip()
    stressor = {
        "category": known.category if known else "",
        "subcategory": known.id if known else "",
        "label": label,
    }
    name = words["pid"][:8]
    return {
        "title": f"{label} ({name})" if name else label,
        "kind": "role", "language": "zh" if ingredients.is_chinese(text) else "en", "sampling": "imported",
        "stressor": stressor, "demographics": demographics_in(persona or text),
        "life_events": [line.strip() for line in EVENT.split(words["life_events"]) if line.strip()],
        "traits": traits_in(words["behavioral_traits"]),
        "text": text, "engine": "imported",
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
        name = line.partition(":")[0].strip(" \t-*").casefold()
        if not name or "*" in name:
            continue
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
    if not isinstance(value.get("title", ""), str | None):
        return ReadRole(place, refused="the title must be a text")
    if any(not texts(profile.get(key, [])) for key in lists):
        return ReadRole(place, refused="personas, beliefs and acceptable_plans must be lists of texts")
    receptivity = profile.get("receptivity", 3)
    if isinstance(receptivity, bool) or not isinstance(receptivity, int) or not 1 <= receptivity <= 5:
        return ReadRole(place, refused="receptivity must be a whole number from 1 to 5")
    profile = (
        {"behavior": "", "motivation": ""}
        | {key: [] for key in lists}
        | profile
        | {"receptivity": receptivity}
    )
    if not all(isinstance(profile[key], str) for key in ("behavior", "motivation")):
        return ReadRole(place, refused="behavior and motivation must be texts")
    said = str(profile["behavior"]) + "".join(profile["personas"])
    if not said.strip():
        return ReadRole(place, refused="the profile is empty")
    title = str(value.get("title") or profile["behavior"] or profile["personas"][0])[:80]
    return ReadRole(place, {
        "title": title, "kind": "profile", "language": "zh" if ingredients.is_chinese(said) else "en",
        "sampling": "imported", "profile": profile, "stressor": {"category": "", "subcategory": "", "label": title},
        "engine": "imported",
    })  # fmt: skip


def own_card(place: int, value: Mapping[str, Any]) -> ReadRole:
    """A card as the workbench exports it; its reviews are not taken over."""
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
    wrong += [name for name in ("stressor", "demographics", "profile") if not flat(fields[name])]
    wrong += ["title"] if not isinstance(value.get("title", ""), str | None) else []
    wrong += ["seed"] if not isinstance(fields.get("seed", 0), int) or abs(fields.get("seed", 0)) > files.LARGEST_ID else []
    if wrong or fields["language"] not in ("en", "zh") or not texts(fields["life_events"]):
        return ReadRole(
            place,
            refused=f"these fields are not in the form of a role card: {', '.join(dict.fromkeys(wrong)) or 'language, life_events'}",
        )
    if strange := [
        f"{sub}: {code}"[:80]
        for sub, code in fields["traits"].items()
        if not isinstance(code, str) or code not in ingredients.traits().get(sub, {})
    ]:
        return ReadRole(place, refused=f"it names traits that are not known ({', '.join(strange[:5])})")
    fields |= {name: {key: fields[name][key] for key in known if key in fields[name]} for name, known in DRAWN.items()}
    fields |= {
        "title": str(value.get("title") or fields["stressor"].get("label") or "Role"), "kind": "role",
        "sampling": "imported", "engine": "imported",
    }  # fmt: skip
    return checked(ReadRole(place, fields))


def flat(value: Any) -> bool:
    """Whether an object holds texts, numbers and lists of texts only, as the fields of a card do."""
    return isinstance(value, dict) and all(isinstance(one, str | int | float | None) or texts(one) for one in value.values())


def texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)
