"""What an interval is called: its kind with its n, and a caution where it rests on few."""

from collections.abc import Iterable

from core.agreement.clustered import Clustered
from core.agreement.intervals import FEWEST, Kind
from core.agreement.winning import DRAWS, AgentScore, Pair
from core.results.wins import roles_behind
from pages.components.words import _, many


def of_roles(kind: Kind, roles: int) -> str:
    """The kind of an interval over roles."""
    return {
        "t": _("t interval, {n} roles").format(n=roles),
        "drawn": _("drawing roles, {draws} draws").format(draws=f"{DRAWS:,}"),
        "binomial": _("binomial bounds, all roles agree"),
        "": _("no interval: fewer than two roles"),
    }[kind]


def counted(found: Iterable[Pair | AgentScore]) -> str:
    """How many roles stand behind each of these scores: the least and the most."""
    least, most = roles_behind(found)
    return many("n = {n} role", "n = {n} roles", most) if least == most else _("n = {least}–{most} roles").format(least=least, most=most)


def of_scores(found: Iterable[Pair | AgentScore]) -> str:
    """The kinds of all these intervals, each once; for a caption."""
    kinds = dict.fromkeys(of_roles(one.kind, one.roles) for one in found if one.roles)
    return _("Intervals: 95 %, {kinds}; close to 0 and 1 no narrower than with two even roles added.").format(kinds="; ".join(kinds)) if kinds else ""


def of_clusters(one: Clustered) -> str:
    """How an interval over clients or roles came about, or why there is none; for a table."""
    if one.low == one.low:
        if one.kind == "binomial":
            return _("binomial bounds, all {n} clients or roles agree").format(n=one.clusters)
        return few(one.clusters) if one.few else _("t, {n} clients or roles").format(n=one.clusters)
    if one.value != one.value:
        return "–"
    if one.clusters < FEWEST:
        return _("withheld: fewer than {n} clients or roles").format(n=FEWEST)
    return _("none: no spread between clients or roles")


def of_means() -> str:
    """How the intervals of means over clients or roles came about; for a caption."""
    return _(
        "Mean over clients or roles of their session means. Intervals: 95 %, t over clients or roles; towards the ends of "
        "the scale no narrower than with two of them at its middle added."
    )


def few(clusters: int) -> str:
    return _("few clients or roles ({n}): the interval may be too narrow").format(n=clusters)


def caution(found: Iterable[Clustered]) -> str:
    """A sentence where any of these rests on few clients or roles, or is withheld for want of them."""
    values = list(found)
    narrow = sorted({one.clusters for one in values if one.few})
    words = []
    if narrow:
        told = f"{narrow[0]}–{narrow[-1]}" if len(narrow) > 1 else str(narrow[0])
        words.append(_("Few clients or roles ({n}): the interval may be too narrow.").format(n=told))
    if any(one.value == one.value and one.clusters < FEWEST for one in values):
        words.append(_("Intervals are withheld below {n} clients or roles.").format(n=FEWEST))
    return " ".join(words)
