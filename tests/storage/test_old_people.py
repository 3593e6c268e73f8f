"""What an older store says of people, consent and clearance: carried over where it is proved, and granting nothing elsewhere."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from core.clearance import Clearance, kind_of, standing_of
from core.consent import OUTSIDE, RATED
from core.people import service
from storage import tables, units
from storage.migrations.update_0004.reviews import who
from storage.store import Store
from tests.stores import Old

X, Y = "https://models.example/v1", "https://other.example/v1"
DAY = "2026-04-01T08:00:{:02}.000+00:00"


@pytest.fixture
def old(tmp_path: Path) -> Old:
    """The old store as the version before persons left it."""
    return Old(tmp_path, "0003")


def sat(old: Old, spoke: dict[str, str], *, at: int = 0, address: str = "", **more: Any) -> int:
    """A live session begun at second ``at`` of that day; ``spoke``: seat → whose code, in their order, from ten seconds on."""
    seats = {f"{seat}_{what}": spoke.get(seat, "") for seat in ("client", "counselor") for what in ("person", "code")}
    fields = seats | {"clearance": 1, "client_agent_id": None, "counselor_agent_id": None, "role_id": None, "parent_id": None, "branch_turn": None}
    id = old.again("session", 11, origin="live", consented_to=address, created=DAY.format(at), **fields | more)
    for position, (seat, code) in enumerate(spoke.items(), 1):
        turn = {"position": position, "seat": seat, "text": f"word{id}", "call_id": None, "agent_id": None, "created": DAY.format(at + 10)}
        old.again("turn", 59, session_id=id, speaker="person" if code else "unknown person", person=code, **turn)
    return id


def row(old: Old, code: str, purpose: str, second: int, endpoint: str = "", withdrawn: str = "") -> int:
    return old.again("consent", 1, person=code, purpose=purpose, endpoint=endpoint, given=DAY.format(second), withdrawn=withdrawn)


def allowed(store: Store, id: int, purpose: str = OUTSIDE, endpoint: str = X) -> bool:
    asked = standing_of(store, "session", id).everybody
    assert asked is not None
    return asked.allow(purpose, endpoint if purpose == OUTSIDE else "")


@pytest.mark.parametrize("written", [X, X + "/", f" {X}/"])
def test_who_sat_alone_keeps_what_they_agreed_to(old: Old, written: str) -> None:
    id = sat(old, {"client": "P-1"}, address=written)
    row(old, "P-1", "outside endpoint", 5, written)
    row(old, "P-1", "rating here", 5)
    store = old.opened()
    assert allowed(store, id) and allowed(store, id, RATED) and not allowed(store, id, endpoint=Y)
    store.close()


def test_branch_has_what_its_session_has(old: Old) -> None:
    id = sat(old, {"client": "P-1"}, address=X)
    row(old, "P-1", "outside endpoint", 5, X)
    branch = sat(old, {"client": "P-1"}, at=20, address=X, parent_id=id, branch_turn=1)
    store = old.opened()
    assert allowed(store, id) and allowed(store, branch)
    store.close()


def test_counselor_s_seat_kept_no_row_and_its_session_says_it(old: Old) -> None:
    id = sat(old, {"counselor": "P-1"}, address=X)
    store = old.opened()
    assert allowed(store, id) and not allowed(store, id, RATED)
    store.close()


def test_several_sessions_of_one_person_have_their_own_rows(old: Old) -> None:
    first, second, third = (sat(old, {"client": "P-1"}, at=at, address=X) for at in (0, 20, 40))
    for second_of in (5, 25):
        row(old, "P-1", "outside endpoint", second_of, X)
    row(old, "P-1", "rating here", 25)
    store = old.opened()
    assert [allowed(store, id) for id in (first, second, third)] == [True, True, False]
    assert [allowed(store, id, RATED) for id in (first, second, third)] == [False, False, False], "they sat elsewhere before"
    store.close()


NOTHING: dict[str, tuple[dict[str, str], dict[str, Any], list[tuple[str, int, str, str]]]] = {
    "withdrawn": ({"client": "P-1"}, {}, [("P-1", 5, X, DAY.format(50))]),
    "withdrawn where no row was kept": ({"counselor": "P-1"}, {}, [("P-1", 5, X, DAY.format(50))]),
    "two spoke": ({"client": "P-1", "counselor": "P-2"}, {}, [("P-1", 5, X, ""), ("P-2", 6, X, "")]),
    "one spoke, another sits": ({"client": "P-1"}, {"counselor_person": "P-2"}, [("P-1", 5, X, "")]),
    "one spoke, another sat": ({"client": "P-1"}, {"counselor_code": "P-2"}, [("P-1", 5, X, "")]),
    "who spoke left": ({"client": "P-1"}, {"client_person": ""}, [("P-1", 5, X, "")]),
    "nobody knows who spoke": ({"client": ""}, {"client_person": "P-1"}, [("P-1", 5, X, "")]),
    "given before the session": ({"client": "P-1"}, {"created": DAY.format(9)}, [("P-1", 5, X, "")]),
    "given after they spoke": ({"client": "P-1"}, {}, [("P-1", 15, X, "")]),
    "given twice, by two who typed one code": ({"client": "P-1"}, {}, [("P-1", 5, X, ""), ("P-1", 6, X, "")]),
    "to another address": ({"client": "P-1"}, {}, [("P-1", 5, Y, "")]),
    "by another code": ({"client": "P-1"}, {}, [("P-2", 5, X, "")]),
    "by another case of the code": ({"client": "P-1"}, {}, [("p-1", 5, X, "")]),
    "no row": ({"client": "P-1"}, {}, []),
    "the session says no address": ({"client": "P-1"}, {"consented_to": ""}, [("P-1", 5, X, "")]),
}


@pytest.mark.parametrize("why", NOTHING)
def test_what_is_not_proved_grants_nothing(old: Old, why: str) -> None:
    spoke, more, given = NOTHING[why]
    id = sat(old, spoke, address=X)
    for name, value in more.items():
        old.run(f"UPDATE session SET {name} = ? WHERE id = ?", (value, id))
    for code, second, endpoint, withdrawn in given:
        row(old, code, "outside endpoint", second, endpoint, withdrawn)
    before = old.run("SELECT count(*) FROM consent").fetchone()[0]
    store = old.opened()
    assert not allowed(store, id) and not allowed(store, id, endpoint=Y)
    assert store.consents.count() == before, "what was agreed stays as a record"
    store.close()


def test_row_of_a_deleted_session_is_of_no_other(old: Old) -> None:
    gone = sat(old, {"client": "P-1"}, address=X)
    row(old, "P-1", "outside endpoint", 5, X)
    row(old, "P-1", "rating here", 5)
    old.run("DELETE FROM turn WHERE session_id = ?", (gone,))
    old.run("DELETE FROM session WHERE id = ?", (gone,))
    left = sat(old, {"client": "P-1"}, at=20, address=X)
    store = old.opened()
    assert not allowed(store, left) and not allowed(store, left, RATED)
    store.close()


# ---- persons -------------------------------------------------------------------------------------------------------


def test_codes_become_persons_and_rater_names_others(old: Old) -> None:
    sat(old, {"client": "O'Neil \"x\"; --"})
    old.run("UPDATE consent SET person = '' WHERE id = 7")
    old.run("UPDATE role_card SET review = ? WHERE id = 3", (json.dumps({"by": "P-REVIEW", "at": DAY.format(1)}),))
    old.add("rater", kind="person", name="O'Neil \"x\"; --", agent_hash="")
    store = old.opened()
    former = [p.code for p in store.persons.all() if p.origin == "former"]
    assert sorted(former) == ["O'Neil \"x\"; --", "P-ANA", "P-BEN", "P-DOT", "P-REVIEW"]
    assert all(not p.secret_hash and not p.roles for p in store.persons.all())
    same = [p for p in store.persons.all() if p.code.startswith("O'Neil")]
    assert [p.origin for p in same] == ["former", "imported"], "never joined by name"
    rater = store.raters.find(kind="person", name=same[0].code)
    assert rater is not None and rater.person_id == same[1].id
    assert service.of_secret(store, "") is None
    store.close()


def test_persons_of_sessions_from_elsewhere_are_none_here(old: Old) -> None:
    old.run("UPDATE session SET origin = 'live', client_person = 'P-FAR', client_code = 'P-FAR' WHERE id = 20")
    old.run("UPDATE turn SET speaker = 'person', person = 'P-FAR' WHERE session_id = 20 AND seat = 'client'")
    store = old.opened()
    assert store.persons.find(code="P-FAR") is None
    session = store.sessions.get(20)
    assert session.elsewhere and session.client_person_id is None
    assert {turn.person_id for turn in store.sessions.turns(20)} == {None}
    assert kind_of(store, "session", 20) is Clearance.UNCONFIRMED
    store.close()


# ---- reviews -------------------------------------------------------------------------------------------------------


def test_what_was_confirmed_is_reviewed_as_it_is_now(old: Old) -> None:
    old.run("UPDATE session SET clearance = 2 WHERE id = 9")
    store = old.opened()
    kinds = {(kind, id): kind_of(store, kind, id) for kind, id in (("report", 1), ("note", 1), ("note", 2), ("session", 1), ("session", 9))}
    assert set(kinds.values()) == {Clearance.CONFIRMED}
    assert kind_of(store, "session", 7) is Clearance.UNCONFIRMED and kind_of(store, "session", 3) is Clearance.SYNTHETIC
    store.reports.update(1, case_brief=store.reports.get(1).case_brief + " Maria.")
    assert kind_of(store, "report", 1) is Clearance.UNCONFIRMED
    store.close()


REVIEWS = [
    "null", "[]", "3", '"P-1"', "{}", '{"by": null}', '{"by": 3}', '{"by": true}', '{"by": ["P-1"]}', '{"by": {"a": "b"}}', '{"by": " "}', "", "{broken",
]  # fmt: skip


def test_imported_roles_are_made_up_only_where_a_person_said_so(old: Old) -> None:
    told = [*REVIEWS, '{"by": "P-1", "at": "2026-04-01"}']
    ids = {one: old.again("role_card", 3, title=f"Copy {n}", card_id=None, version=n, review=one, clearance=3) for n, one in enumerate(told, 1)}
    old.run("UPDATE role_card SET card_id = id WHERE card_id IS NULL")
    store = old.opened()
    kinds = {told: kind_of(store, "role", id) for told, id in ids.items()}
    assert kinds.pop('{"by": "P-1", "at": "2026-04-01"}') is Clearance.SYNTHETIC and set(kinds.values()) == {Clearance.UNCONFIRMED}
    (review,) = store.reviews.all(kind="role")
    person = store.persons.find(code="P-1")
    assert person is not None and (review.person_id, review.created, review.says) == (person.id, "2026-04-01", "synthetic")
    store.close()


def test_odd_reviews_are_nobody_s() -> None:
    assert {who(told) for told in REVIEWS} == {("", "")}
    assert who('{"by": "P-1"}') == ("P-1", "")


def test_roles_lowered_since_they_were_built_stay_so(old: Old) -> None:
    old.run("UPDATE role_card SET clearance = 0 WHERE id = 1")
    store = old.opened()
    assert kind_of(store, "role", 1) is Clearance.UNCONFIRMED and kind_of(store, "role", 2) is Clearance.SYNTHETIC
    assert kind_of(store, "session", 17) is Clearance.UNCONFIRMED, "held with that role"
    store.close()


def test_no_click_on_a_live_session_counts_as_a_review(old: Old) -> None:
    id = sat(old, {"client": "P-1"}, clearance=2)
    old.run("UPDATE session SET origin = 'simulated', clearance = 2 WHERE id = 20")
    store = old.opened()
    assert store.reviews.all(kind="session", record_id=id) == [] and not allowed(store, id)
    assert kind_of(store, "session", 20) is Clearance.CONFIRMED, "a person read what came from elsewhere"
    store.close()


def test_simulated_sessions_from_elsewhere_are_not_made_up_here(old: Old) -> None:
    old.run("UPDATE session SET origin = 'simulated', role_id = 1 WHERE id IN (20, 22)")
    old.run("UPDATE unit SET result = '{}' WHERE study_id IN (9, 10)")
    store = old.opened()
    assert {kind_of(store, "session", id) for id in (20, 22)} == {Clearance.UNCONFIRMED}
    store.close()


# ---- all of it -----------------------------------------------------------------------------------------------------


def test_large_store_is_brought_up_in_seconds(old: Old) -> None:
    rounds = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {}) "
    for table, count, changed in (
        ("session", 1500, {"client_person": "'P-' || (i % 40)", "client_code": "'P-' || (i % 40)", "origin": "'live'"}),
        ("turn", 15000, {"session_id": "101 + (i - 1) / 10", "position": "100 + i", "person": "'P-' || (i / 10 % 40)", "speaker": "'person'"}),
        ("unit", 15000, {"study_id": "9", "position": "100 + i", "result": "'{\"session\": ' || (20 + i % 3) || '}'"}),
    ):
        id = {"session": 11, "turn": 59, "unit": 1}[table]
        held = [name for _, name, *_ in old.run(f'PRAGMA table_info("{table}")').fetchall() if name != "id"]
        what = ", ".join(changed.get(name, f'"{name}"') for name in held)
        start = ", 100 + i" if table == "session" else ""
        columns = ", ".join([*held, "id"] if start else held)
        old.run(f'{rounds.format(count)} INSERT INTO "{table}" ({columns}) SELECT {what}{start} FROM "{table}", n WHERE id = {id}')
    began = time.monotonic()
    store = old.opened()
    assert time.monotonic() - began < 20
    assert len(store.persons.all()) == 45 and units.query(store, "SELECT count(*) FROM turn WHERE person_id IS NULL AND speaker = 'person'") == [(0,)]
    store.close()


def test_store_that_was_brought_up_goes_on(old: Old) -> None:
    store = old.opened()
    store.consents.add(tables.Consent(person_id=1, session_id=11, purpose=RATED))
    told = store.settings.get("update 0004")
    assert told == {"persons": 4, "consents": 2, "without": 5} and store.settings.get("person") is None
    assert store.consents.of_person([1])[-1].counts
    store.delete("session", 11)
    assert not [c for c in store.consents.all() if c.session_id == 11]
    store.close()


def test_calls_are_linked_to_the_note_and_the_dialogue_made_from_them(old: Old) -> None:
    old.run("DELETE FROM call_record WHERE kind = 'note' OR record_id IN (SELECT id FROM session WHERE origin = 'reconstructed')")
    store = old.opened()
    made = units.query(
        store,
        "SELECT t.call_id, 'session', s.id FROM session s JOIN turn t ON t.session_id = s.id WHERE s.origin = 'reconstructed' "
        "AND t.call_id IS NOT NULL UNION SELECT call_id, 'note', id FROM note WHERE call_id IS NOT NULL",
    )
    about = store.calls.about([call for call, _kind, _id in made])
    assert {kind for _call, kind, _id in made} == {"session", "note"}
    assert not [one for one in made if (one[1], one[2]) not in about.get(one[0], [])]
    store.close()
