"""A judged study in the store, made of rows: roles × counselors, comparisons in both orders, ratings in repeats."""

import random
from collections.abc import Sequence
from itertools import combinations

from core import instruments
from storage import tables
from storage.store import Store

COUNSELORS = ("Careful", "Plainer", "Adviser")
SAID = ("I lie awake since they let half the team go.", "The nights sound like the hardest part.")


def counselor(store: Store, name: str, engine: str) -> tables.Agent:
    found = store.agents.find(name=name)
    return found or store.agents.add(
        tables.Agent(name=name, seat="counselor", engine=engine, prompt="counselor/hill", hash=f"hash {name}")
    )


def sessions(
    store: Store, roles: int, names: Sequence[str], engine: str = "demo"
) -> dict[tuple[int, str], int]:
    """One session for each role (from 0) and counselor; gives their ids."""
    made = {}
    agents = {name: counselor(store, name, engine) for name in names}
    for role in range(roles):
        title = f"R-{role:03}"
        card = store.roles.find(title=title) or store.roles.add(tables.RoleCard(title=title))
        for name, agent in agents.items():
            session = tables.Session(
                title=f"{title} {name}", origin="simulated", role_id=card.id, counselor_agent_id=agent.id,
                engine=engine, clearance=3, topic=("career", "education")[role % 2],
            )  # fmt: skip
            turns = [
                tables.Turn(
                    session_id=0,
                    position=at,
                    seat=("client", "counselor")[(at - 1) % 2],
                    text=f"{SAID[(at - 1) % 2]}",
                )
                for at in range(1, 5)
            ]
            made[role, name] = store.sessions.add_with_turns(session, turns).id or 0
    return made


def study(store: Store, name: str = "Three counselors", engine: str = "demo") -> int:
    return store.studies.add(tables.Study(name=name, state="finished", engine=engine)).id or 0


def compare(
    store: Store, study_id: int, held: dict[tuple[int, str], int], *, kind: str = "rules", judge: str = "Demo rater v1",
    seed: int = 1, unreadable: float = 0.0, noise: float = 0.15, both: bool = True,
) -> None:  # fmt: skip
    """Comparisons on Hill's nine dimensions; earlier counselors in ``COUNSELORS`` usually win."""
    rng, hill = random.Random(seed), instruments.load("hill")
    rater = store.raters.ensure(kind, judge, f"hash {judge}" if kind in ("rules", "model") else "")
    rows = []
    for role in sorted({role for role, _ in held}):
        for a, b in combinations(dict.fromkeys(name for _, name in held), 2):
            for dimension in hill.dimensions:
                better = held[role, a] if rng.random() < 0.85 else held[role, b]
                pair = (held[role, a], held[role, b])
                for first, second in (pair, pair[::-1]) if both else (pair,):
                    draw = rng.random()
                    verdict = (
                        "unscored" if draw < unreadable else "tie" if draw < unreadable + noise else "won"
                    )
                    rows.append(
                        tables.Comparison(
                            study_id=study_id, rater_id=rater.id or 0, first_id=first, second_id=second, role_id=role + 1,
                            instrument="hill", instrument_version=hill.version, language="en", dimension=dimension.id,
                            verdict=verdict, winner_id=better if verdict == "won" else None,
                            reasoning="One reflects before it asks.", reason="" if verdict != "unscored" else "no JSON",
                            quotes=[{"text": SAID[1], "turn": 2, "start": 0, "end": 10, "status": "exact", "side": "for", "session": better}],
                        )
                    )  # fmt: skip
    store.comparisons.add_many(rows)


def rate(
    store: Store, study_id: int | None, session_ids: Sequence[int], *, kind: str = "rules", rater: str = "Demo rater v1",
    repeats: int = 3, seed: int = 2, instrument: str = "wai-o-s", noise: float = 0.6, unscored: float = 0.0,
) -> None:  # fmt: skip
    """Ratings of all items; each session has a quality of its own that all raters see, more or less."""
    rng, scale = random.Random(seed), instruments.load(instrument)
    who = store.raters.ensure(kind, rater, f"hash {rater}" if kind in ("rules", "model") else "")
    rows = []
    for session in session_ids:
        quality = random.Random(session).gauss(3.3, 0.9)
        for item in scale.items:
            levels = [level.value for level in item.levels]
            for repeat in range(1, repeats + 1):
                wanted = quality + rng.gauss(0, noise)
                value = min(levels, key=lambda level: abs(level - wanted))
                missing = rng.random() < unscored
                rows.append(
                    tables.Rating(
                        study_id=study_id, rater_id=who.id or 0, session_id=session, instrument=instrument,
                        instrument_version=scale.version, language="en", setting="reasoning" if kind in ("rules", "model") else "",
                        item=item.id, repeat=repeat, value=None if missing else value,
                        score=None if missing else scale.scored(item.id, value), reason="no JSON" if missing else "",
                        reasoning="They name what they work on.",
                        quotes=[{"text": SAID[1], "turn": 2, "start": 0, "end": 10, "status": "exact", "side": "for"}],
                    )
                )  # fmt: skip
    store.ratings.add_many(rows)
