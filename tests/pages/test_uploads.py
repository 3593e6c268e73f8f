"""Files that cannot be read, given on every page that takes files: a sentence for each, and the sound one is read."""

from collections.abc import Mapping

import pytest
from streamlit.testing.v1 import AppTest

from storage.store import Store
from tests.core.damaged import REPORT, SOUND, csv_file, flipped, pdf_file, ratings_file, roles_file, xlsx_file
from tests.core.test_damaged_files import STRANGE
from tests.pages.conftest import Open, assert_calm, shown, table_with

MIME = "application/octet-stream"


def bad_files(ending: str) -> dict[str, bytes]:
    """Hard cases and files with flipped bits, under one ending; those too long for a page's test are left out."""
    strange = {f"{at}{ending}": data for at, data in enumerate(STRANGE.values()) if len(data) < 1_000_000}
    damaged = {f"f{kind}-{at}{ending}": data for kind in SOUND for at, data in enumerate(flipped(SOUND[kind](), 7, 3))}
    return {**strange, **damaged, f"book{ending}": xlsx_file(), f"locked{ending}": pdf_file("AES-256", user="x")}


def give(at: AppTest, uploader: str, button: str, given: Mapping[str, bytes]) -> None:
    at.file_uploader(key=uploader).set_value([(name, data, MIME) for name, data in given.items()]).run()
    at.button(key=button).click().run()
    assert_calm(at)


@pytest.mark.parametrize("ending", [".docx", ".pdf", ".txt"])
def test_reports_page(open_page: Open, store: Store, ending: str) -> None:
    at = open_page("reports.py")
    sound = REPORT.replace("since the move", "since the move to Halden").encode()
    give(at, "reports_files", "reports_read_files", {**bad_files(ending), "sound.txt": sound})
    assert any("Halden" in report.case_brief or "badly" in report.case_brief for report in store.reports.all())
    assert "nothing was saved" in shown(at).lower()


@pytest.mark.parametrize("ending", [".json", ".jsonl", ".csv", ".txt"])
def test_sessions_page(open_page: Open, store: Store, ending: str) -> None:
    at = open_page("sessions.py")
    give(at, "sessions_files", "sessions_import", {**bad_files(ending), "sound.csv": csv_file()})
    titles = [session.title for session in store.sessions.all(origin="imported")]
    assert any(title.startswith("sound") for title in titles) and "nothing was saved" in shown(at).lower()


def test_roles_page(open_page: Open, store: Store) -> None:
    at = open_page("roles.py")
    give(at, "roles_files", "roles_import", {**bad_files(".json"), "sound.jsonl": roles_file()})
    assert any(role.title.startswith("Grief") for role in store.roles.all())


def test_agreement_page(open_page: Open) -> None:
    at = open_page("agreement.py", section="file")
    for name, data in bad_files(".csv").items():
        at.file_uploader(key="agreement_file_ratings").set_value((name, data, MIME)).run()
        assert_calm(at)
    at.file_uploader(key="agreement_file_ratings").set_value(("sound.csv", ratings_file(), MIME)).run()
    assert_calm(at)
    assert list(table_with(at, "Alpha, ordinal")["Raters"]) == [2]


@pytest.mark.parametrize("key", ["studies_zip_in", "studies_file"])
def test_studies_page(open_page: Open, key: str) -> None:
    at = open_page("studies.py")
    if key == "studies_file":
        at.segmented_control(key="studies_way").select("text").run()
    for name, data in bad_files(".zip" if key == "studies_zip_in" else ".yaml").items():
        at.file_uploader(key=key).set_value((name, data, MIME)).run()
        if key == "studies_zip_in":
            at.button(key="studies_import").click().run()
        assert_calm(at)


def test_a_number_in_the_address_that_is_none(open_page: Open) -> None:
    for page, name in (("reports.py", "report"), ("sessions.py", "session"), ("roles.py", "role"), ("studies.py", "study")):
        for number in ("9" * 30, "²", "-1"):
            assert_calm(open_page(page, **{name: number}))
