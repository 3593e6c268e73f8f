"""Ratings and comparisons made elsewhere: whose they are, what comes in, and what is refused whole."""

from typing import Any

import pytest

from core import instruments
from core.errors import DataError
from core.judging.importing import import_comparisons, import_ratings
from core.judging.readings import READER
from core.results import reading, wins
from core.results.labels import asked, comparison_label, rated, rating_label
from core.results.voices import of_voice, voices
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


def versioned(store: Store, *rows: tuple[Any, ...]) -> Any:
    """Rows of (session, rater, item, value, version)."""
    given = [(session, rater, "wai-o-s", item, value, version) for session, rater, item, value, version in rows]
    return import_ratings(store, "table.csv", table(f"{HEAD},version", *given))


def test_the_same_table_is_known_again_after_its_instrument_changed(store: Store, held: list[int]) -> None:
    (id,) = ratings(store, (held[0], "Anna", "Q1", 4)).ids
    store.ratings.update(id, instrument_version=1)
    assert ratings(store, (held[0], "Anna", "Q1", 4)).ids == []
    assert versioned(store, (held[0], "Anna", "Q1", 4, 1)).ids == [] and store.ratings.count() == 1


def test_a_longer_table_of_before_an_instrument_changed_must_say_its_version(store: Store, held: list[int]) -> None:
    """Its rows would be another version's, or ratings anew: it is asked and not guessed."""
    first = [(held[0], "Anna", item, 4) for item in ("Q1", "Q2")]
    for id in ratings(store, *first).ids:
        store.ratings.update(id, instrument_version=1)
    with pytest.raises(DataError, match=r"(?s)rated here with version 1, and now it is version 2. Lines: 2, 3. Add a column “version”"):
        ratings(store, *first, (held[1], "Anna", "Q1", 2))
    assert store.ratings.count() == 2
    taken = versioned(store, *((*row, 1) for row in first), (held[1], "Anna", "Q1", 2, 1))
    assert len(taken.ids) == 1 and store.ratings.get(taken.ids[0]).instrument_version == 1
    anew = versioned(store, *((*row, 2) for row in first))
    assert [store.ratings.get(id).instrument_version for id in anew.ids] == [2, 2]
    with pytest.raises(DataError, match="Anna says 1, and said 4 before"):
        versioned(store, (held[0], "Anna", "Q1", 1, 1))


@pytest.mark.parametrize("version", ["0", "3", "one", "1.0"])
def test_a_version_that_an_instrument_never_had_is_refused(store: Store, held: list[int], version: str) -> None:
    with pytest.raises(DataError, match=f"wai-o-s has no version {version}; it is at version 2"):
        versioned(store, (held[0], "Anna", "Q1", 4, version))


def test_names_of_two_people_stay_two_where_one_bears_a_number_here(store: Store, held: list[int]) -> None:
    person = store.persons.add(tables.Person(code="Anna"))
    store.raters.add(tables.Rater(kind="person", name="Anna", person_id=person.id))
    anna = store.ratings.get(ratings(store, (held[0], "Anna", "Q1", 4)).ids[0]).rater_id
    assert store.raters.get(anna).name == "Anna (2)"
    both = ratings(store, (held[1], "Anna", "Q1", 4), (held[1], "Anna (2)", "Q1", 2)).ids
    one, other = (store.ratings.get(id).rater_id for id in both)
    assert one == anna != other
    assert ratings(store, (held[1], "Anna (2)", "Q1", 2)).ids == [], "known again by the name in the table"


NAMES = [("Ren\u00e9", "Rene\u0301"), ("Ann", "\uff21nn"), ("Ann", "A\u200bnn"), ("Ann Lee", '"Ann\nLee"'), ("Ann", "Ann\ufe0f"), ("Ann", "\u202eAnn\u00ad")]


@pytest.mark.parametrize(("name", "written"), NAMES)
def test_a_name_is_the_same_however_a_programme_writes_it(store: Store, held: list[int], name: str, written: str) -> None:
    with pytest.raises(DataError, match="Lines: 2, "):
        ratings(store, (held[0], name, "Q1", 4), (held[0], written, "Q1", 4))
    (id,) = ratings(store, (held[0], written, "Q1", 4)).ids
    assert ratings(store, (held[0], name, "Q1", 4)).ids == []
    assert store.raters.get(store.ratings.get(id).rater_id).name == name


def test_a_name_of_nothing_to_see_is_blank(store: Store, held: list[int]) -> None:
    with pytest.raises(DataError, match="the column rater is blank"):
        ratings(store, (held[0], "\u200b\u2060", "Q1", 4))


def hill_of(store: Store, rows: list[tuple[int, int, int | str]]) -> Any:
    return import_comparisons(store, "pairs.csv", table(PAIRS, *((a, b, "Bo", "hill", "gentle_challenges", said) for a, b, said in rows)))


def test_a_pair_is_asked_once_whichever_session_is_named_first(store: Store, held: list[int]) -> None:
    one, two = held[:2]
    for second in (one, two):
        with pytest.raises(DataError, match="whichever session is named first. Lines: 2, 3"):
            hill_of(store, [(one, two, one), (two, one, second)])
    hill_of(store, [(one, two, one)])
    assert hill_of(store, [(two, one, one)]).ids == [] and store.comparisons.count() == 1
    with pytest.raises(DataError, match=f"Bo says {two}, and said {one} before"):
        hill_of(store, [(two, one, two)])


def test_both_orders_of_a_pair_that_are_here_both_count(store: Store, held: list[int]) -> None:
    one, two = held[:2]
    hill_of(store, [(one, two, one)])
    row = store.comparisons.all()[0]
    store.comparisons.add(tables.Comparison(**row.model_dump(exclude={"id"}) | {"first_id": two, "second_id": one, "winner_id": two}))
    every = reading.comparisons(store)
    stages = {d.id: d.stage for d in instruments.load("hill").dimensions}
    (found,) = wins.outcomes_of(of_voice(every, voices(every)[0]), reading.sessions(store, held), stages)[0]
    assert found.state == "orders_disagree"


def test_contradicting_rows_are_refused_and_a_blank_can_be_filled_in(store: Store, held: list[int]) -> None:
    ratings(store, (held[0], "Anna", "Q1", 4), (held[0], "Anna", "Q2", ""))
    with pytest.raises(DataError, match="in line 3, Anna says 5, and said 4 before. Lines: 3. Take them out"):
        ratings(store, (held[0], "Anna", "Q3", 1), (held[0], "Anna", "Q1", 5), (held[1], "New", "Q1", 5))
    assert store.ratings.count() == 2 and store.raters.count() == 1
    assert len(ratings(store, (held[0], "Anna", "Q2", 3)).ids) == 1


def test_the_same_table_as_another_kind_is_told(store: Store, held: list[int]) -> None:
    rows = [(held[0], "Anna", "Q1", 4), (held[0], "Anna", "Q2", 3)]
    ratings(store, *rows)
    (said,) = ratings(store, *rows, kind="reference").messages
    assert "2 of 2 rows of table.csv are here with the same rater's name and values as person too" in str(said)
    assert not ratings(store, (held[1], "Anna", "Q1", 4), kind="reference").messages


def test_a_wrong_level_is_told_with_those_there_are(store: Store, held: list[int]) -> None:
    with pytest.raises(DataError, match="Q1 of wai-o-s has no level 9. Its levels: 1, 2, 3, 4, 5"):
        ratings(store, (held[0], "Anna", "Q1", 9))
    with pytest.raises(DataError, match="wai-o-s has no item Q99. Its items: Q1, Q2"):
        ratings(store, (held[0], "Anna", "Q99", 1))


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


def test_a_table_of_the_other_kind_is_recognised(store: Store, held: list[int]) -> None:
    pair = table(PAIRS, (held[0], held[1], "Anna", "hill", "gentle_challenges", "tie"))
    with pytest.raises(DataError, match="a table of comparisons, not of ratings"):
        import_ratings(store, "pairs.csv", pair)
    with pytest.raises(DataError, match="a table of ratings, not of comparisons"):
        import_comparisons(store, "t.csv", table(HEAD, (held[0], "Anna", "wai-o-s", "Q1", 4)))
    with pytest.raises(DataError, match="lacks the column value"):
        import_ratings(store, "t.csv", table("session,rater,instrument,item", (held[0], "Anna", "wai-o-s", "Q1")))
