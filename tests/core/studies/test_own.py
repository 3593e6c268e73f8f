"""A counselor has an own session rated by an agent a researcher released, and only so."""

from typing import Any

import pytest

from core.consent import OUTSIDE, RATED, TAKING_PART
from core.errors import DataError, NotAllowed, Refused
from core.people import agreements
from core.people import service as people
from core.people.agreements import Who
from core.studies import own, service
from core.studies.own import Wish
from core.studies.starting import running_studies
from storage import tables
from storage.store import Store, open_store

OUT = "https://models.example/v1"


@pytest.fixture
def counselor(store: Store) -> tables.Person:
    return people.begin(store, "secret-c", {"counselor": []}, "T-01")


@pytest.fixture
def researcher(store: Store) -> tables.Person:
    return people.begin(store, "secret-r")


def held(store: Store, code: str = "T-01", client: tables.Person | None = None, **more: Any) -> tables.Session:
    fields = {"title": "Talk", "origin": "live" if client else "imported", "state": "ended", "counselor_code": code} | more
    said = [("client", "I cannot sleep since May."), ("counselor", "Since May. What happened then?"), ("client", "They let us go.")]
    turns = [
        tables.Turn(
            session_id=0, position=at, seat=seat, text=text, speaker="person" if client and seat == "client" else "text",
            person_id=client.id if client and seat == "client" else None,
        )
        for at, (seat, text) in enumerate(said, 1)
    ]  # fmt: skip
    return store.sessions.add_with_turns(tables.Session(**fields), turns)


def judge(store: Store, researcher: tables.Person, name: str = "Demo rater", released: bool = True) -> tables.Agent:
    service.ensure_shipped(store)
    found = store.agents.find(name=name)
    assert found is not None
    return own.release(store, researcher, found.id or 0, released)


def judge_outside(store: Store, researcher: tables.Person) -> tables.Agent:
    place = store.endpoints.add(tables.Endpoint(name="Out", base_url=OUT, model="m"))
    agent = store.agents.add(tables.Agent(name="Judge outside", seat="judge", engine="openai", endpoint_id=place.id, hash="out"))
    return own.release(store, researcher, agent.id or 0, True)


def test_own_session_is_rated_and_the_study_is_theirs(store: Store, counselor: tables.Person, researcher: tables.Person) -> None:
    session = held(store)
    study = own.have_rated(store, counselor, Wish(session, judge(store, researcher), "wai-o-s"), worker=False)
    assert study.person_id == counselor.id and own.of_session(store, session.id or 0) == [study]
    service.work_off(store)
    assert store.studies.get(study.id or 0).state == "finished"
    rows = store.ratings.rows(study_id=study.id)
    assert {row["session_id"] for row in rows} == {session.id} and {row["repeat"] for row in rows} == {1, 2, 3}


def test_asked_again_it_goes_on_after_a_restart_and_asks_nothing_twice(
    store: Store, counselor: tables.Person, researcher: tables.Person
) -> None:
    wish = Wish(held(store), judge(store, researcher), "wai-o-s")
    first = own.have_rated(store, counselor, wish, worker=False)
    reopened = open_store()
    assert [study.id for study in running_studies(reopened)] == [first.id]  # so a worker is started when it opens again
    service.work_off(reopened)
    reopened.close()
    calls = store.calls.count()
    assert calls
    again = own.have_rated(store, counselor, wish, worker=False)
    assert again.id == first.id and again.state == "finished" and store.calls.count() == calls


def test_only_released_judges_are_offered_and_used(store: Store, counselor: tables.Person, researcher: tables.Person) -> None:
    kept = judge(store, researcher, released=False)
    assert own.offered(store) == []
    with pytest.raises(NotAllowed):
        own.have_rated(store, counselor, Wish(held(store), kept, "wai-o-s"), worker=False)
    assert store.studies.count() == 0
    released = judge(store, researcher)
    assert own.offered(store) == [released]


def test_only_a_researcher_releases_and_only_a_judge(store: Store, counselor: tables.Person, researcher: tables.Person) -> None:
    agent = judge(store, researcher, released=False)
    with pytest.raises(NotAllowed):
        own.release(store, counselor, agent.id or 0, True)
    speaks = store.agents.find(seat="counselor")
    assert speaks is not None
    with pytest.raises(DataError, match="no judge"):
        own.release(store, researcher, speaks.id or 0, True)
    assert not any(one.released for one in store.agents.all())


def test_session_of_another_counselor_is_not_rated(store: Store, counselor: tables.Person, researcher: tables.Person) -> None:
    with pytest.raises(NotAllowed, match="not yours"):
        own.have_rated(store, counselor, Wish(held(store, "T-02"), judge(store, researcher), "wai-o-s"), worker=False)
    assert store.studies.count() == 0


def test_client_who_did_not_agree_to_being_rated_is_not(store: Store, counselor: tables.Person, researcher: tables.Person) -> None:
    client = people.begin(store, "secret-k", {"client": []}, "C-01")
    session = held(store, client=client)
    wish = Wish(session, judge(store, researcher), "wai-o-s")
    with pytest.raises(Refused, match="rated here"):
        own.have_rated(store, counselor, wish, worker=False)
    agreements.answer(store, Who(client), {TAKING_PART: True, RATED: True}, session.id)
    study = own.have_rated(store, counselor, wish, worker=False)
    agreements.withdraw(store, Who(client), [RATED], session.id)
    service.work_off(store)
    assert store.ratings.rows(study_id=study.id) == []


def test_text_goes_to_a_judge_outside_only_where_it_may(store: Store, counselor: tables.Person, researcher: tables.Person) -> None:
    outside = judge_outside(store, researcher)
    with pytest.raises(Refused, match="personal data"):
        own.have_rated(store, counselor, Wish(held(store), outside, "wai-o-s"), worker=False)
    client = people.begin(store, "secret-k", {"client": []}, "C-01")
    session = held(store, client=client)
    agreements.answer(store, Who(client), {TAKING_PART: True, RATED: True}, session.id)
    with pytest.raises(Refused, match="agreed to this address"):
        own.expected(store, Wish(session, outside, "wai-o-s"))
    agreements.answer(store, Who(client), {OUTSIDE: True}, session.id, endpoint=OUT)
    found = own.expected(store, Wish(session, outside, "wai-o-s"))
    assert found.calls >= 36 and found.goes_to == ("Out",) and found.money is None


def test_price_is_told_where_it_is_known(store: Store, researcher: tables.Person) -> None:
    found = own.expected(store, Wish(held(store), judge(store, researcher), "wai-o-s"))
    assert found.money is not None and found.money.high == 0 and not found.goes_to


def test_session_that_has_not_ended_waits(store: Store, researcher: tables.Person) -> None:
    with pytest.raises(DataError, match="not ended"):
        own.expected(store, Wish(held(store, state="paused"), judge(store, researcher), "wai-o-s"))
