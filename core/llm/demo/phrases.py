"""Phrases of a data file, compiled to a tree of tokens that finds all of them in one pass over a sentence.

The notation is explained at the head of ``prompts/demo/en/features.yaml``.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from core.llm.demo.text import tokens

GAP = 3  # tokens a ~ may stand for
SLOT = re.compile(r"\(([^()]*)\)")


@dataclass(frozen=True)
class End:
    """A feature whose phrase ends here, and where in which sentence it counts."""

    feature: str
    kind: str  # ? in questions, . in statements, empty in both
    first: bool  # only at the sentence's start
    last: bool  # only at its end


@dataclass
class Node:
    """A place in the tree: what may follow, whether a gap may, and which features end here."""

    after: dict[str, "Node"] = field(default_factory=dict)
    gap: "Node | None" = None
    ends: list["End"] = field(default_factory=list)


@dataclass(frozen=True)
class Hit:
    """A feature found at the tokens ``start`` to ``end`` of a sentence, ``skipped`` of which its gaps stand for."""

    feature: str
    start: int
    end: int
    skipped: tuple[int, ...] = ()


def alternatives(phrase: str) -> Iterator[str]:
    """The plain phrases a phrase with ``(a|b)`` stands for."""
    parts = SLOT.split(phrase)
    choices = [part.split("|") if number % 2 else [part] for number, part in enumerate(parts)]
    for chosen in product(*choices):
        yield "".join(chosen)


def compiled(features: Mapping[str, Sequence[str]], opened: Mapping[str, str]) -> Node:
    """The tree of all phrases of a seat's features."""
    root = Node()
    for feature, phrases in features.items():
        for phrase in phrases:
            body, kind = (phrase[:-1], phrase[-1]) if phrase.endswith((" ?", " .")) else (phrase, "")
            for plain in alternatives(body):
                _add(root, plain, feature, kind, opened)
    return root


def _add(root: Node, plain: str, feature: str, kind: str, opened: Mapping[str, str]) -> None:
    node, first = root, plain.lstrip().startswith("^")
    for number, part in enumerate(plain.replace("^", " ").split("~")):
        if number:
            node.gap = node.gap or Node()
            node = node.gap
        for token in expanded(tokens(part), opened):
            node = node.after.setdefault(token, Node())
    if node is not root:
        node.ends.append(End(feature, kind, first, plain.rstrip().endswith("$")))


def expanded(words: Sequence[str], opened: Mapping[str, str]) -> list[str]:
    """The tokens with contractions opened: ``you're`` becomes ``you are``."""
    found: list[str] = []
    for word in words:
        found.extend(opened[word].split() if word in opened else [word])
    return found


def found_in(root: Node, sentence: Sequence[str], question: bool, starts: int) -> list[Hit]:
    """Every phrase in a sentence's tokens; ``starts`` is the last place that counts as its start."""
    hits: list[Hit] = []
    asks = "?" if question else "."
    for start in range(len(sentence)):
        stack: list[tuple[Node, int, tuple[int, ...]]] = [(root, start, ())]
        while stack:
            node, at, skipped = stack.pop()
            for end in node.ends:
                fits = (not end.first or start <= starts) and (not end.last or at == len(sentence))
                if fits and end.kind in ("", asks):
                    hits.append(Hit(end.feature, start, at, skipped))
            if at < len(sentence) and sentence[at] in node.after:
                stack.append((node.after[sentence[at]], at + 1, skipped))
            if node.gap is not None:
                for to in range(at, min(at + GAP, len(sentence) - 1) + 1):
                    stack.append((node.gap, to, (*skipped, *range(at, to))))
    return hits
