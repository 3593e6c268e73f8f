"""The frame around every page: navigation, language, who you are, what this is not."""

import sys
from pathlib import Path

import streamlit as st

HERE = Path(__file__).parent
if str(HERE.parent) not in sys.path:
    sys.path.insert(0, str(HERE.parent))

from core.errors import NotAllowed, StoreError, WorkbenchError  # noqa: E402
from pages.components import identity, layout, looking, places, resources, sitting  # noqa: E402
from pages.components.words import NAMES, _, look_again, preferred  # noqa: E402
from storage import tables  # noqa: E402
from storage.store import Store  # noqa: E402


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


def foot() -> None:
    layout.muted(_("Research and training tool. Not care, not a diagnosis."))


def frame() -> None:
    st.set_page_config(
        page_title="Rapport",
        page_icon=str(HERE / "sign" / "sign.svg"),
        layout="wide",
        initial_sidebar_state=252,
    )
    look_again()
    layout.sheet()
    wordmark()
    try:
        store = resources.store()
    except StoreError as error:
        why = error
        with st.sidebar:
            choose_language()
        st.navigation([st.Page(lambda: layout.cannot_open(why), title="Rapport")], position="hidden").run()
        return
    try:
        within(store)
    except WorkbenchError as error:
        layout.problem(error)


def within(store: Store) -> None:
    """Navigation, who sits here, and the page."""
    identity.keep_apart(store)
    with st.sidebar:
        choose_language()
    here = identity.found(store)
    if here is None:
        st.navigation(places.entries(()), position="hidden")
        sitting.not_known_yet()
        return
    page = st.navigation(places.entries(here.roles), expanded=True)
    with st.sidebar:
        sitting.corner()
        foot()
    looking.turned_to(page.url_path)
    show(page, here)


def show(page: st.Page, here: tables.Person) -> None:
    """The page, if it is for the person here and nothing has to be asked first."""
    name = page.url_path or "home"
    if ticket := identity.link_opened(resources.store()):
        sitting.ask_to_join(ticket)
    elif not places.is_open(name, here.roles):
        sitting.not_yours(page.title, places.whose(name))
    else:
        try:
            page.run()
        except NotAllowed as error:
            sitting.not_shown(error, name)


frame()
