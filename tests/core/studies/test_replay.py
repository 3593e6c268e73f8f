"""Answers that were committed before a worker died are read again by the reader of today."""

from typing import Any

from core.judging.replies import ItemRating
from core.llm.probing import probe_question
from core.studies.replay import answer_again


def stored(raw: str) -> dict[str, Any]:
    return {
        "raw": raw, "state": "read", "tokens_in": 1, "tokens_out": 1, "tokens_cached": None, "tokens_estimated": 0,
        "finish_reason": "stop", "engine": "openai", "engine_version": "1", "model_answered": "m", "sent": {}, "dropped": [],
    }  # fmt: skip


def test_what_an_older_reader_took_for_an_answer_may_be_none_today() -> None:
    question = probe_question("Rate it.", ItemRating)
    said = '{"reasoning": "r", "evidence": [], "counter_evidence": [], "rating": 4}'
    assert answer_again(stored(said), question).usable
    again = answer_again(stored(said.replace("4}", '4, "rating": 5}')), question)
    assert (again.usable, again.state) == (False, "unreadable")
    assert "more than once" in again.reason
