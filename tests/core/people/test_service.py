"""Persons: one a browser, joined and parted, and somebody always left who looks after the others."""

import json
import threading
from contextlib import suppress

import pytest

from core.consent import TAKING_PART
from core.errors import DataError, NotFound
from core.people import agreements, service
from storage import tables
from storage.standing import Tally
from storage.store import Store


def row(store: Store, secret: str) -> tables.Person:
    """The row this secret opens, whoever it was joined to."""
    return store.persons.get(service.row_of_secret(store, secret) or 0)


def test_the_store_keeps_no_secret(store: Store) -> None:
    secret = service.new_secret()
    person = service.begin(store, secret)
    assert service.of_secret(store, secret).id == person.id  # type: ignore[union-attr]
    kept = json.dumps([one.model_dump() for one in store.persons.all()]).encode() + b"".join(
        path.read_bytes() for path in store.folder.iterdir() if path.is_file()
    )
    assert secret.encode() not in kept
    assert service.hash_of(secret).encode() in kept


def test_nobody_is_found_for_no_secret(store: Store) -> None:
    store.persons.add(tables.Person(code="K-03", origin="former"))  # its hash of a secret is empty
    assert service.of_secret(store, "") is None
    assert service.of_secret(store, "somebody else's") is None


def test_a_new_person_has_a_code_of_their_own(store: Store) -> None:
    first = service.begin(store, "a")
    service.rename(store, first, f"P-{(first.id or 0) + 1:02}")
    assert service.begin(store, "b").code not in {first.code, store.persons.get(first.id or 0).code}


def test_who_counsels_has_the_series_of_their_code_or_the_one_they_name(store: Store) -> None:
    assert service.begin(store, "a", {"counselor": []}, "T-01").counselor_codes == ["T-01"]
    named = service.begin(store, "b", {"counselor": []}, "Li", counselor_codes=[" T-02 ", ""])
    assert (named.code, named.counselor_codes, named.client_codes) == ("Li", ["T-02"], [])
    assert service.begin(store, "c", {"client": []}, "C-9").client_codes == ["C-9"]
    assert service.begin(store, "d", {"rater": []}, "C-9").client_codes == []


def test_the_same_code_is_not_the_same_person(store: Store) -> None:
    one, other = service.begin(store, "a", code="K-03"), service.begin(store, "b", code="K-03")
    assert one.id != other.id
    assert store.persons.members(one.id or 0) == {one.id}


def test_joined_both_secrets_open_the_second(store: Store) -> None:
    one, other = service.begin(store, "a"), service.begin(store, "b", {"client": []}, "C-1")
    assert service.join(store, one.id or 0, other.id or 0).id == other.id
    assert {service.of_secret(store, s).id for s in ("a", "b")} == {other.id}  # type: ignore[union-attr]
    assert service.of_secret(store, "a").roles == {"client": []}  # type: ignore[union-attr]
    with pytest.raises(DataError, match="same person already"):
        service.join(store, other.id or 0, one.id or 0)
    with pytest.raises(DataError, match="same person already"):
        service.join(store, one.id or 0, one.id or 0)


def test_parting_gives_each_their_own_again(store: Store) -> None:
    a, b, c = (service.begin(store, secret, {"rater": []}) for secret in "abc")
    service.join(store, a.id or 0, b.id or 0)
    service.join(store, b.id or 0, c.id or 0)  # a → b → c
    assert store.persons.members(a.id or 0) == {a.id, b.id, c.id}
    service.part(store, b.id or 0)
    assert store.persons.members(c.id or 0) == {c.id}
    assert service.of_secret(store, "a").id == b.id  # type: ignore[union-attr]
    with pytest.raises(DataError, match="stands for themselves"):
        service.part(store, c.id or 0)
    with pytest.raises(NotFound):
        service.part(store, 99)


def test_two_who_join_each_other_at_once_stay_reachable(store: Store) -> None:
    for turn in range(8):
        pair = [service.begin(store, f"{turn}{side}").id or 0 for side in "ab"]
        start = threading.Barrier(2)

        def join(one: int, other: int, start: threading.Barrier = start) -> None:
            start.wait()
            with suppress(DataError):  # whoever comes second finds them one already
                service.join(store, one, other)

        threads = [threading.Thread(target=join, args=ids) for ids in (pair, pair[::-1])]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sum(store.persons.get(id).joined_to is None for id in pair) == 1


def test_joining_somebody_who_is_not_there_changes_nothing(store: Store) -> None:
    one = service.begin(store, "a")
    with pytest.raises(NotFound):
        service.join(store, one.id or 0, 99)
    with pytest.raises(NotFound):
        service.join(store, 99, one.id or 0)
    assert store.persons.get(one.id or 0).joined_to is None


def test_the_last_researcher_stays_one(store: Store) -> None:
    first = service.begin(store, "a")
    service.owner(store)  # the command line is no browser
    store.persons.add(tables.Person(code="K", roles={"researcher": []}, origin="former"))  # nobody can act as them
    client = service.begin(store, "c", {"client": []})
    for change in (
        lambda: service.set_roles(store, first.id or 0, {"rater": []}),
        lambda: service.assign(store, first.id or 0, client.id or 0),
    ):
        with pytest.raises(DataError, match="only researcher"):
            change()
    assert service.of_secret(store, "a").roles == {"researcher": []}  # type: ignore[union-attr]
    second = service.begin(store, "b")
    assert service.set_roles(store, first.id or 0, {"rater": []}).roles == {"rater": []}
    with pytest.raises(DataError, match="only researcher"):
        service.set_roles(store, second.id or 0, {"counselor": []})
    service.set_roles(store, client.id or 0, {"supervisor": ["T-02", "T-01", " T-02"]}, counselor_codes=["", " T-9 "])
    changed = store.persons.get(client.id or 0)
    assert (changed.roles, changed.counselor_codes) == ({"supervisor": ["T-01", "T-02"]}, ["T-9"])


def test_roles_are_known_ones(store: Store) -> None:
    person = service.begin(store, "a")
    for roles in ({}, {"king": []}):
        with pytest.raises(DataError, match="Choose a role"):
            service.set_roles(store, person.id or 0, roles)
    with pytest.raises(DataError, match="Choose a role"):
        service.begin(store, "b", {"king": []})
    assert len(store.persons.all()) == 1


def test_after_somebody_else_sat_down_the_old_secret_opens_nothing(store: Store) -> None:
    person = service.begin(store, "a")
    service.forget_browser(store, person.id or 0)
    assert service.of_secret(store, "a") is None
    assert store.persons.get(person.id or 0).code == person.code  # they are still there, for a researcher to join


def test_the_first_who_signs_in_is_a_researcher_and_the_others_wait_for_a_role(store: Store) -> None:
    service.owner(store)
    first, second = service.signed_in(store, "li@clinic.example"), service.signed_in(store, "ann@clinic.example")
    assert (first.roles, second.roles) == ({"researcher": []}, {})
    assert service.signed_in(store, "li@clinic.example").id == first.id


def test_two_windows_that_sign_in_at_once_are_one_person(store: Store) -> None:
    start = threading.Barrier(4)

    def sign_in() -> None:
        start.wait()
        service.signed_in(store, "li@clinic.example")
        service.owner(store)
        store.identity()

    threads = [threading.Thread(target=sign_in) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.persons.all(sign_in="li@clinic.example")) == 1
    assert len(store.persons.all(sign_in=service.OWNER)) == 1


def test_a_joined_person_counts_each_session_once(store: Store) -> None:
    one, other = service.begin(store, "a"), service.begin(store, "b")
    both = store.sessions.add(tables.Session(origin="live"))
    gone = store.sessions.add(tables.Session(origin="live"))
    for n, (session, person) in enumerate([(both, one), (both, other), (gone, one)], 1):
        store.sessions.add_turn(
            tables.Turn(session_id=session.id or 0, position=n, seat="client", text="…", speaker="person", person_id=person.id)
        )
    agreements.withdraw(store, agreements.Who(one), [TAKING_PART], gone.id)
    rater = store.raters.add(tables.Rater(kind="person", name="K", person_id=other.id))
    for about in (both, gone):
        store.ratings.add(
            tables.Rating(rater_id=rater.id or 0, session_id=about.id or 0, instrument="x", instrument_version=1, language="en", item="1")
        )
    for pair in ((both, gone), (gone, both)):
        store.comparisons.add(
            tables.Comparison(
                rater_id=rater.id or 0, first_id=pair[0].id or 0, second_id=pair[1].id or 0, instrument="x", instrument_version=1,
                language="en", dimension="d", verdict="tie",
            )
        )  # fmt: skip
    assert store.persons.tally() == {one.id: Tally(1, 1, 0, 1), other.id: Tally(1, 0, 1)}
    service.join(store, one.id or 0, other.id or 0)
    assert store.persons.tally() == {other.id: Tally(1, 1, 1, 1)}


def test_a_link_leaves_a_researcher_and_gives_nobody_more(store: Store) -> None:
    """Whoever made the link, the person kept is the one who may do less; so parting them gives each their own again."""
    first = service.begin(store, "r", code="R-01")
    counselor = service.begin(store, "c", {"counselor": []}, "T-01")
    for made, opened in ((counselor, first), (first, counselor)):
        with pytest.raises(DataError, match="only researcher"):
            service.join_by_link(store, opened.id or 0, made.id or 0)
    assert service.researchers(store) == {first.id}
    service.begin(store, "second", code="R-02")
    for made, opened in ((counselor, first), (first, counselor)):
        assert service.kept_by_link(store, opened.id or 0, made.id or 0).id == counselor.id
        assert service.join_by_link(store, opened.id or 0, made.id or 0).id == counselor.id
        assert {service.of_secret(store, one).roles.popitem()[0] for one in "rc"} == {"counselor"}  # type: ignore[union-attr]
        assert service.part(store, first.id or 0).roles == {"researcher": []} and store.persons.get(counselor.id or 0).roles == {"counselor": []}


def test_a_link_keeps_who_made_it_between_two_who_may_do_the_same(store: Store) -> None:
    made, opened = service.begin(store, "a", code="R-01"), service.begin(store, "b", code="R-02")
    assert service.join_by_link(store, opened.id or 0, made.id or 0).id == made.id and service.researchers(store) == {made.id}


@pytest.mark.parametrize(
    ("one", "other"),
    [({"counselor": []}, {"client": []}), ({"supervisor": ["T-01"]}, {"supervisor": ["T-02"]}), ({"counselor": []}, {"rater": [], "client": []}), ({"rater": []}, {})],
)
def test_two_who_may_do_different_things_are_joined_by_a_researcher(
    store: Store, one: dict[str, list[str]], other: dict[str, list[str]]
) -> None:
    a, b = (store.persons.add(tables.Person(code=name, roles=roles)) for name, roles in (("A", one), ("B", other)))
    for pair in ((a, b), (b, a)):
        with pytest.raises(DataError, match="researcher can join"):
            service.join_by_link(store, *(person.id or 0 for person in pair))
    assert not store.persons.get(a.id or 0).joined_to and not store.persons.get(b.id or 0).joined_to


def test_a_narrower_supervisor_is_the_one_that_is_kept(store: Store) -> None:
    wide, narrow = (service.begin(store, name, {"supervisor": codes}, name) for name, codes in (("w", ["T-01", "T-02"]), ("n", ["T-01"])))
    assert service.join_by_link(store, narrow.id or 0, wide.id or 0).id == narrow.id
