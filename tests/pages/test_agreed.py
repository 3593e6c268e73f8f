"""What you agreed to, on Data and privacy: each reads, withdraws, agrees again and deletes for themselves and nobody else."""

from collections.abc import Sequence

import pytest
from streamlit.testing.v1 import AppTest

from core.clearance import lacking
from core.people import agreements, looks
from core.people import service as people
from core.people.agreements import Who
from core.sessions import live
from core.sessions import service as sessions
from storage import tables
from storage.store import Store
from tests.held import everything_in
from tests.pages.conftest import AsPerson, Open, assert_calm, shown, table_with

X = "https://models.example/v1"
EVERY = ("rated here", "supervision", "group figures", "export")


def spoken(store: Store, person: tables.Person, word: str, agrees: Sequence[str] = EVERY) -> int:
    session = store.sessions.add(tables.Session(title=f"About {word}", origin="live", state="paused"))
    id = session.id or 0
    sessions.take_seat(store, id, "client", person)
    agreements.take_part(store, person, id, {one: one in agrees for one in EVERY}, endpoint=X)
    sessions.say(store, id, "client", f"{word} and no more", person)
    return id


@pytest.fixture
def ana(store: Store, as_person: AsPerson) -> tables.Person:
    return as_person({"client": []}, "A-01")


def press(at: AppTest, key: str, sure: str) -> None:
    at.button(key=key).click().run()
    at.button(key=sure).click().run()
    assert_calm(at)


def test_before_a_seat_was_taken_it_says_what_would_stand_here(open_page: Open, ana: tables.Person) -> None:
    at = open_page("privacy.py")
    assert_calm(at)
    assert "have not taken a seat in this browser yet" in shown(at) and "A-01" in shown(at)
    assert not [b for b in at.button if "withdraw" in str(b.key)]


def test_one_purpose_is_withdrawn_after_what_follows_was_said_and_agreed_to_again(
    open_page: Open, store: Store, ana: tables.Person
) -> None:
    id = spoken(store, ana, "anaword")
    at = open_page("privacy.py")
    assert "About anaword" in shown(at) and X in shown(at) and f"notice, version {agreements.FORM_VERSION}" in shown(at)
    at.button(key=f"privacy_{id}_rated here__withdraw").click().run()
    assert "Ratings made before stay in figures" in shown(at) and lacking(store, "rated here") == set(), "only said so far"
    at.button(key="privacy_withdraw_sure").click().run()
    assert_calm(at)
    assert lacking(store, "rated here") == {id} and lacking(store, "export") == set()
    assert "Being rated here: withdrawn" in shown(at)
    at.button(key=f"privacy_{id}_rated here__agree").click().run()
    assert lacking(store, "rated here") == set()


def test_an_address_is_withdrawn_and_another_agreed_to(open_page: Open, store: Store, ana: tables.Person) -> None:
    id = spoken(store, ana, "anaword")
    store.endpoints.add(tables.Endpoint(name="Other", base_url="https://other.example/v1", model="m"))
    store.endpoints.add(tables.Endpoint(name="Mine", base_url="http://127.0.0.1:9/v1", model="m"))
    at = open_page("privacy.py")
    press(at, f"privacy_{id}_outside endpoint_{X}_withdraw", "privacy_withdraw_sure")
    assert lacking(store, "outside endpoint", X) == {id}
    assert [str(one) for one in at.selectbox(key=f"privacy_address_{id}").options] == ["Other (https://other.example/v1)"]
    at.button(key=f"privacy_address_agree_{id}").click().run()
    assert lacking(store, "outside endpoint", "https://other.example/v1") == set()


def test_everything_of_one_session_and_of_all(open_page: Open, store: Store, ana: tables.Person) -> None:
    first, second = spoken(store, ana, "one"), spoken(store, ana, "two")
    at = open_page("privacy.py")
    assert list(table_with(at, "For")["Taking part"]) == ["yes", "yes"]
    at.selectbox(key=f"privacy_agreed_{ana.id}").set_value(first).run()
    press(at, f"privacy_withdraw_{first}", "privacy_withdraw_sure")
    assert store.sessions.get(first).withdrawn and not store.sessions.get(second).withdrawn
    assert "About one" not in shown(at) and f"{first} · withdrawn" in str(table_with(at, "For")["For"].tolist())
    press(at, "privacy_withdraw_all", "privacy_withdraw_sure")
    assert store.sessions.get(second).withdrawn
    at.selectbox(key=f"privacy_agreed_{ana.id}").set_value(second).run()
    at.button(key=f"privacy_{second}_taking part__agree").click().run()
    assert not store.sessions.get(second).withdrawn and store.sessions.get(first).withdrawn
    assert second in lacking(store, "rated here"), "taking part again allows nothing else"


def test_what_was_withdrawn_for_all_is_agreed_to_session_by_session(open_page: Open, store: Store, ana: tables.Person) -> None:
    """No button on the card for all would bring a session back, so there is none, and the card says where they are."""
    first, second = spoken(store, ana, "one"), spoken(store, ana, "two")
    agreements.withdraw(store, Who(ana), ["rated here"])
    at = open_page("privacy.py")
    at.selectbox(key=f"privacy_agreed_{ana.id}").set_value(0).run()
    assert "Being rated here: withdrawn" in shown(at) and "comes back session by session" in shown(at)
    assert not [b for b in at.button if b.key == "privacy_0_rated here__agree"]
    at.selectbox(key=f"privacy_agreed_{ana.id}").set_value(first).run()
    assert "comes back session by session" not in shown(at)
    at.button(key=f"privacy_{first}_rated here__agree").click().run()
    assert lacking(store, "rated here") == {second}


def test_own_words_are_deleted_with_a_receipt_also_after_withdrawing(open_page: Open, store: Store, ana: tables.Person) -> None:
    id = spoken(store, ana, "anaword")
    store.sessions.update(id, title="")
    agreements.withdraw(store, Who(ana), session_id=id)
    at = open_page("privacy.py")
    press(at, f"privacy_words_{id}", "privacy_words_sure")
    assert "record" in shown(at) and "Receipt" in shown(at) and "Beyond reach" in shown(at)
    assert "anaword and no more" not in everything_in(store)
    assert not [b for b in at.button if b.key == f"privacy_words_{id}"]
    live.close(store)


def test_two_people_in_one_browser_never_see_or_withdraw_the_others(
    open_page: Open, store: Store, ana: tables.Person, as_person: AsPerson
) -> None:
    hers = spoken(store, ana, "anaword")
    ben = as_person({"client": []}, "A-01")
    assert ben.id == ana.id, "the same secret is the same person"
    ben = as_person({"client": []}, "B-01")
    his = spoken(store, ben, "benword")
    at = open_page("privacy.py")
    assert "benword" in shown(at) and "anaword" not in shown(at)
    press(at, f"privacy_withdraw_{his}", "privacy_withdraw_sure")
    assert store.sessions.get(his).withdrawn and not store.sessions.get(hers).withdrawn
    assert not any(row.withdrawn for row in Who(ana).rows(store))


def test_one_sees_who_opened_ones_sessions(open_page: Open, store: Store, ana: tables.Person) -> None:
    id, other = spoken(store, ana, "anaword"), people.begin(store, "secret-r", None, "R-09")
    looks.note(store, other, "session", id, "sessions")
    looks.note(store, ana, "session", id, "sessions")
    at = open_page("privacy.py")
    assert list(table_with(at, "Who")["Who"]) == ["R-09"] and list(table_with(at, "Who")["What"]) == [f"Session {id}"]


def test_what_one_agreed_to_comes_first_for_all_but_researchers(open_page: Open, ana: tables.Person, as_person: AsPerson) -> None:
    assert open_page("privacy.py").header[0].value == "What you agreed to"
    as_person()
    assert open_page("privacy.py").header[0].value == "What is stored, and where"


# ---- a researcher, for others -----------------------------------------------------------------------------------------


def test_only_a_researcher_records_answers_for_others(open_page: Open, ana: tables.Person) -> None:
    at = open_page("privacy.py")
    assert "What others agreed to" not in shown(at) and not [b for b in at.button if b.key == "privacy_others_record"]


def test_a_researcher_records_what_a_code_said_on_paper(open_page: Open, store: Store, researcher: tables.Person) -> None:
    id = store.sessions.add(tables.Session(title="Case word", origin="imported", state="ended", client_code="K-7")).id or 0
    at = open_page("privacy.py")
    at.selectbox(key="privacy_others_client").set_value("K-7").run()
    at.multiselect(key="privacy_others_purposes").set_value(["rated here"])
    at.segmented_control(key="privacy_others_answer").set_value("no").run()
    at.button(key="privacy_others_record").click().run()
    assert_calm(at)
    assert lacking(store, "rated here") == {id} and "Being rated here: no" in shown(at)
    assert "Saved: the answer of K-7." in shown(at) and at.multiselect(key="privacy_others_purposes").value == []
    assert "All sessions of K-7" in shown(at) and "All my sessions" not in shown(at)
    assert f"on paper, entered by {researcher.code}" in shown(at) and "notice, version" not in shown(at)
    assert "Supervision: not asked: its masking decides" in shown(at)
    assert {"Record yes"} == {b.label for b in at.button if str(b.key).endswith("_agree")}
    row = store.consents.all()[0]
    assert (row.seat, row.code, row.person_id, row.entered_by) == ("client", "K-7", None, researcher.id)
    at.multiselect(key="privacy_others_purposes").set_value(["taking part"])
    at.segmented_control(key="privacy_others_answer").set_value("withdrawn").run()
    at.button(key="privacy_others_record").click().run()
    assert store.sessions.get(id).withdrawn and "Case word" not in shown(at)


def test_a_researcher_withdraws_and_deletes_for_a_person_without_a_secret(open_page: Open, store: Store) -> None:
    former = store.persons.add(tables.Person(code="P-OLD", roles={"client": []}, origin="former"))
    id = spoken(store, former, "oldword")
    at = open_page("privacy.py")
    at.selectbox(key="privacy_others_kind").set_value("person").run()
    assert "Supervision: yes" in shown(at)
    press(at, f"others_{id}_export__withdraw", "privacy_withdraw_sure")
    assert lacking(store, "export") == {id}
    press(at, f"others_words_{id}", "privacy_words_sure")
    assert "oldword and no more" not in everything_in(store)
    live.close(store)


def test_the_setting_asks_for_codes(open_page: Open, store: Store) -> None:
    id = store.sessions.add(tables.Session(title="Case", origin="imported", state="ended", client_code="K-7")).id or 0
    at = open_page("privacy.py")
    at.toggle(key="privacy_ask_codes").set_value(True).run()
    assert_calm(at)
    assert store.settings.get("ask codes") is True and lacking(store, "rated here") == {id}
    at.selectbox(key="privacy_others_client").set_value("K-7").run()
    at.multiselect(key="privacy_others_purposes").set_value(["export"]).run()
    at.button(key="privacy_others_record").click().run()
    assert "Supervision: not asked: a no" in shown(at)
    at.toggle(key="privacy_ask_codes").set_value(False).run()
    assert lacking(store, "rated here") == set()
