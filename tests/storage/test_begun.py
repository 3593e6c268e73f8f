"""Drafts in the store: one person's alone, never overwritten unseen, and gone with what they were made of."""

import pytest

from core import upkeep
from core.errors import DataError, NotAllowed, NotFound
from core.people import begun, service
from core.roles.drafts import Draft
from core.roles.service import save_role
from storage import tables
from storage.store import Store

WHOLE = Draft(
    stressor={"label": "Job loss", "subcategory": "job_loss", "category": "career"}, demographics={"age": 30, "gender": "woman", "persona": "A cook."},
    life_events=["Moved."], event_kinds=["move"], traits={"openness": "low"}, text="You are a cook.", checked=True, checks=[],
)  # fmt: skip


def a_call(store: Store, study: int | None = None) -> int:
    fields = {"prompt": "role/compile", "prompt_version": 1, "prompt_hash": "", "engine": "demo", "study_id": study}
    return store.calls.save(fields, [{"role": "user", "content": "Write."}], "You are a cook.")


def somebody(store: Store, secret: str) -> tables.Person:
    return service.begin(store, secret)


def test_a_draft_is_its_persons_alone_in_all_their_browsers(store: Store) -> None:
    ann, ben = somebody(store, "a"), somebody(store, "b")
    draft = begun.begin(store, ann, "role", {"seed": 1})
    assert [one.id for one in begun.all_of(store, ann, "role")] == [draft.id] and begun.all_of(store, ann, "study") == []
    assert begun.all_of(store, ben, "role") == [] and begun.find(store, ben, "role", draft.id) is None
    begun.drop(store, ben, draft.id or 0)
    assert store.drafts.count() == 1
    store.persons.update(ben.id or 0, joined_to=ann.id)
    assert begun.find(store, ben, "role", draft.id) is not None


def test_what_another_window_kept_is_not_overwritten(store: Store) -> None:
    ann = somebody(store, "a")
    first = begun.begin(store, ann, "role", {"step": 1})
    second = begun.keep(store, first, {"step": 2})
    with pytest.raises(DataError, match="another window"):
        begun.keep(store, first, {"step": "mine"})
    assert store.drafts.get(first.id or 0).content == {"step": 2}
    begun.keep(store, second, {"step": 3})
    begun.drop(store, ann, first.id or 0)
    with pytest.raises(NotFound, match="saved or dropped"):
        begun.keep(store, second, {"step": 4})


def test_choices_of_two_windows_stand_side_by_side(store: Store) -> None:
    ann = somebody(store, "a")
    first = begun.begin(store, ann, "study", {"name": "Nights", "turns": 20})
    begun.choose(store, first, {"turns": 8})
    begun.choose(store, first, {"new_roles": 2})  # read before the other window chose
    assert store.drafts.get(first.id or 0).content == {"name": "Nights", "turns": 8, "new_roles": 2}
    with pytest.raises(DataError, match="another window"):
        begun.keep(store, first, {})
    begun.drop(store, ann, first.id or 0)
    with pytest.raises(NotFound):
        begun.choose(store, first, {"turns": 6})


def test_news_of_another_window_are_told_from_what_was_chosen_here() -> None:
    there = {"name": "B", "turns": 8, "seed": 2, "client": "gone", "roles": [1]}
    seen = {"name": "A", "turns": 20, "seed": 1, "client": "gone"}
    before = {"name": "A", "turns": 20, "seed": 1, "client": "usual"}  # what is gone is not offered here
    found = begun.news(there, seen, before, before | {"turns": 9, "seed": 2})
    assert found == begun.News(taken={"name": "B", "roles": [1]}, otherwise={"turns": 8})


def test_calls_of_a_kept_draft_are_not_loose_and_go_with_it(store: Store) -> None:
    ann = somebody(store, "a")
    mine, loose = a_call(store), a_call(store)
    draft = begun.begin(store, ann, "role", {"calls": [mine]})
    assert store.calls.loose(resting=0) == [loose]
    begun.drop(store, ann, draft.id or 0)
    assert (store.drafts.count(), store.calls.loose(resting=0), store.calls.count()) == (0, [loose], 1)


def test_an_answer_of_just_now_is_not_left_over(store: Store) -> None:
    """Between the answer and keeping the step it is for nothing names the call: deleting it would take it from the draft."""
    old, _new = a_call(store), a_call(store)
    store.calls.update(old, created="2026-01-01T00:00:00.000+00:00")
    assert store.calls.loose() == [old] and upkeep.delete_loose_calls(store) == 1
    assert store.calls.count() == 1


def test_a_researcher_deletes_the_draft_of_somebody_who_left_with_its_calls(store: Store) -> None:
    ann, here = somebody(store, "a"), service.owner(store)
    begun.begin(store, here, "study", {})
    draft = begun.begin(store, ann, "role", {"calls": [a_call(store)], "text": "secret"})
    (left,) = begun.of_others(store, here)
    assert (left.id, left.kind, left.person_id, left.calls) == (draft.id, "role", ann.id, 1)
    begun.drop_left(store, here, left)
    assert (store.drafts.count(), store.calls.count(), begun.of_others(store, here)) == (1, 0, [])
    counselor = store.persons.add(tables.Person(roles={"counselor": []}, secret_hash="c"))
    with pytest.raises(NotAllowed):
        begun.of_others(store, counselor)


def test_dropping_takes_no_call_that_a_record_or_a_study_has(store: Store) -> None:
    ann = somebody(store, "a")
    linked, studied = a_call(store), a_call(store, study=store.studies.add(tables.Study(name="x")).id)
    store.roles.add(tables.RoleCard(title="Made of it"), [linked])
    draft = begun.begin(store, ann, "role", {"calls": [linked, studied, 9999]})
    begun.drop(store, ann, draft.id or 0)
    assert store.calls.count() == 2


def test_saving_the_card_links_its_calls_and_takes_the_draft_at_once(store: Store) -> None:
    ann, call = somebody(store, "a"), a_call(store)
    one = WHOLE.model_copy(update={"calls": [call]})
    draft = begun.begin(store, ann, "role", one.model_dump(mode="json"))
    store.roles.add(tables.RoleCard(title="Taken"))
    with pytest.raises(DataError):
        save_role(store, one, "Taken", ann, kept=draft.id)
    assert (store.drafts.count(), store.roles.count()) == (1, 1) and store.calls.loose(resting=0) == []
    card = save_role(store, one, "Cook", ann, kept=draft.id)
    assert store.drafts.count() == 0 and store.calls.loose(resting=0) == []
    with pytest.raises(NotFound, match="saved or dropped"):  # the same draft in another window
        save_role(store, one, "Cook again", ann, kept=draft.id)
    assert [role.title for role in store.roles.all()] == ["Taken", "Cook"]
    store.delete("role", card.id or 0)
    assert store.calls.count() == 0
