"""Judging: sessions are rated and compared; every rating keeps its reasoning, its quotes and its call."""

from collections.abc import Sequence
from typing import Any, cast

from core.clearance import Source, Typed
from core.errors import DataError
from core.instruments import Instrument
from core.judging.readings import READER, Rated, read_comparison
from core.judging.replies import InstrumentRating, ItemRating, Verdict
from core.llm.asking import make_question
from core.llm.demo.engine import VERSION as DEMO_VERSION
from core.llm.seam import Answer, Language, Question, Settings
from storage import tables
from storage.store import Store

PUBLISHED = Settings(temperature=1.0)  # both papers ask their judges at temperature 1
KINDS = {"demo": "rules", "openai": "model"}


def rater_of(store: Store, agent: tables.Agent) -> tables.Rater:
    """The rater that this judge agent is; rules and models are different kinds."""
    version = f" v{DEMO_VERSION}" if agent.engine == "demo" else ""
    return store.raters.ensure(KINDS[agent.engine], f"{agent.name}{version}", agent.hash)


def turns_to_judge(store: Store, session: tables.Session) -> list[dict[str, Any]]:
    """Complete turns up to the cut, as inputs.

    Raises:
        DataError: the session has no turn to judge, or words in it were deleted by whoever spoke them.
    """
    turns = store.sessions.turns(session.id or 0)
    if any(turn.state == "deleted" for turn in turns):
        raise DataError(
            "Session {id} is not judged: a person deleted what they said in it. Choose another session; nothing was lost.",
            id=session.id,
        )
    kept = [turn for turn in turns if turn.state == "complete"]
    if session.cut_at is not None:
        kept = [turn for turn in kept if turn.position <= session.cut_at]
    if not kept:
        raise DataError("Session {id} has no turn to judge. Let it run first; nothing was lost.", id=session.id)
    return [{"position": turn.position, "seat": turn.seat, "text": turn.text} for turn in kept]


def comparison_question(
    store: Store, instrument: Instrument, dimension: str, first: tables.Session, second: tables.Session,
    turns: dict[int, list[dict[str, Any]]], *, settings: Settings = PUBLISHED, seed: int = 0,
) -> Question:  # fmt: skip
    """Which of two sessions does better on one dimension; ``first`` is shown as A."""
    language = cast(Language, first.language)
    inputs = {
        "instrument": instrument.id, "dimension": instrument.dimension_inputs(dimension, language),
        "a": {"turns": turns[first.id or 0]}, "b": {"turns": turns[second.id or 0]},
    }  # fmt: skip
    return make_question(
        store, "judge/compare", inputs, language=language, reply=Verdict, settings=settings, seed=seed,
        use="rating", sources=[source_of(first), source_of(second)],
    )  # fmt: skip


def asked_as(question: Question, answer: Answer, repeats: int = 1) -> dict[str, Any]:
    """The columns that say how a rating or comparison was asked; they outlive its call and its study."""
    return {
        "prompt": question.prompt, "prompt_version": question.prompt_version, "prompt_hash": question.prompt_hash,
        "way": "instrument" if question.prompt == "judge/instrument" else "item", "repeats": repeats,
        "engine": answer.engine, "engine_version": answer.engine_version,
    }  # fmt: skip


def source_of(session: tables.Session) -> Source:
    return Source("session", session.id or 0, session.edition)


def rating_question(
    store: Store, instrument: Instrument, items: Sequence[str], session: tables.Session, turns: list[dict[str, Any]], *,
    setting: str = "reasoning", profile: dict[str, Any] | None = None, whole: bool = False,
    settings: Settings = PUBLISHED, seed: int = 0, repeat: int = 1, repeats: int = 1,
) -> Question:  # fmt: skip
    """One item of an instrument, or (``whole``) several in one call."""
    language = cast(Language, session.language)
    asked = [instrument.item_inputs(item, language, setting) for item in items]
    inputs: dict[str, Any] = {
        "instrument": instrument.id, "setting": setting, "turns": turns, "profile": profile or {},
        "sample": repeat if repeats > 1 else 0, **instrument.about(language),
    }  # fmt: skip
    inputs |= {"items": asked} if whole else {"item": asked[0]}
    shown: list[Source | Typed] = []
    if profile:
        shown = [Source("role", session.role_id) if session.role_id else Typed("profile")]
    return make_question(
        store, "judge/instrument" if whole else "judge/item", inputs, language=language,
        reply=InstrumentRating if whole else ItemRating, settings=settings, seed=seed,
        use="rating", sources=[*shown, source_of(session)],
    )  # fmt: skip


def comparison_fields(
    answer: Answer, instrument: Instrument, dimension: str, first: tables.Session, second: tables.Session,
    turns: dict[int, list[dict[str, Any]]], rater: tables.Rater, **more: Any,
) -> dict[str, Any]:  # fmt: skip
    """The columns of one comparison, for a plain insert."""
    read = read_comparison(answer, first.id or 0, second.id or 0, dict(turns))
    return {
        "rater_id": rater.id or 0, "first_id": first.id or 0, "second_id": second.id or 0, "role_id": first.role_id,
        "instrument": instrument.id, "instrument_version": instrument.version, "language": first.language,
        "dimension": dimension, "reader": READER, **vars(read), **more,
    }  # fmt: skip


def rating_fields(
    read: Rated, instrument: Instrument, session: tables.Session, rater: tables.Rater, setting: str, **more: Any
) -> dict[str, Any]:
    """The columns of one item read; the raw value and the scored one stand side by side."""
    return {
        "rater_id": rater.id or 0, "session_id": session.id or 0, "instrument": instrument.id, "setting": setting,
        "instrument_version": instrument.version, "language": session.language, "item": read.item, "value": read.value,
        "score": None if read.value is None else instrument.scored(read.item, read.value),
        "reason": read.reason, "reasoning": read.reasoning, "quotes": read.quotes, "reader": READER, **more,
    }  # fmt: skip
