"""A role card and two agents, as a new store has them."""

import pytest

from storage import tables
from storage.store import Store


@pytest.fixture
def role(store: Store) -> tables.RoleCard:
    return store.roles.add(
        tables.RoleCard(
            title="R-001",
            stressor={"category": "career", "subcategory": "job_loss", "label": "Job loss"},
            demographics={"age": 41, "gender": "man", "occupation": "planner"},
            life_events=["moved city at 30"],
            traits={"extraversion": "introverted"},
            text="You lost your job in spring.",
        )
    )


@pytest.fixture
def agents(store: Store) -> dict[str, tables.Agent]:
    made = {}
    for seat, prompt in (("client", "client/turn"), ("counselor", "counselor/plain")):
        made[seat] = store.agents.add(tables.Agent(name=seat, seat=seat, prompt=prompt, hash=seat))
    return made
