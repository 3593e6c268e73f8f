"""Content keys: the sha256 of canonical JSON over everything an answer depends on."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

MOST_SEED = 2**31 - 1


def canonical(value: Any) -> str:
    """The one JSON text of a value: keys sorted, no spaces, characters as they are."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def content_key(facts: Mapping[str, Any]) -> str:
    """64 hex digits that are the same exactly when the facts are the same."""
    return hashlib.sha256(canonical(facts).encode("utf-8", "surrogatepass")).hexdigest()


def transcript_hash(turns: Iterable[Mapping[str, Any]]) -> str:
    """The hash of a transcript as a judge reads it: positions, seats and texts."""
    return content_key({"turns": [[t["position"], t["seat"], t["text"]] for t in turns]})


@lru_cache(maxsize=4096, typed=True)
def derived_seed(*parts: Any) -> int:
    """A seed of 31 bits from the study's seed and what it is for; it does not depend on positions."""
    digest = hashlib.sha256(canonical(list(parts)).encode()).digest()
    return int.from_bytes(digest[:4], "big") & MOST_SEED
