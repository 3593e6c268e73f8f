"""Voices that compare, their match with people, and counselors' scores with intervals."""

import numpy as np

from core import instruments
from core.agreement.clustered import clustered_mean
from core.results import agreements, labels, reading, scores
from core.results.agreements import TOTAL
from core.results.voices import voices
from storage.store import Store
from tests import results_story as story


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
    assert judge.kind == "rules" and list(found.people) == ["K-01"] and len(found.judge) == 12 * 3 * 9
    matches = {one.id: one for one in labels.matches(found, stages())}
    assert list(matches)[-1] == TOTAL and len(matches) == 9 + 3 + 1
    total, parts = matches[TOTAL], [matches[name] for name in ("exploration", "insight", "action")]
    assert total.rates.n_with_ties == sum(part.rates.n_with_ties for part in parts) == 324
    assert total.rates.n_without_ties < total.rates.n_with_ties and total.clusters == 12
    assert total.low < total.rates.with_ties < total.high


def test_label_of_comparisons_counts_pairs_of_sessions(store: Store) -> None:
    made = story.sessions(store, 3, story.COUNSELORS)
    story.compare(store, story.study(store), made)
    story.compare(store, story.study(store), made, kind="person", judge="K-01", seed=4, both=False)
    every = reading.comparisons(store)
    held = reading.sessions(store, made.values())
    label = labels.comparison_label(every, voices(every)[0], stages(), held)
    assert (label.state, label.n, label.clusters, label.people) == ("few", 9, 3, 1)


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
        scores.wide(scores.item_values(frame), [i.id for i in scale.items]), dims, "mean"
    )
    found = scores.counselor_scores(table[[*dims, TOTAL]], held)
    assert [(one.counselor, one.dimension) for one in found][:2] == [
        ("Careful", "goal"),
        ("Careful", "approach"),
    ]
    plain = scores.by_counselor(table, held)
    for one in found:
        assert abs(one.mean.value - plain[one.counselor][one.dimension].value) < 1e-12
        assert one.mean.low < one.mean.value < one.mean.high and one.mean.clusters == 8
