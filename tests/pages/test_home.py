"""Home: where everything stands, and what to do next."""

from pathlib import Path

import pytest

from core import upkeep
from core.people import agreements
from core.reports import examples
from storage import tables
from storage.store import Store
from tests import results_story as story
from tests.pages.conftest import Open, assert_calm, shown
from tests.persons import somebody


def test_first_visit_offers_the_demo_study(open_page: Open) -> None:
    at = open_page()
    assert_calm(at)
    assert at.button(key="home_demo").label == "Load the demo study"
    assert "Nothing leaves this machine" in shown(at)
    assert "Demo engine (rules, no model)" in shown(at)


def test_the_next_step_is_what_is_missing(open_page: Open, store: Store, a_session: tables.Session) -> None:
    assert "Have the sessions judged" in shown(open_page())
    rater = store.raters.ensure("rules", "Demo rater")
    store.ratings.add(
        tables.Rating(
            rater_id=rater.id or 0, session_id=a_session.id or 0, instrument="wai-o-s", instrument_version=1,
            language="en", item="Q1", value=4, score=4,
        )
    )  # fmt: skip
    page = shown(open_page())
    assert "Read what the ratings show" in page
    assert "1 by the demo engine" in page


def test_an_unconfirmed_report_comes_first(open_page: Open, store: Store, a_session: tables.Session) -> None:
    store.reports.add(tables.Report(title="Night shifts <b>", content_hash="1"))
    page = shown(open_page())
    assert "Confirm the masking of “Night shifts &lt;b&gt;”" in page  # escaped, never markup


@pytest.mark.parametrize("language", ["en", "zh"])
def test_after_the_demo_study_nobody_is_sent_to_confirm_what_is_made_up(
    open_page: Open, store: Store, a_session: tables.Session, language: str
) -> None:
    ids, _reasons = examples.take(store, language)
    at = open_page()
    assert "Have the sessions judged" in shown(at) and "all confirmed or made up" in shown(at)
    assert "Made up, said the authors of this example" in shown(open_page("reports.py", report=ids[0]))


def test_an_endpoint_outside_is_said(open_page: Open, store: Store) -> None:
    row = store.endpoints.add(
        tables.Endpoint(name="Clinic", base_url="https://llm.example.org/v1", model="m")
    )
    store.agents.add(
        tables.Agent(name="Mine", seat="judge", engine="openai", endpoint_id=row.id, prompt="judge", hash="1")
    )
    assert "Text leaves this machine: Clinic" in shown(open_page())


def test_an_endpoint_that_no_agent_uses_is_said_here_as_on_data_and_privacy(
    open_page: Open, store: Store
) -> None:
    store.endpoints.add(tables.Endpoint(name="Clinic", base_url="https://llm.example.org/v1", model="m"))
    for page in ("", "privacy.py"):
        words = shown(open_page(page))
        assert "Text leaves this machine: Clinic" in words and "Nothing leaves this machine" not in words


def test_an_update_asks_for_the_copy_only_while_there_is_one(
    open_page: Open, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.settings.set(upkeep.TOLD, {"emptied": 2, "units": 1})
    words = shown(open_page())
    assert "Your records are all here." in words and "decide about the copy" not in words
    assert "Stored requests that belong to no record, emptied of their words" in words
    monkeypatch.setattr(Store, "copies", lambda self: [Path("rapport.db.before-0002")])
    assert "decide about the copy" in shown(open_page())


def test_figures_are_without_what_was_withdrawn(open_page: Open, store: Store, a_session: tables.Session) -> None:
    """Reports, sessions and ratings, and a role's sessions; the words of none of them stand anywhere."""
    role = store.roles.add(tables.RoleCard(title="Job loss"))
    report = store.reports.add(tables.Report(title="Kleinstadtville", content_hash="1", client_code="C-7"))
    gone = store.sessions.add(tables.Session(origin="reconstructed", report_id=report.id, role_id=role.id, client_code="C-7"))
    rater = store.raters.ensure("rules", "Demo rater")
    for session in (a_session, gone):
        store.ratings.add(
            tables.Rating(
                rater_id=rater.id or 0, session_id=session.id or 0, instrument="wai-o-s", instrument_version=1,
                language="en", item="Q1", value=4, score=4,
            )
        )  # fmt: skip
    assert store.sessions.per_card() == {role.card_id: 1}
    agreements.withdraw(store, agreements.Who(None, "client", "C-7", somebody(store, "R-1")))
    page = shown(open_page())
    assert "1 withdrawn" in page and "1 by the demo engine" in page
    assert "Kleinstadtville" not in page and "confirmed" not in page
    assert store.sessions.per_card() == {}


def test_comparisons_of_people_are_counted_as_theirs(open_page: Open, store: Store) -> None:
    study = story.study(store)
    made = story.sessions(store, 2, ("Careful", "Plainer"))
    story.compare(store, study, made, kind="person", judge="K-01", both=False)
    story.compare(store, study, made, kind="model", judge="o-mini", both=False)
    story.rate(store, study, list(made.values()), kind="reference", rater="labels", repeats=1)
    page = shown(open_page())
    assert "18 by people, 18 by models, 48 came with the data" in page


def test_roles_with_something_to_check_are_those_that_roles_shows(open_page: Open, store: Store) -> None:
    note, fault = ({"code": "c", "values": {}, "severity": kind} for kind in ("note", "fault"))
    store.roles.add(tables.RoleCard(title="Consistent", checks=[note]))
    assert "all checked" in shown(open_page())
    store.roles.add(tables.RoleCard(title="Not so", checks=[note, fault]))
    assert "1 with something to check" in shown(open_page())
