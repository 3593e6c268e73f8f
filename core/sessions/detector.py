"""The trained end-of-conversation detector: logistic regression on word n-grams of two utterances. Pure.

Weights are plain numbers, so a trained detector is stored as JSON and scored without scikit-learn.
Source: ESC-Judge, appendix B.1. Ours splits by session (windows of one session never stand on both sides), matches
both apostrophes and whole words, reads Chinese characters as words, and keeps stop words unless told otherwise
(removing them erases "see you").
"""

import math
import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from core.errors import DataError
from core.sessions.phrases import LANGUAGES, compiled, phrase_file, plain

TOKEN = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+(?:'[^\W_\u3400-\u9fff]+)*")
MAX_DF, MIN_DF, NGRAMS = 0.4, 2, 3
THRESHOLD = 0.5
LEAST_SESSIONS, LEAST_ENDINGS = 10, 5

Turns = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Score:
    """How labels and predictions agree. Shares are nan where they have no cases."""

    n: int
    endings: int
    accuracy: float
    precision: float
    recall: float
    f1: float
    recall_of_others: float


@dataclass(frozen=True)
class Detector:
    """``weights``: per n-gram its idf and its coefficient."""

    weights: Mapping[str, tuple[float, float]]
    intercept: float
    stop_words: bool = False

    def chance(self, earlier: str, later: str) -> float:
        """Probability that the conversation has ended after these two utterances."""
        counts = Counter(
            gram for gram in ngrams(window(earlier, later), self.stop_words) if gram in self.weights
        )
        values = {gram: count * self.weights[gram][0] for gram, count in counts.items()}
        length = math.sqrt(sum(value * value for value in values.values())) or 1.0
        total = self.intercept + sum(value / length * self.weights[gram][1] for gram, value in values.items())
        return 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, total))))

    def ended(self, turns: Turns, threshold: float = THRESHOLD) -> bool:
        """Whether the conversation has ended with its last utterance; never within the first six."""
        return len(turns) > more_than() and self.chance(turns[-2]["text"], turns[-1]["text"]) >= threshold


def window(earlier: str, later: str) -> str:
    return f"{earlier}\n{later}"


def ngrams(text: str, stop_words: bool = False) -> list[str]:
    """All 1- to 3-grams; a Chinese character counts as a word."""
    words = TOKEN.findall(plain(text).casefold())
    if stop_words:
        words = [word for word in words if word not in english_stop_words()]
    return [" ".join(words[i : i + n]) for n in range(1, NGRAMS + 1) for i in range(len(words) - n + 1)]


@cache
def english_stop_words() -> frozenset[str]:
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return frozenset(ENGLISH_STOP_WORDS)


@cache
def _farewell(language: str) -> re.Pattern[str]:
    return compiled(phrase_file(f"sessions/farewell.{language}")["weak"]["phrases"], language)


def more_than() -> int:
    """How many utterances must lie before an ending in the weak labels."""
    return int(phrase_file("sessions/farewell.en")["weak"]["more_than"])


def weak_label(turns: Turns, at: int) -> bool:
    """The paper's label of the window that ends with ``turns[at]``: late enough, and a farewell phrase in it."""
    text = plain(window(turns[at - 1]["text"], turns[at]["text"]))
    return at + 1 > more_than() and any(_farewell(language).search(text) for language in LANGUAGES)


def hand_label(turns: Turns, at: int, last: int) -> bool:
    """A person's label of the same window: ``last`` is the position where it ended, 0 for never."""
    return bool(last) and int(turns[at]["position"]) >= last


def split(ids: Sequence[int], seed: int, test: float = 0.2) -> tuple[set[int], set[int]]:
    """Sessions for training and for testing; every window of a session lies on one side."""
    shuffled = sorted(ids)
    random.Random(seed).shuffle(shuffled)
    cut = max(1, round(len(shuffled) * test))
    return set(shuffled[cut:]), set(shuffled[:cut])


def train(sessions: Mapping[int, Turns], ids: set[int], stop_words: bool = False) -> Detector:
    """Fit on the weak labels of the sessions named.

    Raises:
        DataError: too few sessions, or too few endings among them.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    windows = [(s, at) for s in sorted(ids) for at in range(1, len(sessions[s]))]
    labels = [weak_label(sessions[s], at) for s, at in windows]
    if len(ids) < LEAST_SESSIONS or sum(labels) < LEAST_ENDINGS or all(labels):
        raise DataError(
            "{n} sessions with {endings} endings are too few to train on; it takes {least} sessions and {most} endings. "
            "Add sessions and try again; the farewell rules go on deciding.",
            n=len(ids), endings=sum(labels), least=LEAST_SESSIONS, most=LEAST_ENDINGS,
        )  # fmt: skip
    texts = [window(sessions[s][at - 1]["text"], sessions[s][at]["text"]) for s, at in windows]
    vectors = TfidfVectorizer(
        analyzer=lambda text: ngrams(text, stop_words), max_df=MAX_DF, min_df=min(MIN_DF, len(texts))
    )
    matrix = vectors.fit_transform(texts)
    model = LogisticRegression(max_iter=1000).fit(matrix, labels)
    names = vectors.get_feature_names_out()
    weights = {
        str(name): (float(idf), float(c))
        for name, idf, c in zip(names, vectors.idf_, model.coef_[0], strict=True)
    }
    return Detector(weights, float(model.intercept_[0]), stop_words)


def score(labels: Sequence[bool], said: Sequence[bool]) -> Score:
    """Accuracy, precision, recall and F1 of the endings, and the recall of everything else."""
    pairs = Counter(zip(labels, said, strict=True))
    hits, missed, wrong, others = (
        pairs[k] for k in ((True, True), (True, False), (False, True), (False, False))
    )
    return Score(
        n=len(labels), endings=hits + missed, accuracy=_share(hits + others, len(labels)),
        precision=_share(hits, hits + wrong), recall=_share(hits, hits + missed),
        f1=_share(2 * hits, 2 * hits + wrong + missed), recall_of_others=_share(others, others + wrong),
    )  # fmt: skip


def _share(part: int, whole: int) -> float:
    return part / whole if whole else math.nan


def to_json(detector: Detector) -> dict[str, Any]:
    return asdict(detector) | {"weights": {gram: list(pair) for gram, pair in detector.weights.items()}}


def from_json(data: Mapping[str, Any]) -> Detector:
    weights = {gram: (float(pair[0]), float(pair[1])) for gram, pair in data["weights"].items()}
    return Detector(weights, float(data["intercept"]), bool(data["stop_words"]))
