"""Deleting records for good: ask once, delete with all that follows, show the receipt."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from core.errors import WorkbenchError
from pages.components import layout, resources
from pages.components.words import _, many, plain, say
from storage.store import Receipt

NAMED = 12  # records named before deleting; more are counted
RECEIPT = "deleting_receipt"


def record_names() -> dict[str, str]:
    """What a receipt counts, in words."""
    return {
        "report": _("Reports"), "mask": _("Masking keys"), "note": _("Notes"), "role_card": _("Role cards"),
        "session": _("Sessions"), "turn": _("Turns"), "reply": _("Replies of an engine, emptied"), "rating": _("Ratings"), "comparison": _("Comparisons"),
        "study": _("Studies"), "unit": _("Units of studies"), "call": _("Calls to an engine"),
        "text_part": _("Texts of calls"), "feedback": _("Feedback"), "outcome": _("Outcomes"),
        "consent": _("Consents"), "rater": _("Raters"), "person": _("Names of raters"), "agent": _("Agents"), "endpoint": _("Endpoints"),
        "file": _("Exports and copies in the data folder"),
    }  # fmt: skip


def button(kind: str, id: Any, words: str, *, key: str, record: Any) -> None:
    """A quiet button that deletes one record, for those who may."""
    if resources.may("delete", record) and st.button(
        _("Delete …"), key=key, type="tertiary", icon=":material/delete:"
    ):
        confirm(kind, [id], [words])


def confirm(kind: str, ids: Sequence[Any], words: Sequence[str]) -> None:
    """Ask before deleting; the receipt waits for ``show_receipt`` on the next run."""

    @st.dialog(_("Delete for good?"))
    def ask() -> None:
        for line in words[:NAMED]:
            st.text(line)
        if len(words) > NAMED:
            st.text(_("and {n} more").format(n=len(words) - NAMED))
        layout.muted(
            _("All that follows from it goes too: turns, ratings, comparisons, feedback, calls and their texts, masking keys.")
        )  # fmt: skip
        branches = ask_branches(kind, ids)
        say_files()
        layout.muted(_("This cannot be undone. The space is overwritten in the database file."))
        if st.button(
            _("Delete for good"), key="deleting_sure", type="primary", on_click=delete_all, args=(kind, ids, branches)
        ):
            st.rerun()

    ask()


def ask_branches(kind: str, ids: Sequence[Any]) -> bool:
    """Whether sessions that were branched off go too; asked where there are any."""
    n = resources.store().branches(kind, ids)
    if not n:
        return True
    many_words = many("{n} session was branched off from it and begins with its words.", "{n} sessions were branched off from it and begin with its words.", n)
    layout.notice(many_words, "warning")
    return st.toggle(_("Delete the branches too"), True, key="deleting_branches")


def say_files() -> None:
    """What goes from the data folder beside the database's rows."""
    if n := len(resources.store().copies()):
        layout.muted(many("The copy of the database from before the update goes too.", "The {n} copies of the database from before updates go too.", n))
    layout.muted(_("Exports in the data folder that hold the record go too; those elsewhere stay."))


def delete_all(kind: str, ids: Sequence[Any], branches: bool) -> None:
    """Delete each; the receipt adds up what went and keeps the sentence of what could not go."""
    gone: dict[str, int] = {}
    failed: list[str] = []
    finished, files = True, 0
    for id in ids:
        try:
            resources.require("delete", of_kind(kind, id))
            receipt = resources.store().delete(kind, id, branches)
        except WorkbenchError as error:
            failed.append(say(error))
            continue
        finished = finished and receipt.finished
        for name, n in receipt.rows.items():
            gone[name] = gone.get(name, 0) + n
        files += receipt.files
    st.session_state[RECEIPT] = {"gone": gone, "failed": failed, "finished": finished, "files": files}
    st.query_params.pop(kind, None)


def of_kind(kind: str, id: Any) -> Any:
    """The record to be deleted; none for all of a client or a counselor, which is the researcher's.

    Raises:
        NotFound: it is gone.
    """
    store = resources.store()
    getters: dict[str, Callable[[int], Any]] = {
        "session": store.sessions.get, "report": store.reports.get, "role": store.roles.get, "study": store.studies.get,
    }  # fmt: skip
    return getters[kind](id) if kind in getters else None


def keep_receipt(receipt: Receipt, place: str) -> None:
    """Show this receipt on the next run, where ``show_receipt`` is called for this place."""
    st.session_state[RECEIPT] = {"place": place, "gone": receipt.rows, "failed": [], "finished": receipt.finished, "files": receipt.files}


def keep_refusal(error: WorkbenchError, place: str) -> None:
    """The same for a deletion that was refused."""
    st.session_state[RECEIPT] = {"place": place, "gone": {}, "failed": [say(error)], "finished": True, "files": 0}


def unfinished_words() -> str:
    return _("Another program was using the database or one of its files, so deleted text may still stand there. It is overwritten at the next start of Rapport, or when Data and privacy is opened again.")


def show_receipt(place: str = "") -> None:
    """What the last deletion removed, once."""
    if st.session_state.get(RECEIPT, {}).get("place", "") != place:
        return
    receipt = st.session_state.pop(RECEIPT, None)
    if not receipt:
        return
    names = record_names()
    with st.container(border=True, key="deleting_receipt_card"):
        layout.card_title(_("Receipt"), icon="receipt_long")
        total = sum(receipt["gone"].values())
        st.text(many("{n} record was deleted.", "{n} records were deleted.", total))
        counted = receipt["gone"] | {"file": receipt["files"]}
        layout.facts([(names.get(name, name), n) for name, n in counted.items() if n])
        if not receipt["finished"]:
            layout.notice(unfinished_words(), "warning")
        for sentence in receipt["failed"]:
            st.error(plain(sentence))
        layout.muted(
            _("Beyond reach: backups, files you exported elsewhere or sent, and what an endpoint outside has kept.")
        )  # fmt: skip
