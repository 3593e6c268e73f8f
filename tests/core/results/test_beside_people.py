"""What is read for a trust label, and the engine a figure wears."""

import numpy as np

from core import instruments
from core.agreement import resampling
from core.agreement.comparing import RoleScore
from core.agreement.winning import stage_scores
from core.results import claims, labels, reading, wins
from core.results.voices import JUDGES, Voice, voices
from storage import tables
from storage.store import Store
from tests import results_story as story


def dimensions() -> dict[str, list[str]]:
    used = instruments.load("wai-o-s")
    return {d.id: [item.id for item in used.items_of(d.id)] for d in used.dimensions}


def judge_of(store: Store, table: str = "rating") -> Voice:
    every = reading.ratings(store) if table == "rating" else reading.comparisons(store)
    return next(voice for voice in voices(every) if voice.kind in JUDGES)


def test_nothing_is_read_where_no_person_judged(store: Store) -> None:
    made = story.sessions(store, 3, story.COUNSELORS)
    story.rate(store, None, list(made.values()))
    story.compare(store, story.study(store), made)
    for table, instrument in (("rating", "wai-o-s"), ("comparison", "hill")):
        voice = judge_of(store, table)
        rows = reading.beside_people(store, table, instrument, voice.who, voice.version, voice.language)
        assert not len(rows) and reading.judged_by_rules(store, table, instrument, voice) == {True}


def test_the_label_of_what_people_rated_too_is_that_of_everything(store: Store) -> None:
    made = list(story.sessions(store, 40, ("Careful",)).values())
    story.rate(store, None, made)
    story.rate(store, None, made, rater="Another", seed=9)
    story.rate(store, None, made[:15], kind="person", rater="K-01", repeats=1, seed=3)
    story.rate(store, None, made[5:20], kind="person", rater="K-02", repeats=1, seed=4)
    every, voice = reading.ratings(store), judge_of(store)
    rows = reading.beside_people(store, "rating", "wai-o-s", voice.who, voice.version, voice.language)
    assert set(rows["session"]) == set(made[:20]) and set(rows["rater_kind"]) == {"rules", "person"} and "Another" not in set(rows["rater"])
    held = reading.sessions(store, made)
    scoring = instruments.load("wai-o-s").scoring
    whole = labels.rating_label(labels.rated(every, voice, dimensions(), scoring), held)
    assert whole.rules.state == "few" and whole == labels.rating_label(labels.rated(rows, voice, dimensions(), scoring), held)


def test_the_match_with_people_is_that_of_everything(store: Store) -> None:
    made = story.sessions(store, 12, story.COUNSELORS)
    some = {place: id for place, id in made.items() if place[0] < 6}
    story.compare(store, story.study(store), made)
    story.compare(store, story.study(store), made, judge="Another", seed=9)
    story.compare(store, story.study(store), some, kind="person", judge="K-01", seed=4, both=False)
    every, voice, held = reading.comparisons(store), judge_of(store, "comparison"), reading.sessions(store, made.values())
    rows = reading.beside_people(store, "comparison", "hill", voice.who, voice.version, voice.language)
    stages = {d.id: d.stage for d in instruments.load("hill").dimensions}
    assert len(rows) < len(every) and labels.asked(rows, voice, stages, held) == labels.asked(every, voice, stages, held)


def test_a_session_in_which_the_demo_engine_spoke_makes_a_figure_a_demo_one(store: Store) -> None:
    model = store.agents.add(tables.Agent(name="A model", seat="client", engine="openai", hash="hash model"))
    by_rules = story.counselor(store, "Careful", "demo")
    mixed, others = (
        store.sessions.add_with_turns(
            tables.Session(origin="simulated", engine="mixed", counselor_agent_id=counselor.id, client_agent_id=model.id), []
        ).id or 0
        for counselor in (by_rules, store.agents.add(tables.Agent(name="Another", seat="counselor", engine="openai", hash="hash other")))
    )  # fmt: skip
    held = reading.sessions(store, [mixed, others])
    assert claims.engine_of("model", [held[mixed].made_by]) == "demo" and claims.engine_of("rules", [held[others].made_by]) == "demo"
    assert claims.engine_of("model", [held[others].made_by]) == "mixed"
    assert claims.claim("rules", {one.engine for one in held.values()}) == "by rules"


def test_roles_are_drawn_once_for_a_seed_and_not_under_twenty() -> None:
    def scores(roles: int) -> dict[tuple[str, str], list[RoleScore]]:
        return {("a", "b"): [RoleScore(role, (role % 3) / 2, 1, 1) for role in range(roles)]}

    resampling._seeded.cache_clear()
    few, many = scores(19), scores(20)
    assert stage_scores(few, wins.SEED) == stage_scores(few, np.random.default_rng(wins.SEED))
    assert resampling._seeded.cache_info().currsize == 0
    for _ in range(3):
        assert stage_scores(many, wins.SEED) == stage_scores(many, np.random.default_rng(wins.SEED))
    assert resampling._seeded.cache_info().misses == 1
