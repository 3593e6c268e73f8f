"""What an endpoint says is kept short, without keys, and without the words it was sent."""

import pytest

from core.llm.faults import said
from core.llm.keys import KnownKey
from core.llm.redaction import LONGEST, redacted, without_echo

KEY = "a1b2c3d4-clinic-gateway"


@pytest.mark.parametrize(
    "words",
    [
        "Invalid request with token Bearer sk-verysecret123456",
        "Incorrect API key provided: sk-ab********************wxyz. You can find your API key at https://x",
        "api-key=0123456789abcdef is unknown",
        '{"x-api-key": "zzzz-secret-zzzz"}',
        "GET /v1?api_key=abcdefghij HTTP/1.1",
        "token eyJhbGciOi.eyJzdWIi.SflKxwRJ is expired",
        "key AIzaSyA1234567890123456789012345678901 refused",
        "0123456789abcdef0123456789abcdef.AbCdEfGhIjKlMnOp is not active",
        f"the key {KEY} is not known",
    ],
)
def test_nothing_like_a_key_is_left(words: str) -> None:
    told = redacted(words, [KnownKey(KEY)])
    assert "[key]" in told
    for secret in ("verysecret", "wxyz", "0123456789abcdef", "zzzz-secret", "abcdefghij", "SflKxwRJ", "AIzaSy", "AbCdEf", KEY):
        assert secret not in told


def test_short_placeholders_are_no_keys() -> None:
    assert redacted("none of the models is loaded", [KnownKey("none")]) == "none of the models is loaded"
    assert redacted("Ask the task-force about risk-taking", []) == "Ask the task-force about risk-taking"


def test_words_that_were_sent_are_not_repeated() -> None:
    sent = ["Client: My husband Tom Weaver died in March and I cannot sleep.", "客户：我丈夫三月去世以后我一直睡不着。"]
    told = without_echo(
        "Blocked near 'Tom Weaver': {\"content\": \"My husband Tom Weaver died in March and I cannot\"} is too sad; 我丈夫三月去世以后 too",
        sent,
    )
    assert "Weaver" not in told and "husband" not in told and "丈夫" not in told
    assert told.startswith("Blocked near") and told.endswith("too")


def test_a_servers_own_words_stay() -> None:
    told = "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens"
    assert without_echo(told, ["I cannot sleep. However, I try."]) == told


def test_of_a_complaint_about_the_request_only_place_and_message_are_kept() -> None:
    transcript = "Client: I live at 4 Elm Street."
    body = {"detail": [{"loc": ["body", "messages", 0], "msg": "Field required", "input": {"content": transcript}}]}
    fault = said(422, body).cleaned([transcript], ())
    assert fault.kept == "0: Field required"
    assert len(said(500, "x" * 5000).cleaned((), ()).kept) <= LONGEST
