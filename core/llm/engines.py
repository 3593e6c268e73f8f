"""From an agent in the store to the engine that answers for it, and the endpoints that are entered."""

import os
import re
from collections.abc import Mapping

from core.errors import DataError, msg
from core.llm import gate
from core.llm.demo.engine import DemoEngine
from core.llm.openai_engine import OpenAIEngine
from core.llm.seam import Endpoint, Engine, Settings
from storage import tables
from storage.store import Store

HTTP_ALLOWED = "http_allowed"  # in ``endpoint.learned``: a person insisted on plain http to this address
# Words joined by underscores, in capitals or in small letters, with few digits: what is no key.
VARIABLE = re.compile(
    r"_?[A-Z]{1,20}\d{0,2}(_[A-Z]{0,20}\d{0,2})*|_?[a-z]{1,20}\d{0,2}(_[a-z]{0,20}\d{0,2})*", re.ASCII
)


def demo_engine(pace: float = 0.0) -> DemoEngine:
    """The embedded engine; ``pace`` seconds between spoken pieces when somebody watches."""
    return DemoEngine(pace)


def engine_of(store: Store, agent: tables.Agent, keys: Mapping[str, str], pace: float = 0.0) -> Engine:
    """The engine behind an agent.

    Args:
        keys: typed keys of this browser session or of the worker, by base URL.
    Raises:
        DataError: the agent names an endpoint that is gone, or its key is not known here or cannot be sent.
    """
    if agent.engine == "demo":
        return demo_engine(pace)
    row = store.endpoints.get(agent.endpoint_id or 0)
    return endpoint_engine(store, row, keys)


def endpoint_engine(store: Store, row: tables.Endpoint, keys: Mapping[str, str]) -> OpenAIEngine:
    """An engine at a stored endpoint; what it learns is stored with it."""
    return OpenAIEngine(
        place_of(row), key_of(row, keys), dict(row.learned), lambda learned: remember(store, row, learned)
    )


def place_of(row: tables.Endpoint) -> Endpoint:
    """Where questions to a stored endpoint go."""
    return Endpoint(
        kind="openai", base_url=row.base_url, model=row.model, name=row.name,
        http_allowed=bool(row.learned.get(HTTP_ALLOWED)),
    )  # fmt: skip


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


def remember(store: Store, row: tables.Endpoint, learned: Mapping[str, object]) -> None:
    """Keep what an endpoint taught, beside what a person allowed meanwhile."""
    if row.id is not None:
        taught = {name: value for name, value in learned.items() if name != HTTP_ALLOWED}
        store.endpoints.update(row.id, learned=store.endpoints.get(row.id).learned | taught)


def add_endpoint(
    store: Store, name: str, base_url: str, model: str, key_env: str = "", http_allowed: bool = False
) -> tables.Endpoint:
    """Save an endpoint.

    Raises:
        DataError: the address is none, holds what may be a key, or is not encrypted and nobody insisted; the model is
            missing or already here; the variable is not one for keys.
    """
    base_url, model, key_env = base_url.strip(), model.strip(), key_env.strip()
    gate.check_address(base_url)
    place = Endpoint(kind="openai", base_url=base_url, model=model, http_allowed=http_allowed)
    if gate.is_open(place) and not http_allowed:
        raise OpenAddress(
            msg(
                "{url} is not encrypted (http): text and key could be read on the way. Enter the address with https, or allow plain http for it on Models and agents; nothing was saved."
            ),
            url=base_url,
        )
    check_variable(key_env)
    if not model:
        raise DataError(
            "The endpoint needs the name of a model. Enter it as the provider writes it; nothing was saved."
        )
    if store.endpoints.find(base_url=base_url, model=model) is not None:
        raise DataError(
            "The model {name} at this address is already here. Use the one that is there; nothing was saved.",
            name=model,
        )
    learned = {HTTP_ALLOWED: True} if gate.is_open(place) else {}
    return store.endpoints.add(
        tables.Endpoint(
            name=name.strip() or model, base_url=base_url, model=model, key_env=key_env, learned=learned
        )
    )


class OpenAddress(DataError):
    """An address outside that is not encrypted, and that nobody has allowed."""


def allow_http(store: Store, id: int, allowed: bool) -> None:
    """A person allows plain http to this endpoint, or takes it back."""
    kept = {k: v for k, v in store.endpoints.get(id).learned.items() if k != HTTP_ALLOWED}
    store.endpoints.update(id, learned=kept | ({HTTP_ALLOWED: True} if allowed else {}))


def check_variable(name: str) -> None:
    """An environment variable whose content may be sent to an endpoint as its key.

    Anything else in the environment (a cloud's secret, a database's password) is no business of an endpoint.

    Raises:
        DataError: its name does not end in ``_API_KEY`` and is not listed in ``RAPPORT_KEYS``. What looks like no
            name is not repeated.
    """
    listed = {one.strip() for one in os.environ.get("RAPPORT_KEYS", "").split(",") if one.strip()}
    if not name or name in listed:
        return
    if not VARIABLE.fullmatch(name):
        raise DataError(
            "This looks like the key itself, not the name of a variable. Enter it in the field below; nothing was saved."
        )
    if not name.upper().endswith("_API_KEY"):
        raise DataError(
            "The variable {name} is not used for keys: only names that end in _API_KEY are, and those listed in "
            "RAPPORT_KEYS. Rename it, or list it there and start again; nothing was saved.",
            name=name,
        )


def settings_of(agent: tables.Agent) -> Settings:
    """The sampling settings of an agent."""
    known = {k: agent.settings.get(k) for k in ("temperature", "top_p", "max_tokens")}
    return Settings(**known, extra=agent.settings.get("extra", {}))
