"""What many tests share: a real store in a folder of its own, and an engine that says what it is told."""

import json
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from core.errors import ModelError
from core.llm.parsing import read_reply
from core.llm.seam import Answer, Attempt, Endpoint, Question, Usage
from storage.store import Store, open_store


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """A new store on disk; pages and the command line opened in the same test see it too."""
    path = tmp_path / "data" / "rapport.db"
    monkeypatch.setenv("RAPPORT_DATABASE_URL", f"sqlite:///{path}")
    opened = open_store()
    yield opened
    opened.close()


class ScriptedEngine:
    """Says the given replies in turn (the last one for ever); an exception in the script is raised."""

    version = "scripted"

    def __init__(self, *script: Any, base_url: str = "") -> None:
        self.endpoint = Endpoint(
            kind="openai" if base_url else "demo", base_url=base_url, model="scripted", name="scripted"
        )
        self.script = list(script) or ["All right."]
        self.asked: list[Question] = []

    async def ask(self, question: Question, on_text: Callable[[str], None] | None = None) -> Answer:
        said = self.script[min(len(self.asked), len(self.script) - 1)]
        self.asked.append(question)
        if isinstance(said, ModelError):
            raise said
        if callable(said):
            said = said(question)
        if on_text is not None:
            on_text(said)
        reading = read_reply(said, question.reply)
        return Answer(
            value=reading.value, state="read" if reading.value is not None else "unreadable", text=said, raw=said,
            reason=reading.reason, usage=Usage(10, 5), finish_reason="stop", attempts=(Attempt("", 0.0),),
            engine=self.endpoint.kind, engine_version="scripted", model="scripted",
        )  # fmt: skip


@pytest.fixture
def scripted() -> type[ScriptedEngine]:
    return ScriptedEngine


AIMOCK = Path(__file__).parent.parent / "build" / "aimock"


@pytest.fixture(scope="session")
def aimock_cli() -> Path:
    """The model server nobody here wrote, installed once; skips with the reason where it cannot be."""
    cli = AIMOCK / "node_modules" / "@copilotkit" / "aimock" / "dist" / "cli.js"
    if not shutil.which("npm") or not shutil.which("node"):
        pytest.skip("aimock needs npm and node, which this machine does not have")
    if not cli.exists():
        AIMOCK.mkdir(parents=True, exist_ok=True)
        command = [
            "npm",
            "install",
            "--silent",
            "--no-audit",
            "--no-fund",
            "--prefix",
            str(AIMOCK),
            "@copilotkit/aimock@1",
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
        if done.returncode or not cli.exists():
            pytest.skip(f"aimock could not be installed: {done.stderr[-200:]}")
    return cli


@pytest.fixture
def aimock(aimock_cli: Path, tmp_path: Path) -> Iterator[Callable[[list[dict[str, Any]]], str]]:
    """Start the server with fixtures; gives its base URL. Stopped after the test."""
    servers: list[subprocess.Popen[bytes]] = []

    def start(fixtures: list[dict[str, Any]]) -> str:
        path = tmp_path / f"fixtures-{len(servers)}.json"
        path.write_text(json.dumps({"fixtures": fixtures}))
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        servers.append(
            subprocess.Popen(
                ["node", str(aimock_cli), "-p", str(port), "-f", str(path)],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        )
        until = time.monotonic() + 20
        while time.monotonic() < until:
            with socket.socket() as knock:
                if knock.connect_ex(("127.0.0.1", port)) == 0:
                    return f"http://127.0.0.1:{port}/v1"
            time.sleep(0.05)
        pytest.skip("aimock did not start")

    yield start
    for server in servers:
        server.terminate()
        server.wait(10)
