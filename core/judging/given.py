"""What a table of ratings or comparisons says, beside what the same raters said here before. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core import files
from core.errors import DataError, WorkbenchError

Before = Mapping[str, Mapping[tuple[Any, ...], Any]]  # rater → what they said here: about → value


@dataclass(frozen=True)
class Given:
    """One row of a table: who says what (``None``: blank) about what (``judged.ABOUT``), and the columns to save."""

    line: int
    rater: str
    about: tuple[Any, ...]
    said: Any
    row: dict[str, Any]
    versioned: bool = False  # the table says with which version of the instrument


def check_once(name: str, rows: Sequence[Given]) -> None:
    """Raises DataError: lines are about the same by the same rater."""
    lines: dict[tuple[Any, ...], list[int]] = {}
    for one in rows:
        lines.setdefault((one.rater, *one.about), []).append(one.line)
    twice = [line for same in lines.values() if len(same) > 1 for line in same]
    if twice:
        raise DataError(
            "{name} says the same thing more than once: by one rater about one session and item, or one dimension of a pair, "
            "whichever session is named first. Lines: {lines}. Keep one line of each; nothing was saved.", name=name, lines=files.places(twice),
        )  # fmt: skip


def same_but_for_version(rows: Sequence[Given], before: Before) -> bool:
    """Whether every row is here with the same value, of whatever version of its instrument where the table names none:
    then it is the same table, which came in before the instrument changed.
    """
    here = {(rater, *about, said) for rater, own in before.items() for about, said in own.items()}
    alike = {(*key[:-2], key[-1]) for key in here}
    return all(
        (one.rater, *one.about, one.said) in here if one.versioned else (one.rater, *one.about[:-1], one.said) in alike
        for one in rows
    )


def check_version(name: str, new: Sequence[Given], before: Before) -> None:
    """Raises DataError: the same rater said something of the same here with another version, and the line names none.

    It may be the same rating again, or one with today's words; taking it for either would be a guess.
    """
    other = {(rater, *about[:-1]): about[-1] for rater, own in before.items() for about in own}
    asked = [one for one in new if not one.versioned and (one.rater, *one.about[:-1]) in other and one.about not in before[one.rater]]
    if asked:
        one = asked[0]
        raise DataError(
            "{name} does not say which version of {instrument} was rated with: what {rater} says in line {line} is about something "
            "they rated here with version {before}, and now it is version {now}. Lines: {lines}. Add a column “version” and say it for "
            "each line; nothing was saved.",
            name=name, instrument=one.row["instrument"], rater=one.rater, line=one.line, now=one.about[-1],
            before=other[one.rater, *one.about[:-1]], lines=files.places([each.line for each in asked]),
        )  # fmt: skip


def check_agree(name: str, pairs: Iterable[tuple[Given, Any]]) -> None:
    """Raises DataError: a line says another thing than the same rater did here before; a blank here is filled in."""
    against = [(one, said) for one, said in pairs if said is not None and said != one.said]
    if against:
        one, said = against[0]
        raise DataError(
            "{name} contradicts what is here: in line {line}, {rater} says {new}, and said {old} before. Lines: {lines}. Take "
            "them out, or give the rater another name if it is somebody else; nothing was saved.",
            name=name, line=one.line, rater=one.rater, new=shown(one.said), old=shown(said),
            lines=files.places([one.line for one, _said in against]),
        )  # fmt: skip


def shown(said: Any) -> str:
    return "–" if said is None else f"{said:g}" if isinstance(said, float) else str(said)


def remarks(name: str, new: int, rows: int) -> list[WorkbenchError]:
    if not new:
        return [WorkbenchError("{name} is here already: every row of it, with the same values. Nothing was taken twice.", name=name)]
    if new < rows:
        return [WorkbenchError("{n} of {all} rows of {name} are here already with the same values, and were not taken twice.", n=rows - new, all=rows, name=name)]
    return []


def doubled_remark(name: str, n: int, rows: int, kind: str) -> list[WorkbenchError]:
    """That the same rows stand here as the other kind; they were taken, since a label may well agree with a person."""
    if not n:
        return []
    return [
        WorkbenchError(
            "{n} of {all} rows of {name} are here with the same rater's name and values as {kind} too. If it is the same table, one of "
            "the two kinds is wrong.", n=n, all=rows, name=name, kind=kind,
        )
    ]  # fmt: skip
