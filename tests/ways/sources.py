"""Records whose words may leave, and what takes that back: by kind of record, and by how consent can be missing."""

from collections.abc import Callable
from typing import NamedTuple

from core.consent import OUTSIDE, PURPOSES, TAKING_PART
from core.people import agreements
from core.people import service as people
from core.people.agreements import Who
from core.reports import making
from core.reports import service as reports
from core.reports.drafts import shown_hash
from core.sessions import service as sessions
from core.studies.export import export_archive
from core.studies.importing import import_archive
from storage import tables
from tests.persons import somebody
from tests.ways.world import ALL, World, X, Y


class Source(NamedTuple):
    """``make`` gives the id of a record that holds the word, cleared or not; ``spoil`` takes back what cleared it.

    ``spoil`` is given the purpose that is missing: each way of missing is tried for the purpose of the route.
    """

    name: str
    kind: str  # report | note | role | session
    make: Callable[[World, str, bool], int]
    spoil: Callable[[World, int, str], None] | None = None  # None: it was never cleared
    named: str = ""  # the noun of the record that holds it back, if it is another


# ---- below clearance -----------------------------------------------------------------------------------------------


def note(world: World, word: str, cleared: bool) -> int:
    """A note whose newest version a person edited."""
    report = world.report("plainly")
    asking = making.write_note(world.store, world.engine(), report)
    world.now(asking)
    edited = making.change_note(world.store, report, world.reader, problems=f"She says {word}.")
    if cleared:
        making.confirm_note(world.store, edited.id or 0, world.reader, making.reviews.shown(world.store, "note", edited.id or 0))
    return edited.id or 0


def rebuilt(world: World, word: str, cleared: bool) -> int:
    """The dialogue rebuilt on this machine from a report, confirmed or not."""
    report = world.report(word, cleared)
    made = world.now(making.reconstruct_dialogue(world.store, world.engine(), report, "roleplay"))
    first = world.store.sessions.turns(made.id or 0)[0]
    assert first.id is not None
    world.store.sessions.set_turn(first.id, text=f"{first.text} {word}")  # as a writer might repeat the report's own word
    return made.id or 0


def elsewhere(world: World, word: str, cleared: bool) -> int:
    """A session that came with a study of another store."""
    from tests.ways.routes import judged

    there = world.other()
    id = there.imported(word)
    study = judged(there, [id], "Demo rater")
    brought = import_archive(world.store, export_archive(there.store, study))
    (unit,) = [unit for unit in world.store.units.all(study_id=brought.id) if unit.session_id][:1]
    there.store.close()
    if cleared:
        world.review("session", unit.session_id or 0)
    return unit.session_id or 0


def branched(world: World, word: str, cleared: bool) -> int:
    id = sessions.branch(world.store, world.imported(word, cleared), 4, world.reader).id or 0
    sessions.stop_session(world.store, id)
    if cleared:
        world.review("session", id)
    return id


def of_unread_role(world: World, word: str, cleared: bool) -> int:
    """A session held with an imported role, whose words the agents repeat."""
    role = world.role(f"You are {word}.", cleared)
    turns = [tables.Turn(session_id=0, position=n, seat=seat, text=f"{word} {n}", speaker="agent") for n, seat in enumerate(("client", "counselor") * 2, 1)]
    held = tables.Session(
        title=word, origin="simulated", state="stopped", role_id=role.id, client_agent_id=world.agents["client"].id,
        counselor_agent_id=world.agents["counselor"].id,
    )  # fmt: skip
    return world.store.sessions.add_with_turns(held, turns).id or 0


def grown(world: World, id: int, _purpose: str) -> None:
    """Somebody spoke on after it was read; then all who spoke agreed to everything."""
    world.store.sessions.add_turn(tables.Turn(session_id=id, position=9, seat="client", text="And one more thing."))


def edited_report(world: World, id: int, _purpose: str) -> None:
    reports.change_components(world.store, id, case_brief=f"Her neighbor wrote more. {world.store.reports.get(id).case_brief}")


def unmasked_name(world: World, id: int, _purpose: str) -> None:
    parts, spans = reports.unmasked(world.store, id)
    spans = {part: [span for span in given if "Carter" not in parts[part][span.start : span.end]] for part, given in spans.items()}
    reports.save_masking(world.store, id, shown_hash(*reports.unmasked(world.store, id)), spans)


def edited_note(world: World, id: int, _purpose: str) -> None:
    held = next(note for report in world.store.reports.all() for note in world.store.reports.notes(report.id or 0) if note.id == id)
    making.change_note(world.store, held.report_id, world.reader, problems=f"{held.problems} And more.")


def renamed(world: World, id: int, _purpose: str) -> None:
    from core.roles.service import change_role

    change_role(world.store, id, world.reader, title="Maria Petrova of Elm Street")


BELOW = [
    Source("report nobody confirmed", "report", lambda w, word, cleared: w.report(word, cleared)),
    Source("report edited since", "report", lambda w, word, _: w.report(word), edited_report),
    Source("report with a mask taken off since", "report", lambda w, word, _: w.report(word), unmasked_name),
    Source("note a person edited", "note", note),
    Source("note edited since", "note", lambda w, word, _: note(w, word, True), edited_note),
    Source("imported role", "role", lambda w, word, cleared: w.role(f"You are {word}.", cleared).id or 0),
    Source("role renamed since", "role", lambda w, word, _: w.role(f"You are {word}.", True).id or 0, renamed),
    Source("imported profile", "profile", lambda w, word, cleared: w.role(f"You are {word}.", cleared, "profile").id or 0, None, "role"),
    Source("imported session", "session", lambda w, word, cleared: w.imported(word, cleared)),
    Source("imported session that grew", "session", lambda w, word, _: w.imported(word), grown),
    Source("rebuilt session", "session", rebuilt),
    Source("branch of an imported session", "session", branched),
    Source("session from elsewhere", "session", elsewhere),
    Source("session held with an imported role", "session", of_unread_role),
]  # fmt: skip


# ---- without consent -----------------------------------------------------------------------------------------------


def live(world: World, word: str, cleared: bool) -> int:
    """Ana and Ben spoke. Not cleared: Ben agreed to everything, Ana was asked nothing."""
    id = world.live(word, cleared)
    if not cleared:
        world.agreed(world.ben, id)
    return id


def without(purpose: str) -> tuple[str, ...]:
    return tuple(one for one in ALL if one not in (purpose, TAKING_PART))


def nobody(world: World, word: str, cleared: bool) -> int:
    return world.live(word, cleared)


def says_no(world: World, id: int, purpose: str) -> None:
    world.agreed(world.ana, id, (purpose,), yes=False)


def another_address(world: World, id: int, purpose: str) -> None:
    """Ana takes back this address, and agrees to another one and to none in particular; other uses she refuses."""
    agreements.withdraw(world.store, Who(world.ana), (purpose,), id, X if purpose == OUTSIDE else "")
    if purpose == OUTSIDE:
        world.agreed(world.ana, id, (OUTSIDE,), endpoint=Y)
        world.store.consents.add(tables.Consent(person_id=world.ana.id, session_id=id, purpose=OUTSIDE))  # from elsewhere


def somebody_else_agrees(world: World, word: str, cleared: bool) -> int:
    """Cem, who said nothing, agrees for this session; Ana did not."""
    id = live(world, word, cleared)
    world.agreed(somebody(world.store, "P-03", "client"), id)
    return id


def same_code_agrees(world: World, word: str, cleared: bool) -> int:
    """In another browser somebody types Ana's code, and agrees."""
    id = live(world, word, cleared)
    other = people.begin(world.store, f"another browser {word}", {"client": []}, world.ana.code)
    world.agreed(other, id)
    world.agreed(other, None)
    return id


def unknown_spoke(world: World, id: int, _purpose: str) -> None:
    """As an older store tells it: somebody spoke, and nobody knows who."""
    turn = world.store.sessions.turns(id)[1]
    world.store.sessions.set_turn(turn.id or 0, speaker="unknown person", person_id=None)


def overwritten(world: World, id: int, purpose: str) -> None:
    """Ana's no; then another one takes her seat in a branch and agrees to everything, for it and all of theirs."""
    says_no(world, id, purpose)
    later = somebody(world.store, f"later {id}", "client", "researcher")
    branch = sessions.branch(world.store, id, 5, world.reader)
    sessions.take_seat(world.store, branch.id or 0, "client", later)
    for about in (id, branch.id, None):
        world.agreed(later, about)


def withdrawn_one(world: World, id: int, purpose: str) -> None:
    agreements.withdraw(world.store, Who(world.ana), (purpose,), id)


def withdrawn_general(world: World, id: int, purpose: str) -> None:
    """Withdrawn for all of theirs: that beats what was agreed for the session before."""
    agreements.withdraw(world.store, Who(world.ana), (purpose,), None)


def withdrawn_all(world: World, id: int, _purpose: str) -> None:
    agreements.withdraw(world.store, Who(world.ben), session_id=id)


def narrower_no(world: World, id: int, purpose: str) -> None:
    world.agreed(world.ana, id, (purpose,), yes=False)
    world.agreed(world.ana, None)


def joined_withdrew(world: World, id: int, purpose: str) -> None:
    """Another row of Ana's person withdrew, in another browser, before the two were joined."""
    other = people.begin(world.store, f"phone {id}", {"client": []}, "A")
    agreements.withdraw(world.store, Who(other), (purpose,), None)
    people.join(world.store, other.id or 0, world.ana.id or 0)


def old_yes(world: World, word: str, cleared: bool) -> int:
    """Ana's rows come from before consents named a session, and count for nothing."""
    id = live(world, word, cleared)
    if not cleared:
        for purpose in PURPOSES:
            world.store.consents.add(tables.Consent(person_id=world.ana.id, session_id=id, purpose=purpose, endpoint=X, counts=False))
    return id


def coded(world: World, word: str, _cleared: bool) -> int:
    return world.imported(word, client_code=f"C-{word}", counselor_code=f"K-{word}")


def code(world: World, id: int, seat: str = "client") -> Who:
    return Who(seat=seat, code=getattr(world.store.sessions.get(id), f"{seat}_code"), entered_by=world.reader)


def code_refuses(world: World, id: int, purpose: str) -> None:
    agreements.answer(world.store, code(world, id), {purpose: False}, None, endpoint=X)


def counselor_code_refuses(world: World, id: int, purpose: str) -> None:
    agreements.answer(world.store, code(world, id), {purpose: True}, None, endpoint=X)
    agreements.answer(world.store, code(world, id, "counselor"), {purpose: False}, id)


def code_withdraws(world: World, id: int, _purpose: str) -> None:
    agreements.withdraw(world.store, code(world, id))


def codes_are_asked(world: World, _id: int, _purpose: str) -> None:
    agreements.ask_codes(world.store, True)


def coded_report(world: World, word: str, _cleared: bool) -> int:
    id = world.report(word)
    agreements.set_codes(world.store, "report", id, client_code=f"C-{word}")
    return id


def report_code_refuses(world: World, id: int, purpose: str) -> None:
    who = Who(seat="client", code=world.store.reports.get(id).client_code, entered_by=world.reader)
    agreements.answer(world.store, who, {purpose: False}, None, endpoint=X)


MISSING = [
    Source("nobody was asked", "live", nobody),
    Source("one of two was not asked", "live", live),
    Source("somebody else agreed", "live", somebody_else_agrees),
    Source("one code typed by two", "live", same_code_agrees),
    Source("rows of an older store", "live", old_yes),
    Source("said no", "live", lambda w, word, _: live(w, word, True), says_no),
    Source("agreed to another address", "live", lambda w, word, _: live(w, word, True), another_address),
    Source("somebody nobody knows spoke", "live", lambda w, word, _: live(w, word, True), unknown_spoke),
    Source("a later sitter agreed", "live", lambda w, word, _: live(w, word, True), overwritten),
    Source("withdrawn for this session", "live", lambda w, word, _: live(w, word, True), withdrawn_one),
    Source("withdrawn for all of theirs", "live", lambda w, word, _: live(w, word, True), withdrawn_general),
    Source("withdrawn altogether", "live", lambda w, word, _: live(w, word, True), withdrawn_all),
    Source("no for this session, yes for all", "live", lambda w, word, _: live(w, word, True), narrower_no),
    Source("withdrawn in another browser of theirs", "live", lambda w, word, _: live(w, word, True), joined_withdrew),
    Source("client's code refused", "session", coded, code_refuses),
    Source("counselor's code refused", "session", coded, counselor_code_refuses),
    Source("client's code withdrew", "session", coded, code_withdraws),
    Source("codes are asked for", "session", coded, codes_are_asked),
    Source("report's client refused", "report", coded_report, report_code_refuses),
    Source("codes are asked for, of a report", "report", coded_report, codes_are_asked),
]  # fmt: skip
