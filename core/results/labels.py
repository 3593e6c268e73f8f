"""The trust label of a voice: its judgments beside those of people on the same sessions."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.agreement.comparing import TIE, Outcome
from core.agreement.matching import MatchRates, clustered_matches, match_rates
from core.results.agreements import TOTAL, people_values, with_sums
from core.results.reading import Held
from core.results.scores import item_values, wide
from core.results.trust import Trust, majority, trust_of_comparisons, trust_of_ratings
from core.results.voices import Voice, of_voice, voices
from core.results.wins import outcomes_of

if TYPE_CHECKING:
    import pandas as pd


def totals(table: "pd.DataFrame", dimensions: Mapping[str, list[str]], scoring: str) -> dict[int, float]:
    """Session → score over all items, where every item of a sum, or any item of a mean, is there."""
    whole = with_sums(table, dimensions, scoring)[TOTAL].dropna()
    return {int(str(session)): float(value) for session, value in whole.items()}


def rating_label(
    every: "pd.DataFrame", voice: Voice, dimensions: Mapping[str, list[str]], scoring: str, held: Mapping[int, Held]
) -> Trust:  # fmt: skip
    """The label of a judge's score over all items, against people who used the same instrument and language.

    Args:
        every: all ratings of the instrument in the store, of whatever study.
    """
    items = [item for own in dimensions.values() for item in own]
    judge = totals(wide(item_values(of_voice(every, voice)), items), dimensions, scoring)
    people = {
        name: totals(table, dimensions, scoring)
        for name, table in people_values(every, "person", voice.version, voice.language).items()
    }
    return trust_of_ratings(judge, people, {id: one.cluster for id, one in held.items()})


@dataclass(frozen=True)
class Asked:
    """What a judge and people said to the same questions; a question is (lower session, higher session, dimension)."""

    judge: Mapping[Hashable, str | None]
    people: Mapping[str, Mapping[Hashable, str | None]]
    cluster: Mapping[Hashable, str]  # question → role or client
    side: Mapping[Hashable, str]  # question → the counselor that counts as first


def asked(every: "pd.DataFrame", voice: Voice, stages: Mapping[str, str], held: Mapping[int, Held]) -> Asked:
    """The verdicts of a judge, both orders together, and of people on the same instrument and language.

    Args:
        every: all comparisons of the instrument in the store. stages: stage of each dimension.
    """
    cluster: dict[Hashable, str] = {}
    side: dict[Hashable, str] = {}

    def said(one: Voice) -> dict[Hashable, str | None]:
        found: dict[Hashable, str | None] = {}
        for outcome in outcomes_of(of_voice(every, one), held, stages)[0]:
            if (key := question(outcome)) is not None:
                found[key] = verdict(outcome)
                cluster.setdefault(key, str(outcome.role))
                side.setdefault(key, outcome.a)
        return found

    people: dict[str, dict[Hashable, str | None]] = {}
    for other in voices(every):
        if other.kind == "person" and (other.version, other.language) == (voice.version, voice.language):
            people.setdefault(other.name, {}).update(said(other))
    return Asked(said(voice), people, cluster, side)


def comparison_label(
    every: "pd.DataFrame", voice: Voice, stages: Mapping[str, str], held: Mapping[int, Held]
) -> Trust:
    """The label of a judge's comparisons, against people who compared the same pairs of sessions."""
    found = asked(every, voice, stages, held)
    return trust_of_comparisons(found.judge, found.people, found.cluster, found.side, pair_of)


def pair_of(key: Hashable) -> Hashable:
    """The pair of sessions a question is about."""
    return key[:2] if isinstance(key, tuple) else key


@dataclass(frozen=True)
class Match:
    """How often a judge and the majority of people say the same on a dimension, a stage or all of them."""

    id: str
    rates: MatchRates
    low: float
    high: float
    clusters: int


def matches(found: Asked, stages: Mapping[str, str]) -> list[Match]:
    """Match rates per dimension, then per stage, then over all; intervals of *with ties* over roles."""
    people = majority(list(found.people.values()))
    shared = [q for q in found.judge if found.judge[q] is not None and people.get(q) is not None]
    groups: dict[str, list[Hashable]] = {name: [] for name in (*stages, *stages.values(), TOTAL)}
    for key in shared:
        dimension = str(key[2]) if isinstance(key, tuple) else ""
        for name in (dimension, stages.get(dimension, ""), TOTAL):
            groups.setdefault(name, []).append(key)
    return [match_of(name, keys, found, people) for name, keys in groups.items() if keys]


def match_of(
    name: str, keys: Sequence[Hashable], found: Asked, people: Mapping[Hashable, str | None]
) -> Match:
    rows = [(found.judge[q], people[q], found.side[q]) for q in keys]
    rate, _kappa = clustered_matches(rows, [found.cluster[q] for q in keys])
    return Match(name, match_rates(rows), rate.low, rate.high, rate.clusters)


def question(outcome: Outcome) -> tuple[int, int, str] | None:
    """The pair of sessions and the dimension; further repeats of a question are left aside."""
    if not isinstance(outcome.repeat, tuple) or outcome.repeat[2] != 1:
        return None
    return outcome.repeat[0], outcome.repeat[1], outcome.dimension


def verdict(outcome: Outcome) -> str | None:
    return (outcome.winner or TIE) if outcome.judged else None
