"""What a row of an export may be: the columns of its table with their types and codes, and the shape of every JSON column.

What comes from elsewhere is data until it went through here. Pure.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, create_model, model_validator
from sqlmodel import SQLModel

from storage import tables

Whole = Annotated[int, Field(ge=-(2**63), le=2**63 - 1)]
Id = Annotated[int, Field(ge=1, le=2**63 - 1)]
Position = Annotated[int, Field(ge=1, le=1_000_000)]
Scalar = bool | Whole | float | str | None
Facets = dict[str, Scalar | list[str]]
Language = Literal["en", "zh"]
Seat = Literal["client", "counselor"]
Code = Annotated[str, Field(max_length=200)]
Moment = Annotated[str, Field(pattern=r"^(\d{4}-\d\d-\d\dT\d\d:\d\d[0-9:.+Z-]{0,24})?$")]


class Part(BaseModel):
    """A value inside a row: what it is not known to hold is left out."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False, extra="ignore")


class Quote(Part):
    text: str
    turn: Position | None = None
    start: Whole = 0
    end: Whole = 0
    status: Literal["exact", "normalised", "not found"]
    side: Literal["for", "against"]
    session: Id | None = None


class Mark(Part):
    kind: Code
    phrase: str
    start: Whole
    end: Whole


class Fault(Part):
    """Why a session rests, or what the rules found in a rebuilt dialogue."""

    kind: Code = ""
    turn: Whole = 0
    message: str = ""
    values: dict[str, Scalar] = {}
    code: Code = ""
    aim: bool = False
    how: Code = ""
    found: dict[str, JsonValue] = {}
    en: str = ""
    zh: str = ""

    @model_validator(mode="after")
    def whole(self) -> "Fault":
        if self.kind == "error" and not {"turn", "message", "values"} <= self.model_fields_set:
            raise ValueError("a fault says its turn, message and values")
        return self


class Check(Part):
    code: Code
    severity: Literal["fault", "warning", "note"]
    message: str
    values: dict[str, JsonValue] = {}


class Profile(Part):
    behavior: str = ""
    personas: list[str] = []
    beliefs: list[str] = []
    motivation: str = ""
    acceptable_plans: list[str] = []
    receptivity: Annotated[int, Field(ge=1, le=5)] | Annotated[float, Field(ge=1, le=5)] = 3


class Sent(Part):
    role: Literal["system", "user", "assistant"]
    content: str


class Attempt(Part):
    at: str = ""
    seconds: float = 0.0
    error: str = ""


class Record(Part):
    kind: Literal["report", "note", "role", "session"]
    id: Id
    hash: Code = ""  # of the words the call carried


class Unit(Part):
    """Names the unit of the study that makes a record, by its position."""

    unit: Annotated[int, Field(ge=0, le=10_000_000)]


Ref = Id | Unit


class Payload(Part):
    role: Ref | None = None
    session: Ref | None = None
    first: Ref | None = None
    second: Ref | None = None
    note: Ref | None = None
    report: Ref | None = None
    judge: Id | None = None
    writer: Id | None = None
    client: Id | None = None
    counselor: Id | None = None
    instrument: Code = ""
    version: Whole = 1
    item: Code | None = None
    items: list[str] = []
    dimension: Code | None = None
    dimensions: list[str] = []
    setting: Code = ""
    method: Code = ""
    sampling: Code = ""
    first_seat: Seat = "counselor"
    opener: str | None = None
    forbid: bool = False
    number: Whole = 0
    of: Whole = 0
    repeat: Whole = 1
    most_turns: Whole = 0
    seed: Whole = 0


class Result(Part):
    role: Id | None = None
    session: Id | None = None
    first: Id | None = None
    second: Id | None = None
    note: Id | None = None
    report: Id | None = None
    source: Id | None = None
    retries: Whole = 0
    partly: bool = False


class Drawn(Part):
    of: Literal["reports", "sessions", "roles"]
    seed: Whole = 0
    ids: list[Id] = []
    strata: dict[str, Whole] = {}
    short: dict[str, Whole] = {}


Samples = dict[str, Drawn | list[list[Ref]]]
Judged = {
    "study_id": Id | None, "unit_id": Id | None, "rater_id": Id, "call_id": Id | None, "superseded_by": Id | None,
    "instrument": Code, "language": Language, "quotes": list[Quote], "reader": Position, "prompt": Code, "prompt_hash": Code,
    "prompt_version": Annotated[int, Field(ge=0, le=1_000_000)], "way": Literal["", "item", "instrument"], "engine": Code,
    "engine_version": Code, "repeats": Position, "setting": Literal["", "none", "general", "detailed", "reasoning"],
}  # fmt: skip
CHECKED: dict[type[SQLModel], dict[str, Any]] = {
    tables.Report: {"language": Language},
    tables.Note: {"report_id": Id, "call_id": Id | None, "version": Position, "goals": list[str], "techniques": list[str], "steps": list[str]},
    tables.RoleCard: {
        "card_id": Id | None, "version": Position, "kind": Literal["role", "profile"], "language": Language, "stressor": Facets,
        "demographics": Facets, "life_events": list[str], "traits": dict[str, str], "profile": Profile, "checks": list[Check],
    },
    tables.Agent: {"seat": Literal["client", "counselor", "judge", "writer"], "settings": dict[str, JsonValue]},
    tables.Rater: {"kind": Literal["person", "consensus", "model", "rules", "simulated client", "reference"]},
    tables.Session: {
        "role_id": Id | None, "report_id": Id | None, "client_agent_id": Id | None, "counselor_agent_id": Id | None,
        "parent_id": Id | None, "language": Language, "origin": Code, "faults": list[Fault],
        "state": Literal["running", "paused", "stopped", "ended"], "number": Annotated[int, Field(ge=0, le=9999)] | None,
        "branch_turn": Position | None, "cut_at": Position | None,
    },
    tables.Turn: {
        "session_id": Id, "position": Position, "seat": Seat, "state": Literal["complete", "partial", "deleted"],
        "speaker": Literal["agent", "person", "unknown person", "text"], "agent_id": Id | None, "call_id": Id | None,
        "risk": list[Mark],
    },
    tables.Rating: Judged | {"session_id": Id},
    tables.Comparison: Judged | {
        "first_id": Id, "second_id": Id, "role_id": Id | None, "winner_id": Id | None, "verdict": Literal["won", "tie", "unscored"],
    },
    tables.Study: {
        "design": dict[str, JsonValue], "samples": Samples, "deleted": dict[str, float], "language": Language,
        "state": Literal["planned", "running", "stopping", "stopped", "needs the key", "over budget", "failed", "finished"],
    },
    tables.Unit: {
        "study_id": Id, "position": Annotated[int, Field(ge=0, le=10_000_000)], "payload": Payload, "result": Result,
        "kind": Literal["role", "session", "comparison", "rating", "note", "dialogue"],
        "state": Literal["planned", "running", "done", "reused", "unscored", "failed", "gone"],
    },
    tables.Call: {
        "study_id": Id | None, "unit_id": Id | None, "sent": dict[str, JsonValue], "dropped": list[str],
        "messages": list[Sent], "attempts": list[Attempt], "language": Code,
    },
}  # fmt: skip
OURS = (  # columns that mean something in the store they are in only: who is who, what was agreed, whose words these are
    "person_id", "client_person_id", "counselor_person_id", "withdrawn", "edition", "made_from", "elsewhere", "released",
)  # fmt: skip
PLAIN: dict[Any, Any] = {int: Whole, int | None: Whole | None}
MOMENTS = ("created", "started", "ended")


def form_of(table: type[SQLModel], **more: Any) -> type[Part]:
    """The checked form of a table's rows; ``more`` are fields an export has beside the columns."""
    known = CHECKED[table]
    fields: dict[str, Any] = {"id": (Id, ...)}
    for name, field in table.model_fields.items():
        if name == "id" or name in OURS or table.__table__.columns[name].computed is not None:  # type: ignore[attr-defined]
            continue
        kind = Moment if name in MOMENTS else known.get(name, PLAIN.get(field.annotation, field.annotation))
        usual: Any = Field(default_factory=field.default_factory) if field.default_factory else field.default
        fields[name] = (kind, ... if field.is_required() else usual)
    return create_model(f"Exported{table.__name__}", __base__=Part, **fields, **more)


FORMS: dict[str, type[Part]] = {
    "reports": form_of(tables.Report),
    "notes": form_of(tables.Note),
    "roles": form_of(tables.RoleCard),
    "agents": form_of(tables.Agent),
    "raters": form_of(tables.Rater),
    "sessions": form_of(tables.Session),
    "turns": form_of(tables.Turn),
    "units": form_of(tables.Unit),
    "calls": form_of(tables.Call, records=(list[Record], [])),
    "ratings": form_of(tables.Rating),
    "comparisons": form_of(tables.Comparison),
}
STUDY = form_of(tables.Study)


def checked(form: type[Part], row: Any) -> dict[str, Any]:
    """The row's known columns, checked; what is not given stays out.

    Raises:
        pydantic.ValidationError: a column is missing, or holds what it cannot.
    """
    return form.model_validate(row).model_dump(exclude_unset=True)
