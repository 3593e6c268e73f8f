"""English report sentences as they can be said: by the client, to the client, or as the counselor's next step.

Each function gives ``None`` where the sentence would come out wrong; the writer then leaves it out. The client says only
what the report tells of them in plain words; terms of the profession and the counselor's conclusions are not theirs.
"""

import re
from collections.abc import Sequence

from core.llm.demo.bank import pattern, wordset
from core.llm.demo.first_person import agree, third_to_first
from core.llm.demo.perspective import to_second
from core.llm.demo.text import folded, length, quotes

CUES, STEPS = "writer_cues", "writer_steps"
LONGEST = 34  # words of one sentence in speech
FRAME = re.compile(
    r"^(?:The client|She|He|They) (?:also |further |then |first )?(?:(?:said|reported|told me|stated|mentioned|complained|reports|says|"
    r"answered|replied|added|explained|shared|indicated)(?: to me| without hesitation| with \w+)?) that ", re.IGNORECASE,
)  # fmt: skip
LEAD = re.compile(
    r"^(?:(?:in|during|by|at|after|over|from) (?:the )?sessions? (?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?:(?: and|-|,| to)? ?(?:\d+|\w+)(?= ?,|-| and))*(?: and \d+)?|"
    r"(?:in|by|during|over|throughout|from|at) (?:the |our |that )?(?:\w+[ -]){0,3}(?:sessions?|meetings?|interviews?|hours?|weeks?|phase|stage)"
    r"(?: (?:and|to|of) (?:the )?\w+(?: sessions?)?)?|then|next|afterwards|later|after that|finally|together|first(?:ly)?|second(?:ly)?|"
    r"sessions? [\w-]+:?|weeks? [\w-]+:?|the (?:first|next) step was to|gradually|later on|from then on|"
    r"(?:at|by|before) (?:the )?(?:termination|discharge|close)(?: of (?:the )?\w+)?|"
    r"at (?:the )?(?:\w+-)?(?:\w+ )?follow-?up|"
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
    (re.compile(r"\bmy (?=(?:during|behind|since|until|because|after|before|while|again|every|any|who|through|into|about|over|so|up|down|out|whether|if|how|what|why|where|when|that|to)\b)"), "me "),
    (re.compile(r"^(I've come because (?:my \w+|it|they)) had\b"), r"\1 has"),
    (re.compile(r"\b([Tt])he (?=(?:husband|wife|mother|father|parents|mother-in-law|boyfriend|girlfriend|son|daughter)\b(?! of))"), "my "),
)  # fmt: skip


def in_first_person(text: str, gender: str) -> str | None:
    """A sentence about the client as the client says it: ``She wakes at three`` becomes ``I wake at three``."""
    bare = _plain(text)
    if any(length(quote) > 3 for quote in quotes(bare)) or NOT_ONE.search(bare) or pattern("en", CUES, "unspoken").search(re.sub(r"\bthe client\b", "", folded(bare))):
        return None
    if length(bare) > LONGEST:
        return None
    bare = SELF.sub("zself", bare) if OWN_SUBJECT.match(bare) else bare
    said = third_to_first(bare, gender) or _without_relative(bare, gender)
    said = said.replace("zself", "myself") if said else None
    if said is None or not SUBJECT.search(said) or said.startswith("We "):
        return None
    said = said if gender == "he" else re.sub(r"\b(send|sent|give|gave) my (?=[a-z]+s\b)", r"\1 me ", said)
    said = re.sub(r"\b(my (?:wife|husband|partner)\b.*?) their\b", r"\1 our", said) if gender != "they" else said
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


SELF = re.compile(r"\b(?:herself|himself)\b")
OWN_SUBJECT = re.compile(r"^(?:She|He|The client)\b[^,;]*$")  # one subject throughout: "herself" is the client
NOT_ONE = re.compile(r"^The (?:couple|family|parents|spouses|pair|two)\b|\b(?:came|come|arrived) alone\b|\bhad had\b|\bjoined (?:them|us)\b", re.IGNORECASE)
DESCRIBES = re.compile(r"^(?:The client|She|He) describe[sd] (h(?:er|is) \w+(?: \w+)?) as ", re.IGNORECASE)
NOTICES = re.compile(r"^(The client|She|He)\b.* and ((?:then )?(?:noticed|realised|realized|discovered|found|remembered) that .+)$")
NO_SUBJECT = re.compile(r"^(Lives|Works|Has|Is|Feels|Suffers|Wants|Hopes|Cannot|Sleeps|Complains|Worries|Avoids|Married|Was|Had|Came)\b")


def _plain(text: str) -> str:
    """Without the frame of the telling ("In the second session", "She said that"), with a subject."""
    bare = FRAME.sub("", LEAD.sub("", text.strip()))
    if re.search(r"\bthat\b", text[: max(0, len(text) - len(bare))]):  # "She said that …, and that …"
        bare = AND_THAT.sub(r"\1", bare)
    bare = re.sub(r"^There (?:is|was|were|are) no [^,]+, (?:although|though|but) ", "", bare)
    bare = DESCRIBES.sub(r"\1 is ", bare)
    bare = NOTICES.sub(r"\1 \2", bare) if SHOWN.search(bare) else bare
    bare = NO_SUBJECT.sub(lambda found: "The client " + found.group().lower().replace("married", "is married"), bare)
    bare = re.sub(r"\b((?i:she|he|the client)) no longer (\w+s)\b", lambda found: f"{found.group(1)} no longer {agree(found.group(2))}", bare)
    bare = re.sub(r"\b((?:her|his|the client's) (?:wife|husband|partner) and) (?:their|her|his) ", r"\1 zour ", bare)
    bare = re.sub(r" \(\d{1,2}\)", "", bare)
    return bare[:1].upper() + bare[1:]


AND_THAT = re.compile(r"(,? and )that (?=(?:she|he|they|the|her|his|it|nobody|everything|there)\b)")
SHOWN = re.compile(
    r"\b(?:wept|cried|was silent|fell silent|laughed|giggled|smiled|nodded|nods|sighed|broke off|hardly spoke|talked fast|"
    r"spoke (?:softly|quietly|slowly|little)|avoided (?:my|the)|changed seats|(?:placed|put) .* (?:in|on) the (?:empty )?chair|read .* aloud|"
    r"came alive|lit up|became (?:lively|quiet|animated|tearful)|joked|blushed|trembled|looked (?:at|down|away)|sat (?:down|up)|brought (?:photographs|pictures|a list|the|her|his))\b", re.IGNORECASE,
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
    for mark in (", who ", ", which ", ";", ", and ", ", but ", " and "):
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
    return (swapped[:1].lower() + swapped[1:]).rstrip(". ")


# ---- who a client is ---------------------------------------------------------------------------------------------

WHO = re.compile(r"^(?:The client|She|He)\b(?:[,;]? (?:aged )?(?:\(?\d{1,2}\)?|\(?in the (?:\d0s|teens)\)?),?)?,? (?:is|was|works as|worked as) (?P<what>an? .+?|the .+?)[.]?$")
AGE = re.compile(
    r"\b(\d{1,2})[- ]years?[- ]old\b|^(?:The client|She|He|Female|Male|Woman|Man)[,;]? (?:aged |is )?\(?(\d{1,2})\b|\baged (\d{1,2})\b|"
    r"\bin the (\d0s|teens)\b|\bin (?:her|his) ((?:early |mid-?|late )?(?:twenties|thirties|forties|fifties|sixties|seventies|eighties))\b|\b(?:student|woman|man|girl|boy|mother|father) of (\d{1,2})\b"
)
AGED = re.compile(r"(?i),? ?in (?:her|his) (?:early |mid-?|late )?\w+ies\b,? ?|(?:aged )?in the (?:\d0s|teens),? ?|\b(?:male|female) |\d{1,2}[- ]years?[- ]old,? ?| (?:aged|of) \d{1,2}\b")
PERSON = re.compile(r"^an? (?:\w+ )?(?:woman|man|girl|boy|male|female|client|person|lady|gentleman|patient)\b,? ?")


DECADES = {"20s": "twenties", "30s": "thirties", "40s": "forties", "50s": "fifties", "60s": "sixties", "70s": "seventies",
           "80s": "eighties", "90s": "nineties"}  # fmt: skip


def basics(texts: Sequence[str], gender: str) -> list[str]:
    """Who the client is, in their own voice: age and occupation, then how they live."""
    said: list[str] = []
    for text in texts:
        found, age = WHO.match(text), AGE.search(text)
        years = next(group for group in age.groups() if group) if age else ""
        years = f"in my {DECADES.get(years, years)}" if years.endswith("s") else years
        if aged := AGED_VERB.match(text):
            said.append(f"I'm {years or aged.group(1)}.")
            said += [spoken] if (spoken := in_first_person(f"The client {aged.group(2)}", gender)) else []
        elif found:
            said += _introduced(years, found.group("what"), gender)
        elif years and (fragment := FRAGMENT.match(text)):
            said += _introduced(years, fragment.group(1), gender)
        elif years and re.match(r"(?:Female|Male|Woman|Man|An? |Aged|\d)", text):
            said.append(f"I'm {years}.")
        elif spoken := in_first_person(text, gender):
            said.append(spoken)
    return said


AGED_VERB = re.compile(r"^(?:The client|She|He), (?:aged )?\(?(\d{1,2}|in the (?:\d0s|teens))\)?, ((?!is |was |works as |an? )[a-z]+s .+)$")
FRAGMENT = re.compile(r"^(An? \d{1,2}-years?-old (?:[a-z-]+ ){0,3}[a-z-]+(?: from [a-z]+)?)\b(?=[,.;]|$)")


def _introduced(years: str, what: str, gender: str) -> list[str]:
    """``a 41-year-old driver who lives with his wife`` as "I'm 41 and I'm a driver." and "I live with my wife."."""
    what, _found, more = what.partition(" who ")
    what = PERSON.sub("", AGED.sub("", what).strip())
    work = in_first_person(f"The client is {_article(what)}.", gender) if what else None
    work = re.sub(r" and am ", ", and I'm ", work) if work else None
    said = [f"I'm {years} and {work}" if years and work else work or (f"I'm {years}." if years else "")]
    if more and (spoken := in_first_person(f"The client {more}", gender)):
        said.append(spoken)
    return [one for one in said if one]


def _article(work: str) -> str:
    work = re.sub(r"^(?:A|An|The) ", lambda found: found.group().lower(), work)
    return work if re.match(r"(?:an?|the) ", work) else f"{'an' if work[:1].lower() in 'aeiou' else 'a'} {work}"
