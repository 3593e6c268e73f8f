"""Sorting what goes wrong at an endpoint: wait and retry, this question fails, or the whole study must stop."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from core.errors import ModelError, msg

OPTIONAL = (
    "response_format",
    "stream_options",
    "max_completion_tokens",
    "max_tokens",
    "temperature",
    "top_p",
    "seed",
)
NO_CREDIT = ("insufficient_quota", "insufficient balance", "billing", "credit", "arrears", "欠费", "余额")
TOO_LONG = (
    "context_length",
    "context length",
    "maximum context",
    "too many tokens",
    "context window",
    "exceeds the context",
)
FILTERED = ("content_filter", "content management policy", "content policy", "safety")


@dataclass(eq=False)
class Fault(Exception):
    """An endpoint's refusal as plain values: HTTP status (0: none), its words, seconds it asked to wait."""

    status: int
    words: str
    retry_after: float | None = None
    param: str = ""


def fault_of(error: Exception) -> Fault:
    """An exception of the openai package (or of reading its body) as a fault."""
    import openai

    if isinstance(error, openai.APIStatusError):
        body: Any = error.body if isinstance(error.body, dict) else {}
        words = str(body.get("message") or body.get("error") or error.message)[:500]
        code = str(body.get("code") or "")
        return Fault(
            error.status_code,
            f"{code} {words}".strip(),
            wait_asked(error.response.headers),
            str(body.get("param") or ""),
        )
    if isinstance(error, openai.APIConnectionError):
        root = root_of(error)
        return Fault(0, "timeout") if isinstance(root, TimeoutError) else Fault(0, transport_code(root))
    if isinstance(error, json.JSONDecodeError):
        return Fault(0, "malformed")
    if isinstance(error, TimeoutError):
        return Fault(0, "timeout")
    return Fault(0, f"{type(error).__name__} {error}"[:300])


def root_of(error: BaseException) -> BaseException:
    """The first cause: the aiohttp transport reports a refused connection as a time-out."""
    seen = {id(error)}
    while (cause := error.__cause__ or error.__context__) is not None and id(cause) not in seen:
        seen.add(id(cause))
        error = cause
    return error


def transport_code(root: BaseException) -> str:
    """*stream* for a connection lost in mid-reply, else the system's words."""
    name = type(root).__name__
    if name in (
        "ServerDisconnectedError",
        "ClientPayloadError",
        "ContentLengthError",
        "TransferEncodingError",
        "IncompleteRead",
        "ConnectionResetError",
    ):
        return "stream"
    return f"{name}: {root}"[:300]


def wait_asked(headers: Mapping[str, str]) -> float | None:
    """Seconds the server asks to wait, from Retry-After in either of its forms."""
    value = headers.get("retry-after-ms")
    try:
        if value:
            return max(0.0, float(value) / 1000)
        value = headers.get("retry-after")
        return None if not value else max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(str(value)) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None


def refused_setting(fault: Fault, sent: Mapping[str, Any]) -> str:
    """The optional setting the endpoint names in its refusal, or an empty string.

    A server that cannot do a reply format may say so with 400, 422 or 500.
    """
    if fault.status not in (400, 422, 500):
        return ""
    words = fault.words.lower()
    if "response_format" in sent and any(
        w in words
        for w in ("response_format", "json_schema", "json_object", "schema", "grammar", "structured")
    ):
        return "response_format"
    if fault.status == 500:
        return ""
    if fault.param in OPTIONAL and fault.param in sent:
        return fault.param
    return next((name for name in OPTIONAL if name in sent and name in words), "")


def in_words(fault: Fault, where: str) -> ModelError:
    """The fault as a sentence, sorted into *wait*, *unit* or *study*."""
    words = fault.words.lower()
    kind, message = sort(fault, words)
    error = ModelError(message, kind=kind, where=where, status=fault.status, words=fault.words)
    error.retry_after = fault.retry_after
    return error


def sort(fault: Fault, words: str) -> tuple[str, str]:
    """The kind of a fault and the sentence for it."""
    if any(w in words for w in NO_CREDIT) and fault.status in (402, 403, 429):
        return (
            "study",
            msg(
                "{where} reports that no credit is left ({words}). Top up the account or choose another endpoint; what was answered is saved."
            ),
        )
    if fault.status in (401, 403):
        return (
            "study",
            msg(
                "{where} refused the key ({status}: {words}). Enter the key again on Models and agents; what was answered is saved."
            ),
        )
    if fault.status == 404:
        return (
            "study",
            msg(
                "{where} does not know this model or address (404: {words}). Check the base URL and the model's name on Models and agents; nothing was lost."
            ),
        )
    if any(w in words for w in TOO_LONG):
        return (
            "unit",
            msg(
                "The text is too long for the model at {where} ({words}). Choose a model with a larger context; nothing was lost."
            ),
        )
    if fault.status in (400, 422) and any(w in words for w in FILTERED):
        return (
            "unit",
            msg(
                "{where} refused the text by its content filter ({words}). Nothing was lost; this question stays without an answer."
            ),
        )
    if fault.status == 429:
        return (
            "wait",
            msg("{where} is busy (429: {words}). Wait a minute, then try again; what was answered is saved."),
        )
    if fault.status >= 500 or fault.status in (408, 409):
        return (
            "wait",
            msg(
                "{where} failed on its side ({status}: {words}). Try again later; what was answered is saved."
            ),
        )
    if fault.status:
        return (
            "unit",
            msg(
                "{where} refused the request ({status}: {words}). Show the request to see what was sent; nothing was lost."
            ),
        )
    return "wait", transport_words(words)


def transport_words(words: str) -> str:
    if words == "timeout":
        return msg(
            "{where} did not answer in time. Try again, or raise the time limit for a slow model; what was answered is saved."
        )
    if words == "malformed":
        return msg(
            "{where} sent a reply that is not JSON, so it was not used. Check that the address is that of an OpenAI-compatible endpoint; nothing was lost."
        )
    if words == "no choice":
        return msg(
            "{where} sent a reply that holds no answer. Try again, or check the model on Models and agents; nothing was lost."
        )
    if words == "stream":
        return msg(
            "{where} broke off in the middle of its reply, so it was not used. Try again; what was answered before is saved."
        )
    return msg(
        "{where} cannot be reached ({words}). Check the address and that the server is running; what was answered is saved."
    )
