"""A workbench of the test's own, started as a person starts it, and a real browser before it."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parents[2]
ARGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
QUIET = '[data-testid="stApp"][data-test-script-state="notRunning"]'


@dataclass
class Workbench:
    """A running server, its database, and what it printed."""

    url: str
    database: Path
    process: subprocess.Popen[bytes]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    found = os.environ.get("RAPPORT_TEST_BROWSER", "")
    if not found:
        if os.environ.get("RAPPORT_REQUIRE_BROWSER"):
            pytest.fail("A browser is required here (RAPPORT_REQUIRE_BROWSER), but none was found.")
        pytest.skip("no Chromium or Chrome was found; `./run test` looks for one")
    with sync_playwright() as playwright:
        path = None if found == "playwright" else found
        opened = playwright.chromium.launch(executable_path=path, args=ARGS)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def workbench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    """The workbench on a fresh database, without the variables of this machine."""
    folder = tmp_path_factory.mktemp("workbench")
    port = free_port()
    database = folder / "rapport.db"
    kept = {name: value for name, value in os.environ.items() if not re.search(r"API_KEY|^RAPPORT_", name)}
    process = subprocess.Popen(
        [sys.executable, "-m", "core.cli", "open", "--port", str(port), "--no-browser"],
        cwd=ROOT, env=kept | {"RAPPORT_DATABASE_URL": f"sqlite:///{database}", "HOME": str(folder)},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
    )  # fmt: skip
    url = f"http://127.0.0.1:{port}"
    wait_for(url, process)
    yield Workbench(url, database, process)
    end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """Stop the workbench as a service manager does, and see that its server goes with it."""
    process.terminate()
    try:
        process.wait(20)
    finally:
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def wait_for(url: str, process: subprocess.Popen[bytes], longest: float = 60.0) -> None:
    until = time.monotonic() + longest
    while time.monotonic() < until:
        if process.poll() is not None:
            told = process.stdout.read().decode(errors="replace") if process.stdout else ""
            pytest.fail(f"The workbench stopped while starting:\n{told}")
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    pytest.fail("The workbench did not answer within a minute.")


@dataclass
class Visitor:
    """A person at the browser: goes to pages, waits until they are quiet, and notes what should not happen."""

    page: Page
    url: str
    language: str = "en"
    outside: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def go(self, path: str = "") -> None:
        """Open an address; a browser that nobody knows is on its way through the route that makes it somebody."""
        self.page.goto(f"{self.url}/{path}")
        self.page.locator(".st-key-frame_you").wait_for(state="attached")
        self.settle()

    def settle(self, longest: float = 60.0) -> None:
        """Wait until no script runs; a rerun begins a moment after a click."""
        self.page.wait_for_timeout(250)
        self.page.wait_for_selector(QUIET, timeout=longest * 1000)

    def click(self, key: str) -> None:
        """Click the button with this widget key."""
        self.page.locator(f".st-key-{key} button").first.click()
        self.settle()

    def see(self, words: str, longest: float = 20.0) -> None:
        self.page.get_by_text(words).first.wait_for(timeout=longest * 1000)

    def body(self) -> str:
        return self.page.locator('[data-testid="stApp"]').inner_text()

    def assert_calm(self) -> None:
        """Nothing was asked of another machine, nothing broke, no traceback is shown."""
        assert not self.outside, self.outside
        assert not self.errors, self.errors
        assert "Traceback" not in self.body()
        assert self.page.locator('[data-testid="stException"]').count() == 0


@pytest.fixture
def visit(browser: Browser, workbench: Workbench) -> Iterator[Callable[..., Visitor]]:
    """``visit(language="zh", width=800, dark=True)`` gives a new browser session."""
    contexts = []

    def arrive(language: str = "en", width: int = 1280, height: int = 1400, dark: bool = False) -> Visitor:
        context = browser.new_context(
            viewport={"width": width, "height": height}, locale="zh-CN" if language == "zh" else "en-US",
            color_scheme="dark" if dark else "light",
        )  # fmt: skip
        contexts.append(context)
        visitor = Visitor(context.new_page(), workbench.url, language)
        visitor.page.on("request", lambda request: note_outside(visitor, request.url))
        visitor.page.on("pageerror", lambda error: visitor.errors.append(str(error)))
        return visitor

    yield arrive
    for context in contexts:
        context.close()


def note_outside(visitor: Visitor, url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme in ("http", "https", "ws", "wss") and parts.hostname not in ("127.0.0.1", "localhost"):
        visitor.outside.append(url)
