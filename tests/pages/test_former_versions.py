"""What was rated with a former version keeps its numbers, stands apart, and is never shown under today's words."""

import pytest

from core import instruments
from storage import units
from storage.store import Store
from tests import results_story as story
from tests.pages.conftest import Open, assert_calm, shown, table_with

HERE = instruments.load("wai-o-s")
TODAY = HERE.item("Q9").text.en
OTHERWISE = "(worded otherwise in version 1)"


@pytest.fixture
def rated(store: Store) -> int:
    """A study rated with the version here, and before it by the same judge and a person with the first."""
    study = story.study(store)
    made = list(story.sessions(store, 5, ("Careful", "Plainer")).values())
    story.rate(store, study, made, seed=1)
    story.rate(store, study, made, seed=3, kind="person", rater="K-01", repeats=1)
    units.change(store, "UPDATE rating SET instrument_version = :version", {"version": 1})
    story.rate(store, study, made, seed=2)
    return study


def test_results_tell_versions_apart(open_page: Open, rated: int) -> None:
    at = open_page("results.py", study=rated, section="wai-o-s")
    assert_calm(at)
    voices = at.selectbox(key="results_rater").options
    judged = {n: next(at for at, words in enumerate(voices) if "Demo rater" in words and f"instrument {n}" in words) for n in (1, HERE.version)}
    for version, at_place in judged.items():
        at.selectbox(key="results_rater").select_index(at_place).run()
        assert_calm(at)
        table = table_with(at, "Without quote")
        assert set(table["Sessions"]) == {10} and list(table["Item"]) == [item.id for item in HERE.items]
        worded = set(table["Text"])
        assert worded == ({OTHERWISE} if version == 1 else {item.text.en for item in HERE.items})
        behind = at.selectbox(key="results_item").options
        assert f"Q9: {OTHERWISE if version == 1 else TODAY}" in behind and len(behind) == 12


@pytest.mark.parametrize(("language", "words"), [("en", OTHERWISE), ("zh", "（第 1 版的措辞不同）")])
def test_a_rating_of_a_former_version_is_not_shown_under_todays_words(
    open_page: Open, store: Store, rated: int, language: str, words: str
) -> None:
    row = next(row for row in store.ratings.all() if row.instrument_version == 1 and row.item == "Q9")
    at = open_page("results.py", rating=row.id, language=language)
    assert_calm(at)
    assert words in shown(at) and HERE.item("Q9").text.of(language) not in shown(at)


def test_a_session_names_the_version_of_each_rating(open_page: Open, store: Store, rated: int) -> None:
    at = open_page("sessions.py", session=store.sessions.all()[0].id)
    assert_calm(at)
    tables = [frame.value for frame in at.dataframe if "Asked" in frame.value.columns]
    assert sorted({words for table in tables for words in table[table["Item"] == "Q9"]["Asked"]}) == sorted([OTHERWISE, TODAY])
    assert len(tables) == 3


def test_agreement_of_a_former_version_shows_its_items_without_todays_words(open_page: Open, rated: int) -> None:
    at = open_page("agreement.py")
    assert_calm(at)
    picked = next(box for box in at.selectbox if any("instrument 1" in words for words in box.options))
    picked.select_index(next(n for n, words in enumerate(picked.options) if "instrument 1" in words)).run()
    assert_calm(at)
    table = table_with(at, "ICC(A,1)")
    assert OTHERWISE in set(table["Text"]) and TODAY not in set(table["Text"])
