"""Who looked: kept once for each opening of what a person stands behind, and shown to that person."""

from pathlib import Path
from typing import Any

from core.commands.showing import show
from core.consent import EXPORT, FIGURES, TAKING_PART
from core.people import agreements, looks, reviews, service
from core.people.agreements import Who
from core.people.looks import Opened
from core.studies.archive import records_in
from core.studies.export import export_study
from storage import tables
from storage.store import Store


def session(store: Store, client: tables.Person | None = None, **more: Any) -> tables.Session:
    turn = tables.Turn(
        session_id=0, position=1, seat="client", text="I cannot sleep.", speaker="person" if client else "agent",
        person_id=client.id if client else None,
    )  # fmt: skip
    fields = {"origin": "live" if client else "simulated", "state": "ended"} | more
    return store.sessions.add_with_turns(tables.Session(**fields), [turn])


def test_opening_what_a_person_said_is_kept(store: Store) -> None:
    client, reader = service.begin(store, "secret-k", {"client": []}, "C-01"), service.begin(store, "secret-r", code="R-01")
    held = session(store, client)
    kept = looks.note(store, reader, "session", held.id or 0, "sessions")
    assert kept is not None and (kept.person_id, kept.page, kept.record_id) == (reader.id, "sessions", held.id)
    seen = looks.at_mine(store, client)
    assert [(one.code, one.page, one.record) for one in seen] == [("R-01", "sessions", Opened("session", held.id or 0))]
    assert looks.at_mine(store, reader) == []


def test_own_session_and_what_is_made_up_are_not_kept(store: Store) -> None:
    client, reader = service.begin(store, "secret-k", {"client": []}, "C-01"), service.begin(store, "secret-r")
    own, made_up = session(store, client), session(store)
    seated = session(store, counselor_person_id=reader.id)
    for person, record in ((client, own), (reader, made_up), (reader, seated)):
        assert looks.note(store, person, "session", record.id or 0, "sessions") is None
    other_browser = service.begin(store, "secret-2", {"client": []})
    service.join(store, client.id or 0, other_browser.id or 0)
    assert looks.note(store, other_browser, "session", own.id or 0, "sessions") is None
    assert store.looks.count() == 0


def test_confirmed_report_is_still_of_somebody_and_a_made_up_one_of_nobody(store: Store) -> None:
    reader = service.begin(store, "secret-r")
    for says, kept in (("confirmed", 1), ("synthetic", 1)):
        report = store.reports.add(tables.Report(title=says, case_brief="Sleep.", content_hash=says))
        reviews.review(store, reader, "report", report.id or 0, says, reviews.shown(store, "report", report.id or 0))  # type: ignore[arg-type]
        looks.note(store, reader, "report", report.id or 0, "reports")
        assert store.looks.count() == kept
    looks.note(store, reader, "session", session(store, origin="imported").id or 0, "sessions")
    assert store.looks.count() == 2


def test_export_notes_many_in_one_go(store: Store) -> None:
    client, reader = service.begin(store, "secret-k", {"client": []}, "C-01"), service.begin(store, "secret-r")
    held = [session(store, client) for _n in range(5)] + [session(store) for _n in range(5)]
    kept = looks.note_all(store, reader, [Opened("session", one.id or 0) for one in held] + [Opened("session", 999)], "export")
    assert [look.record_id for look in kept] == [one.id for one in held[:5]]
    assert [one.page for one in looks.at_mine(store, client)] == ["export"] * 5


def test_command_line_looks_as_the_owner_of_the_account(store: Store) -> None:
    client = service.begin(store, "secret-k", {"client": []}, "C-01")
    held = session(store, client)
    show(store, "session", held.id or 0)
    rater = store.raters.ensure("rules", "Demo rater v1", "h")
    rating = tables.Rating(rater_id=rater.id or 0, session_id=held.id or 0, instrument="i", instrument_version=1, language="en", item="Q1")
    show(store, "rating", store.ratings.add(rating).id or 0)
    show(store, "role", store.roles.add(tables.RoleCard(title="R")).id or 0)
    assert [(one.code, one.page) for one in looks.at_mine(store, client)] == [("owner", "command line")] * 2


def test_export_is_a_look_at_whose_words_are_in_it(store: Store, tmp_path: Path) -> None:
    client, other = service.begin(store, "secret-k", {"client": []}, "C-01"), service.begin(store, "secret-o", {"client": []}, "C-02")
    left, kept = session(store, client), session(store, other)
    agreements.answer(store, Who(client), {TAKING_PART: True, FIGURES: True, EXPORT: True}, left.id)
    study = store.studies.add(tables.Study(name="Two", state="finished"))
    rater = store.raters.ensure("rules", "Demo rater v1", "h")
    for one in (left, kept):
        row = tables.Rating(
            study_id=study.id, rater_id=rater.id or 0, session_id=one.id or 0, instrument="wai-o-s", instrument_version=1,
            language="en", item="Q1", value=4, score=4,
        )  # fmt: skip
        store.units.add(tables.Unit(study_id=study.id or 0, position=one.id or 0, kind="rating", state="done", result={"session": one.id}))
        store.ratings.add(row)
    looks.note_records(store, service.begin(store, "secret-r"), records_in(export_study(store, study.id or 0, tmp_path / "out")), "export")
    assert [one.page for one in looks.at_mine(store, client)] == ["export"] and looks.at_mine(store, other) == []
