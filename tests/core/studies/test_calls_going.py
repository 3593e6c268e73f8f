"""Calls carry words and make them: they leave, are shown and are deleted as all the records do that they hold words of."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.commands.showing import show
from core.consent import PURPOSES
from core.errors import NotAllowed
from core.llm.agents import ensure_shipped
from core.people import agreements
from core.people import service as people
from core.people.agreements import Who
from core.reports import making
from core.reports import service as reports
from core.studies.export import export_study
from storage.store import Store
from tests.core.studies.conftest import LINES, confirm
from tests.core.studies.test_consent import text_of, told

Work = Callable[..., dict[str, Any]]


REPORT = ("Title: The mayor\nType: Exhaustion\nMethod: Person-centred\nCase brief: She cannot sleep. She was the only mayor of Kleinstadtville in 2011.\n"
    "Consultation process: She said that she is tired, and we met ten times.\nExperience and thoughts: She found her own step.\n")  # fmt: skip


def of_report(store: Store, code: str = "C-7") -> int:
    """A report of a client known by code."""
    ensure_shipped(store)
    report = reports.take_report(store, "report.txt", REPORT).reports[0]
    agreements.set_codes(store, "report", report.id or 0, client_code=code)
    return report.id or 0


@pytest.mark.parametrize("step", [{"kind": "dialogues", "methods": ["roleplay"]}, {"kind": "notes"}], ids=["dialogue", "note"])
def test_a_sentence_taken_out_of_a_report_leaves_in_no_call(store: Store, work: Work, tmp_path: Path, step: dict[str, str]) -> None:
    report = of_report(store)
    id = work({"name": "Made", "steps": [step | {"reports": [report]}]})["id"]
    store.reports.update(report, case_brief="She cannot sleep.")
    confirm(store, "report", report)
    for note in store.reports.notes(report):
        confirm(store, "note", note.id or 0)
    for session in store.sessions.all():
        confirm(store, "session", session.id or 0)
    out = export_study(store, id, tmp_path / "out")
    assert "Kleinstadtville" not in (out / "calls.jsonl").read_text("utf-8")
    assert told(out)["left_out"] == {"call": {"unconfirmed": store.calls.count()}}
    again = work({"name": "Made again", "seed": 2, "steps": [step | {"reports": [report]}]})["id"]
    out = export_study(store, again, tmp_path / "again")
    assert told(out)["left_out"] == {} and (out / "calls.jsonl").read_text("utf-8"), "what was made of the words as they are goes"


@pytest.mark.parametrize("ends", [("export",), tuple(PURPOSES)], ids=["not exported", "withdrawn"])
def test_the_call_that_rebuilt_a_dialogue_stays_where_the_dialogue_stays(
    store: Store, work: Work, tmp_path: Path, ends: tuple[str, ...]
) -> None:
    report = of_report(store)
    confirm(store, "report", report)
    id = work({"name": "Dialogues", "steps": [{"kind": "dialogues", "methods": ["roleplay"], "reports": [report]}]})["id"]
    (session,), calls = store.sessions.all(), [call.id or 0 for call in store.calls.all()]
    said = [turn.text for turn in store.sessions.turns(session.id or 0)]
    assert said[1] in text_of(export_study(store, id, tmp_path / "before"))
    ana = people.begin(store, "secret of Ana", {"researcher": []}, "R-1")
    agreements.withdraw(store, Who(None, "client", "C-7", ana), ends, session.id)
    words = text_of(export_study(store, id, tmp_path / "out"))
    assert not [line for line in said if line in words]
    if len(ends) > 1:
        for call in calls:
            with pytest.raises(NotAllowed):
                show(store, "call", call)
    store.delete("session", session.id or 0)
    assert not store.calls.count(), "it goes with the dialogue"


def test_every_reply_on_the_way_to_a_dialogue_goes_with_it(store: Store, scripted: Any) -> None:
    """An unreadable reply and a first try hold the dialogue in other words."""
    report = of_report(store)
    talk = {"turns": [{"seat": seat, "text": f"{text} {n}", "stage": "reception"} for n, (seat, text) in enumerate(LINES)]}
    engine = scripted("not a dialogue at all", json.dumps(talk))
    session = asyncio.run(making.reconstruct_dialogue(store, engine, report, "roleplay"))
    assert len(engine.asked) == store.calls.count() == 3
    store.delete("session", session.id or 0)
    assert not store.calls.count()
