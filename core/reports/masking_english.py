"""Names of people and institutions in English. Pure."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from core.reports.masking_hits import Hit, words

CAP = r"(?:[A-Z](?:'[A-Z])?[a-zà-öø-ÿ]+(?:['-]?[A-Z]?[a-zà-öø-ÿ]+)*|[A-Z]\.)"
LINK = r"(?: (?:van|von|de|der|den|del|della|da|di|la|le|bin|al|el))*"
RUN = rf"{CAP}(?:{LINK} {CAP})*"
MOST_WORDS = 10  # words with capitals in the name of an institution
LONGEST_HEADING = 90
PLACE = re.compile(r"\b(?:in|to|from|near|of|around|through|via|outside|across|north|south|east|west)(?: the)? $")
INTRODUCES = r"(?:[Mm]y name is|[Nn]ame is|[Nn]ame:|I am called|I'm called|[Cc]alls? (?:her|him|them)self|named|[Pp]lease call me|goes by)"


@cache
def data() -> dict[str, Any]:
    told = words("en")
    ambiguous = frozenset(told["ambiguous"])
    return told | {
        "given": frozenset(told["names"].split()) - ambiguous, "unsure": ambiguous, "not": frozenset(told["not_names"].split()) | frozenset(told["starters"].split()),
        "scales": frozenset(told["scales"]), "title_words": frozenset(told["titles"]), "verbs": "|".join(told["verbs"]), "titled": "|".join(told["titles"]), "related": "|".join(told["relations"]),
        "kinds": "|".join(sorted(told["organisations"], key=len, reverse=True)),
    }  # fmt: skip


def hits(text: str) -> list[Hit]:
    orgs = list(institutions(text))
    free = blanked(text, orgs)
    return [*orgs, *titled(free), *told(free), *related(free), *lower(free), *runs(free)]


def blanked(text: str, hits: Iterable[Hit]) -> str:
    """The text with hits made unreadable, so that no name is found inside an institution."""
    signs = list(text)
    for hit in hits:
        signs[hit.start : hit.end] = "\0" * (hit.end - hit.start)
    return "".join(signs)


def name_hit(start: int, name: str, why: str, client: bool = False) -> Hit:
    name = name.rstrip(". ") if not re.search(r"\b[A-Z]\.$", name) else name
    name = name[:-2] if name.endswith("'s") else name
    return Hit(start, start + len(name), "name", why, name, client)


def titled(text: str) -> Iterator[Hit]:
    """Dr Weiss, Mrs O'Connell, Coach Ramirez; a relation in small letters stays: aunt Rosa."""
    for match in re.finditer(rf"\b(?i:{data()['titled']})\.? (?P<name>{RUN})", text):
        first = match["name"].split()[0].lower()
        if first not in data()["not"] or first in data()["unsure"]:
            yield name_hit(match.start("name"), match["name"], "name with a title")


def told(text: str) -> Iterator[Hit]:
    """My name is sarah."""
    for match in re.finditer(rf"\b{INTRODUCES} [\"“']?(?P<name>{RUN}|[a-z][a-z'-]+(?: [a-z'-]+(?=[.,;!?\"”]|$))?)", text):
        name = match["name"]
        first = name.split()[0]
        if first.lower() in data()["not"] or (first.islower() and first in ("not", "always", "only")):
            continue
        if name.islower() and len(name.split()) == 2 and name.split()[1] in data()["not"]:
            name = first
        yield name_hit(match.start("name"), name, "name a person gives", True)


def related(text: str) -> Iterator[Hit]:
    """Her husband Will, the client, Noor: a capital after a word for a person."""
    for match in re.finditer(rf"\b(?P<cue>(?i:{data()['related']}))(?:,|:| is| was)? (?P<name>{RUN})", text):
        first = match["name"].split()[0].lower().rstrip(".")
        if first not in data()["title_words"] and (first in data()["unsure"] or first not in data()["not"]):
            yield name_hit(match.start("name"), match["name"], "name after a word for a person", match["cue"].lower() in ("client", "patient"))


def lower(text: str) -> Iterator[Hit]:
    """A known first name in small letters after a word for a person: my friend jess."""
    for match in re.finditer(rf"\b(?i:{data()['related']}),? (?P<name>[a-z]+)\b", text):
        if match["name"] in data()["given"]:
            yield name_hit(match.start("name"), match["name"], "name in small letters")


def runs(text: str) -> Iterator[Hit]:
    """Capitals in the middle of a sentence, known first names anywhere, and names at a sentence's start."""
    for match in re.finditer(RUN, text):
        start, name = trimmed(match.start(), match.group())
        if not name or data()["scales"] & set(name.lower().split()):
            continue
        name = name.removesuffix("'s")
        first = name.split()[0]
        plain, begins = first.lower().removesuffix("'s"), at_start(text, start)
        after = text[start + len(name) : start + len(name) + 24]
        acts = re.match(rf"(?:'s\b|,? (?:{data()['verbs']})\b|, (?:aged |who |a |an |now )?\d*|\s?\(\d\d)", after) is not None
        if plain in data()["unsure"]:
            if (len(name.split()) > 1 or (acts and not after.startswith(", "))) and not month_like(text, start, after):
                yield name_hit(start, name, "first name")
        elif plain in data()["given"]:
            yield name_hit(start, name, "first name", client=begins and re.match(r",? (?:\d|is a|aged)|\s?\(\d", after) is not None)
        elif begins:
            if acts and (len(name.split()) > 1 or re.match(rf"'s\b| (?:{data()['verbs']})\b|, \d| \(\d\d|, (?:who|aged)", after)) and len(plain) > 2:
                yield name_hit(start, name, "name at a sentence's start", client=re.match(r", ?(?:aged )?\d", after) is not None)
        elif not PLACE.search(text[max(0, start - 14) : start]) and len(plain) > 1 and not heading_case(text, start):
            yield name_hit(start, name, "capital inside a sentence")


def trimmed(start: int, run: str) -> tuple[int, str]:
    """A run without words at its ends that are no names (After Maria, Maria Monday); empty when nothing is left."""
    parts = run.split(" ")
    first = next((place for place, part in enumerate(parts) if not no_name(part)), len(parts))
    start += sum(len(part) + 1 for part in parts[:first])
    parts = parts[first:]
    for place, part in enumerate(parts):
        if place and no_name(part) and part.lower() not in data()["unsure"]:
            parts = parts[:place]
            break
    return start, " ".join(parts)


def no_name(word: str) -> bool:
    plain = word.lower().removesuffix("'s").rstrip(".")
    return word.lower().rstrip(".") in data()["title_words"] or (plain in data()["not"] and plain not in data()["unsure"]) or (len(plain) == 1 and not word.endswith("."))


def at_start(text: str, start: int) -> bool:
    return re.search(r"(?:^|[.!?:;…]['\"”)]*\s+|\n\s*|[\"“‘(]\s*|[-–—•*]\s+)$", text[max(0, start - 6) : start]) is not None


def month_like(text: str, start: int, after: str) -> bool:
    """May, April, June as a month; Will and Mark as verbs at a start stand with a pronoun."""
    before = text[max(0, start - 10) : start].lower()
    return bool(re.search(r"\b(?:in|of|since|last|next|this|until|by|every|\d|early|late|mid)[ -]$", before)) or bool(re.match(r" (?:\d|I |you |he |she |we |they |be )", after))


def heading_case(text: str, start: int) -> bool:
    """Whether the line is written in Title Case, where capitals say nothing."""
    begin, end = text.rfind("\n", max(0, start - LONGEST_HEADING), start) + 1, text.find("\n", start, start + LONGEST_HEADING)
    if begin == 0 and start >= LONGEST_HEADING:
        return False  # a line this long is no heading
    line = text[begin : end if end >= 0 else begin + LONGEST_HEADING]
    return len(line) < LONGEST_HEADING and not re.search(r"\b[a-z]{4,}", line)


def institutions(text: str) -> Iterator[Hit]:
    """St Cuthbert's School, University of Leeds, Harlow & Sons Ltd; works at Brightwater."""
    cap = r"(?:(?:St|Mt)\.? )?[A-Z][\w'&-]*+"
    kinds = "|".join(kind.capitalize() if kind not in ("ltd", "inc", "llc", "plc") else kind.upper() + "|" + kind.capitalize() for kind in data()["organisations"])
    named = rf"(?<![\w'&-]){cap}(?: (?:&|and|of|for|the) {cap}| {cap}){{0,{MOST_WORDS}}} (?:{kinds})\b(?: (?:of|for) {cap}(?: {cap})*)?|(?:University|College|School|Bank|Hospital|Institute|Church) of (?:the )?{cap}(?: {cap})*"
    for match in re.finditer(named, text):
        start, name = match.start(), match.group()
        parts = name.split(" ")
        while parts and parts[0].lower() in data()["not"] and parts[0].lower() not in ("university", "college", "school", "hospital", "church", "bank"):
            start += len(parts[0]) + 1
            parts = parts[1:]
        if len(parts) > 1:
            yield Hit(start, start + len(" ".join(parts)), "organisation", "institution", " ".join(parts))
    cue = rf"\b(?:[Ww]orks?|[Ww]orked|[Ww]orking|[Ee]mployed|[Ii]ntern(?:ed|s)?|[Jj]ob|[Ss]tud(?:y|ies|ied|ying)|[Ee]nrolled|[Tt]eaches|[Tt]aught) (?:as [a-z ]{{2,30}} )?(?:at|for|with|by) (?:the )?(?P<name>{cap}(?: (?:& )?{cap})*)"
    for match in re.finditer(cue, text):
        if match["name"].split()[0].lower() not in data()["not"]:
            yield Hit(match.start("name"), match.end("name"), "organisation", "workplace", match["name"])


def forms(found: Iterable[tuple[str, Hit]]) -> dict[str, Hit]:
    """All forms to look for elsewhere: the whole name, its first name and its surname, joined to one entity."""
    names = sorted(found, key=lambda pair: (-len(pair[0].split()), pair[0]))
    known: dict[str, Hit] = {}
    for said, hit in names:
        entity = known[said].entity if said in known else hit.entity
        joined = Hit(0, 0, hit.kind, hit.why, entity, hit.client)
        known.setdefault(said, joined)
        parts = [part for part in said.split() if len(part) > 2 and not part.endswith(".")]
        for part in parts if hit.kind == "name" and len(said.split()) > 1 else []:
            if part.lower() not in data()["not"] and part.lower() not in data()["unsure"]:
                known.setdefault(part, Hit(0, 0, "name", "part of a name", entity, hit.client))
    return known
