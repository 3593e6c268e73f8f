"""Stored reasons (why a rating is unscored, why a unit failed) in the person's language."""

from collections.abc import Iterable

from core.judging import said
from core.judging.said import JOINED, PLACE
from pages.components.words import _, say


def reason_words(reason: str) -> str:
    """A stored reason, translated where its words are ours; else as it was stored."""
    if not reason or len(reason) > said.LONGEST:
        return reason
    if (error := said.known(reason)) is not None:
        if "why" in error.values:
            error.values = {**error.values, "why": reason_words(str(error.values["why"]))}
        return say(error)
    if JOINED in reason:
        return _("; ").join(map(reason_words, reason.split(JOINED)))
    if place := PLACE.fullmatch(reason):
        return _("{place}: {why}").format(place=place[1], why=reason_words(place[2]))
    return reason


def column(reasons: Iterable[str]) -> list[str]:
    """The reasons of many rows; each kind is looked up once."""
    rows = list(reasons)
    words = {reason: reason_words(reason) for reason in set(rows)}
    return [words[reason] for reason in rows]
