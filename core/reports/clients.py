"""Noticing that a report speaks of two clients. Pure: rules over words (``prompts/reports/clients.yaml``).

One report is one case, so nothing is split here; a person is asked to look.
"""

import re
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from core.errors import DataError

FILE = Path(__file__).parents[2] / "prompts" / "reports" / "clients.yaml"
LONGEST = 20_000  # characters of a case that are looked at: clients are introduced early


@cache
def rules() -> dict[str, re.Pattern[str]]:
    """One pattern a rule; alternatives share the group that is compared."""
    read: dict[str, Any] = yaml.safe_load(FILE.read_text("utf-8"))
    return {name: either(read[name]) for name in ("numbered", "said", "introduced", "names")}


def either(patterns: list[str]) -> re.Pattern[str]:
    numbered = (one.replace("(?P<who>", f"(?P<who{n}>") for n, one in enumerate(patterns))
    return re.compile("|".join(f"(?:{one})" for one in numbered), re.IGNORECASE | re.MULTILINE)


def found_in(text: str) -> list[str]:
    """The words that speak of different clients; empty where there is one."""
    text = text[:LONGEST]
    if words := [found.group() for found in rules()["said"].finditer(text)]:
        return words[:1]
    for name in ("numbered", "introduced", "names"):
        differing = {who(found).casefold(): found.group().strip(" ，,、\n") for found in rules()[name].finditer(text)}
        if len(differing) > 1:
            return list(differing.values())[:3]
    return []


def who(found: re.Match[str]) -> str:
    """What differs between two clients in a match."""
    return next((said for said in found.groupdict().values() if said), found.group()).strip()


def remark(name: str, text: str) -> DataError | None:
    """The sentence that asks a person to look, or ``None``."""
    found = found_in(text)
    if not found:
        return None
    return DataError(
        "{name} seems to speak of more than one client ({found}). It was taken as one case; if these are two, save each "
        "in a file of its own. (Looked at: clients with a letter or number, people introduced with sex and age, blocks "
        "with a client's name, and words such as “both clients” or “couple therapy”.)",
        name=name, found=" · ".join(found),
    )  # fmt: skip
