"""What a writer reads of a report, and how the faults of a rebuilt dialogue are weighed and kept. Pure."""

from collections.abc import Sequence
from typing import Any

from core.reports import masking
from core.reports.checks import Fault, dialogue_faults
from core.reports.components import PARTS
from core.reports.replies import Dialogue
from storage import tables


def report_inputs(report: tables.Report) -> dict[str, str]:
    """The components for a writer; the client is “the client” there, and relatives go without a letter."""
    return {part: masking.neutral(getattr(report, part), report.language) for part in PARTS}


def named(report: tables.Report) -> str:
    return f"Report {report.id} “{report.title}”"


def faults_of(dialogue: Dialogue, report: tables.Report) -> list[Fault]:
    text = "\n".join(report_inputs(report).values())
    return dialogue_faults([turn.model_dump() for turn in dialogue.turns], text, report.language)


def weight(faults: Sequence[Fault]) -> tuple[int, int]:
    """Rules broken, then aims missed."""
    return sum(not fault.aim for fault in faults), len(faults)


def fault_row(fault: Fault, how: str) -> dict[str, Any]:
    """A fault as it is kept: its code and values, and its sentence in both languages."""
    told = fault.told("en").replace("{", "{{").replace("}", "}}")  # kept as a template without values
    return {
        "code": fault.code, "turn": fault.turn, "aim": fault.aim, "how": how, "found": dict(fault.values),
        "message": told, "en": fault.told("en"), "zh": fault.told("zh"),
    }  # fmt: skip
