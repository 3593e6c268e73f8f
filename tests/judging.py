"""Judging outside a study: one comparison, or the ratings of one session, asked, read and saved."""

from collections.abc import Sequence
from typing import Any, cast

from core.instruments import Instrument
from core.judging.readings import read_ratings
from core.judging.service import (
    PUBLISHED,
    asked_as,
    comparison_fields,
    comparison_question,
    rating_fields,
    rating_question,
    turns_to_judge,
)
from core.llm.asking import ask
from core.llm.seam import Engine, Settings
from storage import tables
from storage.store import Store


async def judge_comparison(
    store: Store, engine: Engine, rater: tables.Rater, instrument: Instrument, dimension: str,
    first: tables.Session, second: tables.Session, *, settings: Settings = PUBLISHED, seed: int = 0,
    repeat: int = 1, study_id: int | None = None, unit_id: int | None = None,
) -> tables.Comparison:  # fmt: skip
    """Ask, read and save one comparison in one order.

    Raises:
        ModelError: no answer came (an unreadable answer is saved as *unscored*).
    """
    turns = {s.id or 0: turns_to_judge(store, s) for s in (first, second)}
    question = comparison_question(store, instrument, dimension, first, second, turns, settings=settings, seed=seed)
    answer, call = await ask(store, engine, question, study_id=study_id, unit_id=unit_id)
    more = {"repeat": repeat, "study_id": study_id, "unit_id": unit_id, "call_id": call} | asked_as(question, answer)
    fields = comparison_fields(answer, instrument, dimension, first, second, turns, rater, **more)
    return cast(tables.Comparison, store.comparisons.add(tables.Comparison(**fields)))


async def rate_session(
    store: Store, engine: Engine, rater: tables.Rater, instrument: Instrument, session: tables.Session,
    items: Sequence[str], *, setting: str = "reasoning", profile: dict[str, Any] | None = None, whole: bool = False,
    settings: Settings = PUBLISHED, seed: int = 0, repeat: int = 1, repeats: int = 1,
    study_id: int | None = None, unit_id: int | None = None,
) -> list[tables.Rating]:  # fmt: skip
    """Ask, read and save ratings of one session: each item in a call of its own, or all in one (``whole``)."""
    turns = turns_to_judge(store, session)
    saved: list[tables.Rating] = []
    for asked in [list(items)] if whole else [[item] for item in items]:
        question = rating_question(
            store, instrument, asked, session, turns, setting=setting, profile=profile, whole=whole, settings=settings,
            seed=seed, repeat=repeat, repeats=repeats,
        )  # fmt: skip
        answer, call = await ask(store, engine, question, study_id=study_id, unit_id=unit_id)
        inputs = question.inputs["items"] if whole else [question.inputs["item"]]
        more = {"repeat": repeat, "study_id": study_id, "unit_id": unit_id, "call_id": call} | asked_as(question, answer, repeats)
        rows = [tables.Rating(**rating_fields(read, instrument, session, rater, setting, **more)) for read in read_ratings(answer, inputs, turns)]
        saved += [store.ratings.add(row) for row in rows]
    return saved
