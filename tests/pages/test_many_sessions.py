"""A long library: what a page asks of the disk, the catalogue and the store does not grow with the number of sessions."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pytest
from sqlalchemy import event
from streamlit.testing.v1 import AppTest

from pages.components import forest, results_items, session_choice, words
from storage import tables
from storage.store import Store
from tests.pages.conftest import Open, assert_calm, shown, table_with

MANY = 40
ORIGINS = ("simulated", "imported", "live", "reconstructed")


def fill(store: Store, many: int) -> None:
    before = store.sessions.count()
    store.sessions.add_many(
        tables.Session(title=f"Case {n}", origin=ORIGINS[n % 4], language=("en", "zh")[n % 2], state="ended", engine="demo")
        for n in range(before + 1, many + 1)
    )


@contextmanager
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, int]]:
    """How often the catalogue's file is asked about, and how many messages are looked up."""
    found, stat, language = {"stats": 0, "words": 0}, Path.stat, words.language

    def counted_stat(self: Path, **given: bool) -> object:
        found["stats"] += self.name == "rapport.po"
        return stat(self, **given)

    def counted_language() -> words.Language:
        found["words"] += 1
        return language()

    with monkeypatch.context() as patch:
        patch.setattr(Path, "stat", counted_stat)
        patch.setattr(words, "language", counted_language)
        yield found


@contextmanager
def statements() -> Iterator[list[str]]:
    from pages.components import resources

    asked: list[str] = []
    engine = resources.store().database.engine

    def note(_connection: object, _cursor: object, sql: str, *_more: object) -> None:
        asked.append(sql)

    event.listen(engine, "before_cursor_execute", note)
    yield asked
    event.remove(engine, "before_cursor_execute", note)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_list_looks_each_word_up_once_and_asks_no_disk_for_it(open_page: Open, store: Store, monkeypatch: pytest.MonkeyPatch, language: str) -> None:
    seen = []
    for many in (MANY, 4 * MANY):
        fill(store, many)
        at = open_page("sessions.py", language=language)
        assert len(at.dataframe[0].value) == many
        with counted(monkeypatch) as found:
            at.run()
        seen.append(found)
    assert seen[0]["stats"] <= 2 and seen[1]["stats"] <= 2  # once a run; AppTest reads the options of widgets in between
    assert seen[0]["words"] == seen[1]["words"]


def test_a_run_of_the_list_asks_the_store_as_little_for_many_sessions(open_page: Open, store: Store) -> None:
    seen = []
    for many in (MANY, 4 * MANY):
        fill(store, many)
        at = open_page("sessions.py")
        with statements() as asked:
            at.run()
        seen.append(len(asked))
        assert not any("count" in sql and "turn" in sql for sql in asked)  # the list is kept until the store changes
    assert seen[0] == seen[1]


def test_a_changed_catalogue_is_read_at_the_next_run(open_page: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "zh" / "LC_MESSAGES" / "rapport.po"
    file.parent.mkdir(parents=True)
    head = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\nmsgid "Data and privacy"\nmsgstr '
    file.write_text(f'{head}"数据"\n', "utf-8")
    monkeypatch.setattr(words, "FOLDER", tmp_path)
    at = open_page("privacy.py", language="zh")
    assert at.title[0].value == "数据"
    file.write_text(f'{head}"数据与隐私"\n', "utf-8")
    assert at.run().title[0].value == "数据与隐私"


# ---- a list that is longer than its page -----------------------------------------------------------------------------


def ticked(at: AppTest, *rows: int) -> AppTest:
    """Tick these rows of the table, and no others."""
    key = table_key(at)
    at.session_state[key] = {"selection": {"rows": list(rows), "columns": [], "cells": []}}
    return at.run()


def table_key(at: AppTest) -> str:
    return next(str(one.key) for one in at.dataframe if str(one.key).startswith("sessions_table"))


def test_a_long_list_comes_in_pages_and_keeps_what_was_ticked(open_page: Open, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_choice, "ROWS", 10)
    fill(store, 25)
    at = open_page("sessions.py")
    assert_calm(at)
    assert list(table_with(at, "Turns")["Session"]) == list(range(25, 15, -1)) and "25 of 25 sessions" in shown(at)
    ticked(at, 1)
    at.pagination[0].set_value(3).run()
    assert list(table_with(at, "Turns")["Session"]) == list(range(5, 0, -1)) and "Ticked on another page: 24" in shown(at)
    ticked(at, 4)
    at.button(key="sessions_open").click().run()
    assert_calm(at)
    assert "Two sessions side by side" in shown(at) and "Session 24" in shown(at) and "Session 1" in shown(at)


def test_the_page_turned_back_to_shows_its_ticks(open_page: Open, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_choice, "ROWS", 10)
    fill(store, 25)
    at = ticked(open_page("sessions.py"), 1)
    at.pagination[0].set_value(2).run()
    at.pagination[0].set_value(1).run()
    assert_calm(at)
    assert at.session_state[table_key(at)]["selection"]["rows"] == [1] and at.session_state[session_choice.TICKED] == [24]


def test_a_long_list_is_ordered_as_a_whole(open_page: Open, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_choice, "ROWS", 10)
    fill(store, 25)
    store.sessions.add_turn(tables.Turn(session_id=3, position=1, seat="client", text="I want to die.", risk=[{"kind": "suicide", "phrase": "die"}]))
    at = open_page("sessions.py")
    at.selectbox(key="sessions_order").set_value("risk").run()
    assert_calm(at)
    assert list(table_with(at, "Turns")["Session"])[:2] == [3, 25]


def test_a_tick_stays_with_its_session_when_the_list_is_filtered(open_page: Open, store: Store) -> None:
    fill(store, 12)
    at = ticked(open_page("sessions.py"), 2)  # session 10
    at.text_input(key="sessions_search").set_value("case 1").run()  # 12, 11, 10, 1
    assert at.session_state[session_choice.TICKED] == [10]
    at.text_input(key="sessions_search").set_value("case 2").run()
    assert at.session_state[session_choice.TICKED] == [] and at.button(key="sessions_open").disabled


# ---- other pages -----------------------------------------------------------------------------------------------------


def test_reports_are_listed_with_as_few_questions_to_the_store(open_page: Open, store: Store) -> None:
    seen = []
    for many in (5, 20):
        store.reports.add_many(tables.Report(title=f"Case {n}", content_hash=f"{many} {n}") for n in range(many))
        report = store.reports.all()[-1].id or 0
        store.reports.add_note(tables.Note(report_id=report))
        store.sessions.add(tables.Session(title="Rebuilt", origin="reconstructed", report_id=report))
        at = open_page("reports.py")
        with statements() as asked:
            at.run()
        seen.append(len(asked))
        table = table_with(at, "Dialogues")
        assert table["Notes"].iloc[0] == table["Dialogues"].iloc[0] == 1 and sum(table["Notes"]) == len(seen)
    assert seen[0] == seen[1]


def test_what_a_design_takes_is_weighed_again_only_when_it_or_the_store_changed(open_page: Open, store: Store) -> None:
    fill(store, 8)
    for session in store.sessions.all():
        store.sessions.add_turn(tables.Turn(session_id=session.id or 0, position=1, seat="client", text="I cannot sleep."))
    at = open_page("studies.py")
    at.segmented_control(key="studies_source_en").set_value("sessions").run()
    at.toggle(key="studies_compare").set_value(False).run()
    with statements() as asked:
        at.run()
    assert "Before you start" in shown(at) and not any("sum(length(text))" in sql for sql in asked)
    store.sessions.add_turn(tables.Turn(session_id=1, position=2, seat="counselor", text="Since when?"))
    with statements() as asked:
        at.run()
    assert sum("sum(length(text))" in sql for sql in asked) == 1


def test_a_session_of_many_is_searched_for_to_be_deleted(open_page: Open, store: Store) -> None:
    fill(store, 300)
    store.sessions.update(7, title="Winter case", withdrawn="2026-01-01")
    store.sessions.update(8, title="Winter case")
    at = open_page("privacy.py")
    assert len(at.multiselect(key="privacy_which_session").options) == 200
    at.text_input(key="privacy_search").set_value("winter").run()
    assert_calm(at)
    assert [words[:3] for words in at.multiselect(key="privacy_which_session").options] == ["8 ·"]  # of 7 nobody reads the title
    at.multiselect(key="privacy_which_session").set_value([8]).run()
    at.text_input(key="privacy_search").set_value("29").run()
    assert at.multiselect(key="privacy_which_session").value == [8] and len(at.multiselect(key="privacy_which_session").options) == 14


def test_a_figure_of_thousands_of_values_keeps_their_mean_and_quartiles() -> None:
    values = pd.Series(random.Random(1).choices([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], [1, 2, 3, 5, 8, 3, 1], k=10_000))
    drawn = pd.Series(results_items.thinned(values))
    assert len(drawn) == results_items.MOST_DRAWN and drawn.mean() == pytest.approx(values.mean())
    assert [drawn.quantile(q) for q in (0.25, 0.5, 0.75)] == pytest.approx([values.quantile(q) for q in (0.25, 0.5, 0.75)])
    assert results_items.thinned(values[:30]) == sorted(values[:30])  # few stay as they are


def test_a_forest_draws_its_intervals_as_one_trace_with_every_number_beside() -> None:
    lines = [forest.Line(f"Item {n}", 0.5, 0.4, 0.6 if n else float("nan"), "Bond", 0) for n in range(60)]
    figure = forest.forest(lines, title="", axis="", over="95 %", span=(0, 1))
    assert len(figure.data) == 2 and len(figure.layout.annotations) == 61
    assert sum(x is not None for x in figure.data[0].x) == 2 * 59  # the first has no interval, and none is drawn
