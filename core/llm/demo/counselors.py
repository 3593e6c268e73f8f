"""The demo engine's counselors: pure functions of the transcript, the seeded generator and the language."""

import random
from collections.abc import Callable, Mapping
from typing import Any

from core.llm.demo.counselor_advice import advice
from core.llm.demo.counselor_cpsycoun import cpsycoun
from core.llm.demo.counselor_hill import hill
from core.llm.demo.counselor_plain import plain
from core.llm.demo.counselor_talk import Talk, talk_of


def _seat(rules: Callable[[Talk], str]) -> Callable[[Mapping[str, Any], random.Random, str], str]:
    def answer(inputs: Mapping[str, Any], rng: random.Random, language: str) -> str:
        return rules(talk_of(inputs, rng, language))

    return answer


ANSWERS: dict[str, Callable[[Mapping[str, Any], random.Random, str], str]] = {
    "counselor/hill": _seat(hill),
    "counselor/plain": _seat(plain),
    "counselor/advice": _seat(advice),
    "counselor/cpsycoun": _seat(cpsycoun),
}
