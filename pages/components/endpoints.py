"""Endpoints as the pages show them: starting points, where the key is, what was learned."""

import os
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from core.errors import DataError
from core.llm import gate
from core.llm.engines import HTTP_ALLOWED, place_of
from core.llm.keys import check_key
from core.llm.probing import Check
from core.llm.seam import Endpoint
from core.llm.transport import proxy_shown
from pages.components import resources
from pages.components.words import _, in_words, many, say
from storage import tables

MOST_NAMED = 8
FILE = Path(__file__).parents[2] / "prompts" / "endpoints.yaml"


@lru_cache(maxsize=2)
def _read(changed_ns: int) -> list[dict[str, Any]]:
    return list(yaml.safe_load(FILE.read_text("utf-8")))


def presets() -> list[dict[str, Any]]:
    """Starting points: name, base_url, key_env, mind, local."""
    return _read(FILE.stat().st_mtime_ns)


def mind(preset: dict[str, Any]) -> str:
    return in_words(preset["mind"])


def stays(base_url: str) -> bool:
    """Whether text sent there stays on this machine.

    Raises:
        DataError: not an address of an endpoint.
    """
    return gate.is_local(Endpoint(kind="openai", base_url=base_url))


def is_open(row: tables.Endpoint) -> bool:
    """Whether text and key would go out unencrypted."""
    return gate.is_open(place_of(row))


def http_allowed(row: tables.Endpoint) -> bool:
    return bool(row.learned.get(HTTP_ALLOWED))


def way_words(row: tables.Endpoint) -> str:
    """How text gets there: not at all off this machine, through which proxy, or straight."""
    if stays(row.base_url):
        return _("stays on this machine, no proxy is used")
    proxy = proxy_shown(place_of(row))
    return (
        _("through the proxy {proxy} of this machine's settings").format(proxy=proxy)
        if proxy
        else _("straight, no proxy is set")
    )


def key_words(row: tables.Endpoint) -> str:
    """Where the key for this endpoint is, never the key."""
    if resources.keys().get(row.base_url):
        return _("typed for this browser session")
    if row.key_env:
        there = bool(os.environ.get(row.key_env))
        return (_("from {variable}") if there else _("missing: {variable} is empty")).format(
            variable=row.key_env
        )
    return _("none")


def use_key(row: tables.Endpoint, typed: str) -> None:
    """Keep a typed key for this browser session.

    Raises:
        DataError: none was typed, or it cannot be sent.
    """
    key = check_key(typed, row.name)
    if not key:
        raise DataError("Enter the key first; nothing was changed.")
    resources.keys()[row.base_url] = key


def learned_words(row: tables.Endpoint) -> str:
    """What was learned of it as it answered."""
    parts = [form_words(str(row.learned.get("format", "")))]
    if row.learned.get("dropped"):
        parts.append(_("refuses {settings}").format(settings=", ".join(row.learned["dropped"])))
    return _("; ").join(part for part in parts if part) or _("nothing yet")


def form_words(form: str) -> str:
    """How an endpoint gives a structured reply."""
    forms = {
        "json_schema": _("replies by a schema"),
        "json_object": _("replies as JSON objects"),
        "prompt": _("replies by the prompt alone"),
    }
    return forms.get(form, "")


def step_words(check: Check) -> str:
    """One step of the connection test, in words."""
    steps = {"models": _("List of models"), "call": _("A short reply"), "schema": _("A structured reply")}
    return steps.get(check.step, check.step)


def seen_words(check: Check) -> str:
    """What a step of the connection test met."""
    if check.problem is not None:
        return say(check.problem)
    if check.step == "models":
        return listed_words(check)
    if check.step == "schema":
        return _("It answered: {text} ({form})").format(text=check.text, form=form_words(check.form))
    return _("{model} answered: {text}").format(model=check.model, text=check.text)


def listed_words(check: Check) -> str:
    """The models an endpoint lists, and whether the one asked for is among them."""
    if not check.names:
        return _("It lists no models. The short reply decides.")
    names = _(", ").join(check.names[:MOST_NAMED]) + (" …" if len(check.names) > MOST_NAMED else "")
    n, model = len(check.names), check.model
    if check.good:
        return many(
            "It lists {n} model, “{model}”.", "It lists {n} models, “{model}” among them.", n, model=model
        )
    return many(
        "It lists {n} model ({names}), not “{model}”. Check the model's name.",
        "It lists {n} models ({names}), not “{model}”. Check the model's name.",
        n, names=names, model=model,
    )  # fmt: skip
