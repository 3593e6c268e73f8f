"""The trust label: how far a judge agrees with one person, beside how far one person agrees with another.

Like is compared with like: two raters at a time, on the same sessions, as a mean over people and over pairs of people.
Where the judge and two people judged ``LEAST`` sessions both figures rest on these, else the judge's stands alone.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np

from core.agreement.clustered import Clustered
from core.agreement.pairwise import PairMean, Two, mean_icc, mean_matches, mean_pearson, two_verdicts

LEAST = 10  # shared sessions (or pairs of sessions); below, no figure
EACH = 5  # of them by one person, or by two people, to count at all
ENOUGH = 30
ENOUGH_CLUSTERS = 10  # clients or roles
NAN = float("nan")
State = Literal["none", "few", "figures"]
Verdicts = Mapping[Hashable, str | None]


@dataclass(frozen=True)
class Rests:
    """What a figure rests on: pairs of raters that have a value, the people in them, sessions (or pairs of sessions), clusters."""

    pairs: int = 0
    people: int = 0
    n: int = 0
    clusters: int = 0


@dataclass(frozen=True)
class Versus:
    """Two raters at a time: their mean agreement over pairs of raters.

    For ratings ``agreement`` is ICC(A,1) and ``second`` is r; for comparisons the match rate with tie as a
    class and Cohen's kappa. A pair without a value (r or kappa of somebody who always says the same) is in neither
    the mean nor the count: ``on`` is of ``agreement``, ``second_on`` of ``second``.
    """

    agreement: Clustered
    second: Clustered
    on: Rests
    second_on: Rests

    @property
    def pairs(self) -> int:
        return self.on.pairs

    @property
    def n(self) -> int:
        return self.on.n

    @property
    def clusters(self) -> int:
        return self.on.clusters

    @property
    def few(self) -> bool:
        return state_of(self.n, self.clusters) != "figures"


@dataclass(frozen=True)
class Trust:
    """What may be said of a judge on one thing (item, dimension, total): nothing, figures that are too few, figures.

    ``n``, ``clusters`` and ``people`` count what ``judge`` rests on; without it, what the judge and people who judged
    at least ``EACH`` of it both judged. ``people_alone`` is person with person; where there is one, ``judge`` rests on
    the same sessions, and on nothing that one person alone judged. ``None``: two people judged fewer than ``LEAST``.
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


Raters = tuple[str | None, str, Both]  # two of them (None is the judge) and what both judged


def trust_of(
    judge: Iterable[Hashable], people: Mapping[str, Iterable[Hashable]], cluster: Mapping[Any, str],
    versus: Callable[[Sequence[Raters]], tuple[PairMean, PairMean]],
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
    kept = with_judge(own, session)
    alone: list[Raters] = [
        (one, other, both)
        for (one, a), (other, b) in combinations(own.items(), 2)
        if (both := both_of(a & b, session)) is not None
    ]
    ceiling = told(alone, versus, cluster)
    if ceiling is not None:
        same = {target for at in ceiling[1] for target in alone[at][2].targets}
        pairs = {name for at in ceiling[1] for name in alone[at][:2]}
        kept = with_judge({name: targets & same for name, targets in own.items() if name in pairs}, session)
    found, every = told(kept, versus, cluster), rests(kept, cluster)
    if found is None:
        return Trust("none", every.n, every.clusters, every.people)
    on = found[0].on
    return Trust(state_of(on.n, on.clusters), on.n, on.clusters, on.people, found[0], ceiling[0] if ceiling else None)


def with_judge(own: Mapping[str, set[Hashable]], session: Callable[[Hashable], Hashable]) -> list[Raters]:
    """The judge with each person who judged enough of it."""
    return [(None, name, both) for name, targets in own.items() if (both := both_of(targets, session)) is not None]


def told(
    pairs: Sequence[Raters], versus: Callable[[Sequence[Raters]], tuple[PairMean, PairMean]], cluster: Mapping[Any, str]
) -> tuple[Versus, tuple[int, ...]] | None:
    """The figures of pairs of raters and the places of the pairs they rest on; ``None`` on fewer than ``LEAST``."""
    if rests(pairs, cluster).n < LEAST:
        return None
    agreement, second = versus(pairs)
    of = agreement.of or tuple(range(len(pairs)))
    on, second_on = (rests([pairs[at] for at in places], cluster) for places in (of, second.of))
    if on.n < LEAST:
        return None
    if second_on.n < LEAST:
        second, second_on = PairMean(NAN, NAN, NAN, 0, 0), Rests()
    return Versus(agreement, second, on, second_on), of


def both_of(targets: set[Hashable], session: Callable[[Hashable], Hashable]) -> Both | None:
    """What two raters both judged, where it is at least ``EACH`` sessions."""
    ordered = sorted(targets, key=repr)
    sessions = frozenset(session(target) for target in ordered)
    return Both(ordered, sessions) if len(sessions) >= EACH else None


def rests(pairs: Sequence[Raters], cluster: Mapping[Any, str]) -> Rests:
    """What several pairs of raters rest on: sessions (or pairs of sessions), clusters and people, each once."""
    sessions = {session for _one, _other, both in pairs for session in both.sessions}
    clusters = {cluster[target] for _one, _other, both in pairs for target in both.targets}
    return Rests(len(pairs), len({name for pair in pairs for name in pair[:2] if name is not None}), len(sessions), len(clusters))


def trust_of_ratings(
    judge: Mapping[int, float], people: Mapping[str, Mapping[int, float]], cluster: Mapping[int, str]
) -> Trust:
    """The label of a judge's ratings of one thing (an item, a dimension, a total).

    Args:
        judge: session → score. people: person → session → score. cluster: session → client or role.
    """

    def two(pair: Raters) -> Two:
        one = judge if pair[0] is None else people[pair[0]]
        other, sessions = people[pair[1]], [s for s in pair[2].targets if isinstance(s, int)]
        return Two(sessions, np.array([[one[s], other[s]] for s in sessions], dtype=float), [cluster[s] for s in sessions])

    def versus(pairs: Sequence[Raters]) -> tuple[PairMean, PairMean]:
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

    def two(given: Raters) -> Two:
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
