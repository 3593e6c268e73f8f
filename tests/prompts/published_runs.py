"""Runs of words and characters, hashed, so that shipped wording can be held against published wording without its text.

``python -m tests.prompts.published_runs LINES.txt`` makes the list anew from published lines, one on each line: items,
guidelines and criteria of the papers in English; in Chinese their prompts, and close translations of what has appeared
in English only. The list is salted and cut short: it says whether a run is among them, and not what they say.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path

FILE = Path(__file__).with_name("published_runs.txt")
SALT = "published wording"
DIGITS = 8
WORDS = 5  # of English in a row
CHARACTERS = 8  # of Chinese in a row
SAME = {"counsellor": "counselor", "therapist": "counselor", "therapy": "counseling", "counselling": "counseling"}


def words(text: str) -> list[str]:
    """English words in lower case; the names of one and the same seat are one word."""
    found = re.findall(r"[a-z0-9]+(?:'[a-z]+)?", text.lower().replace("’", "'"))
    return [re.sub(r"^\w+", lambda word: SAME.get(word[0], word[0]), one) for one in found]


def characters(text: str) -> list[str]:
    return re.findall(r"[\u4e00-\u9fff]", text)


def runs(text: str) -> Iterator[str]:
    """Every run of a text: of five English words, of eight Chinese characters."""
    yield from (" ".join(run) for run in in_a_row(words(text), WORDS))
    yield from ("".join(run) for run in in_a_row(characters(text), CHARACTERS))


def in_a_row(parts: Sequence[str], length: int) -> Iterator[Sequence[str]]:
    return (parts[at : at + length] for at in range(len(parts) - length + 1))


def hashed(run: str) -> str:
    return sha256(f"{SALT}\n{run}".encode()).hexdigest()[:DIGITS]


def listed() -> frozenset[str]:
    return frozenset(FILE.read_text("ascii").split())


def make(lines: Iterable[str]) -> None:
    found = sorted({hashed(run) for line in lines for run in runs(line)})
    FILE.write_text("".join(f"{' '.join(found[at : at + 14])}\n" for at in range(0, len(found), 14)), "ascii")


if __name__ == "__main__":
    make(Path(sys.argv[1]).read_text("utf-8").splitlines())
