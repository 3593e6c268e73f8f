"""From a judged study in the store to scores, repeats, drill-down and corpus."""

import math

import numpy as np
import pandas as pd
import pytest

from core import instruments
from core.agreement.comparing import TIE
from core.results import claims, corpus, drill, reading, scores, wins
from core.studies import service
from core.studies.expand import group_of
from storage import tables
from storage.store import Store
from tests import results_story as story


def stages() -> dict[str, str]:
    return {d.id: d.stage for d in instruments.load("hill").dimensions}


def items() -> dict[str, list[str]]:
    scale = instruments.load("wai-o-s")
    return {d.id: [i.id for i in scale.items_of(d.id)] for d in scale.dimensions}


def contest_of(store: Store, study: int) -> tuple[wins.Contest, pd.DataFrame, dict[int, reading.Held]]:
    frame = reading.comparisons(store, study)
    held = reading.sessions(store, [*frame["first"], *frame["second"]])
    return wins.contest(frame, held, stages()), frame, held


def test_stored_comparisons_become_win_scores(store: Store) -> None:
    study = story.study(store)
    story.compare(store, study, story.sessions(store, 12, story.COUNSELORS), unreadable=0.05)
    contest, _, _ = contest_of(store, study)
    assert list(contest.stages) == ["exploration", "insight", "action"]
    assert contest.agents == ("Adviser", "Careful", "Plainer") and contest.roles == 12
    assert sum(contest.counts.values()) == 12 * 3 * 9 and contest.counts["undecided"] > 0
    stage = contest.stages["exploration"]
    seen, back = stage.pair("Careful", "Adviser"), stage.pair("Adviser", "Careful")
    assert (
        seen
        and back
        and seen.score == pytest.approx(1 - back.score)
        and seen.low == pytest.approx(1 - back.high)
    )
    assert seen.wins == back.losses and seen.score > 0.6
    table = wins.agent_table(stage)
    assert next(iter(table["agent"])) == "Careful" and (table["low"] <= table["score"]).all()
    assert contest.dimensions["empathic_understanding"]["Careful"] > 0.5
    assert contest.both_orders and 0 < contest.same_verdict < 1


def test_rules_over_rules_have_no_winner(store: Store) -> None:
    study = story.study(store)
    story.compare(store, study, story.sessions(store, 12, story.COUNSELORS), noise=0.0)
    contest, _, _ = contest_of(store, study)
    pair = contest.stages["insight"].pair("Careful", "Plainer")
    assert pair and pair.supported and contest.claim == "pipeline check" and contest.engine == "demo"
    sentence = str(claims.verdict(pair, contest.claim))
    assert sentence.startswith("Pipeline check") and "preferred" not in sentence and "win" not in sentence


def test_a_model_judge_may_name_who_is_preferred_and_only_when_supported(store: Store) -> None:
    study = story.study(store, engine="openai")
    held = story.sessions(store, 12, story.COUNSELORS, engine="openai")
    story.compare(store, study, held, kind="model", judge="o-mini", noise=0.0)
    contest, _, _ = contest_of(store, study)
    pair = contest.stages["insight"].pair("Plainer", "Careful")
    assert pair and contest.claim == "result" and contest.engine == "openai"
    assert str(claims.verdict(pair, "result")) == "Careful is preferred to Plainer."
    undecided = wins.replace(pair, low=0.4, high=0.6)
    assert str(claims.verdict(undecided, "result")).startswith("Not decided")


def test_a_design_with_one_order_is_read_as_it_was_asked(store: Store) -> None:
    study = story.study(store)
    story.compare(store, study, story.sessions(store, 8, story.COUNSELORS), both=False)
    contest, _, _ = contest_of(store, study)
    assert (
        not contest.both_orders
        and contest.counts["undecided"] == 0
        and contest.counts["orders_disagree"] == 0
    )


def test_reused_answers_belong_to_the_study_that_uses_them(store: Store) -> None:
    first, second = story.study(store), story.study(store, "Again")
    story.compare(store, first, story.sessions(store, 2, story.COUNSELORS))
    rows = store.comparisons.all()
    unit = store.units.add(tables.Unit(study_id=first, position=0, kind="comparison", state="done"))
    for row in rows:
        store.comparisons.update(row.id, unit_id=unit.id)
    store.units.add(
        tables.Unit(
            study_id=second, position=0, kind="comparison", state="reused", result={"source": unit.id}
        )
    )
    assert len(reading.comparisons(store, second)) == len(rows)
    assert reading.studies_with(store, "comparison") == [second, first]


def test_from_a_cell_to_its_comparisons_with_reasoning_and_quotes(store: Store) -> None:
    study = story.study(store)
    made = story.sessions(store, 3, story.COUNSELORS)
    story.compare(store, study, made)
    contest, frame, held = contest_of(store, study)
    found = drill.questions(contest, frame, held, "action", "Plainer", "Adviser")
    assert len(found) == 3
    (questions, *_) = found.values()
    assert [q.outcome.dimension for q in questions] == [
        "desired_change",
        "readiness_collaboration",
        "brainstorm_options",
    ]
    assert held[questions[0].sessions[0]].counselor == "Plainer" and len(questions[0].rows) == 2
    told = reading.reading(store, "comparison", questions[0].rows[0])
    assert (
        told["reasoning"] and told["quotes"][0]["text"] == story.SAID[1] and told["rater"] == "Demo rater v1"
    )


def test_item_values_need_two_thirds_of_the_repeats(store: Store) -> None:
    study = story.study(store)
    ids = list(story.sessions(store, 2, ["Careful"]).values())
    story.rate(store, study, ids)
    rows = store.ratings.all(session_id=ids[0], item="Q1")
    store.ratings.update(rows[0].id, value=None, score=None, reason="no JSON")
    more = store.ratings.all(session_id=ids[1], item="Q1")
    for row in more[:2]:
        store.ratings.update(row.id, value=None, score=None, reason="no JSON")
    values = scores.item_values(reading.ratings(store, study))
    first = values[(values["session"] == ids[0]) & (values["item"] == "Q1")].iloc[0]
    assert first["value"] == pytest.approx((rows[1].score + rows[2].score) / 2) and first["readable"] == 2
    assert math.isnan(values[(values["session"] == ids[1]) & (values["item"] == "Q1")].iloc[0]["value"])


def test_item_table_shows_spread_n_and_agreement_of_repeats(store: Store) -> None:
    study = story.study(store)
    ids = list(story.sessions(store, 12, ["Careful", "Plainer"]).values())
    story.rate(store, study, ids, unscored=0.02)
    frame = reading.ratings(store, study)
    held = reading.sessions(store, ids)
    rows = scores.item_rows(frame, items(), held)
    assert [row.id for row in rows] == [f"Q{n}" for n in range(1, 13)]
    first = rows[0]
    assert 1 <= first.mean <= 5 and first.sd > 0 and first.repeats.repeats == 3
    assert first.repeats.dropped + first.repeats.forms["ICC(1,1)"].n == 24
    assert first.repeats.forms["ICC(1,k)"].value > first.repeats.forms["ICC(1,1)"].value
    assert first.repeats.forms["ICC(1,k)"].clusters == 12
    dims = scores.dimension_rows(frame, items(), held, "mean")
    assert [row.id for row in dims] == ["goal", "approach", "bond"]
    mean = scores.mean_of_items(rows, "goal", "ICC(1,k)")
    assert mean == pytest.approx(np.mean([r.repeats.forms["ICC(1,k)"].value for r in rows[:4]]))


def test_dimension_scores_per_counselor_and_topic(store: Store) -> None:
    study = story.study(store)
    made = story.sessions(store, 6, ["Careful", "Plainer"])
    story.rate(store, study, list(made.values()))
    frame = reading.ratings(store, study)
    held = reading.sessions(store, made.values())
    table = scores.wide(scores.item_values(frame), [i for own in items().values() for i in own])
    dims = scores.dimension_values(table, items(), "mean")
    by = scores.by_counselor(dims, held)
    assert set(by) == {"Careful", "Plainer"} and by["Careful"]["goal"][1] == 6
    assert by["Careful"]["goal"][0] == pytest.approx(
        dims.loc[[made[r, "Careful"] for r in range(6)], "goal"].mean()
    )
    topics = scores.by_topic(dims, "goal", held)
    assert set(topics["Careful"]) == {"career", "education"} and topics["Careful"]["career"][1] == 3


def test_a_sum_needs_all_its_parts(store: Store) -> None:
    table = pd.DataFrame({"a": [1.0, 1.0], "b": [0.5, float("nan")]})
    assert scores.dimension_values(table, {"d": ["a", "b"]}, "sum")["d"].tolist()[0] == 1.5
    assert math.isnan(scores.dimension_values(table, {"d": ["a", "b"]}, "sum")["d"].tolist()[1])
    assert scores.dimension_values(table, {"d": ["a", "b"]}, "mean")["d"].tolist()[1] == 1.0


def test_corpus_table_counts_by_its_rule(store: Store) -> None:
    made = story.sessions(store, 2, ["Careful", "Plainer"])
    chinese = tables.Session(origin="imported", language="zh", client_code="C1", counselor_code="X")
    turns = [tables.Turn(session_id=0, position=1, seat="client", text="我睡不着，OK？")]
    other = store.sessions.add_with_turns(chinese, turns).id or 0
    total, counselor, client = corpus.corpus(store, [*made.values(), other])
    assert (total.utterances, counselor.utterances, client.utterances) == (17, 8, 9)
    assert counselor.speakers == 3 and client.speakers == 3
    assert (
        corpus.length("我睡不着，OK？", "zh") == 4 and corpus.length("It's 3 o’clock, you know?", "en") == 5
    )
    assert corpus.corpus(store, [])[0].utterances == 0


def test_tie_word_is_no_counselor(store: Store) -> None:
    assert TIE == "tie"
    empty = reading.comparisons(store, story.study(store))
    contest = wins.contest(empty, {}, stages())
    assert contest.agents == () and contest.stages == {} and contest.claim == "pipeline check"


def test_sessions_of_one_card_are_one_cluster_whatever_its_version(store: Store) -> None:
    card = store.roles.add(tables.RoleCard(title="Anna", text="one"))
    edited = store.roles.add_version(tables.RoleCard(title="Anna", text="two", card_id=card.id))
    turn = {"session_id": 0, "position": 1, "seat": "client", "text": "Hello"}
    made = [
        store.sessions.add_with_turns(tables.Session(origin="simulated", role_id=id), [tables.Turn(**turn)]).id or 0
        for id in (card.id, card.id, edited.id)
    ]
    held = reading.sessions(store, made)
    assert {one.cluster for one in held.values()} == {f"role {card.id}"}
    assert reading.mixed_versions(held.values()) == 1 and reading.mixed_versions([held[made[0]], held[made[1]]]) == 0
    groups = [group_of(row) for row in service.session_rows(store)]
    assert groups[0] == groups[1] != groups[2], "only sessions of one version are compared"
