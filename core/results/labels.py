"""Voices that compared, and the trust label of a voice: its judgments beside those of people on the same sessions."""

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING

from core.agreement.comparing import TIE, Outcome
from core.results import agreements
from core.results.agreements import TOTAL, Voice, people_values, with_sums
from core.results.reading import Held
from core.results.scores import item_values, wide
from core.results.trust import Trust, trust_of_comparisons, trust_of_ratings
from core.results.wins import contest

if TYPE_CHECKING:
    import pandas as pd

WITH_LABEL = ("rules", "model")  # kinds of raters that a trust label is for


def comparison_voices(frame: "pd.DataFrame") -> list[Voice]:
    """Who compared, and how; ``sessions`` counts those shown first."""
    return agreements.voices(frame.assign(setting="", session=frame["first"]))


def compared(frame: "pd.DataFrame", voice: Voice) -> "pd.DataFrame":
    """The comparisons of one voice; the newest where the same question was put again in another study."""
    prompt = frame["prompt_version"]
    same_prompt = prompt.isna() if voice.prompt_version is None else prompt == voice.prompt_version
    own = frame[
        (frame["rater_id"] == voice.rater_id)
        & (frame["version"] == voice.version)
        & (frame["language"] == voice.language)
        & same_prompt
    ]
    return own.drop_duplicates(["first", "second", "dimension", "repeat"], keep="last")


def totals(table: "pd.DataFrame", dimensions: Mapping[str, list[str]], scoring: str) -> dict[int, float]:
    """Session → score over all items, where every item of a sum, or any item of a mean, is there."""
    whole = with_sums(table, dimensions, scoring)[TOTAL].dropna()
    return {int(str(session)): float(value) for session, value in whole.items()}


def rating_label(
    every: "pd.DataFrame", voice: Voice, dimensions: Mapping[str, list[str]], scoring: str, held: Mapping[int, Held]
) -> Trust:  # fmt: skip
    """The label of a judge's score over all items, against people who used the same instrument and language.

    Args:
        every: all ratings of the instrument in the store, of whatever study.
    """
    items = [item for own in dimensions.values() for item in own]
    judge = totals(wide(item_values(agreements.heard(every, voice)), items), dimensions, scoring)
    people = {
        name: totals(table, dimensions, scoring)
        for name, table in people_values(every, "person", voice.version, voice.language).items()
    }
    return trust_of_ratings(judge, people, {id: one.cluster for id, one in held.items()})


def comparison_label(
    every: "pd.DataFrame", voice: Voice, stages: Mapping[str, str], held: Mapping[int, Held]
) -> Trust:
    """The label of a judge's comparisons, against people who compared the same pairs of sessions.

    Args:
        every: all comparisons of the instrument in the store. stages: stage of each dimension.
    """
    found = {o: key for o in contest(compared(every, voice), held, stages).outcomes if (key := question(o))}
    people: dict[str, dict[Hashable, str | None]] = {}
    cluster: dict[Hashable, str] = {key: str(o.role) for o, key in found.items()}
    side: dict[Hashable, str] = {key: o.a for o, key in found.items()}
    for other in comparison_voices(every):
        if other.kind == "person" and (other.version, other.language) == (voice.version, voice.language):
            said = contest(compared(every, other), held, stages).outcomes
            mine = people.setdefault(other.name, {})
            for outcome in said:
                if (key := question(outcome)) is not None:
                    mine[key] = verdict(outcome)
                    cluster.setdefault(key, str(outcome.role))
                    side.setdefault(key, outcome.a)
    return trust_of_comparisons(
        {key: verdict(o) for o, key in found.items()}, people, cluster, side, lambda q: q[:2] if isinstance(q, tuple) else q
    )  # fmt: skip


def question(outcome: Outcome) -> tuple[int, int, str] | None:
    """The pair of sessions and the dimension; further repeats of a question are left aside."""
    if not isinstance(outcome.repeat, tuple) or outcome.repeat[2] != 1:
        return None
    return outcome.repeat[0], outcome.repeat[1], outcome.dimension


def verdict(outcome: Outcome) -> str | None:
    return (outcome.winner or TIE) if outcome.judged else None
