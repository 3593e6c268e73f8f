"""A researcher's study meets an endpoint that fails: nothing answered is lost, and the reason is in words."""

from collections.abc import Iterator

import pytest

from storage.store import Store
from tests.core.studies.faulty import attempts, begin, reasons, work_off
from tests.servers.handle import Misbehaving


@pytest.fixture(scope="module")
def shared() -> Iterator[Misbehaving]:
    with Misbehaving(latency=0.01) as server:
        yield server


@pytest.fixture
def server(shared: Misbehaving) -> Misbehaving:
    """Well-behaved again, and with nothing counted."""
    shared.behave(
        forget=True, latency=0.01, most=0, retry_after="", fault="", after=0, every=1, times=0, pause=0.05,
        refuse_formats=[], refuse_settings=[], refuse_status=400, usage=True,
    )  # fmt: skip
    return shared


@pytest.mark.parametrize("retry_after", ["", "2"])
def test_a_storm_of_429_loses_nothing(store: Store, server: Misbehaving, retry_after: str) -> None:
    server.behave(latency=0.05, most=30, retry_after=retry_after)
    status = work_off(store, begin(store, server, 500, 100))
    seen = server.seen()
    assert status["state"] == "finished" and status["units"]["done"] == 500
    assert seen["seen"]["busy"] > 0 and seen["answered_again"] == 0
    assert status["requests"] == seen["asked"], "every request is counted"
    assert status["asked_twice"] == 0


@pytest.mark.parametrize("fault", ["500", "502", "503", "drop", "cut", "malformed", "no choices"])
def test_passing_failures_are_waited_out(store: Store, server: Misbehaving, fault: str) -> None:
    server.behave(fault=fault, every=4)
    study = begin(store, server, 40, 20)
    status = work_off(store, study)
    assert status["units"]["done"] == 40
    assert len(attempts(store, study)) == server.seen()["seen"][fault] > 0
    assert server.seen()["answered_again"] == 0


@pytest.mark.parametrize(("fault", "code"), [("500", "server"), ("malformed", "malformed"), ("page", "malformed"), ("cut", "stream"), ("no choices", "empty"), ("no finish", "unfinished")])
def test_a_unit_whose_every_reply_is_broken_fails_in_words(store: Store, server: Misbehaving, fault: str, code: str) -> None:
    server.behave(fault=fault, after=15)
    study = begin(store, server, 20, 5, most_tries=2)
    status = work_off(store, study)
    assert status["state"] == "finished" and status["units"]["failed"] == 5
    assert reasons(store, study) == {code}


@pytest.mark.parametrize(
    ("fault", "state", "code"),
    [("length", "unscored", "cut"), ("content_filter", "unscored", "filtered"), ("empty", "unscored", "empty"),
     ("prose", "unscored", "unreadable"), ("too_long", "failed", "too_long"), ("filtered", "failed", "filtered"),
     ("network_error", "unscored", "cut"), ("sensitive", "unscored", "filtered"), ("abort", "unscored", "cut")],
)  # fmt: skip
def test_what_is_no_answer_never_becomes_one(store: Store, server: Misbehaving, fault: str, state: str, code: str) -> None:
    server.behave(fault=fault)
    study = begin(store, server, 20, 10)
    status = work_off(store, study)
    assert status["units"][state] == 20 and reasons(store, study) == {code}
    asked = 40 if fault == "prose" else 20  # one repair turn, then no more
    assert server.seen()["asked"] == status["requests"] == asked


@pytest.mark.parametrize("fault", ["hang", "trickle"])
def test_a_call_without_end_is_given_up_and_asked_again(store: Store, server: Misbehaving, fault: str) -> None:
    server.behave(fault=fault, every=4, times=6, pause=0.2)
    study = begin(store, server, 30, 10)
    status = work_off(store, study, timeout=0.5)
    assert status["units"]["done"] == 30
    assert attempts(store, study) == ["0 timeout"] * 6


@pytest.mark.parametrize("status_code", [400, 422, 500])
def test_a_refused_reply_format_is_stepped_down_once_and_remembered(store: Store, server: Misbehaving, status_code: int) -> None:
    server.behave(refuse_formats=["json_schema"], refuse_status=status_code)
    status = work_off(store, begin(store, server, 100, 10))
    assert status["units"]["done"] == 100
    assert server.seen()["seen"]["refused setting"] <= 14  # units in progress together: ten under way, four that wait
    endpoint = store.endpoints.find(name="Measured")
    assert endpoint is not None and endpoint.learned["format"] == "json_object"


def test_an_unknown_setting_is_dropped_and_recorded(store: Store, server: Misbehaving) -> None:
    server.behave(refuse_settings=["seed"])
    status = work_off(store, begin(store, server, 50, 10))
    assert status["units"]["done"] == 50
    last = store.calls.all()[-1]
    assert last.dropped == ["seed"] and "seed" not in last.sent


def test_tokens_nobody_reported_are_estimated_never_nothing(store: Store, server: Misbehaving) -> None:
    server.behave(usage=False)
    status = work_off(store, begin(store, server, 20, 10))
    assert status["tokens_estimated"] and status["tokens"]["in"] > 20 * 300
    assert any("estimated" in note for note in status["notes"])


@pytest.mark.parametrize(("fault", "state", "words"), [("key", "needs the key", "refused the key"), ("credit", "failed", "no credit is left"), ("gone", "failed", "does not know this model"), ("redirect", "failed", "sends requests on to another address")])
def test_what_only_a_person_can_mend_stops_the_study(store: Store, server: Misbehaving, fault: str, state: str, words: str) -> None:
    server.behave(fault=fault, after=30, latency=0.03)
    study = begin(store, server, 100, 10)
    status = work_off(store, study)
    assert status["state"] == state and words in status["reason"]
    seen = server.seen()
    assert seen["seen"][fault] <= 10, "nothing more is sent once the first refusal is known"
    assert status["units"]["done"] == seen["answered"], "what was answered is kept"
    server.behave(fault="", forget=True)
    from core.studies import service

    service.start(store, study, worker=False)
    status = work_off(store, study)
    assert status["state"] == "finished" and status["units"]["done"] == 100
    assert server.seen()["asked"] + seen["answered"] == 100
