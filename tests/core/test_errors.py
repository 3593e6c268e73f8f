"""A sentence is filled in with names and nothing else, whoever wrote it."""

import pytest

from core.errors import DataError, ModelError, WorkbenchError, fill, stored


@pytest.mark.parametrize(
    "hostile", ["{a:1000000000}", "{a.__class__}", "{a[0]}", "{a!r}", "{a:{b}}", "{0}", "{", "}", "{a:.999999999f}"]
)
def test_a_message_from_elsewhere_runs_nothing_and_stays_as_it_is(hostile: str) -> None:
    assert fill(hostile + " by {who}", {"a": "x", "who": "Ada"}) == hostile + " by Ada"
    row = {"message": hostile, "values": {"a": 1, "message": "m", "self": 2, "kind": "k"}}
    assert str(stored(row)) == hostile


def test_our_own_messages_read_as_before() -> None:
    assert str(DataError("{n} of {all} {{braced}}", n=1, all=2)) == "1 of 2 {braced}"
    assert str(ModelError("{minutes:.0f} min, ${spent:.2f}, {n:,}", minutes=2.6, spent=1, n=12345)) == "3 min, $1.00, 12,345"
    assert str(WorkbenchError("{missing} stays")) == "{missing} stays"
    assert str(DataError("{message} and {self}", message="a", self="b")) == "a and b"


def test_rows_that_are_no_sentence_are_one_all_the_same() -> None:
    assert str(stored({})) == "" and str(stored({"message": 5, "values": [1]})) == "5"
