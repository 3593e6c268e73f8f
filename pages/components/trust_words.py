"""The trust label in words: beside every score of a judge, figures or what is missing, never an adjective."""

from collections.abc import Mapping

import pandas as pd

from core.agreement.clustered import Clustered
from core.results.claims import short
from core.results.labels import RULES, Label
from core.results.trust import EACH, ENOUGH, ENOUGH_CLUSTERS, LEAST, Trust, Versus
from pages.components import badges
from pages.components.results_words import between
from pages.components.words import _, many


def kind_name(made: str) -> str:
    """What sessions of a kind are called, everywhere."""
    return _("Sessions made by rules") if made == RULES else _("Other sessions")


def in_sentence(made: str) -> str:
    return _("sessions made by rules") if made == RULES else _("other sessions")


# ---- badges --------------------------------------------------------------------------------------


def badges_of(label: Label, ratings: bool, of: str = "", made: str = "") -> list[badges.Badge]:
    """The label beside a single score: one badge for each kind of sessions the judge judged.

    Args:
        of: what the label is of, where that does not stand beside it. made: the kind of session the score is of, if known.
    """
    kinds = [made] if made in label.judged else list(label.judged) or [label.first]
    return [badge(label.on(kind), ratings, [of] * bool(of) + [in_sentence(kind)] * label.mixed) for kind in kinds]


def badge(trust: Trust, ratings: bool, of: list[str]) -> badges.Badge:
    words = figure(trust.judge, ratings) if trust.judge else state_name(trust)
    if trust.judge and trust.judge.few:  # first: a narrow window cuts off the end
        words = _("Too few ({counted}), {figures}").format(figures=words, counted=counted(trust.judge, ratings))
    words = _("{name}: {words}").format(name=_(", ").join(of), words=words) if of else words
    return badges.fact(words, "balance") if trust.judge and not trust.judge.few else badges.unknown(words)


def figure(found: Versus, ratings: bool) -> str:
    what = _("ICC(A,1) with one person {value} ({interval})") if ratings else _("Same verdict as one person {value} ({interval})")
    return what.format(value=short(found.agreement.value), interval=ends(found.agreement))


def state(label: Label) -> badges.Badge:
    """What stands at the head of a tab: the state, in words."""
    trust = label.on(label.first)
    words = state_name(trust)
    return badges.fact(words, "balance") if trust.judge and not trust.judge.few else badges.unknown(words)


def state_name(trust: Trust) -> str:
    if trust.judge is None:
        return _("Not validated here")
    return _("Too few") if trust.judge.few else _("Compared with people")


def ends(found: Clustered) -> str:
    return between(found.low, found.high) if found.low == found.low else _("no interval")


# ---- one line ------------------------------------------------------------------------------------


def counted(found: Versus, ratings: bool) -> str:
    """What figures rest on: sessions, or pairs of sessions, and clients or roles."""
    judged = many("{n} session", "{n} sessions", found.n) if ratings else many("{n} pair of sessions", "{n} pairs of sessions", found.n)
    return _("{judged}, {clusters}").format(judged=judged, clusters=clusters(found.clusters))


def clusters(n: int) -> str:
    return many("{n} client or role", "{n} clients or roles", n)


def line(label: Label, ratings: bool) -> str:
    """The label of the total in one line; where both kinds of sessions were judged it says which it is of."""
    trust = label.on(label.first)
    parts = [nothing(trust, ratings)] if trust.judge is None else [both(trust, trust.judge, ratings), counted(trust.judge, ratings)]
    if label.mixed:
        parts.append(in_sentence(label.first))
    if trust.judge and trust.judge.few:
        parts.append(wanted(ratings))
    return " · ".join(parts)


def nothing(trust: Trust, ratings: bool) -> str:
    """Why there is no figure."""
    if not trust.n:
        words = (
            _("No person rated {n} or more of the sessions this judge rated, with this instrument in this language") if ratings
            else _("No person compared {n} or more of the pairs this judge compared, with this instrument in this language")
        )  # fmt: skip
        return words.format(n=EACH)
    words = _("People rated {n} of the sessions this judge rated; figures start at {least}") if ratings else _("People compared {n} of the pairs this judge compared; figures start at {least}")  # fmt: skip
    return words.format(n=trust.n, least=LEAST)


def both(trust: Trust, judge: Versus, ratings: bool) -> str:
    """The judge with one person, and people with each other on the same sessions."""
    words = (
        _("Total with one person: ICC(A,1) {a} ({ai}), r {b}; people with each other: {people}") if ratings
        else _("Total with one person: same verdict {a} ({ai}), kappa {b}; people with each other: {people}")
    )  # fmt: skip
    return words.format(
        a=short(judge.agreement.value), ai=ends(judge.agreement), b=short(judge.second.value), people=alone(trust, judge),
    )  # fmt: skip


def alone(trust: Trust, judge: Versus) -> str:
    people = trust.people_alone
    if people is None:
        return _("fewer than {n} shared").format(n=LEAST)
    value = short(people.agreement.value)
    return _("{value} (too few)").format(value=value) if people.few and not judge.few else value


def wanted(ratings: bool) -> str:
    words = _("too few ({n} sessions and {k} clients or roles are wanted)") if ratings else _("too few ({n} pairs of sessions and {k} clients or roles are wanted)")  # fmt: skip
    return words.format(n=ENOUGH, k=ENOUGH_CLUSTERS)


# ---- the table -----------------------------------------------------------------------------------


def table(labels: Mapping[str, Label], ratings: bool) -> pd.DataFrame:
    """The label of each thing (by its name) that has figures; the kinds of sessions in rows of their own."""
    mixed = any(label.mixed for label in labels.values())
    rows = [
        (name, *([kind_name(made)] if mixed else []), *row(trust, trust.judge))
        for name, label in labels.items()
        for made in label.judged
        if (trust := label.on(made)).judge is not None
    ]
    first, second = ("ICC(A,1)", _("r")) if ratings else (_("same verdict"), _("kappa"))
    judge, people = _("Judge with one person, {what}"), _("Person with person, {what}")
    heads = [
        _("Of"), *([_("Kind of sessions")] if mixed else []), _("Label"), _("Sessions") if ratings else _("Pairs"),
        _("Clients or roles"), _("People"), judge.format(what=first), judge.format(what=second), _("Pairs of people"),
        people.format(what=first), people.format(what=second),
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=heads)


def row(trust: Trust, judge: Versus | None) -> tuple[object, ...]:
    people = trust.people_alone
    return (
        state_name(trust), trust.n, trust.clusters, trust.people, *values(judge), people.pairs if people else 0, *values(people),
    )  # fmt: skip


def values(found: Versus | None) -> tuple[str, str]:
    return (value(found.agreement), value(found.second)) if found else ("–", "–")


def value(found: Clustered) -> str:
    return "–" if found.value != found.value else f"{short(found.value)} ({ends(found)})"
