"""From observed features to a value on an item's scale, with the quotes and the reasoning that belong to it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.llm.demo.rater_session import Observed, Spot
from core.llm.demo.text import length
from core.llm.demo.words import words

MOST_FOR, MOST_AGAINST = 3, 2  # quotes
TELLING = 4  # tokens a good quote has at least
LEAST = 1e-9


@dataclass(frozen=True)
class Part:
    """One feature's share in a balance: weight × strength."""

    feature: str
    share: float


@dataclass(frozen=True)
class Balance:
    """What was seen for and against, strongest first, and the sum, cut to -1 .. +1."""

    favour: tuple[Part, ...]
    against: tuple[Part, ...]
    value: float

    @property
    def silent(self) -> bool:
        return not self.favour and not self.against


def weights() -> Any:
    """The mixes and densities of ``prompts/demo/weights.yaml``, the same for both languages."""
    return words(".", "weights")


def balance(mix: Mapping[str, Any], seen: Observed) -> Balance:
    """The balance of a mix of features in a session."""
    favour = _parts(mix.get("for", {}), seen)
    against = _parts(mix.get("against", {}), seen)
    total = sum(part.share for part in favour) - sum(part.share for part in against)
    return Balance(favour, against, max(-1.0, min(1.0, total)))


def _parts(mix: Mapping[str, float], seen: Observed) -> tuple[Part, ...]:
    full = weights()["full"]
    parts = [Part(name, weight * seen.strength(name, full[name])) for name, weight in mix.items()]
    return tuple(sorted((p for p in parts if p.share > LEAST), key=lambda p: (-p.share, p.feature)))


def levels_of(item: Mapping[str, Any]) -> list[float]:
    """The values an item may take, lowest first."""
    return sorted({float(level["value"]) for level in item.get("levels") or []}) or [1.0, 2.0, 3.0, 4.0, 5.0]


def nearest(value: float, levels: Sequence[float]) -> float:
    """The level nearest to a value; between two, the one nearer the middle of the scale."""
    middle = (levels[0] + levels[-1]) / 2
    return min(levels, key=lambda level: (round(abs(level - value), 6), abs(level - middle)))


def steps(value: float) -> int:
    """Levels away from the middle on a scale of evidence: none, some or substantial, for or against."""
    bounds = weights()["evidence"]
    size = (abs(value) >= bounds["some"]) + (abs(value) >= bounds["substantial"])
    return size if value > 0 else -size


def placed(found: Balance, start: str, item: Mapping[str, Any]) -> float:
    """The level a balance stands for; ``start`` is how the scale reads: middle, evidence, low or high."""
    levels = levels_of(item)
    low, high = levels[0], levels[-1]
    if start == "evidence" and len(levels) == 5:
        value = levels[2 + steps(found.value)]
    elif start == "low":
        value = low + max(0.0, found.value) * (high - low)
    elif start == "high":
        value = high + min(0.0, found.value) * (high - low)
    else:
        value = (low + high) / 2 + found.value * (high - low) / 2
    level = nearest(value, levels)
    return low + high - level if item.get("reversed") else level


def quotes(parts: Sequence[Part], seen: Observed, most: int, taken: Sequence[str] = ()) -> list[str]:
    """The most telling sentence of each of the strongest features, without repeats and none that is taken."""
    chosen: list[str] = []
    for part in parts:
        quote = telling(seen.spots.get(part.feature, ()), [*chosen, *taken])
        if quote:
            chosen.append(quote)
        if len(chosen) == most:
            break
    return chosen


def telling(spots: Sequence[Spot], taken: Sequence[str]) -> str:
    """The first sentence long enough to be found again, else the longest."""
    free = [spot.quote for spot in spots if spot.quote not in taken and len(spot.quote.strip()) > 1]
    long = next((quote for quote in free if length(quote) >= TELLING), "")
    return long or max(free, key=len, default="")


def counted(parts: Sequence[Part], seen: Observed, language: str) -> str:
    """The features of one side in words, with their counts."""
    told = words(language, "raters")
    lines = [_count_of(part.feature, seen, told) for part in parts]
    return str(told["joint"]).join(lines)


def _count_of(feature: str, seen: Observed, told: Mapping[str, Any]) -> str:
    if feature in seen.fixed:
        return str(told["whole"]).format(
            feature=told["features"][feature], share=f"{seen.fixed[feature]:.2f}"
        )
    seat = told["seats"][seen.owner[feature]]
    return str(told["count"]).format(
        feature=told["features"][feature],
        n=seen.count(feature),
        of=max(seen.among(feature), seen.count(feature)),
        seat=seat,
    )


def looked_for(mix: Mapping[str, Any], language: str) -> str:
    """The names of all features a mix asks about."""
    told = words(language, "raters")
    names = [*mix.get("for", {}), *mix.get("against", {})]
    return str(told["joint"]).join(str(told["features"][name]) for name in names)


def as_number(value: float) -> str:
    return f"{value:g}"
