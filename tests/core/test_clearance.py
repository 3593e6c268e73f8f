"""How far words may travel follows from where they come from and who read them: each way by the services people use."""

import json
from contextlib import suppress
from typing import Any

import pytest

from core import instruments
from core.clearance import Clearance, kind_of, kinds
from core.errors import DataError, NotFound, Refused, WorkbenchError
from core.llm.agents import ensure_shipped
from core.llm.asking import now
from core.llm.engines import demo_engine
from core.people import agreements, reviews
from core.people.agreements import Who
from core.reports import making
from core.reports import service as reports
from core.reports.drafts import shown_hash
from core.reports.marking import decide
from core.roles import drafts
from core.roles import service as roles
from core.roles.importing import CARD
from core.sessions import importing
from core.sessions import service as sessions
from storage import tables
from storage.store import Store
from tests.core.reports.test_service import NOTE, dialogue
from tests.judging import judge_comparison, rate_session
from tests.persons import somebody

SYNTHETIC, CONFIRMED, UNCONFIRMED = Clearance.SYNTHETIC, Clearance.CONFIRMED, Clearance.UNCONFIRMED
AWAY = "https://models.example/v1"
REPORT = (
    "Title: Nights\nType: Sleep\nMethod: Talk\nCase brief: Maria Oyelaran, 47, cannot sleep. Maria lives alone.\n"
    "Consultation process: Maria and I met ten times.\nReflections: Slowly."
)
PROFILE = {"behavior": "Drinks.", "personas": ["A nurse."], "beliefs": [], "motivation": "", "acceptable_plans": [], "receptivity": 2}
SAID = b"Client: I cannot sleep.\nCounselor: Since when?\nClient: Since May.\nCounselor: What happened?"


@pytest.fixture
def ana(store: Store) -> tables.Person:
    return somebody(store, "P-01")


@pytest.fixture
def report(store: Store) -> int:
    return reports.take_report(store, "nights.txt", REPORT).reports[0].id or 0


def shown(store: Store, id: int) -> str:
    """What a person who opens the masking of a report now is shown."""
    return shown_hash(*reports.unmasked(store, id))


def confirm(store: Store, id: int, person: tables.Person) -> None:
    reports.confirm_masking(store, id, person, shown(store, id))


def decided(store: Store, id: int, words: str, kept: bool) -> None:
    """The mark of these words kept (K) or masked (M), as the page does it."""
    parts, spans = reports.unmasked(store, id)
    span = next(one for part in spans for one in spans[part] if parts[part][one.start : one.end] == words)
    reports.save_masking(store, id, shown(store, id), decide(parts, spans, words, span.replacement, kept))


def note_of(store: Store, id: int, engine: Any) -> int:
    return now(making.write_note(store, engine, id)).id or 0


def built(store: Store, seed: int = 3) -> tables.RoleCard:
    return now(roles.build_role(store, demo_engine(), seed=seed))


def brought(store: Store, *titles: str) -> list[int]:
    lines = [json.dumps(PROFILE | {"title": title}) for title in titles]
    return [one["id"] for one in roles.import_roles(store, "\n".join(lines).encode(), "a.jsonl").saved]


def made_up(store: Store, id: int, person: tables.Person) -> None:
    roles.confirm_made_up(store, id, person, reviews.shown(store, "role", id))


def reviewed(store: Store, kind: str, id: int, person: tables.Person) -> None:
    reviews.review(store, person, kind, id, "confirmed", reviews.shown(store, kind, id))


def session_with(store: Store, role: tables.RoleCard) -> tables.Session:
    """A session of two agents; the client would speak next."""
    ensure_shipped(store)
    client, counselor = (store.agents.all(seat=seat)[0] for seat in ("client", "counselor"))
    begun = sessions.begin(store, role, client, counselor, most_turns=2)
    return now(sessions.converse(store, demo_engine(), demo_engine(), begun.id or 0))


def asked(engine: Any, work: Any) -> bool:
    """Whether words arrived at the engine; a refusal leaves none there."""
    try:
        now(work)
    except Refused:
        assert engine.asked == []
    return bool(engine.asked)


# ---- reports, notes, dialogues --------------------------------------------------------------------------------------


def test_a_report_is_unconfirmed_until_a_person_read_it_and_again_after_any_change(store: Store, report: int, ana: tables.Person) -> None:
    assert kind_of(store, "report", report) is UNCONFIRMED
    confirm(store, report, ana)
    assert kind_of(store, "report", report) is CONFIRMED and kinds(store, "report") == {report: CONFIRMED}
    decided(store, report, "Maria Oyelaran", True)
    assert kind_of(store, "report", report) is UNCONFIRMED and kinds(store, "report") == {report: UNCONFIRMED}
    decided(store, report, "Maria Oyelaran", False)
    assert kind_of(store, "report", report) is CONFIRMED, "the very text that was read"
    reports.change_components(store, report, method="Talks with her sister Joan")
    assert kind_of(store, "report", report) is UNCONFIRMED


def test_topic_school_and_codes_are_no_words_of_a_report(store: Store, report: int, ana: tables.Person) -> None:
    confirm(store, report, ana)
    reports.change_components(store, report, topic="sex", client_code="C-1")
    assert kind_of(store, "report", report) is CONFIRMED and store.reports.get(report).client_code == "C-1"


def test_an_invented_report_is_said_to_be_made_up(store: Store, report: int, ana: tables.Person) -> None:
    reports.confirm_made_up(store, report, ana, shown(store, report))
    assert kind_of(store, "report", report) is SYNTHETIC


def test_a_name_put_back_into_a_confirmed_report_goes_nowhere(store: Store, report: int, ana: tables.Person, scripted: Any) -> None:
    confirm(store, report, ana)
    decided(store, report, "Maria Oyelaran", True)
    away = scripted(json.dumps(NOTE), base_url=AWAY)
    assert "Maria Oyelaran" in store.reports.get(report).case_brief and not asked(away, making.write_note(store, away, report))


def test_nobody_confirms_what_they_were_not_shown(store: Store, report: int, ana: tables.Person, scripted: Any) -> None:
    seen = shown(store, report)
    reports.change_components(store, report, method="Talks with Zbqx, whom no rule knows")
    with pytest.raises(DataError, match="changed after it was shown"):
        reports.confirm_masking(store, report, ana, seen)
    away = scripted(json.dumps(NOTE), base_url=AWAY)
    assert store.reviews.all() == [] and not asked(away, making.write_note(store, away, report))


def test_a_confirmation_and_its_masks_are_saved_together_or_not_at_all(store: Store, report: int, ana: tables.Person) -> None:
    """The key no longer fits, so what is shown is what the rules find now; that is what is masked and confirmed."""
    store.reports.update(report, case_brief="Maria Oyelaran, 47, came with her brother Daniel.")
    before = [mask.id for mask in store.reports.masks(report)]
    with pytest.raises(WorkbenchError):
        confirm(store, report, tables.Person(id=999))  # nobody: the review cannot be kept
    assert "Daniel" in store.reports.get(report).case_brief and [mask.id for mask in store.reports.masks(report)] == before
    confirm(store, report, ana)
    assert "Daniel" not in store.reports.get(report).case_brief and kind_of(store, "report", report) is CONFIRMED


def test_a_note_follows_the_very_report_it_was_written_from(store: Store, report: int, ana: tables.Person, scripted: Any) -> None:
    engine = scripted(json.dumps(NOTE))
    early = note_of(store, report, engine)
    assert kind_of(store, "note", early) is UNCONFIRMED
    confirm(store, report, ana)
    assert kind_of(store, "note", early) is CONFIRMED, "it was written from the words that are confirmed now"
    decided(store, report, "Maria Oyelaran", True)
    assert kind_of(store, "note", early) is UNCONFIRMED, "what was changed since may stand in it"
    assert kind_of(store, "note", note_of(store, report, engine)) is UNCONFIRMED
    making.confirm_note(store, early, ana, reviews.shown(store, "note", early))
    assert kind_of(store, "note", early) is CONFIRMED


def test_what_was_made_from_a_report_waits_when_a_name_is_found_in_it_later(
    store: Store, report: int, ana: tables.Person, scripted: Any
) -> None:
    confirm(store, report, ana)
    note = note_of(store, report, scripted(json.dumps(NOTE)))
    rebuilt = now(making.reconstruct_dialogue(store, scripted(dialogue()), report)).id or 0
    assert kind_of(store, "note", note) is kind_of(store, "session", rebuilt) is CONFIRMED
    reports.change_components(store, report, type="Adult")
    confirm(store, report, ana)
    assert kind_of(store, "note", note) is kind_of(store, "session", rebuilt) is UNCONFIRMED


def test_an_edited_note_waits_for_a_person_and_then_stands_for_itself(store: Store, report: int, ana: tables.Person, scripted: Any) -> None:
    confirm(store, report, ana)
    note_of(store, report, scripted(json.dumps(NOTE)))
    edited = making.change_note(store, report, ana, problems="Sleep, and Ann Smith.").id or 0
    assert kind_of(store, "note", edited) is UNCONFIRMED
    away = scripted(dialogue(), base_url=AWAY)
    assert not asked(away, making.reconstruct_dialogue(store, away, report))
    making.confirm_note(store, edited, ana, reviews.shown(store, "note", edited))
    assert kind_of(store, "note", edited) is CONFIRMED and asked(away, making.reconstruct_dialogue(store, away, report))


def test_a_note_that_is_gone_is_not_confirmed(store: Store, report: int, ana: tables.Person, scripted: Any) -> None:
    id = note_of(store, report, scripted(json.dumps(NOTE)))
    seen = reviews.shown(store, "note", id)
    store.delete("report", report)
    with pytest.raises(NotFound):
        making.confirm_note(store, id, ana, seen)


def test_a_dialogue_follows_report_and_note(store: Store, report: int, ana: tables.Person, scripted: Any) -> None:
    plain = now(making.reconstruct_dialogue(store, scripted(dialogue()), report, "roleplay")).id or 0
    assert kind_of(store, "session", plain) is UNCONFIRMED
    confirm(store, report, ana)
    assert kind_of(store, "session", plain) is CONFIRMED
    note_of(store, report, scripted(json.dumps(NOTE)))
    edited = making.change_note(store, report, ana, problems="Ann Smith.").id or 0
    both = now(making.reconstruct_dialogue(store, scripted(dialogue()), report)).id or 0
    assert kind_of(store, "session", both) is UNCONFIRMED
    making.confirm_note(store, edited, ana, reviews.shown(store, "note", edited))
    assert kind_of(store, "session", both) is CONFIRMED


def test_a_dialogue_nobody_can_vouch_for_by_its_sources_is_read_by_itself(store: Store, report: int, ana: tables.Person, scripted: Any) -> None:
    made = now(making.reconstruct_dialogue(store, scripted(dialogue()), report, "roleplay")).id or 0
    reviewed(store, "session", made, ana)
    assert kind_of(store, "session", made) is CONFIRMED and kind_of(store, "report", report) is UNCONFIRMED


def test_a_dialogue_bears_the_codes_of_its_report_also_those_given_later(store: Store, report: int, scripted: Any) -> None:
    made = now(making.reconstruct_dialogue(store, scripted(dialogue()), report, "roleplay")).id or 0
    reports.change_components(store, report, client_code="C-1", counselor_code="T-01")
    kept = store.sessions.get(made)
    assert (kept.client_code, kept.counselor_code) == ("C-1", "T-01")


# ---- roles ----------------------------------------------------------------------------------------------------------


def test_a_role_built_from_our_lists_is_synthetic(store: Store) -> None:
    assert kind_of(store, "role", built(store).id or 0) is SYNTHETIC


def test_what_a_person_types_into_a_role_lowers_that_version_until_they_say_made_up(store: Store, ana: tables.Person) -> None:
    first = built(store)
    second = roles.change_role(store, first.id or 0, ana, text="You are Noor Haddad, nurse at St. Vincent's.").id or 0
    assert kinds(store, "role") == {first.id: SYNTHETIC, second: UNCONFIRMED}
    made_up(store, second, ana)
    assert kind_of(store, "role", second) is SYNTHETIC
    third = roles.change_role(store, second, ana, text="You are Noor Haddad of Leeds.").id or 0
    assert kind_of(store, "role", third) is UNCONFIRMED, "said of other words"


def test_choices_and_what_is_taken_out_are_not_typing(store: Store, ana: tables.Person) -> None:
    card = built(store)
    sub, code = next(iter(card.traits.items()))
    other = next(one for one in roles.ingredients.traits()[sub] if one != code)
    changed = roles.change_role(store, card.id or 0, ana, traits=card.traits | {sub: other})
    changed = roles.change_role(store, changed.id or 0, ana, demographics=card.demographics | {"age": 52}, life_events=card.life_events[1:])
    changed = roles.change_role(store, changed.id or 0, ana, stressor=drafts.stressor_facet("job_loss", "en"))
    assert changed.version == 4 and kind_of(store, "role", changed.id or 0) is SYNTHETIC
    typed = roles.change_role(store, changed.id or 0, ana, demographics=changed.demographics | {"occupation": "mayor of Leeds"})
    assert kind_of(store, "role", typed.id or 0) is UNCONFIRMED


def test_a_new_title_lowers_all_versions(store: Store, ana: tables.Person) -> None:
    card = built(store)
    roles.change_role(store, card.id or 0, ana, stressor=drafts.stressor_facet("job_loss", "en"))
    roles.change_role(store, card.id or 0, ana, title="Noor Haddad")
    assert set(kinds(store, "role").values()) == {UNCONFIRMED}


def test_imported_roles_are_unconfirmed_whatever_their_file_says(store: Store, ana: tables.Person) -> None:
    as_here = built(store).model_dump() | {"title": "Mine", "sampling": "stratified", "edited_by": "", "review": {"by": "x"}}
    brought(store, "Evenings")
    roles.import_roles(store, json.dumps(as_here).encode(), "b.json")
    roles.import_roles(store, json.dumps({"role": "You are Noor Haddad.", "challenge": "job loss"}).encode(), "c.json")
    assert len(roles.waiting(store)) == 3
    for card in roles.waiting(store):
        made_up(store, card.id or 0, ana)
    assert roles.waiting(store) == []


def test_no_words_come_in_with_a_card_that_nobody_is_shown(store: Store) -> None:
    hidden = {"behavior": "Ann Smith of Leeds"}
    card = built(store)
    as_file = {name: getattr(card, name) for name in CARD} | {"title": "Mine", "profile": hidden}
    as_file |= {part: getattr(card, part) | {"address": "4 Elm Street"} for part in ("stressor", "demographics")}
    roles.import_roles(store, json.dumps(as_file).encode(), "b.json")
    (kept,) = roles.waiting(store)
    assert "Elm Street" not in kept.model_dump_json() and "Ann Smith" not in kept.model_dump_json() and kept.text == card.text


def test_several_cards_are_said_to_be_made_up_but_none_that_changed(store: Store, ana: tables.Person) -> None:
    one, two = brought(store, "One", "Two")
    seen = {id: reviews.shown(store, "role", id) for id in (one, two)}
    roles.change_role(store, two, ana, title="Ann Smith")
    (told,) = roles.confirm_all_made_up(store, ana, seen)
    assert "changed after it was shown" in str(told) and [card.id for card in roles.waiting(store)] == [two]


def test_a_profile_a_person_wrote_is_what_they_said_of_it(store: Store, ana: tables.Person) -> None:
    unsure = roles.write_profile(store, "A", "en", PROFILE, ana, False)
    sure = roles.write_profile(store, "B", "en", PROFILE, ana, True)
    assert kinds(store, "role") == {unsure.id: UNCONFIRMED, sure.id: SYNTHETIC}


def complete(store: Store, **typed: Any) -> drafts.Draft:
    """A draft built to its end by the demo engine, in which a person changed something on the way."""
    draft, asking = drafts.Draft(seed=3), roles.Asking(store, demo_engine())
    while step := drafts.next_step(draft):
        draft = now(roles.take_step(asking, draft))
        if step == "demographics" and typed:
            draft = drafts.with_edits(draft, demographics=draft.demographics | typed)
            typed = {}
    return draft


def test_a_draft_in_which_a_person_typed_goes_out_only_as_made_up(store: Store, scripted: Any) -> None:
    draft = drafts.with_edits(drafts.with_stressor(drafts.Draft(seed=3)), demographics={"age": 40, "gender": "woman"})
    assert not draft.typed
    away = scripted("{}", base_url=AWAY)
    draft = drafts.with_edits(draft, demographics=draft.demographics | {"persona": "Ann Smith of Leeds."})
    for made_up_, goes in ((False, False), (True, True)):
        said = draft.model_copy(update={"made_up": made_up_})
        with suppress(WorkbenchError):
            now(roles.take_step(roles.Asking(store, away), said))
        assert bool(away.asked) is goes
    again = drafts.with_edits(draft.model_copy(update={"made_up": True}), life_events=["Met Bea Jones."])
    assert not again.made_up, "other words"


@pytest.mark.parametrize(
    ("typed", "title", "made_up", "kind"),
    [
        ({}, "", False, SYNTHETIC), ({"occupation": "mayor of Leeds"}, "", False, UNCONFIRMED),
        ({"occupation": "mayor of Leeds"}, "", True, SYNTHETIC), ({}, "Ann Smith", False, UNCONFIRMED), ({}, "Ann Smith", True, SYNTHETIC),
    ],
)  # fmt: skip
def test_a_saved_draft_is_what_was_typed_in_it(
    store: Store, ana: tables.Person, typed: dict[str, str], title: str, made_up: bool, kind: Clearance
) -> None:
    card = roles.save_role(store, complete(store, **typed), title, ana, made_up)
    assert kind_of(store, "role", card.id or 0) is kind


def test_a_title_that_is_taken_gets_a_number_which_nobody_typed(store: Store, ana: tables.Person) -> None:
    draft = complete(store)
    first = roles.save_role(store, draft, "", ana)
    second = roles.save_role(store, draft, roles.free_title(store, drafts.title_of(draft)), ana)
    assert first.title != second.title and kind_of(store, "role", second.id or 0) is SYNTHETIC


# ---- sessions -------------------------------------------------------------------------------------------------------


def test_a_session_of_agents_follows_the_version_of_the_role_they_played(store: Store, ana: tables.Person) -> None:
    role = built(store)
    held = session_with(store, role).id or 0
    assert kind_of(store, "session", held) is SYNTHETIC
    roles.change_role(store, role.id or 0, ana, text="You are Noor Haddad.")
    assert kind_of(store, "session", held) is SYNTHETIC, "it keeps the version it was held with"
    roles.change_role(store, role.id or 0, ana, title="Noor Haddad")
    assert kind_of(store, "session", held) is UNCONFIRMED


def test_a_session_of_an_imported_role_waits_for_the_role(store: Store, ana: tables.Person) -> None:
    (id,) = brought(store, "Evenings")
    held = session_with(store, store.roles.get(id)).id or 0
    assert kind_of(store, "session", held) is UNCONFIRMED
    made_up(store, id, ana)
    assert kind_of(store, "session", held) is SYNTHETIC


def test_a_transcript_is_unconfirmed_until_its_very_turns_were_read(store: Store, ana: tables.Person) -> None:
    id = importing.import_transcripts(store, "a.txt", SAID).saved[0]
    assert kind_of(store, "session", id) is UNCONFIRMED
    reviewed(store, "session", id, ana)
    assert kind_of(store, "session", id) is CONFIRMED
    store.sessions.add_turn(tables.Turn(session_id=id, position=5, seat="client", text="Ann Smith left."))
    assert kind_of(store, "session", id) is UNCONFIRMED


def test_a_branch_of_a_transcript_is_no_freer_than_the_transcript(store: Store, ana: tables.Person) -> None:
    id = importing.import_transcripts(store, "a.txt", SAID).saved[0]
    assert kind_of(store, "session", sessions.branch(store, id, 2, ana).id or 0) is UNCONFIRMED


def test_what_a_person_said_in_a_seat_is_lifted_by_nobodys_review(store: Store, ana: tables.Person, scripted: Any) -> None:
    id = importing.import_transcripts(store, "a.txt", SAID).saved[0]
    ben = somebody(store, "C-9", "client")
    held = sessions.branch(store, id, 2, ben).id or 0
    sessions.take_seat(store, held, "client", ben)
    sessions.say(store, held, "client", "I lost my job at the mill.", ben)
    reviewed(store, "session", held, ana)
    assert kind_of(store, "session", held) is Clearance.LIVE
    away = scripted('{"reasoning": "r", "evidence": [], "counter_evidence": [], "rating": 3}', base_url=AWAY)
    rater, alliance = store.raters.ensure("model", "judge"), instruments.load("wai-o-s")
    for agreed, goes in ((False, False), (True, True)):
        agreements.answer(store, Who(ben), {"rated here": True, "outside endpoint": agreed}, held, endpoint=AWAY)
        assert asked(away, rate_session(store, away, rater, alliance, store.sessions.get(held), ["Q1"])) is goes


# ---- no source is left out of a question ----------------------------------------------------------------------------


def test_a_role_renamed_after_its_session_began_is_not_sent_with_the_next_turn(store: Store, ana: tables.Person, scripted: Any) -> None:
    role = built(store)
    ensure_shipped(store)
    client, counselor = (store.agents.all(seat=seat)[0] for seat in ("client", "counselor"))
    begun = sessions.begin(store, role, client, counselor, most_turns=6)
    roles.change_role(store, role.id or 0, ana, title="Noor Haddad, nurse at St. Vincent's")
    away = scripted("I lie awake.", base_url=AWAY)
    assert not asked(away, sessions.converse(store, away, demo_engine(), begun.id or 0))


def test_a_review_of_a_session_does_not_lift_its_role(store: Store, ana: tables.Person, scripted: Any) -> None:
    (id,) = brought(store, "4 Elm Street")
    held = session_with(store, store.roles.get(id))
    store.sessions.update(held.id or 0, state="paused", most_turns=8)
    reviewed(store, "session", held.id or 0, ana)
    assert kind_of(store, "session", held.id or 0) is CONFIRMED
    away = scripted("I lie awake.", base_url=AWAY)
    with pytest.raises(Refused, match=f"role {id} may"):
        now(sessions.converse(store, away, demo_engine(), held.id or 0))
    assert away.asked == []
    made_up(store, id, ana)
    assert asked(away, sessions.converse(store, away, demo_engine(), held.id or 0))


def test_a_profile_shown_to_a_judge_has_a_say(store: Store, ana: tables.Person, scripted: Any) -> None:
    (id,) = brought(store, "Noor Haddad")
    held = session_with(store, store.roles.get(id))
    reviewed(store, "session", held.id or 0, ana)
    shown_to, item = instruments.load("client-consistency"), "acceptable_plans"
    rater = store.raters.ensure("model", "judge")
    away = scripted('{"reasoning": "r", "evidence": [], "counter_evidence": [], "rating": 3}', base_url=AWAY)
    assert not asked(away, rate_session(store, away, rater, shown_to, held, [item], profile=PROFILE))
    made_up(store, id, ana)
    assert asked(away, rate_session(store, away, rater, shown_to, held, [item], profile=PROFILE))


def test_a_comparison_asks_both_sessions(store: Store, ana: tables.Person, scripted: Any) -> None:
    first = session_with(store, built(store))
    second = store.sessions.get(importing.import_transcripts(store, "a.txt", SAID).saved[0])
    away = scripted('{"reasoning": "r", "verdict": "A"}', base_url=AWAY)
    rater, hill = store.raters.ensure("model", "judge"), instruments.load("hill")
    dimension = hill.dimensions[0].id
    for pair in ((first, second), (second, first)):
        assert not asked(away, judge_comparison(store, away, rater, hill, dimension, *pair))
    reviewed(store, "session", second.id or 0, ana)
    assert asked(away, judge_comparison(store, away, rater, hill, dimension, first, second))
