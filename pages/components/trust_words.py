"""The trust label in words: beside every score of a judge, figures or what is missing, never an adjective."""

from collections.abc import Mapping

import pandas as pd

from core.agreement.clustered import Clustered
from core.results.claims import short
from core.results.labels import Label
from core.results.trust import EACH, ENOUGH, ENOUGH_CLUSTERS, LEAST, NOTHING, Trust, Versus
from pages.components import badges
from pages.components.results_words import between
from pages.components.words import _, many


def badges_of(label: Label, ratings: bool, of: str = "") -> list[badges.Badge]:
    """The label over real sessions; apart from it, where there are any, the figures on sessions made by rules.

    Args:
        of: what the label is of, where that does not stand beside it.
    """
    found = [badge(label.real, ratings, of)]
    if label.rules.judge is not None:
        one = badge(label.rules, ratings, of)
        found.append(badges.Badge(_("Sessions by rules: {figures}").format(figures=one.words), one.icon, "violet", one.help))
    return found


def badge(trust: Trust, ratings: bool, of: str = "") -> badges.Badge:
    if trust.judge is None:
        return badges.unknown(_("Not validated here"))
    found = trust.judge.agreement
    what = _("ICC(A,1) with one person {value}, {interval}") if ratings else _("Same verdict as one person {value}, {interval}")
    words = what.format(value=short(found.value), interval=ends(found))
    words = _("{name}: {words}").format(name=of, words=words) if of else words
    if trust.judge.few:
        return badges.unknown(_("{figures}, too few ({counted})").format(figures=words, counted=counted(trust.judge, ratings)))
    return badges.fact(words, "balance")


def ends(found: Clustered) -> str:
    return between(found.low, found.high) if found.low == found.low else _("no interval")


def counted(found: Versus, ratings: bool) -> str:
    """What figures rest on: sessions, or pairs of sessions, and clients or roles."""
    judged = many("{n} session", "{n} sessions", found.n) if ratings else many("{n} pair", "{n} pairs", found.n)
    return _("{judged}, {clusters}").format(judged=judged, clusters=many("{n} client or role", "{n} clients or roles", found.clusters))


def sentence(label: Label, ratings: bool) -> str:
    """The label in full, with people among themselves beside it; sessions made by rules are told apart."""
    told = told_of(label.real, ratings)
    if label.rules.n == 0:
        return told
    return _("Real sessions: {real} Sessions in which rules spoke: {rules}").format(real=told, rules=told_of(label.rules, ratings))


def told_of(trust: Trust, ratings: bool) -> str:
    if trust == NOTHING or not trust.n:
        words = (
            _("No person rated {n} or more of the sessions this judge rated, with this instrument in this language.") if ratings
            else _("No person compared {n} or more of the pairs this judge compared, with this instrument in this language.")
        )  # fmt: skip
        return words.format(n=EACH)
    if trust.judge is None:
        words = _("People rated {n} of the sessions this judge rated; figures start at {least}.") if ratings else _("People compared {n} of the pairs this judge compared; figures start at {least}.")  # fmt: skip
        return words.format(n=trust.n, least=LEAST)
    judge = _("Judge with one person (mean over {people}): {figures}.").format(
        people=many("{n} person", "{n} people", trust.people), figures=figures(trust.judge, ratings)
    )
    return " ".join([judge, alone(trust, ratings), enough(trust, ratings)]).strip()


def alone(trust: Trust, ratings: bool) -> str:
    """One person with another on the same sessions, the ceiling."""
    if trust.people_alone is None:
        words = _("Fewer than {n} of these sessions were rated by two people.") if ratings else _("Fewer than {n} of these pairs were compared by two people.")
        return words.format(n=LEAST)
    pairs = many("{n} pair of people", "{n} pairs of people", trust.people_alone.pairs)
    return _("One person with another (mean over {pairs}): {figures}.").format(pairs=pairs, figures=figures(trust.people_alone, ratings))


def figures(found: Versus, ratings: bool) -> str:
    what = _("ICC(A,1) {a} ({ai}), r {b} ({bi}), {counted}") if ratings else _("same verdict (tie as a class) {a} ({ai}), kappa {b} ({bi}), {counted}")
    return what.format(
        a=short(found.agreement.value), ai=ends(found.agreement), b=short(found.second.value), bi=ends(found.second),
        counted=counted(found, ratings),
    )  # fmt: skip


def enough(trust: Trust, ratings: bool) -> str:
    both = [one for one in (trust.judge, trust.people_alone) if one is not None]
    if not any(one.few for one in both):
        return ""
    words = _("Too few: {n} sessions of {k} clients or roles are needed.") if ratings else _("Too few: {n} pairs of {k} clients or roles are needed.")
    return words.format(n=ENOUGH, k=ENOUGH_CLUSTERS)


def table(labels: Mapping[str, Label], ratings: bool) -> pd.DataFrame:
    """The label of each thing (by its name), real sessions and those made by rules in rows of their own."""
    rows = [
        (name, made, *row(trust, ratings))
        for name, label in labels.items()
        for made, trust in ((_("real"), label.real), (_("by rules"), label.rules))
        if made == _("real") or trust.n
    ]
    first, second = ("ICC(A,1)", _("r")) if ratings else (_("Same verdict"), _("Kappa"))
    heads = [
        _("Of"), _("Sessions made"), _("Label"), _("Judge with one person: {what}").format(what=first), second,
        _("Person with person: {what}").format(what=first), _("Sessions") if ratings else _("Pairs"), _("Clients or roles"), _("People"),
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=heads)


def row(trust: Trust, ratings: bool) -> tuple[object, ...]:
    state = _("Not validated here") if trust.judge is None else _("too few") if trust.judge.few else _("figures")
    judge, people = trust.judge, trust.people_alone
    return (
        state, value(judge.agreement if judge else None), value(judge.second if judge else None),
        value(people.agreement if people else None), trust.n, trust.clusters, trust.people,
    )  # fmt: skip


def value(found: Clustered | None) -> str:
    return "–" if found is None or found.value != found.value else f"{short(found.value)} ({ends(found)})"
