"""A store as it stands after years: thousands of sessions of every origin, role cards, reports, and a judged study of them."""

import random
from itertools import pairwise, product

from core import instruments
from core.llm.agents import ensure_shipped
from storage import tables
from storage.store import Store

SECRET = "secret of the benchmark's researcher"
COUNSELORS = ("Careful", "Plainer", "Adviser")
ORIGINS = ("simulated", "simulated", "simulated", "live", "reconstructed", "imported")
ROLES, REPORTS, TURNS, PEOPLE, RATED_BY_PEOPLE, PAIRS = 500, 300, 6, 2, 60, 1000
TOPICS = ("career", "education", "family", "marriage")
SAID = ("I lie awake since they let half the team go.", "The nights sound like the hardest part.")
QUOTE = [{"text": SAID[1], "turn": 2, "start": 0, "end": 10, "status": "exact", "side": "for"}]


def fill(store: Store, sessions: int) -> int:
    """Sessions with turns, ratings of all of them and comparisons of some; returns the study's id. Rows are bulk-inserted."""
    from core.people import service

    ensure_shipped(store)
    service.begin(store, SECRET)
    chance = random.Random(7)
    agents = [store.agents.add(tables.Agent(name=name, seat="counselor", prompt="counselor/hill", hash=f"hash {name}")) for name in COUNSELORS]
    for number in range(ROLES):
        store.roles.add(tables.RoleCard(title=f"R-{number:04}", language=("en", "zh")[number % 2], text="A made-up client.", traits={"openness": "low"}))
    store.reports.add_many(
        tables.Report(title=f"Case {n}", case_brief=f"A case. {n}", language=("en", "zh")[n % 2], content_hash=f"hash {n}") for n in range(REPORTS)
    )
    store.sessions.add_many(a_session(n, agents, chance) for n in range(1, sessions + 1))
    turns = store.sessions.database
    add = "INSERT INTO turn (session_id, position, seat, text, stage, state, speaker, risk, created) VALUES (?, ?, ?, ?, '', 'complete', 'text', ?, '')"
    rows = [
        (n, at, ("client", "counselor")[(at - 1) % 2], f"{SAID[(at - 1) % 2]} ({n})", '[{"kind": "self-harm", "phrase": "lie awake"}]' if n % 50 == at == 1 else "[]")
        for n, at in product(range(1, sessions + 1), range(1, TURNS + 1))
    ]  # fmt: skip
    turns.write(lambda connection: connection.executemany(add, rows))
    study = store.studies.add(tables.Study(name="All of them", state="finished", started="2026-01-01T00:00:00.000+00:00")).id or 0
    rate(store, study, sessions, chance)
    compare(store, study, sessions, chance)
    return study


def a_session(n: int, agents: list[tables.Agent], chance: random.Random) -> tables.Session:
    origin = ORIGINS[n % len(ORIGINS)]
    here = origin in ("simulated", "live")
    return tables.Session(
        title=f"Session about {chance.choice(TOPICS)} {n}", origin=origin, language=("en", "zh")[n % 2], state="ended", topic=chance.choice(TOPICS),
        role_id=1 + n % ROLES if here else None, report_id=1 + n % REPORTS if origin == "reconstructed" else None,
        counselor_agent_id=agents[n % len(agents)].id if here else None, client_code="" if here else f"C-{n % 97:02}",
        counselor_code="" if here else f"T-{n % 13:02}", engine="imported" if origin == "imported" else "demo",
    )  # fmt: skip


def rate(store: Store, study: int, sessions: int, chance: random.Random) -> None:
    """Twelve items of each session by one judge, and of some by two people."""
    used = instruments.load("wai-o-s")
    raters = [(store.raters.ensure("rules", "Demo rater v1", "hash judge").id or 0, sessions, study)]
    raters += [(store.raters.ensure("person", f"Rater {n}").id or 0, RATED_BY_PEOPLE, None) for n in range(PEOPLE)]  # type: ignore[misc]
    for rater, most, of in raters:
        for begun in range(1, most + 1, 1000):
            store.ratings.add_many(
                tables.Rating(
                    study_id=of, rater_id=rater, session_id=session, instrument=used.id, instrument_version=used.version,
                    language=("en", "zh")[session % 2], item=item.id, value=(level := chance.choice(item.levels).value), score=level,
                    setting="detailed", reasoning="It stays close to what was said.", quotes=QUOTE,
                )
                for session in range(begun, min(most, begun + 999) + 1)
                for item in used.items
            )  # fmt: skip


def compare(store: Store, study: int, sessions: int, chance: random.Random) -> None:
    """Pairs of sessions on every dimension, in both orders."""
    hill, rater = instruments.load("hill"), store.raters.ensure("rules", "Demo rater v1", "hash judge").id or 0
    simulated = [n for n in range(1, sessions + 1) if ORIGINS[n % len(ORIGINS)] == "simulated"]
    pairs = list(pairwise(simulated))[:PAIRS]
    store.comparisons.add_many(
        tables.Comparison(
            study_id=study, rater_id=rater, first_id=first, second_id=second, role_id=1 + pair[0] % ROLES, instrument=hill.id,
            instrument_version=hill.version, language="en", dimension=dimension.id, verdict="won", winner_id=chance.choice(pair),
            reasoning="One reflects before it asks.", quotes=QUOTE,
        )
        for pair in pairs
        for dimension in hill.dimensions
        for first, second in (pair, pair[::-1])
    )  # fmt: skip
