"""Starting the misbehaving server in a process of its own, and talking to it."""

import json
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


class Misbehaving:
    """A running server; ``with Misbehaving(latency=0.2) as server`` stops it at the end."""

    def __init__(self, port: int = 0, **script: Any) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.servers.misbehaving", json.dumps({"port": port} | script)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
        )
        assert self.process.stdout is not None
        self.port = int(self.process.stdout.readline())
        self.base_url = f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> "Misbehaving":
        return self

    def __exit__(self, *_: Any) -> None:
        self.kill()

    def behave(self, **script: Any) -> None:
        """Change what it does from now on; ``forget=True`` starts its counts anew."""
        self._ask("/script", json.dumps(script).encode())

    def seen(self) -> dict[str, Any]:
        return dict(self._ask("/seen"))

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(10)
        if self.process.stdout is not None:
            self.process.stdout.close()

    def _ask(self, path: str, body: bytes | None = None) -> Any:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", body, timeout=10) as reply:
            return json.loads(reply.read())
