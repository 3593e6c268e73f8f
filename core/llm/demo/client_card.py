"""A role card or client profile as its client knows it: facts in the first person, traits, and how far it yields.

Facts come from the card itself (life events, persona, beliefs, plans) and, for what it is like to live with the
stressor, from ``prompts/demo/<language>/client_stressors_*.yaml``.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from core.llm.demo.bank import lines, pattern, wordset
from core.llm.demo.first_person import second_to_first, third_to_first, to_first_zh
from core.llm.demo.text import folded, is_chinese, length, normal, sentences, shorten
from core.llm.demo.words import FOLDER, words

KINDS = ("open", "story", "feeling", "thought", "impact", "deep", "wish")
SLOTS = ("it", "worst", "ideal", "always", "felt")
NOBODY = frozenset({"none", "none.", "无", "没有", "not stated", ""})
LONGEST = 60  # words or characters of one fact that are spoken
ENDS = ".!?。！？…"
FULL_WIDTH = str.maketrans(",;:?!", "，；：？！")


@dataclass(frozen=True)
class Card:
    """``facts``: kind → lines ("core | more"); ``steps``: what "I could" is followed by; ``trust``: 0 to 5 at the start."""

    language: str
    traits: Mapping[str, str]
    facts: Mapping[str, tuple[str, ...]]
    slots: Mapping[str, str]
    steps: tuple[str, ...]
    yields: float
    sore: str
    risk: bool

    def has(self, *variants: str) -> bool:
        return any(variant in self.traits.values() for variant in variants)

    def trait(self, subcategory: str) -> str:
        return self.traits.get(subcategory, "")


def card_of(role: Any, language: str) -> Card:
    """The card in a question's ``role``; whatever is missing or odd there is read as nothing."""
    given = role if isinstance(role, Mapping) else {"text": str(role or "")}
    return _card(json.dumps(given, sort_keys=True, ensure_ascii=False, default=str), language)


@lru_cache(maxsize=256)
def _card(role_json: str, language: str) -> Card:
    role = json.loads(role_json)
    profile = mapping(role.get("profile"))
    traits = {str(name): str(variant) for name, variant in mapping(role.get("traits")).items()}
    known = stressor_words(role, language)
    facts = {kind: _lines(known, kind) for kind in KINDS}
    if "wide" in known:
        facts["open"] = _named(role, language, facts["open"]) or facts["open"]
    name = own_name(role) if language == "en" else ""
    facts |= {"event": _told(_list(role.get("life_events")), language, name), "self": _self(role, language, name)}
    if not facts["event"] and not profile:
        facts["event"] = _told(_paragraphs(role), language, name)[:4]
    return Card(
        language=language, traits=traits, facts=with_profile(facts, profile, language),
        slots={name: str(known.get(name, "")).strip() for name in SLOTS},
        steps=_plans(profile, language) or _lines(known, "step"),
        yields=_yields(traits, profile), sore=_sore(role_json),
        risk=pattern(language, "client", "patterns", "risk").search(folded(role_json[:20_000])) is not None,
    )  # fmt: skip


def mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[str]:
    given = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    return [str(line).strip() for line in given if str(line).strip().lower() not in NOBODY][:20]


# ---- the stressor ------------------------------------------------------------------------------------------------


@cache
def stressors(language: str) -> Mapping[str, Mapping[str, Any]]:
    """Words by the id of a stressor, else of its category (marked ``wide``); ``any`` serves what nobody foresaw."""
    files = sorted((FOLDER / language).glob("client_stressors_*.yaml"))
    return {id: entry for path in files for id, entry in words(language, path.stem).items()}


@cache
def _match(language: str, id: str) -> re.Pattern[str]:
    return re.compile(str(stressors(language)[id].get("match", "")).strip() or r"(?!)")


def stressor_words(role: Mapping[str, Any], language: str) -> Mapping[str, Any]:
    """The words of the card's stressor: by its id, else by what its label, behavior or text speaks of."""
    known, stressor = stressors(language), mapping(role.get("stressor"))
    if (id := str(stressor.get("subcategory", ""))) in known:
        return known[id]
    label = str(stressor.get("label") or mapping(role.get("profile")).get("behavior") or "")
    said = folded((label or str(role.get("text", "")))[:600])
    found = next((id for id in known if said and _match(language, id).search(said)), "")
    return known.get(found) or known.get(str(stressor.get("category", ""))) or known.get("any", {})


def _named(role: Mapping[str, Any], language: str, general: Sequence[str]) -> tuple[str, ...]:
    """A difficulty without words of its own, named in the card's, with what it is like."""
    label = shorten(normal(str(mapping(role.get("stressor")).get("label") or "")), 20).rstrip(ENDS)
    if not label or len(label) > 160 or "|" in label or is_chinese(label) != (language == "zh"):
        return ()
    label = label[:1].lower() + label[1:] if label[1:2].islower() else label
    general = general or ("",)
    known = lines(language, "client", "named")
    named = known[sum(label.encode()) % len(known)].replace("{label}", label)
    gap = "" if language == "zh" else " "
    return (f"{named}{gap}{general[0]}".strip(), *general[1:])  # named once, when the session opens


def _lines(entry: Mapping[str, Any], kind: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in str(entry.get(kind, "")).splitlines() if line.strip())


# ---- the card's own words ------------------------------------------------------------------------------------------


def _told(texts: Iterable[str], language: str, name: str = "") -> tuple[str, ...]:
    """Each text as its client says it: the first sentence is what matters, the next one is more."""
    said = [_in_first_person(plainly(text, name) if language == "en" else text, language) for text in texts]
    return tuple(dict.fromkeys(line for line in said if line))


PAST = wordset("en", "client", "grammar", "past")
REMARKS = pattern("en", "client", "grammar", "remarks")
NAMED = re.compile(r"\b(?:name: *|meet |named |called )([a-z]{2,})\b", re.IGNORECASE)


def own_name(role: Mapping[str, Any]) -> str:
    """The client's own name where a card tells of "Sarah": said outright, or what several of its events begin with."""
    text = " ".join([str(mapping(role.get("demographics")).get("persona", "")), str(role.get("text", ""))[:2000]])
    if found := NAMED.search(text):
        return found.group(1)
    first = [re.split(r"[^A-Za-z]", event)[0] for event in _list(role.get("life_events"))]
    often = [word for word in first if len(word) > 2 and first.count(word) > 1 and word.lower() not in PAST]
    named = [word for word in often if re.search(rf"\b{word}\b", text, re.IGNORECASE) and not word.endswith("ed")]
    return named[0] if named and named[0].lower() not in wordset("en", "client", "grammar", "no_names") else ""


def plainly(text: str, name: str) -> str:
    """An English event with its subject, without the author's remarks on what it led to."""
    text = re.sub(rf"\b{name}\b", "the client", text, flags=re.IGNORECASE) if name else text
    first = re.split(r"[^A-Za-z]", text)[0].lower()
    text = "the client " + text[:1].lower() + text[1:] if first in PAST or first.endswith("ed") else text
    return REMARKS.sub("", text[:1].upper() + text[1:])


def _in_first_person(text: str, language: str) -> str:
    pieces = [piece.text for piece in sentences(text[:2000])][:2]
    spoken = [_sentence(said, language) for piece in pieces if (said := first_person(piece, language))]
    return " | ".join(spoken)


def first_person(sentence: str, language: str) -> str:
    """One sentence of a card in the first person; empty where that might come out wrong."""
    if is_chinese(sentence) != (language == "zh") or length(sentence) > LONGEST or "|" in sentence:
        return ""
    if language == "zh":
        said = sentence if "我" in sentence else to_first_zh(sentence) or ""
        return said.translate(FULL_WIDTH) if "我" in said else ""
    if re.search(r"\b(?:I|I'm|I've|my|me)\b", sentence):
        return sentence
    change: Callable[[str], str | None] = (
        second_to_first if re.search(r"\byou(?:r|rs|'\w+)?\b", sentence, re.IGNORECASE) else third_to_first
    )
    said = change(sentence) or ""
    return said if re.search(r"\b(?:I|I'm|I've|I'd|my|me)\b", said) else ""


def _sentence(text: str, language: str) -> str:
    text = text.strip().rstrip("；;，,、")
    stop = "" if text.endswith(tuple(ENDS)) else "。" if language == "zh" else "."
    text = re.sub(r"\bi\b(?!\.)", "I", text) if language == "en" else text
    return text[:1].upper() + text[1:] + stop


def _paragraphs(role: Mapping[str, Any]) -> list[str]:
    """The sentences of a card that is text alone, those that tell of something first."""
    text = str(role.get("text", ""))
    return [piece.text for piece in sentences(text[:6000]) if 6 <= length(piece.text) <= LONGEST][:30]


MEET = re.compile(r"\b(?:meet )?the client, (an? [^,.]{3,60}?),? who ", re.IGNORECASE)


def _self(role: Mapping[str, Any], language: str, name: str = "") -> tuple[str, ...]:
    """Who the client is, in the persona's sentences; the bare age where there are none."""
    person = mapping(role.get("demographics"))
    told = str(person.get("persona", ""))[:2000]
    told = re.sub(rf"\b{name}\b", "the client", told, flags=re.IGNORECASE) if name else told
    told = MEET.sub(r"The client is \1 who ", told)
    said = [
        _sentence(line, language)
        for piece in sentences(told)[:3]
        if ":" not in piece.text[:14] and (line := first_person(piece.text, language))
    ]
    if said:
        rest = ("" if language == "zh" else " ").join(said[1:])
        return (f"{said[0]} | {rest}" if rest else said[0],)
    age = str(person.get("age") or "").strip()
    return (("我今年{}岁。" if language == "zh" else "I'm {}.").format(age),) if age.isdigit() else ()


# ---- profiles --------------------------------------------------------------------------------------------------------


def with_profile(
    facts: Mapping[str, tuple[str, ...]], profile: Mapping[str, Any], language: str
) -> dict[str, tuple[str, ...]]:
    """A profile's statements before what is said of the difficulty in general."""
    own = {
        "open": _told(_list(profile.get("behavior")), language),
        "story": _told(_list(profile.get("personas")), language),
        "thought": _told(_list(profile.get("beliefs")), language),
        "wish": _told(_list(profile.get("motivation")), language),
    }
    return dict(facts) | {kind: own[kind] + facts[kind] for kind in own}


def _plans(profile: Mapping[str, Any], language: str) -> tuple[str, ...]:
    """A profile's acceptable plans as they follow "I could"."""
    return tuple(as_step(plan, language) for plan in _list(profile.get("acceptable_plans")))[:6]


def as_step(plan: str, language: str) -> str:
    """``Attending a group.`` becomes ``try attending a group``; the plan's own words otherwise."""
    plan = shorten(plan.strip(), LONGEST).rstrip(ENDS + " ")
    if language == "zh":
        return re.sub(r"^(?:来访者|求助者|当事人|我)?(?:可以|能够|愿意|会)?", "", plan) or plan
    plan = re.sub(r"^(?:the client|client|i|you)?\s*(?:can|could|will|would|may|might)?\s*(?:agree to\s+)?", "", plan,
                  flags=re.IGNORECASE) or plan  # fmt: skip
    said = first_person(plan[:1].upper() + plan[1:], language) or plan
    said = said if said.startswith(("I ", "I'")) else said[:1].lower() + said[1:]
    return f"try {said}" if said.split(" ")[0].endswith("ing") else said


# ---- how the person is -----------------------------------------------------------------------------------------------

GIVES = {
    "easily_reassured": 1.0, "positive_experience": 0.7, "empathetic": 0.4, "curious": 0.3, "extroverted": 0.3,
    "resistant": -1.2, "negative_experience": -0.8, "detached": -0.5, "needs_logic": -0.2, "avoidant": -0.2,
}  # fmt: skip


def _yields(traits: Mapping[str, str], profile: Mapping[str, Any]) -> float:
    """Receptivity, 1 to 5: the profile's, else from the traits."""
    given = profile.get("receptivity")
    if isinstance(given, int | float) and 1 <= given <= 5:
        return float(given)
    return min(5.0, max(1.0, 3.0 + sum(GIVES.get(variant, 0.0) for variant in traits.values())))


def _sore(role_json: str) -> str:
    """The subject that closes a client whose triggers are subjects; which one hangs on the card alone."""
    return ("history", "support", "feeling", "body")[sum(role_json.encode("utf-8", "replace")) % 4]
