"""What persons did not agree to, or withdrew, on the pages: left out, counted, and said."""

import pytest

from core.consent import EXPORT, RATED
from core.errors import DataError
from core.people import agreements
from core.people.agreements import Who
from core.studies import service
from pages.components import leaving
from storage import tables
from storage.store import Store
from tests.core.studies.test_consent import RATINGS, held
from tests.pages.conftest import Open, assert_calm, shown
from tests.persons import somebody


def done(store: Store) -> int:
    study = service.begin(store, RATINGS)
    service.start(store, study.id or 0, worker=False)
    service.work_off(store)
    return study.id or 0


def test_figures_say_what_they_leave_out(open_page: Open, store: Store) -> None:
    held(store, "apple")
    held(store, "plum", group=False)
    goes, person = held(store, "pear")
    study = done(store)
    hidden = store.ratings.find(session_id=goes)
    agreements.withdraw(store, Who(person), session_id=goes)
    for name in ("results.py", "agreement.py"):
        at = open_page(name)
        assert_calm(at)
        assert "1 session was withdrawn" in shown(at) and "1 session is without consent to group figures" in shown(at), name
    assert hidden is not None
    at = open_page("results.py", rating=hidden.id)
    assert_calm(at)
    assert "was withdrawn by somebody" in shown(at) and "pear" not in shown(at)
    assert "1 withdrawn" in shown(open_page("home.py"))
    assert study


def test_results_of_withdrawn_sessions_alone_are_said_and_break_nothing(open_page: Open, store: Store) -> None:
    goes, person = held(store, "pear")
    done(store)
    agreements.withdraw(store, Who(person), session_id=goes)
    at = open_page("results.py")
    assert_calm(at)
    assert "No figures of this study are left" in shown(at) and "1 session was withdrawn" in shown(at)


def test_a_study_says_who_is_left_out_before_it_starts_and_what_ended_since(open_page: Open, store: Store) -> None:
    held(store, "apple")
    held(store, "plum", rated=False)
    goes, person = held(store, "pear")
    at = open_page("studies.py")
    at.segmented_control(key="studies_source_en").set_value("sessions").run()
    assert_calm(at)
    assert "1 session is left out" in shown(at)
    at.segmented_control(key="studies_way").set_value("text").run()
    at.text_area[0].set_value("name: All\nsteps:\n  - kind: ratings\n    items: [Q1]\n    repeats: 1\n").run()
    assert "1 session is not judged: somebody in it did not agree" in shown(at)
    study = service.begin(store, RATINGS)
    agreements.withdraw(store, Who(person), [RATED], goes)
    service.start(store, study.id or 0, worker=False)
    service.work_off(store)
    at = open_page("studies.py", study=study.id)
    assert_calm(at)
    assert "Somebody in the session did not agree, or withdrew" in shown(at) and "1 without consent" in shown(at)
    assert "studies_retry" not in [button.key for button in at.button]


def test_an_export_asks_for_unconfirmed_text_by_name(open_page: Open, store: Store) -> None:
    held(store, "apple")
    study = done(store)
    at = open_page("studies.py", study=study)
    assert not at.checkbox(key="studies_unconfirmed").value
    at.button(key="studies_export").click().run()
    assert_calm(at)
    assert at.session_state["studies_zip"][:2] == (study, False)
    at.checkbox(key="studies_unconfirmed").check().run()
    assert "studies_zip_save" not in [button.key for button in at.get("download_button")], "another export than was asked for"


def test_a_session_is_saved_only_where_everybody_agreed(open_page: Open, store: Store) -> None:
    whole, _ = held(store, "apple")
    bare, _ = held(store, "plum", export=False)
    assert at_download(open_page, whole) and not at_download(open_page, bare)
    assert "Not everybody in it agreed to export" in shown(open_page("sessions.py", session=bare))


def at_download(open_page: Open, session: int) -> bool:
    at = open_page("sessions.py", session=session)
    assert_calm(at)
    return any(button.proto.label == "Download" for button in at.get("download_button"))


def test_an_export_that_was_prepared_before_a_withdrawal_is_not_saved_after_it(open_page: Open, store: Store) -> None:
    held(store, "apple")
    goes, person = held(store, "pear")
    agreements.answer(store, Who(person), {EXPORT: True}, goes)
    at = open_page("studies.py", study=done(store))
    at.button(key="studies_export").click().run()
    assert "studies_zip_save" in [button.key for button in at.get("download_button")]
    agreements.withdraw(store, Who(person), session_id=goes)
    assert "studies_zip_save" not in [button.key for button in at.run().get("download_button")]


def test_what_nobody_confirmed_is_saved_only_when_a_researcher_asks_by_name(open_page: Open, store: Store) -> None:
    """An imported session, a typed role; and a dialogue whose report's client refused its export, not at all."""
    imported = store.sessions.add(tables.Session(title="Read by nobody", origin="imported", state="ended"))
    role = store.roles.add(tables.RoleCard(title="Typed", sampling="written", text="She is the only mayor."))
    report = store.reports.add(tables.Report(title="Refused", content_hash="1", client_code="C-7"))
    rebuilt = store.sessions.add(tables.Session(title="Rebuilt", origin="reconstructed", report_id=report.id, state="ended"))
    agreements.answer(store, Who(None, "client", "C-7", somebody(store, "R-1")), {EXPORT: False}, None)
    for name, key, asked, where in (
        ("sessions.py", "sessions_download", f"sessions_unconfirmed_{imported.id}", {"session": imported.id}),
        ("roles.py", "roles_download", f"roles_unconfirmed_{role.id}", {"role": role.id}),
    ):
        at = open_page(name, **where)
        assert_calm(at)
        assert key not in [button.key for button in at.get("download_button")]
        at.checkbox(key=asked).check().run()
        assert key in [button.key for button in at.get("download_button")]
    at = open_page("sessions.py", session=rebuilt.id)
    assert_calm(at)
    assert not at.get("download_button") and "Not everybody in it agreed to export" in shown(at)


def test_a_page_that_stood_open_saves_nothing_that_was_withdrawn_since(store: Store) -> None:
    id, person = held(store, "apple")
    made = leaving.still(store, "session", id, "the words")
    assert made() == "the words"
    agreements.withdraw(store, Who(person), session_id=id)
    with pytest.raises(DataError, match="was withdrawn, so it leaves in no file"):
        made()
