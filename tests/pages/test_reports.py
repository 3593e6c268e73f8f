"""Reports, as people use it: an example from its components over the masking to note and dialogue; files that fail."""

import pytest

from core.clearance import Clearance, kind_of
from core.llm.agents import ensure_shipped
from core.reports import service
from core.reports.drafts import shown_hash
from pages.components import passage
from storage import tables
from storage.store import Store
from tests.pages.conftest import AsPerson, Open, assert_calm, shown

TEXT = (
    "Title: Nights\nType: Sleep\nMethod: Talk\nCase brief: Maria Oyelaran, 47, cannot sleep. Maria works in Leeds.\n"
    "Consultation process: Maria and I met ten times.\nReflections: Slowly."
)


def kind(store: Store, report: tables.Report) -> Clearance:
    return kind_of(store, "report", report.id or 0)


@pytest.fixture
def confirmed(store: Store, researcher: tables.Person) -> tables.Report:
    """A report a person read and confirmed."""
    report = service.take_report(store, "nights.txt", TEXT).reports[0]
    return service.confirm_masking(store, report.id or 0, researcher, shown_hash(*service.unmasked(store, report.id or 0)))


def test_report_goes_the_whole_way(open_page: Open, store: Store) -> None:
    ensure_shipped(store)
    at = open_page("reports.py")
    assert_calm(at)
    at.button(key="reports_example_1").click().run()
    assert_calm(at)
    report = store.reports.all()[0]
    assert kind(store, report) is Clearance.UNCONFIRMED and at.query_params["report"] in (str(report.id), [str(report.id)])
    assert "Maria" not in report.case_brief and "Client A" in report.case_brief
    at.button(key="reports_to_masking").click().run()
    assert_calm(at)
    assert "Mark 1 of" in shown(at) and at.button(key="reports_confirm").disabled
    at.checkbox(key="reports_read").check().run()
    at.button(key="reports_confirm").click().run()
    assert_calm(at)
    assert kind(store, report) is Clearance.CONFIRMED
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


def test_a_key_press_on_a_confirmed_report_takes_the_confirmation_away(
    open_page: Open, store: Store, confirmed: tables.Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = confirmed.id or 0
    at = open_page("reports.py", report=id, step="masking")
    assert_calm(at)
    assert "This text is confirmed" in shown(at)
    pressed = iter(["k"])
    monkeypatch.setattr(passage, "show", lambda *_a, **_b: passage.Done(key=next(pressed, "")))
    at.run()
    assert_calm(at)
    assert "Maria Oyelaran" in store.reports.get(id).case_brief and kind(store, confirmed) is Clearance.UNCONFIRMED
    assert "nothing is sent before you confirm" in shown(at)


def test_what_was_changed_in_another_tab_is_not_confirmed_unread(open_page: Open, store: Store, researcher: tables.Person) -> None:
    report = service.take_report(store, "nights.txt", TEXT).reports[0]
    at = open_page("reports.py", report=report.id, step="masking")
    at.checkbox(key="reports_read").check().run()
    service.change_components(store, report.id or 0, method="Talks with Zbqx, whom no rule knows")
    at.button(key="reports_confirm").click().run()
    assert_calm(at)
    assert "changed elsewhere meanwhile" in shown(at) and kind(store, report) is Clearance.UNCONFIRMED and not store.reviews.all()
    assert not at.checkbox(key="reports_read").value, "it is to be read again"
    at.checkbox(key="reports_read").check().run()
    at.button(key="reports_confirm").click().run()
    assert kind(store, report) is Clearance.CONFIRMED and [row.person_id for row in store.reviews.all()] == [researcher.id]


def test_a_mark_decided_about_in_another_tabs_text_is_not_saved(open_page: Open, store: Store) -> None:
    report = service.take_report(store, "nights.txt", TEXT).reports[0]
    at = open_page("reports.py", report=report.id, step="masking")
    service.change_components(store, report.id or 0, title="Nights of Tomasz Novak")
    at.button(key="reports_keep").click().run()
    assert_calm(at)
    assert "this mark was not saved" in shown(at) and "Maria" not in store.reports.get(report.id or 0).case_brief


def test_an_invented_report_is_said_to_be_made_up(open_page: Open, store: Store) -> None:
    report = service.take_report(store, "nights.txt", TEXT).reports[0]
    at = open_page("reports.py", report=report.id, step="masking")
    at.checkbox(key="reports_read").check().run()
    at.button(key="reports_made_up").click().run()
    assert_calm(at)
    assert kind(store, report) is Clearance.SYNTHETIC and "Made up, said" in shown(at)


def test_an_edited_note_waits_until_somebody_read_these_words(open_page: Open, store: Store, confirmed: tables.Report) -> None:
    ensure_shipped(store)
    at = open_page("reports.py", report=confirmed.id)
    at.button(key="reports_note").click().run()
    assert_calm(at)
    assert not [b for b in at.button if b.key == "reports_note_confirm"]
    at.text_area(key="reports_problems_1").set_value("Sleep, and Ann.")
    next(b for b in at.button if "reports_note_save" in str(b.key)).click().run()
    assert_calm(at)
    edited = store.reports.notes(confirmed.id or 0)[-1]
    assert kind_of(store, "note", edited.id or 0) is Clearance.UNCONFIRMED
    at.button(key="reports_note_confirm").click().run()
    assert_calm(at)
    assert kind_of(store, "note", edited.id or 0) is Clearance.CONFIRMED and "nobody can be recognized" in shown(at)


def test_a_counselors_report_bears_their_code_and_codes_are_corrected(open_page: Open, store: Store, as_person: AsPerson) -> None:
    as_person({"counselor": []}, "T-01")
    at = open_page("reports.py")
    at.text_area(key="reports_pasted").set_value(TEXT).run()
    at.button(key="reports_paste").click().run()
    assert_calm(at)
    report = store.reports.all()[0]
    assert report.counselor_code == "T-01"
    at.text_input(key=f"reports_client_{report.id}").set_value("C-7")
    at.button(key="reports_to_masking").click().run()
    assert store.reports.get(report.id or 0).client_code == "C-7"
