"""Text leaves the machine only where it may."""

import pytest

from core.errors import DataError, ModelError, Refused
from core.llm.gate import check, check_address, is_local, shown
from core.llm.seam import Endpoint
from tests.questions import a_question

OUTSIDE = Endpoint(kind="openai", base_url="https://models.example/v1", model="m")
LOCAL = Endpoint(kind="openai", base_url="http://127.0.0.1:8080/v1", model="m")


@pytest.mark.parametrize("made_up", [True, False])
def test_everything_may_stay_here(made_up: bool) -> None:
    check(a_question("hi", made_up=made_up), LOCAL)
    check(a_question("hi", made_up=made_up), Endpoint())


def test_what_a_person_said_is_made_up_may_leave() -> None:
    check(a_question("hi"), OUTSIDE)


def test_other_words_are_refused_by_name() -> None:
    with pytest.raises(Refused, match=r"Nothing was sent to https://models.example/v1: draft “x” may still hold personal data"):
        check(a_question("hi", made_up=False), OUTSIDE)


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
        ("http://localhost./v1", False),
        ("http://localhost.evil.com/v1", False),
        ("http://evil-localhost/v1", False),
        ("http://x.localhost/v1", False),
        ("http://127.1/v1", False),
        ("http://2130706433/v1", False),
        ("http://0.0.0.0/v1", False),
        ("http://[::]/v1", False),
        ("http://[::ffff:127.0.0.1]/v1", True),
        ("http://[::ffff:192.168.1.5]/v1", False),
        ("http://[::1%25eth0]/v1", False),
        ("http://evil.com\\.127.0.0.1/v1", False),
        ("http://１２７.0.0.1/v1", False),
    ],
)
def test_local_means_this_machine(url: str, local: bool) -> None:
    assert is_local(Endpoint(kind="openai", base_url=url)) is local


def test_listed_hosts_count_as_local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAPPORT_LOCAL_HOSTS", "model-box, other")
    assert is_local(Endpoint(kind="openai", base_url="http://MODEL-BOX:8000/v1"))


@pytest.mark.parametrize(
    ("listed", "url", "local"),
    [
        ("model-box:8000", "http://model-box:8000/v1", True),
        ("model-box:8000", "http://model-box:9000/v1", False),
        ("model-box", "http://model-box.evil.com/v1", False),
        ("10.0.0.7", "http://10.0.0.7:1/v1", True),
        ("fd00::7", "http://[fd00::7]:8000/v1", True),
        ("[fd00::7]:8000", "http://[fd00::7]:8000/v1", True),
        ("", "http://model-box/v1", False),
    ],
)
def test_a_listed_host_may_name_its_port(
    monkeypatch: pytest.MonkeyPatch, listed: str, url: str, local: bool
) -> None:
    monkeypatch.setenv("RAPPORT_LOCAL_HOSTS", listed)
    assert is_local(Endpoint(kind="openai", base_url=url)) is local


def test_nothing_goes_out_unencrypted_unless_a_person_insists() -> None:
    insisted = Endpoint(kind="openai", base_url="http://models.example/v1", http_allowed=True)
    with pytest.raises(ModelError, match=r"not encrypted .*nothing was sent") as caught:
        check(a_question("hi"), Endpoint(kind="openai", base_url="http://models.example/v1"))
    assert caught.value.kind == "study"
    check(a_question("hi"), insisted)
    with pytest.raises(Refused):
        check(a_question("hi", made_up=False), insisted)


@pytest.mark.parametrize(
    "url",
    ["https://h.example/v1?api-key=sk-secret-123456", "https://h.example/v1#sk-secret-123456",
     "https://me:sk-secret-123456@h.example/v1", "https://sk-secret-123456@h.example/v1", "https://h.example\\@x/v1"],
)  # fmt: skip
def test_an_address_holds_no_key(url: str) -> None:
    with pytest.raises(DataError) as caught:
        check_address(url)
    assert "secret" not in str(caught.value) and "secret" not in shown(url)


@pytest.mark.parametrize(
    "url",
    ["https://api.openai.com/v1", "https://x.openai.azure.com/openai/v1/", "http://[::1]:8080/v1", "http://model_box:1/v1",
     "https://gateway.example/v1/a-b/c_d/openai", "https://h.example:8443"],
)  # fmt: skip
def test_usual_addresses_are_taken(url: str) -> None:
    check_address(url)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "models.example/v1",
        "ftp://x/v1",
        "https://user:pw@models.example/v1",
        "http://127.0.0.1\\@evil.com/v1",
    ],
)
def test_addresses_that_are_none_are_refused(url: str) -> None:
    with pytest.raises(DataError, match="nothing was sent"):
        is_local(Endpoint(kind="openai", base_url=url))
