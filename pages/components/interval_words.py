"""What an interval is called: its kind with its n, and a caution where it rests on few."""

from collections.abc import Iterable

import streamlit as st

from core.agreement.clustered import Clustered
from core.agreement.intervals import FEW, FEWEST, MANY, Kind
from core.agreement.winning import DRAWS, AgentScore, Pair
from core.errors import msg
from core.results.wins import roles_behind
from pages.components.counted import fewest_most
from pages.components.results_words import sentences
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


def over_roles(found: Iterable[Pair | AgentScore]) -> str:
    """The intervals of a figure in one sentence; each line's kind stands in the table."""
    least, most = roles_behind(one for one in found if one.roles)
    if not most:
        return ""
    return _("95 % intervals over {n} roles.").format(n=fewest_most([least, most])) if most > 1 else _("No interval: fewer than two roles.")


def over_clusters(found: Iterable[Clustered]) -> str:
    """The same over clients or roles, with the caution where they are few."""
    values = [one for one in found if one.value == one.value]
    with_ends = [one.clusters for one in values if one.low == one.low]
    words = _("95 % intervals over {n} clients or roles.").format(n=fewest_most(with_ends)) if with_ends else ""
    return sentences(words, caution(values))


HOW_ROLES = msg(
    "Win scores: over roles, each counting once. Below {many} roles a t interval, from there on from roles drawn again {draws} times. "
    "Where a counselor has the same score with every role, nothing can be seen of how roles differ; the limits are then those of a "
    "share (binomial). Close to 0 and 1 no interval is narrower than with two even roles added."
)
HOW_MEANS = msg(
    "Means: over clients or roles, each counting once, by a t interval; towards the ends of the scale no narrower than with two of them "
    "at its middle added. Below {least} of them it is withheld, below {few} marked as perhaps too narrow."
)
HOW_ICC = msg("ICC: by leaving out one client or role after the other. Below {least} of them it is withheld, below {few} marked as perhaps too narrow.")


def how(message: str) -> None:
    """How the intervals of this page are made; once for each."""
    with st.expander(_("How intervals are made"), icon=":material/help:"):
        st.text(_(message).format(many=MANY, draws=f"{DRAWS:,}", least=FEWEST, few=FEW))


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
