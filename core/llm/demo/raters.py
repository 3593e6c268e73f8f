"""The demo raters: they count what can be observed, weigh it with fixed weights and quote the turns they counted.

The anchors' words are not read; the weights stand for them (``prompts/demo/weights.yaml``), so the setting
(none, general, detailed, reasoning) changes nothing. Length, order and letters count for nothing by themselves.
"""

import math
import random
from collections.abc import Mapping, Sequence
from typing import Any

from core.llm.demo.rater_compare import CPSYCOUN, compare
from core.llm.demo.rater_profile import rate_consistency
from core.llm.demo.rater_risk import rate_risk
from core.llm.demo.rater_scales import (
    MOST_AGAINST,
    MOST_FOR,
    Balance,
    as_number,
    balance,
    counted,
    levels_of,
    looked_for,
    nearest,
    placed,
    quotes,
    weights,
)
from core.llm.demo.rater_session import Observed, Turns, observe, observe_last, turns_of
from core.llm.demo.words import words

MIDDLE = ("middle", "evidence")  # scales whose middle means: no evidence
SAMPLED = 0.8  # the share of turns a repeat reads
ALLIANCE = {
    "goal": ("Q1", "Q2", "Q3", "Q4"),
    "approach": ("Q5", "Q6", "Q7", "Q8"),
    "bond": ("Q9", "Q10", "Q11", "Q12"),
}


def sampled(turns: Turns, rng: random.Random) -> Turns:
    """A seeded four fifths of the turns, in order."""
    if len(turns) < 2:
        return turns
    kept = sorted(rng.sample(range(len(turns)), max(1, math.floor(SAMPLED * len(turns) + 0.5))))
    return tuple(turns[at] for at in kept)


def mix_of(instrument: str, item: Mapping[str, Any]) -> tuple[Mapping[str, Any], str] | None:
    """The features an item is rated by, and where its scale starts; ``None`` for an item the rules do not know."""
    rules, name, dimension = weights(), str(item["id"]), str(item.get("dimension", ""))
    if instrument.startswith("wai") or (name in rules["alliance"] and dimension in ALLIANCE):
        return (rules["alliance"][name], "evidence") if name in rules["alliance"] else None
    if instrument.startswith("cpsycoun"):
        own = rules["cpsycoun_extrinsic"] if "extrinsic" in instrument else {}
        found = own.get(name) or rules["cpsycoun"].get(name)
        return (found, str(found["start"])) if found else None
    part = {"client-realism": "realism", "client-receptivity": "receptivity"}.get(instrument)
    return (rules["client"][part], "middle") if part else None


def rate_item(inputs: Mapping[str, Any], rng: random.Random, language: str) -> dict[str, Any]:
    """``judge/item``."""
    turns, note = _read(inputs, rng, language)
    return _rated(inputs, inputs["item"], turns, note, language)


def rate_instrument(inputs: Mapping[str, Any], rng: random.Random, language: str) -> dict[str, Any]:
    """``judge/instrument``: every item from one reading of the session."""
    turns, note = _read(inputs, rng, language)
    return {
        "ratings": [
            {"item": item["id"], **_rated(inputs, item, turns, note, language)} for item in inputs["items"]
        ]
    }


def _read(inputs: Mapping[str, Any], rng: random.Random, language: str) -> tuple[Turns, str]:
    """The turns to read, and for a repeat the sentence that says how many they are."""
    turns, repeat = turns_of(inputs["turns"]), int(inputs.get("sample") or 0)
    if not repeat or not turns:
        return turns, ""
    kept = sampled(turns, rng)
    told = words(language, "raters")
    return kept, str(told["sample"]).format(kept=len(kept), all=len(turns), repeat=repeat) + str(told["gap"])


def _rated(
    inputs: Mapping[str, Any], item: Mapping[str, Any], turns: Turns, note: str, language: str
) -> dict[str, Any]:
    instrument, told = str(inputs["instrument"]), words(language, "raters")
    if not turns:
        return _silent(item, told["no_turns"], item.get("no_evidence"))
    if instrument == "client-consistency":
        found = rate_consistency(item, inputs.get("profile") or {}, turns, language)
    elif instrument == "risk":
        found = rate_risk(item, turns, language)
    elif instrument.endswith("-holistic"):
        found = _holistic(instrument, item, turns, language)
    else:
        found = _by_mix(instrument, item, turns, language)
    return {**found, "reasoning": note + str(found["reasoning"])}


def _silent(item: Mapping[str, Any], reasoning: str, rating: float | None) -> dict[str, Any]:
    return {"reasoning": reasoning, "evidence": [], "counter_evidence": [], "rating": rating}


def _seen(instrument: str, turns: Turns) -> Observed:
    """The whole session; for the extrinsic form only the answer at its end, against the history."""
    return observe_last(turns) if "extrinsic" in instrument else observe(turns)


def _by_mix(instrument: str, item: Mapping[str, Any], turns: Turns, language: str) -> dict[str, Any]:
    known, told = mix_of(instrument, item), words(language, "raters")
    if known is None:
        return _silent(item, str(told["unknown"]), None)
    mix, start = known
    seen = _seen(instrument, turns)
    found = balance(mix, seen)
    value = placed(found, start, item)
    if found.silent:
        key = "silent" if start in MIDDLE else f"silent_{start}"
        value = value if start == "high" else _without_evidence(item, value)
        text = str(told[key]).format(features=looked_for(mix, language), level=as_number(value))
        return _silent(item, text, value)
    evidence = quotes(_side(found, start), seen, MOST_FOR)
    return {
        "reasoning": _reasoning(found, start, value, item, seen, language),
        "evidence": evidence,
        "counter_evidence": quotes(_other_side(found, start), seen, MOST_AGAINST, evidence),
        "rating": value,
    }


def _without_evidence(item: Mapping[str, Any], value: float) -> float:
    given = item.get("no_evidence")
    return value if given is None else float(given)


def _side(found: Balance, start: str) -> Sequence[Any]:
    """What supports the value given: the stronger side."""
    if start == "high":
        return found.against
    return found.favour if found.value >= 0 else found.against


def _other_side(found: Balance, start: str) -> Sequence[Any]:
    if start == "high":
        return found.favour
    return found.against if found.value >= 0 else found.favour


def _reasoning(
    found: Balance, start: str, value: float, item: Mapping[str, Any], seen: Observed, language: str
) -> str:
    told = words(language, "raters")
    said = []
    if found.favour:
        said.append(str(told["favour"]).format(counts=counted(found.favour, seen, language)))
    if found.against:
        said.append(str(told["against"]).format(counts=counted(found.against, seen, language)))
    if start in MIDDLE:
        said.append(str(told["level"]).format(balance=f"{found.value:+.2f}", level=as_number(value)))
    else:
        high = as_number(levels_of(item)[-1])
        said.append(
            str(told["level_low"]).format(balance=f"{found.value:.2f}", level=as_number(value), high=high)
        )
    if item.get("reversed"):
        said.append(str(told["reversed"]))
    return str(told["gap"]).join(said)


def _holistic(instrument: str, item: Mapping[str, Any], turns: Turns, language: str) -> dict[str, Any]:
    """One number for a metric: the sum of its criteria, each from its own mix."""
    told, seen = words(language, "raters"), _seen(instrument, turns)
    number = CPSYCOUN.get(str(item["id"]), str(item["id"]))
    shares, parts, lines = [], [], []
    for name in weights()["cpsycoun"]:
        known = mix_of(instrument, {"id": name}) if name.split(".")[0] == number else None
        if known is None:
            continue
        found = balance(known[0], seen)
        share = 1.0 + min(0.0, found.value) if known[1] == "high" else max(0.0, found.value)
        shares.append((share, float(known[0].get("points", 1))))
        parts += [*found.favour, *found.against]
        lines.append(f"{name}: {share:.2f}")
    if not shares:
        return _silent(item, str(told["unknown"]), None)
    levels = levels_of(item)
    earned = sum(share * points for share, points in shares) / sum(points for _, points in shares)
    best = sorted(parts, key=lambda part: (-part.share, part.feature))
    return {
        "reasoning": str(told["joint"]).join(lines) + str(told["stop"]),
        "evidence": quotes(best, seen, MOST_FOR),
        "counter_evidence": [],
        "rating": nearest(levels[0] + earned * (levels[-1] - levels[0]), levels),
    }


ANSWERS = {"judge/item": rate_item, "judge/instrument": rate_instrument, "judge/compare": compare}
