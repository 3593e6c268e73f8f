"""The words of the pages in the language of this browser session.

English is the source, in the code; ``pages/locale/<language>/LC_MESSAGES/rapport.po`` holds the others.
The catalogue is read when a page needs it; the frame asks once a run whether its file changed (``look_again``). Without
it, English is shown.
"""

import re
from functools import lru_cache, reduce
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path
from typing import Literal

import streamlit as st
from babel.messages.mofile import write_mo
from babel.messages.pofile import PoFileError, read_po

from core.errors import Several, WorkbenchError, fill

Language = Literal["en", "zh"]
NAMES: dict[Language, str] = {"en": "English", "zh": "中文"}
FOLDER = Path(__file__).parent.parent / "locale"
# Values of an error that are words of ours, not of a person (of an endpoint's, those for why no connection came).
OURS = {"words", "noun", "kind", "why", "what", "part", "step", "seat", "state"}
MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~:$&])")


@lru_cache(maxsize=4)
def _read(path: Path, changed_ns: int) -> NullTranslations:
    try:
        with path.open("rb") as file:
            catalogue = read_po(file, abort_invalid=True)
    except (OSError, PoFileError, ValueError):
        return NullTranslations()
    compiled = BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    return GNUTranslations(compiled)


@lru_cache(maxsize=4)
def _found(folder: Path, language: str) -> NullTranslations:
    path = folder / language / "LC_MESSAGES" / "rapport.po"
    try:
        return _read(path, path.stat().st_mtime_ns)
    except OSError:
        return NullTranslations()


def catalogue(language: str) -> NullTranslations:
    """The translations into a language. A look-up asks the disk nothing: a page has thousands of them."""
    return _found(FOLDER, language)


def look_again() -> None:
    """At the next look-up read a catalogue whose file changed; the frame asks for it once a run."""
    _found.cache_clear()


def preferred() -> Language:
    """The language the browser asks for."""
    return "zh" if (st.context.locale or "").lower().startswith("zh") else "en"


def language() -> Language:
    """The language of this browser session: as chosen in the sidebar, else as the browser asks."""
    chosen = st.session_state.get("frame_language")
    for code, name in NAMES.items():
        if chosen in (code, name):
            return code
    return preferred()


def _(message: str) -> str:
    """The message in the language of this session. Put values in with ``.format()`` afterwards."""
    return catalogue(language()).gettext(message) if message else ""


def many(one: str, more: str, n: int, **values: str) -> str:
    """The message for one or for more, with ``{n}`` (thousands separated) and the other values filled in."""
    return catalogue(language()).ngettext(one, more, n).format(n=f"{n:,}", **values)


def say(error: WorkbenchError) -> str:
    """An error's sentence in the language of this session."""
    return fill(translated(error.message), {name: value_words(name, it) for name, it in error.values.items()})


def value_words(name: str, value: object) -> object:
    """A value of an error as it stands in a sentence: words of ours are translated, a person's stay."""
    if isinstance(value, Several) and value:
        return reduce(lambda some, one: _("{some}, {one}").format(some=some, one=one), map(_, value))
    if name not in OURS or not isinstance(value, str):
        return value
    return nouns().get(value) or _(value) if name == "noun" else _(value)


def nouns() -> dict[str, str]:
    """The store's nouns as they stand within a sentence."""
    return {
        "report": _("report"), "mask": _("mask"), "note": _("note"), "role": _("role card"), "roles": _("role cards"),
        "session": _("session"), "sessions": _("sessions"), "reports": _("reports"), "turn": _("turn"), "agent": _("agent"),
        "endpoint": _("endpoint"), "rater": _("rater"), "rating": _("rating"), "comparison": _("comparison"),
        "study": _("study"), "unit": _("unit"), "draft": _("draft"), "call": _("call"), "feedback": _("feedback"), "outcome": _("outcome"),
        "consent": _("consent"), "client": _("client"), "counselor": _("counselor"), "setting": _("setting"),
    }  # fmt: skip


def translated(message: str) -> str:
    """A message that may be two put together, each with its own translation."""
    whole = _(message)
    if whole != message or language() == "en":
        return whole
    for end in reversed([found.end() for found in re.finditer(r"[.!?] ", message)]):
        first = message[: end - 1]
        if (known := _(first)) != first:
            return known + translated(message[end:])
    return whole


def in_words(labels: dict[str, str]) -> str:
    """The text of this session's language out of data that carries its own (``{en: …, zh: …}``)."""
    return labels.get(language()) or labels.get("en", "")


def plain(text: str) -> str:
    """People's text as it may stand where Streamlit reads Markdown (titles, labels, captions)."""
    return MARKDOWN.sub(r"\\\1", " ".join(text.split()))
