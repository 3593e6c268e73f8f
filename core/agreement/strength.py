"""Bradley–Terry strengths from role-level outcomes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.agreement.comparing import RoleScore
from core.agreement.matrix import Floats
from core.agreement.resampling import draw_weights, percentiles

NAN = float("nan")
MANY = 0.95  # share of resamples that must give finite strengths before an interval is shown


@dataclass(frozen=True)
class Strength:
    """Natural-log strength, the agents' mean being 0; nan where it has no finite value."""

    value: float
    low: float
    high: float


def strengths(
    scores: Mapping[tuple[str, str], Sequence[RoleScore]], rng: np.random.Generator, draws: int = 500
) -> dict[str, Strength]:
    """Bradley–Terry strengths of one stage; every role gives one win, loss or tie (half a win) to each pair.

    Args:
        scores: per pair (a, b) the role scores of ``a`` (from ``role_scores``); roles left out do not count.
        rng: seeded by the caller; roles are drawn with replacement.
    Returns:
        exp(difference of two strengths) is the odds that one is preferred to the other. nan for all where some
        agents won everything against the rest, since no finite strength fits that.
    Source: Bradley & Terry (1952); fitted by evalica.
    """
    agents = list(dict.fromkeys(name for pair in scores for name in pair))
    wins = role_wins(scores, agents)
    if not len(wins) or len(agents) < 2:
        return {agent: Strength(NAN, NAN, NAN) for agent in agents}
    values = fit(wins.sum(axis=0))
    weights = draw_weights(len(wins), draws, rng) if len(wins) > 1 else np.zeros((0, len(wins)))
    drawn = np.array([fit(np.tensordot(w, wins, axes=1)) for w in weights]).reshape(-1, len(agents))
    finite = float(np.isfinite(drawn).all(axis=1).mean()) if len(drawn) else 0.0
    found = {}
    for i, agent in enumerate(agents):
        low, high = percentiles(drawn[:, i], 0.95) if finite >= MANY else (NAN, NAN)
        found[agent] = Strength(float(values[i]), low, high)
    return found


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
