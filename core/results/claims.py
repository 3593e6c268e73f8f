"""What a number may be called: a result, a score by rules, or a check of the pipeline that never has a winner."""

import math
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal
from typing import Literal

from core.agreement.comparing import TIE
from core.agreement.notes import Note
from core.agreement.winning import Pair

Claim = Literal["pipeline check", "by rules", "result"]
RULES = "rules"


def claim(judge_kind: str, engines: Iterable[str]) -> Claim:
    """What comparisons or ratings of sessions may be called.

    Args:
        judge_kind: kind of the rater that judged (``rules`` is the demo engine).
        engines: what made the judged sessions (``demo``, ``openai``, ``person``, ``imported``, ``mixed``).
    Returns:
        *pipeline check* where rules judge what rules said: they agree with themselves by construction, so no
        winner may be named. *by rules* where rules judge other sessions. *result* otherwise.
    """
    made = set(engines)
    if judge_kind == RULES:
        return "pipeline check" if made <= {"demo"} else "by rules"
    return "result"


def engine_of(judge_kind: str, engines: Iterable[str]) -> str:
    """The engine kind that a figure has to wear: ``demo`` as soon as rules judged, or spoke in, any of it.

    Args:
        engines: of the judged sessions, each as ``Held.made_by`` has it.
    """
    made = set(engines)
    if judge_kind == RULES or "demo" in made:
        return "demo"
    return made.pop() if len(made) == 1 else "mixed"


def verdict(pair: Pair, kind: Claim) -> Note:
    """The sentence over a pair's score; only a *result* whose interval excludes ½ names a preferred counselor."""
    values = {"a": pair.a, "b": pair.b, "score": short(pair.score), "roles": pair.roles}
    if not pair.roles:
        return Note("No role has half of its dimensions judged, so there is no score.")
    if kind == "pipeline check":
        return Note(
            "Pipeline check: the rules gave {a} a score of {score} against {b}. Rules judged what rules said, so "
            "this shows that the chain works and nothing about counselors.",
            **values,
        )
    if kind == "by rules":
        return Note(
            "The rules gave {a} a score of {score} against {b}. No model and no person judged this.", **values
        )
    if pair.decision == TIE:
        return Note("Even: {a} and {b} score alike over {roles} roles.", **values)
    if not pair.supported:
        return Note("Not decided: the interval of {a} against {b} holds one half.", **values)
    ahead, behind = (pair.a, pair.b) if pair.decision == pair.a else (pair.b, pair.a)
    return Note("{ahead} is preferred to {behind}.", ahead=ahead, behind=behind)


def rounded(value: float, digits: int = 2) -> str:
    """A number as it is written everywhere: halves away from zero (as browsers write them in tables), a minus sign, no −0."""
    text = str(Decimal(float(value)).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))
    return text.replace("-", "−") if float(text) else text.lstrip("-")


def short(value: float, digits: int = 2) -> str:
    """A share as it is written here: ``.72``, ``1.0``, ``–`` where there is none."""
    if not math.isfinite(value):
        return "–"
    text = rounded(value, digits)
    if abs(float(text.replace("−", "-"))) >= 1:
        return text[:-1] if digits == 2 and text.endswith("00") else text
    return text.replace("0.", ".", 1)
