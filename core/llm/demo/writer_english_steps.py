"""English report sentences about what the counselor did, as the counselor's own words to the client.

``I asked her to keep a diary`` becomes ``I'd like to ask you to keep a diary``; ``None`` where it would come out wrong.
"""

import re
from dataclasses import dataclass

from core.llm.demo.bank import entry, wordset
from core.llm.demo.first_person import OTHERS, third_to_first
from core.llm.demo.perspective import to_second
from core.llm.demo.text import QUOTED, length
from core.llm.demo.writer_english import LEAD, LONGEST, in_first_person, shows

STEPS = "writer_steps"

STEP = re.compile(
    r"(?P<lead>[^,]{3,50}, |(?:Between|After|Before|At|During) [^,]{3,40}? )?(?P<who>I|We|we|The client and I) "
    r"(?:then |also |first |next |again |together )?(?P<verb>[a-z-]+) (?P<rest>.+)"
)
THING = re.compile(
    r"^The (?:\w+ )?(?:diary|list|record|card|drawing|picture|exercise|notebook|map|genogram|experiment|letter|scale|hierarchy|plan)\b"
)


@dataclass(frozen=True)
class Step:
    """What a counselor did: "I asked" + "you to keep a diary", with what stood before it."""

    lead: str
    who: str
    past: str
    base: str
    rest: str


def step_of(text: str, gender: str) -> Step | None:
    """The step a sentence tells, spoken to the client; ``None`` for a sentence that tells none."""
    bare = _acting(LEAD.sub("", text.strip()))
    found = STEP.match(_before_quote(bare) if QUOTED.search(bare) else bare)
    if found is None or length(bare) > LONGEST:
        return None
    verb, rest = found.group("verb"), found.group("rest")
    if found.group("who") == "I" and verb == "told":
        return None
    while base_of(verb) is None:  # "I listened and asked her to …": the first verb that is a step
        later = re.search(r"\b(?:and|then) (?:I |we )?([a-z-]+) (.+)", rest)
        if later is None:
            return None
        verb, rest = later.group(1), later.group(2)
    said = _to_you(_addressed(verb, _rest(rest)), gender)
    base = base_of(verb)
    if base is None or said is None or (re.search(r"\b(?:she|he|her|him|his)\b", said) and not _others(said)):
        return None
    if gender != "they" and re.search(r"\b(?:they|them|their|both)\b", said):
        return None
    who = "I" if found.group("who") == "I" or base == "help" else "we"
    return Step(found.group("lead") or "", who, verb, base, said.rstrip(". "))


BOTH = re.compile(r"\bthe (?:counsell?or|therapist) and the client\b|\bthe client and the (?:counsell?or|therapist)\b|\bthe client and I\b", re.IGNORECASE)
COUNSELOR = re.compile(r"\bthe (?:counsell?or|therapist)\b", re.IGNORECASE)
ASKED = re.compile(r"^(?:The client|She|He) was (asked|invited|encouraged|taught|shown|helped|offered|advised) ")
PASSIVE = re.compile(r"^((?:A|An|The) [a-z][^,.]{2,60}?) (?:was|were) ([a-z]+(?: up| down| out)?)([ ,].+|\.?)$")


def _acting(bare: str) -> str:
    """With the counselor as "I" or "we", passives turned round: ``She was asked to`` becomes ``I asked the client to``."""
    bare = COUNSELOR.sub("I", BOTH.sub("we", bare))
    bare = bare[:1].upper() + bare[1:]
    bare = ASKED.sub(lambda found: f"I {found.group(1).replace('shown', 'showed')} the client ", bare)
    found = PASSIVE.match(bare)
    if found and (verb := PARTICIPLES.get(found.group(2))):
        thing = found.group(1)
        bare = f"We {verb} {thing[:1].lower() + thing[1:]}{found.group(3)}"
    return bare[:1].upper() + bare[1:]


PARTICIPLES = {
    "drawn up": "drew up", "made": "made", "written": "wrote", "set": "set", "set up": "set up", "discussed": "discussed",
    "agreed": "agreed on", "practised": "practised", "practiced": "practiced", "reviewed": "reviewed", "introduced": "introduced",
    "planned": "planned", "drawn": "drew", "explored": "explored", "examined": "examined", "rehearsed": "rehearsed", "used": "used",
}  # fmt: skip


def as_proposal(text: str, gender: str) -> str | None:
    """What the counselor did, said as the next step: ``I asked her to keep a diary`` becomes ``I'd like to ask you …``."""
    step = step_of(text, gender)
    if step is None:
        return None
    begins = "I'd like to " if step.who == "I" else "Let's "
    if step.lead:
        begins = step.lead + begins[:1].replace("L", "l") + begins[1:]
    return _stopped(f"{begins}{step.base} {_present(step.rest)}")


def as_review(text: str, gender: str) -> str | None:
    """The same step looked back on: ``we set a fixed time for getting up``; without a stop, short ones only."""
    step = step_of(text, gender)
    if step is None or step.lead or length(step.rest) > 14 or QUOTED.search(step.rest):
        return None
    return f"{step.who} {step.past} {step.rest}"


def as_statement(text: str, gender: str) -> str | None:
    """What a diary or a list showed, said to the client: ``The diary showed that you …``."""
    bare = LEAD.sub("", text.strip())
    if not THING.match(bare) or QUOTED.search(bare) or length(bare) > LONGEST:
        return None
    said = _to_you(re.sub(r"^(The \w+ \w+) was to\b", r"\1 is to", bare), gender)
    return None if said is None or re.search(r"\b(?:she|he|her|him|his)\b", said) else _stopped(said)


def _stopped(said: str) -> str:
    return said if said.endswith((".", "!", "?", '."', '?"', '!"', ".”", "?”")) else said.rstrip(" ,;:") + "."


def _before_quote(text: str) -> str:
    found = QUOTED.search(text)
    kept = found is None or length(found.group()) <= 12 or not text[found.end() :].strip(" .")
    return text if kept or found is None else text[: found.start()].rstrip(" ,:")


def base_of(past: str) -> str | None:
    """The plain form of a verb counselors use in reports; ``None`` for one that is no step ("listened")."""
    known: dict[str, str] = entry("en", STEPS, "verbs") or {}
    return known.get(past)


def _rest(rest: str) -> str:
    """Without a second main clause that is not a step: "and she felt …"."""
    cut = re.split(r",? (?:and|but|which|so) (?=(?:she|he|they|the client|that|it|this)\b)|; ", rest, maxsplit=1)
    second = re.search(r",? and ([a-z]+(?:ed|de|ve)) ", cut[0])
    return cut[0][: second.start()] if second and base_of(second.group(1)) is None else cut[0]


TO_SOMEONE = frozenset({"asked", "invited", "taught", "offered", "showed", "encouraged", "helped", "advised", "accompanied"})


def _addressed(verb: str, rest: str) -> str:
    """ "asked her to" speaks of the client, "asked her brother to" of the brother."""
    found = re.match(r"(?:her|him) (?!own\b)([\wé-]+)", rest)
    owned = found is not None and (found.group(1) in wordset("en", "feelings", "people") or found.group(1).startswith("fianc"))
    return rest if owned or verb not in TO_SOMEONE else re.sub(r"^(?:her|him)\b", "the client", rest)


def _to_you(rest: str, gender: str) -> str | None:
    """Pronouns of the client become "you"; the counselor's own stay."""
    kept = re.sub(r"\b(?:I|we|my|me|our|us)\b", lambda found: f"zz{found.group().lower()}", rest)
    client = "the client" in kept.lower()
    probe = kept if client else re.sub(r"^(him)\b", "the client", kept)
    said = third_to_first("Zz " + probe, gender) if re.search(r"\b(?:she|he|her|hers|herself|him|his|himself|they|them|their|the client)\b", probe) else "Zz " + probe
    if said is None:
        return None
    second = to_second(re.sub(r"\bzz(?:i|we|my|me|our|us)\b", "zq", said)) if "zz" not in said else to_second(said)
    if second is None:
        return None
    second = re.sub(r"\bthe client's\b", "your", second)
    second = re.sub(r"\bthe (?=(?:husband|wife|mother|father|parents|boyfriend|girlfriend)\b)", "your ", second)
    second = re.sub(r"\bthat you would\b", "that you", second)
    return re.sub(r"\bzz(\w+)\b", lambda found: {"i": "I"}.get(found.group(1), found.group(1)), second)[3:]


def _others(rest: str) -> bool:
    return any(people.search(rest) for people in OTHERS.values())


def _present(rest: str) -> str:
    """Verbs after "and", and after "you" in a subordinate clause, follow the step into the present."""
    past: dict[str, str] = entry("en", STEPS, "present") or {}
    rest = re.sub(
        r"\b(and) (I |we )?([a-z]+)\b",
        lambda found: f"and {'I would like to ' if found.group(2) == 'I ' else ''}{base}" if (base := base_of(found.group(3))) else found.group(),
        rest,
    )
    return re.sub(
        r"\b(you|it|that|what|there) (was|were|had|felt|lay|woke|could|wanted|came|did|thought|noticed|needed|feared|liked|paid|made|went|got|did not)\b",
        lambda found: f"{found.group(1)} {_person_form(found.group(1), past.get(found.group(2), found.group(2)))}",
        rest,
    )


def _person_form(subject: str, verb: str) -> str:
    if subject == "you":
        return verb
    known = {"have": "has", "are": "is", "do": "does", "can": "can", "do not": "does not", "go": "goes"}
    return known.get(verb, verb if verb.endswith("s") else verb + "s")


TOLD = re.compile(r"^I (?:told|reminded|assured) (?:her|him|them|the client) that (.+)$")
WONDERED = re.compile(r"^I wondered(?: aloud)?,? (whether|if|what|how) (.+)$")
NOW = (("did not", "does not"), ("was", "is"), ("were", "are"), ("had", "has"), ("could", "can"), ("would", "will"), ("paid", "pay"))


def as_remark(text: str, gender: str) -> str | None:
    """What the counselor told or wondered, said now: ``I told her that this hour was hers``."""
    bare = _acting(LEAD.sub("", text.strip()))
    told, wondered = TOLD.match(bare), WONDERED.match(bare)
    if not (told or wondered) or QUOTED.search(bare) or length(bare) > LONGEST:
        return None
    rest = _to_you(told.group(1) if told else wondered.group(2) if wondered else "", gender)
    if rest is None or re.search(r"\b(?:she|he|her|him|his|I|we|my)\b", rest):
        return None
    rest = _present(rest)
    for past, now in NOW:
        rest = re.sub(rf"\b{past}\b", now, rest)
    said = rest if told else f"I wonder {wondered.group(1)} {rest}" if wondered else rest
    return _stopped(said[:1].upper() + said[1:])


def events(text: str, gender: str) -> list[tuple[str, str]]:
    """Who says what when a sentence of the process is played: ``[(seat, text)]``; empty when nothing can be."""
    proposal = as_proposal(text, gender)
    if proposal:
        return [("counselor", proposal)]
    statement = as_remark(text, gender) or as_statement(text, gender)
    if statement:
        return [("counselor", statement)]
    shown = shows(text)
    if shown:
        return [(shown, "")]
    said = in_first_person(text, gender)
    return [("client", said)] if said else []
