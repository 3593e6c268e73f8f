"""A server that records every request line and answers each in the same way: a proxy that must see nothing, or does."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

REPLY: dict[str, Any] = {
    "id": "1", "object": "chat.completion", "created": 1, "model": "m",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "ready"}}],
    "usage": {"prompt_tokens": 3, "completion_tokens": 1}, "data": [{"id": "m", "object": "model", "created": 1, "owned_by": "x"}],
}  # fmt: skip


class Recorder:
    """``with Recorder() as proxy``: ``proxy.url`` is its address, ``proxy.seen`` the requests it met."""

    def __init__(self, reply: Any = None) -> None:
        self.seen: list[str] = []
        self.heads: list[dict[str, str]] = []
        body = json.dumps(REPLY if reply is None else reply).encode()
        recorder = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                length = int(self.headers.get("content-length") or 0)
                recorder.seen.append(f"{self.requestline}\n{self.rfile.read(length).decode()}")
                recorder.heads.append(dict(self.headers.items()))
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_CONNECT = answer

            def log_message(self, *_: Any) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    def __enter__(self) -> "Recorder":
        self.thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join(10)
