"""The frame: what is around every page."""

import re
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.people import service
from pages.components import identity, words
from pages.components.tickets import LINKS, SEATS, Seat
from storage import tables
from storage.store import Store
from tests.pages.conftest import FRAME, AsPerson, Browser, Open, assert_calm, shown


def test_every_page_says_what_this_is_not(open_page: Open) -> None:
    for page in ("", "models.py", "instruments.py", "privacy.py"):
        at = open_page(page)
        assert_calm(at)
        assert "Not care, not a diagnosis" in shown(at)


def test_a_code_is_shown_as_text(open_page: Open, as_person: AsPerson) -> None:
    as_person({"counselor": []}, "**T** ![](//evil.example/p) <img src=x>")
    at = open_page()
    assert_calm(at)
    read_as_markdown = [element.value for kind in ("markdown", "caption", "title") for element in at.get(kind)]
    labels = [one.proto.popover.label for one in blocks(at) if hasattr(one.proto, "popover") and one.proto.HasField("popover")]
    assert labels == ["You"]
    assert not [words for words in read_as_markdown if "evil.example" in words]
    assert "&lt;img src=x&gt;" in shown(at) and "<img src=x>" not in shown(at)


def blocks(at: AppTest) -> list[Any]:
    """All containers of the page."""
    found, waiting = [], [at.main, at.sidebar]
    while waiting:
        one = waiting.pop()
        found.append(one)
        waiting += [child for child in getattr(one, "children", {}).values() if hasattr(child, "children")]
    return found


def test_a_person_changes_their_own_code(open_page: Open, store: Store, researcher: tables.Person) -> None:
    at = open_page()
    at.text_input(key=f"frame_code_{researcher.id}").set_value("  K-03 ")
    at.button(key="frame_code_save").click().run()
    assert_calm(at)
    assert store.persons.get(researcher.id or 0).code == "K-03"
    assert "K-03 · Researcher" in shown(at)
    at.text_input(key=f"frame_code_{researcher.id}").set_value(" ")
    at.button(key="frame_code_save").click().run()
    assert "A code has 1 to 40 characters" in shown(at)
    assert store.settings.get("person") is None  # it is nobody else's default


def test_an_unknown_browser_is_sent_for_a_secret_and_leaves_nothing(
    open_page: Open, store: Store, browser_here: Browser, a_session: tables.Session
) -> None:
    for secret in ("", "of a store that was replaced"):
        browser_here.secret = secret
        at = open_page("sessions.py", session=a_session.id)
        assert_calm(at)
        assert "location.replace" in shown(at) and "/person/" in shown(at)
        assert "Job loss" not in shown(at) and not at.sidebar.button
        held = at.session_state["frame_ticket"]
        at.run()
        assert at.session_state["frame_ticket"] == held  # one ticket, however often the page runs
    assert not store.persons.all()


def test_pages_of_other_roles_say_whose_they_are(open_page: Open, as_person: AsPerson) -> None:
    for role, others in (
        ("counselor", ("roles", "studies", "results", "agreement", "models")),
        ("supervisor", ("reports", "live", "roles", "studies", "results", "agreement", "models")),
        ("rater", ("reports", "live", "sessions", "roles", "studies", "results", "agreement", "models")),
        ("client", ("reports", "sessions", "instruments", "roles", "studies", "results", "agreement", "models")),
    ):
        as_person({role: []}, "X-1")
        for page in others:
            at = open_page(f"{page}.py")
            assert_calm(at)
            assert "This page is for" in shown(at) and "Researcher" in shown(at), page
            assert "Somebody else sits here now" in shown(at)
        for page in set(all_pages()) - set(others):
            at = open_page(f"{page}.py")
            assert_calm(at)
            assert "This page is for" not in shown(at), (role, page)


def all_pages() -> list[str]:
    return [path.stem for path in FRAME.parent.glob("*.py") if path.stem not in ("frame", "browser_routes")]


@pytest.mark.parametrize("role", ["counselor", "supervisor", "rater", "client"])
def test_home_offers_nobody_what_is_not_theirs(open_page: Open, as_person: AsPerson, a_session: tables.Session, role: str) -> None:
    as_person({role: []}, "X-1")
    at = open_page()
    assert_calm(at)
    assert not [b for b in at.button if b.key in ("home_demo", "home_report")]
    (step,) = [b for b in at.button if b.key == "home_next"]
    step.click().run()
    assert_calm(at)
    assert "This page is for" not in shown(at)


def test_somebody_without_a_role_is_told_who_gives_it(open_page: Open, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    service.signed_in(store, "li@clinic.example")
    monkeypatch.setattr(identity, "signed_in", lambda: "ann@clinic.example")
    at = open_page()
    assert_calm(at)
    assert "You have no role here yet" in shown(at) and "ann@clinic.example · no role yet" in shown(at)
    assert not [b for b in at.button if b.key == "frame_else"]  # who signs in is who they are
    assert "This page is for" in shown(open_page("sessions.py"))


def test_somebody_else_gets_the_browser_by_a_ticket(open_page: Open, store: Store, researcher: tables.Person) -> None:
    at = open_page("models.py")
    at.button(key="frame_else").click().run()
    at.button(key="frame_else_go").click().run()
    assert "Choose what they are here as" in shown(at) and "/person/" not in shown(at)
    at.selectbox(key="frame_else_role").set_value("supervisor").run()
    at.button(key="frame_else_go").click().run()
    assert "/person/" not in shown(at)  # of whom?
    at.text_input(key="frame_else_supervised").set_value("T-01，T-02 , ").run()
    at.text_input(key="frame_else_code").set_value("S-01").run()
    at.button(key="frame_else_go").click().run()
    assert_calm(at)
    ticket = re.search(r'location.replace\("/person/([^"]+)"', shown(at))
    assert ticket is not None
    assert SEATS.take(ticket[1]) == Seat(researcher.id, {"supervisor": ["T-01", "T-02"]}, "S-01", {})
    assert len(store.persons.all()) == 1  # the route makes the person, not the page


def test_a_counselor_names_the_code_of_their_series(open_page: Open, store: Store) -> None:
    at = open_page()
    at.button(key="frame_else").click().run()
    at.selectbox(key="frame_else_role").set_value("counselor").run()
    at.text_input(key="frame_else_counselor").set_value("T-07").run()
    at.button(key="frame_else_go").click().run()
    (seat,) = [one for one in SEATS.live() if one.roles == {"counselor": []} and one.codes]
    assert seat.codes == {"counselor_codes": ["T-07"]}


def test_nothing_of_the_former_person_stays_in_the_memory_of_a_session(open_page: Open, as_person: AsPerson) -> None:
    at = open_page("models.py")
    at.session_state["typed_keys"] = {"https://llm.example.org/v1": "sk-typed"}
    at.session_state["roles_draft"] = "words of a draft"
    at.run()
    assert at.session_state["typed_keys"]
    as_person({"counselor": []}, "T-01")
    at.run()
    assert "typed_keys" not in at.session_state and "roles_draft" not in at.session_state
    assert "T-01 · Counselor" in shown(at)


def test_a_window_of_a_browser_that_somebody_else_took_shows_nothing_more(
    open_page: Open, store: Store, researcher: tables.Person, a_session: tables.Session
) -> None:
    at = open_page("sessions.py", session=a_session.id)
    at.session_state["typed_keys"] = {"https://llm.example.org/v1": "sk-typed"}
    service.forget_browser(store, researcher.id or 0)
    at.run()
    assert_calm(at)
    assert "Job loss" not in shown(at) and "/person/" in shown(at)
    assert "typed_keys" not in at.session_state


def test_a_link_joins_two_browsers_after_both_are_named(
    open_page: Open, store: Store, as_person: AsPerson, browser_here: Browser
) -> None:
    owner = as_person({"counselor": []}, "T-01")
    at = open_page()
    at.button(key="frame_also").click().run()
    (link,) = [element.value for element in at.code]
    ticket = link.rsplit("/", 1)[1]
    assert LINKS.look(ticket) == owner.id
    other = as_person({"rater": [], "counselor": []}, "R-9")
    browser_here.link = ticket
    at = open_page("instruments.py")
    assert_calm(at)
    assert at.title[0].value == "Is this you too?"
    assert "both are one person, T-01, here as Counselor" in shown(at) and "R-9 · Counselor, Rater" in shown(at) and "T-01 · Counselor" in shown(at)
    assert store.persons.get(other.id or 0).joined_to is None
    at.button(key="frame_join_yes").click().run()
    assert_calm(at)
    assert store.persons.get(other.id or 0).joined_to == owner.id
    assert "T-01 · Counselor" in shown(at) and at.title[0].value != "Is this you too?"
    assert LINKS.look(ticket) is None


def test_a_link_makes_no_researcher_a_counselor_when_there_is_no_other(
    open_page: Open, store: Store, as_person: AsPerson, browser_here: Browser, researcher: tables.Person
) -> None:
    owner = as_person({"counselor": []}, "T-01")
    for opens, makes in ((None, owner), (({"counselor": []}, "T-01"), researcher)):
        as_person(*(opens or ()))
        browser_here.link = LINKS.make(makes.id or 0)
        at = open_page()
        assert_calm(at)
        assert "only researcher" in shown(at) and not [b for b in at.button if b.key == "frame_join_yes"]
        at.button(key="frame_join_no").click().run()
    assert service.researchers(store) == {researcher.id} and not store.persons.get(owner.id or 0).joined_to


def test_a_link_that_is_refused_or_ones_own_joins_nobody(
    open_page: Open, store: Store, as_person: AsPerson, browser_here: Browser
) -> None:
    owner, other = as_person({"counselor": []}, "T-01"), as_person({"rater": []}, "R-9")
    browser_here.link = LINKS.make(owner.id or 0)
    at = open_page()
    at.button(key="frame_join_no").click().run()
    assert_calm(at)
    assert at.title[0].value != "Is this you too?"
    as_person({"counselor": []}, "T-01")
    browser_here.link = LINKS.make(owner.id or 0)
    at = open_page()
    assert "known as T-01 already" in shown(at) and not [b for b in at.button if b.key == "frame_join_yes"]
    at.button(key="frame_join_no").click().run()
    assert not store.persons.get(owner.id or 0).joined_to and not store.persons.get(other.id or 0).joined_to


def test_the_frame_says_what_codes_guard_against(open_page: Open) -> None:
    assert "guard against accidents only" in shown(open_page())


def test_country_decides_the_numbers(open_page: Open, store: Store) -> None:
    at = open_page()
    assert "988" in shown(at) and "12356" in shown(at)  # none chosen yet: every line that is known
    at.selectbox(key="home_country").set_value("CN").run()
    assert store.settings.get("country") == "CN"
    at = open_page()
    assert "12356" in shown(at) and "400-161-9995" in shown(at) and "988" not in shown(at)


def test_language_changes_words_and_keeps_the_page(
    open_page: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalogue = tmp_path / "zh" / "LC_MESSAGES" / "rapport.po"
    catalogue.parent.mkdir(parents=True)
    catalogue.write_text(
        'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\nmsgid "Data and privacy"\nmsgstr "数据与隐私"\n',
        "utf-8",
    )
    monkeypatch.setattr(words, "FOLDER", tmp_path)
    at = open_page("privacy.py", language="zh")
    assert_calm(at)
    assert at.title[0].value == "数据与隐私"


def test_missing_catalogue_shows_english(
    open_page: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(words, "FOLDER", tmp_path)
    at = open_page("privacy.py", language="zh")
    assert_calm(at)
    assert at.title[0].value == "Data and privacy"


def test_unreadable_database_is_said_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rapport.db"
    path.write_text("This is a shopping list, not a database.")
    monkeypatch.setenv("RAPPORT_DATABASE_URL", f"sqlite:///{path}")
    monkeypatch.chdir(FRAME.parents[1])
    at = AppTest.from_file(str(FRAME), default_timeout=30).run()
    assert_calm(at)
    assert "cannot open its database" in shown(at)
    assert "rapport.db" in shown(at) and "Traceback" not in shown(at)
    assert path.read_text().startswith("This is a shopping list")
    path.unlink()
    at.button(key="frame_again").click().run()  # put right: the workbench opens
    assert_calm(at)
    assert "From counseling reports to evidence" in shown(at)
