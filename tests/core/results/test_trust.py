"""How far a judge can be trusted: labels, people beside it, repeats, disagreements."""

import random
from collections.abc import Hashable

import numpy as np
import pytest

from core import instruments
from core.agreement.comparing import TIE
from core.results import agreements, incomplete, reading
from core.results.trust import Rests, Trust, majority, trust_of_comparisons, trust_of_ratings
from core.results.voices import JUDGES, of_voice, voices
from storage.store import Store
from tests import results_story as story


def items() -> dict[str, list[str]]:
    scale = instruments.load("wai-o-s")
    return {d.id: [i.id for i in scale.items_of(d.id)] for d in scale.dimensions}


def people(sessions: int, seed: int) -> dict[int, float]:
    rng = random.Random(seed)
    return {s: random.Random(s).gauss(3, 1) + rng.gauss(0, 0.4) for s in range(sessions)}


def clients(n: int, of: int = 12) -> dict[int, str]:
    return {s: f"client {s % of}" for s in range(n)}


def test_label_without_shared_sessions_with_few_and_with_enough() -> None:
    cluster, judge = clients(200), people(40, 1)
    assert trust_of_ratings(judge, {}, cluster).state == "none"
    assert trust_of_ratings(judge, {"P1": {150: 3.0}}, cluster).state == "none"
    nine = trust_of_ratings(judge, {"P1": people(9, 2)}, cluster)
    assert (nine.state, nine.n, nine.judge) == ("none", 9, None)
    few = trust_of_ratings(judge, {"P1": people(29, 2)}, cluster)
    assert (few.state, few.n, few.clusters) == ("few", 29, 12) and few.judge and few.judge.few
    assert few.judge.agreement.n == 29 and few.judge.agreement.low < few.judge.agreement.value
    narrow = trust_of_ratings(judge, {"P1": people(40, 2)}, dict.fromkeys(range(40), "one client"))
    assert narrow.state == "few" and narrow.judge and np.isnan(narrow.judge.agreement.low)
    found = trust_of_ratings(judge, {"P1": people(40, 2), "P2": people(40, 3)}, cluster)
    assert found.state == "figures" and found.people == found.judge.pairs == 2  # type: ignore[union-attr]
    alone = found.people_alone
    assert alone and (alone.pairs, alone.n, alone.few) == (1, 40, False) and alone.second.value > 0.7


def test_judge_and_person_agree_alike_when_they_err_alike() -> None:
    """A judge that is as good as one person has that person's agreement, however many people there are."""
    cluster = clients(2000, 500)
    found = trust_of_ratings(people(2000, 1), {f"P{k}": people(2000, 10 + k) for k in range(5)}, cluster)
    assert found.judge and found.people_alone and (found.judge.pairs, found.people_alone.pairs) == (5, 10)
    assert abs(found.judge.agreement.value - found.people_alone.agreement.value) < 0.01
    one = trust_of_ratings(people(2000, 1), {"P0": people(2000, 10)}, cluster)
    assert one.judge and abs(one.judge.agreement.value - found.judge.agreement.value) < 0.02


def test_people_are_compared_on_the_sessions_the_judge_rated() -> None:
    """Where the judge rated nothing two people may agree as they like: it is no part of what stands beside it."""
    rng, judge, cluster = random.Random(1), people(40, 1), clients(200)
    one, other = people(40, 2), people(40, 3)
    before = trust_of_ratings(judge, {"P1": one, "P2": other}, cluster).people_alone
    noise = {s: rng.gauss(3, 3) for s in range(40, 200)}
    after = trust_of_ratings(judge, {"P1": one | noise, "P2": other | {s: -v for s, v in noise.items()}}, cluster).people_alone
    assert before == after and before and before.n == 40
    few = trust_of_ratings(judge, {"P1": one, "P2": people(9, 3)}, cluster)
    assert few.people_alone is None and few.people == 2


def test_judge_and_people_stand_beside_each_other_on_the_same_sessions() -> None:
    """What one person alone rated is no part of the comparison with what two people reach."""
    judge, cluster = people(35, 1), clients(35)
    one, other = people(35, 2), people(22, 3)
    found = trust_of_ratings(judge, {"P1": one, "P2": other}, cluster)
    assert found.judge and found.people_alone
    assert (found.n, found.judge.n, found.people_alone.n) == (22, 22, 22) and found.judge.clusters == found.people_alone.clusters == 12
    noise = one | {s: -9.0 * s for s in range(22, 35)}
    assert trust_of_ratings(judge, {"P1": noise, "P2": other}, cluster) == found
    third = {s: 3.0 + s % 2 for s in range(22, 35)}
    assert trust_of_ratings(judge, {"P1": {s: one[s] for s in range(22)}, "P2": other, "P3": third}, cluster) == found
    alone = trust_of_ratings(judge, {"P1": one, "P2": people(9, 3)}, cluster)
    assert alone.people_alone is None and alone.judge and (alone.judge.n, alone.judge.pairs) == (35, 2)


def test_a_figure_counts_the_pairs_that_have_a_value() -> None:
    """r of somebody who always says the same is none; ICC(A,1) is 0, and both say what they rest on."""
    judge, varied, same = people(40, 1), {s: v for s, v in people(40, 2).items() if s < 20}, dict.fromkeys(range(10, 40), 3.0)
    apart = trust_of_ratings(judge, {"P1": varied, "P2": dict.fromkeys(range(30, 40), 3.0)}, clients(40)).judge
    assert apart and apart.on == Rests(2, 2, 30, 12) and apart.second_on == Rests(1, 1, 20, 12)
    assert (apart.second.n, apart.second.clusters, apart.agreement.n) == (20, 12, 30)
    alone = trust_of_ratings(judge, {"P1": varied}, clients(40)).judge
    assert alone and alone.second == apart.second
    constant = trust_of_ratings(judge, {"P2": same}, clients(40)).judge
    assert constant and constant.second_on == Rests() and np.isnan(constant.second.value) and constant.on.n == 30


def test_kappa_counts_the_pairs_that_have_a_value() -> None:
    ties: dict[Hashable, str | None] = dict.fromkeys(asked_questions(), "x")
    rng = random.Random(2)
    other: dict[Hashable, str | None] = {q: rng.choice(["x", "y"]) for q in asked_questions()[:30]}
    found = label(ties, {"P1": dict.fromkeys(asked_questions()[40:], "x"), "P2": other}).judge
    assert found and found.on == Rests(2, 2, 35, 20) and found.second_on == Rests(1, 1, 15, 15)
    assert found.agreement.n == 70 and found.second.n == 30


def test_a_person_who_judged_four_of_them_says_nothing() -> None:
    scattered = {f"P{k}": {s: 3.0 + s % 3 for s in range(4 * k, 4 * k + 4)} for k in range(10)}
    found = trust_of_ratings(people(40, 1), scattered, clients(40))
    assert (found.state, found.n, found.people) == ("none", 0, 0)


Q = tuple[int, str]


def asked_questions() -> list[Q]:
    return [(pair, d) for pair in range(40) for d in ("d1", "d2")]


def label(judge: dict[Hashable, str | None], persons: dict[str, dict[Hashable, str | None]]) -> Trust:
    cluster: dict[Hashable, str] = {q: f"role {q[0] % 20}" for q in asked_questions()}
    return trust_of_comparisons(judge, persons, cluster, dict.fromkeys(cluster, "x"), lambda q: q[0] if isinstance(q, tuple) else q)


def test_label_of_comparisons_uses_match_rate_and_kappa() -> None:
    rng = random.Random(4)
    truth = {q: rng.choice(["x", "y", TIE]) for q in asked_questions()}

    def voice(error: float) -> dict[Hashable, str | None]:
        return {q: v if rng.random() > error else rng.choice(["x", "y", TIE]) for q, v in truth.items()}

    found = label(voice(0.2) | {asked_questions()[0]: None}, {"P1": voice(0.1), "P2": voice(0.1)})
    assert found.state == "figures" and (found.n, found.clusters) == (40, 20) and found.judge
    assert found.judge.agreement.n == 79 and 0.5 < found.judge.second.value < found.judge.agreement.value
    assert found.judge.agreement.low < found.judge.agreement.value < found.judge.agreement.high
    assert found.people_alone and found.people_alone.pairs == 1 and found.people_alone.agreement.n == 79


def test_people_who_disagree_have_no_common_verdict_and_no_tie() -> None:
    voices: list[dict[Hashable, str | None]] = [
        {"q": "x", "r": "x"},
        {"q": "y", "r": "x"},
        {"q": None, "r": TIE},
    ]
    assert majority(voices) == ({"r": "x"}, {"q"})
    ties: dict[Hashable, str | None] = dict.fromkeys(asked_questions(), TIE)
    one: dict[Hashable, str | None] = dict.fromkeys(asked_questions(), "x")
    other: dict[Hashable, str | None] = dict.fromkeys(asked_questions(), "y")
    found = label(ties, {"P1": one, "P2": other})
    assert found.judge and found.judge.agreement.value == 0 and found.people_alone and found.people_alone.agreement.value == 0


def test_judge_people_and_repeats_from_the_store(store: Store) -> None:
    study = story.study(store)
    ids = list(story.sessions(store, 15, ["Careful", "Plainer"]).values())
    story.rate(store, study, ids)
    for person, seed in (("P-01", 5), ("P-02", 6)):
        story.rate(store, None, ids, kind="person", rater=person, repeats=1, seed=seed)
    frame = reading.ratings(store, instrument="wai-o-s")
    held = reading.sessions(store, ids)
    judge = next(v for v in voices(frame) if v.kind in JUDGES)
    assert judge.sessions == 30 and judge.name == "Demo rater v1"
    own = of_voice(frame, judge)
    table = agreements.with_sums(agreements.item_values(own), items(), "mean")
    assert table.shape == (30, 16)
    persons = {
        name: agreements.with_sums(values, items(), "mean")
        for name, values in agreements.people_values(frame, "person", judge.version, judge.language).items()
    }
    rows = agreements.judge_and_people(table, persons, items(), held)
    assert [row.id for row in rows][:5] == ["Q1", "Q2", "Q3", "Q4", "goal"] and rows[-1].id == "total"
    total = rows[-1]
    assert total.n == 30 and total.forms["ICC(A,1)"].clusters == 15 and total.forms["ICC(A,1)"].value > 0.5
    assert total.r and total.r.value > 0.6 and total.spread > 0
    among = agreements.between_people(persons, items(), held)
    assert among[0].raters == 2 and among[0].forms["ICC(A,k)"].value > among[0].forms["ICC(A,1)"].value
    again = agreements.repeats(own, items(), held)
    assert again[0].raters == 3 and list(again[0].forms) == ["ICC(1,1)", "ICC(1,k)", "ICC(A,k)"]
    worst = agreements.gaps(table, persons, items()["goal"])
    assert abs(worst[0].people - worst[0].judge) >= abs(worst[-1].people - worst[-1].judge)
    assert 0.5 < agreements.halo(table, items()["goal"]) < 1


def test_a_session_rated_again_counts_once_with_its_newest_rating(store: Store) -> None:
    ids = list(story.sessions(store, 3, ["Careful"]).values())
    story.rate(store, story.study(store), ids, seed=1, repeats=1)
    story.rate(store, story.study(store, "Again"), ids, seed=9, repeats=1)
    frame = reading.ratings(store, instrument="wai-o-s")
    (voice,) = voices(frame)
    own = of_voice(frame, voice)
    assert len(own) == 36 and set(own["id"]) == set(frame["id"].tail(36))


def test_one_person_has_nobody_to_agree_with() -> None:
    assert agreements.between_people({}, items(), {}) == []
    found = trust_of_ratings(people(40, 1), {"P1": people(40, 2)}, {s: str(s) for s in range(40)})
    assert found.state == "figures" and found.people_alone is None and found.judge
    assert np.isfinite(found.judge.second.value)
    with pytest.raises(KeyError):
        trust_of_ratings(dict.fromkeys(range(9), 1.0), {"P1": dict.fromkeys(range(9), 1.0)}, {})


def test_two_of_four_people_a_session_have_an_agreement(store: Store) -> None:
    """Nobody rated every session: at first there was no figure, with n = 0."""
    ids = list(story.sessions(store, 12, ["Careful", "Plainer"]).values())
    names = ["P-01", "P-02", "P-03", "P-04"]
    for at, session in enumerate(ids):
        for person in (names[at % 4], names[(at + 1 + at // 12) % 4]):
            story.rate(store, None, [session], kind="person", rater=person, repeats=1, seed=names.index(person))
    frame, held = reading.ratings(store, instrument="wai-o-s"), reading.sessions(store, ids)
    version = instruments.load("wai-o-s").version
    known = {
        name: agreements.with_sums(values, items(), "mean")
        for name, values in agreements.people_values(frame, "person", version, "en").items()
    }
    assert agreements.between_people(known, items(), held) == []
    total = incomplete.among_people(known, items(), held)[-1]
    assert (total.id, total.found.single.n, total.found.single.clusters, total.found.raters) == ("total", 24, 12, 2.0)
    assert total.found.single.low < total.found.single.value < total.found.single.high
    pairs = [two for two in incomplete.pairs_of_people(known, items(), held) if two.id == "total"]
    assert len(pairs) > 1 and sum(two.n for two in pairs) == 24
