"""What is deleted for good is nowhere any more: no row, text of a call, log, export or copy holds its words."""

import asyncio
import json
import os
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from core import instruments
from core.consent import RATED
from core.errors import DataError, ModelError, NotFound
from core.judging.service import turns_to_judge
from core.llm.agents import ensure_shipped
from core.people import agreements
from core.people.agreements import Who
from core.reports import making
from core.reports import service as reports
from core.reports.drafts import shown_hash
from core.roles import service as roles
from core.sessions import service as sessions
from core.studies import service
from core.studies.export import export_study
from storage import reclaiming, tables, units, writing
from storage.ledger import Ledger
from storage.store import Store, open_store
from tests.conftest import ScriptedEngine
from tests.held import everything_in
from tests.judging import rate_session
from tests.persons import somebody

NOTE = '{"client_basics": "notebasics", "problems": "noteproblems", "goals": [], "techniques": [], "steps": [], "reflections": "notewords"}'
SORTED = (
    '{"title": "A", "type": "", "method": "", "case_brief": "sortedword slept badly.", "consultation_process": "They met.", '
    '"experience_thoughts": "", "topic": "career", "school": "humanistic"}'
)


def dialogue(word: str, rounds: int = 5) -> str:
    said = [f'{{"seat": "client", "text": "{word} {n}", "stage": "reception"}}, {{"seat": "counselor", "text": "I see {n}.", "stage": "reception"}}' for n in range(rounds)]
    return f'{{"turns": [{", ".join(said)}]}}'


def report(store: Store, name: str) -> int:
    """A report with every kind of call: sorted unmasked, an unusable note, a note, a dialogue told again."""
    text = f"Case brief\n{name}brief: Helen Carter of {name}town slept badly.\n\nConsultation process\n{name}process, they met four times.\n"
    (saved,) = reports.take_report(store, f"{name}.txt", text).reports
    id, reader = saved.id or 0, somebody(store, "reader")
    asyncio.run(reports.sort_report(store, ScriptedEngine(SORTED.replace("sortedword", f"{name}sorted")), id))
    with pytest.raises(ModelError):
        asyncio.run(making.write_note(store, ScriptedEngine(f"{name}unusable prose"), id))
    reports.confirm_masking(store, id, reader, shown_hash(*reports.unmasked(store, id)))
    asyncio.run(making.write_note(store, ScriptedEngine(NOTE.replace("note", f"{name}note")), id))
    making.change_note(store, id, reader, problems=f"{name}typed")
    engine = ScriptedEngine(dialogue(f"{name}firsttry", 1), dialogue(f"{name}told"))
    asyncio.run(making.reconstruct_dialogue(store, engine, id))
    return id


def held(store: Store, name: str, **more: Any) -> tables.Session:
    turns = [tables.Turn(session_id=0, position=n, seat=seat, text=f"{name}{seat}{n} {'words ' * 6}") for n, seat in enumerate(["client", "counselor"] * 3, 1)]
    return store.sessions.add_with_turns(tables.Session(title=f"{name}title", origin="imported", **more), turns)


def study_over(store: Store, ids: list[int], name: str = "Judged") -> int:
    instrument = next(i for i in service.known_instruments().values() if not i.comparison and len(i.entries) == 12)
    judge = store.agents.all(seat="judge")[0].name
    step = {"kind": "ratings", "instrument": instrument.id, "judges": [judge], "sessions": ids, "items": list(instrument.entries[:2]), "repeats": 1}
    study = service.begin(store, {"name": name, "steps": [step]})
    service.start(store, study.id or 0, worker=False)
    service.work_off(store)
    return study.id or 0


def failed_call(store: Store, session: int, words: str, study: int) -> None:
    """A call that got no answer, with what an endpoint said of the text."""
    fields = {
        "prompt": "judge/item", "prompt_version": 1, "prompt_hash": "", "engine": "openai", "state": "failed", "study_id": study,
        "reason": f"refused: {words}", "attempts": [{"at": "", "seconds": 0, "error": words}], "about": [("session", session, 0)],
        "cost": 0.5, "tokens_in": 7,
    }  # fmt: skip
    store.calls.save(fields, [{"role": "user", "content": words}], "")


def test_each_kind_goes_with_all_its_words(store: Store, tmp_path: Path) -> None:
    ensure_shipped(store)
    first, second = report(store, "aspen"), report(store, "birch")
    kept = held(store, "keeper", client_code="C-9")
    one, other = held(store, "cedar", client_code="C-1", counselor_code="K-1"), held(store, "dogwood", client_code="C-2")
    third = held(store, "elm", counselor_code="K-2")
    study = study_over(store, [s.id or 0 for s in (kept, one, other, third)])
    failed_call(store, one.id or 0, "cedarfailed", study)
    for unit in store.units.all(study_id=study):
        if unit.result.get("session") == one.id:
            store.units.update(unit.id or 0, reason="unreadable: cedarreason")
    store.feedback.add(tables.Feedback(session_id=one.id or 0, rater_id=1, content={"words": "cedarfeedback"}))
    store.outcomes.add(tables.Outcome(client_code="C-2", date="2026-01-01", scores={"dogwoodscore": 1}))
    asyncio.run(_role(store, "fir"))
    card = store.roles.find(title="fir")
    assert card is not None and store.path is not None
    roles.change_role(store, card.id or 0, somebody(store, "typist"), text="firedited in a second version")
    spoken = sessions.begin(store, store.roles.get(card.id or 0), *_seats(store))
    asyncio.run(sessions.converse(store, ScriptedEngine("firclient says"), ScriptedEngine("fircounselor says"), spoken.id or 0))
    export_study(store, study, store.path.parent / "exports" / "one")
    (store.path.parent / "rapport.before-0001.db").write_bytes(b"cedar before the update")

    planted = {
        ("session", one.id): ["cedar"], ("client", "C-2"): ["dogwood"], ("counselor", "K-2"): ["elm"],
        ("report", first): ["aspen", "Helen Carter of aspentown"], ("role", card.id): ["firedited", "firclient", "fircounselor", "firpersona"],
    }  # fmt: skip
    before = units.figures(store, study)
    for (kind, id), words in planted.items():
        assert all(word in everything_in(store) for word in words), (kind, "was not planted")
        receipt = store.delete(kind, id or 0)
        left = everything_in(store)
        assert receipt.finished and receipt.rows
        assert [word for word in words if word in left] == [], (kind, receipt)
    assert "keeperclient1" in left and "birchtold" in left and "birchbrief" in left
    after = units.figures(store, study)
    assert (after.calls, after.cost, after.tokens_in) == (before.calls, before.cost, before.tokens_in)
    assert {u.state for u in store.units.all(study_id=study) if not u.result} == {"gone"}
    assert service.status(store, study)["units"]["done"] == 2
    store.delete("report", second)
    store.delete("study", study)
    store.delete("session", kept.id or 0)
    assert not any(word in everything_in(store) for word in ("birch", "keeper", "Helen Carter"))
    assert store.calls.all() == []


async def _role(store: Store, name: str) -> None:
    card = await roles.build_role(store, _demo(), seed=4, title=name)
    store.roles.update(card.id or 0, demographics=card.demographics | {"persona": "firpersona " + str(card.demographics["persona"])})
    call = store.calls.all()[-1]
    fields = {"prompt": "role/compile", "prompt_version": 1, "prompt_hash": "", "engine": "demo"}
    id = store.calls.save(fields, [{"role": "user", "content": "firpersona in a message"}], "firpersona raw")
    store.database.write(lambda connection: writing.link_call(connection, id, [writing.About("role", card.id or 0)]))
    assert units.query(store, "SELECT 1 FROM call_record WHERE call_id = :id AND kind = 'role'", id=call.id)


def _demo() -> Any:
    from core.llm.engines import demo_engine

    return demo_engine()


def _seats(store: Store) -> tuple[tables.Agent, tables.Agent]:
    return store.agents.all(seat="client")[0], store.agents.all(seat="counselor")[0]


def test_branches_are_asked_about(store: Store) -> None:
    parent, ana = held(store, "parent"), somebody(store, "P-ANA")
    child = sessions.branch(store, parent.id or 0, 3, ana)
    grandchild = sessions.branch(store, child.id or 0, 2, ana)
    assert store.branches("session", [parent.id or 0]) == 2
    store.delete("session", parent.id or 0, branches=False)
    assert store.sessions.get(child.id or 0).parent_id is None and "parentclient1" in everything_in(store)
    assert store.branches("session", [child.id or 0]) == 1
    store.delete("session", child.id or 0)
    assert store.sessions.find(id=grandchild.id) is None and "parentclient" not in everything_in(store)


def live(store: Store) -> tuple[tables.Session, tables.Person, tables.Person]:
    """Ana speaks as client, twice; the counselor answers; Ben then counsels."""
    ensure_shipped(store)
    role = store.roles.add(tables.RoleCard(title="Anna", text="You are somebody.", demographics={"persona": "p"}))
    session = sessions.begin(store, role, *_seats(store))
    id, ana, ben = session.id or 0, somebody(store, "P-ANA"), somebody(store, "P-BEN")
    sessions.take_seat(store, id, "client", ana)
    for n in (1, 2):
        sessions.say(store, id, "client", f"anaword{n} I tell you", ana)
        asyncio.run(sessions.converse(store, None, ScriptedEngine(f"benagent{n} answers"), id))
    sessions.take_seat(store, id, "counselor", ben)
    sessions.say(store, id, "client", "anaword3 and more", ana)
    sessions.say(store, id, "counselor", "benword1 I hear", ben)
    return store.sessions.get(id), ana, ben


def test_a_turn_keeps_who_spoke_it(store: Store) -> None:
    session, ana, ben = live(store)
    spoke = [(t.seat, t.speaker, t.person_id) for t in store.sessions.turns(session.id or 0)][1:]
    assert spoke == [("client", "person", ana.id), ("counselor", "agent", None)] * 2 + [("client", "person", ana.id), ("counselor", "person", ben.id)]
    child = sessions.branch(store, session.id or 0, 4, ana)
    assert [t.person_id for t in store.sessions.turns(child.id or 0)] == [None, ana.id, None, ana.id]


def test_a_person_s_own_words_go_from_branches_too(store: Store) -> None:
    session, ana, _ = live(store)
    child = sessions.branch(store, session.id or 0, 4, ana)
    asyncio.run(sessions.converse(store, None, ScriptedEngine("childagent"), child.id or 0))
    receipt = store.delete_words(ana.id or 0, session.id or 0)
    left = everything_in(store)
    assert "anaword" not in left and "benword1" in left
    assert "benagent" not in left and "childagent" not in left, "an engine's reply may quote her"
    assert (receipt.rows["turn"], receipt.rows["reply"]) == (5, 4)
    for id in (session.id or 0, child.id or 0):
        turns = store.sessions.turns(id)
        assert [t.state for t in turns if t.person_id == ana.id] and {t.state for t in turns if t.person_id == ana.id} == {"deleted"}
        assert turns[0].state == "complete" and turns[0].text, "what was said before her stays"
        assert {t.state for t in turns[1:]} == ({"deleted", "complete"} if id == session.id else {"deleted"})
        with pytest.raises(Exception, match="deleted what they said"):
            turns_to_judge(store, store.sessions.get(id))
    assert {row["id"] for row in service.session_rows(store)} & {session.id, child.id} == set()
    with pytest.raises(NotFound):
        store.delete_words(somebody(store, "P-NOBODY").id or 0, session.id or 0)


def test_an_answer_about_what_was_deleted_meanwhile_is_not_kept(store: Store) -> None:
    session, study = held(store, "gonebefore"), store.studies.add(tables.Study(name="One"))
    store.delete("session", session.id or 0)
    failed_call(store, session.id or 0, "gonebefore late", study.id or 0)
    assert "gonebefore" not in everything_in(store)
    assert (units.figures(store, study.id or 0).requests, units.figures(store, study.id or 0).cost) == (1, 0.5)


def test_no_call_is_lost_while_something_is_deleted(store: Store) -> None:
    """A worker commits calls that share texts with what is being deleted, all the while."""
    from storage.writing import pack_call, save_call

    assert store.path is not None
    shared, ledger, stop = '{"verdict": "tie"}', Ledger(store.path), threading.Event()
    fields = {"prompt": "p", "prompt_version": 1, "prompt_hash": "", "engine": "demo", "purpose": "kept"}
    written: list[int] = []

    def work() -> None:
        while not stop.is_set():
            written.append(ledger.write_now(lambda c: save_call(c, pack_call(fields, [{"role": "user", "content": f"text {len(written)}"}], shared))))

    doomed = [held(store, f"doomed{n}").id or 0 for n in range(6)]
    for id in doomed:
        for n in range(20):
            store.calls.save(fields | {"about": [("session", id, 0)]}, [{"role": "user", "content": f"doomed {id} {n}"}], shared)
    thread = threading.Thread(target=work)
    thread.start()
    receipts = []
    for id in doomed:
        seen, until = len(written), time.monotonic() + 30
        while len(written) < seen + 3 and time.monotonic() < until:
            time.sleep(0.005)
        receipts.append(store.delete("session", id))
    stop.set()
    thread.join()
    ledger.close()
    assert all(receipt.rows["call"] == 20 and receipt.rows["turn"] == 6 for receipt in receipts), "rows removed, not a difference of counts"
    assert len(written) >= 18 and all(store.calls.whole(id)["raw"] == shared and store.calls.whole(id)["messages"][0]["content"] for id in written)


def test_what_a_reader_holds_back_is_overwritten_at_the_next_start(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reclaiming, "PATIENCE_MS", 50)
    session = held(store, "secretword")
    assert store.path is not None
    with closing(sqlite3.connect(store.path)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM session").fetchone()
        assert not store.delete("session", session.id or 0).finished
    store.close()
    again = open_store(store.path)
    assert again.clean_up() and "secretword" not in everything_in(again)
    again.close()


def test_no_number_is_given_twice(store: Store) -> None:
    makers: dict[str, Callable[[], int]] = {
        "session": lambda: held(store, "x").id or 0,
        "report": lambda: store.reports.add(tables.Report(title="r", content_hash="h")).id or 0,
        "role": lambda: store.roles.add(tables.RoleCard(title="r")).id or 0,
        "study": lambda: store.studies.add(tables.Study(name="s")).id or 0,
    }
    for kind, make in makers.items():
        before = make()
        store.delete(kind, before)
        assert make() > before, kind


def test_ratings_of_a_deleted_session_are_not_reused(store: Store) -> None:
    ensure_shipped(store)
    first = held(store, "again")
    study_over(store, [first.id or 0])
    store.delete("session", first.id or 0)
    second = held(store, "again")
    study = study_over(store, [second.id or 0])
    counts = service.status(store, study)["units"]
    assert (counts["done"], counts["reused"]) == (2, 0) and len(store.ratings.rows(study_id=study)) == 2


def exported(store: Store, out: Path, *names: str) -> int:
    """A judged study of sessions of these names, exported; returns the first session's id."""
    ensure_shipped(store)
    made = [held(store, name).id or 0 for name in names]
    export_study(store, study_over(store, made), out)
    return made[0]


def test_only_what_an_export_wrote_goes_with_it(store: Store) -> None:
    assert store.path is not None
    data = store.path.parent
    first = exported(store, data, "atop")  # beside the database itself
    (data / "my-own-notes.txt").write_text("mine")
    second = exported(store, data / "exports", "inside")
    (data / "exports" / "paper-draft.docx").write_text("mine too")
    (data / "exports" / "study-6").mkdir()
    store.delete("session", first)
    store.delete("session", second)
    assert store.path.exists() and (data / "my-own-notes.txt").read_text() == "mine"
    assert sorted(p.name for p in (data / "exports").iterdir()) == ["paper-draft.docx", "study-6"]
    assert not (data / "turns.jsonl").exists() and "atopclient" not in everything_in(store)


def test_an_export_of_another_store_is_left_alone(store: Store, tmp_path: Path) -> None:
    assert store.path is not None
    other = open_store(tmp_path / "other" / "rapport.db")
    out = store.path.parent / "from a colleague"
    same = exported(other, out, "theirs")
    other.close()
    mine = held(store, "mine")
    assert mine.id == same
    store.delete("session", same)
    assert (out / "turns.jsonl").exists()


def test_an_export_whose_calls_alone_hold_the_words_goes(store: Store) -> None:
    ensure_shipped(store)
    (saved,) = reports.take_report(store, "a.txt", "Case brief\nquincebrief slept badly.\n\nConsultation process\nThey met.\n").reports
    writer = store.agents.all(seat="writer")[0].name
    study = service.begin(store, {"name": "Notes", "steps": [{"kind": "notes", "writer": writer, "reports": [saved.id]}]})
    service.start(store, study.id or 0, worker=False)
    service.work_off(store)
    assert store.path is not None
    out = store.path.parent / "exports" / "n"
    export_study(store, study.id or 0, out)
    assert not [file for file in out.rglob("*") if file.is_file() and b"quincebrief" in file.read_bytes()]
    export_study(store, study.id or 0, out, with_unconfirmed=True)
    assert "quincebrief" in (out / "calls.jsonl").read_text()
    packed = shutil.make_archive(str(store.path.parent / "n"), "zip", out)
    assert store.delete("report", saved.id or 0).files == 2
    assert not out.exists() and not Path(packed).exists() and "quincebrief" not in everything_in(store)


def test_a_kill_after_the_deletion_leaves_the_rest_to_the_next_start(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    assert store.path is not None
    id = exported(store, store.path.parent / "exports" / "one", "killedhere")
    (store.path.parent / "rapport.before-0001.db").write_bytes(b"killedhere before the update")

    def killed() -> tuple[int, bool]:
        raise KeyboardInterrupt

    monkeypatch.setattr(store, "_cleaned", killed)
    with pytest.raises(KeyboardInterrupt):
        store.delete("session", id)
    assert "killedhere" in everything_in(store)
    store.close()
    again = open_store(store.path)
    assert "killedhere" not in everything_in(again) and again.clean_up()
    again.close()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_only_regular_files_are_looked_into(store: Store) -> None:
    """A pipe would be waited for without end; a link leads out of the data folder, or in a circle."""
    assert store.path is not None
    data = store.path.parent
    id = exported(store, data / "exports" / "one", "regular")
    fakes = [data / "pipes" / "manifest.json", data / "pipes" / "some.zip", data / "linked" / "study.json"]
    for fake in fakes:
        fake.parent.mkdir(exist_ok=True)
        os.mkfifo(fake)
    (data / "linked" / "manifest.json").write_bytes((data / "exports" / "one" / "manifest.json").read_bytes())
    (data / "linked" / "round").symlink_to(data, target_is_directory=True)
    deleting = threading.Thread(target=store.delete, args=("session", id), daemon=True)
    deleting.start()
    deleting.join(5)
    waits = deleting.is_alive()
    while deleting.is_alive():  # let a deletion that waits for a pipe go on, so that it does not outlive the test
        for fake in fakes:
            with suppress(OSError):
                os.close(os.open(fake, os.O_WRONLY | os.O_NONBLOCK))
        deleting.join(0.05)
    assert not waits and not (data / "exports" / "one").exists() and all(fake.exists() for fake in fakes)
    shutil.rmtree(data / "pipes")
    shutil.rmtree(data / "linked")


def test_words_deleted_while_a_call_is_under_way_do_not_come_back(store: Store) -> None:
    """Live, and in a study: what was asked before the deletion is answered after it."""
    session, ana, ben = live(store)
    for person in (ana, ben):
        agreements.answer(store, Who(person), {RATED: True}, session.id)
    id = session.id or 0
    class Slow(ScriptedEngine):
        async def ask(self, question: Any, on_text: Any = None) -> Any:
            answer = await super().ask(question, on_text)
            store.delete_words(ana.id or 0, id)
            return answer

    judge = ScriptedEngine('{"reasoning": "anaword1", "evidence": ["anaword1 I tell you"], "counter_evidence": [], "rating": 4}')
    rater = store.raters.ensure("model", "m")
    slow = Slow(*judge.script)
    with pytest.raises(NotFound):
        asyncio.run(rate_session(store, slow, rater, instruments.load("wai-o-s"), store.sessions.get(id), ["Q1"]))
    assert "anaword" not in everything_in(store) and store.ratings.count() == 0


def test_a_branch_of_deleted_words_has_the_gap(store: Store) -> None:
    session, ana, _ = live(store)
    store.delete_words(ana.id or 0, session.id or 0)
    child = sessions.branch(store, session.id or 0, 7, ana)
    assert [t.state for t in store.sessions.turns(child.id or 0)] == ["complete", *["deleted"] * 5, "complete"]
    with pytest.raises(DataError, match="deleted what they said"):
        turns_to_judge(store, child)


def test_a_failed_unit_goes_with_its_report(store: Store) -> None:
    ensure_shipped(store)
    (saved,) = reports.take_report(store, "a.txt", "Case brief\nmedlar slept badly.\n\nConsultation process\nThey met.\n").reports
    writer = store.agents.all(seat="writer")[0].name
    study = service.begin(store, {"name": "Notes", "steps": [{"kind": "notes", "writer": writer, "reports": [saved.id]}]})
    (unit,) = store.units.all(study_id=study.id)
    store.units.update(unit.id or 0, state="failed", reason="refused: medlar said so")
    store.delete("report", saved.id or 0)
    assert store.units.get(unit.id or 0).state == "gone" and "medlar" not in everything_in(store)


def test_sessions_with_the_same_words_keep_their_own_call(store: Store) -> None:
    ensure_shipped(store)
    first, second = held(store, "twin").id or 0, held(store, "twin").id or 0
    study_over(store, [first])
    study_over(store, [second], "Again")
    store.delete("session", first)
    kept = store.ratings.rows(session_id=second)
    assert len(kept) == 2 and all(store.calls.whole(row["call_id"])["raw"] for row in kept)
    store.delete("session", second)
    assert "twinclient" not in everything_in(store)


def former(store: Store, study: int, name: str) -> Path:
    """An export of the study as the first format wrote it: no store, no list of records."""
    assert store.path is not None
    out = export_study(store, study, store.path.parent / "exports" / name)
    manifest = json.loads((out / "manifest.json").read_text())
    (out / "manifest.json").write_text(json.dumps({"format": manifest["format"], "version": 1, "files": manifest["files"]}))
    return out


def test_a_former_export_goes_with_its_study_and_that_of_another_stays(store: Store) -> None:
    ensure_shipped(store)
    one, other = held(store, "alder"), held(store, "birch")
    first, second = study_over(store, [one.id or 0]), study_over(store, [other.id or 0])
    store.studies.update(second, name="Another")
    goes, stays = former(store, first, "first"), former(store, second, "second")
    assert store.delete("study", first).files == 1
    assert not goes.exists() and (stays / "manifest.json").exists()


def test_a_deletion_looks_for_files_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    ensure_shipped(store)
    one = held(store, "alder")
    former(store, study_over(store, [one.id or 0]), "first")
    looked, look = list[Path](), reclaiming.exports_holding
    monkeypatch.setattr(reclaiming, "exports_holding", lambda folder, *given: looked.append(folder) or look(folder, *given))
    assert store.delete("session", one.id or 0).files == 1 and len(looked) == 1
