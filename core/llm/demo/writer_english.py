"""English report sentences as they can be said: by the client, to the client, or as the counselor's next step.

Each function gives ``None`` where the sentence would come out wrong; the writer then leaves it out. The client says only
what the report tells of them in plain words; terms of the profession and the counselor's conclusions are not theirs.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.llm.demo.bank import entry, pattern, wordset
from core.llm.demo.first_person import OTHERS, agree, third_to_first
from core.llm.demo.perspective import to_second
from core.llm.demo.text import QUOTED, folded, length

CUES, STEPS = "writer_cues", "writer_steps"
LONGEST = 34  # words of one sentence in speech
FRAME = re.compile(
    r"^(?:The client|She|He|They) (?:also |further |then |first )?(?:said|reported|told me|stated|mentioned|complained|reports|says|"
    r"explained|shared|indicated|described feeling)(?: that (?=she |he |they |the client |(?:her|his|their) ))", re.IGNORECASE,
)  # fmt: skip
LEAD = re.compile(
    r"^(?:(?:in|by|during|over|throughout|from|at) (?:the |our |that )?(?:\w+[ -]){0,3}(?:sessions?|meetings?|interviews?|hours?|weeks?|phase|stage)"
    r"(?: (?:and|to|of) (?:the )?\w+(?: sessions?)?)?|then|next|afterwards|later|after that|finally|together|first(?:ly)?|second(?:ly)?|"
    r"session \w+:?|week \w+:?|the (?:first|next) step was to|gradually)[,:]? ",
    re.IGNORECASE,
)  # fmt: skip
SUBJECT = re.compile(r"^(?:[^,]{3,60}, )?(?:I|I'm|I've|My|We)\b|^(?:When|If|Since|Because|As|After|Whenever|Before|For|At|In|On|Every)\b.{3,}\b(?:I|me|my)\b")
SHORTER = (
    (re.compile(r"\bI am\b"), "I'm"), (re.compile(r"\bcannot\b"), "can't"), (re.compile(r"\bdo not\b"), "don't"),
    (re.compile(r"\bdid not\b"), "didn't"), (re.compile(r"\bcould not\b"), "couldn't"), (re.compile(r"\bwas not\b"), "wasn't"),
    (re.compile(r"\byou are\b"), "you're"), (re.compile(r"\bI came because\b"), "I've come because"),
    (re.compile(r"\bI came on\b"), "I've come on"), (re.compile(r"\bhave not\b"), "haven't"), (re.compile(r"\bhad not (?=\w+(?:ed|en|t)\b)"), "hadn't "),
    (re.compile(r"^There were no "), "There are no "),
)  # fmt: skip


def in_first_person(text: str, gender: str) -> str | None:
    """A sentence about the client as the client says it: ``She wakes at three`` becomes ``I wake at three``."""
    bare = FRAME.sub("", text.strip())
    bare = LEAD.sub("", bare)
    bare = bare[:1].upper() + bare[1:]
    if QUOTED.search(bare) or pattern("en", CUES, "unspoken").search(re.sub(r"\bthe client\b", "", folded(bare))):
        return None
    if length(bare) > LONGEST:
        return None
    said = third_to_first(bare, gender) or _without_relative(bare, gender)
    if said is None or not SUBJECT.search(said) or said.startswith("We "):
        return None
    return _easy(_agreeing(said))


def _agreeing(said: str) -> str:
    """In a list of what the client does every verb agrees: ``I wake at three, lies awake`` has one that does not."""
    if not re.match(r"(?:[^,]{3,60}, )?(?:I|I'm) ", said):
        return said
    listed = wordset("en", STEPS, "listed")
    return re.sub(
        r"(, (?:and |but )?|\b(?:and|but|or) )((?:often |also |then |now |still |never )?)([a-z]+s)\b",
        lambda found: found.group(1) + found.group(2) + ((agree(found.group(3)) or found.group(3)) if found.group(3) in listed else found.group(3)),
        said,
    )


def _without_relative(text: str, gender: str) -> str | None:
    """The part before ", and" or ";" where the whole cannot be said safely."""
    for mark in (";", ", and ", ", but ", " and "):
        head, found, _rest = text.partition(mark)
        if found and length(head) >= 5:
            said = third_to_first(head, gender)
            if said is not None:
                return said + "."
    return None


def _easy(said: str) -> str:
    for long, short in SHORTER:
        said = long.sub(short, said)
    return said if said[-1:] in ".!?…" else said.rstrip(" ,;:") + "."


def in_second_person(text: str, gender: str) -> str | None:
    """The same sentence as the counselor says it to the client, without its stop, beginning small."""
    said = in_first_person(text, gender)
    swapped = to_second(said) if said else None
    if swapped is None:
        return None
    first = swapped.split(" ", 1)[0]
    small = first.lower() in SMALL_FIRST
    return (swapped[:1].lower() + swapped[1:] if small else swapped).rstrip(". ")


SMALL_FIRST = frozenset(
    ["you", "your", "you're", "you've", "you'd", "at", "in", "on", "as", "when", "if", "since", "because", "after", "before", "whenever", "for", "every", "there", "during", "the", "it", "by", "from", "with", "until", "once", "sometimes", "often", "even"]
)

# ---- the counselor's steps ---------------------------------------------------------------------------------------


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
    bare = LEAD.sub("", re.sub(r"\bthe (?:counsell?or|therapist)\b", "I", text.strip(), flags=re.IGNORECASE))
    bare = bare[:1].upper() + bare[1:]
    found = STEP.match(_before_quote(bare) if QUOTED.search(bare) else bare)
    if found is None or length(bare) > LONGEST:
        return None
    verb, rest = found.group("verb"), found.group("rest")
    while base_of(verb) is None:  # "I listened and asked her to …": the first verb that is a step
        later = re.search(r"\b(?:and|then) (?:I |we )?([a-z-]+) (.+)", rest)
        if later is None:
            return None
        verb, rest = later.group(1), later.group(2)
    said = _to_you(_rest(rest), gender)
    base = base_of(verb)
    if base is None or said is None or (re.search(r"\b(?:she|he|her|him|his)\b", said) and not _others(said)):
        return None
    who = "I" if found.group("who") == "I" else "we"
    return Step(found.group("lead") or "", who, verb, base, said.rstrip(". "))


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
    said = _to_you(bare, gender)
    return None if said is None or re.search(r"\b(?:she|he|her|him|his)\b", said) else _stopped(said)


def _stopped(said: str) -> str:
    return said if said.endswith((".", "!", "?", '."', '?"', '!"', ".”", "?”")) else said.rstrip(" ,;:") + "."


BASICS = re.compile(r"^(?:The client|She|He)(?:,? (?:aged )?(\d{1,2}),?)?,? (?:is|was|works as|worked as) (an? .+?)[.]?$")
AGE = re.compile(r"\b(\d{1,2})[- ]years?[- ]old\b|^(?:The client|She|He|Female|Male|Woman|Man),? (?:aged |is )?(\d{1,2})\b|\baged (\d{1,2})\b")


def basics(texts: Sequence[str], gender: str) -> list[str]:
    """Who the client is, in their own voice: age and occupation, then how they live."""
    said: list[str] = []
    for text in texts:
        found = BASICS.match(text)
        age = AGE.search(text)
        if found and not pattern("en", CUES, "unspoken").search(re.sub(r"^the client\b", "", folded(text))):
            years = found.group(1) or (next(g for g in age.groups() if g) if age else "")
            work = re.sub(r"^an? \d{1,2}[- ]years?[- ]old,? ?", lambda m: "", found.group(2))
            named = in_first_person(f"She is {_article(work)}.", "she") if work and gender else None
            if named and re.search(r"\b(?:who|woman|man|girl|boy)\b", work) is None:
                said.append(f"I'm {years}. {named}" if years else named)
                continue
        if age and not said:
            said.append(f"I'm {next(group for group in age.groups() if group)}.")
        spoken = None if found and age else in_first_person(text, gender)
        if spoken:
            said.append(spoken)
    return said


def _article(work: str) -> str:
    return work if re.match(r"(?:an?|the) ", work) else f"{'an' if work[:1].lower() in 'aeiou' else 'a'} {work}"


def _before_quote(text: str) -> str:
    found = QUOTED.search(text)
    return text if found is None or not text[found.end() :].strip(" .") else text[: found.start()].rstrip(" ,:")


def base_of(past: str) -> str | None:
    """The plain form of a verb counselors use in reports; ``None`` for one that is no step ("listened")."""
    known: dict[str, str] = entry("en", STEPS, "verbs") or {}
    return known.get(past)


def _rest(rest: str) -> str:
    """Without a second main clause that is not a step: "and she felt …"."""
    cut = re.split(r",? (?:and|but|which|so) (?=(?:she|he|they|the client|that|it|this)\b)|; ", rest, maxsplit=1)
    return cut[0]


def _to_you(rest: str, gender: str) -> str | None:
    """Pronouns of the client become "you"; the counselor's own stay."""
    kept = re.sub(r"\b(?:I|we|my|me|our|us)\b", lambda found: f"zz{found.group().lower()}", rest)
    client = "the client" in kept.lower()
    probe = kept if client else re.sub(r"^(her|him|them)\b", "the client", kept)
    said = third_to_first("Zz " + probe, gender) if re.search(r"\b(?:she|he|her|him|his|they|them|their|the client)\b", probe) else "Zz " + probe
    if said is None:
        return None
    second = to_second(re.sub(r"\bzz(?:i|we|my|me|our|us)\b", "zq", said)) if "zz" not in said else to_second(said)
    if second is None:
        return None
    second = re.sub(r"\bthe client's\b", "your", second)
    return re.sub(r"\bzz(\w+)\b", lambda found: {"i": "I"}.get(found.group(1), found.group(1)), second)[3:]


def _others(rest: str) -> bool:
    return any(people.search(rest) for people in OTHERS.values())


def _present(rest: str) -> str:
    """Verbs after "and", and after "you" in a subordinate clause, follow the step into the present."""
    past: dict[str, str] = entry("en", STEPS, "present") or {}
    rest = re.sub(
        r"\b(and) (?:I |we )?([a-z]+)\b",
        lambda found: f"{found.group(1)} {base_of(found.group(2)) or found.group(2)}" if base_of(found.group(2)) else found.group(),
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
    return {"have": "has", "are": "is"}.get(verb, verb)


def events(text: str, gender: str) -> list[tuple[str, str]]:
    """Who says what when a sentence of the process is played: ``[(seat, text)]``; empty when nothing can be."""
    proposal = as_proposal(text, gender)
    if proposal:
        return [("counselor", proposal)]
    statement = as_statement(text, gender)
    if statement:
        return [("counselor", statement)]
    said = in_first_person(text, gender)
    return [("client", said)] if said else []
