"""What follows at once from what people agree to, refuse and withdraw; and what they see of it."""

import threading
from collections.abc import Sequence
from typing import Any

import pytest

from core import clearance
from core.clearance import lacking
from core.commands.showing import show
from core.errors import DataError, NotAllowed, NotFound
from core.llm.agents import ensure_shipped
from core.llm.asking import now
from core.llm.demo.engine import DemoEngine
from core.people import agreements, answers
from core.people import service as people
from core.people.agreements import Who
from core.reports import making
from core.sessions import importing
from core.sessions import service as sessions
from core.studies import running, service
from storage import standing, tables
from storage.store import Store
from tests.held import everything_in

RATINGS: dict[str, Any] = {"name": "Ratings", "steps": [{"kind": "ratings", "items": ["Q1", "Q2", "Q9"], "repeats": 1}]}
X = "https://models.example/v1"
EVERY = ("rated here", "supervision", "group figures", "export")


@pytest.fixture
def ana(store: Store) -> tables.Person:
    return people.begin(store, "secret-a", {"client": []}, "A-01")


@pytest.fixture
def ben(store: Store) -> tables.Person:
    return people.begin(store, "secret-b", {"client": []}, "B-01")


def spoken(store: Store, person: tables.Person, word: str, agrees: Sequence[str] = EVERY) -> int:
    """A session in which a person sat, agreed and spoke."""
    ensure_shipped(store)
    role = store.roles.add(tables.RoleCard(title=f"Role {word}", text="You lost your job."))
    client, counselor = (store.agents.find(seat=seat) for seat in ("client", "counselor"))
    id = sessions.begin(store, role, client, counselor).id or 0
    sessions.take_seat(store, id, "client", person)
    agreements.answer(store, Who(person), {"taking part": True} | {one: one in agrees for one in EVERY}, id)
    sessions.say(store, id, "client", f"{word} I lost my job.", person)
    sessions.stop_session(store, id)
    return id


class Told(DemoEngine):
    """The demo engine; something happens while its first answer is under way."""

    def __init__(self, meanwhile: Any) -> None:
        super().__init__()
        self.meanwhile, self.asked = meanwhile, 0

    async def ask(self, question: Any, on_text: Any = None) -> Any:
        self.asked += 1
        if self.asked == 1:
            self.meanwhile(question.about[-1][1])  # kinds are in their order, so a session comes last
        return await super().ask(question, on_text)


@pytest.mark.parametrize("purposes", [["rated here"], ["taking part"]])
def test_what_is_withdrawn_while_a_study_runs_is_rated_no_more(
    store: Store, ana: tables.Person, ben: tables.Person, monkeypatch: pytest.MonkeyPatch, purposes: list[str]
) -> None:
    """The answer under way is not kept, the units that wait are not asked; the other's session is rated whole."""
    spoken(store, ana, "anaword"), spoken(store, ben, "benword")
    whose = {1: ana, 2: ben}
    met: list[int] = []
    monkeypatch.setattr(running, "RULES_AT_ONCE", 1)

    def withdraws(session: int) -> None:
        met.append(session)
        agreements.withdraw(store, Who(whose[session]), purposes)

    engine = Told(withdraws)
    monkeypatch.setattr(running, "engine_of", lambda *_: engine)
    study = service.begin(store, RATINGS)
    service.start(store, study.id or 0, worker=False)
    service.work_off(store)
    done, gone = service.status(store, study.id or 0), met[0]
    assert done["state"] == "finished" and (done["units"]["done"], done["units"]["refused"]) == (3, 3)
    assert store.ratings.count(session_id=gone) == 0 and store.ratings.count(session_id=3 - gone) == 3
    assert engine.asked == 4, "one answer was under way, two were never asked"
    assert {unit.reason.split(":")[0] for unit in store.units.all(state="failed")} == {"gate"}
    assert done["calls"] == 4, "what was asked stays counted"
    assert store.sessions.get(gone).withdrawn if purposes == ["taking part"] else not store.sessions.get(gone).withdrawn


def about(unit: tables.Unit) -> list[int]:
    return [unit.payload[name] for name in ("session", "first", "second") if name in unit.payload]


def test_waiting_units_end_at_once_and_only_those(store: Store, ana: tables.Person, ben: tables.Person) -> None:
    first, second = spoken(store, ana, "anaword"), spoken(store, ben, "benword")
    study = service.begin(store, RATINGS)
    compared = tables.Unit(study_id=study.id or 0, position=99, kind="comparison", payload={"first": second, "second": first})
    store.units.add(compared)
    agreements.withdraw(store, Who(ana), ["supervision"])
    assert store.units.count(state="failed") == 0, "no unit was for supervision"
    agreements.withdraw(store, Who(ana), ["rated here"], first)
    ended = [unit for unit in store.units.all() if unit.state == "failed"]
    assert len(ended) == 4 and all(first in about(unit) for unit in ended)
    waiting = [about(unit) for unit in store.units.all(state="planned")]
    assert waiting == [[second]] * 3


def test_an_endpoint_on_this_machine_needs_no_consent_to_an_address(store: Store, ana: tables.Person) -> None:
    """Units that wait to be judged by a model on this machine are not ended when another use is withdrawn."""
    id = spoken(store, ana, "anaword")
    ends = {}
    for name, url in (("here", "http://127.0.0.1:9/v1"), ("outside", X + "/")):
        endpoint = store.endpoints.add(tables.Endpoint(name=name, base_url=url, model="m"))
        judge = store.agents.add(tables.Agent(name=name, seat="judge", engine="openai", endpoint_id=endpoint.id, hash=name))
        study = store.studies.add(tables.Study(name=name, state="running"))
        unit = tables.Unit(study_id=study.id or 0, position=0, kind="rating", payload={"session": id, "judge": judge.id})
        ends[name] = store.units.add(unit).id or 0
    agreements.withdraw(store, Who(ana), ["export"])
    assert {name: store.units.get(unit).state for name, unit in ends.items()} == {"here": "planned", "outside": "failed"}


def test_everything_withdrawn_hides_and_agreeing_again_shows(store: Store, ana: tables.Person, ben: tables.Person) -> None:
    first, second = spoken(store, ana, "anaword"), spoken(store, ben, "benword")
    agreements.withdraw(store, Who(ana))
    assert store.sessions.get(first).withdrawn and not store.sessions.get(second).withdrawn
    assert clearance.withdrawn(store) == {first} and [row["id"] for row in store.sessions.overview()] == [second]
    agreements.answer(store, Who(ana), {"taking part": True}, first)
    assert not store.sessions.get(first).withdrawn and first in lacking(store, "rated here"), "nothing else came back"


def test_the_command_line_shows_no_word_of_what_was_withdrawn(store: Store, ana: tables.Person) -> None:
    id = spoken(store, ana, "anaword")
    rater = store.raters.ensure("person", "R-01")
    rated = tables.Rating(rater_id=rater.id or 0, session_id=id, instrument="hill", instrument_version=1, language="en", item="Q1", reasoning="anaword")
    rating = store.ratings.add(rated).id
    assert "anaword" in str(show(store, "session", id)) and "anaword" in str(show(store, "rating", rating))
    agreements.withdraw(store, Who(ana))
    for kind, record in (("session", id), ("rating", rating)):
        with pytest.raises(NotAllowed, match="withdrew it"):
            show(store, kind, record)


def test_one_withdraws_for_one_session_or_for_all_and_for_nobody_else(store: Store, ana: tables.Person, ben: tables.Person) -> None:
    first, second, other = (spoken(store, who, word) for who, word in ((ana, "one"), (ana, "two"), (ben, "three")))
    agreements.withdraw(store, Who(ana), ["rated here"], first)
    assert lacking(store, "rated here") == {first}
    agreements.withdraw(store, Who(ana), ["rated here"])
    assert lacking(store, "rated here") == {first, second} and other not in lacking(store, "export")
    assert not any(row.withdrawn for row in Who(ben).rows(store))


def test_a_joined_browser_withdraws_for_the_same_person_and_a_like_code_for_nobody(store: Store, ana: tables.Person) -> None:
    id, other = spoken(store, ana, "anaword"), people.begin(store, "secret-a2", {"client": []}, "A-01")
    agreements.withdraw(store, Who(other))
    assert not store.sessions.get(id).withdrawn, "the same code, another person"
    people.join(store, other.id or 0, ana.id or 0)
    assert store.sessions.get(id).withdrawn, "now it is theirs"
    people.part(store, other.id or 0)
    assert not store.sessions.get(id).withdrawn


def test_codes_refused_on_paper_hide_and_codes_set_later_follow(store: Store, ana: tables.Person) -> None:
    researcher = people.begin(store, "secret-r")
    brought = store.sessions.add_with_turns(
        tables.Session(title="Case", origin="imported", state="ended"), [tables.Turn(session_id=0, position=1, seat="client", text="I.")]
    ).id or 0  # fmt: skip
    who = Who(seat="client", code="K-7", entered_by=researcher)
    agreements.withdraw(store, who)
    assert not store.sessions.get(brought).withdrawn
    agreements.set_codes(store, "session", brought, client_code="K-7")
    assert store.sessions.get(brought).withdrawn
    assert who.rows(store)[0].entered_by == researcher.id
    agreements.set_codes(store, "session", brought, client_code="K-8")
    assert not store.sessions.get(brought).withdrawn


def test_a_setting_asks_for_the_codes_of_what_was_brought_in(store: Store) -> None:
    researcher = people.begin(store, "secret-r")
    brought = store.sessions.add(tables.Session(title="Case", origin="imported", state="ended", counselor_code="T-7")).id or 0
    assert lacking(store, "rated here") == set()
    agreements.ask_codes(store, True)
    assert lacking(store, "rated here") == {brought}
    agreements.answer(store, Who(seat="counselor", code="T-7", entered_by=researcher), {"rated here": True}, None)
    assert lacking(store, "rated here") == set()
    agreements.ask_codes(store, False)
    assert lacking(store, "rated here") == set()


# ---- what a person sees of it ---------------------------------------------------------------------------------------


def seen(store: Store, person: tables.Person) -> dict[int | None, dict[str, str]]:
    return {group.id: {one.purpose: one.answer for one in group.lines} for group in answers.groups(store, Who(person))}


def test_each_sees_their_own_answers_session_by_session(store: Store, ana: tables.Person, ben: tables.Person) -> None:
    first, second = spoken(store, ana, "anaword", ["rated here"]), spoken(store, ben, "benword")
    yes, no = "yes", "no"
    expected = {"taking part": yes, "rated here": yes, "supervision": no, "group figures": no, "export": no}
    assert seen(store, ana) == {first: expected}
    agreements.withdraw(store, Who(ana), ["rated here"])
    agreements.answer(store, Who(ana), {"outside endpoint": True}, first, endpoint=X + "/")
    assert seen(store, ana) == {
        None: {"rated here": "withdrawn"}, first: expected | {"rated here": "withdrawn", "outside endpoint": yes},
    }  # fmt: skip
    sent = next(one for one in answers.groups(store, Who(ana))[1].lines if one.purpose == "outside endpoint")
    assert (sent.endpoint, sent.form_version, sent.general) == (X, agreements.FORM_VERSION, False)
    assert list(seen(store, ben)) == [second]


def test_withdrawing_everything_speaks_of_nothing_that_was_never_asked(store: Store, ana: tables.Person) -> None:
    """An address outside is shown where it was asked for, and nowhere else; nobody is counted answers they never gave."""
    here, there = spoken(store, ana, "pear"), spoken(store, ana, "plum")
    agreements.withdraw(store, Who(ana), session_id=here)
    assert "outside endpoint" not in seen(store, ana)[here] and store.consents.count(purpose="outside endpoint") == 0
    agreements.answer(store, Who(ana), {"outside endpoint": True}, there, endpoint=X)
    agreements.withdraw(store, Who(ana))
    shown = seen(store, ana)
    assert "outside endpoint" not in shown[here] and shown[there]["outside endpoint"] == "withdrawn"
    assert set(shown[here].values()) == {"withdrawn"}


def test_own_words_are_deleted_also_where_they_were_withdrawn(store: Store, ana: tables.Person, ben: tables.Person) -> None:
    id = spoken(store, ana, "anaword")
    agreements.withdraw(store, Who(ana))
    assert answers.groups(store, Who(ana))[1].spoke
    with pytest.raises(NotFound, match="said nothing"):
        answers.delete_words(store, ben, id)
    receipt = answers.delete_words(store, ana, id)
    assert receipt.rows["turn"] == 1 and receipt.finished and "anaword I lost" not in everything_in(store)
    assert not answers.groups(store, Who(ana))[1].spoke, "nothing of theirs is left to delete"


def test_a_withdrawal_and_what_follows_are_one(store: Store, ana: tables.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """Broken off between the rows and the hiding, nothing was withdrawn; never a withdrawn session that is still shown."""
    id = spoken(store, ana, "pear")
    with monkeypatch.context() as broken:
        broken.setattr(agreements.people, "hide", lambda *_given: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            agreements.withdraw(store, Who(ana), session_id=id)
    assert not clearance.standing_of(store, "session", id).withdrawn and not store.sessions.get(id).withdrawn
    agreements.withdraw(store, Who(ana), session_id=id)
    assert clearance.standing_of(store, "session", id).withdrawn and store.sessions.get(id).withdrawn


def test_two_who_withdraw_at_once_are_both_heard(store: Store, ana: tables.Person, ben: tables.Person) -> None:
    ids = [spoken(store, ana, "pear"), spoken(store, ben, "plum")]
    threads = [threading.Thread(target=agreements.withdraw, args=(store, Who(one))) for one in (ana, ben)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(store.sessions.get(id).withdrawn for id in ids)


def test_a_clock_that_is_set_back_loses_no_withdrawal(store: Store, ana: tables.Person, monkeypatch: pytest.MonkeyPatch) -> None:
    id = spoken(store, ana, "pear")
    monkeypatch.setattr(agreements, "now", lambda: "2001-01-01T00:00:00.000+00:00")
    agreements.withdraw(store, Who(ana))
    assert store.sessions.get(id).withdrawn and id in lacking(store, "rated here")


def test_a_dialogue_is_its_report_s_client_s_whatever_code_it_bears(store: Store, ana: tables.Person) -> None:
    report = store.reports.add(tables.Report(title="Case", content_hash="x"))
    rebuilt = store.sessions.add(tables.Session(origin="reconstructed", report_id=report.id)).id or 0
    agreements.set_codes(store, "report", report.id or 0, client_code="C-7")
    assert store.sessions.get(rebuilt).client_code == "C-7"
    agreements.set_codes(store, "session", rebuilt, client_code="C-8")
    agreements.withdraw(store, Who(None, "client", "C-7", ana))
    assert store.sessions.get(rebuilt).withdrawn


@pytest.mark.parametrize("code", ["c-7", " C-7 ", "C\u20117", "Ｃ－７"])
def test_a_code_is_the_same_however_it_is_typed(store: Store, ana: tables.Person, code: str) -> None:
    session = store.sessions.add(tables.Session(origin="imported", client_code=code)).id or 0
    agreements.withdraw(store, Who(None, "client", "C-7", ana))
    assert store.sessions.get(session).withdrawn


@pytest.mark.parametrize(
    "spelt", ["https://MODELS.example/v1", "HTTPS://models.example:443/v1/", "https://models.example//v1", "https://models.example./v1"]
)
def test_an_address_is_the_same_however_it_is_spelt(store: Store, ana: tables.Person, spelt: str) -> None:
    session = store.sessions.add(tables.Session(origin="imported", client_code="C-7")).id or 0
    agreements.answer(store, Who(None, "client", "C-7", ana), {"outside endpoint": False}, None, endpoint=X)
    assert session in lacking(store, "outside endpoint", spelt)


def test_a_note_is_not_kept_whose_client_withdrew_while_it_was_written(store: Store, ana: tables.Person) -> None:
    report = store.reports.add(tables.Report(title="Case", case_brief="A clerk sleeps badly.", client_code="C-7", content_hash="x")).id or 0
    engine = Told(lambda _id: agreements.withdraw(store, Who(None, "client", "C-7", ana)))
    with pytest.raises(NotFound):
        now(making.write_note(store, engine, report))
    assert engine.asked and not store.reports.notes(report) and not store.calls.count()


def test_what_comes_in_after_its_client_withdrew_is_not_shown(store: Store, ana: tables.Person) -> None:
    agreements.withdraw(store, Who(None, "client", "C-7", ana))
    csv = "session,client_code,turn,seat,text\n1,C-7,1,client,I sleep badly.\n1,C-7,2,counselor,Tell me more.\n"
    brought = importing.import_transcripts(store, "a.csv", csv.encode())
    assert brought.saved and store.sessions.get(brought.saved[0]).withdrawn


def test_a_yes_to_an_address_names_it(store: Store, ana: tables.Person) -> None:
    with pytest.raises(DataError, match="one address"):
        agreements.answer(store, Who(None, "client", "C-7", ana), {"outside endpoint": True}, None)
    assert not store.consents.count()


def forget_answers(store: Store) -> None:
    """As if what was answered for single sessions had been answered for all."""
    store.database.write(lambda connection: connection.execute("DELETE FROM consent"))


def test_a_yes_for_all_at_a_new_seat_gives_nothing_back_that_was_withdrawn(store: Store, ana: tables.Person) -> None:
    """Each session comes back by its own name; the new one has the answers given as its seat was taken."""
    ensure_shipped(store)
    old, later = spoken(store, ana, "pear"), spoken(store, ana, "plum", [])
    forget_answers(store)
    agreements.take_part(store, ana, old, dict.fromkeys(EVERY, True), endpoint=X, general=True)
    assert not lacking(store, "export") and not lacking(store, "outside endpoint", X)
    agreements.withdraw(store, Who(ana))
    assert store.sessions.get(old).withdrawn and store.sessions.get(later).withdrawn
    new = spoken(store, ana, "quince")
    agreements.take_part(store, ana, new, dict.fromkeys(EVERY, True), endpoint=X, general=True)
    assert store.sessions.get(old).withdrawn and store.sessions.get(later).withdrawn and not store.sessions.get(new).withdrawn
    assert lacking(store, "export") == lacking(store, "outside endpoint", X) == {old, later}
    agreements.answer(store, Who(ana), {"taking part": True, "export": True}, old)
    assert not store.sessions.get(old).withdrawn and lacking(store, "export") == {later}


def test_one_use_withdrawn_for_all_comes_back_session_by_session(store: Store, ana: tables.Person) -> None:
    id = spoken(store, ana, "pear")
    forget_answers(store)
    agreements.take_part(store, ana, id, {"rated here": True}, general=True)
    agreements.withdraw(store, Who(ana), ["rated here"])
    agreements.answer(store, Who(ana), {"rated here": True}, None)
    assert lacking(store, "rated here") == {id}
    assert seen(store, ana)[None]["rated here"] == "yes" and seen(store, ana)[id]["rated here"] == "withdrawn"
    agreements.answer(store, Who(ana), {"rated here": True}, id)
    assert lacking(store, "rated here") == set()
    agreements.answer(store, Who(ana), {"rated here": False}, None)
    assert lacking(store, "rated here") == set(), "the narrower answer wins"


def test_a_no_for_all_that_was_no_withdrawal_is_turned_by_a_yes_for_all(store: Store, ana: tables.Person) -> None:
    id = spoken(store, ana, "pear")
    forget_answers(store)
    for yes in (True, False, True):
        agreements.answer(store, Who(ana), {"rated here": yes}, None)
        assert (id in lacking(store, "rated here")) is not yes


def test_an_answer_hashes_no_report_and_reads_each_session_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a change of consent costs does not grow with the words of the reports."""
    ana = people.begin(store, "secret-once", {"client": []}, "A-77")
    for n in range(3):
        store.reports.add(tables.Report(title=f"R{n}", content_hash=f"h{n}", client_code="C-07" if n else ""))
    session = store.sessions.add(tables.Session(origin="live"))
    store.sessions.add_turn(tables.Turn(session_id=session.id or 0, position=1, seat="client", text="Yes.", speaker="person", person_id=ana.id))
    read: list[int] = []
    facts = standing.session_facts
    monkeypatch.setattr(standing, "text_hash", lambda *_of: pytest.fail("a report was hashed"))
    monkeypatch.setattr(standing, "session_facts", lambda connection, id: read.append(id) or facts(connection, id))
    agreements.withdraw(store, agreements.Who(ana))
    assert read == [session.id] and store.sessions.get(session.id or 0).withdrawn
    agreements.withdraw(store, agreements.Who(None, "client", "C-07", ana))  # a code may give others a say: read again
    assert len(read) > 2
