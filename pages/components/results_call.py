"""The call behind a rating or comparison, whole, so that a number can be checked by hand."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from core.results.claims import short
from pages.components import badges, layout, results_data, transcript
from pages.components.words import _

Row = Mapping[str, Any]


def call(row: Row) -> None:
    """The question that was put, whole, so that the number can be checked by hand."""
    found = results_data.call_of(row)
    if found is None:
        layout.muted(_("There is no call behind this: it was given by a person, or came with imported data."))
        return
    with st.expander(_("The call behind it"), icon=":material/data_object:"):
        tokens = [_("{n} in").format(n=found["tokens_in"]), _("{n} out").format(n=found["tokens_out"])]
        layout.facts(
            [
                (_("Call"), found["id"]),
                (_("Prompt"), _("{id}, version {n}").format(id=found["prompt"], n=found["prompt_version"])),
                (_("Prompt hash"), found["prompt_hash"]),
                (_("Engine"), " ".join(filter(None, [badges.engine_words(found["engine"], found["model"]), found["engine_version"]]))),
                (_("Model"), found["model_answered"] or found["model"] or "–"),
                (_("Settings sent"), _(", ").join(f"{k} {v}" for k, v in found["sent"].items()) or "–"),
                (_("Settings dropped"), _(", ").join(found["dropped"]) or "–"),
                (_("Seed"), found["seed"]),
                (_("State"), found["state"] + (f": {found['reason']}" if found["reason"] else "")),
                (_("Tokens"), _(", ").join(tokens) if found["tokens_in"] is not None else "–"),
                (_("Cost"), "–" if found["cost"] is None else f"{found['cost']:.4f} USD"),
                (_("Time"), _("{n} s").format(n=short(found["seconds"])) if found["seconds"] else "–"),
                (_("Asked"), found["created"]),
            ]
        )  # fmt: skip
        for message in found["messages"]:
            layout.card_title(role_name(message["role"]))
            transcript.text(message["content"], text_language=found["language"], small=True)
        layout.card_title(_("Raw reply"))
        transcript.text(found["raw"], text_language=found["language"], small=True)


def role_name(role: str) -> str:
    return {
        "system": _("System message"),
        "user": _("User message"),
        "assistant": _("Assistant message"),
    }.get(role, role)
