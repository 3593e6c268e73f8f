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
from core.llm.demo.text import QUOTED, folded, length, quotes

CUES, STEPS = "writer_cues", "writer_steps"
LONGEST = 34  # words of one sentence in speech
FRAME = re.compile(
    r"^(?:The client|She|He|They) (?:also |further |then |first )?(?:said|reported|told me|stated|mentioned|complained|reports|says|"
    r"explained|shared|indicated)(?: to me)? that ", re.IGNORECASE,
)  # fmt: skip
LEAD = re.compile(
    r"^(?:(?:in|during|by|at|after|over|from) (?:the )?sessions? (?:\d+|one|two|three|four|five|six|seven|eight|nine|ten)(?:(?: and|-|,| to)? ?(?:\d+|\w+)(?= ?,|-| and))*(?: and \d+)?|"
    r"(?:in|by|during|over|throughout|from|at) (?:the |our |that )?(?:\w+[ -]){0,3}(?:sessions?|meetings?|interviews?|hours?|weeks?|phase|stage)"
    r"(?: (?:and|to|of) (?:the )?\w+(?: sessions?)?)?|then|next|afterwards|later|after that|finally|together|first(?:ly)?|second(?:ly)?|"
    r"sessions? [\w-]+:?|weeks? [\w-]+:?|the (?:first|next) step was to|gradually|later on|from then on|"
    r"(?:at|by|in|towards?) the end(?: of (?:the |our )?(?:treatment|therapy|counsell?ing|sessions?|work))?)[,:]? ",
    re.IGNORECASE,
)  # fmt: skip
SUBJECT = re.compile(r"^(?!She\b|He\b|They\b|The (?:diary|list)\b).*\b(?:I|I'm|I've|me|my|My)\b")
SHORTER = (
    (re.compile(r"\bI am\b"), "I'm"), (re.compile(r"\bcannot\b"), "can't"), (re.compile(r"\bdo not\b"), "don't"),
    (re.compile(r"\bdid not\b"), "didn't"), (re.compile(r"\bcould not\b"), "couldn't"), (re.compile(r"\bwas not\b"), "wasn't"),
    (re.compile(r"\byou are\b"), "you're"), (re.compile(r"\bI came because\b"), "I've come because"),
    (re.compile(r"\bI came on\b"), "I've come on"), (re.compile(r"\bhave not\b"), "haven't"), (re.compile(r"\bhad not (?=\w+(?:ed|en|t)\b)"), "hadn't "),
    (re.compile(r"\bI hadn't (?=(?:\w+ ){1,6}(?:since|for)\b)"), "I haven't "),
    (re.compile(r"\bmy (?=(?:during|behind|since|until|because|after|before|while|again|every|any|who|through|into|about|over|so|up|down|out)\b)"), "me "),
    (re.compile(r"\b([Tt])he (?=(?:husband|wife|mother|father|parents|mother-in-law|boyfriend|girlfriend|son|daughter)\b(?! of))"), "my "),
)  # fmt: skip


def in_first_person(text: str, gender: str) -> str | None:
    """A sentence about the client as the client says it: ``She wakes at three`` becomes ``I wake at three``."""
    bare = _plain(text)
    if any(length(quote) > 3 for quote in quotes(bare)) or NOT_ONE.search(bare) or pattern("en", CUES, "unspoken").search(re.sub(r"\bthe client\b", "", folded(bare))):
        return None
    if length(bare) > LONGEST:
        return None
    said = third_to_first(bare, gender) or _without_relative(bare, gender)
    if said is None or not SUBJECT.search(said) or said.startswith("We "):
        return None
    return _easy(_agreeing(said)).replace("zour ", "our ")


def _agreeing(said: str) -> str:
    """In a list of what the client does every verb agrees: ``I wake at three, lies awake`` has one that does not."""
    if not re.match(r"(?:[^,]{3,60}, |[A-Z][\w ]{2,40}? )?(?:I|I'm) ", said):
        return said
    listed = wordset("en", STEPS, "listed")
    return re.sub(
        r"(, (?:and |but )?|\b(?:and|but|or) )((?:often |also |then |now |still |never )?)([a-z]+s)\b",
        lambda found: found.group(1) + found.group(2) + ((agree(found.group(3)) or found.group(3)) if found.group(3) in listed else found.group(3)),
        said,
    )


NOT_ONE = re.compile(r"^The (?:couple|family|parents|spouses|pair|two)\b|\b(?:came|come|arrived) alone\b|\bhad had\b", re.IGNORECASE)
DESCRIBES = re.compile(r"^(?:The client|She|He) describe[sd] (h(?:er|is) \w+(?: \w+)?) as ", re.IGNORECASE)
NOTICES = re.compile(r"^(The client|She|He)\b.* and ((?:then )?(?:noticed|realised|realized|discovered|found|remembered) that .+)$")
NO_SUBJECT = re.compile(r"^(Lives|Works|Has|Is|Feels|Suffers|Wants|Hopes|Cannot|Sleeps|Complains|Worries|Avoids|Married|Was|Had|Came)\b")


def _plain(text: str) -> str:
    """Without the frame of the telling ("In the second session", "She said that"), with a subject."""
    bare = FRAME.sub("", LEAD.sub("", text.strip()))
    bare = DESCRIBES.sub(r"\1 is ", bare)
    bare = NOTICES.sub(r"\1 \2", bare) if SHOWN.search(bare) else bare
    bare = NO_SUBJECT.sub(lambda found: "The client " + found.group().lower().replace("married", "is married"), bare)
    bare = re.sub(r"\b((?i:she|he|the client)) no longer (\w+s)\b", lambda found: f"{found.group(1)} no longer {agree(found.group(2))}", bare)
    bare = re.sub(r"\b((?:her|his|the client's) (?:wife|husband|partner) and) (?:their|her|his) ", r"\1 zour ", bare)
    bare = re.sub(r" \(\d{1,2}\)", "", bare)
    return bare[:1].upper() + bare[1:]


SHOWN = re.compile(
    r"\b(?:wept|cried|was silent|fell silent|laughed|giggled|smiled|nodded|nods|sighed|broke off|hardly spoke|talked fast|"
    r"spoke (?:softly|quietly|slowly|little)|avoided (?:my|the)|changed seats|(?:placed|put) .* (?:in|on) the (?:empty )?chair|read .* aloud|"
    r"joked|blushed|trembled|looked (?:at|down|away)|sat (?:down|up)|brought (?:photographs|pictures|a list|the|her|his))\b", re.IGNORECASE,
)  # fmt: skip
MOVED = re.compile(r"\b(?:wept|cried|tears|was silent|fell silent)\b", re.IGNORECASE)


def shows(text: str) -> str:
    """What a sentence shows of the client in the room: "moved", "seen", or nothing; it is not spoken by them."""
    bare = _plain(text)
    if not re.match(r"(?:The client|She|He|They|At first|Afterwards|Then)\b", bare) or not SHOWN.search(bare):
        return ""
    return "moved" if MOVED.search(bare) else "seen"


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
    said = _to_you(_rest(rest), gender)
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
PASSIVE = re.compile(r"^((?:A|An|The) [a-z][^,.]{2,60}?) (?:was|were) ([a-z]+(?: up| down| out)?)( .+|\.?)$")


def _acting(bare: str) -> str:
    """With the counselor as "I" or "we", passives turned round: ``She was asked to`` becomes ``I asked the client to``."""
    bare = COUNSELOR.sub("I", BOTH.sub("we", bare))
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
    said = _to_you(bare, gender)
    return None if said is None or re.search(r"\b(?:she|he|her|him|his)\b", said) else _stopped(said)


def _stopped(said: str) -> str:
    return said if said.endswith((".", "!", "?", '."', '?"', '!"', ".”", "?”")) else said.rstrip(" ,;:") + "."


WHO = re.compile(r"^(?:The client|She|He)\b(?:[,;]? (?:aged )?\(?\d{1,2}\)?,?)?,? (?:is|was|works as|worked as) (?P<what>an? .+?|the .+?)[.]?$")
AGE = re.compile(
    r"\b(\d{1,2})[- ]years?[- ]old\b|^(?:The client|She|He|Female|Male|Woman|Man)[,;]? (?:aged |is )?\(?(\d{1,2})\b|\baged (\d{1,2})\b|"
    r"\b(?:student|woman|man|girl|boy|mother|father) of (\d{1,2})\b"
)
AGED = re.compile(r"\d{1,2}[- ]years?[- ]old,? ?| (?:aged|of) \d{1,2}\b")
PERSON = re.compile(r"^an? (?:\w+ )?(?:woman|man|girl|boy|male|female|client|person|lady|gentleman|patient)\b,? ?")


def basics(texts: Sequence[str], gender: str) -> list[str]:
    """Who the client is, in their own voice: age and occupation, then how they live."""
    said: list[str] = []
    for text in texts:
        found, age = WHO.match(text), AGE.search(text)
        years = next(group for group in age.groups() if group) if age else ""
        if found:
            said += _introduced(years, found.group("what"), gender)
        elif years and re.match(r"(?:Female|Male|Woman|Man|An? |Aged|\d)", text):
            said.append(f"I'm {years}.")
        elif spoken := in_first_person(text, gender):
            said.append(spoken)
    return said


def _introduced(years: str, what: str, gender: str) -> list[str]:
    """``a 41-year-old driver who lives with his wife`` as "I'm 41 and I'm a driver." and "I live with my wife."."""
    what, _found, more = what.partition(" who ")
    what = PERSON.sub("", AGED.sub("", what).strip())
    work = in_first_person(f"The client is {_article(what)}.", gender) if what else None
    said = [f"I'm {years} and {work}" if years and work else work or (f"I'm {years}." if years else "")]
    if more and (spoken := in_first_person(f"The client {more}", gender)):
        said.append(spoken)
    return [one for one in said if one]


def _article(work: str) -> str:
    return work if re.match(r"(?:an?|the) ", work) else f"{'an' if work[:1].lower() in 'aeiou' else 'a'} {work}"


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


def _to_you(rest: str, gender: str) -> str | None:
    """Pronouns of the client become "you"; the counselor's own stay."""
    kept = re.sub(r"\b(?:I|we|my|me|our|us)\b", lambda found: f"zz{found.group().lower()}", rest)
    client = "the client" in kept.lower()
    probe = kept if client else re.sub(r"^(her|him|them)\b", "the client", kept)
    said = third_to_first("Zz " + probe, gender) if re.search(r"\b(?:she|he|her|hers|herself|him|his|himself|they|them|their|the client)\b", probe) else "Zz " + probe
    if said is None:
        return None
    second = to_second(re.sub(r"\bzz(?:i|we|my|me|our|us)\b", "zq", said)) if "zz" not in said else to_second(said)
    if second is None:
        return None
    second = re.sub(r"\bthe client's\b", "your", second)
    second = re.sub(r"\bthe (?=(?:husband|wife|mother|father|parents|boyfriend|girlfriend)\b)", "your ", second)
    second = re.sub(r"\byou would\b", "you", second)
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
