"""What a study asked a judge to compare, so that its answers are counted against that and nothing else."""

import json
from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from core.agreement.comparing import RoleScore
from core.results import reading
from core.results.voices import FIELDS, SAME, Voice
from storage import units
from storage.store import Store

if TYPE_CHECKING:
    import pandas as pd

VOICE = tuple(field for field in FIELDS if field != "rater_kind")  # ``who`` is an agent's, whose kind is known by it
COLUMNS = ("study", *VOICE, "instrument", "dimension", "first", "second", "repeat", "failed")
TOLD_BY_ROWS = ["prompt", "prompt_version", "rules"]
LIKE_ROWS = {"verdict": "unscored", "winner": None, "role": None}  # a call that failed is a question without an answer


@dataclass(frozen=True)
class AskedFor:
    """Dimensions by the study that asked for them, and the questions whose call failed and left no row."""

    dimensions: Mapping[int, frozenset[str]] = field(default_factory=dict)
    failed: "pd.DataFrame | None" = None

    @property
    def sessions(self) -> set[int]:
        """Those the failed questions are about."""
        return set() if self.failed is None else {int(id) for side in ("first", "second") for id in self.failed[side]}

    def joined(self, frame: "pd.DataFrame") -> "pd.DataFrame":
        """The comparisons with the failed questions behind them, as unscored; those answered elsewhere are none."""
        import pandas as pd

        if self.failed is None or self.failed.empty:
            return frame
        kind, same = frame["rater_kind"].iloc[0] if len(frame) else "model", list(SAME["comparison"])
        answered = pd.MultiIndex.from_frame(frame[same])
        failed = self.failed.drop_duplicates(same)
        more = failed[~pd.MultiIndex.from_frame(failed[same]).isin(answered)].assign(**LIKE_ROWS, rater_kind=kind)
        return pd.concat([frame, more[[name for name in more if name in frame]]], ignore_index=True)

    def expected(self, frame: "pd.DataFrame") -> dict[int, frozenset[str]]:
        """Study (0: none) → dimensions: those its units ask for, and those there are comparisons on."""
        found: dict[int, set[str]] = {study: set(own) for study, own in self.dimensions.items()}
        for study, dimension in zip(studies(frame), frame["dimension"], strict=True):
            found.setdefault(study, set()).add(dimension)
        return {study: frozenset(own) for study, own in found.items()}


NOTHING = AskedFor()


def studies(frame: "pd.DataFrame") -> list[int]:
    """The study of each comparison, 0 where it belongs to none."""
    return [int(study) for study in frame["study"].fillna(0)]


def compared(store: Store, study_id: int | None = None) -> "pd.DataFrame":
    """Every question the units of a study (or of all) put to judges, columns ``COLUMNS``; in a call for a whole
    instrument ``dimension`` is a list, or empty for all it has. Those about sessions that figures leave out are not there.
    """
    import pandas as pd

    barred = reading.aside(store).all
    rows = [
        (study, who, prompt, prompt_version, setting, "item" if dimension else "instrument", rules, int(version), language, instrument,
         dimension or json.loads(some or "[]"), first, second, repeat, failed)
        for study, who, prompt, prompt_version, setting, rules, version, instrument, dimension, some, first, second, language, repeat, failed
        in units.compared(store, study_id)
        if not {first, second} & barred
    ]  # fmt: skip
    return as_the_others(pd.DataFrame(rows, columns=list(COLUMNS)))


def as_the_others(questions: "pd.DataFrame") -> "pd.DataFrame":
    """Questions that were never sent, with the wording that the others of their study were last asked with."""
    if questions[TOLD_BY_ROWS].notna().all(axis=None):
        return questions
    together = ["study", "instrument", *(name for name in VOICE if name not in TOLD_BY_ROWS)]
    others = questions.groupby(together, dropna=False)[TOLD_BY_ROWS].transform("last")
    return questions.assign(**{name: questions[name].where(questions[name].notna(), others[name]) for name in TOLD_BY_ROWS})


def asked_of(questions: "pd.DataFrame", voice: Voice, instrument: str, dimensions: Collection[str]) -> AskedFor:
    """What one voice was asked on an instrument; a question whose wording nobody knows is no voice's.

    Args:
        questions: from ``compared``. dimensions: all the instrument has.
    """
    own = questions[questions["instrument"] == instrument]
    for name in VOICE:
        own = own[own[name] == voice.fields[name]]
    if own.empty:
        return NOTHING
    own = own.assign(dimension=own["dimension"].map(lambda one: [one] if isinstance(one, str) else one or list(dimensions)))
    by_study: dict[int, set[str]] = {}
    for study, names in zip(own["study"], own["dimension"], strict=True):
        by_study.setdefault(int(study), set()).update(names)
    failed = own[(own["failed"] == 1) & own["first"].notna() & own["second"].notna()].explode("dimension")
    failed = failed.astype(dict.fromkeys(("first", "second", "repeat"), int))
    return AskedFor({study: frozenset(names) for study, names in by_study.items()}, failed)


def against(
    scores: Mapping[tuple[str, str, str], Iterable[RoleScore]], expected: Mapping[tuple[str, str, Hashable], frozenset[str]],
    stages: Mapping[str, str],
) -> dict[tuple[str, str, str], list[RoleScore]]:  # fmt: skip
    """Role scores by (stage, a, b), each counted against the dimensions asked for of that pair and role."""
    from dataclasses import replace

    def counted(stage: str, a: str, b: str, score: RoleScore) -> RoleScore:
        n = sum(stages.get(name) == stage for name in expected.get((a, b, score.role), frozenset()))
        return replace(score, dimensions=max(score.dimensions, n))

    return {key: [counted(*key, score) for score in each] for key, each in scores.items()}
