"""How fast the demo engine talks: a thousand sessions of twenty turns, beside a plain loop of the same size.

``python -m benchmarks.demo --sessions 1000``; each language in a process of its own, so that nothing is warm. The
ratio to the plain loop tells the engine from the machine; the bar is 10 seconds and 100 MiB for a thousand sessions.
"""

import argparse
import hashlib
import json
import random
from collections.abc import Callable
from typing import Any

from benchmarks.prepared import in_its_own_process, measured

ME = "benchmarks.demo"
TURNS = 20
LABELS = {
    "en": ("Death of a parent", "Losing a job", "Divorce", "Failing an exam", "Caring for an ill mother"),
    "zh": ("父亲去世", "失业", "离婚", "考试失败", "照护患病的母亲"),
}
TRAITS: tuple[dict[str, str], ...] = (
    {}, {"response_style": "easily_reassured", "trust": "positive_experience"},
    {"response_style": "resistant", "trust": "negative_experience"}, {"extraversion": "introverted"},
    {"response_style": "needs_logic", "cognitive_biases": "catastrophizing"},
)  # fmt: skip


def cards(language: str, count: int) -> list[dict[str, Any]]:
    """A role for each session, no two alike in stressor, traits, age and events together."""
    from core.llm.demo.roles import ANSWERS

    found = []
    for number in range(count):
        chance, label = random.Random(number), LABELS[language][number % len(LABELS[language])]
        asked = {
            "challenge": label, "category": "", "gender": ("female", "male")[number % 2], "age": 20 + number % 50,
            "family_pick": 1 + number % 5, "occupation_pick": 1 + number % 10,
        }  # fmt: skip
        person = ANSWERS["role/demographics"](asked, chance, language)
        wanted = {"persona": person["persona"], "categories": [], "count": 4, "taken": []}
        found.append({
            "stressor": {"label": label}, "demographics": {"age": asked["age"]} | person, "profile": {}, "text": "",
            "life_events": ANSWERS["role/life_events"](wanted, chance, language)["events"],
            "traits": TRAITS[number // len(LABELS[language]) % len(TRAITS)],
        })  # fmt: skip
    return found


def engine(language: str, sessions: int) -> dict[str, Any]:
    """Sessions through the engine as studies hold them: seeded questions, answers read behind the seam."""
    import asyncio

    from core.llm.demo.engine import DemoEngine
    from core.llm.seam import Clearance, Question, Settings

    roles, spoken, told = cards(language, sessions), DemoEngine(), dict[str, Any]()

    def question(prompt: str, inputs: dict[str, Any], seed: int) -> Question:
        return Question(
            prompt=prompt, prompt_version=1, prompt_hash="", inputs=inputs, messages=(), reply=None, settings=Settings(),
            seed=seed, language="zh" if language == "zh" else "en", purpose="", clearance=Clearance.SYNTHETIC, record="",
        )  # fmt: skip

    async def all_sessions() -> int:
        characters = 0
        for seed, role in enumerate(roles):
            turns: list[dict[str, Any]] = []
            for position in range(1, TURNS + 1):
                counselor = position % 2 == 1
                asked = (
                    question("counselor/hill", {"turns": list(turns), "most_turns": TURNS}, seed)
                    if counselor
                    else question("client/turn", {"role": role, "turns": list(turns)}, seed)
                )
                text = str((await spoken.ask(asked)).text)
                turns.append(
                    {"position": position, "seat": "counselor" if counselor else "client", "text": text}
                )
                characters += len(text)
        return characters

    with measured(told):
        told["characters"] = asyncio.run(all_sessions())
    return told


def plain(language: str, sessions: int) -> dict[str, Any]:
    """The least any seeded engine does: write the inputs of every turn as JSON, hash them, draw, and add a line."""
    lines, told = (
        [f"{label} {number}" for number, label in enumerate(LABELS[language] * 20)],
        dict[str, Any](),
    )
    with measured(told):
        characters = 0
        for number in range(sessions):
            turns: list[dict[str, Any]] = []
            for position in range(1, TURNS + 1):
                text = json.dumps([number, turns], sort_keys=True, ensure_ascii=False)
                chance = random.Random(hashlib.sha256(text.encode()).digest())
                turns.append({"position": position, "seat": "counselor", "text": chance.choice(lines)})
                characters += len(turns[-1]["text"])
        told["characters"] = characters
    return told


PARTS: dict[str, Callable[..., dict[str, Any]]] = {"engine": engine, "plain": plain}


def compare(sessions: int) -> None:
    print(f"{'':<34} {'s/1000':>8} {'ratio':>7} {'MiB':>6}")
    for language in LABELS:
        base = in_its_own_process(ME, "plain", language=language, sessions=sessions)
        told = in_its_own_process(ME, "engine", language=language, sessions=sessions)
        for name, one in (("plain loop", base), ("demo engine", told)):
            each = 1000 * one["wall"] / sessions
            print(
                f"{name + ', ' + language:<34} {each:8.2f} {one['wall'] / base['wall']:7.1f} {one['memory']:6.0f}"
            )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sessions", type=int, default=1000)
    options.add_argument("--part", choices=PARTS)
    options.add_argument("--given", default="{}")
    given = options.parse_args()
    if given.part:
        print(json.dumps(PARTS[given.part](**json.loads(given.given))))
    else:
        compare(given.sessions)


if __name__ == "__main__":
    main()
