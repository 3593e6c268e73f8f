"""Agents: a model, a prompt and settings, identified by what they are made of."""

import hashlib
import json
from pathlib import Path
from typing import Any

import yaml

from core.errors import DataError
from core.llm.demo.engine import VERSION as DEMO_VERSION
from storage import tables
from storage.store import Store

SHIPPED = Path(__file__).parents[2] / "prompts" / "agents.yaml"


def agent_hash(engine: str, base_url: str, model: str, prompt: str, settings: dict[str, Any]) -> str:
    """sha256 over everything an agent is made of, its name left out (16 hex digits)."""
    version = DEMO_VERSION if engine == "demo" else ""
    parts = json.dumps(
        [engine, version, base_url, model, prompt, settings], sort_keys=True, ensure_ascii=False
    )
    return hashlib.sha256(parts.encode()).hexdigest()[:16]


def ensure_shipped(store: Store) -> None:
    """Put the demo agents into the store where they are missing; made once, never overwritten."""
    for known in yaml.safe_load(SHIPPED.read_text("utf-8")):
        if store.agents.find(name=known["name"]) is None:
            store.agents.add(
                tables.Agent(
                    name=known["name"],
                    seat=known["seat"],
                    engine="demo",
                    prompt=known["prompt"],
                    hash=agent_hash("demo", "", "", known["prompt"], {}),
                )
            )


def save_agent(
    store: Store,
    name: str,
    seat: str,
    prompt: str,
    endpoint: tables.Endpoint | None,
    settings: dict[str, Any],
) -> tables.Agent:
    """A person's own agent: ``endpoint`` is ``None`` for the demo engine.

    Raises:
        DataError: the name is in use, or there is none.
    """
    if not name.strip():
        raise DataError("Enter a name for the agent first; nothing was saved.")
    engine = "openai" if endpoint else "demo"
    address = (endpoint.base_url, endpoint.model) if endpoint else ("", "")
    return store.agents.add(
        tables.Agent(
            name=name.strip(),
            seat=seat,
            engine=engine,
            endpoint_id=endpoint.id if endpoint else None,
            prompt=prompt,
            settings=settings,
            hash=agent_hash(engine, *address, prompt, settings),
        )
    )
