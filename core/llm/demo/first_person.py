"""A role's text as the client says it: "you", "she" or "the client" becomes "I", in English and Chinese.

Every function gives ``None`` where the result might be wrong; callers then keep the role's own words.
"""

import re
from collections.abc import Mapping
from functools import lru_cache

from core.llm.demo.bank import wordset
from core.llm.demo.perspective import ADVERBS, WORD
from core.llm.demo.text import normal

YOU_SUBJECT = {
    "are": "am", "were": "was", "aren't": "am not", "weren't": "wasn't",
}  # fmt: skip
SECOND_TO_FIRST: Mapping[str, str] = {
    "your": "my", "yours": "mine", "yourself": "myself", "you're": "I'm", "you've": "I've", "you'd": "I'd",
    "you'll": "I'll",
}  # fmt: skip
# "you" is an object after these; elsewhere it is the subject of what follows
BEFORE_OBJECT = wordset("en", "language", "grammar", "before_object")


BOTH = re.compile(r"\byou and your (\w+)( were| are)?\b", re.IGNORECASE)


@lru_cache(maxsize=4096)
def second_to_first(sentence: str) -> str | None:
    """``You were 12 when your father left you`` becomes ``I was 12 when my father left me``."""
    sentence = normal(sentence)
    if re.search(r"\b(?:I|me|my|mine|myself)\b", sentence):
        return None
    sentence = BOTH.sub(lambda found: f"your {found.group(1)} and you{(found.group(2) or '').upper()}", sentence)
    subject, before, end = False, "", 0

    def turn(found: re.Match[str]) -> str:
        nonlocal subject, before, end
        word, low = found.group(), found.group().lower()
        said = SECOND_TO_FIRST.get(low, word)
        before = before if not sentence[end : found.start()].strip() else ""
        end = found.end()
        if low == "you":
            subject = not (before in BEFORE_OBJECT and not _verb_follows(sentence, found.end()))
            said = "I" if subject else "me"
        elif word in ("WERE", "ARE"):
            said, subject = low, False
        elif subject and low in YOU_SUBJECT:
            said, subject = YOU_SUBJECT[low], False
        else:
            subject = subject and low in ADVERBS
        before = low
        return said

    return _sentence(WORD.sub(turn, sentence))


VERB_NEXT = re.compile(
    r"\s+(?:are|were|have|had|do|did|don't|didn't|can|can't|could|couldn't|will|would|should|must|might|may|never|"
    r"always|often|still|feel|felt|think|thought|want|wanted|lost|left|got|went|began|grew|lived|worked)\b",
    re.IGNORECASE,
)


def _verb_follows(sentence: str, at: int) -> bool:
    return VERB_NEXT.match(sentence, at) is not None


THIRD: Mapping[str, Mapping[str, str]] = {
    "she": {"she": "I", "her": "her", "hers": "mine", "herself": "myself", "she's": "I's", "she'd": "I'd",
            "she'll": "I'll"},
    "he": {"he": "I", "him": "me", "his": "my", "himself": "myself", "he's": "I's", "he'd": "I'd", "he'll": "I'll"},
    "they": {"they": "I", "them": "me", "their": "my", "theirs": "mine", "themselves": "myself",
             "themself": "myself", "they're": "I'm", "they've": "I've", "they'd": "I'd", "they'll": "I'll"},
}  # fmt: skip
PEOPLE = {
    "she": "mother mom mum sister daughter wife girlfriend grandmother grandma aunt niece woman girl stepmother",
    "he": "father dad brother son husband boyfriend grandfather grandpa uncle nephew man boy stepfather",
    "they": "parents friends children kids colleagues siblings people classmates teachers brothers sisters sons "
    "daughters students family coworkers peers relatives neighbors neighbours partner boss teacher friend colleague "
    "manager couple team company supervisor mentor",
}
OTHERS = {
    kind: re.compile(rf"\b(?:{'|'.join(names.split())})\b", re.IGNORECASE) for kind, names in PEOPLE.items()
}
IRREGULAR = {
    "has": "have", "is": "am", "does": "do", "goes": "go", "was": "was", "isn't": "am not", "hasn't": "haven't",
    "doesn't": "don't", "are": "am", "were": "was", "aren't": "am not", "weren't": "wasn't",
}  # fmt: skip
NOT_VERBS = wordset("en", "language", "grammar", "not_verbs")
AND_VERBS = wordset("en", "language", "grammar", "and_verbs")
OBJECT_NEXT = re.compile(
    r"\s*(?:[.,;:!?)]|$|\s(?:to|with|and|but|for|from|that|when|in|at|on|as|by|the|a|an|feel|into)\b)"
)
CLIENT = re.compile(
    r"\b(?:the )*(?:the (?:client|patient|help[- ]?seeker|persona)|this (?:persona|client|person|individual))('s)?\b",
    re.IGNORECASE,
)
AGED = re.compile(r"\b(?:when|while|as|since|until|before|after) (?:she|he|they) (?:was|were|turned) (?:only |just )?"
                  r"(?:\d+|[a-z]+teen|nine|ten|eleven|twelve|eight|seven|six|five|four|three|two|a (?:child|girl|boy)|"
                  r"little|young|small|born|still|in)\b", re.IGNORECASE)  # fmt: skip
LEFT_HER = re.compile(
    r"\b(?:left|leaving|made|making|makes|kept|keeping|found|rendered|got) her (?!$|[.,;])", re.IGNORECASE
)


@lru_cache(maxsize=4096)
def third_to_first(sentence: str, gender: str = "") -> str | None:
    """``The client's mother would kill him`` becomes ``My mother would kill me``.

    Args:
        gender: "she", "he" or "they" where the role says so; else read from the sentence.
    Returns:
        ``None`` when another person of the same gender stands in the sentence, or two genders could be meant.
    """
    sentence = CLIENT.sub(lambda found: "zclients" if found.group(1) else "zclient", normal(sentence))
    named = "zclient" in sentence
    kind = gender or _gender(sentence, named)
    if (
        kind is None
        or re.search(r"\b(?:I|me|my|you|your)\b", sentence)
        or (kind == "she" and _unclear(sentence))
    ):
        return None
    if _pronoun_after_other(AGED.sub("", sentence), kind):
        return None
    return _sentence(_first(sentence, dict(THIRD[kind]) | {"zclient": "I", "zclients": "my"}))


def _unclear(sentence: str) -> bool:
    """Whether "left her" could go on with what she has, or with how she is."""
    found = LEFT_HER.search(sentence)
    return found is not None and not OBJECT_NEXT.match(sentence, found.end() - 1)


def _gender(sentence: str, named: bool) -> str | None:
    low = sentence.lower()
    she, he = (
        bool(re.search(r"\b(?:she|her|hers|herself)\b", low)),
        bool(re.search(r"\b(?:he|him|his|himself)\b", low)),
    )
    if she and he:
        # with "the client" named, the gender without a person of its own in the sentence is the client's
        mother, father = bool(OTHERS["she"].search(low)), bool(OTHERS["he"].search(low))
        return None if mother == father else ("he" if mother else "she")
    return "she" if she else "he" if he else "they" if named else None


def _pronoun_after_other(sentence: str, kind: str) -> bool:
    """Whether a pronoun that could mean the client comes after another person it could mean."""
    other = OTHERS[kind].search(sentence)
    pronouns = re.compile(rf"\b(?:{'|'.join(THIRD[kind])})\b", re.IGNORECASE)
    return other is not None and pronouns.search(sentence, other.end()) is not None


def _first(sentence: str, words: Mapping[str, str]) -> str:
    """Replace pronouns by the first person and let the verb agree with its new subject."""
    subject = since_and = False
    carried = False  # the client is the subject of the clause, so "and has" after it is theirs too

    def turn(found: re.Match[str]) -> str:
        nonlocal subject, since_and, carried
        word, low = found.group(), found.group().lower()
        if low == "her" and "she" in words:
            return "me" if OBJECT_NEXT.match(sentence, found.end()) else "my"
        if low in words:
            subject, since_and = words[low] == "I", False
            carried = carried or subject
            return _is_or_has(sentence, found) if words[low] == "I's" else words[low]
        if subject or (since_and and carried and low in AND_VERBS):
            if low in ADVERBS:
                return word
            subject = since_and = False
            return agree(low) or word
        since_and = low in ("and", "but", "or")
        return word

    return WORD.sub(turn, sentence)


def _is_or_has(sentence: str, found: re.Match[str]) -> str:
    return "I've" if re.match(r"\s+(?:been|had|got|\w+ed)\b", sentence[found.end() :]) else "I'm"


def agree(verb: str) -> str | None:
    """The first-person form of a third-person verb; ``None`` for a form that does not change."""
    if verb in IRREGULAR:
        return IRREGULAR[verb]
    if verb in NOT_VERBS or not verb.endswith("s") or verb.endswith("ss") or len(verb) < 4:
        return None
    if verb.endswith("ies") and len(verb) > 4:
        return verb[:-3] + "y"
    if verb.endswith(("ches", "shes", "sses", "xes", "zzes")):
        return verb[:-2]
    return verb[:-1]


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


ZH_CLIENT = re.compile(r"(?:该|这位|这名)?(?:来访者|求助者|当事人|患者|案主)")
ZH_PEOPLE = {
    "她": re.compile(r"妈|母亲|姐|妹|女儿|妻|老婆|女友|女朋友|奶奶|外婆|姥姥|阿姨|婆婆|女生|女同事|女老师"),
    "他": re.compile(r"爸|父亲|哥|弟|儿子|丈夫|老公|男友|男朋友|爷爷|外公|姥爷|叔|公公|男生|领导|老板|老师|朋友|同学|同事|室友|孩子"),
}  # fmt: skip


@lru_cache(maxsize=4096)
def to_first_zh(sentence: str) -> str | None:
    """``你12岁时父亲离开了你`` becomes ``我12岁时父亲离开了我``; the same for 来访者 and for 他/她 where nobody else is meant."""
    sentence = normal(sentence).replace(" ", "")
    if "我" in sentence:
        return None
    sentence = (
        ZH_CLIENT.sub("我", sentence).replace("你", "我").replace("您", "我").replace("我自身", "我自己")
    )
    for pronoun, people in ZH_PEOPLE.items():
        if pronoun in sentence:
            if (
                people.search(sentence)
                or f"{pronoun}们" in sentence
                or ("她" in sentence and "他" in sentence)
            ):
                return None if "我" not in sentence or people.search(sentence) is None else sentence
            sentence = sentence.replace(pronoun, "我")
    return sentence
