"""Comparing two sessions on one dimension: the higher balance wins, whatever letter it stands under."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

from core.llm.demo.rater_scales import Balance, balance, counted, quotes, weights
from core.llm.demo.rater_session import Observed, observe, turns_of
from core.llm.demo.words import words

CPSYCOUN = {"comprehensiveness": "1", "professionalism": "2", "authenticity": "3", "safety": "4"}


def compare(inputs: Mapping[str, Any], rng: random.Random, language: str) -> dict[str, Any]:
    """``judge/compare``: the session with the higher balance, or a tie within the margin; order counts for nothing."""
    rules, told = weights(), words(language, "raters")
    mixes, known = _dimension_mixes(inputs["dimension"])
    seen = {letter: observe(turns_of(inputs[letter.lower()]["turns"])) for letter in ("A", "B")}
    found = {letter: merged([balance(mix, seen[letter]) for mix in mixes]) for letter in seen}
    margin, difference = float(rules["tie"]), found["A"].value - found["B"].value
    verdict = "tie" if abs(difference) < margin else ("A" if difference > 0 else "B")
    said = [] if known else [str(told["by_stage"])]
    said.append(str(told["compare"]).format(**_sides(found, seen, language)))
    size = f"{abs(difference):.2f}"
    said.append(
        str(told["tie"] if verdict == "tie" else told["winner"]).format(
            winner=verdict, difference=size, margin=margin
        )
    )
    return {
        "reasoning": str(told["gap"]).join(said),
        "evidence": _compared_quotes(found, seen),
        "verdict": verdict,
    }


def _dimension_mixes(dimension: Mapping[str, Any]) -> tuple[list[Mapping[str, Any]], bool]:
    """The mixes of a dimension; of a metric of CPsyCoun all criteria; of an unknown one those of its stage."""
    rules, name = weights(), str(dimension["id"])
    if name in rules["hill"]:
        return [rules["hill"][name]], True
    number = CPSYCOUN.get(name, name.split(".")[0])
    criteria = [mix for key, mix in rules["cpsycoun"].items() if key == name or key.split(".")[0] == number]
    if criteria:
        return criteria, True
    stages = rules["stages"].get(str(dimension.get("stage", "")).lower()) or list(rules["hill"])
    return [rules["hill"][key] for key in stages], False


def merged(found: Sequence[Balance]) -> Balance:
    """The mean of several balances."""
    favour = sorted((p for one in found for p in one.favour), key=lambda p: (-p.share, p.feature))
    against = sorted((p for one in found for p in one.against), key=lambda p: (-p.share, p.feature))
    return Balance(tuple(favour), tuple(against), sum(one.value for one in found) / len(found))


def _sides(found: Mapping[str, Balance], seen: Mapping[str, Observed], language: str) -> dict[str, str]:
    told, said = words(language, "raters"), {}
    for letter, one in found.items():
        parts = (*one.favour, *one.against)
        said[letter.lower()] = counted(parts, seen[letter], language) if parts else str(told["nothing"])
        said[f"balance_{letter.lower()}"] = f"{one.value:+.2f}"
    return said


def _compared_quotes(found: Mapping[str, Balance], seen: Mapping[str, Observed]) -> list[dict[str, str]]:
    """Two quotes for and one against each session."""
    evidence = []
    for letter, one in found.items():
        for side, parts, most in (("for", one.favour, 2), ("against", one.against, 1)):
            evidence += [
                {"session": letter, "quote": quote, "side": side}
                for quote in quotes(parts, seen[letter], most)
            ]
    return evidence
