"""Voices: who judged, and how. What one voice said may be counted together; what two said, never silently."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

JUDGES = ("rules", "model")  # kinds of raters that are agents
PEOPLE = ("person", "reference", "consensus")
FIELDS = ("who", "rater_kind", "prompt", "prompt_version", "setting", "way", "rules", "version", "language")
SAME = {"rating": ("session", "item", "repeat"), "comparison": ("first", "second", "dimension", "repeat")}


@dataclass(frozen=True)
class Voice:
    """One way of judging: an agent by its hash (a person by their rater), prompt id and version, setting, way of
    asking, version of the rules where rules judged, instrument version and language.
    """

    who: str
    kind: str
    prompt: str
    prompt_version: int
    setting: str
    way: str  # item | instrument; empty for people
    rules: str  # version of the demo engine; empty for all others
    version: int  # of the instrument
    language: str
    name: str
    sessions: int

    @property
    def fields(self) -> dict[str, str | int]:
        """What tells it from others, by the columns ``FIELDS``."""
        return {field: getattr(self, "kind" if field == "rater_kind" else field) for field in FIELDS}

    @property
    def key(self) -> str:
        return "|".join(map(str, self.fields.values()))


def voices(frame: "pd.DataFrame") -> list[Voice]:
    """Who judged, and how, in the order they first did.

    Args:
        frame: ratings or comparisons of one instrument (``reading.ratings``, ``reading.comparisons``).
    """
    return [voice_of(part) for _key, part in frame.groupby(list(FIELDS), dropna=False, sort=False)]


def frame_of(rows: Iterable[Mapping[str, Any]]) -> "pd.DataFrame":
    """Stored ratings or comparisons with their raters (``store.ratings.rows``) in the columns that voices are told by."""
    import pandas as pd

    return pd.DataFrame(
        [
            dict(row) | {
                "who": row["agent_hash"] or f"rater {row['rater_id']}", "version": row["instrument_version"],
                "rules": row["engine_version"] if row["rater_kind"] == "rules" else "",
                **({"session": row["session_id"]} if "item" in row else {"first": row["first_id"], "second": row["second_id"]}),
            }
            for row in rows
        ]
    )  # fmt: skip


def voice_of(part: "pd.DataFrame") -> Voice:
    """The voice that all these rows are of; it bears the newest name its agent had."""
    first: Any = next(part[list(FIELDS)].itertuples(index=False))
    held = part["session"] if "session" in part else [*part["first"], *part["second"]]
    return Voice(
        str(first.who), first.rater_kind, first.prompt, int(first.prompt_version), first.setting, first.way, first.rules,
        int(first.version), first.language, str(part["rater"].iloc[-1]), len(set(held)),
    )  # fmt: skip


def of_voice(frame: "pd.DataFrame", voice: Voice) -> "pd.DataFrame":
    """What one voice said, oldest first; where it was asked the same again in another study, see ``newest``."""
    own = frame
    for field, value in voice.fields.items():
        own = own[own[field] == value]
    return newest(own)


def newest(frame: "pd.DataFrame", by: tuple[str, ...] = ()) -> "pd.DataFrame":
    """One row for each thing asked: the newest that could be read, else the newest.

    Args:
        by: further columns that tell apart (the rater, where there are several).
    """
    table = "rating" if "item" in frame else "comparison"
    read = frame["score"].notna() if table == "rating" else frame["verdict"] != "unscored"
    ordered = frame.assign(_read=read).sort_values("_read", kind="stable")
    return ordered.drop_duplicates([*by, *SAME[table]], keep="last").drop(columns="_read").sort_index()
