"""Quotes are matched to their turns, and only to what was really said."""

import pytest

from core.judging.evidence import match_quote

TURNS = [
    {"position": 1, "seat": "client", "text": "I can’t sleep.  Not since   the move."},
    {"position": 2, "seat": "counselor", "text": "It sounds as if the nights are the hardest part."},
    {"position": 3, "seat": "client", "text": "我最近总是睡不着，心里很慌。"},
]


@pytest.mark.parametrize(
    ("quote", "turn", "status"),
    [
        ("the nights are the hardest part", 2, "exact"),
        ("I can't sleep. Not since the move", 1, "normalised"),
        ("IT SOUNDS AS IF", 2, "normalised"),
        ("“总是睡不着,心里很慌”", 3, "normalised"),
        ("总是睡不着", 3, "exact"),
        ("the days are the hardest part", None, "not found"),
        ("", None, "not found"),
        (".", None, "not found"),
    ],
)
def test_a_quote_finds_its_turn(quote: str, turn: int | None, status: str) -> None:
    match = match_quote(quote, TURNS)
    assert (match.turn, match.status) == (turn, status)


def test_offsets_point_at_the_words_themselves() -> None:
    match = match_quote("not since the move", TURNS)
    assert TURNS[0]["text"][match.start : match.end] == "Not since   the move"  # type: ignore[index]
