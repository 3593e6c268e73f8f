"""What each person may do, as a table: role × what × record. The other counselor's, client's and rater's is nobody else's."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import pytest

from core.clearance import Clearance, kind_of
from core.consent import SUPERVISION, TAKING_PART
from core.errors import NotAllowed
from core.people import agreements, reviews, rights, service
from core.people.agreements import Who
from core.people.rights import MAY, NOUNS, may, require, visible
from storage import tables
from storage.store import Store

Persons = Mapping[str, tables.Person]
WHO = ("researcher", "counselor", "supervisor", "rater", "client", "other")  # other: a counselor with other series


@pytest.fixture
def persons(store: Store) -> Persons:
    """One of each role; T-01 is supervised, T-02 is the other counselor."""
    return {
        "researcher": service.begin(store, "secret-r"),
        "counselor": service.begin(store, "secret-c", {"counselor": []}, "T-01"),
        "supervisor": service.begin(store, "secret-s", {"supervisor": ["T-01"]}, "S-01"),
        "rater": service.begin(store, "secret-q", {"rater": []}, "K-01"),
        "client": service.begin(store, "secret-k", {"client": []}, "C-01"),
        "other": service.begin(store, "secret-o", {"counselor": []}, "T-02"),
    }


def session(store: Store, code: str = "", said_by: tables.Person | None = None, seat: str = "client", **more: object) -> tables.Session:
    """An ended session with one turn, said by a person here or brought in."""
    fields: dict[str, Any] = {"title": "Talk", "origin": "live" if said_by else "imported", "state": "ended", "counselor_code": code} | more
    turn = tables.Turn(
        session_id=0, position=1, seat=seat, text="I cannot sleep.", speaker="person" if said_by else "text",
        person_id=said_by.id if said_by else None,
    )  # fmt: skip
    return store.sessions.add_with_turns(tables.Session(**fields), [turn])


def report(store: Store, code: str = "") -> tables.Report:
    return store.reports.add(tables.Report(title=f"Case {code}", case_brief="Sleep.", content_hash=f"hash {code}", counselor_code=code))


def table(store: Store, persons: Persons, record: object) -> dict[str, str]:
    """What → who may, in the order of WHO."""
    noun = NOUNS[type(record)] if record is not None else ""
    return {what: " ".join(who for who in WHO if may(store, persons[who], what, record)) for what in MAY[noun]}  # type: ignore[arg-type]


# ---- who may what --------------------------------------------------------------------------------------------------


def test_brought_session_of_a_counselor(store: Store, persons: Persons) -> None:
    assert table(store, persons, session(store, "T-01")) == {
        "see": "researcher counselor supervisor",
        "see ratings": "researcher counselor supervisor",
        "change": "researcher counselor",
        "confirm": "researcher counselor",
        "delete": "researcher counselor",
        "delete words": "researcher",
        "rate": "researcher counselor",
        "export": "researcher counselor",
        "hold": "researcher counselor",
        "sit": "researcher counselor",
    }


def test_session_a_client_spoke_in(store: Store, persons: Persons) -> None:
    held = session(store, "T-01", persons["client"])
    assert table(store, persons, held) == {
        "see": "researcher counselor client",
        "see ratings": "researcher counselor",
        "change": "researcher counselor",
        "confirm": "researcher counselor",
        "delete": "researcher counselor",
        "delete words": "researcher client",
        "rate": "researcher counselor",
        "export": "researcher counselor",
        "hold": "researcher counselor client",
        "sit": "researcher counselor client",
    }
    agreements.answer(store, Who(persons["client"]), {SUPERVISION: True}, held.id)
    assert may(store, persons["supervisor"], "see", held)
    agreements.withdraw(store, Who(persons["client"]), [SUPERVISION], held.id)
    assert not may(store, persons["supervisor"], "see", held)


def test_session_without_a_code_is_of_who_sat_as_its_counselor(store: Store, persons: Persons) -> None:
    held = session(store, "", persons["other"], "counselor")
    assert [who for who in WHO if may(store, persons[who], "see", held)] == ["researcher", "other"]
    assert [who for who in WHO if may(store, persons[who], "delete", held)] == ["researcher", "other"]
    nobodys = session(store)
    assert [who for who in WHO if may(store, persons[who], "see", nobodys)] == ["researcher"]


def test_client_takes_a_free_seat_and_no_used_one(store: Store, persons: Persons) -> None:
    free = session(store, "T-02", persons["other"], "counselor", state="paused", client_code="C-01")
    assert may(store, persons["client"], "sit", free) and not may(store, persons["client"], "see", free)
    used = session(store, "T-02", persons["rater"], "client", state="paused")
    assert not may(store, persons["client"], "sit", used)
    assert not may(store, persons["client"], "sit", session(store, "T-02", persons["other"], "counselor"))


def test_withdrawn_session_is_read_by_nobody(store: Store, persons: Persons) -> None:
    held = session(store, "T-01", persons["client"])
    agreements.withdraw(store, Who(persons["client"]))
    gone = store.sessions.get(held.id or 0)
    allowed = {what: who for what, who in table(store, persons, gone).items() if who}
    assert allowed == {"delete": "researcher", "delete words": "researcher client"}
    with pytest.raises(NotAllowed, match="withdrew"):
        require(store, persons["researcher"], "see", gone)


def test_report_of_a_counselor(store: Store, persons: Persons) -> None:
    own = report(store, "T-01")
    assert table(store, persons, own) == {
        "see": "researcher counselor",
        "change": "researcher counselor",
        "confirm": "researcher counselor",
        "delete": "researcher counselor",
        "export": "researcher counselor",
    }
    assert [len(visible(store, persons[who], [own], "report")) for who in ("researcher", "counselor", "supervisor", "other")] == [1, 1, 0, 0]
    agreements.withdraw(store, Who(seat="counselor", code="T-01", entered_by=persons["researcher"]), [TAKING_PART])
    assert table(store, persons, own) == {"see": "", "change": "", "confirm": "", "delete": "researcher", "export": ""}


def test_role_card_that_may_be_about_somebody_is_the_researchers(store: Store, persons: Persons) -> None:
    card = store.roles.add(tables.RoleCard(title="Noor", sampling="written", text="A nurse."))
    assert kind_of(store, "role", card.id or 0) is Clearance.UNCONFIRMED
    assert table(store, persons, card)["see"] == table(store, persons, card)["hold"] == "researcher"
    reviews.review(store, persons["researcher"], "role", card.id or 0, "synthetic", reviews.shown(store, "role", card.id or 0))
    assert table(store, persons, card) == {
        "see": " ".join(WHO), "hold": "researcher counselor other", "export": "researcher", "change": "researcher",
        "confirm": "researcher", "delete": "researcher",
    }  # fmt: skip


def test_study_is_the_researchers_and_whose_own_it_is(store: Store, persons: Persons) -> None:
    own = store.studies.add(tables.Study(name="Mine", person_id=persons["counselor"].id))
    assert table(store, persons, own) == {
        "see": "researcher counselor", "study": "researcher counselor", "change": "researcher", "export": "researcher",
        "delete": "researcher",
    }  # fmt: skip


def test_agent_is_released_for_counselors(store: Store, persons: Persons) -> None:
    judge = store.agents.add(tables.Agent(name="A judge", seat="judge", hash="a"))
    assert table(store, persons, judge) == {"see": " ".join(WHO), "rate": "researcher", "agents": "researcher"}
    released = store.agents.update(judge.id or 0, released=True)
    assert table(store, persons, released)["rate"] == "researcher counselor other"
    counselor = store.agents.add(tables.Agent(name="A counselor", seat="counselor", hash="b", released=True))
    assert table(store, persons, counselor)["rate"] == "researcher"


def test_endpoints_persons_consents_and_looks(store: Store, persons: Persons) -> None:
    place = store.endpoints.add(tables.Endpoint(name="X", base_url="https://x.example/v1", model="m"))
    assert table(store, persons, place) == {"see": "researcher", "endpoints": "researcher"}
    assert table(store, persons, persons["client"]) == {
        "see": "researcher client", "change": "researcher client", "people": "researcher",
    }  # fmt: skip
    given = agreements.answer(store, Who(persons["client"]), {SUPERVISION: True}, None)[0]
    assert table(store, persons, given) == {
        "see": "researcher client", "change": "researcher client", "answer for others": "researcher",
    }  # fmt: skip
    held = session(store, "T-01", persons["client"])
    look = store.looks.add(tables.Look(kind="session", record_id=held.id or 0, person_id=persons["other"].id or 0, page="sessions"))
    assert table(store, persons, look) == {"see": "researcher client"}


def test_without_a_record(store: Store, persons: Persons) -> None:
    found = table(store, persons, None)
    shared = {"import": "researcher counselor other", "hold": "researcher counselor other"}
    assert found == {what: shared.get(what, "researcher") for what in found}
    assert {"study", "agents", "endpoints", "groups", "people", "settings", "answer for others", "export"} <= set(found)


def test_rater_sees_what_others_said_only_after_rating(store: Store, persons: Persons) -> None:
    both = service.begin(store, "secret-b", {"counselor": [], "rater": []}, "T-03")
    own = session(store, "T-03")
    assert may(store, both, "see", own) and not may(store, both, "see ratings", own)
    mine = store.raters.add(tables.Rater(kind="person", name="T-03", person_id=both.id))
    values: dict[str, Any] = {"session_id": own.id or 0, "instrument": "wai-o-s", "instrument_version": 1, "language": "en", "item": "Q1"}
    store.ratings.add(tables.Rating(rater_id=mine.id or 0, **values))
    assert may(store, both, "see ratings", own)
    assert not may(store, persons["rater"], "see ratings", own)


def test_two_joined_browsers_are_one_person(store: Store, persons: Persons) -> None:
    own, spoken = session(store, "T-01"), session(store, "", persons["client"])
    onto = service.begin(store, "secret-2", {"counselor": []}, "T-09")
    assert not may(store, onto, "see", own) and not may(store, onto, "see", spoken)
    service.join(store, persons["counselor"].id or 0, onto.id or 0)
    service.join(store, persons["client"].id or 0, onto.id or 0)
    assert may(store, onto, "see", own) and may(store, onto, "see", spoken)


def test_refusal_names_nobody_else_and_none_of_its_words(store: Store, persons: Persons) -> None:
    with pytest.raises(NotAllowed) as refused:
        require(store, persons["counselor"], "see", session(store, "T-02", title="Burnt out"))
    assert "not yours" in str(refused.value) and "counselor" in str(refused.value) and "T-02" not in str(refused.value)
    assert "sleep" not in str(refused.value) and "Burnt" not in str(refused.value)
    with pytest.raises(NotAllowed, match="researcher's"):
        require(store, persons["rater"], "endpoints")


# ---- lists ---------------------------------------------------------------------------------------------------------


def test_list_agrees_with_each_of_its_rows(store: Store, persons: Persons) -> None:
    """The filter over many rows says what the question about one says, for everybody."""
    agreed, refused = session(store, "T-01", persons["client"]), session(store, "T-01", persons["client"])
    agreements.answer(store, Who(persons["client"]), {SUPERVISION: True}, agreed.id)
    gone = session(store, "T-01", persons["rater"])
    agreements.withdraw(store, Who(persons["rater"]), session_id=gone.id)
    for made in (session(store, "T-01"), session(store, "T-02"), session(store), session(store, "", persons["other"], "counselor")):
        assert made.id and refused.id
    rows, whole = store.sessions.overview(), store.sessions.all()
    for who, person in persons.items():
        wanted = {one.id for one in whole if may(store, person, "see", one)}
        assert {row["id"] for row in visible(store, person, rows)} == wanted, who
        assert {one.id for one in visible(store, person, whole)} == wanted, who
    assert {row["id"] for row in visible(store, persons["supervisor"], rows)} == {agreed.id, 4}


def test_lists_of_reports_and_role_cards_agree_too(store: Store, persons: Persons) -> None:
    report(store, "T-01"), report(store, "T-02"), report(store)
    agreements.withdraw(store, Who(seat="counselor", code="T-02", entered_by=persons["researcher"]), [TAKING_PART])
    store.roles.add(tables.RoleCard(title="Built")), store.roles.add(tables.RoleCard(title="Typed", sampling="written"))
    for person in persons.values():
        reports, cards = store.reports.all(), store.roles.all()
        assert visible(store, person, reports, "report") == [one for one in reports if may(store, person, "see", one)]
        assert visible(store, person, cards, "role card") == [one for one in cards if may(store, person, "see", one)]


def test_list_costs_the_same_for_many_sessions(store: Store, persons: Persons, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand rows take as many questions to the store as ten."""
    rows = [{"id": n, "counselor_code": f"T-0{n % 3}"} for n in range(1000)]
    asked: list[int] = []

    def counted(work: Any, ask: Any) -> Any:
        asked.append(1)
        return ask(work)

    monkeypatch.setattr(store.database, "read", partial(counted, ask=store.database.read))
    monkeypatch.setattr(store.database, "run", partial(counted, ask=store.database.run))
    for who in ("counselor", "supervisor"):
        asked.clear()
        assert len(rights.visible(store, persons[who], rows)) in (333, 334)
        assert len(asked) <= 4
