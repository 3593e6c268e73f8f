"""A study begun with another version of an instrument is not continued; its plan is begun as a new one."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from core import instruments
from core.errors import DataError
from core.people import service as people
from core.studies import own, service, versions
from core.studies.own import Wish
from core.studies.starting import running_studies
from storage import units
from storage.store import Store

HERE = instruments.load("wai-o-s").version
DESIGN: dict[str, Any] = {
    "name": "Alliance", "language": "en",
    "steps": [
        {"kind": "comparisons", "sessions": "all", "judges": ["Demo rater"], "instrument": "hill", "dimensions": ["desired_change"]},
        {"kind": "ratings", "sessions": "all", "judges": ["Demo rater"], "instrument": "wai-o-s", "items": ["Q1", "Q9"], "repeats": 1},
    ],
}  # fmt: skip


def of_version(store: Store, study_id: int, version: int | None) -> None:
    """The study's ratings as an older Rapport planned them: with another version, or naming none."""
    for id, payload in units.query(store, "SELECT id, payload FROM unit WHERE study_id = :study AND kind = 'rating'", study=study_id):
        asked = {name: value for name, value in json.loads(payload).items() if name != "version"}
        asked |= {"version": version} if version else {}
        units.change(store, "UPDATE unit SET payload = :payload WHERE id = :id", {"payload": json.dumps(asked), "id": id})


def states(store: Store, study_id: int) -> dict[str, dict[str, int]]:
    return units.counts(store, study_id)


def test_units_name_the_version_they_were_planned_with(store: Store, sessions: list[int]) -> None:
    study = service.begin(store, DESIGN)
    assert set(units.planned_with(store, study.id or 0, "all")) == {("hill", 1), ("wai-o-s", HERE)}


@pytest.mark.parametrize("planned", [None, HERE + 1])
def test_a_study_of_another_version_is_not_continued(store: Store, sessions: list[int], planned: int | None) -> None:
    """Units that name no version were planned with the first."""
    study = service.begin(store, DESIGN)
    of_version(store, study.id or 0, planned)
    with pytest.raises(DataError, match=f"begun with version {planned or 1} of the instrument wai-o-s, and here it is version {HERE}"):
        service.start(store, study.id or 0, worker=False)
    assert store.studies.get(study.id or 0).state == "planned" and not running_studies(store)
    assert not store.ratings.all() and not store.comparisons.all()


def test_one_that_ran_during_the_update_stops_with_the_reason(store: Store, sessions: list[int]) -> None:
    study = service.begin(store, DESIGN)
    service.start(store, study.id or 0, worker=False)
    of_version(store, study.id or 0, None)
    service.work_off(store)
    stopped = store.studies.get(study.id or 0)
    assert stopped.state == "failed" and "rapport study anew" in stopped.reason
    assert not store.ratings.all() and states(store, study.id or 0)["rating"] == {"planned": 8}


def test_failed_units_of_another_version_are_not_asked_again(store: Store, sessions: list[int], work: Callable[..., Any]) -> None:
    id = int(work(DESIGN)["id"])
    units.change(store, "UPDATE unit SET state = 'failed', reason = 'timeout: x' WHERE study_id = :id AND position = 5", {"id": id})
    of_version(store, id, None)
    before = states(store, id)
    with pytest.raises(versions.OtherVersion):
        service.retry(store, id)
    assert states(store, id) == before


def test_the_same_plan_is_begun_anew_and_what_is_the_same_is_reused(
    store: Store, sessions: list[int], work: Callable[..., Any]
) -> None:
    old = int(work(DESIGN)["id"])
    of_version(store, old, None)
    units.change(store, "UPDATE unit SET key = 'of the first version' WHERE study_id = :id AND kind = 'rating'", {"id": old})
    asked = len(store.calls.all())
    new = service.begin_anew(store, old, people.owner(store))
    assert new.id != old and new.state == "planned" and (new.name, new.design["name"]) == ("Alliance (2)", "Alliance (2)")
    assert new.design | {"name": "Alliance"} == store.studies.get(old).design
    assert states(store, new.id or 0) == {"comparison": {"reused": 4}, "rating": {"planned": 8}}
    service.start(store, new.id or 0, worker=False)
    service.work_off(store)
    assert states(store, new.id or 0)["rating"] == {"done": 8} and len(store.calls.all()) == asked + 8
    rows = [row for row in store.ratings.all() if row.study_id == new.id]
    assert {row.instrument_version for row in rows} == {HERE} and not versions.moved(store, new.id or 0, "all")


def test_a_study_is_begun_anew_once_and_names_the_one_that_goes_on(store: Store, sessions: list[int]) -> None:
    old = service.begin(store, DESIGN).id or 0
    of_version(store, old, None)
    new = service.begin_anew(store, old).id or 0
    with pytest.raises(DataError, match=f"Study {old} was begun anew already: study {new} goes on with its plan"):
        service.begin_anew(store, old)
    with pytest.raises(versions.OtherVersion, match=f"Study {new} goes on with its plan. Nothing more is asked in study {old}") as told:
        service.start(store, old, worker=False)
    assert "anew" not in str(told.value) and len(store.studies.all()) == 2
    of_version(store, new, HERE + 1)
    assert service.begin_anew(store, new).name == "Alliance (3)"
    store.delete("study", new)
    assert service.begin_anew(store, old).name == "Alliance (2)", "what went on with it is gone"


def test_a_plan_with_an_item_that_is_no_more_is_refused(store: Store, sessions: list[int]) -> None:
    study = service.begin(store, DESIGN)
    sql = "UPDATE unit SET payload = json_set(payload, '$.item', 'Q99') WHERE study_id = :id AND kind = 'rating'"
    units.change(store, sql, {"id": study.id})
    with pytest.raises(DataError, match="no item Q99"):
        service.begin_anew(store, study.id or 0)
    assert len(store.studies.all()) == 1


def test_an_own_session_rated_with_another_version_may_be_rated_anew(store: Store, sessions: list[int]) -> None:
    person = people.owner(store)
    agent = store.agents.find(name="Demo rater")
    assert agent is not None
    own.release(store, person, agent.id or 0, True)
    wish = Wish(store.sessions.get(sessions[0]), store.agents.get(agent.id or 0), "wai-o-s")
    first = own.have_rated(store, person, wish, worker=False)
    service.work_off(store)
    assert own.is_rated(store, person, wish)
    of_version(store, first.id or 0, None)
    assert not own.is_rated(store, person, wish)
    assert own.have_rated(store, person, wish, worker=False).id != first.id
