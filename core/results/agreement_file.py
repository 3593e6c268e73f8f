"""``rapport agreement``: how far raters agree, from a table of ratings."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from core import files
from core.agreement.alpha import LEVELS, krippendorff_alpha
from core.agreement.correlation import pearson, spearman
from core.agreement.icc import Icc, icc
from core.agreement.kappa import kappa, weighted_kappa
from core.agreement.matrix import Cell, Floats, Scores, scores_of
from core.agreement.notes import Note
from core.csv_files import jsonable, needed, number, rows_of
from core.errors import DataError

COLUMNS = ("target", "rater", "item", "score")
FEW_LEVELS = 25  # more distinct scores than this are a measure, not a scale of levels
Say = Callable[[Note], str]  # how a note becomes words: English, or a page's language
ICC_FIELDS = ("value", "low", "high", "f", "df1", "df2", "p")


def agreement_of(path: Path | str, say: Say = str) -> dict[str, Any]:
    """Agreement per item and per pair of raters.

    Args:
        path: CSV with the columns target, rater, item, score; a blank score is missing. say: puts notes into words.
    Returns:
        The JSON of the design, "The command line"; not-a-number is ``None``, the item's notes say why.
    Raises:
        DataError: unreadable file, missing column, blank name, a score that is no number, or a rater who
            scored the same target twice on an item.
    """
    path = Path(path)
    return agreement_of_rows(path.name, files.read_file(path), say)


def agreement_of_rows(name: str, data: bytes, say: Say = str) -> dict[str, Any]:
    """The same for the bytes of a file; errors as there."""
    return agreement_of_items(read_items(name, data), say)


def agreement_of_items(by_item: Mapping[str, Sequence[Cell]], say: Say = str) -> dict[str, Any]:
    """The same for cells (target, rater, score) that are already at hand, item by item."""
    items: dict[str, Any] = {}
    pairs: list[dict[str, Any]] = []
    for name, cells in by_item.items():
        scores = scores_of(cells)
        told, notes = pairs_of(scores, name)
        items[name] = item_of(icc(scores), scores, notes, say)
        pairs += told
    result: dict[str, Any] = jsonable({"items": items, "pairs": pairs})
    return result


def read_items(name: str, data: bytes) -> dict[str, list[Cell]]:
    """Cells per item, in the order of the file."""
    by_item: dict[str, list[Cell]] = {}
    first_line: dict[tuple[str, str, str], str] = {}
    for row in rows_of(name, data, COLUMNS):
        target, rater, item = (needed(row, column, name) for column in ("target", "rater", "item"))
        if (before := first_line.setdefault((target, rater, item), row["line"])) != row["line"]:
            raise DataError(
                "{name}, line {line}: rater {rater} has already scored target {target} on item {item} in line "
                "{before}. Keep one row for each target, rater and item.",
                name=name, line=row["line"], rater=rater, target=target, item=item, before=before,
            )  # fmt: skip
        by_item.setdefault(item, []).append((target, rater, number(row, "score", name)))
    return by_item


def item_of(found: Icc, scores: Scores, notes: list[Note], say: Say) -> dict[str, Any]:
    alphas = {level: krippendorff_alpha(scores, level) for level in LEVELS}
    said = [*found.notes, *notes]
    if all(np.isnan(value) for value in alphas.values()):
        said.append(Note("Krippendorff's alpha needs two raters on a target and scores that differ."))
    return {
        "n_targets": found.n_targets,
        "n_raters": found.n_raters,
        "dropped_targets": found.dropped,
        "icc": {
            form: {field: getattr(estimate, field) for field in ICC_FIELDS}
            for form, estimate in found.forms.items()
        },
        "krippendorff": alphas,
        "notes": [say(note) for note in said],
    }


def pairs_of(scores: Scores, item: str) -> tuple[list[dict[str, Any]], list[Note]]:
    """Every pair of raters on one item, and what has to be said about missing numbers."""
    levels = levels_of(scores.values)
    told, notes = [], []
    if not levels:
        notes.append(
            Note("Kappa is for scales of few levels; these scores have more than {n}.", n=FEW_LEVELS)
        )
    for i, j in combinations(range(len(scores.raters)), 2):
        a, b = scores.values[:, i], scores.values[:, j]
        both = ~(np.isnan(a) | np.isnan(b))
        a, b = a[both], b[both]
        numbers = {"pearson": pearson(a, b), "spearman": spearman(a, b), **kappas(a, b, levels)}
        who = {"a": scores.raters[i], "b": scores.raters[j]}
        told.append({**who, "item": item, "n": int(both.sum()), **numbers})
        if levels and any(np.isnan(value) for value in numbers.values()):
            notes.append(too_little(int(both.sum()), who))
    return told, notes


def too_little(n: int, who: Mapping[str, Hashable]) -> Note:
    """Why some numbers of two raters are missing."""
    if n == 1:
        return Note("{a} and {b}: one target in common, too few for their numbers.", **who)
    return Note("{a} and {b}: {n} targets in common, too few or without variance for some of their numbers.", n=n, **who)


def levels_of(values: Floats) -> list[float]:
    """The levels seen on this item, lowest first (a level nobody gave changes no kappa); none if too many."""
    found = sorted({round(float(value), 9) for value in values.ravel() if not np.isnan(value)})
    return found if len(found) <= FEW_LEVELS else []


def kappas(a: Floats, b: Floats, levels: list[float]) -> dict[str, float]:
    if len(levels) < 2:
        return {"kappa": float("nan"), "weighted_kappa": float("nan")}
    first, second = ([round(float(value), 9) for value in side] for side in (a, b))
    return {"kappa": kappa(first, second, levels), "weighted_kappa": weighted_kappa(first, second, levels)}
