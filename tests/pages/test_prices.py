"""The price table on Studies: a row half filled in, one from before that cannot price, and mending either."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.studies.prices import own_prices
from storage import tables
from storage.store import Store
from tests.pages.conftest import Open, assert_calm, shown

WHOLE = {"host": "api.example.org", "model": "big-*", "input": 1.0, "output": 2.0}


def edited(at: AppTest, **edits: Any) -> AppTest:
    """Type into the table and save it."""
    key = next(str(one.key) for one in at.dataframe if str(one.key).startswith("studies_prices"))
    at.session_state[key] = {"edited_rows": {}, "added_rows": [], "deleted_rows": []} | edits
    return at.button(key="studies_prices_save").click().run()


def test_a_row_half_filled_in_is_kept_says_what_it_needs_and_prices_nothing(open_page: Open, store: Store) -> None:
    at = edited(open_page("studies.py"), added_rows=[{"input": 1.0, "output": 2.0}, WHOLE])
    assert_calm(at)
    assert "Row 1 prices nothing yet: it needs a host (* for any), a model (* for any)." in shown(at) and "Saved." in shown(at)
    assert [price.model for price in own_prices(store.settings.get("prices"))] == ["big-*"]
    at = open_page("studies.py")  # the page opens again, with the row to be completed
    assert_calm(at)
    assert "Row 1 prices nothing yet" in shown(at) and "Saved." not in shown(at)
    at = edited(at, edited_rows={0: {"host": "*", "model": "small"}})
    assert_calm(at)
    assert "prices nothing" not in shown(at) and len(own_prices(store.settings.get("prices"))) == 2


@pytest.mark.parametrize("kept", [[{"input": 1.0, "output": 2.0}], [{"model": "big"}], [{"host": 7, "input": "much"}], [{}], "nonsense", [None, 4]])
def test_a_table_that_is_stored_broken_breaks_no_page_and_can_be_mended(open_page: Open, store: Store, kept: Any) -> None:
    store.settings.set("prices", kept)
    store.endpoints.add(tables.Endpoint(name="Outside", base_url="https://api.example.org/v1", model="big-1"))
    for page in ("studies.py", "models.py", "home.py"):
        assert_calm(open_page(page))
    at = edited(open_page("studies.py"), added_rows=[WHOLE])
    assert_calm(at)
    assert [price.model for price in own_prices(store.settings.get("prices"))] == ["big-*"]


def test_a_row_is_deleted_and_the_others_stay(open_page: Open, store: Store) -> None:
    store.settings.set("prices", [WHOLE, {"model": "half"}])
    at = edited(open_page("studies.py"), deleted_rows=[1])
    assert_calm(at)
    assert store.settings.get("prices") == [WHOLE]
