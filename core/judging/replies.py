"""What a judge's reply must look like. The reasoning comes before the verdict, so that it is made first.

What is sent to an endpoint is the plain schema (``strict_schema``); what comes back is read as what it says
(``core.judging.values``), and one rating that cannot be read does not cost the others.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    WithJsonSchema,
    WrapValidator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from core.judging.values import (
    Share,
    another_rating,
    another_verdict,
    item_name,
    letter,
    names_ratings,
    number,
    side,
    verdict,
)
from core.llm.parsing import Once, in_words

MOST_QUOTES = 12
NUMBER: dict[str, Any] = {"anyOf": [{"type": "number"}, {"type": "null"}]}


class ComparedQuote(Once):
    """A quote from one of the two sessions, for or against it."""

    session: Annotated[Literal["A", "B"], BeforeValidator(letter)]
    quote: str
    side: Annotated[Literal["for", "against"], BeforeValidator(side)]


class Verdict(Once):
    """A pairwise comparison on one dimension."""

    reasoning: str
    evidence: list[ComparedQuote] = Field(max_length=MOST_QUOTES)
    verdict: Annotated[Literal["A", "B", "tie"], BeforeValidator(verdict)]

    @classmethod
    def says_otherwise(cls, name: str, value: Any, given: Mapping[str, Any]) -> bool:
        return another_verdict(name, value, given.get("verdict"))

    def says(self) -> str:
        return self.verdict

    def counts(self) -> str:
        return self.verdict


class ItemRating(Once):
    """A rating of one item; ``rating`` is null for *not applicable*."""

    model_config = ConfigDict(extra="allow")  # an item named beside the one asked about is seen, not sent for

    reasoning: str
    evidence: list[str] = Field(max_length=MOST_QUOTES)
    counter_evidence: list[str] = Field(max_length=MOST_QUOTES)
    rating: Annotated[float | Share | None, BeforeValidator(number), WithJsonSchema(NUMBER)]

    @classmethod
    def says_otherwise(cls, name: str, value: Any, given: Mapping[str, Any]) -> bool:
        return another_rating(name, value, given.get("rating"))

    def says(self) -> Any:
        return self.rating

    def counts(self) -> dict[str, float | None]:
        return {"": self.rating.n if isinstance(self.rating, Share) else self.rating}

    @property
    def names(self) -> Any:
        """The item it names without being asked to, if any."""
        return (self.model_extra or {}).get("item")


class NamedRating(ItemRating):
    """A rating of one item among several."""

    item: Annotated[str, BeforeValidator(item_name)]


class UnreadRating(NamedRating):
    """A rating that cannot be read, beside others that can."""

    reason: str


def read_or_say_why(value: Any, read: Any) -> NamedRating:
    """One rating of several; ``UnreadRating`` with the reason where it does not fit."""
    try:
        rating: NamedRating = read(value)
    except ValidationError as error:
        given = value if isinstance(value, dict) else {}
        reasoning = given.get("reasoning")
        return UnreadRating.model_construct(
            item=item_name(given.get("item")) if isinstance(given.get("item"), (str, int)) else "",
            reasoning=reasoning if isinstance(reasoning, str) else "",
            evidence=[], counter_evidence=[], rating=None, reason=in_words(error),
        )  # fmt: skip
    return rating


class InstrumentRating(Once):
    """Ratings of all items of an instrument in one reply."""

    ratings: list[Annotated[NamedRating, WrapValidator(read_or_say_why)]]

    @model_validator(mode="after")
    def _something_can_be_read(self) -> "InstrumentRating":
        unread = [one for one in self.ratings if isinstance(one, UnreadRating)]
        if unread and len(unread) == len(self.ratings):
            raise PydanticCustomError("unread", "{reason}", {"reason": unread[0].reason})
        return self

    @classmethod
    def says_otherwise(cls, name: str, value: Any, given: Mapping[str, Any]) -> bool:
        return names_ratings(name) and isinstance(value, list | dict) and value != given.get("ratings")

    def counts(self) -> dict[str, float | None]:
        read = [one for one in self.ratings if not isinstance(one, UnreadRating)]
        return {one.item: value for one in read for value in one.counts().values()}

    def says(self) -> list[tuple[str, Any]]:
        return sorted(((one.item, one.says()) for one in self.ratings), key=repr)
