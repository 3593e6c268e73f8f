"""The frame: what is around every page."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.components import words
from storage.store import Store
from tests.pages.conftest import FRAME, Open, assert_calm, shown


def test_every_page_says_what_this_is_not(open_page: Open) -> None:
    for page in ("", "models.py", "instruments.py", "privacy.py"):
        at = open_page(page)
        assert_calm(at)
        assert "Not care, not a diagnosis" in shown(at)


def test_country_decides_the_numbers(open_page: Open, store: Store) -> None:
    at = open_page()
    assert "988" in shown(at) and "12356" in shown(at)  # none chosen yet: every line that is known
    at.selectbox(key="home_country").set_value("CN").run()
    assert store.settings.get("country") == "CN"
    at = open_page()
    assert "12356" in shown(at) and "400-161-9995" in shown(at) and "988" not in shown(at)


def test_language_changes_words_and_keeps_the_page(
    open_page: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalogue = tmp_path / "zh" / "LC_MESSAGES" / "rapport.po"
    catalogue.parent.mkdir(parents=True)
    catalogue.write_text(
        'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\nmsgid "Data and privacy"\nmsgstr "数据与隐私"\n',
        "utf-8",
    )
    monkeypatch.setattr(words, "FOLDER", tmp_path)
    at = open_page("privacy.py", language="zh")
    assert_calm(at)
    assert at.title[0].value == "数据与隐私"


def test_missing_catalogue_shows_english(
    open_page: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(words, "FOLDER", tmp_path)
    at = open_page("privacy.py", language="zh")
    assert_calm(at)
    assert at.title[0].value == "Data and privacy"


def test_unreadable_database_is_said_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rapport.db"
    path.write_text("This is a shopping list, not a database.")
    monkeypatch.setenv("RAPPORT_DATABASE_URL", f"sqlite:///{path}")
    monkeypatch.chdir(FRAME.parents[1])
    at = AppTest.from_file(str(FRAME), default_timeout=30).run()
    assert_calm(at)
    assert "cannot open its database" in shown(at)
    assert "rapport.db" in shown(at) and "Traceback" not in shown(at)
    assert path.read_text().startswith("This is a shopping list")
    path.unlink()
    at.button(key="frame_again").click().run()  # put right: the workbench opens
    assert_calm(at)
    assert "From counseling reports to evidence" in shown(at)
