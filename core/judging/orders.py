"""Which pairs of sessions are compared, and how a shown letter becomes the session it stood for."""

from collections.abc import Iterator, Sequence
from itertools import combinations


def pairs(agents: Sequence[int], baseline: int | None = None) -> Iterator[tuple[int, int]]:
    """Pairs of counselor agents: all of them, or each against one baseline."""
    if baseline is None:
        yield from combinations(agents, 2)
    else:
        yield from ((baseline, agent) for agent in agents if agent != baseline)


def winner(verdict: str, first: int, second: int) -> int | None:
    """The session behind the letter shown (A stood for the first); ``None`` for a tie."""
    return {"A": first, "B": second}.get(verdict)
