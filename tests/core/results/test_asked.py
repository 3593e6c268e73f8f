"""What is counted is counted against what was asked: dimensions, calls that failed, planned repeats; one role is one role."""

from typing import Any

import pytest

from core import instruments
from core.results import asked, reading, wins
from core.results.scores import item_values
from core.results.voices import of_voice, voices
from storage import tables, units
from storage.store import Store
from tests import results_story as story


def stages() -> dict[str, str]:
    return {d.id: d.stage for d in instruments.load("hill").dimensions}


def one_each() -> list[str]:
    """The first dimension of each stage."""
    return [next(d for d, own in stages().items() if own == stage) for stage in dict.fromkeys(stages().values())]


def judged(store: Store, roles: int, dimensions: list[str], study: int | None = None) -> tuple[int, dict[tuple[int, str], int]]:
    made = story.sessions(store, roles, ("Careful", "Plainer"))
    study = study or story.study(store)
    story.compare(store, study, made, kind="model", judge="judge")
    for row in store.comparisons.rows(study_id=study):
        if row["dimension"] not in dimensions:
            gone(store, row["id"])
    units.change(store, "UPDATE comparison SET way = 'item', prompt = 'judge/compare', prompt_version = 1 WHERE study_id = :study", {"study": study})
    return study, made


def test_a_study_of_one_dimension_a_stage_has_scores_over_all_its_roles(store: Store) -> None:
    study, made = judged(store, 12, one_each())
    contest = wins.contest(reading.comparisons(store, study), reading.sessions(store, made.values()), stages())
    for stage in contest.stages.values():
        (pair,) = stage.scores.pairs
        assert (pair.roles, pair.left_out, pair.coverage) == (12, 0, 1.0) and 0 < pair.score < 1


def gone(store: Store, id: int) -> None:
    units.change(store, "DELETE FROM comparison WHERE id = :id", {"id": id})


def unit(store: Store, study: int, pair: tuple[int, int], dimension: str | None, state: str = "done", **more: Any) -> tables.Unit:
    judge = store.agents.find(name="judge") or store.agents.add(tables.Agent(name="judge", seat="judge", engine="openai", hash="hash judge"))
    payload = {"instrument": "hill", "dimension": dimension, "judge": judge.id, "repeat": 1, "of": 1} | more
    position = store.units.count(study_id=study)
    result = {"first": pair[0], "second": pair[1]}
    made = store.units.add(tables.Unit(study_id=study, position=position, kind="comparison", payload=payload, state=state, result=result))
    if state == "done":
        sql = "UPDATE comparison SET unit_id = :unit WHERE study_id = :study AND first_id = :first AND second_id = :second AND dimension = coalesce(:dimension, dimension)"
        units.change(store, sql, {"unit": made.id, "study": study, "dimension": dimension} | result)
    return made


def answered(store: Store, study: int) -> None:
    """A unit for each comparison of a study."""
    for row in store.comparisons.rows(study_id=study):
        unit(store, study, (row["first_id"], row["second_id"]), row["dimension"], version=row["instrument_version"])


def contested(store: Store, study: int | None, held: dict[int, reading.Held]) -> wins.Contest:
    frame = reading.comparisons(store, study)
    (voice,) = voices(frame)
    wanted = asked.asked_of(asked.compared(store, study), voice, "hill", list(stages()))
    return wins.contest(of_voice(frame, voice), held, stages(), wanted)


def test_calls_that_failed_are_questions_without_an_answer(store: Store) -> None:
    study, made = judged(store, 4, list(stages()))
    insight = [d for d, stage in stages().items() if stage == "insight"]
    for row in store.comparisons.rows(study_id=study):
        pair = (row["first_id"], row["second_id"])
        lost = set(pair) == {made[3, "Careful"], made[3, "Plainer"]} and row["dimension"] in insight
        unit(store, study, pair, row["dimension"], "failed" if lost else "done")
        if lost:
            gone(store, row["id"])
    contest = contested(store, study, reading.sessions(store, made.values()))
    (pair,) = contest.stages["insight"].scores.pairs
    assert (pair.roles, pair.left_out, pair.coverage) == (3, 1, 0.75) and contest.counts["skipped"] == 3
    (whole,) = contest.stages["action"].scores.pairs
    assert (whole.roles, whole.left_out, whole.coverage) == (4, 0, 1.0)


def test_a_dimension_whose_every_call_failed_was_asked_all_the_same(store: Store) -> None:
    wanted = one_each()
    study, made = judged(store, 3, wanted)
    answered(store, study)
    missing = [d for d, stage in stages().items() if stage == "action" and d not in wanted]
    for role in range(3):
        for dimension in missing:
            unit(store, study, (made[role, "Careful"], made[role, "Plainer"]), dimension, "failed")
    contest = contested(store, study, reading.sessions(store, made.values()))
    assert {stage: contest.stages[stage].scores.pairs[0].left_out for stage in contest.stages} == {"exploration": 0, "insight": 0, "action": 3}


def call(store: Store, unit: tables.Unit, version: int, prompt: str = "judge/compare") -> None:
    """The call that a unit left, with this version of its prompt."""
    store.calls.save({"study_id": unit.study_id, "unit_id": unit.id, "purpose": "compare", "prompt": prompt, "prompt_version": version,
                      "prompt_hash": "h", "engine": "openai", "sent": {}, "about": [], "state": "failed"}, [], "")  # fmt: skip


def test_what_failed_in_one_study_and_was_answered_in_another_is_answered(store: Store) -> None:
    """Also what failed in both is one question."""
    study, made = judged(store, 4, list(stages()))
    answered(store, study)
    pair, dimension = (made[0, "Careful"], made[0, "Plainer"]), next(iter(stages()))
    lost = (made[1, "Careful"], made[1, "Plainer"])
    (row,) = store.comparisons.rows(study_id=study, first_id=lost[0], second_id=lost[1], dimension=dimension)
    gone(store, row["id"])
    for other in (study, story.study(store, "Before"), story.study(store, "Long before")):
        for one in (pair, lost) if other != study else (lost,):
            call(store, unit(store, other, one, dimension, "failed"), 1)
    held = reading.sessions(store, made.values())
    every, own = contested(store, None, held), contested(store, study, held)
    assert every.counts == own.counts and every.counts["undecided"] == 1 and sum(every.counts.values()) == 36
    assert [stage.scores.pairs for stage in every.stages.values()] == [stage.scores.pairs for stage in own.stages.values()]


@pytest.mark.parametrize("other", [{"prompt_version": 2}, {"setting": "none"}, {"version": 9}, {"prompt": "judge/compare_all"}, {}])
def test_a_failed_call_counts_against_its_own_voice_only(store: Store, other: dict[str, Any]) -> None:
    study, made = judged(store, 3, one_each())
    answered(store, study)
    dimension = next(d for d in stages() if d not in one_each())
    more = {name: value for name, value in other.items() if name in ("setting", "version")}
    failed = unit(store, study, (made[0, "Careful"], made[0, "Plainer"]), dimension, "failed", **more)
    call(store, failed, other.get("prompt_version", 1), other.get("prompt", "judge/compare"))
    contest = contested(store, study, reading.sessions(store, made.values()))
    (pair,) = contest.stages[stages()[dimension]].scores.pairs
    assert (sum(contest.counts.values()), pair.coverage < 1) == ((9, False) if other else (10, True))


def test_a_call_for_the_whole_instrument_asks_all_or_those_it_names(store: Store) -> None:
    study, made = judged(store, 1, one_each())
    pair = (made[0, "Careful"], made[0, "Plainer"])
    unit(store, study, pair, None, dimensions=one_each())
    frame = reading.comparisons(store, study).assign(way="instrument")
    (voice,) = voices(frame)
    named = asked.asked_of(asked.compared(store, study), voice, "hill", list(stages()))
    assert named.dimensions == {study: frozenset(one_each())} and named.sessions == set()
    unit(store, study, pair, None, "failed")
    every = asked.asked_of(asked.compared(store, study), voice, "hill", list(stages()))
    assert every.dimensions == {study: frozenset(stages())} and every.sessions == set(pair)


def test_two_studies_together_are_each_counted_against_what_they_asked(store: Store) -> None:
    _one, made = judged(store, 3, one_each())
    more = story.sessions(store, 3, ("Adviser", "Careful"))
    other = story.study(store, "All nine")
    story.compare(store, other, more, kind="model", judge="judge")
    held = reading.sessions(store, [*made.values(), *more.values()])
    contest = wins.contest(reading.comparisons(store), held, stages())
    assert [(p.left_out, p.coverage) for stage in contest.stages.values() for p in stage.scores.pairs] == [(0, 1.0)] * 6


@pytest.mark.parametrize(("rows", "value"), [(1, None), (2, 4.0), (3, 4.0)])
def test_repeats_that_failed_count_as_missing(store: Store, rows: int, value: float | None) -> None:
    """Three repeats were planned; a call that failed leaves no row."""
    story.sessions(store, 1, ["Careful"])
    rater = store.raters.ensure("model", "judge", "h")
    for repeat in range(1, rows + 1):
        store.ratings.add(
            tables.Rating(
                rater_id=rater.id or 0, session_id=1, instrument="wai-o-s", instrument_version=1, language="en", item="Q1",
                repeat=repeat, repeats=3, value=4, score=4,
            )
        )  # fmt: skip
    found = item_values(reading.ratings(store))
    assert found["value"].dropna().tolist() == ([] if value is None else [value]) and found["asked"].tolist() == [3]


@pytest.mark.parametrize("coded", [{"client_code": "C-1"}, {"origin": "live", "engine": "mixed", "client_code": "C-2"}])
def test_sessions_of_one_role_are_one_role_with_a_client_code_or_without(store: Store, coded: dict[str, str]) -> None:
    made = story.sessions(store, 2, ("Careful", "Plainer"))
    story.compare(store, study := story.study(store), made, kind="model", judge="judge", noise=0)
    store.sessions.update(made[0, "Plainer"], **coded)
    held = reading.sessions(store, made.values())
    contest = wins.contest(reading.comparisons(store, study), held, stages())
    assert len({o.role for o in contest.outcomes}) == 2 and contest.counts["undecided"] == 0 and contest.counts["decided"] == 18


def test_sessions_of_two_clients_have_one_role_whichever_is_shown_first(store: Store) -> None:
    made = story.sessions(store, 1, ("Careful", "Plainer"))
    for code, id in zip("AB", made.values(), strict=True):
        store.sessions.update(id, role_id=None, client_code=code, origin="imported")
    one, other = reading.sessions(store, made.values()).values()
    assert (one.cluster, other.cluster) == ("client A", "client B")
    assert wins.role_of(one, other) == wins.role_of(other, one) == "client A"
    assert wins.role_of(one, other, 7.0) == "role 7" and wins.role_of(one, other, float("nan")) == "client A"


def test_a_client_whose_code_reads_like_a_role_is_no_role(store: Store) -> None:
    card, other = story.sessions(store, 1, ("Careful", "Plainer")).values()
    store.sessions.update(other, role_id=None, client_code="role 1", origin="imported")
    held = reading.sessions(store, [card, other])
    assert (held[card].cluster, held[other].cluster, held[other].client) == ("role 1", "client role 1", "role 1")
