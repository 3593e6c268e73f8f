"""A sentence that is kept says the same later, and holds no text."""

import pytest

from core import sentences
from core.errors import ModelError, WorkbenchError


def test_a_sentence_comes_back_with_its_message_and_values() -> None:
    error = ModelError("It was tried {tries} times; {minutes:.0f} min, ${spent:,.2f}.", tries=3, minutes=1.6, spent=1234.5)
    back = sentences.read(sentences.written(error))
    assert str(back) == str(error) == "It was tried 3 times; 2 min, $1,234.50."
    assert back.message == error.message and back.values == error.values


@pytest.mark.parametrize("words", ["The worker's log has it.", "{odd} braces", "[]", "3"])
def test_what_was_written_otherwise_stands_as_it_is(words: str) -> None:
    assert sentences.english(words) == words


@pytest.mark.parametrize("place", ["{lacking}", "{a:1000000000}", "{a.__class__}", "{a!r:>99}", "{a[0]}"])
def test_an_imported_message_cannot_do_more_than_name_values(place: str) -> None:
    assert sentences.english('{"message": "' + place + '", "values": {"a": 1}}') == place


def test_long_words_of_an_endpoint_are_cut() -> None:
    back = sentences.read(sentences.written(WorkbenchError("It said: {words}", words="secret " * 300)))
    assert len(str(back.values["words"])) == sentences.LONGEST
