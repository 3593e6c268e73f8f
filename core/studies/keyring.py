"""Typed keys on their way to the worker, for one study each: over a socket only this account can open, into memory
only."""

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


class Keys:
    """Typed keys in the memory of a worker: each serves the study it was typed for, until that study ends."""

    def __init__(self, all_studies: Mapping[str, str] | None = None) -> None:
        self._all = dict(all_studies or {})  # of whoever works studies off in a process of their own
        self._by_study: dict[int, dict[str, str]] = {}

    def of(self, study_id: int) -> dict[str, str]:
        """Keys by base URL that this study may use."""
        return self._all | self._by_study.get(study_id, {})

    def keep(self, study_id: int, keys: Mapping[str, str]) -> None:
        self._by_study[study_id] = self._by_study.get(study_id, {}) | dict(keys)

    def drop(self, study_id: int) -> None:
        self._by_study.pop(study_id, None)

    def holders(self) -> list[int]:
        """Studies whose keys are here."""
        return list(self._by_study)


def socket_path(database: Path) -> Path:
    return meeting_place(database) / SOCKET


def hand_over(database: Path, study_id: int, keys: Mapping[str, str], wait: float = WAIT) -> bool:
    """Give the worker a study's keys by base URL; false if no worker takes them (or this system has no such sockets).

    Raises:
        StoreError: there is no private place to meet the worker in.
    """
    keys = {url: key for url, key in keys.items() if key}
    if not keys or not hasattr(socket, "AF_UNIX"):
        return not keys
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(wait)
        try:
            line.connect(str(socket_path(database)))
            line.sendall(json.dumps({"study": study_id, "keys": keys}).encode() + b"\n")
            return line.recv(16).startswith(b"ok")
        except OSError:
            return False


class Listener:
    """The worker's end of the socket. ``take`` says whether the worker stays to use the keys."""

    def __init__(self, database: Path, take: Callable[[int, dict[str, str]], bool]) -> None:
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
        with contextlib.suppress(
            OSError, ValueError, KeyError, TypeError, AttributeError, asyncio.TimeoutError
        ):
            told = json.loads(await asyncio.wait_for(reader.readline(), WAIT))
            taken = self.take(int(told["study"]), {str(url): str(key) for url, key in told["keys"].items()})
            writer.write(b"ok\n" if taken else b"no\n")
            await writer.drain()
        writer.close()

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
            with contextlib.suppress(OSError):
                socket_path(self.database).unlink(missing_ok=True)
