"""Win scores of pairs and agents in one stage, with intervals over roles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.agreement.comparing import EVEN, TIE, RoleScore
from core.agreement.intervals import MANY, Kind, score_bounds
from core.agreement.matrix import Floats
from core.agreement.resampling import draw_weights, resampled_means

NAN = float("nan")
DRAWS = 10_000


@dataclass(frozen=True)
class Pair:
    """``a`` against ``b`` in one stage: mean over roles, interval, majority per role, the paper's decision."""

    a: str
    b: str
    score: float
    low: float
    high: float
    wins: int
    losses: int
    ties: int
    left_out: int
    coverage: float
    kind: Kind = ""  # of the interval

    @property
    def roles(self) -> int:
        return self.wins + self.losses + self.ties

    @property
    def majority_score(self) -> float:
        return (self.wins + self.ties / 2) / self.roles if self.roles else NAN

    @property
    def decision(self) -> str | None:
        """The agent above ½, or a tie at exactly ½ (ESC-Judge's rule); ``None`` without any role."""
        if not self.roles:
            return None
        if abs(self.score - 0.5) < EVEN:
            return TIE
        return self.a if self.score > 0.5 else self.b

    @property
    def supported(self) -> bool:
        """Whether the interval excludes ½."""
        return bool(self.low > 0.5 or self.high < 0.5)


@dataclass(frozen=True)
class AgentScore:
    """Mean of an agent's scores against its opponents, with its interval and the roles behind it."""

    value: float
    low: float
    high: float
    kind: Kind = ""
    roles: int = 0


@dataclass(frozen=True)
class StageScores:
    """Everything one stage says about the agents."""

    pairs: list[Pair]
    agents: dict[str, AgentScore]
    roles: int


def stage_scores(
    scores: Mapping[tuple[str, str], Sequence[RoleScore]], rng: np.random.Generator | int, draws: int = DRAWS
) -> StageScores:
    """Scores of all pairs and agents of one stage.

    Args:
        scores: per pair (a, b) the role scores of ``a``, each in [0, 1] (from ``role_scores``).
        rng: seeded by the caller, or a seed; roles are drawn with replacement, all pairs of a role together.
        draws: resamples, made from ``intervals.MANY`` roles on.
    Returns:
        Scores in [0, 1], ½ even. An agent's score is the mean over its opponents of its pair scores.
    Source: ESC-Judge §3.4; intervals as in ``intervals.score_bounds``.
    """
    names = list(scores)
    table = role_table(scores)
    # no pair and no agent rests on more roles than the table has
    means = resampled_means(table, draw_weights(len(table), draws, rng)) if len(table) >= MANY else np.full((1, len(names)), NAN)
    pairs = []
    for column, (a, b) in enumerate(names):
        counted = [r for r in scores[a, b] if r.counted]
        bounds = score_bounds(np.array([r.score for r in counted]), means[:, column])
        majorities = [r.majority for r in counted]
        pairs.append(
            Pair(
                a, b, mean([r.score for r in counted]), bounds.low, bounds.high,
                wins=majorities.count(1.0), losses=majorities.count(0.0), ties=majorities.count(0.5),
                left_out=len(scores[a, b]) - len(counted), coverage=mean([r.coverage for r in scores[a, b]]),
                kind=bounds.kind,
            )
        )  # fmt: skip
    return StageScores(pairs, agent_scores(names, table, means), len(table))


def role_table(scores: Mapping[tuple[str, str], Sequence[RoleScore]]) -> Floats:
    """Scores with a row for each role and a column for each pair; nan where a role is left out of a pair."""
    roles = list(dict.fromkeys(r.role for found in scores.values() for r in found if r.counted))
    place = {role: row for row, role in enumerate(roles)}
    table = np.full((len(roles), len(scores)), np.nan)
    for column, found in enumerate(scores.values()):
        for r in found:
            if r.counted:
                table[place[r.role], column] = r.score
    return table


def mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if len(values) else NAN


def agent_scores(names: Sequence[tuple[str, str]], table: Floats, means: Floats) -> dict[str, AgentScore]:
    """Mean score of each agent over its opponents, resampled with the pairs."""
    found: dict[str, AgentScore] = {}
    for agent in dict.fromkeys(name for pair in names for name in pair):
        columns = [i for i, pair in enumerate(names) if agent in pair]
        signs = np.array([names[i][0] == agent for i in columns])
        own = np.where(signs, table[:, columns], 1 - table[:, columns])
        by_role = role_shares(own)
        resampled = row_means(np.where(signs, means[:, columns], 1 - means[:, columns]))
        bounds = score_bounds(by_role, resampled)
        value = mean(known_means(own))
        found[agent] = AgentScore(value, bounds.low, bounds.high, bounds.kind, len(by_role))
    return found


def known_means(table: Floats) -> list[float]:
    """The mean of each column over its known values; columns without any are left out."""
    columns = (column[~np.isnan(column)] for column in table.T)
    return [float(column.mean()) for column in columns if len(column)]


def role_shares(table: Floats) -> Floats:
    """What each role says of an agent: values whose mean is the mean over opponents of their means over roles.

    Without missing cells these are the roles' own means. With them a role that met few opponents moves the
    mean by less, and its share lies that much nearer to it (the influence values of Davison & Hinkley 1997).

    Args:
        table: roles × opponents, in [0, 1], nan where a role is left out.
    Returns:
        one value for each role that says anything.
    """
    table = table[:, ~np.isnan(table).all(axis=0)]
    known = ~np.isnan(table)
    heard = known.any(axis=1)
    table, known = table[heard], known[heard]
    if not table.size:
        return np.zeros(0)
    columns = np.nanmean(table, axis=0)
    pulls = np.where(known, (table - columns) / known.sum(axis=0), 0.0).mean(axis=1) * len(table)
    shares: Floats = columns.mean() + pulls
    return shares


def row_means(table: Floats) -> Floats:
    """The mean of each row over its known values; nan for a row without any."""
    known = ~np.isnan(table)
    with np.errstate(invalid="ignore"):
        means: Floats = np.where(known, table, 0.0).sum(axis=1) / known.sum(axis=1)
    return means
