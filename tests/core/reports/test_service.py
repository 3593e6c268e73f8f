"""From a file to note and dialogue: nothing leaves before a person confirmed, and faults are asked away once."""

import json
from typing import Any

import pytest

from core.clearance import Clearance, kind_of
from core.errors import DataError, ModelError, Refused
from core.llm.asking import now
from core.llm.engines import demo_engine
from core.people import reviews
from core.people import service as people
from core.reports import making, service
from core.reports.drafts import shown_hash
from storage import tables
from storage.store import Store

TEXT = (
    "Title: The reliable daughter\nType: Exhaustion\nMethod: Person-centred\nCase brief: Maria Oyelaran, 47, looks after her "
    "mother. She works at Brightwater Logistics.\nConsultation process: Maria and I met ten times and spoke of her tiredness.\n"
    "Reflections: I went slowly."
)
NOTE = {"client_basics": "A woman.", "problems": "Tired.", "goals": ["Rest"], "techniques": ["Listening"], "steps": ["Meet"], "reflections": "Slow."}
STAGES = ("reception", "reception", "diagnosis", "diagnosis", "consultation", "consultation", "consolidation")


def dialogue(rounds: int = 7, stages: tuple[str, ...] = STAGES) -> str:
    said = [
        {"seat": seat, "text": f"{words} {n}.", "stage": stages[n]}
        for n in range(rounds) for seat, words in (("client", "I am tired, time"), ("counselor", "What is it like, time"))
    ]  # fmt: skip
    return json.dumps({"turns": said})


@pytest.fixture
def report(store: Store) -> tables.Report:
    return service.take_report(store, "daughter.txt", TEXT).reports[0]


@pytest.fixture
def person(store: Store) -> tables.Person:
    return people.begin(store, "secret-a", None, "P-01")


def confirm(store: Store, person: tables.Person, report: tables.Report) -> tables.Report:
    """Read the report as it is, and confirm it."""
    return service.confirm_masking(store, report.id or 0, person, shown_hash(*service.unmasked(store, report.id or 0)))


def test_saved_masked_and_put_back_for_review(store: Store, report: tables.Report) -> None:
    assert "Maria" not in report.case_brief and kind_of(store, "report", report.id or 0) is Clearance.UNCONFIRMED
    parts, spans = service.unmasked(store, report.id or 0)
    assert parts["case_brief"].startswith("Maria Oyelaran, 47") and spans["consultation_process"]
    with pytest.raises(DataError, match="in the store already"):
        service.save_report(store, service.import_report("again.txt", TEXT).drafts[0])


def test_nothing_goes_outside_before_a_person_confirmed(store: Store, report: tables.Report, person: tables.Person, scripted: Any) -> None:
    outside = scripted(json.dumps(NOTE), base_url="https://models.example/v1")
    with pytest.raises(Refused, match="report"):
        now(making.write_note(store, outside, report.id or 0))
    assert outside.asked == []
    confirm(store, person, report)
    note = now(making.write_note(store, outside, report.id or 0))
    assert (note.version, kind_of(store, "note", note.id or 0), note.goals) == (1, Clearance.CONFIRMED, ["Rest"])
    assert "Maria" not in outside.asked[0].messages[-1].content


def test_corrections_wait_for_a_person_again(store: Store, report: tables.Report, person: tables.Person) -> None:
    confirm(store, person, report)
    changed = service.change_components(store, report.id or 0, method="Taught by Tomasz, who came along")
    assert kind_of(store, "report", report.id or 0) is Clearance.UNCONFIRMED and "Tomasz" not in changed.method
    assert service.change_components(store, report.id or 0, topic="sex").topic == "sex"
    with pytest.raises(DataError, match="nothing was saved"):
        service.change_components(store, report.id or 0, case_brief="", consultation_process="", experience_thoughts="")


def test_edited_note_is_a_new_version_and_waits(store: Store, report: tables.Report, person: tables.Person, scripted: Any) -> None:
    confirm(store, person, report)
    with pytest.raises(DataError, match="no note yet"):
        making.change_note(store, report.id or 0, person, problems="x")
    now(making.write_note(store, scripted(json.dumps(NOTE)), report.id or 0))
    edited = making.change_note(store, report.id or 0, person, problems="Sleep.")
    assert (edited.version, edited.edited_by, edited.problems, kind_of(store, "note", edited.id or 0)) == (2, "P-01", "Sleep.", Clearance.UNCONFIRMED)
    assert [note.problems for note in store.reports.notes(report.id or 0)] == ["Tired.", "Sleep."]
    seen = reviews.shown(store, "note", edited.id or 0)
    assert kind_of(store, "note", making.confirm_note(store, edited.id or 0, person, seen).id or 0) is Clearance.CONFIRMED


def test_faulty_dialogue_is_asked_for_once_more(store: Store, report: tables.Report, person: tables.Person, scripted: Any) -> None:
    engine = scripted(dialogue(rounds=2), dialogue())
    session = now(making.reconstruct_dialogue(store, engine, report.id or 0, "roleplay"))
    assert len(engine.asked) == 2 and "2 rounds" in engine.asked[1].messages[-1].content
    assert session.faults == [] and len(store.sessions.turns(session.id or 0)) == 14


def test_faults_that_stay_are_kept_with_the_session(store: Store, report: tables.Report, person: tables.Person, scripted: Any) -> None:
    engine = scripted(dialogue(rounds=2))
    session = now(making.reconstruct_dialogue(store, engine, report.id or 0, "roleplay"))
    assert len(engine.asked) == 2 and {fault["code"] for fault in session.faults} >= {"few_rounds", "stage_missing"}
    assert all(fault["en"] and fault["zh"] for fault in session.faults) and session.origin == "reconstructed"


def test_unreadable_answer_is_a_sentence_and_keeps_the_call(store: Store, report: tables.Report, person: tables.Person, scripted: Any) -> None:
    with pytest.raises(ModelError, match="could not be used"):
        now(making.write_note(store, scripted("no JSON at all"), report.id or 0))
    assert [c.state for c in store.calls.all()] == ["unreadable", "unreadable"], "the reply and its repair are both kept"
    assert store.reports.notes(report.id or 0) == []


def test_demo_engine_works_from_a_report_without_a_name_in_the_dialogue(store: Store, report: tables.Report) -> None:
    session = now(making.reconstruct_dialogue(store, demo_engine(), report.id or 0))
    said = " ".join(turn.text for turn in store.sessions.turns(session.id or 0))
    assert "Maria" not in said and "Brightwater" not in said and session.engine == "demo"
    assert making.newest_note(store, report.id or 0) is not None


def test_a_part_that_is_missing_is_named_with_its_case(store: Store) -> None:
    """Two cases of one file gave the same sentence twice."""
    case = "Case brief: She cannot sleep since she lost her job, and lives with her parents in a small flat."
    text = "\n\n".join(f"Case {n}\nTitle: Nights {n}\n{case}\nConsultation process: They talked of her nights, {n} times." for n in (1, 2))
    told = [str(one) for one in service.take_report(store, "two.txt", text).messages]
    assert len(told) == len(set(told)) == 2
    assert all("two.txt: “Case" in words and "no part “" in words and "Method, Experience and thoughts”" in words for words in told), told
    (alone,) = service.take_report(store, "one.txt", f"Title: Days\n{case}\nConsultation process: They talked of her days.\nExperience and thoughts: Slowly.").messages
    assert str(alone).startswith("one.txt has no part “") and "Method" in alone.values["parts"]
