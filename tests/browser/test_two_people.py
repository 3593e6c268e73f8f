"""Two real browsers: one code typed in both is two people, until a link joins them; and somebody else sits down."""

import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from storage import tables
from storage.store import open_store
from tests.browser.conftest import ARGS, Visitor, Workbench

pytestmark = pytest.mark.browser


def rows(workbench: Workbench, sql: str) -> list[tuple[Any, ...]]:
    with sqlite3.connect(workbench.database) as connection:
        return connection.execute(sql).fetchall()


def corner(visitor: Visitor) -> None:
    visitor.page.locator(".st-key-frame_you button").first.click()


def sidebar(visitor: Visitor) -> str:
    return visitor.page.locator('[data-testid="stSidebar"]').inner_text()


def type_code(visitor: Visitor, code: str) -> None:
    corner(visitor)
    field = visitor.page.get_by_role("textbox", name="Your code")
    field.fill(code)
    visitor.click("frame_code_save")
    visitor.see(f"{code} · Researcher")


def secrets(visitor: Visitor) -> dict[str, str]:
    return {one["name"]: one["value"] for one in visitor.page.context.cookies() if one["name"].startswith("rapport_")}  # type: ignore[typeddict-item]


def test_a_deep_link_survives_the_first_visit(visit: Callable[..., Visitor], workbench: Workbench) -> None:
    visitor = visit()
    visitor.go("instruments?instrument=wai-o-s&x=a%26b")
    assert visitor.page.url == f"{workbench.url}/instruments?instrument=wai-o-s&x=a%26b"
    assert visitor.page.locator("h1").inner_text() == "Instruments and prompts"
    before = rows(workbench, "SELECT count(*) FROM person")
    visitor.go("live")  # known now: no way round, nobody new
    assert visitor.page.url == f"{workbench.url}/live"
    assert rows(workbench, "SELECT count(*) FROM person") == before
    (secret,) = secrets(visitor).values()
    assert visitor.page.evaluate("document.cookie").find(secret) == -1  # no script reads it
    assert secret not in visitor.page.content()
    assert secret.encode() not in workbench.database.read_bytes()
    visitor.assert_calm()


def test_one_code_in_two_browsers_is_two_people_until_a_link_joins_them(
    visit: Callable[..., Visitor], workbench: Workbench
) -> None:
    first, second = visit(), visit()
    for visitor in (first, second):
        visitor.go()
        type_code(visitor, "K-03")
    assert len(rows(workbench, "SELECT id FROM person WHERE code = 'K-03' AND joined_to IS NULL")) == 2

    corner(first)
    first.click("frame_also")
    link = first.page.get_by_test_id("stCode").inner_text().strip()
    assert link.startswith(f"{workbench.url}/also/")
    second.page.goto(link)
    second.settle()
    assert second.page.url == f"{workbench.url}/"  # nothing stays in the address
    second.see("Is this you too?")
    assert "K-03" in second.page.locator(".r-facts").inner_text()
    assert len(rows(workbench, "SELECT id FROM person WHERE code = 'K-03' AND joined_to IS NULL")) == 2
    second.click("frame_join_yes")
    second.see("From counseling reports to evidence")
    assert len(rows(workbench, "SELECT id FROM person WHERE code = 'K-03' AND joined_to IS NULL")) == 1
    assert set(secrets(first).values()).isdisjoint(secrets(second).values())
    type_code(second, "K-04")
    first.go()
    assert "K-04 · Researcher" in sidebar(first)  # one person
    visit().page.goto(link)
    assert rows(workbench, "SELECT count(*) FROM person WHERE joined_to IS NOT NULL") == [(1,)]
    for visitor in (first, second):
        visitor.assert_calm()


def test_somebody_else_sits_down_and_finds_nothing_of_who_sat_there(
    visit: Callable[..., Visitor], workbench: Workbench
) -> None:
    visitor = visit()
    open_store(workbench.database).endpoints.add(tables.Endpoint(name="Clinic", base_url="https://llm.example.org/v1", model="m"))
    visitor.go("models")
    type_code(visitor, "K-11")
    type_key(visitor, "sk-typed-by-K-11")
    other_window = Visitor(visitor.page.context.new_page(), workbench.url)
    other_window.go("sessions")
    before = secrets(visitor)
    sit_down(visitor, "Researcher", "K-12")
    visitor.go("models")
    assert "sk-typed-by-K-11" not in visitor.page.content() and "typed for this browser session" not in visitor.body()
    sit_down(visitor, "Client", "C-07")
    assert "C-07 · Client" in sidebar(visitor) and "K-1" not in visitor.body()
    assert secrets(visitor) != before
    shown = visitor.page.get_by_test_id("stSidebarNavLink").all_inner_texts()
    assert [words.strip().split("\n")[-1] for words in shown] == ["Home", "Live session", "Data and privacy"]
    visitor.go("studies")
    assert "This page is for: Researcher" in visitor.body() and "Page not found" not in visitor.body()

    # a window that stayed open cannot act as the former person any more
    other_window.page.get_by_text("中文").click()
    other_window.page.get_by_text("This browser is known already").wait_for()
    other_window.page.get_by_role("link").click()
    other_window.settle()
    assert "C-07" in sidebar(other_window) and "K-11" not in other_window.body()

    # nor does going back in the history bring them back
    visitor.page.go_back()
    visitor.settle()
    assert "K-11" not in visitor.body()
    assert set(rows(workbench, "SELECT roles, client_codes FROM person WHERE code = 'C-07'")) == {('{"client": []}', '["C-07"]')}
    assert rows(workbench, "SELECT secret_hash FROM person WHERE code = 'K-11'") == [("",)]
    visitor.assert_calm()


def type_key(visitor: Visitor, key: str) -> None:
    visitor.page.get_by_role("button", name="Type the key").click()
    visitor.page.get_by_role("textbox", name="Key for Clinic").fill(key)
    visitor.page.get_by_role("button", name="Use this key").click()
    visitor.see("typed for this browser session")


def sit_down(visitor: Visitor, role: str, code: str) -> None:
    corner(visitor)
    visitor.click("frame_else")
    choose(visitor.page, role)
    visitor.settle()
    visitor.page.get_by_role("textbox", name="Their code").fill(code)
    visitor.page.locator(".st-key-frame_else_go button").click()
    visitor.see(f"{code} · {role}")
    visitor.settle()


def choose(page: Page, role: str) -> None:
    page.locator(".st-key-frame_else_role input").click()
    page.get_by_role("option", name=role).click()


def test_a_browser_without_cookies_is_told_so(browser: Browser, workbench: Workbench, tmp_path: Path) -> None:
    before = rows(workbench, "SELECT count(*) FROM person")
    (tmp_path / "Default").mkdir()
    blocked = {"profile": {"default_content_setting_values": {"cookies": 2}}}
    (tmp_path / "Default" / "Preferences").write_text(json.dumps(blocked))
    context = browser.browser_type.launch_persistent_context(
        str(tmp_path), executable_path=os.environ["RAPPORT_TEST_BROWSER"], args=ARGS
    )
    try:
        page = context.pages[0]
        page.goto(f"{workbench.url}/live?session=3")
        page.get_by_text("Rapport needs a cookie").wait_for()
        assert page.get_by_role("link").get_attribute("href") == "/live?session=3"
        assert rows(workbench, "SELECT count(*) FROM person") == before
    finally:
        context.close()
