"""How far raters agree on an instrument: judge and people, people among themselves, repeats of a judge."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.agreement.alpha import cronbach_alpha
from core.agreement.clustered import Clustered, clustered_icc, clustered_pearson
from core.agreement.intervals import Scale
from core.agreement.matrix import Floats
from core.instruments import Instrument
from core.results.reading import Held
from core.results.scores import dimension_values, item_values, repeat_matrix, silent_items, wide
from core.results.voices import newest

if TYPE_CHECKING:
    import pandas as pd

TWO_WAY = ("ICC(A,1)", "ICC(A,k)", "ICC(C,1)", "ICC(C,k)")
ONE_WAY = ("ICC(1,1)", "ICC(1,k)", "ICC(A,k)")
TOTAL = "total"
HALO = 0.95  # items that move together more than this may echo one impression


@dataclass(frozen=True)
class Agreed:
    """Agreement on one thing: item, dimension or total. ``spread`` is the SD of the sessions' means."""

    id: str
    dimension: str
    forms: Mapping[str, Clustered]
    r: Clustered | None
    n: int
    raters: int
    dropped: int
    spread: float


@dataclass(frozen=True)
class Gap:
    """One session and item where judge and people are far apart."""

    session: int
    item: str
    people: float
    judge: float


def people_values(frame: "pd.DataFrame", kind: str, version: int, language: str) -> dict[str, "pd.DataFrame"]:
    """``item_values`` of each person of one kind, on the same instrument version and language."""
    own = frame[
        (frame["rater_kind"] == kind) & (frame["version"] == version) & (frame["language"] == language)
    ]
    latest = newest(own, ("rater_id",))
    return {str(name): item_values(part) for name, part in latest.groupby("rater", sort=False)}


def with_sums(values: "pd.DataFrame", dimensions: Mapping[str, Sequence[str]], scoring: str) -> "pd.DataFrame":
    """Sessions × (items, dimensions, total); a dimension called like its one item is that item.

    Args:
        values: from ``item_values``.
    """
    items = [item for own in dimensions.values() for item in own]
    whole = wide(values, items)
    sums = dimension_values(whole, {**dimensions, TOTAL: items}, scoring, silent_items(values, items))
    return whole.join(sums[[name for name in sums.columns if name not in whole.columns]])


def columns_of(dimensions: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Everything that can agree → the dimension it belongs to, items before their dimension's score."""
    found: dict[str, str] = {}
    for name, items in dimensions.items():
        found |= dict.fromkeys(items, name) | {name: name}
    return found | {TOTAL: TOTAL}


def scales_of(used: Instrument) -> dict[str, Scale]:
    """Every item, every dimension and the total → the lowest and highest its score can be."""
    parts = {d.id: used.items_of(d.id) for d in used.dimensions} | {TOTAL: used.items}
    sums = {name: used.range_of(items) for name, items in parts.items()}
    return sums | {item.id: (item.lowest, item.highest) for item in used.items}


def judge_and_people(
    judge: "pd.DataFrame", people: Mapping[str, "pd.DataFrame"], dimensions: Mapping[str, Sequence[str]],
    held: Mapping[int, Held],
) -> list[Agreed]:  # fmt: skip
    """The judge against the mean of the people, for every item, dimension and the total.

    Args:
        judge: sessions × columns (``with_sums``). people: person → the same.
    """
    found = []
    for column, dimension in columns_of(dimensions).items():
        means = mean_of([table[column] for table in people.values() if column in table])
        if column not in judge or means is None:
            continue
        both = judge[[column]].join(means.rename("people"), how="inner")
        found.append(agreed(column, dimension, both.dropna(), len(both) - len(both.dropna()), held, TWO_WAY))
    return [row for row in found if row.n]


def between_people(
    people: Mapping[str, "pd.DataFrame"], dimensions: Mapping[str, Sequence[str]], held: Mapping[int, Held]
) -> list[Agreed]:
    """People among themselves, over the sessions all of them rated; others are dropped and counted."""
    import pandas as pd

    found = []
    for column, dimension in columns_of(dimensions).items():
        own = {name: table[column] for name, table in people.items() if column in table}
        if len(own) < 2:
            continue
        every = pd.DataFrame(own).dropna(how="all")
        whole = every.dropna()
        found.append(agreed(column, dimension, whole, len(every) - len(whole), held, TWO_WAY))
    return [row for row in found if row.n]


def repeats(
    frame: "pd.DataFrame", dimensions: Mapping[str, Sequence[str]], held: Mapping[int, Held]
) -> list[Agreed]:
    """Repeats of one judge: exchangeable, so the one-way forms come first."""
    import pandas as pd

    parts: dict[str, Sequence[str]] = {}
    for name, items in dimensions.items():
        parts |= {item: [item] for item in items} | {name: items}
    parts[TOTAL] = [item for items in dimensions.values() for item in items]
    found = []
    for column, dimension in columns_of(dimensions).items():
        table, kept, dropped = repeat_matrix(frame, parts[column])
        if table.shape[1] >= 2 and len(kept):
            found.append(agreed(column, dimension, pd.DataFrame(table, index=kept), dropped, held, ONE_WAY))
    return found


def agreed(
    id: str,
    dimension: str,
    table: "pd.DataFrame",
    dropped: int,
    held: Mapping[int, Held],
    forms: Sequence[str],
) -> Agreed:
    """All forms of one complete table (sessions × raters), and r where there are two columns."""
    values: Floats = table.to_numpy(dtype=float)
    clusters = [held[int(s)].cluster if int(s) in held else str(s) for s in table.index]
    return Agreed(
        id, dimension,
        {form: clustered_icc(values, clusters, form) for form in forms} if len(values) else {},
        clustered_pearson(values[:, 0], values[:, 1], clusters) if values.shape[1] == 2 else None,
        n=len(values), raters=values.shape[1], dropped=dropped,
        spread=float(values.mean(axis=1).std(ddof=1)) if len(values) > 1 else float("nan"),
    )  # fmt: skip


def mean_of(columns: Sequence["pd.Series"]) -> "pd.Series | None":
    """The mean of several people's scores of the same sessions, over those who gave one."""
    import pandas as pd

    return pd.concat(list(columns), axis=1).mean(axis=1).dropna() if columns else None


def gaps(
    judge: "pd.DataFrame", people: Mapping[str, "pd.DataFrame"], items: Sequence[str], most: int = 8
) -> list[Gap]:
    """Where judge and people are furthest apart, the largest first."""
    found = []
    for item in items:
        means = mean_of([table[item] for table in people.values() if item in table])
        if means is None or item not in judge:
            continue
        both = judge[[item]].join(means.rename("people"), how="inner").dropna()
        found += [
            Gap(int(str(s)), item, float(p), float(j))
            for s, j, p in zip(both.index, both[item], both["people"], strict=True)
        ]
    return sorted(found, key=lambda gap: -abs(gap.people - gap.judge))[:most]


def halo(judge: "pd.DataFrame", items: Sequence[str]) -> float:
    """Cronbach's alpha of a judge's items: near 1, they may echo one impression of the session."""
    known = judge.reindex(columns=list(items)).dropna()
    return cronbach_alpha(known.to_numpy(dtype=float))
