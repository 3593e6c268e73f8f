"""Every exchange is paced, paid for and kept: first replies, repair turns, and replies that were of no use."""

from collections.abc import Iterator
from typing import Any

import pytest

from core.studies import service
from core.studies.pacing import Pacer
from core.studies.prices import Purse
from storage import units
from storage.store import Store
from tests.core.studies.faulty import begin, checked, reasons, work_off
from tests.servers.handle import Misbehaving

EACH = (900 + 2 * 60) / 1e6
KEY = "clinic-gateway-key-0042"


@pytest.fixture
def server(store: Store) -> Iterator[Misbehaving]:
    store.settings.set("prices", [{"host": "127.0.0.1", "model": "measured", "input": 1.0, "output": 2.0}])
    with Misbehaving(latency=0.01) as running:
        yield running


def limit_replies(store: Store, tokens: int) -> None:
    """The judge asks for short replies, so that little is set aside for each."""
    agent: Any = store.agents.find(name="Measured judge")
    store.agents.update(agent.id, settings={"max_tokens": tokens})


def call_states(store: Store) -> list[str]:
    return sorted(call.state for call in store.calls.all())


def test_a_repair_turn_passes_the_pacer_and_the_purse(store: Store, server: Misbehaving, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[str] = []
    take, aside = Pacer._take, Purse.set_aside

    def counted_take(self: Pacer, tokens: float) -> None:
        taken.append("pace")
        take(self, tokens)

    async def counted_aside(self: Purse, cost: float) -> None:
        taken.append("money")
        await aside(self, cost)

    monkeypatch.setattr(Pacer, "_take", counted_take)
    monkeypatch.setattr(Purse, "set_aside", counted_aside)
    server.behave(fault="prose")
    status = work_off(store, begin(store, server, 10, 5))
    assert server.seen()["asked"] == 20
    assert taken.count("pace") == taken.count("money") == 20
    assert status["cost"] == pytest.approx(20 * EACH)


def test_both_replies_of_a_repair_are_kept(store: Store, server: Misbehaving) -> None:
    server.behave(fault="prose", repair="none")
    status = work_off(store, begin(store, server, 10, 5))
    assert status["units"]["done"] == status["repaired"] == 10
    assert (status["calls"], status["requests"]) == (20, 20)
    assert call_states(store) == ["repaired"] * 10 + ["unreadable"] * 10
    call = store.calls.whole(store.ratings.all()[0].call_id or 0)
    assert call["state"] == "repaired" and call["messages"][-2]["content"].startswith("Well, it depends")
    first = next(c for c in store.calls.all() if c.state == "unreadable" and c.unit_id == call["unit_id"])
    assert store.calls.whole(first.id or 0)["raw"].startswith("Well, it depends")
    assert first.cost == pytest.approx(EACH)


def test_a_failed_repair_forgets_nothing_and_only_it_is_asked_again(store: Store, server: Misbehaving) -> None:
    server.behave(fault="prose", repair="500")
    study = begin(store, server, 10, 5, most_tries=2)
    status = work_off(store, study)
    assert status["units"]["failed"] == 10 and reasons(store, study) == {"server"}
    assert status["cost"] == pytest.approx(10 * EACH) and status["calls"] == 10
    server.behave(fault="", repair="none", forget=True)
    units.retry(store, study)
    service.start(store, study, worker=False)
    status = work_off(store, study)
    assert status["units"]["done"] == status["repaired"] == 10
    assert server.seen()["asked"] == 10, "the first replies are in the store; only their repairs are asked"
    assert status["cost"] == pytest.approx(20 * EACH)


def test_a_repair_stops_at_the_budget_and_goes_on_from_there(store: Store, server: Misbehaving) -> None:
    server.behave(fault="prose", repair="none")
    study = begin(store, server, 10, 1)
    limit_replies(store, 60)
    service.set_budget(store, study, 5.7 * EACH)  # enough to set aside for a sixth question, not for its repair
    status = work_off(store, study)
    assert status["state"] == "over budget" and status["cost"] == pytest.approx(5 * EACH)
    assert server.seen()["asked"] == 5
    service.set_budget(store, study, 1.0)
    service.start(store, study, worker=False)
    status = work_off(store, study)
    assert status["units"]["done"] == 10 and server.seen()["asked"] == 20, "no first reply is asked again"
    assert status["cost"] == pytest.approx(20 * EACH)


@pytest.mark.parametrize("fault", ["no finish", "no choices paid"])
def test_a_reply_that_was_of_no_use_is_paid_all_the_same(store: Store, server: Misbehaving, fault: str) -> None:
    server.behave(fault=fault, every=2)
    status = work_off(store, begin(store, server, 10, 1))
    seen = server.seen()
    assert status["units"]["done"] == status["calls"] == 10
    assert status["requests"] == seen["asked"] > 10
    assert status["cost"] == pytest.approx(seen["asked"] * EACH)


def test_a_cut_reply_is_paid(store: Store, server: Misbehaving) -> None:
    server.behave(fault="length")
    status = work_off(store, begin(store, server, 10, 5))
    assert status["units"]["unscored"] == 10 and status["cost"] == pytest.approx(10 * EACH)


def test_a_key_that_an_endpoint_repeats_is_kept_nowhere(store: Store, server: Misbehaving) -> None:
    server.behave(fault="echo")
    study = begin(store, server, 10, 5)
    status = work_off(store, study, keys={server.base_url: KEY})
    assert status["units"]["failed"] == 10 and reasons(store, study) == {"refused"}
    kept = words_kept(store)
    assert "Invalid request with" in kept
    assert KEY not in kept and "[key]" in kept
    assert "Q1" not in kept and "counselor" not in kept.replace("Measured", ""), "nor what it was sent"
    store.close()
    assert store.path is not None
    for path in store.path.parent.iterdir():
        assert KEY.encode() not in path.read_bytes(), path


def words_kept(store: Store) -> str:
    sql = "SELECT reason FROM unit UNION ALL SELECT reason FROM call UNION ALL SELECT attempts FROM call UNION ALL SELECT reason FROM study"
    return "\n".join(str(row[0]) for row in units.query(store, sql))


def test_one_long_transcript_teaches_nothing(store: Store, server: Misbehaving) -> None:
    """vLLM names its settings when one prompt leaves no room for the reply."""
    server.behave(fault="no room", times=1)
    study = begin(store, server, 10, 1)
    limit_replies(store, 512)
    status = work_off(store, study)
    assert status["units"]["done"] == 9 and reasons(store, study) == {"too_long"}
    endpoint: Any = store.endpoints.find(name="Measured")
    assert endpoint.learned == {}
    assert checked(store, study)["units"]["failed"] == 1
