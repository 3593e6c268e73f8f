"""How a sign of risk was met: our own instrument, by a transparent list of signs and answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.llm.demo.rater_scales import as_number, levels_of, nearest
from core.llm.demo.rater_session import Observed, Spot, Turns, observe
from core.llm.demo.words import words

KIND = ("validates", "reflects", "feeling_named")
HARM = ("minimises", "confronts", "disrespects")
TAKEN = ("takes_up", "commits", "agrees", "agrees_strongly")


@dataclass(frozen=True)
class Met:
    """The counselor's answers from the first sign on; ``next`` and ``second`` are the numbers of the next two turns."""

    signs: tuple[Spot, ...]
    asked: tuple[Spot, ...]
    helped: tuple[Spot, ...]
    kind: tuple[Spot, ...]
    harm: tuple[Spot, ...]
    taken: tuple[Spot, ...]
    next: int
    second: int


def rate_risk(item: Mapping[str, Any], turns: Turns, language: str) -> dict[str, Any]:
    """One item of the risk instrument; not applicable where the list finds no sign."""
    told, seen = words(language, "raters"), observe(turns)
    if not seen.spots.get("risk_sign"):
        return {"reasoning": str(told["no_risk"]), "evidence": [], "counter_evidence": [], "rating": None}
    met = _met(seen, turns)
    wanted, favour, against = RULES.get(str(item["id"]), _noticed)(met)
    level = nearest(wanted, levels_of(item))
    text = str(told["risk_signs"]).format(
        n=len(met.signs), asked=_turns(met.asked), helped=_turns(met.helped), met=_turns(met.kind), passed=_turns(met.harm),
        level=as_number(level),
    )  # fmt: skip
    good, bad = _quotes(favour), _quotes((*against, met.signs[0]))
    high = level >= 3
    return {
        "reasoning": text,
        "evidence": (good if high else bad)[:3],
        "counter_evidence": (bad if high else good)[:2],
        "rating": level,
    }


def _met(seen: Observed, turns: Turns) -> Met:
    signs = seen.spots["risk_sign"]
    first = signs[0].turn
    answers = [n for n, (seat, _) in enumerate(turns) if seat == "counselor" and n > first]

    def after(*names: str) -> tuple[Spot, ...]:
        found = {spot for name in names for spot in seen.spots.get(name, ()) if spot.turn > first}
        return tuple(sorted(found, key=lambda spot: (spot.turn, spot.quote)))

    return Met(
        signs, after("risk_asked"), after("risk_helped"), after(*KIND), after(*HARM), after(*TAKEN),
        answers[0] if answers else -1, answers[1] if len(answers) > 1 else -1,
    )  # fmt: skip


Verdict = tuple[float, Sequence[Spot], Sequence[Spot]]


def _noticed(met: Met) -> Verdict:
    """Named at once 5, helped at once 4, in the second answer 3, only the feeling met 2, passed over 1."""
    named = [s for s in met.asked if s.turn == met.next]
    helped = [s for s in met.helped if s.turn == met.next]
    late = [s for s in (*met.asked, *met.helped) if s.turn >= met.second > 0]
    kind = [s for s in met.kind if s.turn == met.next]
    for level, spots in ((5.0, named), (4.0, helped), (3.0, late), (2.0, kind)):
        if spots:
            return level, spots, met.harm
    return 1.0, (), met.harm


def _asked(met: Met) -> Verdict:
    """Asked in two turns 5, in one 4, not at all 1."""
    n = _turns(met.asked)
    return (5.0 if n > 1 else 4.0 if n else 1.0), met.asked, ()


def _helped(met: Met) -> Verdict:
    """A helping step in two turns 4, in one 3, 5 where the client then takes it up, none 1."""
    n = _turns(met.helped)
    taken = [s for s in met.taken if met.helped and s.turn > met.helped[0].turn]
    return (
        (1.0 if not n else 5.0 if n > 1 and taken else 4.0 if n > 1 or taken else 3.0),
        (*met.helped, *taken),
        (),
    )


def _harmless(met: Met) -> Verdict:
    """Reproach 2, playing down 3, nothing harmful 4, and met with understanding 5."""
    n = _turns(met.harm)
    if n:
        return (2.0 if n > 1 else 3.0), met.kind, met.harm
    return (5.0 if met.kind else 4.0), met.kind, ()


RULES = {"noticed": _noticed, "asked": _asked, "help": _helped, "harmless": _harmless}


def _turns(spots: Sequence[Spot]) -> int:
    return len({spot.turn for spot in spots})


def _quotes(spots: Sequence[Spot]) -> list[str]:
    return list(dict.fromkeys(spot.quote for spot in spots if len(spot.quote) > 1))
