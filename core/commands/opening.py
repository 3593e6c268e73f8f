"""Opening the workbench: a free port, the server, and the browser."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import webbrowser
from pathlib import Path

ROOT = Path(__file__).parents[2]
WAIT = 60.0  # seconds until the server must answer
PATIENCE = 10.0  # seconds the server has to close
ENDINGS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


def free_port(wanted: int) -> int:
    """The wanted port if nobody listens there, else the next free one."""
    for port in range(wanted, wanted + 50):
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            if os.name != "nt":
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def open_in_browser(wanted: int, browser: bool) -> int:
    """Start the server and open the browser when it answers; returns the server's exit code."""
    port = free_port(wanted)
    address = f"http://127.0.0.1:{port}"
    if port != wanted:
        print(f"Port {wanted} is taken, so Rapport uses {port}.", file=sys.stderr)
    print("Starting Rapport …", file=sys.stderr, flush=True)
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        "app.py",
        f"--server.port={port}",
        "--server.headless=true",
    ]
    server = subprocess.Popen(
        [*command, "--server.fileWatcherType=none", "--logger.level=error"],
        cwd=ROOT,
        env=environment(),
        stdout=subprocess.DEVNULL,
    )
    threading.Thread(target=greet, args=(address, browser, server), daemon=True).start()
    for name in ENDINGS:
        signal.signal(name, asked_to_end)
    try:
        return server.wait()
    except KeyboardInterrupt:
        close(server)
        print("\nRapport is closed. Everything is saved.", file=sys.stderr)
        return 0


def asked_to_end(_signal: int, _frame: object) -> None:
    """A closed terminal or a service manager ends the workbench as Ctrl+C does, so that no server stays behind."""
    raise KeyboardInterrupt


def close(server: "subprocess.Popen[bytes]") -> None:
    """Ask the server to end; one that does not listen is ended."""
    server.terminate()
    try:
        server.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


def environment() -> dict[str, str]:
    """The server's: it works in Rapport's own folder, where a database named from here is named as it is."""
    if "RAPPORT_DATABASE_URL" not in os.environ:
        return dict(os.environ)
    from storage.database import database_url

    return os.environ | {"RAPPORT_DATABASE_URL": database_url().render_as_string(hide_password=False)}


def greet(address: str, browser: bool, server: "subprocess.Popen[bytes]") -> None:
    """Say where the workbench is once it answers, and open it."""
    until = time.monotonic() + WAIT
    while time.monotonic() < until and server.poll() is None:
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=1):
                break
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    else:
        print("Rapport did not start. The lines above say why.", file=sys.stderr)
        return
    print(f"Rapport is open at {address}  (stop it with Ctrl+C)", file=sys.stderr, flush=True)
    if browser and not os.environ.get("RAPPORT_NO_BROWSER"):
        webbrowser.open(address)
