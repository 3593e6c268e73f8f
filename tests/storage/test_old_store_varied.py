"""What else an older store may hold: numbers given again, records from elsewhere, lines everyone writes, keys anywhere."""

import hashlib
import json
from pathlib import Path

import pytest

from core.sessions.seating import opener_text
from storage import tables, units
from storage.migrations.update_0002.arrivals import in_order
from storage.store import Store
from tests.held import everything_in
from tests.stores import Old

PLANTED = "patientsecretword"


@pytest.fixture
def old(tmp_path: Path) -> Old:
    return Old(tmp_path)


def records(store: Store, call: int) -> set[tuple[str, int]]:
    return {(kind, id) for kind, id in units.query(store, "SELECT kind, record_id FROM call_record WHERE call_id = :id", id=call)}


def states(store: Store, *studies: int) -> dict[int, str]:
    return {unit.id or 0: unit.state for study in studies for unit in store.units.all(study_id=study)}


# ---- calls ---------------------------------------------------------------------------------------------------------


def test_opener_of_a_session_ties_no_deleted_one_s_calls_to_it(old: Old) -> None:
    begun, opener = old.again("session", 2, title="Begun and left"), opener_text("en")
    old.again("turn", 19, session_id=begun, position=1, seat="counselor", text=opener, stage="opener", state="complete", call_id=None)
    words = f"<transcript>\n[1] Counselor: {opener}\n[2] Client: {PLANTED}.\n</transcript>"
    call = old.call("rating of session 10", "judge/item", words, "2026-03-09T08:04:40.000+00:00", 4, 24)
    unnamed = old.call("Another question.", "judge/item", words, "2026-03-20T08:00:00.000+00:00")
    store = old.opened()
    assert PLANTED not in everything_in(store, copies=False)
    assert not records(store, call) and not records(store, unnamed)
    store.close()


def test_lines_of_a_template_tie_no_deleted_report_s_call_to_another(old: Old) -> None:
    lines = ["Presenting problem and reasons for referral as given by the client", "Course of the counseling, session by session, with dates"]
    old.run("UPDATE report SET case_brief = case_brief || ? WHERE id = 1", ("\n" + "\n".join(lines),))
    purpose = "Sort a counseling report into its six components and name its topic and school."
    call = old.call(purpose, "report/components", "\n".join([*lines, PLANTED]), "2026-03-03T08:00:14.000+00:00")
    store = old.opened()
    assert PLANTED not in everything_in(store, copies=False) and not records(store, call)
    assert records(store, 1) == records(store, 3) == {("report", 1)}, "calls that carry the report itself stay its own"
    store.close()


def test_one_common_event_ties_no_deleted_role_s_call_to_another(old: Old) -> None:
    event = json.loads(old.run("SELECT life_events FROM role_card WHERE id = 1").fetchone()[0])[0]
    call = old.call("Work one life event out into concrete scenarios.", "role/scenarios", f"{event} {PLANTED}", "2026-03-05T08:00:21.000+00:00")
    store = old.opened()
    assert PLANTED not in everything_in(store, copies=False) and not records(store, call)
    assert records(store, 18) == {("role", 1)} and records(store, 26) == {("role", 2)}
    store.close()


def test_session_with_another_store_s_date_takes_no_deleted_one_s_calls_and_units(old: Old) -> None:
    old.again("session", 20, id=10, created="2026-01-05T08:00:00.000+00:00", title="far-9")
    store = old.opened()
    assert "leaverword" not in everything_in(store, copies=False)
    assert not units.query(store, "SELECT 1 FROM call_record WHERE kind = 'session' AND record_id = 10")
    assert set(states(store, 4).values()) == {"gone"}
    store.close()


def test_judgments_made_here_of_a_session_from_elsewhere_stay(old: Old) -> None:
    for table, id in (("session", 20), ("study", 9)):
        old.run(f"UPDATE {table} SET created = '2026-01-05T08:00:00.000+00:00' WHERE id = ?", (id,))
    later = "2026-03-15T08:00:0{0}.000+00:00"
    study = old.again("study", 3, created=later.format(0), name="Judged here")
    unit = old.again("unit", 19, study_id=study, payload=json.dumps({"session": 20, "item": "Q1", "seed": 1}), result='{"session": 20}', key="k")
    failed = old.call("rating of session 20", "judge/item", "Far away I say far1word.", later.format(1), study, unit)
    call = old.call("rating of session 20", "judge/item", "Far away I say far1word. Again.", later.format(2), study, unit)
    old.again("rating", 7, session_id=20, study_id=study, unit_id=unit, call_id=call, created=later.format(3))
    store = old.opened()
    assert records(store, failed) == records(store, call) == {("session", 20)}
    assert states(store, study) == {unit: "done"} and store.ratings.all(unit_id=unit)[0].call_id == call
    store.close()


def test_row_older_than_its_call_bears_a_number_given_again(old: Old) -> None:
    call = old.call("rating of session 7", "judge/item", f"<transcript>{PLANTED}</transcript>", "2026-03-14T08:00:00.000+00:00")
    old.run("UPDATE rating SET call_id = ? WHERE id = 6", (call,))
    old.run("UPDATE note SET call_id = 60 WHERE id = 3")
    store = old.opened()
    assert store.ratings.get(6).call_id is None and not units.query(store, "SELECT call_id FROM note WHERE id = 3")[0][0]
    assert records(store, call) == {("session", 7)} and ("report", 2) not in records(store, 60)
    store.delete("session", 7)
    assert PLANTED not in everything_in(store, copies=False)
    store.close()


def test_call_is_linked_to_what_its_purpose_and_its_rows_name(old: Old) -> None:
    call = old.call("rating of session 7", "judge/item", f"<transcript>{PLANTED}</transcript>", "2026-03-14T08:00:00.000+00:00")
    old.again("rating", 6, study_id=None, unit_id=None, session_id=9, call_id=call, created="2026-03-14T08:00:01.000+00:00")
    store = old.opened()
    assert records(store, call) == {("session", 7), ("session", 9)}
    store.close()


def test_turn_said_again_keeps_its_call(old: Old) -> None:
    old.run("UPDATE turn SET created = '2026-03-12T08:00:15.000+00:00', state = 'complete' WHERE session_id = 17 AND position = 2")
    old.run("UPDATE call SET created = '2026-03-12T09:30:00.000+00:00' WHERE id = 86")
    store = old.opened()
    assert store.sessions.turns(17)[1].call_id == 86 and ("session", 17) in records(store, 86)
    store.close()


def test_one_wrong_date_costs_the_sessions_after_it_nothing(old: Old) -> None:
    old.run("UPDATE session SET created = '2099-01-01T00:00:00.000+00:00' WHERE id = 2")
    store = old.opened()
    assert ("session", 3) in records(store, 36) and states(store, 1)[9] == "done"
    store.close()


def test_records_whose_dates_do_not_rise_are_not_of_this_store() -> None:
    assert in_order([(1, "b"), (2, "z"), (3, "c"), (4, "a"), (5, "c"), (6, "d")]) == {1, 3, 5, 6}
    assert in_order([]) == set()


# ---- units ---------------------------------------------------------------------------------------------------------


def test_planned_units_of_a_deleted_session_are_gone(old: Old) -> None:
    old.run("UPDATE session SET created = '2026-03-12T09:00:00.000+00:00', title = 'Another client' WHERE id = 9")
    old.run("UPDATE unit SET state = 'running' WHERE id = 34")
    store = old.opened()
    found = states(store, 5, 6, 7)
    assert {found.pop(id) for id in (35, 36, 37, 38)} == {"planned"} and set(found.values()) == {"gone"}
    assert not any(unit.key for unit in store.units.all(state="planned") if not unit.attempts), "they find their records anew"
    assert {store.studies.get(id).origin for id in (5, 6, 7)} == {"here"}
    store.close()


def test_session_of_another_seed_or_date_is_not_the_study_s_own(old: Old) -> None:
    old.run("UPDATE session SET created = '2026-03-07T08:00:01.000+00:00' WHERE id = 3")
    old.run("UPDATE session SET seed = 77 WHERE id = 4")
    old.run("UPDATE session SET seed = ? WHERE id = 5", (derived(1752381459, 1),))
    store = old.opened()
    found = states(store, 1)
    assert [found[id] for id in (1, 2, 3, 4)] == ["gone", "gone", "done", "done"]
    assert [found[id] for id in (5, 6, 9, 10)] == ["gone"] * 4 and found[7] == found[11] == "done"
    store.close()


def derived(seed: int, retry: int) -> int:
    parts = json.dumps([seed, "retry", retry], separators=(",", ":"))
    return int.from_bytes(hashlib.sha256(parts.encode()).digest()[:4], "big") & (2**31 - 1)


# ---- numbers -------------------------------------------------------------------------------------------------------


def test_numbers_in_plans_samples_designs_and_damaged_exports_are_not_given_again(old: Old) -> None:
    old.again("unit", 34, position=99, kind="comparison", payload='{"first": 70, "second": 71}', result="{}", key="")
    old.run("UPDATE study SET samples = ? WHERE id = 6", (json.dumps({"some": {"of": "roles", "ids": [80, 3]}, "pairs of hill": [[75, 72]]}),))
    old.run("UPDATE study SET design = ? WHERE id = 7", (json.dumps({"steps": [{"kind": "notes", "reports": [60]}, {"sessions": "steps"}]}),))
    export = old.path.parent / "exports" / "study"
    export.mkdir(parents=True)
    (export / "manifest.json").write_text("{}")
    (export / "calls.jsonl").write_bytes(b'{"id": 400}\n{"id": 4\xff\n{"id": 390}\n')
    store = old.opened()
    assert store.sessions.add(tables.Session(origin="imported")).id == 76
    assert store.reports.add(tables.Report(title="New", content_hash="x")).id == 61
    assert store.roles.add(tables.RoleCard(title="New", kind="role", text="x")).id == 81
    last = "SELECT seq FROM sqlite_sequence WHERE name = 'call'"
    assert units.query(store, last) == [(400,)]
    store.close()


# ---- keys ----------------------------------------------------------------------------------------------------------

KEYS = (
    "0123456789abcdef0123456789abcdef.AbCdEfGh12", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcDEF123", "nvapi-abcdefgh1jklmnopqrst",
    "r8_abcdefghij1lmnopqrst", "AKIAABCDEFGHIJKLMNOP", "dXNlcjpwYXNzd29yZDEy", "9f8e7d6c5b4a39281706f5e4d3c2b1a0",
    "9f8e7d6c5b4a39281706f5e4d3c2b1aX", "qwertyuiop123456", "sk-proj-abcdefgh12345678",
)  # fmt: skip
BEFORE = {5: "Basic ", 6: "Incorrect API key provided: ", 7: "x-api-key: ", 8: "bearer "}


def test_keys_of_every_shape_go_from_reasons_attempts_and_texts(old: Old) -> None:
    said = [f"refused (400: {BEFORE.get(n, '')}{key})." for n, key in enumerate(KEYS)]
    for n, words in enumerate(said):
        old.again("unit", 22, position=200 + n, reason=words)
    old.run("UPDATE call SET attempts = ? WHERE id = 62", (json.dumps([{"said": '{"api_key": "' + KEYS[7] + '"}', "token": 1}, *said]),))
    old.call("rating of session 9", "judge/item", "\n".join(said), "2026-03-09T09:00:00.000+00:00", 3, 20)
    store = old.opened()
    held = everything_in(store, copies=False)
    assert [key for key in KEYS if key in held] == []
    attempts = store.calls.get(62).attempts
    assert attempts[0]["token"] == 1 and attempts[1] == "refused (400: [key removed])."
    store.close()


def test_key_in_the_place_of_a_variable_goes_and_names_of_variables_stay(old: Old) -> None:
    old.run("UPDATE endpoint SET key_env = 'sk-typedintothewrongfield1234567890' WHERE id = 2")
    old.again("endpoint", 2, name="Other", base_url="https://other.example/v1", key_env="AKIAABCDEFGHIJKLMNOP")
    old.again("endpoint", 2, name="Third", base_url="https://sk-hosting.example/v1", key_env="KEY_OF_OURS")
    store = old.opened()
    named = {endpoint.base_url: endpoint.key_env for endpoint in store.endpoints.all()}
    assert named["https://models.example/v1"] == named["https://other.example/v1"] == ""
    assert named["http://127.0.0.1:8765/v1"] == "GATEWAY_TOKEN" and named["https://sk-hosting.example/v1"] == "KEY_OF_OURS"
    store.close()


def test_what_people_say_is_not_taken_for_a_key(old: Old) -> None:
    said = "My key-worker-relationship matters, token=something-important, he is a bearer of-bad-news-again, Basic understanding2 of it."
    old.call("rating of session 9", "judge/item", said, "2026-03-09T09:00:00.000+00:00", 3, 20)
    store = old.opened()
    assert said in everything_in(store, copies=False)
    store.close()
