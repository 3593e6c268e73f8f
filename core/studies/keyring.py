"""Typed keys on their way to the worker: over a socket only this account can open, into memory only."""

import asyncio
import contextlib
import json
import os
import socket
from collections.abc import Callable, Mapping
from pathlib import Path

from core.studies.lock import meeting_place

SOCKET = "keys"
MOST = 64 * 1024
WAIT = 5.0


def socket_path(database: Path) -> Path:
    return meeting_place(database) / SOCKET


def hand_over(database: Path, keys: Mapping[str, str], wait: float = WAIT) -> bool:
    """Give the worker keys by base URL; false if no worker listens (or this system has no such sockets)."""
    keys = {url: key for url, key in keys.items() if key}
    if not keys or not hasattr(socket, "AF_UNIX"):
        return not keys
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(wait)
        try:
            line.connect(str(socket_path(database)))
            line.sendall(json.dumps({"keys": keys}).encode() + b"\n")
            return line.recv(16).startswith(b"ok")
        except OSError:
            return False


class Listener:
    """The worker's end of the socket."""

    def __init__(self, database: Path, take: Callable[[dict[str, str]], None]) -> None:
        self.database, self.take = database, take
        self._server: asyncio.AbstractServer | None = None

    async def start(self) -> None:
        if not hasattr(socket, "AF_UNIX"):
            return
        path = socket_path(self.database)
        path.unlink(missing_ok=True)
        before = os.umask(0o177)
        try:
            self._server = await asyncio.start_unix_server(self._answer, str(path), limit=MOST)
        finally:
            os.umask(before)
        path.chmod(0o600)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError, asyncio.TimeoutError):
            told = json.loads(await asyncio.wait_for(reader.readline(), WAIT))
            self.take({str(url): str(key) for url, key in told["keys"].items()})
            writer.write(b"ok\n")
            await writer.drain()
        writer.close()

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
            with contextlib.suppress(OSError):
                socket_path(self.database).unlink(missing_ok=True)
