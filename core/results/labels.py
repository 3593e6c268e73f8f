"""The trust label of a voice: its judgments beside those of people on the same sessions."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING

from core.agreement.clustered import Clustered
from core.agreement.comparing import EVEN, TIE, Outcome
from core.agreement.matching import MatchRates, clustered_matches, match_rates
from core.results.agreements import TOTAL, people_values, with_sums
from core.results.reading import Held
from core.results.scores import READABLE, item_values
from core.results.trust import NOTHING, Trust, majority, most_of, trust_of_comparisons, trust_of_ratings
from core.results.voices import Voice, of_voice, voices
from core.results.wins import outcomes_of

if TYPE_CHECKING:
    import pandas as pd

OTHER, RULES = "other", "rules"  # sessions made by rules: the demo engine spoke in them; all others: people, models, imported words
MADE = (OTHER, RULES)


@dataclass(frozen=True)
class Label:
    """What may be said of a judge on sessions made by rules, and apart from it on other sessions.

    ``judged`` are the kinds of sessions it judged at all, whether or not people judged any of them.
    """

    other: Trust = NOTHING
    rules: Trust = NOTHING
    judged: tuple[str, ...] = ()

    def on(self, made: str) -> Trust:
        return self.rules if made == RULES else self.other

    @property
    def mixed(self) -> bool:
        return len(self.judged) > 1

    @property
    def first(self) -> str:
        """The kind of sessions that is spoken of first: other ones, where it judged any."""
        return next(iter(self.judged), OTHER)


# ---- ratings -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rated:
    """What a judge and people gave: sessions × (items, dimensions, total)."""

    judge: "pd.DataFrame"
    people: Mapping[str, "pd.DataFrame"]


def rated(
    every: "pd.DataFrame", voice: Voice, dimensions: Mapping[str, list[str]], scoring: str
) -> Rated:
    """The scores of a judge, and of people who used the same instrument version and language.

    Args:
        every: of whatever study, what people and the judge said of the same sessions (``reading.beside_people``).
    """
    if not len(every):
        import pandas as pd

        return Rated(pd.DataFrame(), {})
    people = people_values(every, "person", voice.version, voice.language)
    return Rated(
        with_sums(item_values(of_voice(every, voice)), dimensions, scoring),
        {name: with_sums(values, dimensions, scoring) for name, values in people.items()},
    )


def rating_label(found: Rated, held: Mapping[int, Held], of: str = TOTAL) -> Label:
    """The label of a judge's scores of one thing: an item, a dimension or the total."""
    cluster = {id: one.cluster for id, one in held.items()}

    def on(made: str) -> Trust:
        people = {name: known(table, of, held, made) for name, table in found.people.items()}
        return trust_of_ratings(known(found.judge, of, held, made), people, cluster)

    judged = tuple(made for made in MADE if known(found.judge, of, held, made))
    return Label(on(OTHER), on(RULES), judged)


def known(table: "pd.DataFrame", column: str, held: Mapping[int, Held], made: str) -> dict[int, float]:
    """Session → score, where there is one, for sessions of one making."""
    if column not in table:
        return {}
    own = {int(str(session)): float(value) for session, value in table[column].dropna().items()}
    return {id: value for id, value in own.items() if id in held and held[id].by_rules == (made == RULES)}


# ---- comparisons ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Asked:
    """What a judge and people said to the same questions; a question is (lower session, higher session, dimension)."""

    judge: Mapping[Hashable, str | None]
    people: Mapping[str, Mapping[Hashable, str | None]]
    cluster: Mapping[Hashable, str]  # question → role or client
    side: Mapping[Hashable, str]  # question → the counselor that counts as first
    other: Mapping[Hashable, str]  # question → the other counselor
    by_rules: Mapping[Hashable, bool]  # question → whether rules spoke in either session

    def on(self, made: str) -> "Asked":
        """The questions about sessions of one making."""

        def own(verdicts: Mapping[Hashable, str | None]) -> dict[Hashable, str | None]:
            return {q: verdict for q, verdict in verdicts.items() if self.by_rules[q] == (made == RULES)}

        people = {name: own(verdicts) for name, verdicts in self.people.items()}
        return replace(self, judge=own(self.judge), people={name: said for name, said in people.items() if said})


def asked(every: "pd.DataFrame", voice: Voice, stages: Mapping[str, str], held: Mapping[int, Held]) -> Asked:
    """The verdicts of a judge, both orders and all repeats together, and of people on the same instrument and language.

    Args:
        every: of whatever study, of people and the judge (``reading.beside_people``). stages: stage of each dimension.
    """
    if not len(every):
        return Asked({}, {}, {}, {}, {}, {})
    about: dict[Hashable, tuple[str, str, str, bool]] = {}

    def said(one: Voice) -> dict[Hashable, str | None]:
        rows = of_voice(every, one)
        found = outcomes_of(rows, held, stages)[0]
        for outcome in found:
            if (key := question(outcome)) is not None:
                by_rules = held[key[0]].by_rules or held[key[1]].by_rules
                about.setdefault(key, (str(outcome.role), outcome.a, outcome.b, by_rules))
        return verdicts(found, planned(rows))

    people: dict[str, dict[Hashable, str | None]] = {}
    for other in voices(every):
        if other.kind == "person" and (other.version, other.language) == (voice.version, voice.language):
            people.setdefault(other.who, {}).update(said(other))
    mine = said(voice)
    return Asked(mine, people, *({key: facts[at] for key, facts in about.items()} for at in range(4)))  # type: ignore[arg-type]


def planned(rows: "pd.DataFrame") -> dict[Hashable, int]:
    """Question → how many repeats of it were planned."""
    found: dict[Hashable, int] = {}
    for first, second, dimension, repeats in zip(*(rows[c] for c in ("first", "second", "dimension", "repeats")), strict=True):
        key = (min(int(first), int(second)), max(int(first), int(second)), dimension)
        found[key] = max(found.get(key, 1), int(repeats))
    return found


def verdicts(found: Sequence[Outcome], planned: Mapping[Hashable, int]) -> dict[Hashable, str | None]:
    """Question → what most of its repeats say, a tie where they do not settle on anything, as for the two orders.

    ``None`` where under two thirds of the planned repeats could be read.
    """
    said: dict[Hashable, list[str | None]] = {}
    for outcome in found:
        if (asked_about := question(outcome)) is not None:
            said.setdefault(asked_about, []).append((outcome.winner or TIE) if outcome.judged else None)
    return {key: settled(each, max(planned.get(key, 1), len(each))) for key, each in said.items()}


def settled(each: Sequence[str | None], planned: int) -> str | None:
    """One verdict of the repeats of one question."""
    read = [verdict for verdict in each if verdict is not None]
    return (most_of(read) or TIE) if len(read) >= ceil(planned * READABLE - 1e-9) else None


def question(outcome: Outcome) -> tuple[int, int, str] | None:
    """The pair of sessions and the dimension."""
    if not isinstance(outcome.repeat, tuple):
        return None
    return outcome.repeat[0], outcome.repeat[1], outcome.dimension


def comparison_label(found: Asked, stages: Mapping[str, str], of: str = TOTAL) -> Label:
    """The label of a judge's comparisons on one dimension, one stage or all of them."""

    def own(said: Mapping[Hashable, str | None]) -> dict[Hashable, str | None]:
        return {q: verdict for q, verdict in said.items() if of in names_of(q, stages)}

    def on(made: str) -> Trust:
        part = found.on(made)
        people = {name: own(said) for name, said in part.people.items()}
        return trust_of_comparisons(own(part.judge), people, found.cluster, found.side, pair_of)

    judged = tuple(made for made in MADE if any(verdict is not None for verdict in own(found.on(made).judge).values()))
    return Label(on(OTHER), on(RULES), judged)


def names_of(key: Hashable, stages: Mapping[str, str]) -> tuple[str, str, str]:
    """The dimension, the stage and the whole that a question belongs to."""
    dimension = str(key[2]) if isinstance(key, tuple) else ""
    return dimension, stages.get(dimension, ""), TOTAL


def pair_of(key: Hashable) -> Hashable:
    """The pair of sessions a question is about."""
    return key[:2] if isinstance(key, tuple) else key


# ---- match rates ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Match:
    """How often a judge and the majority of people say the same on a dimension, a stage or all of them.

    ``apart`` questions have no common verdict of people: they are counted here and in no rate.
    """

    id: str
    rates: MatchRates
    rate: Clustered  # with a tie as a class
    pairs: int  # of sessions
    apart: int = 0


def matches(found: Asked, stages: Mapping[str, str]) -> list[Match]:
    """Match rates per dimension, then per stage, then over all; intervals of *with ties* over roles."""
    people, apart = majority(list(found.people.values()))
    groups: dict[str, list[Hashable]] = {name: [] for name in (*stages, *stages.values(), TOTAL)}
    for key in (q for q, verdict in found.judge.items() if verdict is not None and (q in people or q in apart)):
        for name in names_of(key, stages):
            groups.setdefault(name, []).append(key)
    return [match_of(name, keys, found, people) for name, keys in groups.items() if keys]


def match_of(name: str, keys: Sequence[Hashable], found: Asked, people: Mapping[Hashable, str]) -> Match:
    shared = [q for q in keys if q in people]
    rows = [(found.judge[q], people[q], found.side[q]) for q in shared]
    rate, _kappa = clustered_matches(rows, [found.cluster[q] for q in shared])
    return Match(name, match_rates(rows), rate, len({pair_of(q) for q in shared}), len(keys) - len(shared))


@dataclass(frozen=True)
class StageMatch:
    """How often a judge and a person prefer the same of two counselors in a stage, all their roles together."""

    id: str
    rates: MatchRates
    pairs: int  # of counselors
    people: int


def stage_matches(found: Asked, stages: Mapping[str, str]) -> list[StageMatch]:
    """Match of aggregated verdicts: per stage one verdict of the judge, and of each person, on each pair of counselors.

    Both are aggregated over the questions that both answered: mean over the dimensions of a role, over roles, above or
    below ½. Every person counts by themselves.

    Source: ESC-Judge, Table 3 and section 3.4.
    """
    told = []
    for stage in dict.fromkeys(stages.values()):
        rows, pairs, people = [], set(), set()
        for person, said in found.people.items():
            shared = [q for q in said if said[q] is not None and found.judge.get(q) is not None and stage in names_of(q, stages)]
            judge, own = preferred(shared, found.judge, found), preferred(shared, said, found)
            rows += [(judge[pair], own[pair], pair[0]) for pair in own]
            pairs |= set(own)
            people |= {person} if own else set()
        if rows:
            told.append(StageMatch(stage, match_rates(rows), len(pairs), len(people)))
    return told


def preferred(
    keys: Sequence[Hashable], said: Mapping[Hashable, str | None], found: Asked
) -> dict[tuple[str, str], str]:
    """Pair of counselors → the one preferred over these questions, or a tie at exactly ½."""
    roles: dict[tuple[str, str], dict[str, list[float]]] = {}
    for key in keys:
        pair = (found.side[key], found.other[key])
        w = {pair[0]: 1.0, pair[1]: 0.0}.get(str(said[key]), 0.5)
        roles.setdefault(pair, {}).setdefault(found.cluster[key], []).append(w)
    told = {}
    for pair, each in roles.items():
        score = sum(sum(own) / len(own) for own in each.values()) / len(each)
        told[pair] = TIE if abs(score - 0.5) < EVEN else pair[0] if score > 0.5 else pair[1]
    return told
