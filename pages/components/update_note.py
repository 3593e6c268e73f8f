"""After an update: what it removed from this store, and the copy of the database it left."""

import streamlit as st

from core import upkeep
from pages.components import layout, people, resources
from pages.components.words import _, many


def tell() -> None:
    """Once, on the first page after an update."""
    told, people_told = upkeep.update_to_tell(resources.store()), upkeep.persons_to_tell(resources.store())
    if (told is None and people_told is None) or not resources.is_researcher():
        return
    with st.container(border=True, key="update_note"):
        layout.card_title(_("Rapport was updated"), icon="update")
        kept = _("Your records are all here. Look at one or two of them, then decide about the copy.")
        st.text(kept if resources.store().copies() else _("Your records are all here."))
        if people_told is not None:
            people.became_of_codes(people_told)
        if told is not None and told.removed_any:
            layout.facts(
                [
                    (label, n)
                    for label, n in (
                        (_("Calls of records you had deleted, removed now"), told.calls),
                        (_("Stored requests that belong to no record, emptied of their words"), told.emptied),
                        (_("Units of studies whose record you had deleted, now marked gone"), told.units),
                        (_("Keys that an endpoint had repeated, removed"), told.keys),
                    )
                    if n
                ]
            )
            layout.muted(_("What these calls cost stays counted with their studies."))
        copies("update_note")
        if st.button(_("Understood"), key="update_understood"):
            upkeep.put_away(resources.store())
            st.rerun()


def copies(key: str) -> None:
    """The copies from before updates, with the button that deletes them."""
    found = resources.store().copies()
    if not found:
        return
    n = len(found)
    layout.muted(
        many("{n} copy of the database from before an update lies beside it. It holds all that was there then, deleted words too.",
             "{n} copies of the database from before updates lie beside it. They hold all that was there then, deleted words too.", n)
    )  # fmt: skip
    for copy in found:
        st.text(copy.name)
    if st.button(many("Delete the copy", "Delete the copies", n), key=f"{key}_delete_copies", icon=":material/delete:"):
        upkeep.delete_copies(resources.store())
        st.rerun()
    layout.muted(_("The next time you delete anything, the copy goes with it."))
