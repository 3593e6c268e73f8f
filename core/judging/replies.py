"""What a judge's reply must look like. The reasoning comes before the verdict, so that it is made first."""

from typing import Literal

from pydantic import BaseModel, Field

MOST_QUOTES = 12


class ComparedQuote(BaseModel):
    """A quote from one of the two sessions, for or against it."""

    session: Literal["A", "B"]
    quote: str
    side: Literal["for", "against"]


class Verdict(BaseModel):
    """A pairwise comparison on one dimension."""

    reasoning: str
    evidence: list[ComparedQuote] = Field(max_length=MOST_QUOTES)
    verdict: Literal["A", "B", "tie"]


class ItemRating(BaseModel):
    """A rating of one item; ``rating`` is null for *not applicable*."""

    reasoning: str
    evidence: list[str] = Field(max_length=MOST_QUOTES)
    counter_evidence: list[str] = Field(max_length=MOST_QUOTES)
    rating: float | None


class NamedRating(ItemRating):
    """A rating of one item among several."""

    item: str


class InstrumentRating(BaseModel):
    """Ratings of all items of an instrument in one reply."""

    ratings: list[NamedRating]
