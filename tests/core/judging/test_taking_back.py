"""What a table brought in can be taken back, one rater at a time, and nothing else goes with it."""

import json
from typing import Any

import pytest
from typer.testing import CliRunner

from core.cli import app
from core.errors import NotFound
from core.judging import taking_back
from core.judging.importing import import_comparisons, import_ratings
from storage import judged, tables
from storage.store import Store
from tests import results_story as story

run = CliRunner().invoke


def rows_of(store: Store) -> dict[str, set[int]]:
    nouns: dict[str, Any] = {
        "rating": store.ratings, "comparison": store.comparisons, "rater": store.raters, "person": store.persons, "session": store.sessions,
        "study": store.studies, "call": store.calls,
    }  # fmt: skip
    return {name: {row.id for row in noun.all()} for name, noun in nouns.items()}


@pytest.fixture
def held(store: Store) -> list[int]:
    """Sessions with a judge's ratings, and those of a person who rated here under a name that a table gives too."""
    made = list(story.sessions(store, 2, story.COUNSELORS).values())
    story.rate(store, story.study(store), made[:2])
    anna = store.raters.add(tables.Rater(kind="person", name="Anna", person_id=store.persons.add(tables.Person(code="Anna")).id))
    given = {"instrument": "wai-o-s", "instrument_version": 1, "language": "en", "item": "Q1", "value": 1}
    store.ratings.add(tables.Rating(rater_id=anna.id or 0, session_id=made[0], **given))
    return made


def bring(store: Store, held: list[int], name: str, kind: str = "person") -> None:
    import_ratings(store, "r.csv", f"session,rater,instrument,item,value\n{held[0]},{name},wai-o-s,Q1,4\n{held[1]},{name},wai-o-s,Q2,\n".encode(), kind)
    pairs = f"first,second,rater,instrument,dimension,verdict\n{held[0]},{held[1]},{name},hill,gentle_challenges,tie\n"
    import_comparisons(store, "c.csv", pairs.encode(), kind)


def test_only_raters_of_tables_are_listed_with_what_came_of_them(store: Store, held: list[int]) -> None:
    bring(store, held, "Anna")
    bring(store, held, "set", "reference")
    found = [(one.kind, one.name, one.ratings, one.comparisons, one.instruments) for one in taking_back.brought(store)]
    assert found == [(kind, name, 2, 1, ("hill", "wai-o-s")) for kind, name in (("person", "Anna"), ("reference", "set"))]


@pytest.mark.parametrize("kind", ["person", "reference"])
def test_taking_back_removes_what_came_in_and_nothing_else(store: Store, held: list[int], kind: str) -> None:
    bring(store, held, "Bo")
    before = rows_of(store)
    bring(store, held, "Anna", kind)
    (one,) = [one for one in taking_back.brought(store) if one.name == "Anna"]
    receipt = taking_back.take_back(store, one.id)
    assert rows_of(store) == before
    assert receipt.rows == {"rating": 2, "comparison": 1, "rater": 1} | ({"person": 1} if kind == "person" else {})
    bring(store, held, "Anna", kind)
    assert [one.name for one in taking_back.brought(store) if one.kind == kind].count("Anna") == 1, "it can be brought in again"


def test_who_rated_here_and_judges_cannot_be_taken_back(store: Store, held: list[int]) -> None:
    before = rows_of(store)
    for rater in store.raters.all():
        with pytest.raises(NotFound, match="no imported rater"):
            taking_back.take_back(store, rater.id or 0)
    assert rows_of(store) == before


def test_a_rater_that_something_else_names_stays(store: Store, held: list[int]) -> None:
    bring(store, held, "Bo")
    (one,) = taking_back.brought(store)
    store.feedback.add(tables.Feedback(session_id=held[0], rater_id=one.id))
    assert "rater" not in taking_back.take_back(store, one.id).rows and store.raters.get(one.id).name == "Bo"


def test_nothing_goes_when_it_breaks_off(store: Store, held: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    bring(store, held, "Bo")
    before, (one,) = rows_of(store), taking_back.brought(store)
    monkeypatch.setattr(judged, "named_elsewhere", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        taking_back.take_back(store, one.id)
    assert rows_of(store) == before


def test_the_command_lists_asks_and_deletes(store: Store, held: list[int]) -> None:
    assert "No table" in run(app, ["raters"]).stdout
    bring(store, held, "Bo")
    (told,) = json.loads(run(app, ["raters", "--json"]).stdout)["raters"]
    assert (told["name"], told["kind"], told["ratings"], told["comparisons"]) == ("Bo", "person", 2, 1)
    number = str(told["id"])
    assert run(app, ["take-back", number], input="n\n").exit_code == 1 and taking_back.brought(store)
    done = json.loads(run(app, ["take-back", number, "--yes", "--json"]).stdout)
    assert done["deleted"]["rating"] == 2 and not taking_back.brought(store)
    again = run(app, ["take-back", number, "--yes"])
    assert again.exit_code == 2 and "no imported rater" in again.stderr
