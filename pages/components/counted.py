"""What a figure rests on, under its title: how many, from the line with the fewest to the one with the most."""

from collections.abc import Iterable, Sequence

from core.results.trust import state_of
from pages.components.words import _, many


def fewest_most(counts: Iterable[int]) -> str:
    """``18``, or ``10–18`` where they differ."""
    found = sorted(set(counts)) or [0]
    return f"{found[0]:,}" if len(found) == 1 else f"{found[0]:,}–{found[-1]:,}"


def sessions(counts: Sequence[int]) -> str:
    if len(set(counts)) > 1:
        return _("n = {range} sessions").format(range=fewest_most(counts))
    return many("n = {n} session", "n = {n} sessions", max(counts, default=0))


def questions(counts: Sequence[int]) -> str:
    if len(set(counts)) > 1:
        return _("n = {range} questions").format(range=fewest_most(counts))
    return many("n = {n} question", "n = {n} questions", max(counts, default=0))


def targets(counts: Sequence[int]) -> str:
    if len(set(counts)) > 1:
        return _("n = {range} targets").format(range=fewest_most(counts))
    return many("n = {n} target", "n = {n} targets", max(counts, default=0))


def raters(counts: Sequence[int]) -> str:
    if len(set(counts)) > 1:
        return _("{range} raters").format(range=fewest_most(counts))
    return many("{n} rater", "{n} raters", max(counts, default=0))


def clusters(counts: Sequence[int]) -> str:
    if len(set(counts)) > 1:
        return _("{range} clients or roles").format(range=fewest_most(counts))
    return many("{n} client or role", "{n} clients or roles", max(counts, default=0))


def enough(judged: str, counts: Sequence[int], groups: Sequence[int]) -> str:
    """The words with the number of clients or roles, *too few* where all or some of the lines have too few.

    Args:
        judged: how many, in words. counts: sessions (or pairs of sessions) of each line. groups: clients or roles of each.
    """
    words = _("{judged}, {clusters}").format(judged=judged, clusters=clusters(groups))
    few = [state_of(n, k) != "figures" for n, k in zip(counts, groups, strict=True)]
    if all(few):
        return _("Too few ({counted})").format(counted=words)
    return _("{counted}; some lines too few").format(counted=words) if any(few) else words
