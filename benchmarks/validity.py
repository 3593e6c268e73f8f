"""How the demo raters do on real, labelled sessions: ``python benchmarks/validity.py AnnoMI.csv [--save]``.

Reads transcripts of motivational interviewing labelled high or low in quality (AnnoMI's published CSV), rates each by
rules, and asks whether the rating tells the two apart. The figure is about MI quality, not about alliance: nobody
rated the alliance of these sessions. The weights were set by reasoning on the anchors, never fitted to labels.
"""

import argparse
import csv
import hashlib
import json
import random
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np
from sklearn.metrics import roc_auc_score

from core.instruments import load
from core.llm.demo.engine import VERSION
from core.llm.demo.raters import ANSWERS
from core.llm.demo.words import FOLDER

DRAWS = 2000
SEED = 20240
SAVED = FOLDER / "validity.json"
COLUMNS = ("transcript_id", "mi_quality", "topic", "utterance_id", "interlocutor", "utterance_text")
SEATS = {"therapist": "counselor", "client": "client"}


@dataclass(frozen=True)
class Transcript:
    """One labelled session. ``high`` is its label; the topic is its cluster."""

    id: str
    high: bool
    topic: str
    turns: tuple[dict[str, Any], ...]

    @property
    def words(self) -> int:
        return sum(len(turn["text"].split()) for turn in self.turns)


def read(path: Path) -> list[Transcript]:
    """The transcripts of AnnoMI's CSV, one row an utterance (a row for each annotator counts once)."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    missing = [name for name in COLUMNS if rows and name not in rows[0]]
    if not rows or missing:
        raise SystemExit(f"{path.name} is not AnnoMI's CSV: {'no rows' if not rows else f'no column {missing}'}.")
    found: dict[str, dict[int, dict[str, str]]] = defaultdict(dict)
    for row in rows:
        found[row["transcript_id"]].setdefault(int(row["utterance_id"]), row)
    return [_transcript(key, [said[n] for n in sorted(said)]) for key, said in found.items()]


def _transcript(key: str, rows: Sequence[dict[str, str]]) -> Transcript:
    turns = [
        {"position": n, "seat": SEATS[row["interlocutor"]], "text": row["utterance_text"]}
        for n, row in enumerate(rows, start=1)
    ]
    return Transcript(key, rows[0]["mi_quality"] == "high", rows[0]["topic"], tuple(turns))


def rated(transcripts: Sequence[Transcript]) -> np.ndarray:
    """Scored values of the twelve alliance items, shape (n_transcripts, 12)."""
    instrument = load("wai-o-s")
    items = [instrument.item_inputs(item.id, "en") for item in instrument.items]
    table = []
    for transcript in transcripts:
        inputs = {"instrument": "wai-o-s", "setting": "reasoning", "items": items, "turns": transcript.turns, "profile": {}, "sample": 0}
        reply: Any = ANSWERS["judge/instrument"](inputs, random.Random(SEED), "en")
        table.append([instrument.scored(one["item"], one["rating"]) for one in reply["ratings"]])
    return np.array(table)


def compared(first: Transcript, second: Transcript) -> tuple[float, int]:
    """The first session's mean score over Hill's nine dimensions in both orders, and how often the orders disagreed."""
    hill = load("hill")
    points, disagreed = [], 0
    for dimension in hill.dimensions:
        shown = hill.dimension_inputs(dimension.id, "en")
        ab = _verdict(shown, first, second)
        ba = {"A": "B", "B": "A", "tie": "tie"}[_verdict(shown, second, first)]
        disagreed += ab != ba
        points.append({"A": 1.0, "B": 0.0, "tie": 0.5}[ab] if ab == ba else 0.5)
    return float(np.mean(points)), disagreed


def _verdict(dimension: dict[str, Any], a: Transcript, b: Transcript) -> str:
    inputs = {"instrument": "hill", "dimension": dimension, "a": {"turns": a.turns}, "b": {"turns": b.turns}}
    reply: Any = ANSWERS["judge/compare"](inputs, random.Random(SEED), "en")
    return str(reply["verdict"])


def round_robin(transcripts: Sequence[Transcript]) -> np.ndarray:
    """Each session's mean comparison score against every other one."""
    scores = np.full((len(transcripts), len(transcripts)), np.nan)
    for one, other in combinations(range(len(transcripts)), 2):
        scores[one, other], _ = compared(transcripts[one], transcripts[other])
        scores[other, one] = 1 - scores[one, other]
    return np.asarray(np.nanmean(scores, axis=1))


def auc(high: np.ndarray, score: np.ndarray) -> float:
    return float(roc_auc_score(high, score)) if 0 < high.sum() < len(high) else float("nan")


def interval(high: np.ndarray, score: np.ndarray, clusters: Sequence[str]) -> tuple[float, float]:
    """A 95 % percentile interval from resampling whole clusters (topics: their sessions share scene and makers)."""
    rng = np.random.default_rng(SEED)
    names = sorted(set(clusters))
    places = {name: np.flatnonzero(np.array(clusters) == name) for name in names}
    drawn = []
    for _ in range(DRAWS):
        at = np.concatenate([places[names[n]] for n in rng.integers(len(names), size=len(names))])
        drawn.append(auc(high[at], score[at]))
    low, up = np.nanpercentile(drawn, [2.5, 97.5])
    return float(low), float(up)


def by_tercile(high: np.ndarray, score: np.ndarray, size: np.ndarray) -> list[dict[str, Any]]:
    """AUC among short, middle and long sessions."""
    cuts = np.quantile(size, [1 / 3, 2 / 3])
    groups = np.digitize(size, cuts, right=True)
    return [
        {"n": int((groups == g).sum()), "low": int((~high[groups == g]).sum()), "auc": auc(high[groups == g], score[groups == g])}
        for g in range(3)
    ]


def same_topic(transcripts: Sequence[Transcript], win: Callable[[int, int], float]) -> dict[str, Any]:
    """High against low sessions of one topic: how many pairs the high one wins, loses, ties."""
    points = [
        win(h, low)
        for h, one in enumerate(transcripts) for low, other in enumerate(transcripts)
        if one.high and not other.high and one.topic == other.topic
    ]  # fmt: skip
    won, lost = sum(p > 0.5 for p in points), sum(p < 0.5 for p in points)
    return {"pairs": len(points), "won": won, "lost": lost, "tied": len(points) - won - lost}


def largest_correlation(table: np.ndarray) -> tuple[float, str]:
    """The largest correlation between two different items, and which; items without variance are left out."""
    names = [item.id for item in load("wai-o-s").items]
    with np.errstate(invalid="ignore", divide="ignore"):
        r = np.corrcoef(table.T)
    pairs = [(float(r[a, b]), f"{names[a]}–{names[b]}") for a, b in combinations(range(len(names)), 2)]
    return max(pair for pair in pairs if not np.isnan(pair[0]))


def evaluate(transcripts: Sequence[Transcript], name: str) -> dict[str, Any]:
    """All figures of one run."""
    high = np.array([t.high for t in transcripts])
    topics = [t.topic for t in transcripts]
    size = np.array([t.words for t in transcripts])
    table = rated(transcripts)
    pairs = {(a, b): compared(transcripts[a], transcripts[b]) for a in range(len(topics)) for b in range(len(topics)) if high[a] and not high[b] and topics[a] == topics[b]}
    scores = {"alliance_total": table.sum(axis=1), "hill_comparison": round_robin(transcripts), "length_only": size.astype(float)}
    total = scores["alliance_total"]
    r, which = largest_correlation(table)
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "data": {"name": name, "sessions": len(transcripts), "high": int(high.sum()), "low": int((~high).sum()), "topics": len(set(topics)), "language": "en"},
        "engine": f"demo v{VERSION}",
        "rules": rules_hash(),
        "auc": {key: {"value": auc(high, value), "interval": interval(high, value, topics), "by_length": by_tercile(high, value, size)} for key, value in scores.items()},
        "same_topic": {
            "hill_both_orders": same_topic(transcripts, lambda a, b: pairs[a, b][0]) | {"orders_disagree": sum(n for _, n in pairs.values())},
            "alliance_total": same_topic(transcripts, lambda a, b: 0.5 + float(np.sign(total[a] - total[b])) / 2),
        },
        "items": {"largest_correlation": r, "which": which, "auc": {i.id: auc(high, table[:, n]) for n, i in enumerate(load("wai-o-s").items)}},
        "means": "Whether the ratings tell sessions labelled high from low in motivational-interviewing quality; not alliance. English only: Chinese is not validated.",
    }  # fmt: skip


def rules_hash() -> str:
    """Which word files and weights were run."""
    text = b"".join((FOLDER / name).read_bytes() for name in ("weights.yaml", "en/features.yaml", "zh/features.yaml"))
    return hashlib.sha256(text).hexdigest()[:12]


def told(figures: dict[str, Any]) -> str:
    """The figures as a person reads them."""
    data = figures["data"]
    lines = [f"{data['name']}: {data['sessions']} sessions, {data['high']} high, {data['low']} low, {data['topics']} topics; {figures['engine']}, rules {figures['rules']}"]
    for key, found in figures["auc"].items():
        low, up = found["interval"]
        terciles = ", ".join(f"{part['auc']:.2f} ({part['low']} low of {part['n']})" for part in found["by_length"])
        lines.append(f"AUC {key:16} {found['value']:.3f} [{low:.2f}, {up:.2f}]  short, middle, long: {terciles}")
    for key, found in figures["same_topic"].items():
        lines.append(f"same topic, {key}: won {found['won']} of {found['pairs']}, lost {found['lost']}, tied {found['tied']}")
    lines.append(f"largest correlation of two items: {figures['items']['largest_correlation']:.2f} ({figures['items']['which']})")
    lines.append("item AUC: " + ", ".join(f"{key} {value:.2f}" for key, value in figures["items"]["auc"].items()))
    return "\n".join([*lines, figures["means"]])


def save(figures: dict[str, Any], change: str) -> None:
    """Write the figures as the current ones; what was current joins the earlier runs, so that none is lost."""
    before = json.loads(SAVED.read_text("utf-8")) if SAVED.is_file() else {}
    earlier = before.pop("earlier", [])
    if before:
        earlier.append({"date": before["date"], "rules": before["rules"], "change": before["change"], "data": before["data"],
                        "auc": {key: round(value["value"], 3) for key, value in before["auc"].items()}})  # fmt: skip
    plain = json.loads(json.dumps(figures), parse_float=lambda text: round(float(text), 4), parse_constant=lambda _: None)
    SAVED.write_text(json.dumps({**plain, "change": change, "earlier": earlier}, indent=1, ensure_ascii=False) + "\n", "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path, help="AnnoMI's CSV")
    parser.add_argument("--name", default="AnnoMI", help="how the data is called in the figures")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--save", metavar="CHANGE", help="write prompts/demo/validity.json, saying what changed since the last run")
    given = parser.parse_args()
    if not given.path.is_file():
        raise SystemExit(f"There is no file {given.path}.")
    figures = evaluate(read(given.path), given.name)
    print(json.dumps(figures, ensure_ascii=False) if given.json else told(figures))
    if given.save:
        save(figures, given.save)


if __name__ == "__main__":
    main()
