"""What rows of consent say together: the narrower row wins, a later withdrawal beats both."""

from dataclasses import dataclass

import pytest

from core.consent import Everybody, decided, stands

X, Y = "https://x.example/v1", "https://y.example/v1"


@dataclass(frozen=True)
class Said:
    """A row: about a session (``None``: all of theirs), yes or no, given at one moment and withdrawn at another."""

    session_id: int | None
    agreed: bool
    given: str
    withdrawn: str = ""
    purpose: str = "rated here"
    endpoint: str = ""
    counts: bool = True

    @property
    def id(self) -> int:
        return int(self.given)


ALL, YES, NO = None, True, False


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([], None),
        ([Said(ALL, YES, "1")], True),
        ([Said(ALL, NO, "1")], False),
        ([Said(5, YES, "1")], True),
        ([Said(6, YES, "1")], None),  # another session
        ([Said(4, YES, "1")], True),  # the session it was branched off from
        ([Said(ALL, YES, "1"), Said(5, NO, "2")], False),
        ([Said(5, NO, "1"), Said(ALL, YES, "2")], False),  # the narrower wins, also when it is older
        ([Said(5, YES, "1"), Said(ALL, NO, "2")], True),
        ([Said(ALL, NO, "1"), Said(6, YES, "2")], False),
        ([Said(5, YES, "1"), Said(5, NO, "2")], False),  # the later of two alike
        ([Said(5, NO, "2"), Said(5, YES, "1")], False),
        ([Said(5, YES, "1", "3")], False),
        ([Said(5, YES, "1"), Said(ALL, NO, "2", "2")], False),  # a later withdrawal of all beats the narrower yes
        ([Said(ALL, YES, "1"), Said(5, NO, "2", "2")], False),
        ([Said(ALL, YES, "1"), Said(6, NO, "2", "2")], True),  # another session's withdrawal
        ([Said(ALL, YES, "1", "2"), Said(5, YES, "3")], True),  # agreed again, later
        ([Said(5, YES, "1", "2"), Said(ALL, YES, "3")], False),  # the newer row is of all; this session's is withdrawn
        ([Said(ALL, YES, "3"), Said(5, YES, "1"), Said(ALL, NO, "2", "2")], False),
        ([Said(5, YES, "1", counts=False)], None),
        ([Said(5, YES, "1", purpose="export")], None),
        ([Said(5, YES, "1", "1")], False),  # withdrawn in the same moment
        ([Said(5, YES, "7", "3")], False),  # withdrawn after the clock was set back
        ([Said(5, NO, "1"), Said(4, YES, "2")], False),  # a branch's own no, before a yes for what it was branched off from
        ([Said(5, YES, "1"), Said(4, NO, "2", "2")], False),  # but a later withdrawal there beats it
    ],
)
def test_what_one_person_said(rows: list[Said], expected: bool | None) -> None:
    assert decided(rows, "rated here", {5, 4}) is expected
    assert decided(reversed(rows), "rated here", {5, 4}) is expected, "whatever order they come in"


@pytest.mark.parametrize(
    ("rows", "at_x", "at_y"),
    [
        ([Said(5, YES, "1", endpoint=X)], True, None),
        ([Said(5, YES, "1", endpoint=X + "/")], True, None),
        ([Said(5, YES, "1")], False, False),  # a yes that names no address is for none
        ([Said(5, YES, "1", endpoint=X), Said(5, NO, "2")], False, False),  # a no to all addresses
        ([Said(5, YES, "1", endpoint=X), Said(5, YES, "1", endpoint=Y), Said(5, NO, "2", "2", endpoint=X)], False, True),
    ],
)
def test_a_yes_is_for_one_address(rows: list[Said], at_x: bool | None, at_y: bool | None) -> None:
    sent = [Said(**{**vars(row), "purpose": "outside endpoint"}) for row in rows]
    assert decided(sent, "outside endpoint", {5}, X) is at_x
    assert decided(sent, "outside endpoint", {5}, Y) is at_y


def test_a_plain_no_is_told_from_a_withdrawal() -> None:
    plain, ended = stands([Said(5, NO, "1")], "rated here", {5}), stands([Said(5, YES, "1", "2")], "rated here", {5})
    assert plain is not None and ended is not None
    assert (plain.agreed, plain.withdrawn, ended.agreed, ended.withdrawn) == (False, "", False, "2")


YES_ROWS, NO_ROWS = [Said(ALL, YES, "1")], [Said(ALL, NO, "1")]


@pytest.mark.parametrize(
    ("everybody", "allowed"),
    [
        (Everybody(frozenset({5})), True),
        (Everybody(frozenset({5}), [YES_ROWS]), True),
        (Everybody(frozenset({5}), [YES_ROWS, []]), False),  # no row means no
        (Everybody(frozenset({5}), [YES_ROWS, NO_ROWS]), False),
        (Everybody(frozenset({5}), [YES_ROWS], unknown=True), False),
        (Everybody(frozenset({5}), [], [[]]), True),  # a code: only a refusal means no
        (Everybody(frozenset({5}), [], [NO_ROWS]), False),
        (Everybody(frozenset({5}), [YES_ROWS], [NO_ROWS]), False),
        (Everybody(frozenset({5}), [], [], must_ask=True), False),  # a setting: a code has to have said yes
        (Everybody(frozenset({5}), [], [YES_ROWS], must_ask=True), True),
        (Everybody(frozenset({5}), [], [YES_ROWS, NO_ROWS], must_ask=True), False),
    ],
)
def test_everybody_has_to_agree(everybody: Everybody, allowed: bool) -> None:
    assert everybody.allow("rated here") is allowed


def test_who_takes_part_no_longer_withdrew_and_who_never_said_did_not() -> None:
    def withdrew(*rows: Said) -> bool:
        return Everybody(frozenset({5}), [rows]).withdrew

    part = "taking part"
    assert not withdrew() and not withdrew(Said(5, NO, "1", "1"))
    assert withdrew(Said(ALL, NO, "1", "1", purpose=part)) and withdrew(Said(5, YES, "1", "2", purpose=part))
    assert not withdrew(Said(ALL, NO, "1", "1", purpose=part), Said(5, YES, "2", purpose=part))
    assert Everybody(frozenset({5}), [], [[Said(ALL, NO, "1", purpose=part)]]).withdrew, "a code's refusal on paper"
