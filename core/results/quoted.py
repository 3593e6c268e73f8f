"""Which judgments rest on a quote that was found in the transcript; the one rule, for tables and for the page of one.

A quote that was found counts for a rating where it speaks for it; a counter-quote is no evidence. For a comparison it
counts where it speaks for the winner or against the other; for a tie any counts.
"""

from typing import Any

from core.results.voices import JUDGES

WITH_QUOTES = ("reasoning",)  # settings whose question asks for quotes; the others ask to leave the lists empty
FOUND = "q.value ->> 'status' IN ('exact', 'normalised')"
# Conditions on a row ``{t}``. Rows without any quote are told first: that takes no reading of JSON.
VERIFIED = {
    "rating": "({t}.quotes <> '[]' AND EXISTS (SELECT 1 FROM json_each({t}.quotes) q WHERE {found} AND q.value ->> 'side' = 'for'))",
    "comparison": (
        "({t}.quotes <> '[]' AND EXISTS (SELECT 1 FROM json_each({t}.quotes) q WHERE {found} AND ({t}.winner_id IS NULL "
        "OR (q.value ->> 'side' = 'for') = (coalesce(q.value ->> 'session', {t}.winner_id) = {t}.winner_id))))"
    ),
}


def verified(table: str, named: str) -> str:
    """The SQL condition that a row of ``rating`` or ``comparison``, called ``named``, rests on a quote that was found."""
    return VERIFIED[table].format(found=FOUND, t=named)


def asked(table: str, kind: str, setting: str) -> bool:
    """Whether a rater of this kind was asked for quotes: people never are, and of ratings only some settings ask."""
    return kind in JUDGES and (table == "comparison" or setting in WITH_QUOTES)


def lacking(row: Any, neutral: float | None = None) -> bool:
    """Whether a rating or comparison says something and should rest on a quote that was found, but does not.

    Args:
        row: a row of ``reading.ratings``, or one of ``reading.reading``.
        neutral: the value of a rating that says *no evidence*, which needs none.
    """
    table = "comparison" if "verdict" in row else "rating"
    says = row["verdict"] != "unscored" if table == "comparison" else known(row["value"]) and row["value"] != neutral
    return bool(says and asked(table, row["rater_kind"], row["setting"]) and not row["verified"])


def known(value: Any) -> bool:
    return value is not None and value == value
