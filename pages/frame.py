"""The frame around every page: navigation, language, who you are, what this is not."""

import sys
from pathlib import Path

import streamlit as st

HERE = Path(__file__).parent
if str(HERE.parent) not in sys.path:
    sys.path.insert(0, str(HERE.parent))

from core.errors import StoreError, WorkbenchError  # noqa: E402
from pages.components import crisis, layout, looking, resources  # noqa: E402
from pages.components.words import NAMES, _, preferred  # noqa: E402


def groups() -> dict[str, list[tuple[str, str, str]]]:
    """Groups of pages: file and url_path (fixed), title (translated), icon."""
    return {
        "": [("home", _("Home"), "home")],
        _("Make"): [
            ("reports", _("Reports"), "description"),
            ("roles", _("Roles"), "badge"),
            ("live", _("Live session"), "forum"),
        ],
        _("Judge"): [
            ("sessions", _("Sessions"), "library_books"),
            ("studies", _("Studies"), "science"),
            ("rate", _("Rate"), "edit_note"),
        ],
        _("Read"): [
            ("results", _("Results"), "grid_on"),
            ("agreement", _("Agreement"), "balance"),
            ("alliance", _("Alliance"), "diversity_1"),
        ],
        _("Set up"): [
            ("models", _("Models and agents"), "tune"),
            ("instruments", _("Instruments and prompts"), "straighten"),
            ("privacy", _("Data and privacy"), "shield"),
        ],
    }


def pages() -> dict[str, list[st.Page]]:
    """The pages that exist."""
    return {
        group: [
            st.Page(
                f"{name}.py", title=title, icon=f":material/{icon}:", url_path=name, default=name == "home"
            )
            for name, title, icon in entries
            if (HERE / f"{name}.py").exists()
        ]
        for group, entries in groups().items()
        if any((HERE / f"{name}.py").exists() for name, _title, _icon in entries)
    }


def wordmark() -> None:
    dark = st.context.theme.type == "dark"
    st.logo(HERE / "sign" / ("wordmark-dark.svg" if dark else "wordmark.svg"), size="large")


def choose_language() -> None:
    st.segmented_control(
        "Language 语言",
        list(NAMES.values()),
        default=NAMES[preferred()],
        required=True,
        key="frame_language",
        label_visibility="collapsed",
        bind="query-params",
    )


def who_you_are() -> None:
    """Code and role of the person here, as text: a code is a person's word and never read as Markdown."""
    here = resources.person()
    layout.muted(" · ".join([here.code, *(resources.role_name(role) for role in here.roles)]))
    with st.popover(_("You"), type="tertiary", key="frame_you"):
        crisis.choose_country("frame_country")


def foot() -> None:
    layout.muted(_("Research and training tool. Not care, not a diagnosis."))


def frame() -> None:
    st.set_page_config(
        page_title="Rapport",
        page_icon=str(HERE / "sign" / "sign.svg"),
        layout="wide",
        initial_sidebar_state=252,
    )
    layout.sheet()
    wordmark()
    with st.sidebar:
        choose_language()
    try:
        resources.store()
    except StoreError as error:
        why = error
        st.navigation([st.Page(lambda: layout.cannot_open(why), title="Rapport")], position="hidden").run()
        return
    page = st.navigation(pages(), expanded=True)
    with st.sidebar:
        who_you_are()
        foot()
    looking.turned_to(page.url_path)
    try:
        page.run()
    except WorkbenchError as error:
        layout.problem(error)


frame()
