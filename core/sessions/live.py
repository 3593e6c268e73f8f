"""Sessions people watch: they run in one thread of the server, and pages only look on.

Every turn is in the store before the next begins; only the words of the turn in flight live in memory. So a
refresh, another tab or a closed browser changes nothing, and after a restart a session stands at its last turn.
Of several servers at one database each holds its own sessions; the others leave them alone while it lives.
"""

import asyncio
import logging
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from core.errors import DataError, WorkbenchError, place_of
from core.llm.seam import Engine
from core.sessions import service
from storage import tables
from storage.holding import Holding
from storage.store import Store

PATIENCE = 10.0  # seconds a page waits for a turn in flight to be put down
Engines = Mapping[str, Engine | None]
log = logging.getLogger(__name__)


@dataclass
class Room:
    """One session being held. ``said`` are the pieces of the turn in flight; ``turns`` counts turns begun."""

    session_id: int
    task: "asyncio.Task[None] | None" = None
    position: int = 0
    seat: str = ""
    said: list[str] = field(default_factory=list)
    turns: int = 0
    done: threading.Event = field(default_factory=threading.Event)
    problem: WorkbenchError | None = None


@dataclass(frozen=True)
class View:
    """What a page sees of a session at one moment. ``turns`` changes whenever a turn was finished."""

    running: bool
    position: int = 0
    seat: str = ""
    text: str = ""
    turns: int = 0
    problem: WorkbenchError | None = None


class Live:
    """All sessions that this server holds. Safe to call from any page's thread."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._lock = threading.RLock()
        self._rooms: dict[int, Room] = {}
        self.holding = Holding(store)
        self._recover()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="live sessions", daemon=True)
        self._thread.start()

    def start(self, session_id: int, engines: Engines) -> None:
        """Let a session go on; nothing happens where it is going on already.

        Raises:
            DataError: another server or a study lets it go on.
        """
        with self._lock:
            if self._is_running(session_id):
                return
            if holder := self.holding.take(session_id):
                raise held(session_id, holder)
            room = self._rooms[session_id] = Room(session_id)
        self._loop.call_soon_threadsafe(self._begin, room, engines)

    def pause(self, session_id: int) -> None:
        """Put the session down at once; the turn in flight is kept as a partial one.

        Raises:
            DataError: another server or a study lets it go on.
        """
        with self._lock:
            room = self._rooms.get(session_id)
        if not self._is_running(session_id) and (elsewhere := self.elsewhere(session_id)) is not None:
            raise elsewhere
        if room is not None and not room.done.is_set():
            self._loop.call_soon_threadsafe(self._cancel, room)
            room.done.wait(PATIENCE)

    def stop(self, session_id: int) -> tables.Session:
        """Stop the session for good; its turns stay."""
        self.pause(session_id)
        return service.stop_session(self.store, session_id)

    def take_seat(self, session_id: int, seat: str, person: tables.Person) -> tables.Session:
        """A person takes a seat; a turn in flight is put down first."""
        service.check_free(self.store, session_id, seat, person)
        self.pause(session_id)
        return service.take_seat(self.store, session_id, seat, person)

    def leave_seat(self, session_id: int, seat: str, person: tables.Person) -> tables.Session:
        """The person leaves a seat, or frees it as a researcher; a turn in flight is put down first."""
        service.check_leaves(self.store, session_id, seat, person)
        self.pause(session_id)
        return service.leave_seat(self.store, session_id, seat, person)

    def put_down(self, session_id: int) -> None:
        """Pause a session if it goes on here."""
        if self._is_running(session_id):
            self.pause(session_id)

    def put_down_withdrawn(self) -> None:
        """Put down at once what goes on here although somebody withdrew it; its turn in flight is not kept."""
        for session_id in [id for id in list(self._rooms) if self._is_running(id)]:
            session = self.store.sessions.find(id=session_id)
            if session is not None and session.withdrawn:
                self.pause(session_id)

    def say(
        self, session_id: int, seat: str, text: str, person: tables.Person, engines: Engines, seen: int | None = None
    ) -> tables.Turn:  # fmt: skip
        """Save a person's turn and let the other seat answer.

        A sign of risk in what a person says in the client's seat is not answered by a program: the session rests
        (``ended_by`` is ``risk``) until the person chooses to go on.

        Args:
            seen: position of the last turn they had before them when they wrote.
        Raises:
            DataError: the person does not sit there, something was said meanwhile, it is not this seat's turn, or the
                text cannot be a turn. Nothing was saved.
        """
        if (elsewhere := self.elsewhere(session_id)) is not None:
            raise elsewhere
        turn = service.say(self.store, session_id, seat, text, person, seen)
        if turn.risk:
            service.rest(self.store, session_id, "risk")
        else:
            with suppress(DataError):  # somebody else lets it go on already, from these words
                self.start(session_id, engines)
        return turn

    def elsewhere(self, session_id: int) -> DataError | None:
        """That another server or a study lets the session go on just now, in words; ``None`` when nobody does."""
        holder = self.holding.holder(session_id)
        return held(session_id, holder) if holder else None

    def view(self, session_id: int) -> View:
        """How the session stands, from memory."""
        with self._lock:
            room = self._rooms.get(session_id)
        if room is None:
            return View(running=False)
        running = not room.done.is_set()
        text = "".join(list(room.said)) if running else ""
        return View(running, room.position, room.seat, text, room.turns, room.problem)

    def close(self) -> None:
        """Put every session down and end the thread."""
        for session_id in [id for id in list(self._rooms) if self._is_running(id)]:
            self.pause(session_id)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE)
        self.holding.close()

    def _recover(self) -> None:
        """Sessions that a former server or worker left running are paused where they stand."""
        for session_id in self.holding.recover():
            service.rest(self.store, session_id, "restart")

    def _is_running(self, session_id: int) -> bool:
        room = self._rooms.get(session_id)
        return room is not None and not room.done.is_set()

    def _begin(self, room: Room, engines: Engines) -> None:
        room.task = self._loop.create_task(self._hold(room, engines))
        room.task.add_done_callback(
            lambda _: self._leave(room)
        )  # also where it was cancelled before it began

    def _leave(self, room: Room) -> None:
        try:
            self.holding.let_go(room.session_id)
        except WorkbenchError as error:
            room.problem = room.problem or error
        finally:
            room.turns += 1
            room.done.set()

    def _cancel(self, room: Room) -> None:
        if room.task is not None:
            room.task.cancel()

    async def _hold(self, room: Room, engines: Engines) -> None:
        def begun(position: int, seat: str) -> None:
            room.position, room.seat, room.said = position, seat, []
            room.turns += 1

        try:
            await service.converse(
                self.store, engines["client"], engines["counselor"], room.session_id,
                on_text=lambda piece: room.said.append(piece), on_turn=begun,
            )  # fmt: skip
        except asyncio.CancelledError:
            pass
        except WorkbenchError as error:
            room.problem = error
        except Exception as error:  # noqa: BLE001 - logged by its place, and said
            log.error("session %s stopped: %s", room.session_id, place_of(error, whole=True))
            room.problem = self._broken(room, error)

    def _broken(self, room: Room, error: Exception) -> WorkbenchError:
        """A fault of ours: the session rests with its kind and place, so that it can go on later."""
        problem = WorkbenchError(
            "The workbench stumbled in session {id} ({why}). Its turns are saved; choose Continue to try again.",
            id=room.session_id, why=place_of(error),
        )  # fmt: skip
        try:
            service.rest(self.store, room.session_id, "error", service.fault_of(problem, room.position))
        except WorkbenchError as worse:
            return worse
        return problem


def held(session_id: int, holder: str) -> DataError:
    """That somebody else lets the session go on."""
    if holder == "study":
        return DataError(
            "Session {id} is part of a study that is running just now. Wait until it has ended, or stop the study; "
            "nothing was changed.",
            id=session_id,
        )
    return DataError(
        "Session {id} is going on in another Rapport that is open on this machine. Watch or pause it there; nothing "
        "was changed.",
        id=session_id,
    )


_servers: dict[str, Live] = {}
_guard = threading.Lock()


def _where(store: Store) -> str:
    return store.url.render_as_string(hide_password=False)


def of(store: Store) -> Live:
    """The live sessions of this server, started when first asked for."""
    with _guard:
        where = _where(store)
        if where not in _servers:
            _servers[where] = Live(store)
        return _servers[where]


def close(store: Store) -> None:
    """End the live sessions of a store, when the server or a test ends."""
    with _guard:
        server = _servers.pop(_where(store), None)
    if server is not None:
        server.close()
