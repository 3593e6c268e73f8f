"""Ratings of one judge as scores: items, dimensions, repeats; tables and the data of figures."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.agreement.clustered import Clustered, clustered_icc
from core.agreement.matrix import Floats, scores_of
from core.agreement.resampling import draw_weights, percentiles
from core.results.reading import Held

if TYPE_CHECKING:
    import pandas as pd

SEED = 7
READABLE = 2 / 3  # share of the repeats that must be readable
REPEAT_FORMS = ("ICC(1,1)", "ICC(1,k)", "ICC(A,k)")
NAN = float("nan")


@dataclass(frozen=True)
class Repeats:
    """How far the repeats of one judge agree on one thing; ``dropped`` sessions lack a repeat."""

    forms: Mapping[str, Clustered]
    repeats: int
    dropped: int


@dataclass(frozen=True)
class Row:
    """One item, or one dimension's mean score: over sessions, in the scale's own unit."""

    id: str
    dimension: str
    mean: float
    sd: float
    n: int
    unscored: int
    repeats: Repeats


def item_values(frame: "pd.DataFrame") -> "pd.DataFrame":
    """One value for each session and item: the mean of its readable repeats.

    Args:
        frame: ratings of one rater (``reading.ratings``).
    Returns:
        columns session, item, value (nan where under two thirds of the planned repeats are readable, a call that
        failed and left no row being none), readable, asked.
    """
    grouped = frame.groupby(["session", "item"], sort=False)
    found = grouped.agg(value=("score", "mean"), readable=("score", "count"), there=("score", "size"), asked=("repeats", "max"))
    found = found.assign(asked=found[["there", "asked"]].max(axis=1)).drop(columns="there").reset_index()
    need = np.ceil(found["asked"] * READABLE - 1e-9)
    found["value"] = found["value"].where(found["readable"] >= need)
    return found


def wide(values: "pd.DataFrame", items: Sequence[str]) -> "pd.DataFrame":
    """Sessions × items; items never rated are columns of nan."""
    return values.pivot(index="session", columns="item", values="value").reindex(columns=list(items))


def dimension_values(
    table: "pd.DataFrame", dimensions: Mapping[str, Sequence[str]], scoring: str
) -> "pd.DataFrame":
    """Sessions × dimensions from sessions × items: the mean of the readable items, or the sum of all of them."""
    import pandas as pd

    columns = {
        name: table[list(items)].sum(axis=1, skipna=False)
        if scoring == "sum"
        else table[list(items)].mean(axis=1)
        for name, items in dimensions.items()
    }
    return pd.DataFrame(columns, index=table.index)


def repeat_matrix(frame: "pd.DataFrame", items: Sequence[str]) -> tuple[Floats, list[int], int]:
    """Scores of the repeats, shape (n_sessions, n_repeats), for one item or the mean of several.

    Returns:
        (complete rows, their sessions, number of sessions dropped for want of a repeat).
    """
    own = frame[frame["item"].isin(list(items))]
    grouped = own.groupby(["session", "repeat"])["score"].agg(["mean", "count"])
    cells = [
        (session, repeat, mean if count == len(items) else None)
        for (session, repeat), mean, count in zip(
            grouped.index, grouped["mean"], grouped["count"], strict=True
        )
    ]
    scores = scores_of(cells)
    whole = [t for t, row in zip(scores.targets, scores.values, strict=True) if not np.isnan(row).any()]
    return scores.complete, [int(str(t)) for t in whole] if scores.raters else [], scores.dropped


def repeats_of(
    frame: "pd.DataFrame", items: Sequence[str], held: Mapping[int, Held], draws: int = 500
) -> Repeats:
    """ICC of the repeats on an item, or on the mean of a dimension's items, intervals by client or role."""
    table, kept, dropped = repeat_matrix(frame, items)
    k = table.shape[1] if table.ndim == 2 else 0
    clusters = [held[session].cluster if session in held else session for session in kept]
    rng = np.random.default_rng(SEED)
    forms = {
        form: clustered_icc(table, clusters, form, rng, draws)
        if k >= 2 and len(table) >= 2
        else Clustered(NAN, NAN, NAN, len(kept), len(set(clusters)))
        for form in REPEAT_FORMS
    }
    return Repeats(forms, k, dropped)


def item_rows(
    frame: "pd.DataFrame", dimensions: Mapping[str, Sequence[str]], held: Mapping[int, Held]
) -> list[Row]:
    """One row for each item, in the instrument's order; items nobody rated are left out."""
    values = item_values(frame)
    unscored = frame[frame["score"].isna()].groupby("item").size()
    rated = set(frame["item"])
    return [
        row_of(item, name, values.loc[values["item"] == item, "value"].dropna().to_numpy(float),
               int(unscored.get(item, 0)), repeats_of(frame, [item], held))
        for name, items in dimensions.items()
        for item in items
        if item in rated
    ]  # fmt: skip


def dimension_rows(
    frame: "pd.DataFrame", dimensions: Mapping[str, Sequence[str]], held: Mapping[int, Held], scoring: str
) -> list[Row]:
    """One row for each dimension's score, its ICC being that of the score, not the mean over its items."""
    scores = dimension_values(wide(item_values(frame), [i for items in dimensions.values() for i in items]),
                              dimensions, scoring)  # fmt: skip
    return [
        row_of(name, name, scores[name].dropna().to_numpy(float), 0, repeats_of(frame, items, held))
        for name, items in dimensions.items()
        if scores[name].notna().any()
    ]


def row_of(id: str, dimension: str, values: Floats, unscored: int, repeats: Repeats) -> Row:
    return Row(
        id, dimension, float(values.mean()) if len(values) else NAN,
        float(values.std(ddof=1)) if len(values) > 1 else NAN, len(values), unscored, repeats,
    )  # fmt: skip


def mean_of_items(rows: Sequence[Row], dimension: str, form: str) -> float:
    """The mean of a form over a dimension's items, as the paper's tables give it; nan where any has none."""
    values = [row.repeats.forms[form].value for row in rows if row.dimension == dimension]
    return float(np.mean(values)) if values and not any(map(math.isnan, values)) else NAN


@dataclass(frozen=True)
class CounselorScore:
    """The mean of one counselor on one dimension: over clients or roles of their session means."""

    counselor: str
    dimension: str
    mean: Clustered


def counselor_scores(
    table: "pd.DataFrame", held: Mapping[int, Held], draws: int = 2000
) -> list[CounselorScore]:
    """Each counselor's mean on each column, with a 95 % interval from drawing clients or roles.

    Args:
        table: sessions × dimensions. draws: resamples.
    Returns:
        counselors in order of their names, columns in theirs; nan ends with fewer than 2 clients or roles.
    """
    found = []
    for counselor in sorted({held[s].counselor for s in table.index if s in held}):
        own = table.loc[[s for s in table.index if s in held and held[s].counselor == counselor]]
        clusters = [held[int(s)].cluster for s in own.index]
        for column in own.columns:
            known = own[column].notna().to_numpy()
            kept = [name for name, there in zip(clusters, known, strict=True) if there]
            if kept:
                mean = cluster_mean(own.loc[known, column].to_numpy(float), kept, draws)
                found.append(CounselorScore(counselor, str(column), mean))
    return found


def cluster_mean(values: Floats, clusters: Sequence[str], draws: int) -> Clustered:
    """The mean of cluster means, so that a client with many sessions counts once."""
    _names, place = np.unique(np.array(clusters), return_inverse=True)
    each = np.bincount(place, weights=values) / np.bincount(place)
    if len(each) < 2:
        return Clustered(float(each.mean()), NAN, NAN, len(values), len(each))
    resampled = draw_weights(len(each), draws, np.random.default_rng(SEED)) @ each / len(each)
    return Clustered(float(each.mean()), *percentiles(resampled, 0.95), len(values), len(each))


def by_counselor(scores: "pd.DataFrame", held: Mapping[int, Held]) -> dict[str, dict[str, tuple[float, int]]]:
    """Counselor → dimension → (mean over roles or clients of their session means, sessions)."""
    return grouped_means(scores, {id: h.counselor for id, h in held.items()}, held)


def by_topic(
    scores: "pd.DataFrame", dimension: str, held: Mapping[int, Held]
) -> dict[str, dict[str, tuple[float, int]]]:
    """Counselor → topic → (mean, sessions) of one dimension; sessions without a topic are left out."""
    found: dict[str, dict[str, tuple[float, int]]] = {}
    for counselor in dict.fromkeys(held[s].counselor for s in scores.index if s in held):
        own = scores.loc[
            [s for s in scores.index if s in held and held[s].counselor == counselor], [dimension]
        ]
        topics = {id: held[id].topic for id in own.index if held[id].topic}
        per = grouped_means(own.loc[list(topics)], topics, held)
        found[counselor] = {topic: values[dimension] for topic, values in per.items() if dimension in values}
    return {counselor: topics for counselor, topics in found.items() if topics}


def grouped_means(
    scores: "pd.DataFrame", group: Mapping[int, str], held: Mapping[int, Held]
) -> dict[str, dict[str, tuple[float, int]]]:
    """Group → column → (mean of cluster means, sessions), so that a client with many sessions counts once."""
    import pandas as pd

    known = [session for session in scores.index if session in group]
    found: dict[str, dict[str, tuple[float, int]]] = {}
    keys = pd.DataFrame(
        {"group": [group[s] for s in known], "cluster": [held[s].cluster for s in known]}, index=known
    )
    joined = scores.loc[known].join(keys)
    for name, part in joined.groupby("group", sort=False):
        found[str(name)] = {
            str(column): (
                float(part.groupby("cluster")[column].mean().mean()),
                int(part[column].notna().sum()),
            )
            for column in scores.columns
            if part[column].notna().any()
        }
    return found
