"""What goes wrong at an endpoint is sorted and said."""

import pytest

from core.llm.faults import Fault, in_words, refused_setting, wait_asked


@pytest.mark.parametrize(
    ("status", "words", "kind", "says"),
    [
        (401, "invalid api key", "study", "refused the key"),
        (404, "model not found", "study", "does not know this model"),
        (429, "rate limit", "wait", "busy"),
        (429, "insufficient_quota: check your plan", "study", "no credit"),
        (500, "oops", "wait", "failed on its side"),
        (400, "maximum context length is 4096 tokens", "unit", "too long"),
        (400, "content_filter", "unit", "content filter"),
        (400, "strange", "unit", "refused the request"),
        (0, "timeout", "wait", "in time"),
        (0, "malformed", "wait", "not JSON"),
        (0, "stream", "wait", "broke off"),
        (0, "connection refused", "wait", "cannot be reached"),
    ],
)
def test_each_fault_has_its_kind_and_sentence(status: int, words: str, kind: str, says: str) -> None:
    error = in_words(Fault(status, words), "https://models.example/v1")
    assert error.kind == kind
    assert says in str(error)
    assert "https://models.example/v1" in str(error)


def test_the_wait_asked_for_is_read_in_every_form() -> None:
    assert wait_asked({"retry-after": "2"}) == 2
    assert wait_asked({"retry-after-ms": "1500"}) == 1.5
    assert wait_asked({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0
    assert wait_asked({"retry-after": "soon"}) is None
    assert wait_asked({}) is None


@pytest.mark.parametrize("status", [400, 422, 500])
def test_a_refused_reply_format_is_recognised(status: int) -> None:
    assert (
        refused_setting(Fault(status, "json_schema is not supported"), {"response_format": {}})
        == "response_format"
    )


def test_a_refused_setting_is_recognised_by_name_only_if_it_was_sent() -> None:
    fault = Fault(400, "Unsupported parameter: 'top_p'")
    assert refused_setting(fault, {"top_p": 0.9}) == "top_p"
    assert refused_setting(fault, {"temperature": 1}) == ""
