"""What a session looks like in figures. Pure. Length counts Chinese characters or English words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.sessions.seating import complete
from storage import tables

UNIT = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]|[^\W_\u3400-\u4dbf\u4e00-\u9fff]+(?:['’-][^\W_]+)*")


@dataclass(frozen=True)
class Figures:
    """``client_share`` and ``per_turn`` are ``None`` while nothing was said; ``risk`` are positions."""

    turns: int
    client_share: float | None
    per_turn: float | None
    risk: tuple[int, ...]


def length(text: str) -> int:
    """How many Chinese characters or words of another script a text has."""
    return len(UNIT.findall(text))


def of(turns: Sequence[tables.Turn]) -> Figures:
    said = complete(turns)
    lengths = [length(turn.text) for turn in said]
    total = sum(lengths)
    client = sum(n for n, turn in zip(lengths, said, strict=True) if turn.seat == "client")
    return Figures(
        turns=len(said),
        client_share=client / total if total else None,
        per_turn=total / len(said) if said else None,
        risk=tuple(turn.position for turn in turns if turn.risk),
    )
