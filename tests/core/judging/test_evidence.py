"""Quotes are matched to their turns, and only to what was really said."""

import time

import pytest

from core.judging import evidence
from core.judging.evidence import Transcript, match_all, match_quote

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


def test_a_transcript_is_folded_once_for_all_its_quotes(monkeypatch: pytest.MonkeyPatch) -> None:
    folded, seen = evidence.folded, []
    monkeypatch.setattr(evidence, "folded", lambda text: seen.append(text) or folded(text))
    said_in = Transcript(TURNS)
    quotes = [f"words nobody said {n}" for n in range(12)]
    for side in ("for", "against"):
        match_all(quotes, side, said_in)
    assert [seen.count(turn["text"]) for turn in TURNS] == [1, 1, 1]


def test_long_quotes_and_long_transcripts_cost_no_more_than_their_length() -> None:
    said_in = Transcript([{"position": n, "text": "the nights are hard " * 500} for n in range(20)])  # 200 kB
    before = time.process_time()
    match_all(
        ["the nights are hard " * 10_000 + "x", "the nights are hard  " * 400 + "y"] * 6, "for", said_in
    )
    assert time.process_time() - before < 3
