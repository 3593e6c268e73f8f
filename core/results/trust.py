"""The trust label: how far a judge agrees with people on what both have judged, beside how far people do."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from core.agreement.clustered import Clustered, clustered_icc, clustered_pearson
from core.agreement.comparing import TIE
from core.agreement.matching import clustered_matches

FEWEST_SESSIONS = 30
FEWEST_CLUSTERS = 10  # clients or roles
NAN = float("nan")
NOTHING = Clustered(NAN, NAN, NAN, 0, 0)
State = Literal["none", "few", "figures"]
Verdicts = Mapping[Hashable, str | None]


@dataclass(frozen=True)
class Versus:
    """One side of the label: a judge against people, or ``who`` against the other people.

    For ratings ``agreement`` is ICC(A,1) and ``second`` is r; for comparisons the match rate with tie as a
    class and Cohen's kappa.
    """

    who: str
    agreement: Clustered
    second: Clustered


@dataclass(frozen=True)
class Trust:
    """What may be said of a judge: nothing, too few, or figures. Never an adjective."""

    state: State
    n: int
    clusters: int
    people: int
    judge: Versus | None = None
    ceiling: tuple[Versus, ...] = ()


def state_of(n: int, clusters: int) -> State:
    if n == 0:
        return "none"
    return "few" if n < FEWEST_SESSIONS or clusters < FEWEST_CLUSTERS else "figures"


def trust_of_ratings(
    judge: Mapping[int, float], people: Mapping[str, Mapping[int, float]], cluster: Mapping[int, str],
) -> Trust:  # fmt: skip
    """The label of a judge's ratings of one thing (an item, a dimension, a total).

    Args:
        judge: session → score. people: person → session → score. cluster: session → client or role.
    Returns:
        *none* without shared sessions, *few* under 30 of them or 10 clusters, else *figures*: judge against the
        mean of the people, each person against the mean of the other people.
    """
    rated = {session for scores in people.values() for session in scores}
    shared = sorted(rated & set(judge))
    clusters = len({cluster[s] for s in shared})
    state = state_of(len(shared), clusters)
    label = Trust(state, len(shared), clusters, len([p for p in people.values() if set(p) & set(judge)]))
    if state != "figures":
        return label
    means = {s: float(np.mean([p[s] for p in people.values() if s in p])) for s in shared}
    return Trust(
        label.state, label.n, label.clusters, label.people,
        versus("judge", judge, means, cluster), ceiling_of_ratings(people, cluster),
    )  # fmt: skip


def ceiling_of_ratings(
    people: Mapping[str, Mapping[int, float]], cluster: Mapping[int, str]
) -> tuple[Versus, ...]:
    """Each person against the mean of the other people, over the sessions they share."""
    found = []
    for name, own in people.items():
        others = [scores for other, scores in people.items() if other != name]
        shared = {s for s in own if any(s in scores for scores in others)}
        if len(shared) >= 3:
            means = {s: float(np.mean([scores[s] for scores in others if s in scores])) for s in shared}
            found.append(versus(name, own, means, cluster))
    return tuple(found)


def versus(
    who: str, one: Mapping[int, float], other: Mapping[int, float], cluster: Mapping[int, str]
) -> Versus:
    """ICC(A,1) and r of two scores of the same sessions, with intervals from resampling clusters."""
    shared = sorted(set(one) & set(other))
    table = np.array([[one[s], other[s]] for s in shared], dtype=float).reshape(-1, 2)
    clusters = [cluster[s] for s in shared]
    return Versus(
        who,
        clustered_icc(table, clusters, "ICC(A,1)") if len(shared) >= 2 else NOTHING,
        clustered_pearson(table[:, 0], table[:, 1], clusters) if len(shared) >= 2 else NOTHING,
    )


def trust_of_comparisons(
    judge: Verdicts, people: Mapping[str, Verdicts], cluster: Mapping[Hashable, str],
    side: Mapping[Hashable, str], pair: Callable[[Hashable], Hashable],
) -> Trust:  # fmt: skip
    """The label of a judge's comparisons.

    Args:
        judge, people: question → winner, ``TIE`` or ``None`` (unreadable).
        cluster: question → role. side: question → the winner that counts as *first*.
        pair: question → the pair of sessions it asks about; pairs are what is counted against the minimum.
    """
    judged = {q for q, verdict in judge.items() if verdict is not None}
    asked = {q for verdicts in people.values() for q, verdict in verdicts.items() if verdict is not None}
    shared = sorted(judged & asked, key=repr)
    n, clusters = len({pair(q) for q in shared}), len({cluster[q] for q in shared})
    state = state_of(n, clusters)
    heard = len([v for v in people.values() if any(v.get(q) is not None for q in judged)])
    if state != "figures":
        return Trust(state, n, clusters, heard)
    mine = matched("judge", judge, majority(list(people.values())), cluster, side)
    ceiling = tuple(
        matched(
            name, own, majority([v for other, v in people.items() if other != name]), cluster, side
        )
        for name, own in people.items()
        if len(people) > 1
    )
    return Trust(state, n, clusters, heard, mine, ceiling)


def majority(voices: Sequence[Verdicts]) -> dict[Hashable, str | None]:
    """What most of the people said; no majority is a tie."""
    found: dict[Hashable, str | None] = {}
    for question in dict.fromkeys(q for voice in voices for q in voice):
        said = [voice[question] for voice in voices if voice.get(question) is not None]
        most = max(said, key=said.count, default=None)
        found[question] = most if not said or said.count(most) * 2 > len(said) else TIE
    return found


def matched(
    who: str, one: Verdicts, other: Verdicts, cluster: Mapping[Hashable, str], side: Mapping[Hashable, str],
) -> Versus:  # fmt: skip
    """Match rate with tie as a class, and kappa, with intervals from resampling roles."""
    shared = [q for q in one if one[q] is not None and other.get(q) is not None]
    rows = [(one[q], other[q], side[q]) for q in shared]
    return Versus(who, *clustered_matches(rows, [cluster[q] for q in shared]))
