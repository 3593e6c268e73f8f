"""Voices: who judged, and how; what two ways of asking said is never counted together."""

from typing import Any

from core import instruments
from core.results import reading
from core.results.scores import item_values
from core.results.voices import of_voice, voices
from storage import tables
from storage.store import Store
from tests import results_story as story


def rated(store: Store, value: float | None, **more: Any) -> tables.Rating:
    rater = store.raters.ensure("model", more.pop("name", "judge"), more.pop("hash", "h"))
    fields: dict[str, Any] = {
        "rater_id": rater.id or 0, "session_id": 1, "instrument": "wai-o-s", "instrument_version": instruments.load("wai-o-s").version,
        "language": "en", "setting": "reasoning", "item": "Q1", "value": value, "score": value, "prompt": "judge/item",
        "prompt_version": 1, "way": "item", "engine": "openai",
    }  # fmt: skip
    return store.ratings.add(tables.Rating(**fields | more))


def one_session(store: Store) -> None:
    story.sessions(store, 1, ["Careful"])


def test_a_call_for_each_item_and_one_for_all_are_two_voices(store: Store) -> None:
    one_session(store)
    rated(store, 5)
    rated(store, 1, prompt="judge/instrument", way="instrument")
    frame = reading.ratings(store)
    found = voices(frame)
    assert [voice.way for voice in found] == ["item", "instrument"]
    assert [of_voice(frame, voice)["score"].tolist() for voice in found] == [[5.0], [1.0]]


def test_same_name_of_another_make_is_another_voice_and_a_renamed_agent_is_the_same(store: Store) -> None:
    one_session(store)
    for repeat, (name, hash) in enumerate([("judge", "h"), ("judge", "other"), ("renamed", "h")], 1):
        rated(store, 3, name=name, hash=hash, repeat=repeat)
    found = voices(reading.ratings(store))
    assert [(voice.who, voice.name) for voice in found] == [("h", "renamed"), ("other", "judge")]


def test_readable_rating_stands_against_a_newer_unscored_one(store: Store) -> None:
    one_session(store)
    first = rated(store, 4)
    rated(store, None, reason="no JSON")
    frame = reading.ratings(store)
    (voice,) = voices(frame)
    assert of_voice(frame, voice)["id"].tolist() == [first.id]
    assert item_values(of_voice(frame, voice))["value"].tolist() == [4.0]


def test_deleting_the_study_leaves_a_voice_as_it_was(store: Store) -> None:
    one_session(store)
    study = story.study(store)
    rated(store, 4, study_id=study)
    before = voices(reading.ratings(store))
    store.delete("study", study)
    assert voices(reading.ratings(store)) == before
