"""Who looked: kept once for each opening of what a person stands behind, and shown to that person."""

from typing import Any

from core.people import looks, reviews, service
from core.people.looks import Opened
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
