"""Studies, as people use the page: nothing yet, a design that cannot run, one that runs, one that is finished."""

import time
from typing import Any

import pytest
import yaml

from core import sentences
from core.errors import ModelError
from core.instruments import load
from core.llm.agents import ensure_shipped
from core.llm.asking import now
from core.llm.refusals import MESSAGES
from core.studies import service, versions
from core.studies.prices import OverBudget
from core.studies.unit import NOTHING_CAME
from pages.components import words as catalogues
from storage import tables, units
from storage.store import Store
from tests.judging import rate_session
from tests.pages.conftest import Open, assert_calm, shown, table_with

LINES = [("client", "I can't sleep since I lost my job."), ("counselor", "It sounds like nights are the hardest.")]
DESIGN = "name: Alliance\nsteps:\n  - kind: ratings\n    instrument: wai-o-s\n    items: [Q1]\n    repeats: 2\n"


def a_session(store: Store) -> int:
    session = tables.Session(title="One", origin="imported", state="ended")
    rows = [tables.Turn(session_id=0, position=n, seat=seat, text=text) for n, (seat, text) in enumerate(LINES, 1)]
    return store.sessions.add_with_turns(session, rows).id or 0


def as_text(open_page: Open) -> Any:
    """The page with the design to be written as text."""
    at = open_page("studies.py")
    at.selectbox(key="studies_study").set_value(0).run()
    at.segmented_control(key="studies_way").set_value("text").run()
    return at


def test_a_fresh_machine_offers_a_design_and_what_it_takes(open_page: Open) -> None:
    at = open_page("studies.py")
    assert_calm(at)
    assert "Before you start" in shown(at) and at.button(key="studies_begin").label == "Start"


def test_a_design_that_cannot_run_says_which_part(open_page: Open, store: Store) -> None:
    at = as_text(open_page)
    at.text_area[0].set_value("name: X\nsteps:\n  - kind: ratings\n    repeat: 2\n").run()
    assert_calm(at)
    assert "cannot be run" in shown(at) and store.studies.count() == 0


def test_a_study_is_started_from_its_design(open_page: Open, store: Store, monkeypatch: object) -> None:
    a_session(store)
    at = as_text(open_page)
    at.text_area[0].set_value(DESIGN).run()
    at.button(key="studies_begin").click().run()
    assert_calm(at)
    study = store.studies.all()[0]
    assert (study.name, study.state in ("running", "finished")) == ("Alliance", True)
    service.wait_for(store, study.id or 0, longest=30)


def test_a_finished_study_leads_to_its_results(open_page: Open, store: Store) -> None:
    ensure_shipped(store)
    a_session(store)
    import yaml

    study = service.begin(store, yaml.safe_load(DESIGN))
    service.start(store, study.id or 0, worker=False)
    service.work_off(store)
    at = open_page("studies.py", study=study.id)
    assert_calm(at)
    words = shown(at)
    assert "Finished" in words and "Read what it shows" in words


def test_a_study_that_waits_for_a_key_asks_for_it(open_page: Open, store: Store) -> None:
    ensure_shipped(store)
    a_session(store)
    url = "https://models.example.org/v1"
    row = store.endpoints.add(tables.Endpoint(name="Example", base_url=url, model="m"))
    store.agents.add(tables.Agent(name="Judge", seat="judge", engine="openai", endpoint_id=row.id, hash="h"))
    step = {"kind": "ratings", "items": ["Q1"], "judge": "Judge"}
    study = service.begin(store, {"name": "Alliance", "steps": [step]})
    store.studies.update(study.id or 0, state="needs the key")
    at = open_page("studies.py", study=study.id)
    assert_calm(at)
    assert at.text_input(key=f"studies_key_{row.id}").label.replace("\\", "") == f"Key for {url}"
    assert "enter the key right here" in shown(at)
    assert at.button(key="studies_start").label == "Resume"


def test_a_design_is_chosen_shown_as_text_and_run(open_page: Open, store: Store) -> None:
    ensure_shipped(store)
    at = open_page("studies.py")
    at.number_input(key="studies_new_roles").set_value(1).run()
    at.number_input(key="studies_turns").set_value(4).run()
    at.multiselect(key="studies_counselors").set_value(["Hill-guided", "Advice-giving"]).run()
    at.number_input(key="studies_repeats").set_value(1).run()
    assert_calm(at)
    assert "Before you start" in shown(at)
    at.segmented_control(key="studies_way").set_value("text").run()
    assert "Advice-giving" in at.text_area[0].value and "kind: comparisons" in at.text_area[0].value
    at.segmented_control(key="studies_way").set_value("form").run()
    at.button(key="studies_begin").click().run()
    assert_calm(at)
    study = store.studies.all()[0]
    assert service.wait_for(store, study.id or 0, longest=60) == "finished"
    assert store.sessions.count() == 2 and store.ratings.count() == 2 * 12 and store.comparisons.count() == 18


def test_sessions_in_the_store_are_rated(open_page: Open, store: Store) -> None:
    ensure_shipped(store)
    a_session(store)
    at = open_page("studies.py")
    at.segmented_control(key="studies_source_en").set_value("sessions").run()
    at.toggle(key="studies_compare").set_value(False).run()
    at.number_input(key="studies_repeats").set_value(2).run()
    at.button(key="studies_begin").click().run()
    assert_calm(at)
    study = store.studies.all()[0]
    assert service.wait_for(store, study.id or 0, longest=60) == "finished" and store.ratings.count() == 24


def test_without_a_judge_nothing_can_start(open_page: Open, store: Store) -> None:
    ensure_shipped(store)
    at = open_page("studies.py")
    at.multiselect(key="studies_judges").set_value([]).run()
    assert_calm(at)
    assert "still missing" in shown(at) and not [b for b in at.button if b.key == "studies_begin"]


def test_a_planned_study_counts_what_is_answered_already(open_page: Open, store: Store) -> None:
    ensure_shipped(store)
    a_session(store)
    for _ in range(2):
        at = as_text(open_page)
        at.text_area[0].set_value(DESIGN).run()
        at.button(key="studies_plan").click().run()
        assert_calm(at)
        study = max(store.studies.all(), key=lambda one: one.id or 0)
        if store.ratings.count() == 0:
            service.start(store, study.id or 0, worker=False)
            service.work_off(store)
    assert study.state == "planned" and "2 reused" in shown(at)


def test_a_reached_budget_is_raised_and_the_study_can_go_on(open_page: Open, store: Store) -> None:
    import yaml

    ensure_shipped(store)
    a_session(store)
    study = service.begin(store, yaml.safe_load(DESIGN) | {"budget": 1.0})
    store.studies.update(study.id or 0, state="over budget")
    at = open_page("studies.py", study=study.id)
    at.number_input(key=f"studies_budget_{study.id}").set_value(5.0).run()
    at.button(key="studies_budget_set").click().run()
    assert_calm(at)
    assert store.studies.get(study.id or 0).budget == 5.0 and at.button(key="studies_start").label == "Resume"


def test_a_study_goes_out_as_a_file_and_a_broken_one_is_refused(open_page: Open, store: Store) -> None:
    import yaml

    from core.studies.export import export_archive

    ensure_shipped(store)
    a_session(store)
    study = service.begin(store, yaml.safe_load(DESIGN))
    service.start(store, study.id or 0, worker=False)
    service.work_off(store)
    at = open_page("studies.py", study=study.id)
    at.button(key="studies_export").click().run()
    assert_calm(at)
    data = export_archive(store, study.id or 0)
    at.selectbox(key="studies_study").set_value(0).run()
    for given, words in ((b"no zip", "not a zip"), (data, "Finished")):
        at.file_uploader(key="studies_zip_in").set_value(("study.zip", given, "application/zip")).run()
        at.button(key="studies_import").click().run()
        assert_calm(at)
        assert words in shown(at)
    assert store.studies.count() == 1, "the study is here already, and is found again"


def test_reports_are_rebuilt_both_ways_and_compared(open_page: Open, store: Store) -> None:
    ensure_shipped(store)
    case = "A woman of 34 cannot sleep since she lost her job. She lives with her parents."
    store.reports.add(tables.Report(
        title="One", case_brief=case, consultation_process="The counselor listened. They agreed on a small step.",
        experience_thoughts="Going slowly helped.", content_hash="1",
    ))  # fmt: skip
    at = open_page("studies.py")
    at.segmented_control(key="studies_source_en").set_value("reports").run()
    at.number_input(key="studies_repeats").set_value(1).run()
    assert_calm(at)
    at.button(key="studies_begin").click().run()
    assert_calm(at)
    study = store.studies.all()[0]
    assert service.wait_for(store, study.id or 0, longest=60) == "finished", study.reason
    assert store.sessions.count(origin="reconstructed") == 2 and store.comparisons.count() == 18


def test_replies_an_older_reader_read_are_read_again_after_a_look(open_page: Open, store: Store, scripted: Any) -> None:
    """true was read as 1; the list says so before anything counts."""
    said = '{"reasoning": "r", "evidence": [], "counter_evidence": [], "rating": true}'
    id = store.studies.add(tables.Study(name="Former", state="finished")).id or 0
    held, rater = store.sessions.get(a_session(store)), store.raters.ensure("model", "judge")
    row = now(rate_session(store, scripted(said), rater, load("wai-o-s"), held, ["Q1"], study_id=id))[0]
    at = open_page("studies.py", study=id)
    assert_calm(at)
    assert not [button for button in at.button if button.key == "studies_reread"]

    store.ratings.update(row.id or 0, reader=1, value=1.0, score=1.0, reason="")
    at.run()
    at.button(key="studies_reread").click().run()
    assert_calm(at)
    listed = table_with(at, "Why unscored now")
    assert (listed["Before"][0], listed["Now"][0]) == ("1", "unscored")
    assert "Let 1 new reading count" in shown(at) and store.ratings.rows()[0]["value"] == 1.0

    at.button(key="studies_reread_apply").click().run()
    assert_calm(at)
    assert store.ratings.rows()[0]["value"] is None and store.ratings.get(row.id or 0).superseded_by
    assert not [button for button in at.button if button.key == "studies_reread"]


def test_why_a_study_stopped_is_said_in_the_persons_language(open_page: Open, store: Store) -> None:
    ensure_shipped(store)
    a_session(store)
    study = service.begin(store, yaml.safe_load(DESIGN))
    store.studies.update(study.id or 0, state="over budget", reason=sentences.written(OverBudget(1.5, 2.0)))
    assert "$1.50 of $2.00 are spent" in shown(open_page("studies.py", study=study.id))
    down = ModelError(f"{MESSAGES['unreachable'][1]} {NOTHING_CAME}", where="http://h.example/v1", words="refused", minutes=15.2)
    store.studies.update(study.id or 0, state="failed", reason=sentences.written(down))
    said = shown(open_page("studies.py", study=study.id))
    assert "Nothing came through for 15 min" in said and "cannot be reached" in said
    at = open_page("studies.py", "zh", study=study.id)
    assert_calm(at)
    assert "15" in shown(at) and "Nothing came" not in shown(at) and "reached" not in shown(at)


def test_items_and_records_that_are_missing_are_said(open_page: Open, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    ensure_shipped(store)
    first, _second = a_session(store), a_session(store)
    study = service.begin(store, yaml.safe_load(DESIGN)).id or 0
    service.start(store, study, worker=False)
    service.work_off(store)
    unit, rating = store.units.all(study_id=study)[0], store.ratings.all()[0]
    store.ratings.update(rating.id or 0, value=None, score=None, reason="the reply leaves this item out")
    store.units.update(unit.id or 0, reason="missing: 1 of 2 items: the reply leaves this item out")
    store.delete("session", first if rating.session_id != first else _second)
    at = open_page("studies.py", study=study)
    assert_calm(at)
    assert "1 item of units that are done could not be read" in shown(at)
    assert "2 units are gone: what they worked on was deleted." in shown(at)
    assert at.button(key="studies_retry").label == "Ask 1 unit again"


def test_a_worker_that_died_is_started_again_by_who_looks_on(open_page: Open, store: Store) -> None:
    ensure_shipped(store)
    a_session(store)
    study = service.begin(store, yaml.safe_load(DESIGN)).id or 0
    service.start(store, study, worker=False)  # as if it had been killed at once
    open_page("studies.py", study=study)
    until = time.monotonic() + 30
    while store.studies.get(study).state != "finished" and time.monotonic() < until:
        time.sleep(0.05)  # not ``wait_for``, which would start one itself
    assert store.studies.get(study).state == "finished"


def finished(store: Store, design: str = DESIGN) -> int:
    """A study of one session, worked off."""
    ensure_shipped(store)
    a_session(store)
    id = service.begin(store, yaml.safe_load(design)).id or 0
    service.start(store, id, worker=False)
    service.work_off(store)
    return id


def test_what_is_gone_is_not_counted_as_done(open_page: Open, store: Store) -> None:
    study = finished(store)
    store.units.update(store.units.all(study_id=study)[0].id or 0, state="gone")
    at = open_page("studies.py", study=study)
    (bar,) = at.get("progress")
    assert (bar.proto.value, bar.proto.text) == (50, "Ratings: 1 of 2 (1 gone)")
    assert "0 reused, 0 unscored, 0 failed, 1 gone" in shown(at) and "Read what it shows" in shown(at)
    for unit in store.units.all(study_id=study):
        store.units.update(unit.id or 0, state="gone")
    at.run()
    assert_calm(at)
    assert "Nothing is left to read" in shown(at) and "Read what it shows" not in shown(at)


def test_a_study_of_which_nothing_could_be_read_is_no_success(open_page: Open, store: Store) -> None:
    study = finished(store)
    for unit in store.units.all(study_id=study):
        store.units.update(unit.id or 0, state="unscored", reason="unreadable: no JSON in the reply")
    at = open_page("studies.py", study=study)
    assert_calm(at)
    (bar,) = at.get("progress")
    assert (bar.proto.value, bar.proto.text) == (0, "Ratings: 0 of 2 (2 unscored)")
    assert "None of 2 could be read. Try a few before asking all again." in shown(at)
    assert "Read what it shows" not in shown(at)


def test_nothing_of_the_design_form_speaks_english_on_a_chinese_page(open_page: Open, store: Store) -> None:
    ensure_shipped(store)
    at = open_page("studies.py", "zh")
    assert at.multiselect and {box.proto.placeholder for box in at.multiselect} == {"选择"}


def test_what_did_not_work_is_said_whole_and_in_the_persons_language(
    open_page: Open, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = finished(store)
    why = "3.5 is not a level of the scale from 1 to 5, but lies between two of them"
    for unit in store.units.all(study_id=study):
        store.units.update(unit.id or 0, state="unscored", reason=f"off_scale: 1 of 1 items: {why}")
    at = open_page("studies.py", study=study)
    assert_calm(at)
    assert f"Example: 1 of 1 items: {why}" in shown(at) and "2 units" in shown(at) and not at.dataframe

    looked_up: list[str] = []
    chinese = catalogues.catalogue("zh")
    monkeypatch.setattr(chinese, "gettext", lambda message: looked_up.append(message) or message)
    monkeypatch.setattr(catalogues, "catalogue", lambda language: chinese)
    assert_calm(open_page("studies.py", "zh", study=study))
    assert "{said} is not a level of the scale from {lowest} to {highest}, but lies between two of them" in looked_up


def test_a_study_of_another_version_offers_one_button_and_no_other(open_page: Open, store: Store) -> None:
    ensure_shipped(store)
    a_session(store)
    study = service.begin(store, yaml.safe_load(DESIGN))
    units.change(store, "UPDATE unit SET payload = json_remove(payload, '$.version') WHERE study_id = :id", {"id": study.id})
    at = open_page("studies.py", study=study.id)
    assert_calm(at)
    assert "was begun with version 1 of the instrument wai-o-s" in shown(at)
    assert not {"studies_start", "studies_retry"} & {button.key for button in at.button}
    at.button(key="studies_anew").click().run()
    assert_calm(at)
    new = store.studies.all()[-1]
    assert new.id != study.id and at.query_params["study"] == str(new.id)
    assert "was begun with version" not in shown(at) and at.button(key="studies_start").label == "Start"


def test_a_study_that_was_begun_anew_leads_to_the_new_one(open_page: Open, store: Store) -> None:
    ensure_shipped(store)
    a_session(store)
    old = service.begin(store, yaml.safe_load(DESIGN)).id or 0
    units.change(store, "UPDATE unit SET payload = json_remove(payload, '$.version') WHERE study_id = :id", {"id": old})
    store.studies.update(old, state="stopped", reason=sentences.written(versions.other_version(old, versions.moved(store, old, "open")[0])))
    home = shown(open_page())
    assert "Look after the study “Alliance”" in home and "cannot go on" in home and "let it go on" not in home
    new = service.begin_anew(store, old)
    store.studies.update(new.id or 0, state="finished")
    assert "Look after the study" not in shown(open_page())
    at = open_page("studies.py", study=old)
    assert_calm(at)
    assert f"Study {new.id} goes on with its plan" in shown(at) and "Choose “Begin it as a new study”" not in shown(at)
    assert f"{old} · Alliance (goes on as study {new.id})" in at.selectbox(key="studies_study").options
    assert "studies_anew" not in {button.key for button in at.button}
    at.button(key="studies_newer").click().run()
    assert_calm(at)
    assert at.query_params["study"] == str(new.id) and f"{new.id} · Alliance (2)" == at.selectbox(key="studies_study").options[0]
