"""The way to an endpoint: local means local, and others are reached as the page says."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from core.llm import probing
from core.llm.asking import send
from core.llm.openai_engine import OpenAIEngine
from core.llm.seam import Endpoint
from core.llm.transport import proxy_shown, proxy_to
from tests.questions import a_question
from tests.servers.recorder import Recorder

SECRET = "Client: I live at 4 Elm Street."
NAMES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


@pytest.fixture
def proxy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Recorder]:
    """A proxy in the environment, in every spelling; nothing is exempt from it."""
    with Recorder() as recorder:
        for name in NAMES:
            for spelling in (name, name.lower()):
                monkeypatch.setenv(spelling, "" if name == "NO_PROXY" else recorder.url)
        yield recorder


@pytest.fixture
def here() -> Iterator[Recorder]:
    with Recorder() as recorder:
        yield recorder


def ask(engine: OpenAIEngine, **more: Any) -> Any:
    async def go() -> Any:
        try:
            return await send(engine, a_question(SECRET, made_up=False), **more)
        finally:
            await engine.close()

    return asyncio.run(go())


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_what_stays_here_takes_no_proxy(proxy: Recorder, here: Recorder, host: str) -> None:
    engine = OpenAIEngine(Endpoint(kind="openai", base_url=f"{here.url}/v1".replace("127.0.0.1", host), model="m"), timeout=5)
    assert ask(engine).value == "ready"
    assert SECRET in here.seen[0] and proxy.seen == []


def test_a_listed_host_takes_no_proxy(proxy: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAPPORT_LOCAL_HOSTS", "model-box.lab")
    assert proxy_to(Endpoint(kind="openai", base_url="http://model-box.lab:8000/v1")) == ""


def test_a_stream_the_list_of_models_and_the_connection_test_take_none_either(proxy: Recorder, here: Recorder) -> None:
    place = Endpoint(kind="openai", base_url=f"{here.url}/v1", model="m")
    with pytest.raises(Exception, match="broke off"):  # the recorder does not stream
        ask(OpenAIEngine(place, timeout=5), on_text=lambda _: None)
    checks = asyncio.run(probing.check_endpoint(OpenAIEngine(place, timeout=5)))
    assert [check.step for check in checks] == ["models", "call", "schema"]
    assert asyncio.run(probing.listening([f"{here.url}/v1"])) == {f"{here.url}/v1": ["m"]}
    assert len(here.seen) >= 5 and proxy.seen == []


def test_an_outside_endpoint_takes_the_proxy_that_is_shown(proxy: Recorder) -> None:
    place = Endpoint(kind="openai", base_url="http://models.example/v1", model="m", http_allowed=True)
    assert proxy_shown(place) == proxy.url
    engine = OpenAIEngine(place, timeout=5)
    sent = a_question(SECRET)

    async def go() -> Any:
        try:
            return await send(engine, sent)
        finally:
            await engine.close()

    assert asyncio.run(go()).value == "ready"
    assert len(proxy.seen) == 1 and "models.example" in proxy.seen[0]


def test_no_proxy_and_the_proxys_password_are_minded(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    place = Endpoint(kind="openai", base_url="https://models.example/v1")
    assert proxy_to(place) == ""
    monkeypatch.setenv("HTTPS_PROXY", "http://ana:pw@proxy.clinic:3128")
    assert (proxy_to(place), proxy_shown(place)) == ("http://ana:pw@proxy.clinic:3128", "http://proxy.clinic:3128")
    monkeypatch.setenv("NO_PROXY", "models.example")
    assert proxy_to(place) == ""


def test_an_account_elsewhere_is_told_to_nobody(here: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    """The openai package would send its organization and project from the environment to any base URL."""
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-somebody")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-of-somebody")
    monkeypatch.setenv("OPENAI_ADMIN_KEY", "sk-admin-of-somebody")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-key-of-somebody")
    ask(OpenAIEngine(Endpoint(kind="openai", base_url=f"{here.url}/v1", model="m"), timeout=5))
    assert "somebody" not in str(here.heads)
