"""From an agent in the store to the engine that answers for it."""

import os
from collections.abc import Mapping

from core.errors import DataError
from core.llm.demo.engine import DemoEngine
from core.llm.openai_engine import OpenAIEngine
from core.llm.seam import Endpoint, Engine, Settings
from storage import tables
from storage.store import Store


def demo_engine(pace: float = 0.0) -> DemoEngine:
    """The embedded engine; ``pace`` seconds between spoken pieces when somebody watches."""
    return DemoEngine(pace)


def engine_of(store: Store, agent: tables.Agent, keys: Mapping[str, str], pace: float = 0.0) -> Engine:
    """The engine behind an agent.

    Args:
        keys: typed keys of this browser session or of the worker, by base URL.
    Raises:
        DataError: the agent names an endpoint that is gone, or its key is not known here.
    """
    if agent.engine == "demo":
        return demo_engine(pace)
    row = store.endpoints.get(agent.endpoint_id or 0)
    return endpoint_engine(store, row, keys)


def endpoint_engine(store: Store, row: tables.Endpoint, keys: Mapping[str, str]) -> OpenAIEngine:
    """An engine at a stored endpoint; what it learns is stored with it."""
    endpoint = Endpoint(kind="openai", base_url=row.base_url, model=row.model, name=row.name)
    return OpenAIEngine(
        endpoint, key_of(row, keys), dict(row.learned), lambda learned: remember(store, row, learned)
    )


def key_of(row: tables.Endpoint, keys: Mapping[str, str]) -> str:
    """The key for this endpoint: typed for its base URL, else from its environment variable; may be empty.

    Raises:
        DataError: the named environment variable is not set and no key was typed.
    """
    typed = keys.get(row.base_url, "")
    if typed or not row.key_env:
        return typed
    found = os.environ.get(row.key_env, "")
    if not found:
        raise DataError(
            "The key for {name} is not here: the environment variable {variable} is empty. Set it and start again, or "
            "type the key on Models and agents; nothing was sent.",
            name=row.name,
            variable=row.key_env,
        )
    return found


def remember(store: Store, row: tables.Endpoint, learned: dict[str, object]) -> None:
    if row.id is not None:
        store.endpoints.update(row.id, learned=learned)


def settings_of(agent: tables.Agent) -> Settings:
    """The sampling settings of an agent."""
    known = {k: agent.settings.get(k) for k in ("temperature", "top_p", "max_tokens")}
    return Settings(**known, extra=agent.settings.get("extra", {}))
