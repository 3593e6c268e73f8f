"""The stage a counselor's turn belongs to, where it can be derived. Pure.

Only the demo engine's Hill-guided rules work in stages one can read back: they turn to insight with their first
interpretation and to action with their first question about a wish or a step. What a model or a person does stays
unlabelled: a guess would look like a finding.
"""

from collections.abc import Sequence

from core.llm.demo.moves import read
from storage import tables

PLANNING = {"wish", "step"}


def stage_of(agent: tables.Agent | None, language: str, said: Sequence[str]) -> str:
    """The stage of the last of a counselor's turns; empty where it cannot be told.

    Args:
        said: all counselor turns of this session (the rules read them all), the turn in question last.
    """
    if agent is None or agent.engine != "demo" or agent.prompt != "counselor/hill" or not said:
        return ""
    moves = [read(text, "zh" if language == "zh" else "en") for text in said]
    if any(move.about in PLANNING for move in moves):
        return "action"
    return "insight" if any("interpretation" in move for move in moves) else "exploration"
