"""The workbench is opened and closed again; nothing of it stays behind."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=1):
            return True
    except (urllib.error.URLError, OSError):
        return False


def wait_until(port: int, there: bool, longest: float = 40.0) -> bool:
    until = time.monotonic() + longest
    while time.monotonic() < until and answers(port) != there:
        time.sleep(0.1)
    return answers(port) == there


@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX")
def test_a_service_manager_ends_the_server_too(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    workbench = subprocess.Popen(
        [sys.executable, "-m", "core.cli", "open", "--port", str(port), "--no-browser"], cwd=ROOT,
        env=os.environ | {"RAPPORT_DATABASE_URL": f"sqlite:///{tmp_path / 'rapport.db'}"},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    try:
        assert wait_until(port, there=True)
        workbench.send_signal(signal.SIGTERM)
        assert workbench.wait(20) == 0
        assert wait_until(port, there=False, longest=5)
    finally:
        if workbench.poll() is None:
            os.killpg(workbench.pid, signal.SIGKILL)


def handshake(port: int, host: str) -> str:
    """The first line the server answers to a browser that opens a session under this name."""
    asked = (
        "GET /_stcore/stream HTTP/1.1\r\n"
        f"Host: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", port), timeout=10) as line:
        line.sendall(asked.encode())
        return line.recv(200).decode("latin-1").split("\r\n")[0]


def test_a_page_elsewhere_that_points_its_name_here_gets_no_session(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={port}", "--server.headless=true"]
    server = subprocess.Popen(
        command, cwd=ROOT, env=os.environ | {"RAPPORT_DATABASE_URL": f"sqlite:///{tmp_path / 'rapport.db'}"},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        assert wait_until(port, there=True)
        own = [handshake(port, f"{name}:{port}") for name in ("127.0.0.1", "localhost", "[::1]")]
        foreign = [handshake(port, name) for name in ("evil.example", f"evil.example:{port}", "127.0.0.1.evil.example")]
        assert all(" 101 " in line for line in own), own
        assert all(" 403 " in line for line in foreign), foreign
    finally:
        server.terminate()
        server.wait(20)
