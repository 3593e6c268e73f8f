"""Data and privacy: what is kept where, and removing it."""

from threading import Event

import pytest

from storage import reclaiming, tables
from storage.store import Store
from tests.pages.conftest import AsPerson, Open, assert_calm, shown
from tests.persons import somebody


def test_says_where_and_what_it_does_not_protect(open_page: Open, store: Store) -> None:
    at = open_page("privacy.py")
    assert_calm(at)
    page = shown(at)
    assert str(store.path) in page and "this account only" in page
    assert "guard against accidents, not against people" in page
    assert "never a finding" in page


def test_deleting_a_session_gives_a_receipt(open_page: Open, store: Store, a_session: tables.Session) -> None:
    at = open_page("privacy.py")
    at.multiselect(key="privacy_which_session").set_value([a_session.id]).run()
    at.button(key="privacy_delete").click().run()
    assert store.sessions.count() == 1  # asked first
    at.button(key="deleting_sure").click().run()
    assert_calm(at)
    assert store.sessions.count() == 0
    assert "5 records were deleted" in shown(at) and "Beyond reach" in shown(at)


def test_drafts_of_others_are_counted_and_can_be_deleted(open_page: Open, store: Store) -> None:
    gone = somebody(store, "P-GONE")
    store.drafts.add(tables.Draft(person_id=gone.id or 0, kind="role", content={"text": "A secret cook.", "calls": [1, 2]}))
    at = open_page("privacy.py")
    assert_calm(at)
    assert "1 draft of somebody else is kept" in shown(at) and "secret cook" not in shown(at)
    (label,) = at.selectbox(key="privacy_draft").options
    assert "P-GONE" in label and "2 calls" in label and "Role card" in label
    at.button(key="privacy_draft_delete").click().run()
    assert store.drafts.count() == 1  # asked first
    at.button(key="privacy_draft_sure").click().run()
    assert_calm(at)
    assert store.drafts.count() == 0 and "somebody else is kept" not in shown(at)


def test_only_the_researcher_deletes(open_page: Open, as_person: AsPerson, a_session: tables.Session) -> None:
    as_person({"rater": []})
    at = open_page("privacy.py")
    assert "Whole records are deleted by a researcher" in shown(at)
    assert not [b for b in at.button if b.key == "privacy_delete"]


def test_an_edited_role_card_is_deleted_with_all_its_versions(open_page: Open, store: Store) -> None:
    other = store.roles.add(tables.RoleCard(title="Other"))
    card = store.roles.add(tables.RoleCard(title="Edited", text="one"))
    store.roles.add(tables.RoleCard(title="Later"))
    store.roles.add_version(tables.RoleCard(title="Edited", text="two", card_id=card.id))
    at = open_page("privacy.py")
    at.selectbox(key="privacy_kind").set_value("role").run()
    at.multiselect(key="privacy_which_role").set_value([card.card_id]).run()
    at.button(key="privacy_delete").click().run()
    at.button(key="deleting_sure").click().run()
    assert_calm(at)
    assert [role.title for role in store.roles.all()] == ["Other", "Later"] and other.id == 1


def test_cleaning_up_is_for_researchers_and_keeps_no_page_waiting(
    open_page: Open, store: Store, as_person: AsPerson, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried, go_on = Event(), Event()

    def slow() -> bool:
        tried.set()
        return go_on.wait(10)

    at = open_page("privacy.py")
    store.settings.set(reclaiming.UNFINISHED, {"session": [7]})
    monkeypatch.setattr(Store, "clean_up", lambda _store: slow())
    as_person({"client": []}, "C-01")
    at.run()
    assert_calm(at)
    assert not tried.is_set()
    as_person()
    at.run()
    assert_calm(at)
    assert tried.is_set() and "may still stand there" in shown(at)
    go_on.set()
