"""What the 95 % intervals cover when the truth is known: ``python -m benchmarks.coverage``.

Scores, ratings and verdicts are drawn from a known truth many times over, and each shown interval is asked
whether it holds it. Prints a line for each figure, case and number of roles or clients: how often the interval
was shown, its coverage where shown, its mean width, and what a page says of it. At the end: whether every interval
covers at least 93 % (within two standard errors of the simulation), is labelled, or is withheld.
``--runs 400`` for each line by default; the seed is fixed.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from core.agreement.clustered import Clustered, clustered_icc, clustered_mean, clustered_pearson
from core.agreement.comparing import TIE, RoleScore
from core.agreement.icc import quick_icc
from core.agreement.intervals import FEW
from core.agreement.matching import clustered_matches, match_rates
from core.agreement.oneway import one_way
from core.agreement.strength import fit, strengths
from core.agreement.winning import stage_scores

SEED = 7
ENOUGH = 0.93
LARGE = 20_000  # clusters whose figure counts as the truth
ROLES = (4, 5, 6, 8, 10, 15, 19, 20, 25, 40)
CLIENTS = (2, 3, 5, 8, 10, 15, 20, 30)
SAID = ("x", "y", TIE)
Rng = np.random.Generator
Found = tuple[float, float, str]  # low, high, what the page says of it
Draw = Callable[[int, Rng], list[Found]]


@dataclass(frozen=True)
class Case:
    """One or several figures of the same drawn data, their names and their truth."""

    figures: Sequence[str]
    case: str
    truth: Sequence[float]
    draw: Draw
    sizes: Sequence[int]


@dataclass(frozen=True)
class Line:
    figure: str
    case: str
    n: int
    runs: int
    shown: int
    held: int
    width: float
    label: str

    @property
    def covered(self) -> float:
        return self.held / self.shown if self.shown else float("nan")

    @property
    def true(self) -> bool:
        """Whether this line is as it should be: withheld, labelled, or at least 93 % (simulation error allowed for)."""
        slack = 2 * (ENOUGH * (1 - ENOUGH) / max(self.shown, 1)) ** 0.5
        return not self.shown or "few" in self.label or self.covered >= ENOUGH - slack


# ---- scores over roles ---------------------------------------------------------------------------


def roles_of(n: int, edge: float, tie: float, rng: Rng, pairs: int = 1) -> np.ndarray:
    """Scores of three dimensions, shape (n, pairs): a role's own leaning, each dimension a win, loss or tie."""
    lean = edge + 0.8 * rng.normal(size=(n, 1)) + 0.3 * rng.normal(size=(n, pairs))
    won = rng.random((n, pairs, 3)) < 1 / (1 + np.exp(-lean))[:, :, None]
    return np.where(rng.random((n, pairs, 3)) < tie, 0.5, won).mean(axis=2)


def skewed(n: int, edge: float, tie: float, rng: Rng, pairs: int = 1) -> np.ndarray:
    """Mostly 1, now and then 5/6, one in twenty 0: the worst there is for t."""
    return rng.choice([1, 5 / 6, 0], size=(n, pairs), p=[0.8, 0.15, 0.05])


def scored(table: np.ndarray, rng: Rng) -> list[Found]:
    """The pair x against the first opponent, and x against all of them."""
    scores = {
        ("x", f"y{at}"): [RoleScore(r, float(s), 3, 3) for r, s in enumerate(own) if s == s]
        for at, own in enumerate(table.T)
    }
    found = stage_scores(scores, rng, 1000)
    pair, agent = found.pairs[0], found.agents["x"]
    return [(pair.low, pair.high, pair.kind), (agent.low, agent.high, agent.kind)]


def win_cases() -> Iterator[Case]:
    kinds = (
        ("even, many ties", roles_of, 0.0, 0.3), ("ahead", roles_of, 1.0, 0.2), ("far ahead", roles_of, 2.0, 0.1),
        ("nearly always won", roles_of, 3.0, 0.05), ("skewed, rare losses", skewed, 0.0, 0.0),
    )  # fmt: skip
    for name, made, edge, tie in kinds:
        truth = float(made(LARGE * 10, edge, tie, np.random.default_rng(SEED)).mean())

        def draw(n: int, rng: Rng, made=made, edge=edge, tie=tie) -> list[Found]:  # type: ignore[no-untyped-def]
            return scored(made(n, edge, tie, rng, 1), rng)[:1]

        def among(n: int, rng: Rng, made=made, edge=edge, tie=tie) -> list[Found]:  # type: ignore[no-untyped-def]
            table = made(n, edge, tie, rng, 3)
            return scored(np.where(rng.random(table.shape) < 0.2, np.nan, table), rng)[1:]

        yield Case(["win score"], name, [truth], draw, ROLES)
        yield Case(["agent score"], name + ", a fifth missing", [truth], among, ROLES)


def strength_cases() -> Iterator[Case]:
    for edges in ((0.5, -0.5), (0.8, 0.0, -0.8), (1.2, 0.6, -0.6, -1.2)):

        def outcomes(n: int, rng: Rng, edges: Sequence[float] = edges) -> np.ndarray:
            a = len(edges)
            lean = np.array(edges) + 0.5 * rng.normal(size=(n, a))
            w = (rng.random((n, a, a)) < 1 / (1 + np.exp(lean[:, None, :] - lean[:, :, None]))).astype(float)
            w = np.where(rng.random((n, a, a)) < 0.2, 0.5, w)
            upper = np.triu(np.ones((a, a), dtype=bool), 1)
            won: np.ndarray = np.where(upper, w, 0)
            return won + np.where(upper, 1 - w, 0).transpose(0, 2, 1)

        def draw(n: int, rng: Rng, made: Callable[..., np.ndarray] = outcomes, a: int = len(edges)) -> list[Found]:
            wins = made(n, rng)
            scores = {
                (str(i), str(j)): [RoleScore(r, float(wins[r, i, j]), 1, 1) for r in range(n)]
                for i in range(a) for j in range(i + 1, a)
            }  # fmt: skip
            found = strengths(scores, rng)["0"]
            return [(found.low, found.high, "drawn")]

        truth = float(fit(outcomes(LARGE * 5, np.random.default_rng(SEED)).sum(axis=0))[0])
        yield Case(["strength"], f"{len(edges)} counselors", [truth], draw, (6, 10, 15, 25, 40))


# ---- means, ICC, r over clients ------------------------------------------------------------------


def clients_of(g: int, uneven: bool, rng: Rng) -> np.ndarray:
    """The client of each session: four each, or one to seven."""
    return np.repeat(np.arange(g), rng.integers(1, 8, size=g) if uneven else np.full(g, 4))


def label_of(one: Clustered) -> Found:
    return one.low, one.high, "few" if one.few else one.kind


def ratings(g: int, case: tuple[float, float, float, int, bool, bool], rng: Rng) -> tuple[np.ndarray, np.ndarray]:
    """Sessions × raters: client, session and rater's own part; raters differ in their level; rounded to 1–5 or not."""
    client, session, error, k, uneven, levels = case
    who = clients_of(g, uneven, rng)
    table = 3 + client * rng.normal(size=g)[who][:, None] + session * rng.normal(size=(len(who), 1))
    table = table + error * rng.normal(size=(len(who), k)) + np.array([0.2, -0.2, 0.0])[:k]
    return (np.clip(np.rint(table), 1, 5) if levels else table), who


def client_cases() -> Iterator[Case]:
    forms = ("ICC(1,1)", "ICC(1,k)", "ICC(A,1)", "ICC(A,k)", "ICC(C,1)", "ICC(C,k)")
    cases = {
        "two raters": (0.7, 0.5, 0.5, 2, False, False),
        "three, uneven clients": (0.9, 0.3, 0.8, 3, True, False),
        "three, little agreement": (0.3, 0.3, 1.0, 3, False, False),
        "two, uneven, levels 1–5": (0.7, 0.5, 0.5, 2, True, True),
    }
    for name, case in cases.items():
        large = ratings(LARGE, case, np.random.default_rng(SEED))[0]

        def draw(g: int, rng: Rng, case: tuple[float, float, float, int, bool, bool] = case) -> list[Found]:
            table, who = ratings(g, case, rng)
            found = [clustered_icc(table, list(who), form) for form in forms]
            gaps = table.copy()
            gaps[np.arange(len(gaps)), rng.integers(0, table.shape[1], len(gaps))] = np.nan
            whole = np.column_stack([table[:, :1], gaps]) if table.shape[1] == 2 else gaps
            among = one_way(whole, list(who)).single if table.shape[1] == 3 else Clustered(*[float("nan")] * 3, 0, 0)
            return [label_of(one) for one in (*found, clustered_mean(table.mean(axis=1), list(who), (1, 5) if case[5] else None), among)]

        truth = [quick_icc(large, form) for form in forms]
        yield Case(
            [*forms, "mean over clients", "ICC(1,1), gaps"], name, [*truth, float(large.mean()), truth[0]], draw, CLIENTS
        )


def at_an_end(g: int, case: tuple[Sequence[float], Sequence[float], bool], rng: Rng) -> tuple[np.ndarray, list[int]]:
    """Scores most of which lie at an end of their scale: one session a client, or one to seven, the most of them alike."""
    levels, shares, uneven = case
    who = np.repeat(np.arange(g), rng.integers(1, 8, size=g) if uneven else np.ones(g, dtype=int))
    own, other = rng.choice(levels, p=shares, size=g)[who], rng.choice(levels, p=shares, size=len(who))
    return np.where(rng.random(len(who)) < 0.7, own, other).astype(float), list(map(int, who))


def end_cases() -> Iterator[Case]:
    middle = ([1, 2, 3, 4, 5], [0.06, 0.24, 0.40, 0.24, 0.06])
    cases = {
        "5/4/2 at .85/.10/.05": ([5, 4, 2], [0.85, 0.10, 0.05], (1, 5)),
        "0/1/4 at .85/.10/.05": ([0, 1, 4], [0.85, 0.10, 0.05], (0, 4)),
        "0/1, a tenth 0": ([1, 0], [0.9, 0.1], (0, 1)),
        "about 4 of 1–5": ([2, 3, 4, 5], [0.05, 0.20, 0.45, 0.30], (1, 5)),
        "normal, middle of 1–5": (*middle, (1, 5)),
    }
    for name, (levels, shares, scale) in cases.items():
        for uneven in (False, True):

            def draw(g: int, rng: Rng, case=(levels, shares, uneven), scale=scale) -> list[Found]:  # type: ignore[no-untyped-def]
                return [label_of(clustered_mean(*at_an_end(g, case, rng), scale))]

            truth = float(np.dot(levels, shares))
            yield Case(["mean over clients"], name + ", uneven" * uneven, [truth], draw, (*CLIENTS, 50))


def two(g: int, case: tuple[float, float, bool], rng: Rng) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two scores of each session that go together between and within clients."""
    between, within, uneven = case
    who = clients_of(g, uneven, rng)

    def pair(n: int, r: float) -> np.ndarray:
        a, b = rng.normal(size=(2, n))
        return np.array([a, r * a + (1 - r**2) ** 0.5 * b])

    first, second = 0.5**0.5 * (pair(g, between)[:, who] + pair(len(who), within))
    return first, second, who


def r_cases() -> Iterator[Case]:
    for name, case in {
        "r .4": (0.5, 0.3, False), "r .8, uneven clients": (0.9, 0.7, True), "no r, uneven": (0.0, 0.0, True),
    }.items():  # fmt: skip
        first, second, _who = two(LARGE, case, np.random.default_rng(SEED))

        def draw(g: int, rng: Rng, case: tuple[float, float, bool] = case) -> list[Found]:
            first, second, who = two(g, case, rng)
            return [label_of(clustered_pearson(first, second, list(who)))]

        yield Case(["r"], name, [float(np.corrcoef(first, second)[0, 1])], draw, CLIENTS)


def verdicts(
    g: int, case: tuple[float, float, float], rng: Rng
) -> tuple[list[tuple[str, str, str]], list[int]]:
    """Six questions a role, answered alike with a chance that differs between roles."""
    alike, tie, spread = case
    who = np.repeat(np.arange(g), 6)
    chance = np.clip(alike + spread * rng.uniform(-1, 1, size=g)[who], 0, 1)
    shares = [0.55 * (1 - tie), 0.45 * (1 - tie), tie]
    one, other = rng.choice(3, p=shares, size=(2, len(who)))
    other = np.where(rng.random(len(who)) < chance, one, other)
    return [(SAID[a], SAID[b], "x") for a, b in zip(one, other, strict=True)], list(map(int, who))


def match_cases() -> Iterator[Case]:
    for name, case in {
        "often alike": (0.7, 0.25, 0.2), "nearly always alike": (0.95, 0.1, 0.05), "by chance": (0.0, 0.3, 0.0),
    }.items():  # fmt: skip
        large = match_rates(verdicts(LARGE, case, np.random.default_rng(SEED))[0])

        def draw(g: int, rng: Rng, case: tuple[float, float, float] = case) -> list[Found]:
            return [label_of(one) for one in clustered_matches(*verdicts(g, case, rng))]

        yield Case(["match rate", "kappa"], name, [large.with_ties, large.kappa], draw, CLIENTS)


# ---- the table -----------------------------------------------------------------------------------


def lines_of(case: Case, n: int, runs: int) -> list[Line]:
    rng = np.random.default_rng([SEED, n])
    drawn = [case.draw(n, rng) for _ in range(runs)]
    found = []
    for at, (figure, truth) in enumerate(zip(case.figures, case.truth, strict=True)):
        own = [each[at] for each in drawn]
        shown = [(low, high) for low, high, _kind in own if low == low and high == high]
        kinds = sorted({kind for low, _high, kind in own if low == low and kind})
        held = sum(low - 1e-9 <= truth <= high + 1e-9 for low, high in shown)
        width = float(np.mean([high - low for low, high in shown])) if shown else float("nan")
        label = "+".join(kinds) if shown else "withheld"
        found.append(Line(figure, case.case, n, len(own), len(shown), held, width, label))
    return found


def width_of(line: Line) -> str:
    """The mean width; an ICC of a mean of few clients reaches so far below −1 that its width says nothing."""
    return "> 99" if line.width > 99 else f"{line.width:.2f}"


def table(runs: int) -> Iterator[Line]:
    for cases in (win_cases, strength_cases, client_cases, end_cases, r_cases, match_cases):
        for case in cases():
            for n in case.sizes:
                for line in lines_of(case, n, runs):
                    if line.shown or n < FEW or case.figures == ["strength"]:
                        yield line


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--runs", type=int, default=400)
    runs = asked.parse_args().runs
    began, wrong = time.monotonic(), []
    print(f"{'figure':20}{'case':40}{'n':>4}{'shown':>12}{'covers':>8}{'width':>7}  said")
    for line in table(runs):
        shown = f"{line.shown}/{line.runs}"
        print(
            f"{line.figure:20}{line.case:40}{line.n:4}{shown:>12}{line.covered:8.3f}{width_of(line):>7}  {line.label}"
            + ("" if line.true else "  << TOO LOW"),
            flush=True,
        )
        wrong += [] if line.true else [line]
    print(f"{len(wrong)} lines below {ENOUGH} by more than two standard errors; {time.monotonic() - began:.0f} s, {runs} runs a line, seed {SEED}")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
