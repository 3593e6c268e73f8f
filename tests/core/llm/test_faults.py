"""What goes wrong at an endpoint is sorted by recorded examples, and said."""

import errno
import socket
import ssl
from pathlib import Path
from typing import Any, cast

import openai
import pytest
import yaml

from core.errors import ModelError
from core.llm.faults import Fault, fault_of, for_the_log, said, wait_asked
from core.llm.refusals import in_words, refused_setting, sort

RECORDED: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("refusals.yaml").read_text("utf-8"))
SENT = {"temperature": 1.0, "top_p": 0.9, "max_tokens": 512, "seed": 3, "response_format": {"type": "json_schema"}}
WHERE = "https://models.example/v1"


def sorted_as(one: dict[str, Any]) -> Fault:
    return said(one["status"], one["body"]).cleaned((), ())


@pytest.mark.parametrize("one", RECORDED, ids=lambda one: f"{one['provider']} {one['status']} {one['code']}")
def test_a_recorded_refusal_is_sorted(one: dict[str, Any]) -> None:
    found = sort(sorted_as(one))
    assert (found.code, found.kind) == (one["code"], one["kind"])


@pytest.mark.parametrize("one", RECORDED, ids=lambda one: f"{one['provider']} {one['status']} {one['code']}")
def test_only_a_refused_setting_is_left_out(one: dict[str, Any]) -> None:
    assert refused_setting(sorted_as(one), SENT) == one.get("leaves_out", "")


def test_every_provider_of_the_presets_is_recorded() -> None:
    named = {one["provider"] for one in RECORDED}
    wanted = {"OpenAI", "Azure", "Anthropic", "Gemini", "OpenRouter", "DeepSeek", "Qwen", "Zhipu", "Moonshot", "Bedrock",
              "vLLM", "llama.cpp", "Ollama"}  # fmt: skip
    assert wanted <= named


@pytest.mark.parametrize(
    ("words", "kind", "says"),
    [
        ("timeout", "wait", "in time"),
        ("malformed", "wait", "not JSON"),
        ("no choice", "wait", "holds no answer"),
        ("unfinished", "wait", "did not say how its reply ended"),
        ("stream", "wait", "broke off"),
        ("connection refused", "wait", "cannot be reached"),
    ],
)
def test_a_reply_that_is_none_has_its_sentence(words: str, kind: str, says: str) -> None:
    error = in_words(Fault(0, words), WHERE)
    assert error.kind == kind
    assert says in str(error) and WHERE in str(error)


def test_a_redirect_is_said_with_what_to_do() -> None:
    error = in_words(said(307, ""), WHERE)
    assert isinstance(error, ModelError) and error.kind == "study"
    assert "sends requests on to another address (307)" in str(error)


def test_the_wait_asked_for_is_read_in_every_form() -> None:
    assert wait_asked({"retry-after": "2"}) == 2
    assert wait_asked({"retry-after-ms": "1500"}) == 1.5
    assert wait_asked({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0
    assert wait_asked({"retry-after": "soon"}) is None
    assert wait_asked({}) is None


@pytest.mark.parametrize("status", [400, 422, 500])
def test_a_refused_reply_format_is_recognised(status: int) -> None:
    assert refused_setting(Fault(status, "json_schema is not supported"), SENT) == "response_format"


def test_a_refused_setting_is_recognised_by_name_only_if_it_was_sent() -> None:
    fault = Fault(400, "Unsupported parameter: 'top_p'")
    assert refused_setting(fault, {"top_p": 0.9}) == "top_p"
    assert refused_setting(fault, {"temperature": 1}) == ""


def test_words_of_the_text_are_no_names_of_settings() -> None:
    sent = ["He said the seed is not supported, and the temperature is too high for negative schemas."]
    told = "Invalid input: the seed is not supported, and the temperature is too high for negative schemas"
    assert refused_setting(Fault(422, told).cleaned(sent, ()), SENT) == ""


def test_one_of_two_that_exclude_each_other_is_left_out() -> None:
    told = "`temperature` and `top_p` cannot both be specified for this model. Please use only one."
    assert refused_setting(Fault(400, told), SENT) == "top_p"


@pytest.mark.parametrize(
    ("root", "words"),
    [
        (socket.gaierror(-2, "Name or service not known"), "no such host"),
        (ConnectionRefusedError(111, "Connect call failed ('127.0.0.1', 9)"), "connection refused"),
        (OSError(errno.EHOSTUNREACH, "No route to host"), "no way leads there"),
        (ssl.SSLCertVerificationError(1, "self-signed certificate"), "its certificate is not trusted"),
        (ssl.SSLError(1, "wrong version number"), "no encrypted connection came about"),
        (RuntimeError("odd"), "the connection failed"),
        (TimeoutError(), "timeout"),
        (ConnectionResetError(104, "reset"), "stream"),
    ],
)
def test_why_no_connection_came_is_said_in_words_of_ours(root: Exception, words: str) -> None:
    error = openai.APIConnectionError(request=cast(Any, None))
    error.__cause__ = root
    fault = fault_of(error).cleaned(["The connection failed, no such host came, connection refused"], ())
    assert fault.kept == words
    told = in_words(fault, WHERE, "http://proxy.clinic:3128")
    assert ("The proxy http://proxy.clinic:3128 may be" in str(told)) == (words != "stream")
    assert for_the_log(error) == (f"{type(root).__name__} {root.errno}" if getattr(root, "errno", None) else type(root).__name__)
