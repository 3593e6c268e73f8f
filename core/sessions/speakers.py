"""Who a label of a transcript stands for: the client, the counselor, somebody else; and whether it is one person. Pure.

A session here is one client with one counselor. Words of anybody else are left out with a sentence, and where two
people sit in one seat (Client 1 and Client 2, a wife and a husband) the session is refused, since nobody's words
may become another's.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from core.sessions.phrases import phrase_file

BRACKETS = re.compile(r"[（(【\[]([^）)】\]]*)[)）】\]]")
EDGES = " *_#\t-:："
LONGEST = 200  # characters of a label that are looked at


@cache
def known(name: str) -> tuple[str, ...]:
    """A list of the labels file, in lower case."""
    return tuple(str(word).casefold() for word in phrase_file("sessions/labels")[name])


@dataclass(frozen=True)
class Label:
    """A label taken apart: *Client 2 (Anna)* is the word ``client``, the number ``2``, the insert ``Anna``."""

    word: str
    number: str = ""
    insert: str = ""


@cache
def parted(label: str) -> Label:
    inserts = BRACKETS.findall(label[:LONGEST])
    plain = BRACKETS.sub("", label[:LONGEST]).strip(EDGES).casefold()
    word = plain.rstrip("0123456789０１２３４５６７８９")
    return Label(word.rstrip(" #.-"), plain[len(word) :], inserts[0].strip() if inserts else "")


def seat_of(label: str, seen: frozenset[str] = frozenset()) -> str:
    """The seat a label stands for; empty when it stands for neither.

    Args:
        seen: the words of all labels of the file, since one-letter labels are taken only in pairs.
    """
    word = parted(label).word
    for seat in ("client", "counselor"):
        if word in known(seat):
            return seat
    for pair in phrase_file("sessions/labels")["pairs"]:
        if {pair["client"], pair["counselor"]} <= seen:
            if word == pair["client"]:
                return "client"
            if word == pair["counselor"]:
                return "counselor"
    return ""


def is_other(label: str) -> bool:
    """Whether a label surely names somebody else: a relative, a helper, a first name, a title."""
    word = parted(label).word
    if not word or seat_of(label):
        return False
    if word.split()[0] in given_names():
        return True
    ends = word.split()[-1] in known("others") or word in known("others")
    return ends or word.split()[0].rstrip(".") in known("titles") or word.endswith(known("other_endings"))


@cache
def given_names() -> frozenset[str]:
    """First names that are no words of another kind (those the masking knows)."""
    told = phrase_file("masking/en")
    return frozenset(told["names"].split()) - frozenset(told["ambiguous"])


def several(labels: Sequence[str], numbered: bool) -> bool:
    """Whether the labels of one seat, one for each utterance in their order, are those of several people.

    Args:
        numbered: both seats count their utterances (*Client 1, Counselor 1, Client 2*), so numbers are no names.
    """
    found = [parted(label) for label in labels]
    numbers = {one.number for one in found}
    inserts = {one.insert.casefold() for one in found}
    if len(numbers) > 1 and not numbered:
        return True
    if len(inserts - {""}) > 1 and ("" not in inserts or sum(map(is_other, inserts)) > 1):
        return True
    words = {one.word for one in found}
    return any(one not in other and other not in one and not same(one, other) for one in words for other in words)


def same(one: str, other: str) -> bool:
    """Whether two words are one, written in two ways."""
    return any({one, other} <= set(map(str.casefold, group)) for group in phrase_file("sessions/labels")["same"])


def counted(labels: Sequence[str]) -> bool:
    """Whether the numbers of one seat's labels count its utterances: all have one, and each is larger."""
    numbers = [int(number) if (number := parted(label).number) else -1 for label in labels]
    return all(number >= 0 for number in numbers) and all(a < b for a, b in pairwise(numbers))
