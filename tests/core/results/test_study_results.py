"""From a judged study in the store to scores, repeats, drill-down and corpus."""

import math

import pandas as pd
import pytest

from core import instruments
from core.agreement.comparing import TIE, Outcome, RoleScore, role_scores
from core.results import agreements, claims, corpus, drill, reading, scores, wins
from core.studies import service
from core.studies.expand import group_of
from pages.components import interval_words
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
    assert contest.agents == ("Adviser", "Careful", "Plainer") and len({o.role for o in contest.outcomes}) == 12
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
    assert contest.dimensions["empathic_understanding"]["Careful"].value > 0.5
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


def test_repeats_of_items_and_dimensions_agree_by_role(store: Store) -> None:
    study = story.study(store)
    ids = list(story.sessions(store, 12, ["Careful", "Plainer"]).values())
    story.rate(store, study, ids, unscored=0.02)
    found = agreements.repeats(reading.ratings(store, study), items(), reading.sessions(store, ids))
    assert [one.id for one in found][:5] == ["Q1", "Q2", "Q3", "Q4", "goal"] and len(found) == 12 + 3 + 1
    first = found[0]
    assert first.raters == 3 and first.dropped + first.forms["ICC(1,1)"].n == 24
    single, mean = first.forms["ICC(1,1)"], first.forms["ICC(1,k)"]
    assert mean.value > single.value and single.clusters == 12
    assert single.low < single.value < single.high and single.kind == "t" and not single.few


def test_dimension_scores_per_counselor_and_topic(store: Store) -> None:
    study = story.study(store)
    made = story.sessions(store, 6, ["Careful", "Plainer"])
    story.rate(store, study, list(made.values()))
    frame = reading.ratings(store, study)
    held = reading.sessions(store, made.values())
    table = scores.wide(scores.item_values(frame), [i for own in items().values() for i in own])
    dims = scores.dimension_values(table, items(), "mean")
    ends = agreements.scales_of(instruments.load("wai-o-s"))
    by = scores.by_counselor(dims, held, ends)
    assert set(by) == {"Careful", "Plainer"} and by["Careful"]["goal"].n == 6
    assert by["Careful"]["goal"].value == pytest.approx(
        dims.loc[[made[r, "Careful"] for r in range(6)], "goal"].mean()
    )
    topics = scores.by_topic(dims, "goal", held, ends)
    assert set(topics["Careful"]) == {"career", "education"} and topics["Careful"]["career"].n == 3


def test_a_sum_needs_all_its_items_and_a_mean_half_of_them() -> None:
    """At first one readable item of four was a mean like four, in one of two places."""
    nan = float("nan")
    table = pd.DataFrame({"a": [1.0, 1.0, 1.0], "b": [0.5, nan, nan], "c": [0.0, 2.0, nan], "d": [0.5, nan, nan]})
    parts = {"d": list(table)}
    assert scores.dimension_values(table, parts, "sum")["d"].tolist() == pytest.approx([2.0, nan, nan], nan_ok=True)
    assert scores.dimension_values(table, parts, "mean")["d"].tolist() == pytest.approx([0.5, 1.5, nan], nan_ok=True)
    assert scores.items_behind(table, parts)["d"].tolist() == [4, 2, 1]


def test_an_instrument_scores_by_the_same_rule() -> None:
    scale = instruments.load("wai-o-s")
    four = [item.id for item in scale.items_of("goal")]
    for readable in range(5):
        given = dict.fromkeys(four[:readable], 3.0)
        found = scale.dimension_scores(given)["goal"]
        table = pd.DataFrame([{name: given.get(name, float("nan")) for name in four}])
        value = scores.dimension_values(table, {"goal": four}, scale.scoring)["goal"].iloc[0]
        assert (found.value is None) == math.isnan(value) == (readable < 2)
        assert (found.n, found.of) == (readable, 4)


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


def dimension_of(outcomes: list[tuple[str, str, str, int]]) -> wins.AgentScore:
    """The score of x on d1 from (role, dimension, winner or ?, repeat) in a stage of d1, d2 and d3."""
    found = [
        Outcome(role, "x", "y", dimension, "s", repeat, "skipped" if won == "?" else "decided", None if won == "?" else won)
        for role, dimension, won, repeat in outcomes
    ]
    return wins.dimension_means(found, "d1", role_scores(found, {"s": 3}))["x"]


def test_a_dimension_weighs_roles_and_not_their_repeats() -> None:
    """At first a role asked three times counted three times, and one left out of the stage counted too."""
    asked = [("r1", "d1", "x", repeat) for repeat in (1, 2, 3)] + [("r2", "d1", "y", 1)]
    asked += [(role, "d2", "x", 1) for role in ("r1", "r2")]
    assert dimension_of(asked).value == 0.5
    left_out = [("r3", "d1", "y", 1), ("r3", "d2", "?", 1), ("r3", "d3", "?", 1)]
    assert dimension_of([*asked, *left_out]).roles == 2 and dimension_of([*asked, *left_out]).value == 0.5


def test_a_dimension_of_six_roles_has_a_t_interval() -> None:
    asked = [(f"r{at}", d, "x" if at < 4 else "y", 1) for at in range(6) for d in ("d1", "d2")]
    score = dimension_of(asked)
    assert score.value == pytest.approx(2 / 3) and score.kind == "t" and score.roles == 6
    assert score.low < 0.5 < score.value < score.high


def test_what_does_not_apply_is_not_missing_from_a_mean(store: Store) -> None:
    """A role card answers for one of four parts: at first its score was withheld for want of the other three."""
    (one,) = story.sessions(store, 1, ["Careful"]).values()
    story.rate(store, None, [one], repeats=2, instrument="client-consistency", unscored=0.0)
    rows = store.ratings.all(instrument="client-consistency")
    for row in (row for row in rows if row.item != "persona"):
        store.ratings.update(row.id, value=None, score=None, reason="not applicable")
    scale = instruments.load("client-consistency")
    parts = {d.id: [i.id for i in scale.items_of(d.id)] for d in scale.dimensions}
    frame = reading.ratings(store)
    value = frame[frame["item"] == "persona"]["score"].mean()
    assert agreements.with_sums(scores.item_values(frame), parts, "mean")["consistency"].tolist() == [value]
    matrix, kept, dropped = scores.repeat_matrix(frame, parts["consistency"])
    assert matrix.shape == (1, 2) and (kept, dropped) == ([one], 0)
    for row in (row for row in rows if row.item == "beliefs"):
        store.ratings.update(row.id, reason="no JSON")
    frame = reading.ratings(store)
    assert agreements.with_sums(scores.item_values(frame), parts, "mean")["consistency"].tolist() == [value]  # one of two
    for row in (row for row in rows if row.item == "motivation"):
        store.ratings.update(row.id, reason="no JSON")
    assert agreements.with_sums(scores.item_values(reading.ratings(store)), parts, "mean")["consistency"].isna().all()


def test_roles_behind_scores_are_those_that_count() -> None:
    """A pair that was judged on three of fourteen roles rests on three; at first the title said fourteen."""
    def roles(judged: int) -> list[RoleScore]:
        return [RoleScore(f"role {r}", 0.5, 3 if r < judged else 1, 3) for r in range(14)]

    stage = wins.stage_of("insight", {("x", "y"): roles(3), ("x", "z"): roles(10), ("y", "z"): roles(7)})
    assert wins.roles_behind(stage.scores.pairs) == (3, 10) and wins.roles_behind([]) == (0, 0)
    assert interval_words.counted(stage.scores.pairs) == "n = 3–10 roles"
    assert interval_words.counted(stage.scores.pairs[:1]) == "n = 3 roles"


def test_codes_are_neither_role_cards_nor_agents(store: Store) -> None:
    """A client called *role 1* was one role with the first role card, a counselor called like an agent was that agent."""
    made = story.sessions(store, 1, ("Careful", "Plainer"))
    (card,) = {one.card_id for one in reading.sessions(store, made.values()).values()}
    session = tables.Session(origin="imported", client_code=f"role {card}", counselor_code="Careful")
    id = store.sessions.add_with_turns(session, []).id or 0
    held = reading.sessions(store, [*made.values(), id])
    assert held[id].cluster == f"client role {card}" and held[made[0, "Careful"]].cluster == f"role {card}"
    assert held[id].counselor == "code Careful" and held[id].client == f"role {card}"
    named = store.sessions.add_with_turns(tables.Session(origin="imported", counselor_code="T-01"), []).id or 0
    assert reading.sessions(store, [named])[named].counselor == "T-01"
