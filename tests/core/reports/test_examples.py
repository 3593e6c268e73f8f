"""The example reports: which they are is a list, and what they say of themselves is kept with them."""

import pytest

from core.clearance import Clearance, kind_of, kinds
from core.people import reviews
from core.reports import examples, service
from storage.store import Store


def test_every_file_of_the_list_is_there_and_nothing_else_is_an_example() -> None:
    named = {row["file"] for row in examples.listed()["reports"]}
    assert {path.name for path in examples.files()} == named
    assert "README.md" not in named and (examples.FOLDER / "README.md").is_file()


@pytest.mark.parametrize(("language", "count"), [("en", 2), ("zh", 1)])
def test_examples_are_case_reports_of_their_language_and_made_up(store: Store, language: str, count: int) -> None:
    ids, reasons = examples.take(store, language)
    assert len(ids) == count == store.reports.count() and not reasons
    assert all(row.case_brief and row.consultation_process and row.language == language for row in store.reports.all())
    assert set(kinds(store, "report").values()) == {Clearance.SYNTHETIC}
    assert {row.person_id for id in ids for row in reviews.of_record(store, "report", id)} == {None}  # nobody here said it
    assert examples.take(store, language) == (ids, []) and store.reports.count() == count


def test_a_report_of_ones_own_under_an_examples_name_is_none(store: Store) -> None:
    path = examples.files("en")[-1]
    own = service.take_report(store, path.name, path.read_text("utf-8").replace("Norwich", "Leeds")).reports[0]
    ids, _reasons = examples.take(store, "en")
    assert own.id not in ids and kind_of(store, "report", own.id or 0) is Clearance.UNCONFIRMED


def test_an_example_somebody_brought_in_and_reads_themselves_is_left_as_it_is(store: Store) -> None:
    path = examples.files("zh")[0]
    own = service.take_report(store, "mine.txt", path.read_bytes()).reports[0]
    assert examples.take(store, "zh")[0] == [own.id] and kind_of(store, "report", own.id or 0) is Clearance.UNCONFIRMED


def test_an_edited_example_is_not_made_up_any_more(store: Store) -> None:
    id = examples.take(store, "zh")[0][0]
    service.change_components(store, id, method="another")
    assert kind_of(store, "report", id) is Clearance.UNCONFIRMED
