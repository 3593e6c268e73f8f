"""The trust label: how far a judge agrees with one person, beside how far one person agrees with another.

Like is compared with like: two raters at a time, on the sessions the judge and people judged, as a mean over people
and over pairs of people.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np

from core.agreement.clustered import Clustered
from core.agreement.pairwise import Two, mean_icc, mean_matches, mean_pearson, two_verdicts

LEAST = 10  # shared sessions (or pairs of sessions); below, no figure
EACH = 5  # of them by one person, or by two people, to count at all
ENOUGH = 30
ENOUGH_CLUSTERS = 10  # clients or roles
NAN = float("nan")
State = Literal["none", "few", "figures"]
Verdicts = Mapping[Hashable, str | None]


@dataclass(frozen=True)
class Versus:
    """Two raters at a time: their mean agreement over ``pairs`` of raters, on ``n`` sessions (or pairs of sessions).

    For ratings ``agreement`` is ICC(A,1) and ``second`` is r; for comparisons the match rate with tie as a
    class and Cohen's kappa.
    """

    agreement: Clustered
    second: Clustered
    pairs: int
    n: int
    clusters: int

    @property
    def few(self) -> bool:
        return state_of(self.n, self.clusters) != "figures"


@dataclass(frozen=True)
class Trust:
    """What may be said of a judge on one thing (item, dimension, total): nothing, figures that are too few, figures.

    ``n`` and ``clusters`` count what the judge and people both judged, by people who judged at least ``EACH`` of it.
    ``people_alone`` is person with person on the same sessions; ``None`` where they are under ``LEAST``.
    """

    state: State = "none"
    n: int = 0
    clusters: int = 0
    people: int = 0
    judge: Versus | None = None
    people_alone: Versus | None = None


NOTHING = Trust()


def state_of(n: int, clusters: int) -> State:
    if n < LEAST:
        return "none"
    return "few" if n < ENOUGH or clusters < ENOUGH_CLUSTERS else "figures"


@dataclass(frozen=True)
class Both:
    """What two raters both judged: the targets, and the sessions (or pairs of sessions) these are of."""

    targets: Sequence[Hashable]
    sessions: frozenset[Hashable]


def trust_of(
    judge: Iterable[Hashable], people: Mapping[str, Iterable[Hashable]], cluster: Mapping[Any, str],
    versus: Callable[[Sequence[tuple[str | None, str, Both]]], tuple[Clustered, Clustered]],
    session: Callable[[Hashable], Hashable] = lambda target: target,
) -> Trust:  # fmt: skip
    """The label, from what was judged by whom.

    Args:
        judge: targets with a readable judgment. people: the same of each person. cluster: of each target.
        versus: the two figures of several pairs of raters (``None`` is the judge).
        session: what counts once: the session of a target, or its pair of sessions.
    """
    judged = set(judge)
    own = {name: judged & set(targets) for name, targets in people.items()}
    kept = [(None, name, both) for name, targets in own.items() if (both := both_of(targets, session)) is not None]
    alone = [
        (one, other, both)
        for (one, a), (other, b) in combinations(own.items(), 2)
        if (both := both_of(a & b, session)) is not None
    ]

    def told(pairs: Sequence[tuple[str | None, str, Both]]) -> Versus | None:
        n, clusters = counted(pairs, cluster)
        return Versus(*versus(pairs), len(pairs), n, clusters) if n >= LEAST else None

    n, clusters = counted(kept, cluster)
    state = state_of(n, clusters)
    if state == "none":
        return Trust(state, n, clusters, len(kept))
    return Trust(state, n, clusters, len(kept), told(kept), told(alone))


def both_of(targets: set[Hashable], session: Callable[[Hashable], Hashable]) -> Both | None:
    """What two raters both judged, where it is at least ``EACH`` sessions."""
    ordered = sorted(targets, key=repr)
    sessions = frozenset(session(target) for target in ordered)
    return Both(ordered, sessions) if len(sessions) >= EACH else None


def counted(pairs: Sequence[tuple[str | None, str, Both]], cluster: Mapping[Any, str]) -> tuple[int, int]:
    """Sessions (or pairs of sessions) and clusters of several pairs of raters, each once."""
    sessions = {session for _one, _other, both in pairs for session in both.sessions}
    return len(sessions), len({cluster[target] for _one, _other, both in pairs for target in both.targets})


def trust_of_ratings(
    judge: Mapping[int, float], people: Mapping[str, Mapping[int, float]], cluster: Mapping[int, str]
) -> Trust:
    """The label of a judge's ratings of one thing (an item, a dimension, a total).

    Args:
        judge: session → score. people: person → session → score. cluster: session → client or role.
    """

    def two(pair: tuple[str | None, str, Both]) -> Two:
        one = judge if pair[0] is None else people[pair[0]]
        other, sessions = people[pair[1]], [s for s in pair[2].targets if isinstance(s, int)]
        return Two(sessions, np.array([[one[s], other[s]] for s in sessions], dtype=float), [cluster[s] for s in sessions])

    def versus(pairs: Sequence[tuple[str | None, str, Both]]) -> tuple[Clustered, Clustered]:
        found = [two(pair) for pair in pairs]
        return mean_icc(found), mean_pearson(found)

    return trust_of(judge, people, cluster, versus)


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

    def two(given: tuple[str | None, str, Both]) -> Two:
        one, other, asked = judge if given[0] is None else people[given[0]], people[given[1]], given[2].targets
        return two_verdicts(asked, [(one[q], other[q], side[q]) for q in asked], [cluster[q] for q in asked])

    readable = {name: [q for q, verdict in own.items() if verdict is not None] for name, own in people.items()}
    return trust_of(
        [q for q, verdict in judge.items() if verdict is not None], readable, cluster,
        lambda pairs: mean_matches([two(given) for given in pairs]), pair,
    )  # fmt: skip


def majority(voices: Sequence[Verdicts]) -> tuple[dict[Hashable, str], set[Hashable]]:
    """What most of the people said, and the questions on which they have no common verdict."""
    common: dict[Hashable, str] = {}
    apart: set[Hashable] = set()
    for question in dict.fromkeys(q for voice in voices for q in voice):
        said = [verdict for voice in voices if (verdict := voice.get(question)) is not None]
        most = most_of(said)
        if most is not None:
            common[question] = most
        elif said:
            apart.add(question)
    return common, apart


def most_of(said: Sequence[str]) -> str | None:
    """What more than half say; ``None`` where there is no such verdict."""
    most = max(said, key=said.count, default=None)
    return most if most is not None and said.count(most) * 2 > len(said) else None
