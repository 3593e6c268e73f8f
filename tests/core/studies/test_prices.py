"""The price table: what a row must say before it prices anything, and what becomes of one that does not."""

from typing import Any

import pytest

from core.llm.seam import Endpoint
from core.studies.prices import FREE, own_prices, price_of, read_prices, shipped

WHOLE = {"host": "api.example.org", "model": "big-*", "input": 1.0, "output": 2.0}
OUTSIDE = Endpoint(kind="openai", base_url="https://api.example.org/v1", model="big-1", name="Big")


@pytest.mark.parametrize(
    ("row", "needs"),
    [
        (WHOLE | {"model": ""}, ("a model (* for any)",)),
        (WHOLE | {"model": "  "}, ("a model (* for any)",)),
        ({"input": 1.0, "output": 2.0}, ("a host (* for any)", "a model (* for any)")),
        (WHOLE | {"output": None}, ("an output price from 0",)),
        (WHOLE | {"input": -1}, ("an input price from 0",)),
        (WHOLE | {"input": float("inf"), "cached": "cheap"}, ("an input price from 0", "a cached input price from 0, or none")),
        (WHOLE | {"input": True, "cached": False, "output": True}, ("an input price from 0", "a cached input price from 0, or none", "an output price from 0")),
        (WHOLE | {"model": ["a"]}, ("a model (* for any)",)),
    ],
)
def test_a_row_that_lacks_something_prices_nothing_and_says_what_it_needs(row: dict[str, Any], needs: tuple[str, ...]) -> None:
    usable, lacking = read_prices([WHOLE | {"model": "other"}, row])
    assert [price.model for price in usable] == ["other"]
    assert [(one.values["number"], one.values["needs"]) for one in lacking] == [(2, needs)]
    assert str(lacking[0]) == f"Row 2 prices nothing yet: it needs {', '.join(needs)}."
    assert price_of(OUTSIDE, usable) is None


def test_a_complete_row_prices_what_fits_it_and_nothing_else() -> None:
    own = own_prices([WHOLE])
    price = price_of(OUTSIDE, own)
    assert price is not None and price.cost(1_000_000, 1_000_000) == 3.0
    assert price_of(OUTSIDE.__class__(kind="openai", base_url="https://elsewhere.org", model="big-1", name=""), own) is None
    assert price_of(Endpoint(), own) is FREE


@pytest.mark.parametrize("kept", [None, "", 7, {"host": "x"}, [None, 3, "row", []], [{}], [{"host": "", "input": None}]])
def test_whatever_is_stored_breaks_nothing(kept: Any) -> None:
    assert read_prices(kept) == ((), ())


def test_the_shipped_rows_are_whole() -> None:
    assert shipped() and all(price.host != "*" and price.model != "*" for price in shipped())
