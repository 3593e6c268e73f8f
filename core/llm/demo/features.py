"""What the rules can observe in one turn: the features of ``features.yaml`` and those that need a little grammar.

A feeling counts only where somebody owns it: "you sound afraid", "I was afraid"; in "afraid of disappointing my
parents" nobody is disappointed. English and Chinese are both looked for, so a mixed transcript is read as well.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any

from core.llm.demo.phrases import Hit, Node, compiled, expanded, found_in
from core.llm.demo.text import CJK, Piece, sentences, tokens
from core.llm.demo.words import words

NOTED = re.compile(r"\[[^\]]*\]")  # a transcriber's note: [laughs]
LONGEST_QUOTE = 220  # characters
LONGEST_TURN = 6000  # characters read of one turn
LECTURE = {"en": 70, "zh": 100}  # tokens of a counselor's turn from which it is a lecture
ELABORATE = {"en": 18, "zh": 24}  # tokens of a client's turn from which it tells something
SHORT = {"en": 4, "zh": 4}  # tokens up to which a turn is a nod
OWNERS = {
    "counselor": frozenset({"you", "your", "yourself", "that", "this", "it", "sounds", "must", "你"}),
    "client": frozenset({"i", "me", "my", "myself", "it", "我"}),
}
OTHERS_ZH = frozenset(
    "他她们妈爸父母师婆公儿女哥姐弟妹"
)  # in Chinese a feeling without a subject is the speaker's topic's
OWNER_BEFORE = 5  # tokens between the owner and the feeling at most
PRESSING = frozenset(
    {"directive", "confronts", "persuades"}
)  # a sentence that presses neither reflects nor invites
UNPRESSED = frozenset({"reflects", "open_invitation", "tentative", "affirms"})
# A question that does one of these asks for more than yes or no, whatever its form.
INVITING = frozenset({"permission", "goal_talk", "change_elicited", "steps_jointly", "options", "feasibility", "readiness",
                      "ambivalence", "tentative", "checks", "summary", "reflects"})  # fmt: skip
ABOUT_NOT = PRESSING | frozenset({"reflects", "permission", "steps_jointly", "options", "open_invitation", "affirms",
                                  "consolidates", "introduces", "minimises", "warmth", "technique"})  # fmt: skip
OBJECTS = frozenset(
    {"of", "about", "with", "from", "by", "对", "被"}
)  # after these the feeling is the object's


@dataclass(frozen=True)
class Reading:
    """One turn as the rules see it: its features, each with the sentence it fired in."""

    seat: str
    size: int
    language: str
    features: Mapping[str, str]
    content: frozenset[str]
    question: bool

    @property
    def substantial(self) -> bool:
        return self.size > SHORT[self.language]


@dataclass(frozen=True)
class Lexicon:
    """The compiled word file of one language."""

    language: str
    data: Mapping[str, Any]
    trees: Mapping[str, Node]
    facts: Node
    feelings: Node
    negators: frozenset[str]
    fillers: frozenset[str]
    markers: frozenset[tuple[str, ...]]
    affirmed: frozenset[str]
    empty: frozenset[str]

    def spoken(self, sentence: str) -> list[str]:
        """The sentence's tokens without fillers, contractions opened."""
        for old, new in self.data.get("variants", {}).items():
            sentence = sentence.replace(old, new)
        said = [
            t
            for t in expanded(tokens(NOTED.sub(" ", sentence)), self.data["opened"])
            if t not in self.fillers
        ]
        if self.language == "zh":
            return said
        return [
            token for token, before in zip(said, ["", *said], strict=False) if token != before
        ]  # "I-I was"

    def starts(self, sentence: list[str]) -> int:
        """How many markers (so, well, 嗯) stand at the sentence's start."""
        at = 0
        while True:
            step = next((n for n in (4, 3, 2, 1) if tuple(sentence[at : at + n]) in self.markers), 0)
            if not step or at + step >= len(sentence):
                return at
            at += step


@cache
def lexicon(language: str) -> Lexicon:
    """The lexicon of a language, compiled once."""
    data = words(language, "features")
    opened = data["opened"]

    def tree(name: str) -> Node:
        return compiled({name: data[name]}, opened)

    return Lexicon(
        language=language,
        data=data,
        trees={seat: compiled(data[seat], opened) for seat in ("counselor", "client")},
        facts=tree("fact_questions"),
        feelings=tree("feelings"),
        negators=frozenset(data["negators"]),
        fillers=frozenset(data["fillers"]),
        markers=frozenset(tuple(tokens(marker)) for marker in data["markers"]),
        affirmed=frozenset(data["affirmed"]),
        empty=frozenset(data["empty"]),
    )


@lru_cache(maxsize=16384)
def read_turn(seat: str, text: str) -> Reading:
    """The features of one turn of a seat."""
    text = text[:LONGEST_TURN]
    all_tokens = tokens(text)
    chinese = sum(1 for token in all_tokens if CJK.match(token))
    language = "zh" if 2 * chinese > len(all_tokens) else "en"
    features: dict[str, str] = {}
    question = False
    for piece in sentences(text):
        in_piece = "zh" if CJK.search(piece.text) else "en"
        found, asks = _sentence(seat, piece, lexicon(in_piece))
        question = question or asks
        for name in found:
            features.setdefault(name, quote_of(piece))
    _add_lengths(features, seat, len(all_tokens), language, text)
    return Reading(seat, len(all_tokens), language, features, content_of(all_tokens, language), question)


def quote_of(piece: Piece) -> str:
    """The sentence as it stands in the turn, or its beginning if it is very long: always an exact substring."""
    if len(piece.text) <= LONGEST_QUOTE:
        return piece.text
    cut = piece.text.rfind(" ", 0, LONGEST_QUOTE)
    return piece.text[: cut if cut > LONGEST_QUOTE // 2 else LONGEST_QUOTE].rstrip()


def _add_lengths(features: dict[str, str], seat: str, size: int, language: str, text: str) -> None:
    name, least = ("lecture", LECTURE) if seat == "counselor" else ("elaborates", ELABORATE)
    if size >= least[language]:
        features[name] = quote_of(max(sentences(text), key=lambda piece: len(piece.text)))


def _sentence(seat: str, piece: Piece, lexicon_: Lexicon) -> tuple[list[str], bool]:
    spoken = lexicon_.spoken(piece.text)
    starts = lexicon_.starts(spoken)
    asks = is_question(piece.text, spoken, lexicon_)
    hits = [
        hit
        for hit in found_in(lexicon_.trees[seat], spoken, asks, starts)
        if hit.feature not in lexicon_.affirmed or not _negated(hit, spoken, lexicon_)
    ]
    found = list(dict.fromkeys(hit.feature for hit in hits))
    if "change_elicited" in found:  # "why a four and not a lower number" is no reproach
        found = [name for name in found if name != "confronts"]
    if PRESSING & set(found):
        found = [name for name in found if name not in UNPRESSED]
    if (
        seat == "counselor"
        and not asks_in_form(spoken, starts, lexicon_)
        and _about_you(spoken, starts, found, lexicon_)
    ):
        found.append("reflects")
    if _owned_feeling(seat, spoken, asks, lexicon_):
        found.append("feeling_named" if seat == "counselor" else "feeling_owned")
    if seat == "counselor" and asks:
        found += _kind_of_question(spoken, starts, found, lexicon_)
    return found, asks


def is_question(text: str, spoken: list[str], lexicon_: Lexicon) -> bool:
    """Whether a sentence asks: by its mark, or in Chinese by its last particle."""
    end = text.rstrip("\"'”’」』)） ")
    return end.endswith(("?", "？")) or (
        lexicon_.language == "zh" and bool(spoken) and spoken[-1] in "吗呢么"
    )


def asks_in_form(spoken: list[str], starts: int, lexicon_: Lexicon) -> bool:
    """Whether a sentence has a question's words, not only its mark ("you gave up?" has none)."""
    if lexicon_.language == "zh":
        said = "".join(spoken)
        return any(word in said for word in (*lexicon_.data["open_words"], *lexicon_.data["closed_words"]))
    first = spoken[starts : starts + 1]
    return bool(first) and (
        first[0] in lexicon_.data["closed_words"] or first[0] in lexicon_.data["open_words"]
    )


def _about_you(spoken: list[str], starts: int, found: list[str], lexicon_: Lexicon) -> bool:
    """Whether a statement has the client as its subject: said back, as long as it neither presses nor invites."""
    rule, said = lexicon_.data["about_you"], spoken[starts:]
    if len(said) < 4 or said[0] in rule["not_first"] or ABOUT_NOT & set(found):
        return False
    ends = len(said) if lexicon_.language == "en" else 1
    for at, token in enumerate(said[:ends]):
        after = said[at + 1] if at + 1 < len(said) else ""
        free = at == 0 or said[at - 1] not in rule["not_before_you"]
        if token in rule["you"] and free and after and after not in rule["not_after_you"]:
            return True
    return False


def _negated(hit: Hit, spoken: list[str], lexicon_: Lexicon) -> bool:
    """Whether a negator stands in the hit's gaps or up to three tokens before it."""
    near = (*range(max(0, hit.start - 3), hit.start), *hit.skipped)
    return any(spoken[at] in lexicon_.negators for at in near)


def _owned_feeling(seat: str, spoken: list[str], asks: bool, lexicon_: Lexicon) -> bool:
    """Whether a feeling is said of its owner: the client's own, or what the counselor states the client feels."""
    if seat == "counselor" and asks and spoken[:1] != ["so"]:
        return False
    for hit in found_in(lexicon_.feelings, spoken, asks, 0):
        before = spoken[max(0, hit.start - OWNER_BEFORE) : hit.start]
        owner = max((n for n, token in enumerate(before) if token in OWNERS[seat]), default=-1)
        between = before[owner + 1 :]
        unnamed = lexicon_.language == "zh" and owner < 0 and not OTHERS_ZH & set(before)
        if (owner >= 0 or unnamed) and not any(t in OBJECTS or t in lexicon_.negators for t in between):
            return True
    return False


def _kind_of_question(spoken: list[str], starts: int, found: list[str], lexicon_: Lexicon) -> list[str]:
    """``open_question``, ``closed_question`` or neither (a statement with a question mark)."""
    if found_in(lexicon_.facts, spoken, True, starts):
        return ["closed_question"]
    if PRESSING & set(found):
        return ["closed_question"]
    if "open_invitation" in found or _opens(spoken, starts, lexicon_):
        return ["open_question"]
    if INVITING & set(found):
        return []
    closed = lexicon_.data["closed_words"]
    if lexicon_.language == "zh":
        return ["closed_question"] if any(word in "".join(spoken) for word in closed) else []
    return ["closed_question"] if spoken[starts : starts + 1] and spoken[starts] in closed else []


def _opens(spoken: list[str], starts: int, lexicon_: Lexicon) -> bool:
    opening = lexicon_.data["open_words"]
    if lexicon_.language == "zh":
        return any(word in "".join(spoken) for word in opening)
    return any(token in opening for token in spoken[starts : starts + 4])


def content_of(all_tokens: tuple[str, ...], language: str) -> frozenset[str]:
    """The words that carry meaning, cut to a rough stem; in Chinese pairs of characters."""
    empty = lexicon(language).empty
    if language == "zh":
        pairs = pairwise(all_tokens)
        return frozenset(a + b for a, b in pairs if a not in empty and b not in empty)
    return frozenset(stem(token) for token in all_tokens if len(token) > 3 and token not in empty)


def stem(token: str) -> str:
    """A word without its commonest endings, for comparing only."""
    for ending in ("ing", "ed", "es", "s", "e"):
        if token.endswith(ending) and len(token) - len(ending) >= 3:
            return token[: -len(ending)]
    return token
