"""A store that a former version wrote, deletions and all, is shown on every page without a fault."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from storage.store import Store, open_store
from tests.pages.conftest import Open, assert_calm, shown
from tests.stores import old_store

PAGES = ("home", "reports", "roles", "live", "sessions", "studies", "rate", "results", "agreement", "alliance", "models",
         "instruments", "privacy")  # fmt: skip


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    path = old_store(tmp_path / "data" / "rapport.db")
    monkeypatch.setenv("RAPPORT_DATABASE_URL", f"sqlite:///{path}")
    opened = open_store()
    yield opened
    opened.close()


def there(name: str) -> bool:
    return (Path(__file__).parents[2] / "pages" / f"{name}.py").exists()


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("page", [name for name in PAGES if there(name)])
def test_every_page_opens(open_page: Open, page: str, language: str) -> None:
    at = open_page(f"{page}.py", language)
    assert_calm(at)
    assert "Traceback" not in shown(at)


@pytest.mark.parametrize(
    ("page", "name", "kind"),
    [("reports", "report", "reports"), ("roles", "role", "roles"), ("sessions", "session", "sessions"),
     ("live", "session", "sessions"), ("studies", "study", "studies"), ("results", "study", "studies")],
)  # fmt: skip
def test_every_record_opens(open_page: Open, store: Store, page: str, name: str, kind: str) -> None:
    rows = getattr(store, kind).all()
    assert rows
    for row in rows:
        at = open_page(f"{page}.py", **{name: row.id})
        assert not at.exception, (page, row.id, [e.value for e in at.exception])
        seen = shown(at)
        assert "Traceback" not in seen
        if kind != "studies":  # a study's name stands in a list to choose from
            names = (f"Live session {row.id}", "was not held here") if page == "live" else (row.title,)
            assert any(name in seen for name in names), (page, row.id)


@pytest.mark.parametrize("section", ["wins", "radar", "wai-o-s", "repeats"])
def test_results_of_the_kept_study_open(open_page: Open, section: str) -> None:
    at = open_page("results.py", study=1, section=section)
    assert_calm(at)
    assert at.session_state["results_section"] == section


@pytest.mark.parametrize("section", ["judge", "people", "repeats", "verdicts"])
def test_agreement_opens(open_page: Open, section: str) -> None:
    at = open_page("agreement.py", section=section)
    assert_calm(at)
    assert at.session_state["agreement_section"] == section
