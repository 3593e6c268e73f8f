"""Voices that compare, their match with people, and counselors' scores with intervals."""

from typing import TYPE_CHECKING

import numpy as np
import pytest

from core import instruments
from core.agreement.clustered import clustered_mean
from core.agreement.comparing import TIE
from core.results import agreements, labels, reading, scores
from core.results.agreements import TOTAL
from core.results.trust import NOTHING
from core.results.voices import voices
from storage import tables, units
from storage.store import Store
from tests import results_story as story

if TYPE_CHECKING:
    import pandas as pd


def stages() -> dict[str, str]:
    return {d.id: d.stage for d in instruments.load("hill").dimensions}


def test_match_rates_per_dimension_stage_and_all(store: Store) -> None:
    made = story.sessions(store, 12, story.COUNSELORS)
    story.compare(store, story.study(store), made)
    story.compare(store, story.study(store), made, kind="person", judge="K-01", seed=4, both=False)
    every = reading.comparisons(store)
    held = reading.sessions(store, made.values())
    judge = voices(every)[0]
    found = labels.asked(every, judge, stages(), held)
    assert judge.kind == "rules" and list(found.people) == ["rater 2"] and len(found.judge) == 12 * 3 * 9
    matches = {one.id: one for one in labels.matches(found, stages())}
    assert list(matches)[-1] == TOTAL and len(matches) == 9 + 3 + 1
    total, parts = matches[TOTAL], [matches[name] for name in ("exploration", "insight", "action")]
    assert total.rates.n_with_ties == sum(part.rates.n_with_ties for part in parts) == 324
    assert total.rates.n_without_ties < total.rates.n_with_ties and total.rate.clusters == 12
    assert total.rate.low < total.rates.with_ties < total.rate.high and total.pairs == 36


def test_label_of_comparisons_counts_pairs_of_sessions(store: Store) -> None:
    made = story.sessions(store, 4, story.COUNSELORS)
    story.compare(store, story.study(store), made)
    story.compare(store, story.study(store), made, kind="person", judge="K-01", seed=4, both=False)
    every = reading.comparisons(store)
    found = labels.asked(every, voices(every)[0], stages(), reading.sessions(store, made.values()))
    label = labels.comparison_label(found, stages())
    assert (label.rules.state, label.rules.n, label.rules.clusters, label.rules.people) == ("few", 12, 4, 1)
    assert label.rules.judge and label.rules.judge.agreement.n == 108 and (label.other, label.judged) == (NOTHING, (labels.RULES,))
    of_one = labels.comparison_label(found, stages(), next(iter(stages()))).rules
    assert of_one.judge and (of_one.n, of_one.judge.agreement.n) == (12, 12)


def test_sessions_made_by_rules_and_other_ones_have_labels_of_their_own(store: Store) -> None:
    by_rules = story.sessions(store, 12, ("Careful",)).values()
    others = [
        store.sessions.add_with_turns(tables.Session(origin="imported", engine="imported", client_code=f"C-{n}"), []).id or 0 for n in range(15)
    ]
    seat = store.agents.find(name="Careful")
    assert seat
    store.agents.update(seat.id or 0, engine="demo")
    taken = tables.Session(origin="live", engine="mixed", client_code="C-99", counselor_agent_id=seat.id)
    half = store.sessions.add_with_turns(taken, []).id or 0
    ids = [*by_rules, *others, half]
    story.rate(store, story.study(store), ids, kind="model", rater="judge")
    story.rate(store, None, ids, kind="person", rater="K-01", repeats=1)
    frame, held = reading.ratings(store), reading.sessions(store, ids)
    label = labels.rating_label(rated(frame), held)
    assert (label.other.n, label.rules.n) == (15, 13) and held[half].by_rules and not held[others[0]].by_rules
    assert label.mixed and label.first == labels.OTHER


def rated(frame: "pd.DataFrame") -> labels.Rated:
    scale = instruments.load("wai-o-s")
    dims = {d.id: [i.id for i in scale.items_of(d.id)] for d in scale.dimensions}
    return labels.rated(frame, voices(frame)[0], dims, "mean")


def test_an_item_has_a_label_of_its_own_and_a_total_is_never_one_item(store: Store) -> None:
    ids = list(story.sessions(store, 12, ("Careful",)).values())
    story.rate(store, story.study(store), ids, kind="model", rater="judge")
    story.rate(store, None, ids, kind="person", rater="K-01", repeats=1)
    units.change(store, "DELETE FROM rating WHERE item <> 'Q1' AND rater_id = :rater", {"rater": 1})
    frame, held = reading.ratings(store), reading.sessions(store, ids)
    found = rated(frame)
    of = {name: labels.rating_label(found, held, name).rules.state for name in ("Q1", "Q2", "goal", TOTAL)}
    assert of == {"Q1": "few", "Q2": "none", "goal": "none", TOTAL: "none"}


def repeated(store: Store, said: list[str], planned: int = 0) -> str | None:
    """What the verdict on one question is, where each repeat gave these (in one order)."""
    made = story.sessions(store, 1, ("Careful", "Plainer"))
    one, other = made[0, "Careful"], made[0, "Plainer"]
    rater = store.raters.ensure("model", "judge", "h")
    for repeat, winner in enumerate(said, 1):
        verdict = {"-": "unscored", "=": "tie"}.get(winner, "won")
        store.comparisons.add(
            tables.Comparison(
                rater_id=rater.id or 0, first_id=one, second_id=other, instrument="hill", instrument_version=1, language="en",
                dimension=next(iter(stages())), repeat=repeat, repeats=planned or len(said), verdict=verdict,
                winner_id={"a": one, "b": other}.get(winner),
            )
        )  # fmt: skip
    every = reading.comparisons(store)
    (verdict_of,) = labels.asked(every, voices(every)[0], stages(), reading.sessions(store, [one, other])).judge.values()
    return verdict_of


@pytest.mark.parametrize(
    ("said", "verdict", "planned"),
    [("baa", "Careful", 0), ("abb", "Plainer", 0), ("ab=", "tie", 0), ("ba", "tie", 0), ("a--", None, 0), ("-bb", "Plainer", 0), ("b", None, 3)],
)
def test_a_judges_verdict_is_what_most_of_its_repeats_say(store: Store, said: str, verdict: str | None, planned: int) -> None:
    assert repeated(store, list(said), planned) == verdict


def test_questions_without_a_common_verdict_are_in_no_rate(store: Store) -> None:
    made = story.sessions(store, 6, ("Careful", "Plainer"))
    story.compare(store, story.study(store), made, kind="model", judge="judge", noise=1)
    for person, seed in (("K-01", 4), ("K-02", 9)):
        story.compare(store, story.study(store), made, kind="person", judge=person, seed=seed, both=False, noise=0)
    every = reading.comparisons(store)
    found = labels.asked(every, voices(every)[0], stages(), reading.sessions(store, made.values()))
    total = labels.matches(found, stages())[-1]
    apart = sum(found.people["rater 2"][q] != found.people["rater 3"][q] for q in found.judge)
    assert 0 < apart == total.apart and total.rates.n_with_ties == 54 - apart and total.rates.with_ties == 0


def test_match_of_aggregated_verdicts_is_over_pairs_of_counselors(store: Store) -> None:
    made = story.sessions(store, 12, story.COUNSELORS)
    story.compare(store, story.study(store), made, kind="model", judge="judge")
    for person, seed in (("K-01", 4), ("K-02", 9)):
        story.compare(store, story.study(store), made, kind="person", judge=person, seed=seed, both=False)
    every = reading.comparisons(store)
    found = labels.asked(every, voices(every)[0], stages(), reading.sessions(store, made.values()))
    by_stage = labels.stage_matches(found, stages())
    assert [(m.id, m.pairs, m.people, m.rates.n_with_ties) for m in by_stage] == [(s, 3, 2, 6) for s in ("exploration", "insight", "action")]
    assert all(m.rates.without_ties == 1 for m in by_stage), "85 of 100 verdicts are for the earlier counselor of each pair"
    single = {m.id: m.rates.without_ties for m in labels.matches(found, stages())}
    assert all(single[m.id] < 1 for m in by_stage), "verdict by verdict they disagree at times"


def test_aggregated_verdicts_tie_at_one_half(store: Store) -> None:
    q = [(1, 2, "d"), (3, 4, "d"), (5, 6, "d")]
    facts = {"cluster": dict(zip(q, "rst", strict=True)), "side": dict.fromkeys(q, "x"), "other": dict.fromkeys(q, "y")}
    said = {q[0]: "x", q[1]: "y", q[2]: TIE}
    found = labels.Asked(said, {"P": {q[0]: "x", q[1]: "x", q[2]: None}}, **facts, by_rules=dict.fromkeys(q, False))
    (one,) = labels.stage_matches(found, {"d": "s"})
    assert (one.rates.n_with_ties, one.rates.with_ties, one.rates.n_without_ties) == (1, 0.0, 0), "a tie of x and y; x for the person"


def test_a_client_with_many_sessions_counts_once(store: Store) -> None:
    found = clustered_mean(np.array([1.0, 1.0, 1.0, 5.0]), ["a", "a", "a", "b"])
    assert found.value == 3.0 and (found.n, found.clusters) == (4, 2) and np.isnan(found.low)


def test_counselors_scores_with_intervals(store: Store) -> None:
    study = story.study(store)
    made = story.sessions(store, 8, ("Careful", "Plainer"))
    story.rate(store, study, list(made.values()))
    frame, held = reading.ratings(store, study), reading.sessions(store, made.values())
    scale = instruments.load("wai-o-s")
    dims = {d.id: [i.id for i in scale.items_of(d.id)] for d in scale.dimensions}
    table = agreements.with_sums(
        scores.item_values(frame), dims, "mean"
    )
    found = scores.counselor_scores(table[[*dims, TOTAL]], held, agreements.scales_of(scale))
    assert [(one.counselor, one.dimension) for one in found][:2] == [
        ("Careful", "goal"),
        ("Careful", "approach"),
    ]
    plain = scores.by_counselor(table, held, agreements.scales_of(scale))
    for one in found:
        assert abs(one.mean.value - plain[one.counselor][one.dimension].value) < 1e-12
        assert one.mean.low < one.mean.value < one.mean.high and one.mean.clusters == 8
