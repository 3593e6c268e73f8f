"""What a study asks for, as data: read from YAML or built on a page, checked with readable errors."""

from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from core.errors import DataError
from core.llm.seam import Language

MOST_REPEATS = 20
Which = Literal["steps", "all"] | str | list[int]
Count = Annotated[int, Field(ge=1, le=100_000)]
Repeats = Annotated[int, Field(ge=1, le=MOST_REPEATS)]


class Part(BaseModel):
    """Unknown fields are refused, so that a misspelt setting is not silently ignored."""

    model_config = ConfigDict(extra="forbid")


class Pacing(Part):
    """How hard an endpoint may be used; empty leaves it to what was learned of it."""

    at_once: Annotated[int, Field(ge=1, le=1000)] | None = None
    requests_per_minute: Annotated[float, Field(gt=0)] | None = None
    tokens_per_minute: Annotated[float, Field(gt=0)] | None = None
    most_tries: Annotated[int, Field(ge=1, le=50)] = 8
    patience_minutes: Annotated[float, Field(gt=0)] = 15.0


class Sample(Part):
    """A named, seeded sample: ``count`` of each stratum of ``per``, among those that fit ``where``."""

    of: Literal["reports", "sessions", "roles"]
    per: Literal["school", "topic", "language", "counselor", "client", "role", "category"] | None = None
    count: Count | None = None
    seed: int = 0
    where: dict[str, list[str]] = Field(default_factory=dict)


class Roles(Part):
    """Build roles with the writing agent."""

    kind: Literal["roles"]
    count: Count = 5
    writer: str = "Demo writer"
    sampling: Literal["stratified", "paper"] = "stratified"
    forbid_contradictions: bool = True


class Sessions(Part):
    """Simulate every role with every counselor."""

    kind: Literal["sessions"]
    roles: Which = "steps"
    client: str = "Simulated client"
    counselors: Annotated[list[str], Field(min_length=1)]
    most_turns: Annotated[int, Field(ge=2, le=200)] = 20
    first: Literal["counselor", "client"] = "counselor"
    opener: Annotated[str, Field(max_length=500)] | None = None
    repeats: Repeats = 1


class Notes(Part):
    """Write the counseling note of each report."""

    kind: Literal["notes"]
    reports: Which = "all"
    writer: str = "Demo writer"


class Dialogues(Part):
    """Rebuild the dialogue of each report; ``memo2demo`` needs the report's note."""

    kind: Literal["dialogues"]
    reports: Which = "all"
    methods: Annotated[list[Literal["memo2demo", "roleplay"]], Field(min_length=1)] = ["memo2demo"]
    writer: str = "Demo writer"


class Judged(Part):
    sessions: Which = "steps"
    judges: Annotated[list[str], Field(min_length=1)] = ["Demo rater"]
    repeats: Repeats = 1
    calls: Literal["item", "instrument"] = "item"

    @model_validator(mode="before")
    @classmethod
    def one_judge(cls, given: Any) -> Any:
        """``judge: X`` is short for ``judges: [X]``."""
        if isinstance(given, dict) and isinstance(given.get("judge"), str) and "judges" not in given:
            given = {k: v for k, v in given.items() if k != "judge"} | {"judges": [given["judge"]]}
        return given


class Comparisons(Judged):
    """Compare the sessions that share a role (or a report), pairwise, on each dimension."""

    kind: Literal["comparisons"]
    instrument: str = "hill"
    dimensions: list[str] | None = None
    baseline: str | None = None
    orders: Literal["both", "one"] = "both"
    pairs: Count | None = None
    pairs_seed: int = 0


class Ratings(Judged):
    """Rate each session on the items of an instrument."""

    kind: Literal["ratings"]
    instrument: str = "wai-o-s"
    items: list[str] | None = None
    setting: Literal["none", "general", "detailed", "reasoning"] = "reasoning"
    repeats: Repeats = 3


Step = Annotated[Roles | Sessions | Notes | Dialogues | Comparisons | Ratings, Field(discriminator="kind")]


class Design(Part):
    """A whole study. Steps run in their order; a step may use what earlier steps make."""

    name: Annotated[str, Field(min_length=1, max_length=200)]
    language: Language = "en"
    seed: int = 0
    budget: Annotated[float, Field(ge=0)] | None = None
    fresh_draws: bool = False
    pacing: Pacing = Pacing()
    samples: dict[str, Sample] = Field(default_factory=dict)
    steps: Annotated[list[Step], Field(min_length=1)]


def read_design(given: "Design | dict[str, Any] | str | Path") -> Design:
    """A checked design from a file, a YAML text's dict, or as it is.

    Raises:
        DataError: the file cannot be read, is not YAML, or a field does not fit; each one is named.
    """
    if isinstance(given, Design):
        return given
    name = "design" if isinstance(given, dict) else Path(given).name
    values = given if isinstance(given, dict) else _yaml(Path(given))
    if not isinstance(values, dict):
        raise DataError(
            "The design {name} is not a list of named fields. It needs at least a name and steps; nothing was started.",
            name=name,
        )
    try:
        return Design.model_validate(values)
    except ValidationError as error:
        raise DataError(
            "The design {name} cannot be run: {why}. Correct it and try again; nothing was started.",
            name=name,
            why="; ".join(_in_words(item) for item in error.errors()[:5]),
        ) from error


def _yaml(path: Path) -> Any:
    try:
        return yaml.safe_load(path.read_text("utf-8"))
    except FileNotFoundError as error:
        raise DataError(
            "There is no file {name}. Check its name; nothing was started.", name=str(path)
        ) from error
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        raise DataError(
            "The design {name} cannot be read: {why}. It must be a YAML file in UTF-8; nothing was started.",
            name=path.name,
            why=" ".join(str(error).split()),
        ) from error


def _in_words(item: Any) -> str:
    """One misfit: where it is and what was expected."""
    place = " → ".join(str(part + 1) if isinstance(part, int) else str(part) for part in item["loc"])
    return f"{place or 'design'}: {item['msg'][:1].lower()}{item['msg'][1:]}"
