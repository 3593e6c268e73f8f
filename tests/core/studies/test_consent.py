"""What persons agreed to decides what a study judges, what its figures use and what leaves: from their answers on."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.clearance import standing_of
from core.commands.showing import show
from core.consent import PURPOSES, RATED, TAKING_PART
from core.errors import DataError, NotFound, WorkbenchError
from core.judging.importing import import_ratings
from core.llm.agents import ensure_shipped
from core.people import agreements
from core.people import service as people
from core.people.agreements import Who
from core.results import corpus, reading
from core.studies import service
from core.studies.export import export_study
from core.studies.importing import import_study
from core.studies.progress import standing
from storage import tables
from storage.store import Store, open_store
from tests.core.studies.conftest import LINES, confirm

Work = Callable[..., dict[str, Any]]
RATINGS = {"name": "Alliance", "steps": [{"kind": "ratings", "items": ["Q1"], "repeats": 1}]}


def held(store: Store, word: str, role: int | None = None, **answers: bool) -> tuple[int, tables.Person]:
    """A session in which a person said ``word`` in the client's seat; they agree to all but what is named."""
    ensure_shipped(store)
    person = people.begin(store, f"secret of {word}", {"client": []}, f"C-{word}")
    session = tables.Session(title=f"Of {word}", origin="live", state="ended", role_id=role, engine="mixed", client_person_id=person.id)
    turns = [
        tables.Turn(
            session_id=0, position=n, seat=seat, text=f"{words} {word}" if seat == "client" else words,
            speaker="person" if seat == "client" else "agent", person_id=person.id if seat == "client" else None,
        )
        for n, (seat, words) in enumerate(LINES, 1)
    ]  # fmt: skip
    id = store.sessions.add_with_turns(session, turns).id or 0
    said = {purpose: answers.get(purpose.split()[0], True) for purpose in PURPOSES if purpose != "outside endpoint"}
    agreements.answer(store, Who(person), said, id)
    return id, person


def text_of(folder: Path) -> str:
    return "\n".join(file.read_text("utf-8-sig") for file in sorted(folder.rglob("*")) if file.is_file() and "prompts" not in file.parts)


def told(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "method.json").read_text("utf-8"))
    return found


def test_who_does_not_let_be_rated_is_in_no_sample_and_no_study(store: Store, work: Work) -> None:
    asked, _ = held(store, "apple")
    refused, _ = held(store, "pear", rated=False)
    _design, made, _drawn = service.plan(store, RATINGS)
    assert [unit.payload["session"] for unit in made.units] == [asked] and made.left_out == {refused: "not rated"}
    drawn = service.plan(store, RATINGS | {"samples": {"some": {"of": "sessions"}}})[2]
    assert drawn["some"]["ids"] == [asked]
    with pytest.raises(DataError, match=f"sessions {refused} agreed to their being rated here"):
        service.begin(store, {"name": "One", "steps": [{"kind": "ratings", "sessions": [refused]}]})
    assert work(RATINGS)["units"]["done"] == 1 and not store.ratings.count(session_id=refused)


def test_withdrawing_ends_waiting_units_and_the_study_goes_on_with_the_rest(store: Store) -> None:
    _stays, (goes, person) = held(store, "apple"), held(store, "pear")
    study = service.begin(store, RATINGS)
    agreements.withdraw(store, Who(person), [RATED], goes)
    ended = [unit for unit in store.units.all() if unit.state == "failed"]
    assert [(unit.payload["session"], unit.reason) for unit in ended] == [(goes, "gate: consent withdrawn")]
    service.start(store, study.id or 0, worker=False)
    service.work_off(store)
    found = standing(store, store.studies.get(study.id or 0))
    assert (found.study.state, found.counts["done"], found.counts["refused"], found.counts["failed"], found.redo) == ("finished", 1, 1, 0, 0)
    assert [failure.code for failure in found.failures] == ["consent"]
    assert service.retry(store, study.id or 0) == 0 and store.ratings.count(session_id=goes) == 0
    agreements.answer(store, Who(person), {RATED: True}, goes)
    assert standing(store, store.studies.get(study.id or 0)).redo == 1


def test_units_bound_after_a_refusal_are_not_asked(store: Store) -> None:
    """A row that was never there at the withdrawal, and one the gate refuses, end with the same reason."""
    id, person = held(store, "pear")
    study = service.begin(store, RATINGS)
    store.consents.add(tables.Consent(person_id=person.id, session_id=id, purpose=RATED, agreed=False))
    service.start(store, study.id or 0, worker=False)
    service.work_off(store)
    assert {unit.reason for unit in store.units.all()} == {"gate: consent withdrawn"} and not store.calls.count()


def test_an_answer_about_what_was_withdrawn_meanwhile_is_not_used_again(store: Store, work: Work) -> None:
    id, person = held(store, "pear")
    assert work(RATINGS)["units"]["done"] == 1
    twin = store.sessions.add_with_turns(
        tables.Session(title="The same words", origin="simulated", state="ended"),
        [tables.Turn(session_id=0, position=t.position, seat=t.seat, text=t.text) for t in store.sessions.turns(id)],
    )
    agreements.withdraw(store, Who(person), session_id=id)
    again = work(RATINGS)
    assert again["units"]["reused"] == 0 and again["units"]["done"] == 1
    assert store.ratings.count(session_id=twin.id) == 1 and store.ratings.count(session_id=id) == 1


def test_no_answer_is_copied_onto_a_session_somebody_refuses(store: Store, work: Work) -> None:
    """Other sessions with the same words get rows of their own; this one must not."""
    id, person = held(store, "pear")
    twin = store.sessions.add_with_turns(
        tables.Session(title="The same words", origin="simulated", state="ended"),
        [tables.Turn(session_id=0, position=t.position, seat=t.seat, text=t.text) for t in store.sessions.turns(id)],
    )
    waits = service.begin(store, RATINGS | {"steps": [RATINGS["steps"][0] | {"sessions": [id]}]})  # type: ignore[index]
    work(RATINGS | {"steps": [RATINGS["steps"][0] | {"sessions": [twin.id]}]})  # type: ignore[index]
    store.consents.add(tables.Consent(person_id=person.id, session_id=id, purpose=RATED, agreed=False))
    service.start(store, waits.id or 0, worker=False)
    service.work_off(store)
    assert not store.ratings.count(session_id=id)
    assert {unit.reason for unit in store.units.all(study_id=waits.id)} == {"gate: consent withdrawn"}


def test_figures_leave_out_the_withdrawn_and_those_without_group_figures(store: Store, work: Work) -> None:
    (whole, _), (bare, _), (goes, person) = held(store, "apple"), held(store, "plum", group=False), held(store, "pear")
    id = work(RATINGS)["id"]
    agreements.withdraw(store, Who(person), session_id=goes)
    assert set(reading.ratings(store, id)["session"]) == {whole} and set(reading.ratings(store)["session"]) == {whole}
    aside = reading.left_out(store, id)
    assert (aside.withdrawn, aside.not_agreed) == ({goes}, {bare})
    total, *_ = corpus.corpus(store, [whole, bare, goes])
    assert total.utterances == len(LINES)
    assert store.ratings.count() == 3, "existing ratings stay"
    hidden = store.ratings.find(session_id=goes)
    assert hidden is not None
    with pytest.raises(NotFound, match="was withdrawn"):
        reading.reading(store, "rating", hidden.id or 0)
    for kind, one in (("session", goes), ("rating", hidden.id), ("call", hidden.call_id)):
        with pytest.raises(WorkbenchError, match="withdr"):
            show(store, kind, one or 0)
    assert show(store, "rating", (store.ratings.find(session_id=bare) or hidden).id or 0)["session_id"] == bare


def test_a_study_of_withdrawn_sessions_alone_has_no_results(store: Store, work: Work) -> None:
    id, person = held(store, "pear")
    study = work(RATINGS)["id"]
    reused = work(RATINGS)["id"]
    assert reading.studies_with(store, "rating") == [reused, study]
    agreements.withdraw(store, Who(person), session_id=id)
    assert reading.studies_with(store, "rating") == []


def test_an_export_holds_what_everybody_agreed_to(store: Store, work: Work, tmp_path: Path) -> None:
    """Words only with *export*; values without words only with *group figures*; nothing of what was withdrawn."""
    held(store, "apple")
    (bare, _), (figureless, _), (goes, person) = held(store, "plum", export=False), held(store, "quince", export=False, group=False), held(store, "pear")
    id = work(RATINGS)["id"]
    agreements.withdraw(store, Who(person), session_id=goes)
    for n, asked in enumerate((False, True)):  # who asks for unconfirmed text gets nothing that was not agreed to
        out = export_study(store, id, tmp_path / str(n), with_unconfirmed=asked)
        words = text_of(out)
        assert "apple" in words and not [word for word in ("plum", "quince", "pear") if word in words]
        rows = [json.loads(line) for line in (out / "ratings.jsonl").read_text("utf-8").splitlines()]
        assert {row["session_id"]: (bool(row["reasoning"]), row["value"] is not None) for row in rows if row["session_id"] == bare} == {bare: (False, True)}
        assert len(rows) == 2 and figureless not in {row["session_id"] for row in rows}
        assert told(out)["left_out"] == {
            "call": {"no consent to export": 2, "withdrawn": 1}, "rating": {"no consent to export": 1, "withdrawn": 1},
            "session": {"no consent to export": 1, "withdrawn": 1},
        }  # fmt: skip
        assert told(out)["without_words"] == {"rating": {"no consent to export": 1}, "session": {"no consent to export": 1}}


def test_unconfirmed_words_leave_only_when_asked_for_by_name(store: Store, work: Work, tmp_path: Path) -> None:
    ensure_shipped(store)
    turns = [tables.Turn(session_id=0, position=n, seat=seat, text=f"{words} medlar") for n, (seat, words) in enumerate(LINES, 1)]
    store.sessions.add_with_turns(tables.Session(title="medlar", origin="imported", state="ended", client_code="K-medlar"), turns)
    report = store.reports.add(
        tables.Report(title="Report", case_brief="A woman who cannot sleep. medlar", consultation_process="They met.", content_hash="1")
    )
    steps = [*RATINGS["steps"], {"kind": "notes", "reports": [report.id]}]  # type: ignore[misc]
    samples = {"each": {"of": "sessions", "per": "client", "where": {"client": ["K-medlar"]}}}
    id = work({"name": "Unread", "steps": steps, "samples": samples})["id"]
    unit = store.units.all(study_id=id)[0]
    store.units.update(unit.id or 0, reason="unreadable: the reply began with “medlar”")
    out = export_study(store, id, tmp_path / "out")
    assert "medlar" not in text_of(out) and '"reason": "unreadable"' in (out / "units.jsonl").read_text("utf-8")
    assert told(out)["left_out"]["call"] == {"unconfirmed": 2} and told(out)["left_out"]["report"] == {"unconfirmed": 1}
    assert len((out / "ratings.jsonl").read_text("utf-8").splitlines()) == 1, "a value is no word"
    asked = export_study(store, id, tmp_path / "asked", with_unconfirmed=True)
    assert "medlar" in text_of(asked) and json.loads((asked / "manifest.json").read_text())["with_unconfirmed"] is True
    elsewhere = open_store(tmp_path / "elsewhere" / "rapport.db")
    there = import_study(elsewhere, out)
    assert [row.value for row in elsewhere.ratings.all(study_id=there.id)] == [row.value for row in store.ratings.all(study_id=id)]


def test_a_call_that_carried_a_report_before_it_was_masked_stays(store: Store, work: Work, tmp_path: Path) -> None:
    ensure_shipped(store)
    report = store.reports.add(
        tables.Report(title="Report", case_brief="Medlar Smith cannot sleep.", consultation_process="They met.", content_hash="1")
    )
    id = work({"name": "Notes", "steps": [{"kind": "notes", "reports": [report.id]}]})["id"]
    store.reports.update(report.id or 0, case_brief="[Name 1] cannot sleep.")
    confirm(store, "report", report.id or 0)
    (note,) = store.reports.notes(report.id or 0)
    confirm(store, "note", note.id or 0)
    out = export_study(store, id, tmp_path / "out")
    assert told(out)["left_out"] == {"call": {"unconfirmed": 1}} and not (out / "calls.jsonl").read_text("utf-8")


def test_what_people_said_elsewhere_leaves_by_nobodys_word(store: Store, work: Work, tmp_path: Path) -> None:
    """A researcher here may read and confirm it; what was said in a seat stays theirs who said it."""
    held(store, "apple")
    out = export_study(store, work(RATINGS)["id"], tmp_path / "out")
    elsewhere = open_store(tmp_path / "elsewhere" / "rapport.db")
    there = import_study(elsewhere, out)
    (session,) = elsewhere.sessions.all()
    confirm(elsewhere, "session", session.id or 0)
    for asked in (False, True):
        again = export_study(elsewhere, there.id or 0, tmp_path / f"again-{asked}", with_unconfirmed=asked)
        assert "apple" not in text_of(again) and told(again)["without_words"]["session"] == {"no consent to export": 1}
    allowed = standing_of(elsewhere, "session", session.id or 0).everybody
    assert allowed is not None and not allowed.allow("outside endpoint", "https://models.example/v1")
    assert len(reading.ratings(elsewhere)) == 1, "its figures are read"


@pytest.mark.parametrize("how", ["renamed", "deleted", "elsewhere"])
def test_what_was_withdrawn_does_not_come_back_by_an_export(store: Store, work: Work, tmp_path: Path, how: str) -> None:
    """Whether the study has another name by now, is gone, or its export went through another workbench."""
    id, person = held(store, "apple")
    study = work(RATINGS)["id"]
    out = export_study(store, study, tmp_path / "out")
    agreements.withdraw(store, Who(person), session_id=id)
    store.studies.update(study, name="Another name")
    if how == "renamed":
        assert import_study(store, out).id == study
    else:
        store.delete("study", study)
        if how == "elsewhere":
            manifest = json.loads((out / "manifest.json").read_text())
            (out / "manifest.json").write_text(json.dumps(manifest | {"store": "another"}))
        with pytest.raises(DataError, match="exported from this workbench"):
            import_study(store, out)
    assert [row.id for row in store.sessions.all()] == [id] and len(reading.ratings(store)) == 0

def test_titles_and_broken_off_turns_leave_with_nothing_that_was_read(store: Store, work: Work, tmp_path: Path) -> None:
    """A title is a part of what is confirmed; a turn that was broken off is none, and may have changed since."""
    ensure_shipped(store)
    turns = [tables.Turn(session_id=0, position=n, seat=seat, text=words) for n, (seat, words) in enumerate(LINES, 1)]
    broken = tables.Turn(session_id=0, position=9, seat="counselor", text="As your mayor of Medl", state="partial")
    id = store.sessions.add_with_turns(tables.Session(title="One", origin="imported", state="ended"), [*turns, broken]).id or 0
    confirm(store, "session", id)
    study = work(RATINGS)["id"]
    out = export_study(store, study, tmp_path / "whole")
    assert told(out)["left_out"] == {} and LINES[0][1] in text_of(out) and "Medl" not in text_of(out)
    store.sessions.update(id, title="Maria Oyelaran, 47")
    assert "Oyelaran" not in text_of(export_study(store, study, tmp_path / "titled"))

def test_persons_go_by_their_code_and_become_nobody_elsewhere(store: Store, work: Work, tmp_path: Path) -> None:
    _, person = held(store, "apple")
    id = work(RATINGS)["id"]
    rater = store.raters.add(tables.Rater(kind="person", name="R-01", person_id=person.id))
    rating = store.ratings.find(study_id=id)
    assert rating is not None
    store.ratings.update(rating.id or 0, rater_id=rater.id)
    out = export_study(store, id, tmp_path / "out")
    words = text_of(out)
    assert "C-apple" in words and person.secret_hash not in words
    assert not [line for line in words.splitlines() if "person_id" in line]
    elsewhere = open_store(tmp_path / "elsewhere" / "rapport.db")
    mine = people.begin(elsewhere, "mine", {"rater": []}, "R-01")
    own = elsewhere.raters.add(tables.Rater(kind="person", name="R-01", person_id=mine.id))
    import_study(elsewhere, out)
    brought = elsewhere.raters.find(name="R-01 (2)")
    assert brought is not None and not elsewhere.ratings.count(rater_id=own.id)
    who = elsewhere.persons.get(brought.person_id or 0)
    assert (who.code, who.origin, who.secret_hash, who.id != mine.id) == ("R-01", "imported", "", True)
    assert {p.code for p in elsewhere.persons.all()} == {"R-01"} and not elsewhere.consents.count()
    assert all(turn.person_id is None for session in elsewhere.sessions.all() for turn in elsewhere.sessions.turns(session.id or 0))


def test_a_forged_export_names_no_person_of_this_store(store: Store, work: Work, tmp_path: Path) -> None:
    from tests.core.studies.elsewhere import change

    held(store, "apple")
    out = export_study(store, work(RATINGS)["id"], tmp_path / "out")
    change(out, "turns", lambda row: row.update(person_id=1))
    change(out, "sessions", lambda row: row.update(client_person_id=1, elsewhere=False, made_from=[["report", 1, "x"]]))
    change(out, "agents", lambda row: row.update(released=True))
    change(out, "raters", lambda row: row.update(person_id=1))
    elsewhere = open_store(tmp_path / "elsewhere" / "rapport.db")
    people.begin(elsewhere, "mine")
    import_study(elsewhere, out)
    (session,) = elsewhere.sessions.all()
    assert session.elsewhere and session.client_person_id is None and session.made_from == []
    assert not [turn for turn in elsewhere.sessions.turns(session.id or 0) if turn.person_id]
    assert not elsewhere.agents.all(released=True) and not [one for one in elsewhere.raters.all() if one.person_id]


@pytest.mark.parametrize("purposes", [[RATED], [TAKING_PART, *[p for p in PURPOSES if p != TAKING_PART]]], ids=["not rated", "withdrawn"])
def test_ratings_from_a_file_are_not_taken_for_who_refuses(store: Store, purposes: list[str]) -> None:
    id, person = held(store, "apple")
    data = f"session,rater,instrument,item,value\n{id},R-01,wai-o-s,Q1,4\n".encode()
    assert len(import_ratings(store, "a.csv", data).ids) == 1
    agreements.withdraw(store, Who(person), purposes, id)
    with pytest.raises(DataError, match="agreed to its being rated"):
        import_ratings(store, "a.csv", data)
    assert store.ratings.count() == 1

