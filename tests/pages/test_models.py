"""Models and agents: an endpoint is entered, tested and used; its key is never kept."""

import pytest
from streamlit.testing.v1 import AppTest

from core.errors import WorkbenchError
from core.llm import probing
from storage import tables
from storage.store import Store
from tests.pages.conftest import Open, assert_calm, shown
from tests.servers.handle import Misbehaving
from tests.servers.recorder import Recorder

SECRET = "sk-very-secret-1234"


def enter(at: AppTest, url: str, model: str, key: str = "") -> AppTest:
    at.text_input(key="models_url_OpenAI").set_value(url)
    at.text_input(key="models_model").set_value(model)
    at.text_input(key="models_key").set_value(key)
    next(b for b in at.button if b.label == "Save endpoint").click()
    return at.run()


def test_typed_key_stays_in_the_browser_session(open_page: Open, store: Store) -> None:
    at = enter(open_page("models.py"), "https://llm.example.org/v1", "tiny", SECRET)
    assert_calm(at)
    row = store.endpoints.all()[0]
    assert (row.base_url, row.model, row.key_env) == ("https://llm.example.org/v1", "tiny", "")
    assert "typed for this browser session" in shown(at)
    assert "Text leaves this machine" in shown(at)
    assert store.path is not None
    for path in store.path.parent.iterdir():
        assert SECRET.encode() not in path.read_bytes()


def test_wrong_address_is_refused_in_words(open_page: Open, store: Store) -> None:
    at = enter(open_page("models.py"), "llm.example.org", "tiny")
    assert "is not an address of a model endpoint" in at.error[0].value.replace("\\", "")
    assert not store.endpoints.all()


def test_a_model_is_entered_once(open_page: Open, store: Store) -> None:
    enter(open_page("models.py"), "http://localhost:9/v1", "tiny")
    at = enter(open_page("models.py"), "http://localhost:9/v1", "tiny")
    assert "already here" in at.error[0].value
    assert store.endpoints.count() == 1


def test_connection_test_says_each_step(
    open_page: Open, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def checked(*_given: object) -> list[probing.Check]:
        return [
            probing.Check("models", True, names=("tiny",), model="tiny"),
            probing.Check("call", False, WorkbenchError("Its reply is empty.")),
        ]

    monkeypatch.setattr(probing, "check_endpoint", checked)
    row = store.endpoints.add(tables.Endpoint(name="Here", base_url="http://localhost:9/v1", model="tiny"))
    at = open_page("models.py")
    at.button(key=f"models_test_{row.id}").click().run()
    assert_calm(at)
    assert "List of models" in shown(at) and "Its reply is empty." in shown(at)


def test_nobody_there_is_said_in_words(open_page: Open, store: Store) -> None:
    row = store.endpoints.add(tables.Endpoint(name="Here", base_url="http://127.0.0.1:9/v1", model="tiny"))
    at = open_page("models.py")
    at.button(key=f"models_test_{row.id}").click().run()
    assert_calm(at)
    said = shown(at)
    assert "A short reply" in said and "It cannot be reached (connection refused). Check the address" in said
    assert "Errno" not in said and "is saved" not in said and "The proxy" not in said


def test_missing_variable_is_said_before_anything_is_sent(
    open_page: Open, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CLINIC_KEY", raising=False)
    row = store.endpoints.add(
        tables.Endpoint(name="Clinic", base_url="https://llm.example.org/v1", model="m", key_env="CLINIC_KEY")
    )
    at = open_page("models.py")
    assert "missing: CLINIC_KEY is empty" in shown(at)
    at.button(key=f"models_test_{row.id}").click().run()
    assert "nothing was sent" in at.error[0].value


def test_agent_is_made_from_engine_prompt_and_settings(open_page: Open, store: Store) -> None:
    row = store.endpoints.add(tables.Endpoint(name="Here", base_url="http://localhost:9/v1", model="tiny"))
    at = open_page("models.py")
    at.segmented_control(key="models_view").set_value("agents").run()
    at.selectbox(key="models_engine").set_value(row.id).run()
    at.number_input(key="models_temperature_counselor").set_value(0.3)
    at.text_input(key="models_agent_name").set_value("Hill, tiny").run()
    at.button(key="models_make").click().run()
    assert_calm(at)
    agent = store.agents.find(name="Hill, tiny")
    assert agent is not None and agent.engine == "openai" and agent.endpoint_id == row.id
    assert agent.settings["temperature"] == 0.3 and agent.prompt.startswith("counselor/")
    at.text_input(key="models_agent_name").set_value("Hill, tiny").run()
    at.button(key="models_make").click().run()
    assert "already in the store" in at.error[0].value


def test_an_unencrypted_address_is_saved_only_when_a_person_insists(open_page: Open, store: Store) -> None:
    at = enter(open_page("models.py"), "http://llm.example.org/v1", "tiny")
    assert_calm(at)
    assert not store.endpoints.all() and "is not encrypted (http)" in shown(at)
    at.checkbox(key="models_insist_http://llm.example.org/v1").check()
    at = enter(at, "http://llm.example.org/v1", "tiny")
    row = store.endpoints.all()[0]
    assert row.learned == {"http_allowed": True} and "This address is not encrypted" in shown(at)
    at.checkbox(key=f"models_http_{row.id}").uncheck().run()
    assert_calm(at)
    assert store.endpoints.all()[0].learned == {}


@pytest.mark.parametrize(
    "url",
    [
        "https://h.example/v1?api-key=sk-secret-123456",
        "https://h.example/v1#sk-secret-123456",
        "https://me:sk-secret-123456@h.example/v1",
    ],
)
def test_a_key_in_an_address_is_refused_and_not_repeated(open_page: Open, store: Store, url: str) -> None:
    at = enter(open_page("models.py"), url, "tiny")
    assert not store.endpoints.all() and at.error
    assert "secret" not in shown(at) and "secret" not in at.error[0].value


def test_only_variables_for_keys_are_read(
    open_page: Open, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = open_page("models.py")
    at.text_input(key="models_env_OpenAI").set_value("AWS_SECRET_ACCESS_KEY")
    at = enter(at, "https://llm.example.org/v1", "tiny")
    assert "is not used for keys" in at.error[0].value.replace("\\", "") and not store.endpoints.all()
    monkeypatch.setenv("RAPPORT_KEYS", "CLINIC_TOKEN")
    at.text_input(key="models_env_OpenAI").set_value("CLINIC_TOKEN")
    enter(at, "https://llm.example.org/v1", "tiny")
    assert store.endpoints.all()[0].key_env == "CLINIC_TOKEN"


def test_the_way_to_each_endpoint_is_said(
    open_page: Open, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://ana:pw@proxy.clinic.example:3128")
    store.endpoints.add(tables.Endpoint(name="Far", base_url="https://llm.example.org/v1", model="m"))
    store.endpoints.add(tables.Endpoint(name="Here", base_url="http://127.0.0.1:9/v1", model="m"))
    said = shown(open_page("models.py"))
    assert "through the proxy http://proxy.clinic.example:3128" in said and "no proxy is used" in said
    assert "pw@" not in said


def test_a_key_is_looked_at_when_it_is_used(open_page: Open, store: Store) -> None:
    row = store.endpoints.add(tables.Endpoint(name="Here", base_url="http://localhost:9/v1", model="tiny"))
    at = open_page("models.py")
    at.button(key=f"models_use_{row.id}").click().run()
    assert at.error[0].value.startswith("Enter the key first; nothing was changed")
    at.text_input(key=f"models_key_{row.id}").set_value("schlüssel-12345678")
    at.button(key=f"models_use_{row.id}").click().run()
    assert "cannot be sent" in at.error[0].value and "schl" not in at.error[0].value
    at.text_input(key=f"models_key_{row.id}").set_value(f" {SECRET}")
    at.button(key=f"models_use_{row.id}").click().run()
    assert_calm(at)
    assert "typed for this browser session" in shown(at)


def test_an_endpoint_is_not_saved_with_a_key_that_cannot_be_sent(open_page: Open, store: Store) -> None:
    at = enter(open_page("models.py"), "https://llm.example.org/v1", "tiny", "schlüssel-12345678")
    assert "cannot be sent" in at.error[0].value and not store.endpoints.all()


def test_insisting_on_http_holds_for_the_address_that_was_named(open_page: Open, store: Store) -> None:
    clinic, other = "http://models.clinic.example/v1", "http://other.evil.example/v1"
    at = enter(open_page("models.py"), clinic, "tiny")
    at.checkbox(key=f"models_insist_{clinic}").check()
    at = enter(at, other, "tiny")
    assert not store.endpoints.all() and f"{other} is not encrypted" in shown(at)
    assert [box.key for box in at.checkbox] == [f"models_insist_{other}"] and not at.checkbox[0].value
    at = enter(at, clinic, "tiny")
    assert not store.endpoints.all() and not at.checkbox[0].value, "asked anew"
    at.checkbox(key=f"models_insist_{clinic}").check()
    at = enter(at, "https://models.clinic.example/v1", "")
    assert not at.checkbox and "needs the name of a model" in at.error[0].value
    enter(at, "https://models.clinic.example/v1", "tiny")
    assert [(row.base_url, row.learned) for row in store.endpoints.all()] == [("https://models.clinic.example/v1", {})]


@pytest.mark.parametrize(
    "pasted",
    ["sk-1234567890abcdefghij", "AIzaSyA12345678901234567890", "9f8e7d6c5b4a39281706", "AKIAIOSFODNN7EXAMPLE", "gsk_ab12CD34ef56", "sk-1_API_KEY"],
)
def test_a_key_in_the_field_for_its_variable_is_not_repeated(open_page: Open, store: Store, pasted: str) -> None:
    at = open_page("models.py")
    at.text_input(key="models_env_OpenAI").set_value(pasted)
    at = enter(at, "https://llm.example.org/v1", "tiny")
    assert at.error[0].value.startswith("This looks like the key itself") and not store.endpoints.all()
    assert pasted not in at.error[0].value.replace("\\", "")


def test_buttons_wait_for_no_field_and_endpoints_are_counted(open_page: Open, store: Store) -> None:
    store.endpoints.add(tables.Endpoint(name="Here", base_url="http://localhost:9/v1", model="tiny"))
    at = open_page("models.py")
    assert "1 endpoint" in shown(at) and "1 endpoints" not in shown(at)
    at.segmented_control(key="models_view").set_value("agents").run()
    at.button(key="models_make").click().run()
    assert at.error[0].value.startswith("Enter a name for the agent first")


def test_a_list_without_the_model_says_so(open_page: Open, store: Store) -> None:
    listed = {"object": "list", "data": [{"id": "measured", "object": "model", "created": 1, "owned_by": "x"}]}
    with Recorder(listed) as here:
        row = store.endpoints.add(
            tables.Endpoint(name="Here", base_url=f"{here.url}/v1", model="measured-1")
        )
        at = open_page("models.py")
        at.button(key=f"models_test_{row.id}").click().run()
        assert_calm(at)
        assert "It lists 1 model (measured), not “measured-1”. Check the model" in shown(at)


def test_a_refused_key_is_typed_again_on_this_very_page(open_page: Open, store: Store) -> None:
    with Misbehaving(keys=["sk-other"]) as server:
        row = store.endpoints.add(tables.Endpoint(name="Here", base_url=server.base_url, model="measured"))
        at = open_page("models.py")
        at.button(key=f"models_test_{row.id}").click().run()
    assert "It lists 1 model, “measured”." in shown(at)
    assert "It refused the key (401: invalid_api_key Incorrect API key provided). Type the key again above." in shown(at)
    assert "Models and agents; what was answered" not in shown(at)


def test_the_proxy_is_named_where_the_way_leads_through_it(
    open_page: Open, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTPS_PROXY", "https_proxy"):
        monkeypatch.setenv(name, "http://ana:pw@127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "")
    row = store.endpoints.add(tables.Endpoint(name="Far", base_url="https://llm.example.org/v1", model="m"))
    at = open_page("models.py")
    at.button(key=f"models_test_{row.id}").click().run()
    assert_calm(at)
    said = "It cannot be reached (connection refused). Check the address and that the server is running. The proxy http://127.0.0.1:9 may be what cannot be reached. Ask whoever runs it."
    assert said in shown(at) and "pw@" not in shown(at)
