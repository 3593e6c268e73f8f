"""Ratings of one judge as scores: items, dimensions, repeats, and means over clients or roles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.agreement.clustered import Clustered, clustered_mean
from core.agreement.intervals import Scale
from core.agreement.matrix import Floats, scores_of
from core.instruments import NOT_APPLICABLE, enough
from core.results.reading import Held

if TYPE_CHECKING:
    import pandas as pd

READABLE = 2 / 3  # share of the repeats that must be readable
NAN = float("nan")
Scales = Mapping[str, Scale]


def item_values(frame: "pd.DataFrame") -> "pd.DataFrame":
    """One value for each session and item: the mean of its readable repeats.

    Args:
        frame: ratings of one rater (``reading.ratings``).
    Returns:
        columns session, item, value (nan where under two thirds of the planned repeats are readable, a call that
        failed and left no row being none), readable, asked, applies (false where each repeat says it does not).
    """
    frame = frame.assign(applies=frame["reason"] != NOT_APPLICABLE)
    grouped = frame.groupby(["session", "item"], sort=False)
    found = grouped.agg(value=("score", "mean"), readable=("score", "count"), there=("score", "size"), asked=("repeats", "max"), applies=("applies", "any"))
    found = found.assign(asked=found[["there", "asked"]].max(axis=1)).drop(columns="there").reset_index()
    need = np.ceil(found["asked"] * READABLE - 1e-9)
    found["value"] = found["value"].where(found["readable"] >= need)
    return found


def wide(values: "pd.DataFrame", items: Sequence[str]) -> "pd.DataFrame":
    """Sessions × items; items never rated are columns of nan."""
    return values.pivot(index="session", columns="item", values="value").reindex(columns=list(items))


def silent_items(values: "pd.DataFrame", items: Sequence[str]) -> "pd.DataFrame":
    """Sessions × items: whether an item does not apply to a session.

    Args:
        values: from ``item_values``.
    """
    found = values[~values["applies"]].assign(silent=True)
    table = found.pivot(index="session", columns="item", values="silent")
    return table.reindex(index=values["session"].unique(), columns=list(items)).notna()


def dimension_values(
    table: "pd.DataFrame", dimensions: Mapping[str, Sequence[str]], scoring: str, silent: "pd.DataFrame | None" = None
) -> "pd.DataFrame":
    """Sessions × dimensions from sessions × items: mean or sum of the readable items, where they are ``enough``.

    Args:
        silent: from ``silent_items``; a mean is not held against what does not apply, a sum without it is none.
    """
    import pandas as pd

    columns = {}
    for name, items in dimensions.items():
        own = table[list(items)]
        value = own.sum(axis=1) if scoring == "sum" else own.mean(axis=1)
        need = pd.Series(enough(len(items), scoring), index=table.index)
        if silent is not None and scoring != "sum":
            apply = len(items) - silent[list(items)].sum(axis=1).reindex(table.index, fill_value=0)
            need = apply.map({n: enough(int(n), scoring) for n in apply.unique()})
        columns[name] = value.where(own.notna().sum(axis=1) >= need)
    return pd.DataFrame(columns, index=table.index)


def items_behind(table: "pd.DataFrame", dimensions: Mapping[str, Sequence[str]]) -> "pd.DataFrame":
    """How many items each score of ``dimension_values`` can rest on: sessions × dimensions, readable items."""
    import pandas as pd

    return pd.DataFrame(
        {name: table[list(items)].notna().sum(axis=1) for name, items in dimensions.items()}, index=table.index
    )


def repeat_matrix(frame: "pd.DataFrame", items: Sequence[str]) -> tuple[Floats, list[int], int]:
    """Scores of the repeats, shape (n_sessions, n_repeats), for one item or the mean of several.

    Returns:
        (complete rows, their sessions, number of sessions dropped for want of a repeat).
    """
    own = frame[frame["item"].isin(list(items))]
    silent = silent_items(item_values(own), items).sum(axis=1)
    grouped = own.groupby(["session", "repeat"])["score"].agg(["mean", "count"])
    cells = [
        (session, repeat, mean if count == len(items) - silent[session] and count else None)
        for (session, repeat), mean, count in zip(
            grouped.index, grouped["mean"], grouped["count"], strict=True
        )
    ]
    scores = scores_of(cells)
    whole = [t for t, row in zip(scores.targets, scores.values, strict=True) if not np.isnan(row).any()]
    return scores.complete, [int(str(t)) for t in whole] if scores.raters else [], scores.dropped


@dataclass(frozen=True)
class CounselorScore:
    """The mean of one counselor on one dimension: over clients or roles of their session means."""

    counselor: str
    dimension: str
    mean: Clustered


def counselor_scores(table: "pd.DataFrame", held: Mapping[int, Held], scales: Scales) -> list[CounselorScore]:
    """Each counselor's mean on each column, with its interval (``clustered_mean``).

    Args:
        table: sessions × dimensions. scales: the ends of each of them (``agreements.scales_of``).
    Returns:
        counselors in order of their names, columns in theirs.
    """
    found = by_counselor(table, held, scales)
    return [
        CounselorScore(counselor, column, mean)
        for counselor in sorted(found)
        for column, mean in found[counselor].items()
    ]


def by_counselor(scores: "pd.DataFrame", held: Mapping[int, Held], scales: Scales) -> dict[str, dict[str, Clustered]]:
    """Counselor → dimension → mean over roles or clients of their session means."""
    return grouped_means(scores, {id: h.counselor for id, h in held.items()}, held, scales)


def by_topic(
    scores: "pd.DataFrame", dimension: str, held: Mapping[int, Held], scales: Scales
) -> dict[str, dict[str, Clustered]]:
    """Counselor → topic → mean of one dimension; sessions without a topic are left out."""
    found: dict[str, dict[str, Clustered]] = {}
    for counselor in dict.fromkeys(held[s].counselor for s in scores.index if s in held):
        own = scores.loc[
            [s for s in scores.index if s in held and held[s].counselor == counselor], [dimension]
        ]
        topics = {id: held[id].topic for id in own.index if held[id].topic}
        per = grouped_means(own.loc[list(topics)], topics, held, scales)
        found[counselor] = {topic: values[dimension] for topic, values in per.items() if dimension in values}
    return {counselor: topics for counselor, topics in found.items() if topics}


def grouped_means(
    scores: "pd.DataFrame", group: Mapping[int, str], held: Mapping[int, Held], scales: Scales
) -> dict[str, dict[str, Clustered]]:
    """Group → column → mean of cluster means; columns without a value in a group are left out."""
    found: dict[str, dict[str, Clustered]] = {}
    for name in dict.fromkeys(group[s] for s in scores.index if s in group and s in held):
        part = scores.loc[[s for s in scores.index if s in held and group.get(s) == name]]
        found[str(name)] = {
            str(column): mean
            for column in part.columns
            if (mean := mean_over_clusters(part[column], held, scales[str(column)])).n
        }
    return found


def mean_over_clusters(values: "pd.Series", held: Mapping[int, Held], scale: Scale) -> Clustered:
    """The mean over clients or roles of their session means.

    Args:
        values: one for each session, which is the index; nan where there is none. scale: their ends.
    """
    known = values.dropna()
    if not len(known):
        return Clustered(NAN, NAN, NAN, 0, 0)
    return clustered_mean(known.to_numpy(float), clusters_of(known, held), scale)


def sd_over_clusters(values: "pd.Series", held: Mapping[int, Held]) -> float:
    """The standard deviation of the clients' or roles' session means; nan for fewer than two."""
    known = values.dropna()
    return float(known.groupby(clusters_of(known, held)).mean().std()) if len(known) else NAN


def clusters_of(values: "pd.Series", held: Mapping[int, Held]) -> list[str]:
    """The client or role of each session; a session of which nothing is known stands for itself."""
    return [held[int(s)].cluster if int(s) in held else str(s) for s in values.index]
