"""Bradley–Terry strengths from role-level outcomes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.agreement.comparing import RoleScore
from core.agreement.intervals import tail
from core.agreement.matrix import Floats
from core.agreement.resampling import draw_weights

NAN = float("nan")
DRAWS = 1000


@dataclass(frozen=True)
class Strength:
    """Natural-log strength, the agents' mean being 0; nan where it has no finite value."""

    value: float
    low: float
    high: float


def strengths(
    scores: Mapping[tuple[str, str], Sequence[RoleScore]], rng: np.random.Generator, draws: int = DRAWS
) -> dict[str, Strength]:
    """Bradley–Terry strengths of one stage; every role gives one win, loss or tie (half a win) to each pair.

    Args:
        scores: per pair (a, b) the role scores of ``a`` (from ``role_scores``); roles left out do not count.
        rng: seeded by the caller; roles are drawn with replacement.
    Returns:
        exp(difference of two strengths) is the odds that one is preferred to the other. nan for all where some
        agents won everything against the rest, since no finite strength fits that. No interval where one of
        its ends is infinite: in a draw where somebody won everything, strengths are infinite and counted so.
    Source: Bradley & Terry (1952); fitted by evalica; percentiles as in ``intervals.tail``.
    """
    agents = list(dict.fromkeys(name for pair in scores for name in pair))
    wins = role_wins(scores, agents)
    if not len(wins) or len(agents) < 2:
        return {agent: Strength(NAN, NAN, NAN) for agent in agents}
    values = fit(wins.sum(axis=0))
    drawn = drawn_fits(wins, draws, rng) if len(wins) > 1 and draws else np.full((1, len(agents)), np.nan)
    return {
        agent: Strength(float(values[i]), *(ends(drawn[:, i], len(wins)) if np.isfinite(values[i]) else (NAN, NAN)))
        for i, agent in enumerate(agents)
    }


def drawn_fits(wins: Floats, draws: int, rng: np.random.Generator) -> Floats:
    """Strengths of every resample of roles, shape (draws, n_agents); equal tables are fitted once."""
    tables = np.tensordot(draw_weights(len(wins), draws, rng), wins, axes=1)
    each, place = np.unique(tables.reshape(draws, -1), axis=0, return_inverse=True)
    fitted = np.array([fit_or_infinite(table.reshape(wins.shape[1:])) for table in each])
    found: Floats = fitted[place.ravel()]
    return found


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


def fit_or_infinite(wins: Floats) -> Floats:
    """As ``fit``; without a finite fit, infinite for agents above or below all they met, nan for those between."""
    from scipy.sparse.csgraph import connected_components

    groups, own = connected_components(wins > 0, directed=True, connection="strong")
    if groups == 1:
        return fit(wins)
    other = own[:, None] != own[None, :]
    above, below = ((wins > 0) & other).any(axis=1), ((wins.T > 0) & other).any(axis=1)
    found: Floats = np.where(above & ~below, np.inf, np.where(below & ~above, -np.inf, np.nan))
    return found


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
