"""The routes that tell a browser who it is, asked as a browser asks them."""

import logging
from collections.abc import Iterator

import pytest
import streamlit as st
from starlette.applications import Starlette
from starlette.testclient import TestClient

from core.people import service
from pages import browser_routes
from pages.components import identity
from pages.components.tickets import LINKS, OFFERED, SEATS, Seat, Tickets
from storage.store import Store

RESEARCHER = Seat(None, {"researcher": []})


@pytest.fixture
def web(store: Store) -> Iterator[TestClient]:
    """A browser in front of the routes; it follows no redirect by itself."""
    with TestClient(Starlette(routes=list(browser_routes.routes())), follow_redirects=False) as client:
        yield client
    st.cache_resource.clear()


def arrive(web: TestClient, seat: Seat = RESEARCHER, to: str = "/") -> str:
    """Go the whole way with a new ticket; returns where the browser ends up."""
    answer = web.get(f"/person/{SEATS.make(seat)}", params={"to": to})
    while answer.status_code == 303 and answer.headers["location"].startswith("/person/"):
        answer = web.get(answer.headers["location"])
    return answer.headers.get("location", answer.text)


def test_a_ticket_makes_a_person_and_a_cookie_no_script_reads(web: TestClient, store: Store) -> None:
    first = web.get(f"/person/{SEATS.make(RESEARCHER)}", params={"to": "/live?session=12&frame_language=%E4%B8%AD"})
    told = first.headers["set-cookie"].lower()
    assert told.startswith(identity.cookie_name(store))
    assert all(part in told for part in ("httponly", "samesite=lax", "path=/", "max-age=34560000"))
    assert "secure" not in told and first.headers["cache-control"] == "no-store"
    assert not store.persons.all()  # the browser has to show that it kept it
    second = web.get(first.headers["location"])
    assert (second.status_code, second.headers["location"]) == (303, "/live?session=12&frame_language=%E4%B8%AD")
    (person,) = store.persons.all()
    assert person.roles == {"researcher": []}
    assert service.of_secret(store, web.cookies[identity.cookie_name(store)]).id == person.id  # type: ignore[union-attr]


def test_over_tls_the_cookie_stays_on_tls(store: Store) -> None:
    app = Starlette(routes=list(browser_routes.routes()))
    direct = TestClient(app, base_url="https://testserver", follow_redirects=False)
    assert "secure" in direct.get(f"/person/{SEATS.make(RESEARCHER)}").headers["set-cookie"].lower()
    behind = TestClient(app, headers={"X-Forwarded-Proto": "https"}, follow_redirects=False)
    assert "secure" in behind.get(f"/person/{SEATS.make(RESEARCHER)}").headers["set-cookie"].lower()


@pytest.mark.parametrize(
    "to",
    [
        "https://evil.example/", "//evil.example", "/\\evil.example", "\\\\evil.example", "javascript:alert(1)", "evil",
        "/\t/evil.example", "/ /evil.example", "", "http:/evil.example", "/person/abc", "/also/abc?x=1", "/a\r\nSet-Cookie: x=1",
    ],
)  # fmt: skip
def test_it_leads_to_a_path_of_this_app_only(web: TestClient, to: str) -> None:
    assert arrive(web, to=to) == "/"


@pytest.mark.parametrize("to", ["/", "/live", "/sessions?session=3&turn=4", "/results?x=a//b&y=http://z"])
def test_a_path_and_its_query_are_kept(web: TestClient, to: str) -> None:
    assert arrive(web, to=to) == to


def test_no_person_without_a_ticket_or_with_a_spent_one(web: TestClient, store: Store) -> None:
    ticket = SEATS.make(RESEARCHER)
    web.get(f"/person/{ticket}")
    for name in (ticket, "made-up", "x" * 5000):
        answer = web.get(f"/person/{name}", params={"to": "/live"})
        assert (answer.status_code, answer.headers["location"]) == (303, "/live")
        assert "set-cookie" not in answer.headers
        assert web.get(f"/person/{name}/kept", params={"to": "/live"}).headers["location"] == "/live"
    assert not store.persons.all()


def test_asking_for_the_head_or_ahead_of_time_changes_nothing(web: TestClient, store: Store) -> None:
    ticket = SEATS.make(RESEARCHER)
    assert web.head(f"/person/{ticket}").status_code == 204
    assert web.get(f"/person/{ticket}", headers={"Sec-Purpose": "prefetch;prerender"}).status_code == 204
    assert web.post(f"/person/{ticket}").status_code == 405
    assert SEATS.look(ticket) is not None and not store.persons.all() and not web.cookies


def test_a_browser_that_keeps_no_cookie_is_told_and_sent_in_no_circle(web: TestClient, store: Store) -> None:
    answer = web.get(f"/person/{SEATS.make(RESEARCHER)}", params={"to": "/live?session=1"})
    web.cookies.clear()
    told = web.get(answer.headers["location"])
    assert told.status_code == 200 and "Rapport needs a cookie" in told.text and "Allow cookies" in told.text
    assert 'href="/live?session=1"' in told.text and "http-equiv" not in told.text and "<script" not in told.text
    assert not store.persons.all()


def test_a_cookie_of_a_store_that_was_replaced_names_nobody(web: TestClient, store: Store) -> None:
    web.cookies.set(identity.cookie_name(store), "of another time")
    assert arrive(web) == "/"
    assert len(store.persons.all()) == 1


def test_two_windows_of_a_new_browser_are_one_person(web: TestClient, store: Store) -> None:
    slow = SEATS.make(RESEARCHER)
    arrive(web)
    told = web.get(f"/person/{slow}", params={"to": "/live"})
    assert "known already" in told.text and 'href="/live"' in told.text
    assert len(store.persons.all()) == 1


def test_two_windows_between_the_steps_are_one_person(web: TestClient, store: Store) -> None:
    one, other = (web.get(f"/person/{SEATS.make(RESEARCHER)}") for _ in range(2))  # the second cookie replaced the first
    assert "known already" in web.get(one.headers["location"]).text
    assert web.get(other.headers["location"]).headers["location"] == "/"
    assert len(store.persons.all()) == 1


def test_somebody_else_gets_the_browser_and_the_former_secret_opens_nothing(web: TestClient, store: Store) -> None:
    arrive(web)
    before = web.cookies[identity.cookie_name(store)]
    (first,) = store.persons.all()
    seat = Seat(first.id, {"supervisor": ["T-01"]}, "S-01", {})
    assert arrive(web, seat, "/live") == "/live"
    here = service.of_secret(store, web.cookies[identity.cookie_name(store)])
    assert here is not None and (here.code, here.roles) == ("S-01", {"supervisor": ["T-01"]})
    assert service.of_secret(store, before) is None
    assert store.persons.get(first.id or 0).roles == {"researcher": []}  # still there


def test_a_ticket_of_one_browser_is_none_in_another(web: TestClient, store: Store) -> None:
    """Somebody who is lured to a ticket made elsewhere stays who they are."""
    arrive(web)
    (first,) = store.persons.all()
    for lure in (RESEARCHER, Seat(99, {"client": []})):
        assert "known already" in web.get(f"/person/{SEATS.make(lure)}").text
    assert service.of_secret(store, web.cookies[identity.cookie_name(store)]).id == first.id  # type: ignore[union-attr]
    assert len(store.persons.all()) == 1


def test_the_secret_is_in_no_address_page_or_log(web: TestClient, store: Store, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    first = web.get(f"/person/{SEATS.make(RESEARCHER)}")
    secret = web.cookies[identity.cookie_name(store)]
    second = web.get(first.headers["location"])
    assert secret not in first.headers["location"] + second.headers["location"] + first.text + second.text + caplog.text
    assert secret not in repr(OFFERED.live())


def test_a_link_is_kept_for_the_pages_and_joins_nobody_by_itself(web: TestClient, store: Store) -> None:
    arrive(web)
    (first,) = store.persons.all()
    ticket = LINKS.make(first.id or 0)
    assert web.head(f"/also/{ticket}").status_code == 204  # a chat program that looks what is behind it
    answer = web.get(f"/also/{ticket}")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    told = answer.headers["set-cookie"].lower()
    assert told.startswith(identity.link_cookie_name(store)) and "httponly" in told and "max-age=600" in told
    assert LINKS.take(ticket) == first.id
    assert "does not count any more" in web.get(f"/also/{ticket}").text
    assert store.persons.get(first.id or 0).joined_to is None


def test_words_are_in_the_language_the_browser_asks_for(web: TestClient) -> None:
    told = web.get("/also/none", headers={"Accept-Language": "zh-CN,zh;q=0.9"}).text
    assert '<html lang="zh">' in told
    assert '<html lang="en">' in web.get("/also/none", headers={"Accept-Language": "fr"}).text


def test_tickets_end_after_minutes_and_do_not_pile_up() -> None:
    at = 0.0
    tickets: Tickets[int] = Tickets(600, clock=lambda: at)
    first = tickets.make(1)
    at = 599.0
    second = tickets.make(2)
    assert (tickets.look(first), tickets.look(second)) == (1, 2)
    at = 600.0
    assert (tickets.take(first), tickets.take(second), tickets.take(second)) == (None, 2, None)
    kept = [tickets.make(n) for n in range(5_100)]
    assert len(tickets.live()) == 5_000 and tickets.look(kept[0]) is None and tickets.look(kept[-1]) == 5_099
