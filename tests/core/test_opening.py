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
