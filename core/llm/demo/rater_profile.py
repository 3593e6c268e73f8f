"""Holding a client against its profile: which statements came up in the client's own turns, and with which sign."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from core.llm.demo.features import content_of, lexicon
from core.llm.demo.rater_scales import as_number, levels_of, nearest, weights
from core.llm.demo.rater_session import Turns
from core.llm.demo.text import is_chinese, sentences, tokens
from core.llm.demo.words import words

PARTS = {
    "persona": "personas",
    "beliefs": "beliefs",
    "motivation": "motivation",
    "acceptable_plans": "acceptable_plans",
}
SKIP = frozenset({"client", "clients", "来访", "访者"})


@dataclass(frozen=True)
class Told:
    """One sentence of a client: its words and whether it denies."""

    quote: str
    content: frozenset[str]
    denies: bool


@lru_cache(maxsize=512)
def client_sentences(turns: Turns) -> tuple[Told, ...]:
    """All sentences the client said."""
    found = []
    for seat, text in turns:
        if seat == "client":
            found += [_told(piece.text) for piece in sentences(text[:6000])]
    return tuple(found)


def _told(text: str) -> Told:
    language = "zh" if is_chinese(text) else "en"
    lexicon_ = lexicon(language)
    spoken = lexicon_.spoken(text)
    return Told(
        text[:220], content_of(tokens(text), language), any(token in lexicon_.negators for token in spoken)
    )


def statements(profile: Mapping[str, Any], item: str) -> list[str]:
    """The profile's statements for an item; none where the profile leaves the part empty."""
    given = profile.get(PARTS.get(item, item)) or profile.get(item) or []
    lines = [given] if isinstance(given, str) else [str(line) for line in given]
    return [
        line for line in lines if line.strip() and line.strip().lower() not in ("none", "none.", "无", "没有")
    ]


def rate_consistency(
    item: Mapping[str, Any], profile: Mapping[str, Any], turns: Turns, language: str
) -> dict[str, Any]:
    """How far the client's turns carry the profile's statements."""
    told, rules = words(language, "raters"), weights()["consistency"]
    wanted = [_told(line) for line in statements(profile, str(item["id"]))]
    if not wanted:
        return {"reasoning": told["no_profile"], "evidence": [], "counter_evidence": [], "rating": None}
    best = [_closest(line, client_sentences(turns), float(rules["touched"])) for line in wanted]
    touched = [(line, said) for line, said in zip(wanted, best, strict=True) if said is not None]
    against = [said for line, said in touched if line.denies != said.denies]
    agreeing = [said for line, said in touched if line.denies == said.denies]
    share = len(agreeing) / len(wanted)
    level = nearest(_level(share, len(touched), len(against), rules), levels_of(item))
    return {
        "reasoning": _reasoning(told, rules, len(wanted), len(touched), len(against), level),
        "evidence": _quotes(against if level < 3 else agreeing)[:3],
        "counter_evidence": _quotes(agreeing if level < 3 else against)[:2],
        "rating": level,
    }


def _closest(line: Told, said: Sequence[Told], least: float) -> Told | None:
    """The client's sentence that shares most of a statement's words, if it shares enough."""
    wanted = line.content - SKIP
    if not wanted or not said:
        return None
    best = max(said, key=lambda told: len(wanted & told.content))
    return best if len(wanted & best.content) >= max(1.0, least * len(wanted)) else None


def _level(share: float, touched: int, against: int, rules: Mapping[str, Any]) -> float:
    if not touched:
        return float(rules["untouched"])
    if against and against >= touched - against:
        return float(rules["contradicted"]["more" if against > 1 else "one"])
    fitting = [float(level) for level, least in rules["levels"].items() if share >= least]
    return (max(fitting) if fitting else float(rules["untouched"])) - (1.0 if against and fitting else 0.0)


def _reasoning(
    told: Mapping[str, Any], rules: Mapping[str, Any], n: int, touched: int, against: int, level: float
) -> str:
    if not touched:
        return str(told["profile_untouched"]).format(all=n, level=as_number(level))
    said = str(told["profile_touched"]).format(all=n, touched=touched, share=f"{rules['touched']:.0%}")
    return said + (str(told["gap"]) + str(told["profile_contradicted"]).format(n=against) if against else "")


def _quotes(said: Sequence[Told]) -> list[str]:
    return list(dict.fromkeys(line.quote for line in said if len(line.quote) > 1))
