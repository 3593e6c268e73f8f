"""Agreement of people where each session was rated by some of them: one-way over all, and pair by pair."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from core.agreement.clustered import Clustered, clustered_icc, clustered_pearson
from core.agreement.oneway import OneWay, one_way
from core.results.agreements import TOTAL, columns_of
from core.results.reading import Held
from core.results.scores import clusters_of

if TYPE_CHECKING:
    import pandas as pd

People = Mapping[str, "pd.DataFrame"]
LEAST = 2  # sessions a pair must share


@dataclass(frozen=True)
class Among:
    """Agreement of people on one item, dimension or the total, over every session that two or more of them rated."""

    id: str
    dimension: str
    found: OneWay


@dataclass(frozen=True)
class TwoPeople:
    """TwoPeople people on one dimension or the total, over the ``n`` sessions both rated."""

    a: str
    b: str
    id: str
    agreement: Clustered  # ICC(A,1)
    r: Clustered

    @property
    def n(self) -> int:
        return self.agreement.n


def among_people(
    people: People, dimensions: Mapping[str, Sequence[str]], held: Mapping[int, Held]
) -> list[Among]:
    """One-way: people need not be the same from session to session; what nobody shared is left out."""
    found = []
    for column, dimension in columns_of(dimensions).items():
        table = together(people, column)
        if table.shape[1] < 2:
            continue
        one = one_way(table.to_numpy(float), clusters_of(table.iloc[:, 0], held))
        if one.single.n:
            found.append(Among(column, dimension, one))
    return found


def pairs_of_people(
    people: People, dimensions: Mapping[str, Sequence[str]], held: Mapping[int, Held]
) -> list[TwoPeople]:
    """Every two people on every dimension and the total, each pair with its own n."""
    found = []
    for column in (*dimensions, TOTAL):
        table = together(people, column)
        for a, b in combinations(map(str, table.columns), 2):
            both = table[[a, b]].dropna()
            if len(both) >= LEAST:
                values, clusters = both.to_numpy(float), clusters_of(both[a], held)
                found.append(
                    TwoPeople(a, b, column, clustered_icc(values, clusters, "ICC(A,1)"),
                        clustered_pearson(values[:, 0], values[:, 1], clusters))
                )  # fmt: skip
    return found


def together(people: People, column: str) -> "pd.DataFrame":
    """Sessions × people on one column; nan where a person did not rate."""
    import pandas as pd

    own = {name: table[column] for name, table in people.items() if column in table}
    return pd.DataFrame(own, dtype=np.float64).dropna(how="all")
