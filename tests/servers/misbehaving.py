"""An OpenAI-compatible server that misbehaves as it is told, and counts what it saw.

``python -m tests.servers.misbehaving '{"latency": 0.2}'`` prints its port. ``POST /script`` changes how it
behaves, ``GET /seen`` tells what it saw. A plain asyncio protocol, so that it takes little from what is measured.
"""

import asyncio
import hashlib
import json
import signal
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field, fields
from typing import Any

REASONS = {200: "OK", 307: "Temporary Redirect", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 422: "Unprocessable Entity",
           429: "Too Many Requests", 500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable"}  # fmt: skip
ANSWER = json.dumps({"reasoning": "The counselor stays close to what the client says.", "evidence": [],
                     "counter_evidence": [], "rating": 4, "verdict": "A"})  # fmt: skip
FOREVER = 1e6
REPAIR = b"That reply could not be read"
REFUSALS = {
    "too_long": (400, "This model's maximum context length is 4096 tokens", "context_length_exceeded"),
    "filtered": (400, "The prompt was stopped by our content management policy", "content_filter"),
    "key": (401, "Incorrect API key provided", "invalid_api_key"),
    "credit": (429, "You exceeded your current quota", "insufficient_quota"),
    "gone": (404, "The model does not exist", "model_not_found"),
    "redirect": (307, "Moved", ""),
    "busy": (429, "Too many requests", "rate_limit_exceeded"),
    "500": (500, "Internal error", ""),
    "502": (502, "Bad gateway", ""),
    "503": (503, "Overloaded", ""),
}


@dataclass
class Script:
    """How the server behaves.

    Args:
        latency: seconds before a reply; ``most`` more requests in flight than this are refused with 429.
        fault: what goes wrong, for requests ``after`` < n, every ``every``-th, at most ``times`` times.
        pause: seconds between the pieces of a trickle.
        refuse_formats, refuse_settings: answered with ``refuse_status``, the setting named.
        keys: the keys it accepts; any when empty.
        repair: what goes wrong with a repair turn, instead of ``fault``.
    """

    latency: float = 0.0
    most: int = 0
    retry_after: str = ""
    fault: str = ""
    after: int = 0
    every: int = 1
    times: int = 0
    pause: float = 0.05
    refuse_formats: list[str] = field(default_factory=list)
    refuse_settings: list[str] = field(default_factory=list)
    refuse_status: int = 400
    repair: str = ""
    usage: bool = True
    keys: list[str] = field(default_factory=list)
    cached: int = 0
    reply: str = ANSWER
    model: str = "measured-1"


class Server:
    """What all connections share."""

    def __init__(self, script: Script) -> None:
        self.script, self.seen, self.asked = script, Counter[str](), Counter[bytes]()
        self.answered: Counter[bytes] = Counter()
        self.keys = Counter[str]()  # questions by the key they came with
        self.in_flight = self.most_in_flight = self.hit = 0
        self.kept: tuple[tuple[Any, ...], bytes] = ((), b"")

    def tell(self) -> dict[str, Any]:
        return {
            "seen": dict(self.seen), "questions": len(self.asked), "asked": self.asked.total(),
            "repeated": self.asked.total() - len(self.asked), "answered": len(self.answered),
            "answered_again": self.answered.total() - len(self.answered), "most_in_flight": self.most_in_flight,
            "in_flight": self.in_flight, "keys": dict(self.keys),
        }  # fmt: skip

    def change(self, told: dict[str, Any]) -> None:
        if told.pop("forget", False):
            self.__init__(self.script)  # type: ignore[misc]
        for name, value in told.items():
            setattr(self.script, name, value)
        self.hit = 0

    def fault(self, body: bytes) -> str:
        """The fault that this request meets, if any."""
        script, number = self.script, self.asked.total()
        if REPAIR in body:
            return "" if script.repair == "none" else script.repair or script.fault
        if script.most and self.in_flight > script.most:
            return "busy"
        if not script.fault or number <= script.after or number % script.every:
            return ""
        if script.times and self.hit >= script.times:
            return ""
        self.hit += 1
        return script.fault

    def refusal(self, body: bytes) -> str:
        """The setting that this server does not know, if the request holds one."""
        for form in self.script.refuse_formats:
            if b'"type":"%s"' % form.encode() in body.replace(b'": "', b'":"'):
                return "response_format"
        return next((s for s in self.script.refuse_settings if b'"%s":' % s.encode() in body), "")

    def good(self, finish: str = "stop", text: str | None = None) -> bytes:
        """A whole reply; kept, since most are the same."""
        script = self.script
        name = (finish, text, script.usage, script.cached, script.reply, script.model)
        if self.kept[0] != name:
            message = {"role": "assistant", "content": script.reply if text is None else text}
            body: dict[str, Any] = {
                "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": script.model,
                "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            }  # fmt: skip
            if script.usage:
                body["usage"] = {"prompt_tokens": 900, "completion_tokens": 60, "total_tokens": 960,
                                 "prompt_tokens_details": {"cached_tokens": script.cached}}  # fmt: skip
            self.kept = name, http(200, json.dumps(body).encode())
        return self.kept[1]


def http(status: int, body: bytes, *more: str) -> bytes:
    head = [f"HTTP/1.1 {status} {REASONS.get(status, 'Odd')}", "Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join([*head, *more, "", ""]).encode() + body


def refused(status: int, words: str, code: str = "", param: str = "", *more: str) -> bytes:
    error = {"message": words, "type": "error", "code": code or None, "param": param or None}
    return http(status, json.dumps({"error": error}).encode(), *more)


class Line(asyncio.Protocol):
    """One connection: requests one after the other."""

    def __init__(self, server: Server) -> None:
        self.server, self.buffer, self.head = server, b"", b""
        self.transport: asyncio.Transport | None = None
        self.under_way: set[asyncio.TimerHandle] = set()
        self.tasks: set[asyncio.Task[None]] = set()

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def connection_lost(self, error: Exception | None) -> None:
        for task in self.tasks:
            task.cancel()
        for handle in self.under_way:
            handle.cancel()
            self.server.in_flight -= 1
            self.server.seen["given up by the client"] += 1
        self.under_way.clear()
        self.transport = None

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            head = self.buffer[:end]
            at = head.lower().find(b"content-length:")
            length = int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
            if len(self.buffer) < end + 4 + length:
                return
            body, self.buffer = self.buffer[end + 4 : end + 4 + length], self.buffer[end + 4 + length :]
            self.head = head
            self.request(head.split(b" ", 2)[1].decode(), body, key_in(head))

    def request(self, path: str, body: bytes, key: str) -> None:
        if path == "/seen":
            self.write(http(200, json.dumps(self.server.tell()).encode()))
        elif path == "/script":
            self.server.change(json.loads(body))
            self.write(http(200, b"{}"))
        elif path.endswith("/models"):
            self.write(http(200, json.dumps({"object": "list", "data": [{"id": "measured", "object": "model"}]}).encode()))
        else:
            self.chat(body, key)

    def chat(self, body: bytes, key: str) -> None:
        """Count the question, wait, then answer or misbehave."""
        server, question = self.server, hashlib.sha256(body).digest()
        server.asked[question] += 1
        server.keys[key] += 1
        server.in_flight += 1
        server.most_in_flight = max(server.most_in_flight, server.in_flight)
        fault = "key" if server.script.keys and key not in server.script.keys else server.fault(body)
        wait = FOREVER if fault == "hang" else 0.0 if fault in REFUSALS else server.script.latency

        def answer() -> None:
            self.under_way.discard(handle)
            server.in_flight -= 1
            self.reply(fault or ("refused setting" if server.refusal(body) else "answered"), body, question)

        handle = asyncio.get_running_loop().call_later(wait, answer)
        self.under_way.add(handle)

    def reply(self, what: str, body: bytes, question: bytes) -> None:
        server, script = self.server, self.server.script
        server.seen[what] += 1
        if what in REFUSALS:
            status, words, code = REFUSALS[what]
            after = (f"Retry-After: {script.retry_after}",) if script.retry_after and status in (429, 503) else ()
            self.write(refused(status, words, code, "", *after))
        elif what == "refused setting":
            name = server.refusal(body)
            self.write(refused(script.refuse_status, f"Unsupported parameter: '{name}' is not supported", "", name))
        elif what == "answered":
            server.answered[question] += 1
            self.write(server.good())
        else:
            self.odd(what, body)

    def odd(self, what: str, body: bytes) -> None:
        """Replies that look like answers and are none."""
        server, whole = self.server, self.server.good()
        if what == "drop":
            self.close()
        elif what == "cut":
            self.write(whole[: len(whole) // 2 + 60])
            self.close()
        elif what == "trickle":
            task = asyncio.create_task(self.trickle(whole))
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)
        elif what == "malformed":
            self.write(http(200, b'{"id": "chatcmpl-1", "choices": [{"index": 0, "mess'))
        elif what == "page":
            self.write(http(200, b"<html><body>Please sign in</body></html>").replace(b"application/json", b"text/html"))
        elif what == "no choices":
            self.write(http(200, json.dumps({"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": []}).encode()))
        elif what == "prose":
            self.write(server.good(text="Well, it depends. The counselor was quite warm, I would say."))
        elif what == "empty":
            self.write(server.good(text=""))
        elif what == "no choices paid":
            usage = {"prompt_tokens": 900, "completion_tokens": 60}
            self.write(http(200, json.dumps({"id": "1", "model": "m", "choices": [], "usage": usage}).encode()))
        elif what == "no room":
            said = "'max_tokens' or 'max_completion_tokens' is too large: 512. This model's maximum context length is 4096 tokens and your request has 4000 input tokens (512 > 4096 - 4000). (parameter=max_tokens, value=512)"
            self.write(refused(400, said, "", "max_tokens"))
        elif what == "names seed":
            self.write(refused(400, "Unknown parameter: 'seed'" if b'"seed"' in body else "strange", "", ""))
        elif what == "no finish":
            self.write(server.good(finish=""))
        elif what == "echo":
            key = self.head.lower().split(b"authorization:")[-1].split(b"\r\n")[0].decode().strip()
            said = json.loads(body)["messages"][-1]["content"][-600:]
            self.write(refused(400, f"Invalid request with token {key}: {said}", "", ""))
        else:
            self.write(server.good(finish=what))  # length, content_filter

    async def trickle(self, whole: bytes) -> None:
        for byte in whole:
            self.write(bytes([byte]))
            await asyncio.sleep(self.server.script.pause)

    def write(self, data: bytes) -> None:
        if self.transport is not None and not self.transport.is_closing():
            self.transport.write(data)

    def close(self) -> None:
        if self.transport is not None:
            self.transport.close()


def key_in(head: bytes) -> str:
    """The key a request carries; empty without one."""
    lines = [line for line in head.split(b"\r\n") if line.lower().startswith(b"authorization:")]
    return lines[0].split(b" ")[-1].decode() if lines else ""


async def serve(script: Script, port: int) -> None:
    server = Server(script)
    loop, leave = asyncio.get_running_loop(), asyncio.Event()
    listening = await loop.create_server(lambda: Line(server), "127.0.0.1", port, backlog=1024)
    with suppress(NotImplementedError):
        loop.add_signal_handler(signal.SIGTERM, leave.set)
    print(listening.sockets[0].getsockname()[1], flush=True)
    await leave.wait()


def main() -> None:
    given = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}
    port = int(given.pop("port", 0))
    known = {f.name for f in fields(Script)}
    if unknown := set(given) - known:
        raise SystemExit(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(sorted(known))}")
    asyncio.run(serve(Script(**given), port))


if __name__ == "__main__":
    main()
