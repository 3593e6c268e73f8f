"""Win scores of pairs and agents in one stage, with intervals from resampling roles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.agreement.comparing import EVEN, TIE, RoleScore
from core.agreement.matrix import Floats
from core.agreement.resampling import draw_weights, percentiles, resampled_means

NAN = float("nan")
FEWEST = 6  # clusters; with fewer, even a unanimous result has p > .05 (2 · ½⁵ = .0625)
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
    """Mean of an agent's scores against its opponents, with its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class StageScores:
    """Everything one stage says about the agents."""

    pairs: list[Pair]
    agents: dict[str, AgentScore]
    roles: int


def stage_scores(
    scores: Mapping[tuple[str, str], Sequence[RoleScore]], rng: np.random.Generator, draws: int = DRAWS
) -> StageScores:
    """Scores of all pairs and agents of one stage.

    Args:
        scores: per pair (a, b) the role scores of ``a``, each in [0, 1] (from ``role_scores``).
        rng: seeded by the caller; roles are drawn with replacement, all pairs of a role together.
        draws: resamples.
    Returns:
        Scores in [0, 1], ½ even. An agent's score is the mean over its opponents of its pair scores.
    Source: ESC-Judge §3.4; cluster bootstrap, Davison & Hinkley (1997).
    """
    names = list(scores)
    table = role_table(scores)
    means = resampled_means(table, draw_weights(len(table), draws, rng)) if len(table) else table
    pairs = []
    for column, (a, b) in enumerate(names):
        counted = [r for r in scores[a, b] if r.counted]
        low, high = interval(np.array([r.score for r in counted]), means[:, column])
        majorities = [r.majority for r in counted]
        pairs.append(
            Pair(
                a, b, mean([r.score for r in counted]), low, high,
                wins=majorities.count(1.0), losses=majorities.count(0.0), ties=majorities.count(0.5),
                left_out=len(scores[a, b]) - len(counted), coverage=mean([r.coverage for r in scores[a, b]]),
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


def interval(values: Floats, resampled: Floats) -> tuple[float, float]:
    """95 % interval of a mean of scores in [0, 1].

    The resampled percentiles; where resampling cannot speak (fewer than six roles, or all of them alike) the
    exact binomial bounds with the score as share of successes, which is wider than the truth, never narrower.

    Args:
        values: one score for each role. resampled: its resampled means.
    Source: Clopper & Pearson (1934).
    """
    n = len(values)
    if n < 2:
        return NAN, NAN
    if n >= FEWEST and float(np.ptp(values)) > EVEN:
        return percentiles(resampled, 0.95)
    from scipy.stats import beta

    won = float(values.sum())
    low = float(beta.ppf(0.025, won, n - won + 1)) if won > EVEN else 0.0
    high = float(beta.ppf(0.975, won + 1, n - won)) if n - won > EVEN else 1.0
    return low, high


def agent_scores(names: Sequence[tuple[str, str]], table: Floats, means: Floats) -> dict[str, AgentScore]:
    """Mean score of each agent over its opponents, resampled with the pairs."""
    found: dict[str, AgentScore] = {}
    for agent in dict.fromkeys(name for pair in names for name in pair):
        columns = [i for i, pair in enumerate(names) if agent in pair]
        signs = np.array([names[i][0] == agent for i in columns])
        own = np.where(signs, table[:, columns], 1 - table[:, columns])
        by_role = row_means(own)
        known = by_role[~np.isnan(by_role)]
        resampled = row_means(np.where(signs, means[:, columns], 1 - means[:, columns]))
        low, high = interval(known, resampled)
        found[agent] = AgentScore(mean(known_means(own)), low, high)
    return found


def known_means(table: Floats) -> list[float]:
    """The mean of each column over its known values; columns without any are left out."""
    columns = (column[~np.isnan(column)] for column in table.T)
    return [float(column.mean()) for column in columns if len(column)]


def row_means(table: Floats) -> Floats:
    """The mean of each row over its known values; nan for a row without any."""
    known = ~np.isnan(table)
    with np.errstate(invalid="ignore"):
        means: Floats = np.where(known, table, 0.0).sum(axis=1) / known.sum(axis=1)
    return means


@dataclass(frozen=True)
class Between:
    """One group of agents against another, by majority per role."""

    wins: int
    losses: int
    ties: int

    @property
    def score(self) -> float:
        total = self.wins + self.losses + self.ties
        return (self.wins + self.ties / 2) / total if total else NAN


def between_groups(pairs: Sequence[Pair], group: set[str]) -> Between:
    """The agents of ``group`` against all others, wins, losses and ties added up over pairs and roles."""
    wins = losses = ties = 0
    for pair in pairs:
        if (pair.a in group) == (pair.b in group):
            continue
        mine = pair.a in group
        wins += pair.wins if mine else pair.losses
        losses += pair.losses if mine else pair.wins
        ties += pair.ties
    return Between(wins, losses, ties)
