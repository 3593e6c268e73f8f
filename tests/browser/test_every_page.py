"""Every page opens by its address in a real browser, in both languages and both themes, and asks nothing outside."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser.conftest import Visitor

PAGES = sorted(
    path.stem for path in (Path(__file__).parents[2] / "pages").glob("*.py") if path.stem != "frame"
)
pytestmark = pytest.mark.browser


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_page_opens_on_an_empty_store(visit: Callable[..., Visitor], language: str) -> None:
    visitor = visit(language=language, dark=language == "zh", width=1280 if language == "en" else 800)
    for name in PAGES:
        visitor.go("" if name == "home" else name)
        assert visitor.page.locator("h1").count() == 1, name
        visitor.assert_calm()
