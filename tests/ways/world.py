"""A workbench with agents at an endpoint outside that keeps all it is sent and answers like the demo engine."""

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from core.clearance import Clearance, kind_of
from core.consent import PURPOSES
from core.llm.agents import ensure_shipped, save_agent
from core.llm.demo.engine import DemoEngine
from core.llm.seam import Answer, Endpoint, Question
from core.people import agreements, reviews
from core.people.agreements import Who
from core.reports import service as reports
from core.reports.drafts import shown_hash
from core.sessions import service as sessions
from core.sessions.importing import import_transcripts
from storage import tables
from storage.store import Store, open_store
from tests.persons import somebody

X, Y = "https://models.example/v1", "https://other.example/v1"
ALL = tuple(PURPOSES)


class Outside:
    """An engine at an address outside. ``heard`` is all it was sent; ``meanwhile`` happens during the next request."""

    version = "1"

    def __init__(self) -> None:
        self.endpoint = Endpoint(kind="openai", base_url=X, model="m", name="Out")
        self.heard: list[str] = []
        self.meanwhile: Callable[[], object] | None = None
        self.garbled = 0  # so many replies cannot be read

    async def ask(self, question: Question, on_text: Callable[[str], None] | None = None) -> Answer:
        self.heard.append("\n".join(message.content for message in question.messages))
        if self.meanwhile is not None:
            happens, self.meanwhile = self.meanwhile, None
            await asyncio.to_thread(happens)
        answer = await DemoEngine(0.0).ask(question)
        if self.garbled:
            self.garbled -= 1
            return Answer(None, "unreadable", "neither fish nor fowl", "neither fish nor fowl", "no JSON", engine="openai")
        return answer

    async def close(self) -> None: ...


SEATS = ("client", "counselor", "judge", "writer")


def furnish(store: Store) -> None:
    """Endpoints outside, and an agent there for each seat."""
    ensure_shipped(store)
    place = store.endpoints.add(tables.Endpoint(name="Out", base_url=X, model="m"))
    store.endpoints.add(tables.Endpoint(name="Other", base_url=Y, model="m"))
    for seat in SEATS:
        save_agent(store, f"Out {seat}", seat, store.agents.all(seat=seat)[0].prompt, place, {})


@cache
def as_furnished() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rapport.db"
        store = open_store(path)
        furnish(store)
        store.clean_up()
        store.close()
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA journal_mode=DELETE")
        return path.read_bytes()


def furnished(path: Path) -> Store:
    """A new store with its agents, copied from one that was made once."""
    path.parent.mkdir(parents=True)
    path.write_bytes(as_furnished())
    return open_store(path)


@dataclass
class World:
    """One store for all routes of one source."""

    store: Store
    out: Outside = field(default_factory=Outside)
    words: int = 0

    def __post_init__(self) -> None:
        if not self.store.agents.count():
            furnish(self.store)
        self.agents = {seat: self.store.agents.all(name=f"Out {seat}")[0] for seat in SEATS}
        self.ana, self.ben = (somebody(self.store, code, "client", "counselor", "researcher") for code in ("P-01", "P-02"))
        self.reader = somebody(self.store, "reader")

    def word(self) -> str:
        self.words += 1
        return f"plum{self.words:03}word"

    # ---- records, made by the services people use ----

    def report(self, word: str, confirmed: bool = True) -> int:
        text = (
            f"Case brief\nMrs. Helen Carter slept badly since {word} happened. She lost her job.\n\nConsultation process\n"
            f"They met four times about {word}, and she began to sleep.\n\nExperience and thoughts\nGoing slowly helped her.\n"
        )
        (saved,) = reports.take_report(self.store, f"{word}.txt", text).reports
        if confirmed:
            self.confirm_report(saved.id or 0)
        return saved.id or 0

    def confirm_report(self, id: int) -> None:
        reports.confirm_masking(self.store, id, self.reader, shown_hash(*reports.unmasked(self.store, id)))

    def review(self, kind: str, id: int, says: Any = "confirmed") -> None:
        reviews.review(self.store, self.reader, kind, id, says, reviews.shown(self.store, kind, id))

    def imported(self, word: str, confirmed: bool = True, **codes: str) -> int:
        lines = [f"Client: {word} keeps me awake.", "Counselor: How long has it been?", f"Client: Since {word}, half a year.", "Counselor: That sounds hard."]
        (id,) = import_transcripts(self.store, f"{word}.txt", "\n".join(lines).encode()).saved
        if codes:
            agreements.set_codes(self.store, "session", id, **codes)
        if confirmed:
            self.review("session", id)
        return id

    def role(self, text: str, made_up: bool, kind: str = "role") -> tables.RoleCard:
        profile = {"behavior": text, "personas": [text], "beliefs": [], "motivation": "", "acceptable_plans": [], "receptivity": 3}
        card = self.store.roles.add(
            tables.RoleCard(
                title=f"Role {self.store.roles.count()}", kind=kind, text=text, sampling="imported", stressor={"label": "Job loss"},
                demographics={"persona": text}, profile=profile if kind == "profile" else {},
            )
        )  # fmt: skip
        if made_up:
            self.review("role", card.id or 0, "synthetic")
        return card

    def agreed(self, who: tables.Person, session: int | None, purposes: tuple[str, ...] = ALL, yes: bool = True, endpoint: str = X) -> None:
        agreements.answer(self.store, Who(who), dict.fromkeys(purposes, yes), session, endpoint=endpoint)

    def live(self, word: str, agreed: bool = True) -> int:
        """Ana and Ben speak, a person in each seat; the counselor's agent has spoken before."""
        role = self.role("You lost your job.", True)
        session = sessions.begin(self.store, role, self.agents["client"], self.agents["counselor"])
        id = session.id or 0
        for seat, person in (("client", self.ana), ("counselor", self.ben)):
            sessions.take_seat(self.store, id, seat, person)
        for seat, person in (("client", self.ana), ("counselor", self.ben), ("client", self.ana), ("counselor", self.ben)):
            sessions.say(self.store, id, seat, f"I, the {seat}, say {word}.", person)
        for seat, person in (("client", self.ana), ("counselor", self.ben)):
            sessions.leave_seat(self.store, id, seat, person)
            if agreed:
                self.agreed(person, id)
        sessions.stop_session(self.store, id)
        return id

    def stands(self, kind: str, id: int) -> Clearance:
        return kind_of(self.store, kind, id)


    # ---- how it is used ----

    def engine(self) -> DemoEngine:
        """An engine on this machine."""
        return DemoEngine(0.0)

    def now(self, work: Any) -> Any:
        return asyncio.run(work)

    def other(self) -> "World":
        """Another store beside this one."""
        assert self.store.path is not None
        self.words += 1
        return World(furnished(self.store.path.parent.parent / f"elsewhere-{self.words}" / "rapport.db"))

    def kept(self) -> dict[str, int]:
        """What there is of everything that an answer can leave behind."""
        tables = ("note", "rating", "comparison", "turn", "call")
        counts: dict[str, int] = self.store.database.read(
            lambda c: {name: c.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in tables}
        )
        return counts
