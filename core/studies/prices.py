"""What calls cost: a price table a person may edit, and a purse that is looked into before each call."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from core.errors import DataError, ModelError, Several, msg
from core.llm.gate import is_local
from core.llm.seam import Endpoint

FILE = Path(__file__).parents[2] / "prompts" / "prices.yaml"
MILLION = 1_000_000


def no_truth(value: Any) -> Any:
    """Raises ValueError: a ticked cell is no price, though Python counts ``True`` as 1."""
    if isinstance(value, bool):
        raise ValueError("a price is a number")
    return value


Dollars = Annotated[float, BeforeValidator(no_truth), Field(ge=0, allow_inf_nan=False)]


class Price(BaseModel):
    """US dollars for one million tokens at the endpoints that fit."""

    model_config = ConfigDict(extra="ignore", frozen=True, str_strip_whitespace=True)
    host: str = Field(min_length=1)  # a pattern, as the model's: * stands for any characters
    model: str = Field(min_length=1)
    input: Dollars
    cached: Dollars | None = None
    output: Dollars

    def cost(self, tokens_in: int, tokens_out: int, cached: int = 0) -> float:
        cheap = self.input if self.cached is None else self.cached
        cached = min(cached, tokens_in)
        return ((tokens_in - cached) * self.input + cached * cheap + tokens_out * self.output) / MILLION


FREE = Price(host="*", model="*", input=0, cached=0, output=0)
# what a row must have to price anything, as it stands in a sentence
NEEDS: Mapping[str, str] = {
    "host": msg("a host (* for any)"), "model": msg("a model (* for any)"), "input": msg("an input price from 0"),
    "cached": msg("a cached input price from 0, or none"), "output": msg("an output price from 0"),
}  # fmt: skip


@cache
def shipped() -> tuple[Price, ...]:
    """The prices that come with the workbench. Raises DataError: a row of the file cannot be used."""
    usable, lacking = read_prices(yaml.safe_load(FILE.read_text("utf-8"))["prices"])
    for problem in lacking:
        raise problem
    return usable


def read_prices(rows: Any) -> tuple[tuple[Price, ...], tuple[DataError, ...]]:
    """The rows of a table that price something, and a sentence for each that prices nothing because it is not complete.

    Args:
        rows: as stored or typed, whatever they are; a row without any value is none.
    """
    usable: list[Price] = []
    lacking: list[DataError] = []
    for number, row in enumerate(those_of(rows), start=1):
        given = {k: v for k, v in row.items() if v is not None and v != ""}
        try:
            usable.append(Price.model_validate(given))
        except ValidationError as error:
            needs = Several(NEEDS[name] for name in NEEDS if name in {str(e["loc"][0]) for e in error.errors()})
            said = msg("Row {number} prices nothing yet: it needs {needs}.")
            lacking += [DataError(said, number=number, needs=needs)] if given else []
    return tuple(usable), tuple(lacking)


def those_of(rows: Any) -> list[Mapping[str, Any]]:
    """What of a stored table is rows at all."""
    return [row for row in rows if isinstance(row, Mapping)] if isinstance(rows, list | tuple) else []


def own_prices(rows: Any) -> tuple[Price, ...]:
    """Those of a person's own rows that are complete; one that is not prices nothing."""
    return read_prices(rows)[0]


def price_of(endpoint: Endpoint, own: Sequence[Price] = ()) -> Price | None:
    """The price at an endpoint: a person's own row, else the shipped one; nothing on this machine is free of doubt,
    so only where no row fits does a local endpoint cost 0 and an outside one nothing known (``None``)."""
    if endpoint.kind == "demo":
        return FREE
    host = (urlsplit(endpoint.base_url).hostname or "").lower()
    for price in (*own, *shipped()):
        if fnmatch(host, price.host.lower()) and fnmatch(endpoint.model.lower(), price.model.lower()):
            return price
    return FREE if is_local(endpoint) else None


def tokens_of(text: str) -> int:
    """A quick, rough count: one for each wide character, one for four others."""
    wide = (len(text.encode("utf-8", "replace")) - len(text)) // 2
    return wide + (len(text) - wide + 3) // 4


class OverBudget(ModelError):
    """The next call could cost more than is left. It was not sent."""

    def __init__(self, spent: float, budget: float) -> None:
        super().__init__(
            msg(
                "The study stopped at its budget: ${spent:.2f} of ${budget:.2f} are spent and the next call could go "
                "beyond it. Everything answered is saved; raise the budget and resume."
            ),
            kind="study",
            spent=spent,
            budget=budget,
        )


@dataclass
class Purse:
    """The money of one study. A call's likely cost is set aside before it is sent and settled afterwards.

    With 100 calls under way, looking only at what is already spent would go 100 calls too far.
    """

    budget: float | None
    spent: float = 0.0
    aside: float = 0.0
    _changed: asyncio.Event | None = None

    async def set_aside(self, cost: float) -> None:
        """Wait until calls under way have settled if only they stand in the way.

        Raises:
            OverBudget: there is not enough left.
        """
        while self.budget is not None and self.spent + self.aside + cost > self.budget:
            if self.aside <= 1e-12 or self.spent + cost > self.budget:
                raise OverBudget(self.spent, self.budget)
            self._changed = self._changed or asyncio.Event()
            self._changed.clear()
            await self._changed.wait()
        self.aside += cost

    def settle(self, aside: float, cost: float | None) -> None:
        self.aside = max(0.0, self.aside - aside)
        self.spent += cost or 0.0
        if self._changed is not None:
            self._changed.set()
