"""Reasons as they are made are known again, so that a person reads them in their own language."""

import time

import pytest

from core.errors import ModelError
from core.judging import readings, said, values
from core.judging.replies import ItemRating
from core.llm import parsing
from core.llm.around import MAY_CHANGE
from core.llm.endings import ending
from core.llm.refusals import MESSAGES
from core.studies import reasons

LEVELS = [1.0, 2.0, 3.0, 4.0, 5.0]


@pytest.mark.parametrize("written", [3.5, 9.0, values.Share(4, 7)])
def test_why_a_number_is_no_level(written: float | values.Share) -> None:
    _level, reason = values.level_of(written, LEVELS)
    error = said.known(reason)
    assert error is not None and str(error) == reason and error.values["highest"] == "5"


RATED = '{"reasoning": "r", "evidence": [], "counter_evidence": [], "rating": %s}'


@pytest.mark.parametrize(
    "raw",
    [
        "", "<think>so", "<think>so</think>", "no words", '{"a', "[" * 9_000 + "{", RATED % "4, \"rating\": 5", RATED % "true",
        RATED % '"many"', RATED % "4" + RATED % "5", "Not so: " + RATED % "4" + " or rather not",
    ],
)  # fmt: skip
def test_why_a_reply_cannot_be_read(raw: str) -> None:
    reason = parsing.read_reply(raw, ItemRating).reason
    assert reason and ours(reason), reason


def ours(reason: str) -> bool:
    """Whether every part of a reason is known, its place left out."""
    if (error := said.known(reason)) is not None:
        return str(error) == reason and ("why" not in error.values or ours(str(error.values["why"])))
    if said.JOINED in reason:
        return all(map(ours, reason.split(said.JOINED)))
    place = said.PLACE.fullmatch(reason)
    return bool(place and ours(place[2]))


def test_why_an_item_has_no_reading_and_a_unit_no_answer() -> None:
    fixed = [readings.LEFT_OUT, readings.NO_RATING, readings.NOT_APPLICABLE, f"the reply holds {MAY_CHANGE}"]
    fixed += [reason for name in ("length", "content_filter", "", "weird") if (reason := ending(name)[1])]
    assert all(map(ours, fixed)), [reason for reason in fixed if not ours(reason)]
    whole = reasons.reason("missing", f"1 of 2 items: {readings.LEFT_OUT}")
    error = said.known(reasons.split(whole)[1])
    assert error is not None and error.values == {"n": "1", "all": "2", "why": readings.LEFT_OUT}
    _kind, message = MESSAGES["busy"]
    busy = said.known(str(ModelError(message, where="Clinic", words="slow down (a while). Wait")))
    assert busy is not None and (busy.message, busy.values["words"]) == (message, "slow down (a while). Wait")


def test_other_words_stay_and_long_ones_take_no_time() -> None:
    assert said.known("Input should be a valid list") is None
    begun = time.perf_counter()
    for hostile in ("1 of " * 199, " refused the key (: " * 50, "items: " * 100_000, " (" * 499):
        said.known(hostile)
    assert time.perf_counter() - begun < 1
