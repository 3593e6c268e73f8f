"""Whether a record's words may leave as a file, said beside where they would."""

from collections.abc import Callable

import streamlit as st

from core.leaving import UNCONFIRMED, Leaving, check
from pages.components import layout, resources
from pages.components.words import _
from storage.store import Store


def still(store: Store, kind: str, id: int, data: str) -> Callable[[], str]:
    """A file's words as they were shown, asked about again when it is saved: the page may have stood open for long."""

    def made() -> str:
        check(store, kind, id, with_unconfirmed=True)  # whether that was asked for, the page knew
        return data

    return made


def allowed(kind: str, id: int, key: str) -> bool:
    """Whether the record may be saved as a file here; unconfirmed words only when a researcher asks for them by name."""
    why = Leaving(resources.store()).why(kind, id)
    if why == UNCONFIRMED and resources.is_researcher():
        return st.checkbox(
            _("Save it unconfirmed"), key=f"{key}_{id}",
            help=_("Nobody has confirmed this text: it may hold personal data. Only for where it may be read."),
        )  # fmt: skip
    if why:
        layout.muted(
            _("Not confirmed yet, so it is not saved as a file.") if why == UNCONFIRMED
            else _("Not everybody in it agreed to export, so it is not saved as a file.")
        )  # fmt: skip
    return not why
