"""Opening pages as a person does: the frame first, then the page, over a real store of the test's own."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.people import service
from pages.components import identity, resources, words
from storage import tables
from storage.store import Store

FRAME = Path(__file__).parents[2] / "pages" / "frame.py"
Open = Callable[..., AppTest]
AsPerson = Callable[..., tables.Person]


def shown(at: AppTest) -> str:
    """Everything a person can read on the page, in one string."""
    kinds = (
        "title", "header", "subheader", "markdown", "text", "caption", "error", "warning", "info", "success", "code", "badge",
    )  # fmt: skip
    parts = [str(element.value) for kind in kinds for element in at.get(kind) if hasattr(element, "value")]
    parts += [element.proto.body for element in at.get("html")]
    parts += [element.label for element in at.button]
    return "\n".join(parts).replace("\\", "")  # escapes of Markdown are not seen


def table_with(at: AppTest, column: str) -> pd.DataFrame:
    """The first table on the page that has this column."""
    return next(frame.value for frame in at.dataframe if column in frame.value.columns)


def assert_calm(at: AppTest) -> None:
    """Nothing broke: no exception reached the screen."""
    assert not at.exception, [e.value for e in at.exception]


@pytest.fixture(autouse=True)
def nobody_signed_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """AppTest signs in a test user of its own; on a fresh machine nobody is signed in."""
    monkeypatch.setattr(identity, "signed_in", lambda: "")


RESEARCHER = "secret of the researcher of this test"


class Browser:
    """The cookies of the test's browser: a researcher's, until the test says who else sits there (or nobody: empty)."""

    secret = RESEARCHER
    made = False
    link = ""  # ticket of an opened link “this browser is me too”

    def cookies(self) -> dict[str, str]:
        here = resources.store()
        if self.secret == RESEARCHER and not self.made:
            known(here, RESEARCHER)
            self.made = True
        return {identity.cookie_name(here): self.secret, identity.link_cookie_name(here): self.link}


def known(store: Store, secret: str, roles: Mapping[str, Sequence[str]] | None = None, code: str = "") -> tables.Person:
    """The person with this secret, made when new."""
    return service.of_secret(store, secret) or service.begin(store, secret, roles, code)


@pytest.fixture(autouse=True)
def browser_here(monkeypatch: pytest.MonkeyPatch) -> Browser:
    """AppTest has no cookies: these are put in front of it. ``browser_here.secret = ""`` is a browser nobody knows."""
    here = Browser()
    monkeypatch.setattr(identity, "cookies", here.cookies)
    return here


@pytest.fixture
def researcher(store: Store, browser_here: Browser) -> tables.Person:
    """Who sits in the test's browser unless ``as_person`` says otherwise."""
    browser_here.made = True
    return known(store, RESEARCHER)


@pytest.fixture
def as_person(store: Store, browser_here: Browser) -> AsPerson:
    """``as_person({"counselor": []}, "T-01")``: from here on somebody else sits in the browser; returns who.

    Called again with the same roles and code it is the same person; ``as_person()`` is the researcher.
    """

    def sit(roles: Mapping[str, Sequence[str]] | None = None, code: str = "") -> tables.Person:
        browser_here.secret = f"secret of {roles} {code}" if roles or code else RESEARCHER
        return known(store, browser_here.secret, roles, code)

    return sit


@pytest.fixture
def open_page(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    """``open_page("live.py", language="zh", session=12)`` opens that page of the workbench."""
    monkeypatch.chdir(FRAME.parents[1])

    def go(page: str = "", language: str = "en", **query: object) -> AppTest:
        at = AppTest.from_file(str(FRAME), default_timeout=30)
        at.session_state["frame_language"] = words.NAMES["zh" if language == "zh" else "en"]
        for name, value in query.items():
            at.query_params[name] = str(value)
        at.run()
        if page:
            at.switch_page(page)
            for name, value in query.items():
                at.query_params[name] = str(value)
            at.run()
        return at

    yield go
    st.cache_resource.clear()
    st.cache_data.clear()


@pytest.fixture
def a_session(store: Store) -> tables.Session:
    """A short session between a made-up client and counselor."""
    said = [
        ("client", "I lie awake since they let half the team go."),
        ("counselor", "It sounds as if the nights have become the hardest part."),
        ("client", "Yes. I keep counting the rent."),
        ("counselor", "What goes through your mind when you lie there?"),
    ]
    return store.sessions.add_with_turns(
        tables.Session(title="Job loss", origin="simulated", state="ended"),
        [
            tables.Turn(session_id=0, position=n, seat=seat, text=text)
            for n, (seat, text) in enumerate(said, 1)
        ],
    )
