"""The list of people on Data and privacy, for researchers."""

from core.people import service
from storage import tables
from storage.store import Store
from tests.pages.conftest import AsPerson, Open, assert_calm, shown, table_with


def choose(at, who: tables.Person, n: int):  # type: ignore[no-untyped-def]
    return at.selectbox(key=f"people_who_{n}").set_value(who.id).run()


def test_only_researchers_see_who_is_here(open_page: Open, as_person: AsPerson) -> None:
    as_person({"counselor": []}, "T-01")
    at = open_page("privacy.py")
    assert_calm(at)
    assert "People" not in [header.value for header in at.header]


def test_everybody_is_named_with_what_is_theirs(open_page: Open, store: Store, researcher: tables.Person) -> None:
    former = store.persons.add(tables.Person(code="K-03", origin="former", client_codes=["C-1"]))
    session = store.sessions.add(tables.Session(origin="live"))
    store.sessions.add_turn(
        tables.Turn(session_id=session.id or 0, position=1, seat="client", text="…", speaker="person", person_id=former.id)
    )
    at = open_page("privacy.py")
    assert_calm(at)
    rows = table_with(at, "Here as").set_index("No.")
    assert rows.loc[former.id, "Code"] == "K-03" and rows.loc[former.id, "Sessions"] == "1"
    assert rows.loc[former.id, "Here as"] == "no role yet" and rows.loc[former.id, "Comes from"] == "a code used here before"
    assert rows.loc[researcher.id, "Code"] == f"{researcher.code} (you)" and rows.loc[researcher.id, "Browsers"] == 1


def test_withdrawn_sessions_are_counted_and_who_never_did_anything_is_left_out(
    open_page: Open, store: Store, researcher: tables.Person
) -> None:
    ana, left = service.begin(store, "a", {"client": []}, "A-01"), service.begin(store, "b", {"rater": []})
    store.persons.update(left.id or 0, secret_hash="")
    for withdrawn in ("", "2026-11-21T10:00:00+00:00"):
        session = store.sessions.add(tables.Session(origin="live", withdrawn=withdrawn))
        said = tables.Turn(session_id=session.id or 0, position=1, seat="client", text="…", speaker="person", person_id=ana.id)
        store.sessions.add_turn(said)
    at = open_page("privacy.py")
    assert_calm(at)
    rows = table_with(at, "Here as").set_index("No.")
    assert list(rows.index) == [researcher.id, ana.id] and "Own codes" in rows
    assert rows.loc[ana.id, "Sessions"] == "1 · withdrawn (1)"
    assert "1 person who never did anything" in shown(at) and len(at.selectbox(key="people_who_2").options) == 2
    assert not at.selectbox(key="privacy_others_kind").set_value("person").run().selectbox(key="privacy_others_person").options
    store.persons.update(left.id or 0, client_codes=["C-1"])
    assert left.id in list(table_with(open_page("privacy.py"), "Here as")["No."])


def test_a_former_code_is_assigned_and_parted_again(open_page: Open, store: Store, researcher: tables.Person) -> None:
    former = store.persons.add(tables.Person(code="K-03", origin="former"))
    at = choose(open_page("privacy.py"), former, 2)
    at.button(key=f"people_join_{former.id}").click().run()
    assert "Choose who it is the same as" in shown(at)
    at.selectbox(key=f"people_same_{former.id}").set_value(researcher.id).run()
    assert f"Both are then {researcher.code}, here as Researcher" in shown(at)
    at.button(key=f"people_join_{former.id}").click().run()
    assert_calm(at)
    assert store.persons.members(researcher.id or 0) == {researcher.id, former.id}
    choose(at, researcher, 1).button(key=f"people_part_{former.id}").click().run()
    assert_calm(at)
    assert store.persons.members(researcher.id or 0) == {researcher.id}


def test_roles_and_codes_are_set(open_page: Open, store: Store, researcher: tables.Person) -> None:
    other = service.begin(store, "b", {"counselor": []}, "T-01")
    at = choose(open_page("privacy.py"), other, 2)
    at.multiselect(key=f"people_roles_{other.id}").set_value(["counselor", "supervisor"])
    at.text_input(key=f"people_supervisor_{other.id}").set_value("T-02、T-03")
    at.text_input(key=f"people_counselor_codes_{other.id}").set_value("T-01, T-09")
    at.button(key=f"people_save_{other.id}").click().run()
    assert_calm(at)
    changed = store.persons.get(other.id or 0)
    assert changed.roles == {"counselor": [], "supervisor": ["T-02", "T-03"]}
    assert changed.counselor_codes == ["T-01", "T-09"]


def test_the_last_researcher_cannot_leave_nobody(open_page: Open, store: Store, researcher: tables.Person) -> None:
    client = service.begin(store, "b", {"client": []}, "C-1")
    at = choose(open_page("privacy.py"), researcher, 2)
    at.multiselect(key=f"people_roles_{researcher.id}").set_value(["rater"])
    at.button(key=f"people_save_{researcher.id}").click().run()
    assert_calm(at)
    assert "is the only researcher here" in shown(at)
    at.selectbox(key=f"people_same_{researcher.id}").set_value(client.id).run()
    at.button(key=f"people_join_{researcher.id}").click().run()
    assert "is the only researcher here" in shown(at)
    assert service.researchers(store) == {researcher.id}


def test_after_an_update_what_became_of_codes_is_said_once(open_page: Open, store: Store, as_person: AsPerson) -> None:
    store.settings.set("update 0004", {"persons": 2, "consents": 1, "without": 3})
    as_person({"counselor": []}, "T-01")
    assert "Rapport was updated" not in shown(open_page())
    as_person()
    at = open_page()
    assert_calm(at)
    assert "2 codes people worked under here are persons now" in shown(at)
    at.button(key="update_understood").click().run()
    assert "Rapport was updated" not in shown(at)
    assert "Rapport was updated" not in shown(open_page())
    store.settings.set("update 0004", {"persons": 0, "consents": 0, "without": 0})  # as a new store has it
    assert "Rapport was updated" not in shown(open_page())
