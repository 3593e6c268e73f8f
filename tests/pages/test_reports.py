"""Reports, as people use it: an example from its components over the masking to note and dialogue; files that fail."""

from core.llm.agents import ensure_shipped
from storage.store import Store
from tests.pages.conftest import Open, assert_calm, shown


def test_report_goes_the_whole_way(open_page: Open, store: Store) -> None:
    ensure_shipped(store)
    at = open_page("reports.py")
    assert_calm(at)
    at.button(key="reports_example_1").click().run()
    assert_calm(at)
    report = store.reports.all()[0]
    assert report.masking == "unconfirmed" and at.query_params["report"] in (str(report.id), [str(report.id)])
    assert "Maria" not in report.case_brief and "Client A" in report.case_brief
    at.button(key="reports_to_masking").click().run()
    assert_calm(at)
    assert "Mark 1 of" in shown(at) and at.button(key="reports_confirm").disabled
    at.checkbox(key="reports_read").check().run()
    at.button(key="reports_confirm").click().run()
    assert_calm(at)
    assert store.reports.get(report.id or 0).masking == "confirmed"
    at.button(key="reports_note").click().run()
    assert_calm(at)
    assert len(store.reports.notes(report.id or 0)) == 1
    at.button(key="reports_dialogue").click().run()
    assert_calm(at)
    session = store.sessions.all(origin="reconstructed")[0]
    assert session.report_id == report.id and 10 <= len(store.sessions.turns(session.id or 0)) <= 30
    assert "Maria" not in " ".join(turn.text for turn in store.sessions.turns(session.id or 0))
    assert "Checked against the rules" in shown(at)


def test_person_keeps_a_word_and_masks_another(open_page: Open, store: Store) -> None:
    at = open_page("reports.py")
    at.button(key="reports_example_1").click().run()
    report = store.reports.all()[0]
    at.button(key="reports_to_masking").click().run()
    at.button(key="reports_keep").click().run()
    assert_calm(at)
    assert "Maria Oyelaran" in store.reports.get(report.id or 0).case_brief
    at.text_input(key="reports_add").set_value("Norwich").run()
    at.button(key="reports_add_go").click().run()
    assert_calm(at)
    assert "Norwich" not in store.reports.get(report.id or 0).case_brief


def test_pasted_text_without_headings_is_sorted_by_the_writer(open_page: Open, store: Store) -> None:
    ensure_shipped(store)
    at = open_page("reports.py")
    text = "A teacher came because she could not sleep. She was afraid of every Monday.\nWe met eight times. I listened and we tried to write down her worries. In the end she slept better."
    at.text_area(key="reports_pasted").set_value(text).run()
    at.button(key="reports_paste").click().run()
    assert_calm(at)
    assert "No usual headings" in shown(at) and "Not found in the text" in "".join(w.value for w in at.warning)
    at.button(key="reports_sort").click().run()
    assert_calm(at)
    assert store.reports.all()[0].consultation_process


def test_empty_file_gets_a_sentence(open_page: Open, store: Store) -> None:
    at = open_page("reports.py")
    at.file_uploader(key="reports_files").set_value([("empty.txt", b"", "text/plain")]).run()
    at.button(key="reports_read_files").click().run()
    assert_calm(at)
    assert "is empty" in "".join(w.value for w in at.warning) and store.reports.count() == 0


def test_missing_report_is_said_and_the_page_speaks_chinese(open_page: Open) -> None:
    at = open_page("reports.py", language="zh", report=999)
    assert_calm(at)
