"""Bradley–Terry strengths from role-level outcomes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.agreement.comparing import RoleScore
from core.agreement.intervals import FEW, tail
from core.agreement.matrix import Floats
from core.agreement.resampling import draw_weights

NAN = float("nan")
DRAWS = 1000
STEPS, CLOSE = 60, 1e-8


@dataclass(frozen=True)
class Strength:
    """Natural-log strength, the agents' mean being 0; nan where it has no finite value."""

    value: float
    low: float
    high: float


def strengths(
    scores: Mapping[tuple[str, str], Sequence[RoleScore]], rng: np.random.Generator | int, draws: int = DRAWS
) -> dict[str, Strength]:
    """Bradley–Terry strengths of one stage; every role gives one win, loss or tie (half a win) to each pair.

    Args:
        scores: per pair (a, b) the role scores of ``a`` (from ``role_scores``); roles left out do not count.
        rng: seeded by the caller, or a seed; roles are drawn with replacement.
    Returns:
        exp(difference of two strengths) is the odds that one is preferred to the other. nan for all where some
        agents won everything against the rest, since no finite strength fits that. No interval under ten
        roles, where drawing them covers too little, nor where one of its ends is infinite: in a draw where
        somebody won everything, strengths are infinite and counted so.
    Source: Bradley & Terry (1952); fitted by evalica; percentiles as in ``intervals.tail``.
    """
    agents = list(dict.fromkeys(name for pair in scores for name in pair))
    wins = role_wins(scores, agents)
    if not len(wins) or len(agents) < 2:
        return {agent: Strength(NAN, NAN, NAN) for agent in agents}
    values = fit(wins.sum(axis=0))
    if len(wins) < FEW or not draws:
        return {agent: Strength(float(value), NAN, NAN) for agent, value in zip(agents, values, strict=True)}
    drawn = drawn_fits(wins, draws, rng)
    return {
        agent: Strength(float(values[i]), *(ends(drawn[:, i], len(wins)) if np.isfinite(values[i]) else (NAN, NAN)))
        for i, agent in enumerate(agents)
    }


def drawn_fits(wins: Floats, draws: int, rng: np.random.Generator | int) -> Floats:
    """Strengths of every resample of roles, shape (draws, n_agents)."""
    return fit_or_infinite(np.tensordot(draw_weights(len(wins), draws, rng), wins, axes=1))


def ends(drawn: Floats, roles: int) -> tuple[float, float]:
    """The ends of the interval, a draw of unknown sign being beyond both; nan where one is infinite."""
    outside = tail(roles)
    low = float(np.quantile(np.where(np.isnan(drawn), -np.inf, drawn), outside, method="lower"))
    high = float(np.quantile(np.where(np.isnan(drawn), np.inf, drawn), 1 - outside, method="higher"))
    return (low, high) if np.isfinite([low, high]).all() else (NAN, NAN)


def role_wins(scores: Mapping[tuple[str, str], Sequence[RoleScore]], agents: Sequence[str]) -> Floats:
    """Wins of row over column per role, a tie being half a win to each: shape (n_roles, n_agents, n_agents)."""
    place = {agent: i for i, agent in enumerate(agents)}
    roles = list(dict.fromkeys(r.role for found in scores.values() for r in found if r.counted))
    row = {role: i for i, role in enumerate(roles)}
    wins = np.zeros((len(roles), len(agents), len(agents)))
    for (a, b), found in scores.items():
        for r in found:
            if r.counted:
                wins[row[r.role], place[a], place[b]] += r.majority
                wins[row[r.role], place[b], place[a]] += 1 - r.majority
    return wins


def fit_or_infinite(tables: Floats) -> Floats:
    """As ``fit`` for many tables at once, shape (n, n_agents, n_agents), since one by one takes a third of a second.

    Without a finite fit, infinite for agents above or below all they are linked with, nan for those between.
    """
    reach = (tables > 0) | np.eye(tables.shape[1], dtype=bool)
    for _ in range(tables.shape[1].bit_length()):
        reach = reach @ reach
    back = reach.transpose(0, 2, 1)
    above, below = (reach & ~back).any(axis=2), (back & ~reach).any(axis=2)
    found = np.where(above & ~below, np.inf, np.where(below & ~above, -np.inf, np.nan))
    linked = reach.all(axis=(1, 2))
    if linked.any():
        found[linked] = newton(tables[linked])
    return found


def newton(tables: Floats) -> Floats:
    """The maximum of the likelihood for tables that have a finite one; steps of at most 1 keep it from leaping."""
    met = tables + tables.transpose(0, 2, 1)
    values = np.zeros(tables.shape[:2])
    agents = tables.shape[1]
    for _ in range(STEPS):
        ahead = 1 / (1 + np.exp(values[:, None, :] - values[:, :, None]))
        slope = tables.sum(axis=2) - (met * ahead).sum(axis=2)
        bend = met * ahead * (1 - ahead)
        curve = np.eye(agents) * bend.sum(axis=2)[:, :, None] - bend + 1 / agents
        step = np.linalg.solve(curve, slope[:, :, None])[:, :, 0]
        values += step / np.maximum(np.abs(step).max(axis=1, keepdims=True), 1.0)
        if np.abs(step).max() < CLOSE:
            break
    centred: Floats = values - values.mean(axis=1, keepdims=True)
    return centred


def fit(wins: Floats) -> Floats:
    """Log strengths (mean 0) for a table of wins of row over column; nan where none are finite.

    A finite fit exists only when every agent is reached from every other by a chain of wins (Ford 1957).
    """
    from scipy.sparse.csgraph import connected_components

    groups, _ = connected_components(wins > 0, directed=True, connection="strong")
    if groups != 1:
        return np.full(len(wins), np.nan)
    import evalica

    rows, columns = np.nonzero(wins)
    found = evalica.bradley_terry(
        rows.tolist(), columns.tolist(), [evalica.Winner.X] * len(rows),
        weights=wins[rows, columns].tolist(), tolerance=1e-9, limit=20_000,
    )  # fmt: skip
    logs = np.log(found.scores.sort_index().to_numpy(dtype=float))
    centred: Floats = logs - logs.mean()
    return centred
