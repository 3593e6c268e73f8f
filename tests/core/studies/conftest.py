"""Sessions to judge, and a study worked off in this process."""

from collections.abc import Callable
from typing import Any

import pytest

from core.llm.agents import ensure_shipped
from core.people import reviews
from core.people import service as people
from storage import tables
from storage.store import Store

LINES = [
    ("client", "I have been so anxious since I lost my job. I can't sleep and I keep thinking I failed my family."),
    ("counselor", "It sounds like losing the job shook you, and you feel afraid and ashamed at the same time. What is hardest at night?"),
    ("client", "That they will see I am not good enough. I lie there and count the bills."),
    ("counselor", "You feel alone with that fear. I wonder whether part of you expects to be judged the way you judge yourself?"),
    ("client", "Maybe. I never said it out loud. I would like to tell my wife."),
    ("counselor", "What would be a first small step you could take toward telling her, one that fits you?"),
    ("client", "I could start tonight, after dinner. Thank you, that helps."),
    ("counselor", "You found that step yourself. Let's look next time at how it went."),
]


def add_session(store: Store, number: int, role: int | None = None, counselor: int | None = None, turns: int = 8) -> int:
    """An ended session whose words depend on its number."""
    session = tables.Session(
        title=f"Session {number}", origin="simulated", state="ended", ended_by="limit", role_id=role,
        counselor_agent_id=counselor, language="en",
    )  # fmt: skip
    lines = [LINES[i % len(LINES)] for i in range(turns)]
    rows = [
        tables.Turn(session_id=0, position=i + 1, seat=seat, text=text if i else f"[{number}] {text}")
        for i, (seat, text) in enumerate(lines)
    ]
    return store.sessions.add_with_turns(session, rows).id or 0


def add_role(store: Store, title: str) -> int:
    return store.roles.add(tables.RoleCard(title=title, text=f"{title} lost a job.", stressor={"label": "Job loss"})).id or 0


def confirm(store: Store, kind: str, id: int) -> None:
    """A researcher has read this text as it is."""
    reviews.review(store, people.owner(store), kind, id, "confirmed", reviews.shown(store, kind, id))


@pytest.fixture
def sessions(store: Store) -> list[int]:
    """Two roles, each with a session of two counselors."""
    ensure_shipped(store)
    counselors = [store.agents.find(name=name).id for name in ("Hill-guided", "Advice-giving")]  # type: ignore[union-attr]
    roles = [add_role(store, f"Role {n}") for n in (1, 2)]
    return [add_session(store, n, role, counselor) for n, (role, counselor) in enumerate((r, c) for r in roles for c in counselors)]


@pytest.fixture
def work(store: Store) -> Callable[..., dict[str, Any]]:
    """Run a design to its end in this process; gives its status."""
    from core.studies import service

    def run(design: dict[str, Any], **workshop: Any) -> dict[str, Any]:
        study = service.begin(store, design)
        service.start(store, study.id or 0, worker=False)
        service.work_off(store, **workshop)
        return service.status(store, study.id or 0)

    return run
