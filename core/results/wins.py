"""Win scores of a study from its comparisons: per stage, pair, agent and dimension."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from core.agreement.comparing import TIE, Outcome, Reading, RoleScore, outcomes, role_scores, tally
from core.agreement.strength import Strength, strengths
from core.agreement.winning import AgentScore, Pair, StageScores, stage_scores
from core.results.asked import NOTHING, AskedFor, against, studies
from core.results.claims import Claim, claim, engine_of
from core.results.reading import SINGLE_ORDER, Held

if TYPE_CHECKING:
    import pandas as pd

SEED = 7
DRAWS = 10_000


@dataclass(frozen=True)
class Stage:
    """One stage of an instrument: scores of pairs and agents, and Bradley–Terry strengths."""

    id: str
    scores: StageScores
    strengths: Mapping[str, Strength]

    def pair(self, a: str, b: str) -> Pair | None:
        """The pair as seen from ``a``, whichever way round it is kept."""
        for pair in self.scores.pairs:
            if (pair.a, pair.b) == (a, b):
                return pair
            if (pair.a, pair.b) == (b, a):
                return turned(pair)
        return None


@dataclass(frozen=True)
class Contest:
    """All that one judge's comparisons in one study say."""

    agents: tuple[str, ...]
    outcomes: Sequence[Outcome]
    counts: Mapping[str, int]
    stages: Mapping[str, Stage]
    dimensions: Mapping[str, Mapping[str, AgentScore]]  # dimension → agent → mean w against its opponents
    both_orders: bool
    same_verdict: float  # share of questions in both orders with the same verdict; nan without any
    claim: Claim
    engine: str
    engines: Mapping[str, str] = field(default_factory=dict)

    @property
    def pairs(self) -> list[Pair]:
        """The pairs of every stage."""
        return [pair for stage in self.stages.values() for pair in stage.scores.pairs]


def roles_behind(found: Iterable[Pair | AgentScore]) -> tuple[int, int]:
    """The least and the most roles that any of these scores rests on; roles that are left out are not among them."""
    roles = [one.roles for one in found]
    return min(roles, default=0), max(roles, default=0)


def turned(pair: Pair) -> Pair:
    """The same pair seen from the other side."""
    return replace(
        pair, a=pair.b, b=pair.a, score=1 - pair.score, low=1 - pair.high, high=1 - pair.low,
        wins=pair.losses, losses=pair.wins,
    )  # fmt: skip


def contest(
    frame: "pd.DataFrame", held: Mapping[int, Held], stages: Mapping[str, str], asked: AskedFor = NOTHING
) -> Contest:
    """Everything the comparisons of one judge say.

    Args:
        frame: comparisons of one rater (``reading.comparisons``), all of one instrument.
        held: the sessions compared, by id.
        stages: the stage of each dimension, from the instrument, in its order.
        asked: what units asked the judge; a call that failed counts as a question without an answer.
    """
    every = asked.joined(frame)
    found, both = outcomes_of(every, held, stages)
    scores = against(role_scores(found, {}), asked_by_role(every, held, stages, asked), stages)
    shown = {
        stage: stage_of(stage, {(a, b): each for (at, a, b), each in scores.items() if at == stage})
        for stage in dict.fromkeys(stages.values())
        if any(at == stage for at, _, _ in scores)
    }
    counts = tally(found)
    judged = counts["decided"] + counts["tie"] + counts["orders_disagree"]
    agents = tuple(sorted({name for o in found for name in (o.a, o.b)}))
    sessions = {int(id) for side in ("first", "second") for id in frame[side]} if len(frame) else set()
    compared = [held[id] for id in sessions if id in held]
    judge = str(frame["rater_kind"].iloc[0]) if len(frame) else "rules"
    return Contest(
        agents=agents, outcomes=found, counts=counts, stages=shown,
        dimensions={d: dimension_means(found, d, scores) for d in stages if any(o.dimension == d for o in found)},
        both_orders=both, same_verdict=(judged - counts["orders_disagree"]) / judged if both and judged else float("nan"),
        claim=claim(judge, {one.engine for one in compared}), engine=engine_of(judge, {one.made_by for one in compared}),
        engines={held[id].counselor: held[id].engine for id in sessions if id in held},
    )  # fmt: skip


def outcomes_of(
    frame: "pd.DataFrame", held: Mapping[int, Held], stages: Mapping[str, str]
) -> tuple[list[Outcome], bool]:
    """How every question of one judge ended, and whether any was put in both orders.

    A pair that only studies with one order compared is read as it was asked, beside others or not.
    """
    both = pairs_in_both_orders(frame)
    pairs = zip(frame["first"], frame["second"], strict=True)
    twice = np.array([frozenset((int(a), int(b))) in both for a, b in pairs], dtype=bool)
    found = outcomes(readings(frame[twice], held, stages)) + outcomes(readings(frame[~twice], held, stages), both_orders=False)
    return found, bool(both)


def readings(frame: "pd.DataFrame", held: Mapping[int, Held], stages: Mapping[str, str]) -> list[Reading]:
    """Stored comparisons as readings: sessions become counselors, roles the clusters.

    Comparisons of two sessions by one and the same counselor, and of unknown dimensions, are left aside.
    """
    found = []
    columns = ("first", "second", "winner", "verdict", "dimension", "repeat", "role")
    for first, second, winner, verdict, dimension, repeat, role in zip(*(frame[c] for c in columns), strict=True):
        one, other = held.get(int(first)), held.get(int(second))
        if one is None or other is None or one.counselor == other.counselor or dimension not in stages:
            continue
        won = {one.id: one.counselor, other.id: other.counselor}.get(
            int(winner) if winner == winner and winner else 0
        )
        said = won if verdict == "won" else TIE if verdict == "tie" else None
        which = (min(one.id, other.id), max(one.id, other.id), int(repeat))
        found.append(
            Reading(role_of(one, other, role), one.counselor, other.counselor, dimension, stages[dimension], said, which)
        )
    return found


def role_of(one: Held, other: Held, card: float | None = None) -> str:
    """The role (or client) two sessions are compared on, the same whichever is shown first.

    Where they belong to different ones: the card the comparison names, else what the lower session belongs to.
    """
    if one.cluster == other.cluster:
        return one.cluster
    return f"role {int(card)}" if card and card == card else min(one, other, key=lambda held: held.id).cluster


def asked_by_role(
    frame: "pd.DataFrame", held: Mapping[int, Held], stages: Mapping[str, str], asked: AskedFor
) -> dict[tuple[str, str, Hashable], frozenset[str]]:
    """(a, b, role) → the dimensions that the studies which compared them there asked for."""
    wanted = asked.expected(frame)
    found: dict[tuple[str, str, Hashable], frozenset[str]] = {}
    columns = zip(frame["first"], frame["second"], frame["role"], studies(frame), strict=True)
    for first, second, role, study in dict.fromkeys(columns):
        one, other = held.get(int(first)), held.get(int(second))
        if one is not None and other is not None:
            a, b = sorted((one.counselor, other.counselor))
            key = (a, b, role_of(one, other, role))
            found[key] = found.get(key, frozenset()) | wanted.get(study, frozenset())
    return found


def pairs_in_both_orders(frame: "pd.DataFrame") -> set[frozenset[int]]:
    """The pairs compared in a study that showed any pair both ways round; people are shown one way."""
    if not len(frame) or frame["rater_kind"].iloc[0] in SINGLE_ORDER:
        return set()
    shown: dict[int, set[tuple[int, int]]] = {}
    for study, a, b in zip(studies(frame), frame["first"], frame["second"], strict=True):
        shown.setdefault(study, set()).add((int(a), int(b)))
    whole = [pairs for pairs in shown.values() if any((b, a) in pairs for a, b in pairs)]
    return {frozenset(pair) for pairs in whole for pair in pairs}


def stage_of(stage: str, scores: Mapping[tuple[str, str], Sequence[object]]) -> Stage:
    own: dict = dict(scores)
    return Stage(
        stage,
        stage_scores(own, SEED, DRAWS),
        strengths(own, SEED),
    )


def dimension_means(
    found: Sequence[Outcome], dimension: str, scores: Mapping[tuple[str, str, str], Sequence[RoleScore]]
) -> dict[str, AgentScore]:
    """Mean w of each agent on one dimension: over a role's repeats, over roles, then over opponents.

    Args:
        scores: of the whole stage (``role_scores``); a role that is left out there is left out here.
    """
    values: dict[tuple[str, str], dict[Hashable, list[float]]] = {}
    for o in found:
        if o.dimension == dimension and o.judged:
            values.setdefault((o.a, o.b), {}).setdefault(o.role, []).append(o.w)
    stage = next((o.stage for o in found if o.dimension == dimension), "")
    kept = {pair: {r.role for r in scores.get((stage, *pair), ()) if r.counted} for pair in values}
    own = {
        pair: [RoleScore(role, float(np.mean(w)), 1, 1) for role, w in roles.items() if role in kept[pair]]
        for pair, roles in values.items()
    }
    return stage_scores(own, SEED, DRAWS).agents


def agent_table(stage: Stage) -> "pd.DataFrame":
    """Agents of a stage, best score first: win score, interval, Bradley–Terry strength with interval."""
    import pandas as pd

    rows = []
    for agent, score in sorted(stage.scores.agents.items(), key=lambda item: -nan_last(item[1])):
        strength = stage.strengths.get(agent, Strength(float("nan"), float("nan"), float("nan")))
        rows.append(
            (agent, score.value, score.low, score.high, score.kind, score.roles, strength.value, strength.low,
             strength.high)
        )  # fmt: skip
    columns = ["agent", "score", "low", "high", "kind", "roles", "strength", "strength_low", "strength_high"]
    return pd.DataFrame(rows, columns=columns)


def nan_last(score: AgentScore) -> float:
    return score.value if score.value == score.value else -1.0
