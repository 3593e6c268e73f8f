"""Ratings and comparisons made elsewhere: whose they are, what comes in, and what is refused whole."""

from typing import Any

import pytest

from core import instruments
from core.errors import DataError
from core.judging.importing import import_comparisons, import_ratings
from core.judging.readings import READER
from core.results import reading
from core.results.labels import asked, comparison_label, rated, rating_label
from core.results.voices import voices
from storage import judged, tables
from storage.store import Store
from tests import results_story as story

HEAD = "session,rater,instrument,item,value"
PAIRS = "first,second,rater,instrument,dimension,verdict"


def table(head: str, *rows: tuple[Any, ...]) -> bytes:
    return "\n".join([head, *(",".join(map(str, row)) for row in rows)]).encode()


def ratings(store: Store, *rows: tuple[Any, ...], kind: str = "person") -> Any:
    """Rows of (session, rater, item, value)."""
    given = [(session, rater, "wai-o-s", item, value) for session, rater, item, value in rows]
    return import_ratings(store, "table.csv", table(HEAD, *given), kind)


@pytest.fixture
def held(store: Store) -> list[int]:
    return list(story.sessions(store, 1, story.COUNSELORS).values())


def test_two_people_from_a_table_give_the_label_and_the_agreement_of_people(store: Store) -> None:
    made = list(story.sessions(store, 12, story.COUNSELORS).values())
    story.rate(store, story.study(store), made)
    scale = instruments.load("wai-o-s")
    for name, seed in (("Anna", 3), ("Bo", 4)):
        rows = [
            (session, name, item.id, (session * 7 + n * seed) % 5 + 1)
            for session in made for n, item in enumerate(scale.items)
        ]  # fmt: skip
        assert len(ratings(store, *rows).ids) == 36 * 12
    every = reading.ratings(store, None, "wai-o-s")
    found = voices(every)
    assert [(one.kind, one.name) for one in found[1:]] == [("person", "Anna"), ("person", "Bo")]
    dimensions = {d.id: [item.id for item in scale.items_of(d.id)] for d in scale.dimensions}
    label = rating_label(rated(every, found[0], dimensions, scale.scoring), reading.sessions(store, made)).rules
    assert label.n == 36 and label.state not in ("none", "few")


def test_rows_of_people_say_nothing_of_a_prompt_and_who_read_them(store: Store, held: list[int]) -> None:
    (id,) = ratings(store, (held[0], "Anna", "Q1", 4)).ids
    row = store.ratings.get(id)
    assert (row.prompt, row.setting, row.way, row.engine, row.repeats, row.reader) == ("", "", "", "", 1, READER)
    assert row.instrument_version == instruments.load("wai-o-s").version


def test_name_in_a_table_is_nobody_who_rated_here_and_the_same_rater_in_the_next_table(store: Store, held: list[int]) -> None:
    person = store.persons.add(tables.Person(code="Anna"))
    mine = store.raters.add(tables.Rater(kind="person", name="Anna", person_id=person.id))
    first = store.ratings.get(ratings(store, (held[0], "Anna", "Q1", 4)).ids[0])
    again = store.ratings.get(ratings(store, (held[1], "Anna", "Q1", 4)).ids[0])
    assert first.rater_id == again.rater_id != mine.id
    rater = store.raters.get(first.rater_id)
    assert (rater.name, store.persons.get(rater.person_id or 0).origin) == ("Anna (2)", "imported")


def test_person_of_another_workbench_is_not_the_one_of_a_table(store: Store, held: list[int]) -> None:
    person = store.persons.add(tables.Person(code="Anna", origin="imported"))
    theirs = store.raters.add(tables.Rater(kind="person", name="Anna", person_id=person.id))
    story_of = {"instrument": "wai-o-s", "instrument_version": 1, "language": "en", "item": "Q1", "value": 1}
    store.ratings.add(tables.Rating(rater_id=theirs.id or 0, session_id=held[0], study_id=story.study(store), **story_of))
    assert store.ratings.get(ratings(store, (held[0], "Anna", "Q1", 4)).ids[0]).rater_id != theirs.id


def test_labels_that_came_with_the_data_are_of_no_person(store: Store, held: list[int]) -> None:
    one = store.ratings.get(ratings(store, (held[0], "set", "Q1", 4), kind="reference").ids[0])
    assert store.raters.get(one.rater_id).kind == "reference" and store.persons.count(origin="imported") == 0
    with pytest.raises(DataError, match="kind “model”"):
        ratings(store, (held[1], "set", "Q1", 4), kind="model")


def test_doubled_rows_are_refused_with_their_lines(store: Store, held: list[int]) -> None:
    with pytest.raises(DataError, match="Lines: 2, 4"):
        ratings(store, (held[0], "Anna", "Q1", 4), (held[0], "Anna", "Q2", 4), (held[0], "Anna", "Q1", 5))
    one, two = held[:2]
    rows = [(one, two, "Anna", "hill", "gentle_challenges", verdict) for verdict in (one, two)]
    with pytest.raises(DataError, match="Lines: 2, 3"):
        import_comparisons(store, "pairs.csv", table(PAIRS, *rows))
    assert (store.ratings.count(), store.comparisons.count(), store.raters.count()) == (0, 0, 0)


def test_the_same_table_again_is_noticed_and_a_longer_one_brings_what_is_new(store: Store, held: list[int]) -> None:
    first = [(held[0], "Anna", "Q1", 4), (held[0], "Anna", "Q2", "")]
    assert not ratings(store, *first).messages
    again = ratings(store, *first)
    assert again.ids == [] and "every row of it, with the same values" in str(again.messages[0])
    more = ratings(store, *first, (held[1], "Anna", "Q1", 2))
    assert len(more.ids) == 1 and "2 of 3 rows" in str(more.messages[0]) and store.ratings.count() == 3


def test_the_same_table_is_known_again_after_its_instrument_changed(store: Store, held: list[int]) -> None:
    (id,) = ratings(store, (held[0], "Anna", "Q1", 4)).ids
    store.ratings.update(id, instrument_version=99)
    assert ratings(store, (held[0], "Anna", "Q1", 4)).ids == []
    assert len(ratings(store, (held[0], "Anna", "Q1", 3)).ids) == 1  # rated anew, with another version


def test_contradicting_rows_are_refused_and_a_blank_can_be_filled_in(store: Store, held: list[int]) -> None:
    ratings(store, (held[0], "Anna", "Q1", 4), (held[0], "Anna", "Q2", ""))
    with pytest.raises(DataError, match="in line 3, Anna says 5, and said 4 before. Lines: 3. Take them out"):
        ratings(store, (held[0], "Anna", "Q3", 1), (held[0], "Anna", "Q1", 5), (held[1], "New", "Q1", 5))
    assert store.ratings.count() == 2 and store.raters.count() == 1
    assert len(ratings(store, (held[0], "Anna", "Q2", 3)).ids) == 1


def test_nothing_is_kept_when_it_breaks_off(store: Store, held: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    real = judged.insert

    def full(connection: Any, noun: Any, row: Any) -> int:
        if noun is tables.Rating and row["item"] == "Q3":
            raise OSError("no space")
        return real(connection, noun, row)

    monkeypatch.setattr(judged, "insert", full)
    with pytest.raises(OSError):
        ratings(store, *((held[0], "Anna", f"Q{n}", 4) for n in (1, 2, 3)))
    assert (store.ratings.count(), store.raters.count(), store.persons.count(origin="imported")) == (0, 0, 0)


def test_comparisons_keep_who_was_shown_first_and_stand_beside_a_judge(store: Store) -> None:
    made = story.sessions(store, 12, story.COUNSELORS)
    story.compare(store, story.study(store), made)
    rows = [(made[r, b], made[r, a], "Anna", "hill", d.id, made[r, a])
            for r in range(12) for a, b in (("Careful", "Plainer"), ("Plainer", "Adviser")) for d in instruments.load("hill").dimensions]  # fmt: skip
    ids = import_comparisons(store, "pairs.csv", table(PAIRS, *rows)).ids
    first = store.comparisons.get(ids[0])
    assert (first.first_id, first.second_id, first.winner_id, first.verdict) == (rows[0][0], rows[0][1], rows[0][1], "won")
    every = reading.comparisons(store)
    stages = {d.id: d.stage for d in instruments.load("hill").dimensions}
    found = asked(every, voices(every)[0], stages, reading.sessions(store, made.values()))
    label = comparison_label(found, stages).rules
    assert label.n > 0 and label.state != "none"
