"""What goes wrong at an endpoint, as plain values: status, codes, words, the setting it names, how long to wait."""

import errno
import json
import re
import socket
import ssl
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from core.errors import msg
from core.llm.keys import KnownKey
from core.llm.redaction import READ, redacted, short, without_echo
from core.llm.seam import Usage

TRANSPORT = ("timeout", "malformed", "stream", "no choice", "unfinished")
NO_HOST, REFUSED, NO_WAY = msg("no such host"), msg("connection refused"), msg("no way leads there")
NOT_TRUSTED, NOT_ENCRYPTED = msg("its certificate is not trusted"), msg("no encrypted connection came about")
NO_CONNECTION = msg("the connection failed")
UNREACHED = (NO_HOST, REFUSED, NO_WAY, NOT_TRUSTED, NOT_ENCRYPTED, NO_CONNECTION)
BROKEN_OFF = (
    "ServerDisconnectedError", "ClientPayloadError", "ContentLengthError", "TransferEncodingError", "IncompleteRead",
)  # fmt: skip


@dataclass(eq=False)
class Fault(Exception):
    """An endpoint's refusal.

    Args:
        status: of HTTP; 0 when no refusal came but the transport or the reply failed (``words`` is its code then).
        words: what the endpoint said.
        param: the setting it names in a field of its own.
        codes: names it gives the fault (code, type, status), in small letters.
        usage: tokens that were spent all the same, if they are known.
    """

    status: int
    words: str
    retry_after: float | None = None
    param: str = ""
    codes: tuple[str, ...] = ()
    usage: Usage | None = None

    def cleaned(self, sent: Sequence[str], keys: Sequence[KnownKey]) -> "Fault":
        """Without the key and without words that only repeat what was sent: for sorting, and for keeping."""
        if not self.status and self.words in (*TRANSPORT, *UNREACHED):
            return self
        told = redacted(without_echo(redacted(self.words[:READ], keys), sent), keys)
        return replace(self, words=told, codes=tuple(redacted(code, keys) for code in self.codes))

    @property
    def kept(self) -> str:
        """The words as they are kept: short, the code before them."""
        code = next((c for c in self.codes if c not in self.words.lower() and not c.isdigit()), "")
        return short(f"{code} {self.words}".strip())


def fault_of(error: Exception) -> Fault:
    """An exception of the openai package (or of reading its body) as a fault."""
    import openai

    if isinstance(error, Fault):
        return error
    if isinstance(error, openai.APIStatusError):
        return replace(said(error.status_code, error.body), retry_after=wait_asked(error.response.headers))
    if isinstance(error, openai.APIConnectionError):
        return Fault(0, transport_code(root_of(error)))
    if isinstance(error, openai.APIError):  # an error in the middle of a stream
        return said(0, error.body)
    if isinstance(error, json.JSONDecodeError):
        return Fault(0, "malformed")
    if isinstance(error, TimeoutError):
        return Fault(0, "timeout")
    return Fault(0, NO_CONNECTION)


def said(status: int, body: Any) -> Fault:
    """The refusal in the body of a reply, in any of the forms in use.

    Forms: ``{"error": {…}}``, the inner object alone, a list of one of them (Gemini), ``{"error": "words"}``
    (Ollama), ``{"detail": "words" | [{"loc", "msg", "input"}]}`` (FastAPI), a page, or nothing. Of a FastAPI
    complaint only the place and the message are taken: ``input`` is what was sent.
    """
    if isinstance(body, list):
        body = body[0] if body else None
    if isinstance(body, Mapping) and isinstance(body.get("error"), Mapping | str):
        body = body["error"]
    if not isinstance(body, Mapping):
        return Fault(status, page_words(str(body or "")))
    words, param = str(body.get("message") or ""), str(body.get("param") or "")
    detail = body.get("detail")
    if isinstance(detail, list):
        params = [str(p["loc"][-1]) for p in detail if isinstance(p, Mapping) and p.get("loc")]
        param = param or (params[0] if params else "")
        words = words or "; ".join(
            f"{place}: {p.get('msg', '')}" for place, p in zip(params, detail, strict=False)
        )
    elif detail and not words:
        words = str(detail)
    codes = tuple(dict.fromkeys(code.lower() for code in names_in(body)))
    return Fault(status or number_in(body), words or " ".join(codes), param=param, codes=codes)


def names_in(body: Mapping[str, Any]) -> Iterator[str]:
    for name in ("code", "type", "status"):
        value = body.get(name)
        if isinstance(value, str | int) and str(value) not in ("", "None", "error", "invalid_request_error"):
            yield str(value)
    inner = body.get("innererror")
    if isinstance(inner, Mapping) and inner.get("code"):
        yield str(inner["code"])


def number_in(body: Mapping[str, Any]) -> int:
    """The HTTP status an endpoint names in the body of a reply that looks like a success."""
    code = body.get("code") or body.get("status")
    number = int(code) if isinstance(code, int) or (isinstance(code, str) and code.isdigit()) else 500
    return number if 300 <= number < 600 else 500


def page_words(page: str) -> str:
    """The words of a page of HTML, or of plain text."""
    return " ".join(re.sub(r"<(script|style)\b.*?</\1>|<[^>]*>", " ", page[:READ], flags=re.DOTALL).split())


def root_of(error: BaseException) -> BaseException:
    """The first cause: the aiohttp transport reports a refused connection as a time-out."""
    seen = {id(error)}
    while (cause := error.__cause__ or error.__context__) is not None and id(cause) not in seen:
        seen.add(id(cause))
        error = cause
    return error


def transport_code(root: BaseException) -> str:
    """Why no reply came: *timeout*, *stream* for a connection lost in mid-reply, else in words of ours."""
    if isinstance(root, TimeoutError):
        return "timeout"
    if isinstance(root, ConnectionResetError) or type(root).__name__ in BROKEN_OFF:
        return "stream"
    if isinstance(root, OSError) and root.errno in (errno.ENETUNREACH, errno.EHOSTUNREACH):
        return NO_WAY
    known: dict[type[BaseException], str] = {
        socket.gaierror: NO_HOST, ConnectionRefusedError: REFUSED, ssl.SSLCertVerificationError: NOT_TRUSTED,
        ssl.SSLError: NOT_ENCRYPTED,
    }  # fmt: skip
    return next((words for kind, words in known.items() if isinstance(root, kind)), NO_CONNECTION)


def for_the_log(error: BaseException) -> str:
    """The kind and number of the first cause: no words of it, they may name an address."""
    root = root_of(error)
    number = getattr(root, "errno", None)
    return type(root).__name__ if number is None else f"{type(root).__name__} {number}"


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
