"""A key that an endpoint repeats, whole, disguised or in part, is taken out; also out of a stream, piece by piece."""

import asyncio
import base64
import json
import random
from collections.abc import Callable
from urllib.parse import quote

import pytest

from core.errors import DataError
from core.llm.engines import endpoint_engine
from core.llm.faults import said
from core.llm.keys import Heard, KnownKey
from core.llm.openai_engine import OpenAIEngine
from core.llm.seam import Endpoint
from storage import tables
from storage.store import Store
from tests.questions import a_question
from tests.servers.recorder import Recorder

KEYS = [
    "9f8e7d6c5b4a39281706f5e4d3c2b1a0", "sk-proj-AbCdEfGhIjKlMnOpQrSt", "sk-1234", "abc123", "Ab+/Cd==Ef+/Gh12",
    "pass%word&amp;9x", "clinic-gateway-2024",
]  # fmt: skip
FORMS: dict[str, Callable[[str], str]] = {
    "as it is": lambda key: key,
    "in JSON": lambda key: json.dumps(key)[1:-1],
    "in an address": lambda key: quote(key, safe=""),
    "in capitals": str.upper,
    "its first half": lambda key: key[: len(key) // 2 + 4],
    "in base64": lambda key: base64.b64encode(key.encode()).decode(),
    "masked": lambda key: f"{key[:4]}…{key[-3:]}",
    "masked with dots": lambda key: f"{key[:5]}...{key[-4:]}",
}


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("form", FORMS)
def test_a_known_key_is_taken_out_of_a_refusal_in_every_form(key: str, form: str) -> None:
    shown = FORMS[form](key)
    body = {
        "error": {
            "message": f"Virtual Key expected. Received={shown}, expected 'sk-'.",
            "code": f"bad_{shown}",
        }
    }
    kept = said(401, body).cleaned((), [KnownKey(key)]).kept
    assert shown.lower() not in kept.lower() and "[key]" in kept


@pytest.mark.parametrize(
    "text",
    [
        "At the clinic... I feel less counseled than before; abc1234 and xabc123 are no keys.",
        "My first gateway was the clinic.",
        "none of the models is loaded, it said: EMPTY",
    ],
)
def test_words_stay_as_they_are(text: str) -> None:
    for key in [*KEYS, "none", "EMPTY", "", "k", "counseled-by-2"]:
        assert KnownKey(key).without(text) == text


@pytest.mark.parametrize("key", KEYS)
def test_a_stream_is_as_clean_as_the_whole_however_it_is_cut(key: str) -> None:
    rng = random.Random(7)
    known = KnownKey(key)
    for form in FORMS.values():
        text = f"I hear you: {form(key)} … and then {key}, {key} so... go on, {key[:5]} {form(key)}"
        for _ in range(20):
            given: list[str] = []
            heard = Heard(known, given.append)
            at = 0
            while at < len(text):
                size = rng.randint(1, 9)
                heard.hear(text[at : at + size])
                at += size
                assert key.lower() not in "".join(given).lower()
            heard.end()
            assert "".join(given) == known.without(text)


def test_little_is_held_back_of_ordinary_words() -> None:
    given: list[str] = []
    heard, text = (
        Heard(KnownKey("9f8e7d6c5b4a39281706f5e4d3c2b1a0"), given.append),
        "So much has changed since",
    )
    for word in text.split():
        heard.hear(f"{word} ")
    assert "".join(given) == f"{text} "


def test_a_stream_that_breaks_off_within_the_key_leaves_nothing_of_it() -> None:
    for key in KEYS:
        given: list[str] = []
        heard = Heard(KnownKey(key), given.append)
        heard.hear(f"It is {key[:-1]}")
        assert "".join(given) == "It is "


@pytest.mark.parametrize(
    "key",
    ["sk-abc\ndef12345", "sk-abc\r\nX-Other: 1", "schlüssel-12345", "密钥1234567", "sk-1\udc80234", "a\0b"],
)
def test_a_key_that_no_header_takes_makes_no_engine(
    key: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = tables.Endpoint(
        name="Clinic", base_url="https://llm.example/v1", model="m", key_env="CLINIC_API_KEY"
    )
    with pytest.raises(DataError, match="The key for Clinic cannot be sent") as typed:
        endpoint_engine(store, row, {row.base_url: key})
    assert key not in str(typed.value)
    if "\0" not in key:
        monkeypatch.setenv("CLINIC_API_KEY", key)
        with pytest.raises(DataError, match="The key for Clinic cannot be sent"):
            endpoint_engine(store, row, {})


def test_space_around_a_key_is_no_part_of_it() -> None:
    with Recorder() as here:
        engine = OpenAIEngine(
            Endpoint(kind="openai", base_url=f"{here.url}/v1", model="m"), " sk-right-1234\r\n", timeout=5
        )

        async def go() -> None:
            await engine.ask(a_question("x"))
            await engine.close()

        asyncio.run(go())
        assert "Bearer sk-right-1234" in str(here.heads)
