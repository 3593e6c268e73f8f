"""The notice a person reads and ticks before taking the client's seat."""

from dataclasses import dataclass

import streamlit as st

from core.llm import gate
from core.llm.seam import Endpoint
from pages.components import layout, resources
from pages.components.words import _, language, plain
from storage import tables

FORM_VERSION = 1


@dataclass(frozen=True)
class Given:
    """What the person agreed to: whether to begin, and the base URL their words may go to (or nothing)."""

    begin: bool = False
    consented_to: str = ""


def is_outside(endpoint: tables.Endpoint | None) -> bool:
    return endpoint is not None and not gate.is_local(
        Endpoint(kind="openai", base_url=endpoint.base_url, model=endpoint.model, name=endpoint.name)
    )


def points(endpoint: tables.Endpoint | None) -> list[str]:
    """What has to be read, one tick each."""
    if endpoint is None:
        speaker = _("Replies come from rules (the demo engine), not from a person.")
    else:
        speaker = _("Replies come from a model, not from a person.")
    if endpoint is not None and is_outside(endpoint):
        going = _("What I write leaves this machine: it is sent to {name} ({url}).").format(
            name=endpoint.name, url=endpoint.base_url
        )
    else:
        going = _("What I write is sent nowhere; it stays on this machine.")
    return [
        speaker + " " + _("This is no care and no help line, and nobody reads along."),
        _("What I write is stored here, and everyone with access to this workbench can open it.")
        + " "
        + going,
        _(
            "The people who run this workbench may have to act on what they read here when somebody is in danger "
            "or the law asks for it: then it cannot stay confidential."
        ),
        _("I am an adult and not in treatment now. (Otherwise: please talk to your clinician instead.)"),
    ]


def client_seat(endpoint: tables.Endpoint | None, key: str) -> Given:
    """The notice with its ticks and button. Call it until it says *begin*; the consent is saved then.

    Args:
        endpoint: where the counselor agent's engine is; ``None`` is the demo engine.
    """
    with st.container(border=True):
        layout.card_title(_("Before you take the client's seat"))
        layout.muted(
            _(
                "It is not suited when you think of harming yourself or someone else. You can stop at any time, and "
                "ask the researcher to delete what you wrote."
            )
        )
        ticked = [
            st.checkbox(plain(words), key=f"{key}_tick_{n}") for n, words in enumerate(points(endpoint), 1)
        ]
        rated = st.checkbox(
            _("This session may be rated here, by people and by the engine (you can say no)"),
            key=f"{key}_rated",
        )
        begin = st.button(_("Begin"), key=f"{key}_begin", type="primary", disabled=not all(ticked))
    if not begin:
        return Given()
    return _save(endpoint, rated)


def _save(endpoint: tables.Endpoint | None, rated: bool) -> Given:
    """Keep what was agreed to, with the form's version and language."""
    store, person = resources.store(), resources.person()
    address = endpoint.base_url if endpoint is not None and is_outside(endpoint) else ""
    for purpose, wanted in (("rating here", rated), ("outside endpoint", bool(address))):
        if wanted:
            store.consents.add(
                tables.Consent(
                    person=person,
                    purpose=purpose,
                    endpoint=address if purpose == "outside endpoint" else "",
                    form_version=FORM_VERSION,
                    language=language(),
                )
            )
    return Given(True, address)
