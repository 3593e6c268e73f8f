"""One bad unit stops no other; what is missing is asked again; what was deleted is gone and nobody's answer."""

import logging
import re
from collections.abc import Callable
from typing import Any, ClassVar

import pytest

from core import sentences
from core.llm.demo.engine import DemoEngine
from core.llm.seam import Answer, Question
from core.people import service as people
from core.reports import making
from core.studies import execute, running, service
from core.studies.progress import standing
from storage import tables, units
from storage.store import Store

Work = Callable[..., dict[str, Any]]
RATINGS: dict[str, Any] = {"name": "Ratings", "steps": [{"kind": "ratings", "items": ["Q1", "Q2", "Q9"], "repeats": 1}]}
WHOLE: dict[str, Any] = {"name": "Whole", "steps": [{"kind": "ratings", "calls": "instrument", "repeats": 1}]}


def stumbling(monkeypatch: pytest.MonkeyPatch, over: Callable[[Answer], bool]) -> None:
    """A reader that meets a fault of ours in some replies; what it says quotes a text."""
    read = execute.read_ratings

    def reading(answer: Answer, *more: Any) -> Any:
        if over(answer):
            raise ValueError(f"odd: {answer.raw}")
        return read(answer, *more)

    monkeypatch.setattr(execute, "read_ratings", reading)


# One bad unit


def test_a_fault_in_one_unit_fails_it_and_keeps_its_reply(
    store: Store, sessions: list[int], work: Work, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    met: list[str] = []
    stumbling(monkeypatch, lambda answer: not met and not met.append(answer.raw))
    with caplog.at_level(logging.ERROR):
        done = work(RATINGS)
    assert done["state"] == "finished" and (done["units"]["done"], done["units"]["failed"]) == (11, 1)
    failed = store.units.find(state="failed")
    assert failed is not None and re.fullmatch(r"fault: ValueError in test_alone\.py, line \d+", failed.reason)
    kept = store.calls.whole(store.calls.find(unit_id=failed.id).id or 0)  # type: ignore[union-attr]
    assert kept["raw"] == met[0] and kept["state"] == "unreadable"
    assert "ValueError in test_alone.py" in caplog.text and met[0] not in caplog.text
    monkeypatch.undo()
    assert units.retry(store, done["id"]) == 1
    service.start(store, done["id"], worker=False)
    service.work_off(store)
    assert service.status(store, done["id"])["units"]["done"] == 12


def test_the_same_fault_in_many_units_in_a_row_stops_the_study(
    store: Store, sessions: list[int], work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    stumbling(monkeypatch, lambda answer: True)
    monkeypatch.setattr(running, "RULES_AT_ONCE", 1)
    done = work(RATINGS | {"steps": [RATINGS["steps"][0] | {"repeats": 20}]})
    assert done["state"] == "failed" and "20 units in a row" in done["reason"]
    assert 20 <= done["units"]["failed"] < 60 and done["units"]["waiting"] > 100


def test_a_unit_that_cannot_be_bound_keeps_no_other_from_being_asked(store: Store, sessions: list[int]) -> None:
    study = service.begin(store, RATINGS)
    odd = store.units.all()[3]
    store.units.update(odd.id or 0, payload={name: value for name, value in odd.payload.items() if name != "repeat"})
    service.start(store, study.id or 0, worker=False)
    service.work_off(store)
    done = service.status(store, study.id or 0)
    assert done["state"] == "finished" and (done["units"]["done"], done["units"]["failed"]) == (11, 1)
    assert store.units.get(odd.id or 0).reason.startswith("fault: KeyError in binding.py")


# What is missing


class Forgetful(DemoEngine):
    """Leaves the given items out of a reply to a whole instrument."""

    lacks: tuple[str, ...] = ()
    asked: ClassVar[list[list[str]]] = []

    async def ask(self, question: Question, on_text: Any = None) -> Answer:
        answer = await super().ask(question, on_text)
        Forgetful.asked.append([item["id"] for item in question.inputs["items"]])
        kept = [one for one in answer.value.ratings if one.item not in self.lacks]
        return Answer(**{**vars(answer), "value": answer.value.model_copy(update={"ratings": kept})})


@pytest.fixture
def forgetful(monkeypatch: pytest.MonkeyPatch) -> type[Forgetful]:
    monkeypatch.setattr(running, "engine_of", lambda *_: Forgetful())
    monkeypatch.setattr(Forgetful, "lacks", ("Q2", "Q5"))
    monkeypatch.setattr(Forgetful, "asked", [])
    return Forgetful


def values(store: Store, study: int) -> dict[tuple[int, str], float | None]:
    rows = store.ratings.rows(study_id=study)
    assert len(rows) == len({(row["session_id"], row["item"]) for row in rows}), "an item has two readings"
    return {(row["session_id"], row["item"]): row["value"] for row in rows}


def test_what_a_reply_left_out_is_said_and_asked_again_alone(
    store: Store, sessions: list[int], work: Work, forgetful: type[Forgetful], monkeypatch: pytest.MonkeyPatch
) -> None:
    done = work(WHOLE)
    id = done["id"]
    assert done["units"]["done"] == 4 and done["items_unscored"] == 8
    found = standing(store, store.studies.get(id))
    assert found.redo == 4 and [(f.code, f.state, f.count) for f in found.failures] == [("missing", "done", 4)]
    before, forgetful.asked[:] = values(store, id), []
    assert sum(value is None for value in before.values()) == 8
    monkeypatch.setattr(forgetful, "lacks", ("Q5",))
    assert units.retry(store, id) == 4
    service.start(store, id, worker=False)
    service.work_off(store)
    assert forgetful.asked == [["Q2", "Q5"]] * 4, "only what is missing is asked again"
    after = values(store, id)
    assert service.status(store, id)["items_unscored"] == 4 and after.keys() == before.keys()
    assert all(after[at] == value for at, value in before.items() if value is not None), "what was read stays"
    monkeypatch.setattr(forgetful, "lacks", ())
    units.retry(store, id)
    service.start(store, id, worker=False)
    service.work_off(store)
    assert None not in values(store, id).values()
    assert service.status(store, id)["items_unscored"] == 0 == units.retry(store, id)


def test_a_later_study_takes_what_was_read_and_asks_for_the_rest(
    store: Store, sessions: list[int], work: Work, forgetful: type[Forgetful], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = work(WHOLE)
    monkeypatch.setattr(forgetful, "lacks", ())
    forgetful.asked[:] = []
    later = work(WHOLE)
    assert forgetful.asked == [["Q2", "Q5"]] * 4 and later["items_unscored"] == 0
    had, has = values(store, first["id"]), values(store, later["id"])
    assert has.keys() == had.keys() and None not in has.values()
    assert all(has[at] == value for at, value in had.items() if value is not None)
    assert values(store, first["id"]) == had, "the earlier study keeps what it had"
    assert work(WHOLE)["units"]["reused"] == 4


def test_a_retry_that_fails_leaves_what_was_read_done(
    store: Store, sessions: list[int], work: Work, forgetful: type[Forgetful], monkeypatch: pytest.MonkeyPatch
) -> None:
    done = work(WHOLE)
    stumbling(monkeypatch, lambda answer: True)
    units.retry(store, done["id"])
    service.start(store, done["id"], worker=False)
    service.work_off(store)
    status = service.status(store, done["id"])
    assert status["units"]["done"] == 4 and status["items_unscored"] == 8
    assert units.retry(store, done["id"]) == 4, "and it can be asked once more"


# What is gone


def test_a_record_deleted_while_a_unit_works_on_it_is_gone(
    store: Store, sessions: list[int], work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The judge answers while a person deletes the session."""
    ask, deleted = DemoEngine.ask, list[int]()

    async def slowly(self: DemoEngine, question: Question, on_text: Any = None) -> Answer:
        answer = await ask(self, question, on_text)
        if not deleted:
            deleted.append(sessions[1])
            store.delete("session", sessions[1])
        return answer

    monkeypatch.setattr(DemoEngine, "ask", slowly)
    done = work(RATINGS)
    assert done["state"] == "finished" and done["reason"] == ""
    assert done["units"] == {"planned": 12, "done": 9, "failed": 0, "reused": 0, "unscored": 0, "gone": 3, "waiting": 0, "refused": 0}
    assert store.ratings.count() == 9 and not store.units.all(state="running")
    assert units.retry(store, done["id"]) == 0, "nothing to ask again"


def test_a_unit_whose_record_went_before_it_was_bound_is_gone(store: Store, sessions: list[int]) -> None:
    study = service.begin(store, RATINGS)
    store.delete("session", sessions[0])
    service.start(store, study.id or 0, worker=False)
    service.work_off(store)
    done = service.status(store, study.id or 0)
    assert (done["units"]["gone"], done["units"]["done"], done["units"]["failed"]) == (3, 9, 0)


def test_units_that_need_what_is_gone_are_gone_too(store: Store, sessions: list[int], work: Work) -> None:
    made = work({"name": "Talk", "steps": [{"kind": "sessions", "roles": [1], "counselors": ["Hill-guided"], "most_turns": 4}]})
    session = units.session_ids(store, made["id"])[0]
    chain = {"name": "Chain", "steps": [
        {"kind": "sessions", "roles": [1], "counselors": ["Hill-guided"], "most_turns": 4},
        {"kind": "ratings", "items": ["Q1"], "repeats": 1},
    ]}  # fmt: skip
    study = service.begin(store, chain)
    service.count_known(store, study.id or 0)
    store.delete("session", session)
    service.start(store, study.id or 0, worker=False)
    service.work_off(store)
    assert service.status(store, study.id or 0)["units"]["gone"] == 2


def test_ratings_that_were_deleted_are_asked_again(store: Store, sessions: list[int], work: Work) -> None:
    """Delete a transcript, bring the same words in again, rate again: nothing is short."""
    from tests.core.studies.conftest import add_session

    assert work(RATINGS)["units"]["done"] == 12
    store.delete("session", sessions[2])
    again = add_session(store, 2, 2, None)
    done = work(RATINGS)
    assert (done["units"]["reused"], done["units"]["done"]) == (9, 3)
    assert len(store.ratings.rows(study_id=done["id"])) == 12
    assert {row["session_id"] for row in store.ratings.rows(study_id=done["id"])} == {*sessions, again} - {sessions[2]}


def test_a_rating_row_that_is_gone_is_no_answer(store: Store, sessions: list[int], work: Work) -> None:
    work(RATINGS)
    units.change(store, "DELETE FROM rating WHERE session_id = :id", {"id": sessions[0]})
    assert work(RATINGS)["units"]["done"] == 3


# Dialogues


def report(store: Store) -> int:
    return store.reports.add(
        tables.Report(
            title="Report", case_brief="A woman of 34 said she does not want to live anymore since she lost her job.",
            consultation_process="The client said: “I want to kill myself.” The counselor asked what the nights are like.",
            experience_thoughts="Going slowly helped.", content_hash="1",
        )
    ).id or 0  # fmt: skip


DIALOGUE = {"name": "Rebuilt", "steps": [{"kind": "dialogues", "methods": ["memo2demo"]}]}


def test_a_dialogue_made_in_a_study_is_marked_like_one_made_on_the_page(store: Store, work: Work, scripted: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    report(store)
    assert work(DIALOGUE)["state"] == "finished"
    in_study = store.sessions.turns(store.sessions.all()[0].id or 0)
    from core.sessions import safety

    assert any(turn.risk for turn in in_study)
    assert [turn.risk for turn in in_study] == [safety.risk_of(turn.seat, turn.text) for turn in in_study]


def test_a_dialogue_is_made_of_the_note_its_key_was_made_of(store: Store, work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    """A person edits the note while the study is between its two units."""
    id, shown = report(store), list[dict[str, Any]]()
    ask, rebuild = DemoEngine.ask, making.reconstruct_dialogue

    async def looking(self: DemoEngine, question: Question, on_text: Any = None) -> Answer:
        if question.prompt == "report/dialogue":
            shown.append(dict(question.inputs["note"]))
        return await ask(self, question, on_text)

    async def after_an_edit(*given: Any, **more: Any) -> Any:
        making.change_note(store, id, people.owner(store), reflections="Edited in between.")
        return await rebuild(*given, **more)

    monkeypatch.setattr(DemoEngine, "ask", looking)
    monkeypatch.setattr(making, "reconstruct_dialogue", after_an_edit)
    assert work(DIALOGUE)["state"] == "finished"
    assert [note.version for note in store.reports.notes(id)] == [1, 2] and shown
    assert all(note["reflections"] != "Edited in between." for note in shown)


def test_a_study_of_an_earlier_version_shows_its_reason_as_it_stands(store: Store, sessions: list[int]) -> None:
    study = service.begin(store, RATINGS)
    store.studies.update(study.id or 0, state="failed", reason="The study stopped {oddly}.")
    assert service.status(store, study.id or 0)["reason"] == "The study stopped {oddly}."
    assert sentences.english("") == ""
