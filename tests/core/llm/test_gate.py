"""Text leaves the machine only where it may."""

import pytest

from core.errors import DataError, Refused
from core.llm.gate import check, is_local
from core.llm.seam import Clearance, Endpoint, Message, Question, Settings

OUTSIDE = Endpoint(kind="openai", base_url="https://models.example/v1", model="m")
LOCAL = Endpoint(kind="openai", base_url="http://127.0.0.1:8080/v1", model="m")


def question(clearance: Clearance, consented: str = "") -> Question:
    return Question(
        "p",
        1,
        "h",
        {},
        (Message("user", "hi"),),
        None,
        Settings(),
        0,
        "en",
        "",
        clearance,
        "Report 7",
        consented,
    )


@pytest.mark.parametrize("clearance", list(Clearance))
def test_everything_may_stay_here(clearance: Clearance) -> None:
    check(question(clearance), LOCAL)
    check(question(clearance), Endpoint())


@pytest.mark.parametrize("clearance", [Clearance.SYNTHETIC, Clearance.CONFIRMED])
def test_made_up_and_confirmed_text_may_leave(clearance: Clearance) -> None:
    check(question(clearance), OUTSIDE)


def test_unconfirmed_text_is_refused_by_name() -> None:
    with pytest.raises(Refused, match=r"Report 7 .*nothing was sent"):
        check(question(Clearance.UNCONFIRMED), OUTSIDE)


def test_consent_is_to_one_endpoint() -> None:
    check(question(Clearance.LIVE, "https://models.example/v1/"), OUTSIDE)
    with pytest.raises(Refused, match="did not consent"):
        check(question(Clearance.LIVE, "https://other.example/v1"), OUTSIDE)


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://localhost:11434/v1", True),
        ("http://[::1]:1/v1", True),
        ("http://127.3.2.1/v1", True),
        ("http://192.168.1.5/v1", False),
        ("http://localhost.example.com/v1", False),
        ("http://127.0.0.1.example.com/v1", False),
        ("http://model-box:8000/v1", False),
    ],
)
def test_local_means_this_machine(url: str, local: bool) -> None:
    assert is_local(Endpoint(kind="openai", base_url=url)) is local


def test_listed_hosts_count_as_local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAPPORT_LOCAL_HOSTS", "model-box, other")
    assert is_local(Endpoint(kind="openai", base_url="http://MODEL-BOX:8000/v1"))


@pytest.mark.parametrize("url", ["", "models.example/v1", "ftp://x/v1", "https://user:pw@models.example/v1"])
def test_addresses_that_are_none_are_refused(url: str) -> None:
    with pytest.raises(DataError, match="nothing was sent"):
        is_local(Endpoint(kind="openai", base_url=url))
