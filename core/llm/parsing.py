"""Reading a reply: from raw text to a checked value, or the reason it cannot be read.

Pure, so that stored raw replies can be read again by a newer version without new calls.
"""

import json
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import BaseModel, ValidationError

THINKING = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
FENCE = re.compile(r"^```[a-zA-Z]*\s*|\s*```$")
MOST_STARTS = 50


@dataclass(frozen=True)
class Reading:
    """``value`` is ``None`` when the text cannot be read; then ``reason`` says why."""

    value: Any
    reason: str = ""


def read_reply(raw: str, reply: type[BaseModel] | None) -> Reading:
    """Read plain text (``reply`` is ``None``) or the JSON object that fits ``reply``."""
    text = THINKING.sub("", raw).strip()
    if not text:
        return Reading(None, "the reply is empty")
    if reply is None:
        return Reading(text)
    found = json_object(text)
    if found is None:
        return Reading(None, "the reply holds no JSON object")
    try:
        return Reading(reply.model_validate(found))
    except ValidationError as error:
        return Reading(None, in_words(error))


def json_object(text: str) -> dict[str, Any] | None:
    """The last complete JSON object in the text, fences and words around it ignored."""
    text = FENCE.sub("", text.strip())
    decoder, at, found = json.JSONDecoder(), text.find("{"), None
    for _ in range(MOST_STARTS):
        if at < 0:
            break
        try:
            value, end = decoder.raw_decode(text, at)
        except (json.JSONDecodeError, RecursionError):
            end = at + 1
        else:
            found = value if isinstance(value, dict) else found
        at = text.find("{", end)
    return found


def in_words(error: ValidationError) -> str:
    """What does not fit, field by field, without the text itself."""
    places = [f"{'.'.join(map(str, item['loc'])) or 'reply'}: {item['msg']}" for item in error.errors()[:4]]
    return "; ".join(places)


@cache
def strict_schema(reply: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a reply in the strict form: every property required, no others allowed; made once."""
    tightened: dict[str, Any] = tighten(reply.model_json_schema())
    return tightened


def tighten(node: Any) -> Any:
    """One node of a schema made strict; names of properties are kept whatever they are."""
    if isinstance(node, list):
        return [tighten(item) for item in node]
    if not isinstance(node, dict):
        return node
    out: dict[str, Any] = {}
    for key, value in node.items():
        if key in ("properties", "$defs"):
            out[key] = {name: tighten(inner) for name, inner in value.items()}
        elif key not in ("default", "title"):
            out[key] = tighten(value)
    if "properties" in out:
        out |= {"additionalProperties": False, "required": list(out["properties"])}
    return out
